#include "game/host/sound_effect.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace revenant::game {

namespace {

enum class Wave : std::uint8_t {
    Sine,
    Triangle,
    Soft,
    Noise
};  // Soft: a square with round corners

// One voice of an effect.
struct Tone {
    Wave wave = Wave::Sine;
    double start = 0;   // seconds into the effect
    double length = 0;  // seconds
    double from = 440;  // hertz; of noise: the edge of its low-pass filter
    double to = 440;    // hertz, reached at the end
    double volume = 0.5;
    double attack = 0.004;  // seconds
    double bend = 1;        // > 1: the slide happens early
    double vibrato = 0;     // hertz up and down, six times a second
};

double waveAt(Wave wave, double phase) {
    const double turn = phase - std::floor(phase);
    switch (wave) {
        case Wave::Triangle: return 4 * std::abs(turn - 0.5) - 1;
        case Wave::Soft: return std::tanh(2.5 * std::sin(2 * std::numbers::pi * turn)) * 0.8;
        default: return std::sin(2 * std::numbers::pi * turn);
    }
}

// The same noise each time: an effect is a constant.
class NoiseSource {
public:
    double next() {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<double>(state_ >> 8) / 8388608.0 - 1;
    }

private:
    std::uint32_t state_ = 20111;
};

void addTone(std::vector<float>& samples, const Tone& tone) {
    const auto first = static_cast<std::size_t>(tone.start * soundRate);
    const auto count = static_cast<std::size_t>(tone.length * soundRate);
    samples.resize(std::max(samples.size(), first + count));
    NoiseSource noise;
    double phase = 0;
    double filtered = 0;
    double smoother = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double seconds = static_cast<double>(i) / soundRate;
        const double part = static_cast<double>(i) / static_cast<double>(count);
        const double slide = 1 - std::pow(1 - part, tone.bend);
        const double wobble = tone.vibrato * std::sin(2 * std::numbers::pi * 6 * seconds);
        const double hertz = tone.from * std::pow(tone.to / tone.from, slide) + wobble;
        const double rise = std::min(1.0, seconds / tone.attack);
        const double envelope = rise * std::pow(1 - part, 2);
        double value = 0;
        if (tone.wave == Wave::Noise) {
            const double open = 1 - std::exp(-2 * std::numbers::pi * hertz / soundRate);
            filtered += open * (noise.next() - filtered);
            smoother += open * (filtered - smoother);
            value = smoother * 1.6;
        } else {
            phase += hertz / soundRate;
            value = waveAt(tone.wave, phase);
        }
        samples[first + i] += static_cast<float>(value * envelope * tone.volume);
    }
}

constexpr Tone jump[] = {{Wave::Triangle, 0, 0.16, 260, 560, 0.42, 0.006, 1.6, 0},
                         {Wave::Sine, 0, 0.12, 520, 1120, 0.10, 0.006, 1.6, 0}};
constexpr Tone land[] = {{Wave::Sine, 0, 0.10, 150, 70, 0.50, 0.003, 2, 0},
                         {Wave::Noise, 0, 0.07, 900, 300, 0.35, 0.002, 1, 0}};
constexpr Tone coin[] = {{Wave::Triangle, 0, 0.09, 988, 988, 0.30, 0.003, 1, 0},
                         {Wave::Triangle, 0.07, 0.30, 1319, 1319, 0.32, 0.003, 1, 0},
                         {Wave::Sine, 0.07, 0.30, 2638, 2638, 0.08, 0.003, 1, 0}};
constexpr Tone key[] = {{Wave::Triangle, 0, 0.12, 659, 659, 0.28, 0.004, 1, 0},
                        {Wave::Triangle, 0.09, 0.12, 831, 831, 0.28, 0.004, 1, 0},
                        {Wave::Triangle, 0.18, 0.34, 988, 988, 0.30, 0.004, 1, 5}};
constexpr Tone door[] = {{Wave::Noise, 0, 0.30, 350, 900, 0.55, 0.03, 1, 0},
                         {Wave::Soft, 0, 0.28, 82, 110, 0.22, 0.02, 1, 0},
                         {Wave::Sine, 0.26, 0.16, 196, 147, 0.40, 0.003, 1, 0}};
constexpr Tone hit[] = {{Wave::Soft, 0, 0.16, 330, 90, 0.36, 0.002, 2, 0},
                        {Wave::Noise, 0, 0.09, 3200, 700, 0.45, 0.001, 1, 0}};
constexpr Tone spring[] = {{Wave::Triangle, 0, 0.34, 180, 720, 0.40, 0.004, 2.2, 26},
                           {Wave::Sine, 0, 0.26, 360, 1440, 0.10, 0.004, 2.2, 30}};
constexpr Tone shoot[] = {{Wave::Soft, 0, 0.13, 880, 240, 0.22, 0.002, 2, 0},
                          {Wave::Noise, 0, 0.05, 4200, 1200, 0.25, 0.001, 1, 0}};
constexpr Tone crumble[] = {{Wave::Noise, 0, 0.12, 1300, 400, 0.55, 0.003, 1, 0},
                            {Wave::Noise, 0.09, 0.12, 900, 300, 0.50, 0.003, 1, 0},
                            {Wave::Noise, 0.19, 0.20, 700, 150, 0.50, 0.003, 1, 0}};
constexpr Tone checkpoint[] = {{Wave::Triangle, 0, 0.20, 523, 523, 0.24, 0.008, 1, 0},
                               {Wave::Triangle, 0.10, 0.22, 659, 659, 0.24, 0.008, 1, 0},
                               {Wave::Triangle, 0.20, 0.50, 784, 784, 0.26, 0.008, 1, 3},
                               {Wave::Sine, 0.20, 0.50, 1568, 1568, 0.07, 0.008, 1, 3}};
constexpr Tone exit[] = {{Wave::Triangle, 0, 0.25, 523, 523, 0.22, 0.006, 1, 0},
                         {Wave::Triangle, 0.12, 0.25, 659, 659, 0.22, 0.006, 1, 0},
                         {Wave::Triangle, 0.24, 0.25, 784, 784, 0.22, 0.006, 1, 0},
                         {Wave::Triangle, 0.36, 0.75, 1047, 1047, 0.26, 0.006, 1, 4},
                         {Wave::Sine, 0.36, 0.75, 1568, 1568, 0.09, 0.006, 1, 4}};
constexpr Tone death[] = {{Wave::Triangle, 0, 0.55, 392, 98, 0.40, 0.006, 1.2, 9},
                          {Wave::Sine, 0.05, 0.60, 196, 49, 0.30, 0.02, 1.2, 0},
                          {Wave::Noise, 0, 0.18, 1200, 300, 0.30, 0.002, 1, 0}};

std::span<const Tone> tonesOf(Effect effect) {
    switch (effect) {
        case Effect::Jump: return jump;
        case Effect::Land: return land;
        case Effect::Coin: return coin;
        case Effect::Key: return key;
        case Effect::Door: return door;
        case Effect::Hit: return hit;
        case Effect::Spring: return spring;
        case Effect::Shoot: return shoot;
        case Effect::Crumble: return crumble;
        case Effect::Checkpoint: return checkpoint;
        case Effect::Exit: return exit;
        case Effect::Death: return death;
    }
    return {};
}

}  // namespace

std::vector<float> synthesise(Effect effect) {
    std::vector<float> samples;
    for (const Tone& tone : tonesOf(effect)) addTone(samples, tone);
    for (float& sample : samples) sample = std::clamp(sample, -1.0F, 1.0F);
    return samples;
}

}  // namespace revenant::game
