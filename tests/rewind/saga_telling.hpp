// SagaTelling: plays a saga twice, once without interruption and once with everything that a player, a tester or a budget
// may do in between, and says where the second differs from the first.
#pragma once

#include <deque>
#include <random>
#include <string>

#include "rewind/file/history_file.hpp"
#include "tests/rewind/saga.hpp"

namespace revenant {

class SagaTelling {
public:
    // `rescopes`: see Saga. Only what one telling shows of itself is compared then.
    explicit SagaTelling(std::uint64_t seed, bool rescopes = false)
        : seed_(seed),
          random_(static_cast<unsigned>(seed)),
          cuts_(seed % 3 == 0),
          straight_(seed, options(600)),
          crooked_(seed, options(lengths[seed % 5])) {
        straight_.resurrects = crooked_.resurrects = !cuts_;
        straight_.queues = crooked_.queues = seed % 4 != 1;
        straight_.rescopes = crooked_.rescopes = rescopes;
        crooked_.isMeddled = rescopes;
        for (std::int64_t frame = 1; !rescopes && frame <= frames; ++frame) straight_.tick();
        crooked_.tick();
    }

    // What went wrong, after the last actions; empty: nothing did.
    std::string run() {
        play();
        if (fault_.empty()) return fault_;
        std::string text;
        for (const std::string& deed : deeds_) text += deed + "; ";
        return text + fault_;
    }

private:
    void note(const std::string& deed) {
        deeds_.push_back(deed);
        if (deeds_.size() > 12) deeds_.pop_front();
    }
    void play() {
        constexpr int deeds = 25;
        for (int i = 0; i < deeds && fault_.empty() && newest() < frames; ++i) {
            switch (draw(cuts_ ? 7 : 6)) {
                case 0: scrub(); break;
                case 1: resumeAt(any()); break;
                case 2: resumeAt(*crooked_.rewind->getOldestFrame()); break;
                case 3: windBack(); break;
                case 4: load(); break;
                case 5: meddleInThePast(); break;
                default: cut(); break;
            }
            for (unsigned more = draw(9) + 1; more > 0 && fault_.empty(); --more) {
                if (crooked_.rescopes && draw(4) == 0) crooked_.rescope();
                tick(crooked_);
            }
        }
    }

    static constexpr std::int64_t frames = 60;
    static constexpr std::size_t lengths[] = {1, 2, 3, 7, 600};

    static RewindOptions options(std::size_t block) {
        return {.seconds = 1000,
                .bytes = std::size_t{1} << 30,
                .blockFrames = block,
                .packInBackground = false};
    }
    unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
    std::int64_t newest() { return crooked_.rewind->getNewestFrame().value_or(0); }
    std::int64_t any() {
        const std::int64_t oldest = *crooked_.rewind->getOldestFrame();
        return oldest + draw(static_cast<unsigned>(newest() - oldest + 1));
    }
    void expect(const std::string& fault, const std::string& what) {
        if (!fault.empty() && fault_.empty()) fault_ = what + ": " + fault;
    }
    void expectSame(Saga& saga, std::int64_t frame, const std::string& what) {
        if (frame <= frames && saga.rewind->frameHash(frame) != straight_.rewind->frameHash(frame))
            expect("straight " + straight_.seen[frame] + "\nis " + saga.describe(),
                   what + ", frame " + std::to_string(frame));
    }
    void tick(Saga& saga) {
        note("tick");
        saga.tick();
        const auto problems = saga.world.validate();
        if (!problems.empty()) expect(problems.front(), "validator after a tick");
        const auto faulty = saga.rewind->validate();
        if (!faulty.empty()) expect(faulty.front(), "validator of the history after a tick");
        if (!saga.faults.empty()) expect(saga.faults.front(), "a tick");
        if (!saga.rescopes && (!saga.queues || &saga == &crooked_))
            expectSame(saga, *saga.rewind->getFrame(), "played");
    }
    void show(std::int64_t frame) {
        note("seek " + std::to_string(frame));
        crooked_.rewind->seek(frame);
        expect(crooked_.compare(), "sought frame " + std::to_string(frame));
    }
    void stop() {
        note("stop at " + std::to_string(*crooked_.rewind->getFrame()));
        crooked_.resume();
    }
    void scrub() {
        for (unsigned i = draw(6) + 1; i > 0; --i) show(any());
        show(newest());
        stop();
    }
    void resumeAt(std::int64_t frame) {
        if (draw(2) == 0) show(any());
        show(frame);
        stop();
        if (draw(4) == 0) {
            show(any());
            show(frame);
            stop();
        }
    }
    void windBack() {
        note("wind back");
        crooked_.rewind->start();
        crooked_.rewind->setSpeed(draw(2) == 0 ? 1 : 2.5);
        for (unsigned i = draw(9) + 1; i > 0; --i) {
            crooked_.tick();
            expect(crooked_.compare(), "wound back");
        }
        stop();
    }
    // In a world of its own, where it is played on.
    void load() {
        // A change of scope belongs to the next frame: before that there is nothing to be saved.
        if (draw(2) == 0 || crooked_.rescopes) show(any());
        note("load");
        const auto bytes = writeHistory(crooked_.rewind->takeHistory());
        Saga other(seed_, options(lengths[draw(5)]));
        other.isMeddled = true;
        other.rescopes = crooked_.rescopes;
        // Entities that are not rewindable are in no file, and components may refer to them.
        if (!other.rescopes) other.copies = crooked_.copies;
        other.rewind->openHistory(parseHistory(bytes));
        if (draw(2) == 0) other.rewind->seek(any());
        expect(other.compare(), "loaded");
        other.rewind->stop();
        other.queues = crooked_.queues;
        other.resurrects = crooked_.resurrects;
        for (unsigned i = draw(6); i > 0 && fault_.empty(); --i) tick(other);
        stop();
    }
    void meddleInThePast() {
        const std::int64_t frame = any();
        show(frame);
        note("make one in the past");
        Entity made = crooked_.world.newEntity("made in the past");
        if (draw(2) == 0) {
            made.setRewindable(false);
            crooked_.world.addEntity(made);
            crooked_.world.update(0);
            if (*crooked_.rewind->getFrame() != frame) fault_ = "another frame is shown";
        }
        show(frame);
        if (draw(2) == 0) show(any());
        stop();
    }
    void cut() {
        note("cut");
        RewindOptions few = options(1);
        few.blockFrames = crooked_.rewind->getBudget().blockFrames;
        few.seconds = draw(3) / 16.0;
        crooked_.rewind->setBudget(few);
        if (draw(3) > 0) few.seconds = 1000;
        crooked_.rewind->setBudget(few);
    }

    std::uint64_t seed_;
    std::mt19937 random_;
    bool cuts_;
    Saga straight_;
    Saga crooked_;
    std::string fault_;
    std::deque<std::string> deeds_;
};

}  // namespace revenant
