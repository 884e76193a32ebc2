// Does everything with a save that one can do. Either the loader refuses it with a message and leaves the running world as
// it was; or the world is valid, plays on, and a save of it, in either format, is the same after a load.
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

// Small saves with something of everything in them.
std::vector<Bytes> seedSaves();

}  // namespace revenant::fuzz
