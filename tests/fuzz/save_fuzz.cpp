// Mutates saves and tries each, with nothing but the library:
//
//     fuzz_saves INPUTS [SEED [PROBLEMS]]
//
// Mutations that the loader accepts are mutated further. Input i of a seed is always the same. It stops at the first input
// that breaks something, and writes that to a file.
#include <nlohmann/json.hpp>

#include "save/format/save_bytes.hpp"
#include "save/json/save_json.hpp"
#include "tests/fuzz/fuzz_run.hpp"
#include "tests/fuzz/save_mutator.hpp"
#include "tests/fuzz/save_probe.hpp"
#include "tests/save/save_envelope.hpp"

using namespace revenant;
using namespace revenant::fuzz;
using tests::bodyOf;
using tests::bytesOf;
using tests::wrapBody;

namespace {

// Saves, in either form, mutated by their meaning.
class Pool {
public:
    Pool() {
        for (const Bytes& save : seedSaves()) add(save);
        recorded_ = images_.size();
    }
    Bytes next(SaveMutator& mutator) {
        const std::size_t which = mutator.below(mutator.below(2) == 0 ? recorded_ : images_.size());
        const std::uint64_t kind = mutator.below(16);
        if (kind < 10) {
            SaveImage image = images_[which];
            mutator.mutate(image);
            return writeSave(image);
        }
        if (kind < 14) {
            Bytes body = bodies_[which];
            mutator.mutate(body);
            return wrapBody(body);
        }
        if (kind == 14) {
            Bytes text = bytesOf(json_[which].dump());
            mutator.mutate(text);
            return text;
        }
        Json json = json_[which];
        const Json& donor = json_[mutator.below(json_.size())];
        for (std::uint64_t count = 1 + mutator.below(3); count > 0; --count)
            mutator.mutate(json, donor);
        return bytesOf(json.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    void keep(SaveMutator& mutator, const Bytes& save) {
        if (images_.size() < most) return add(save);
        const std::size_t place = recorded_ + mutator.below(most - recorded_);
        std::swap(images_[place], images_.back());
        std::swap(bodies_[place], bodies_.back());
        std::swap(json_[place], json_.back());
        images_.pop_back(), bodies_.pop_back(), json_.pop_back();
        add(save);
    }

private:
    void add(const Bytes& save) {
        images_.push_back(isJson(save) ? readSaveJson(save) : readSave(save, false));
        bodies_.push_back(bodyOf(writeSave(images_.back())));
        const auto text = writeSaveJson(images_.back());
        json_.push_back(Json::parse(reinterpret_cast<const char*>(text.data()),
                                    reinterpret_cast<const char*>(text.data()) + text.size()));
    }

    static constexpr std::size_t most = 64;
    std::vector<SaveImage> images_;
    std::vector<Bytes> bodies_;
    std::vector<Json> json_;
    std::size_t recorded_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
    FuzzRun run(count, arguments, "save");
    SaveMutator mutator(run.seed());
    SaveProbe probe;
    Pool pool;
    return run.run([&] {
        FuzzRun::current = pool.next(mutator);
        Verdict verdict = probe.probe(FuzzRun::current);
        if (verdict.accepted && verdict.problem.empty() && FuzzRun::current.size() < 20000 &&
            mutator.below(8) == 0)
            pool.keep(mutator, FuzzRun::current);
        return verdict;
    });
}
