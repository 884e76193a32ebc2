// SaveMutator: changes saves at random, mostly by their meaning: numbers, names, types and states of a
// SaveImage, or values of a JSON document. The result is written with right sizes, counts and checksums.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <random>

#include "save/image/save_image.hpp"
#include "tests/fuzz/history_tree.hpp"

namespace revenant::fuzz {

using Json = nlohmann::ordered_json;

class SaveMutator {
public:
    explicit SaveMutator(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    void mutate(SaveImage& image);
    // Bytes that may mean anything: a body, or text.
    void mutate(Bytes& bytes);
    // `donor`: values of it may be put in.
    void mutate(Json& json, const Json& donor);

private:
    template <class T>
    T& any(std::vector<T>& all) {
        return all[below(all.size())];
    }
    template <class T>
    void change(T& number);
    void mutateEntities(SaveImage& image);
    void mutateComponents(SaveImage& image);
    void mutateMakeups(SaveImage& image);
    void mutateRest(SaveImage& image);
    const Json& anyPart(const Json& json);

    std::mt19937_64 random_;
};

}  // namespace revenant::fuzz
