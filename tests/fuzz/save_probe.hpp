// What one can do with a save, whatever it is. Either the loader refuses it with a sentence, and the running world has not
// noticed; or the world is valid, plays on, and what is saved of it, in either format, is the same after a load.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_run.hpp"
#include "world/world.hpp"

namespace revenant::fuzz {

class SaveProbe {
public:
    SaveProbe();

    // Without looking at checksums.
    Verdict probe(std::span<const std::byte> save);

private:
    void renew();
    std::string check();

    // Used for many inputs: each load replaces the whole content.
    std::unique_ptr<World> world_;
    int left_ = 0;  // until it is made anew
};

// Small saves in which there is something of everything.
std::vector<Bytes> seedSaves();

}  // namespace revenant::fuzz
