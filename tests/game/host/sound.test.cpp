#include <SDL.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "game/host/sound_device.hpp"
#include "game/host/sound_mixer.hpp"

using namespace revenant::game;

namespace {

float loudest(const std::vector<float>& samples) {
    float most = 0;
    for (const float sample : samples) most = std::max(most, std::abs(sample));
    return most;
}

std::vector<float> mixed(SoundMixer& mixer, double seconds) {
    std::vector<float> samples(static_cast<std::size_t>(seconds * soundRate));
    mixer.mix(samples);
    return samples;
}

}  // namespace

TEST_CASE("every effect begins and ends in silence, is short, and neither faint nor shrill",
          "[game][host]") {
    for (std::size_t i = 0; i < effectCount; ++i) {
        INFO(effectNames[i]);
        const std::vector<float> samples = synthesise(static_cast<Effect>(i));
        CHECK(samples.size() < static_cast<std::size_t>(1.5 * soundRate));
        CHECK(std::abs(samples.front()) < 0.05F);
        CHECK(std::abs(samples.back()) < 0.01F);
        CHECK(loudest(samples) > 0.1F);
        CHECK(loudest(samples) < 0.95F);
        CHECK(effectOf(effectNames[i]) == static_cast<Effect>(i));
    }
}

TEST_CASE("the mixer plays sounds at the given volume and pitch, and then silence",
          "[game][host]") {
    SoundMixer mixer;
    CHECK(loudest(mixed(mixer, 0.1)) == 0);
    mixer.play(Effect::Coin, 1, 1);
    const float loud = loudest(mixed(mixer, 1));
    mixer.play(Effect::Coin, 0.25, 1);
    const float soft = loudest(mixed(mixer, 1));
    CHECK(loud > 2 * soft);
    CHECK(soft > 0);
    CHECK(loudest(mixed(mixer, 0.1)) == 0);
    mixer.play(Effect::Coin, 1, 8);
    mixed(mixer, 0.1);
    CHECK(loudest(mixed(mixer, 0.1)) == 0);
}

TEST_CASE("many voices at once stay within bounds", "[game][host]") {
    SoundMixer mixer;
    for (int i = 0; i < 100; ++i) mixer.play(Effect::Crumble, 1, 1);
    CHECK(loudest(mixed(mixer, 1)) <= 1);
}

TEST_CASE("while time runs backwards effects are silent and a quiet wash is heard",
          "[game][host]") {
    SoundMixer mixer;
    mixer.play(Effect::Exit);
    mixed(mixer, 1);
    mixer.setRewind(1);
    mixer.play(Effect::Hit);
    const std::vector<float> wash = mixed(mixer, 1);
    CHECK(loudest(wash) > 0.001F);
    CHECK(loudest(wash) < 0.4F);
    mixer.setRewind(0);
    mixed(mixer, 1);
    CHECK(loudest(mixed(mixer, 0.5)) < 0.001F);
}

TEST_CASE("what was heard last comes back reversed", "[game][host]") {
    // A click at the end of a long silence: backwards it is heard first.
    SoundMixer mixer;
    mixed(mixer, 1);
    mixer.play(Effect::Hit, 1, 1);
    mixed(mixer, 0.3);
    const auto energyOf = [](const std::vector<float>& samples) {
        double sum = 0;
        for (const float sample : samples) sum += static_cast<double>(sample) * sample;
        return sum;
    };
    mixer.setRewind(1);
    const double near = energyOf(mixed(mixer, 0.35));
    const double far = energyOf(mixed(mixer, 0.35));
    CHECK(near > 4 * far);
}

TEST_CASE("a machine without a sound device is silent, and nothing else", "[game][host]") {
    const auto plays = [](SoundDevice& device) {
        device.play(Effect::Jump, 1, 1);
        device.setRewind(2);
        return device.isOpen();
    };
    SoundDevice unwanted(false);
    CHECK_FALSE(plays(unwanted));
    SDL_setenv("SDL_AUDIODRIVER", "a driver that is not there", 1);
    SoundDevice refused(true);
    CHECK_FALSE(plays(refused));
    SDL_setenv("SDL_AUDIODRIVER", "dummy", 1);
    SoundDevice heard(true);
    CHECK(plays(heard));
}
