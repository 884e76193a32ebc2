// SoundMixer: the effects that sound now, mixed; and, while time runs backwards, what was heard before,
// reversed and soft, under a wash of noise. Knows no device: the caller takes samples, one thread
// at a time.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "game/host/sound_effect.hpp"

namespace revenant::game {

class SoundMixer {
public:
    SoundMixer();

    // volume: 0 to 1; pitch: 1 as it is, 2 an octave up. The oldest voice makes room.
    void play(Effect effect, double volume = 1, double pitch = 1);
    // 0: play; else effects are silent, and the past is heard at this speed.
    void setRewind(double speed);
    double rewindSpeed() const noexcept { return rewindSpeed_; }
    // Fills the span with the next samples, mono.
    void mix(std::span<float> samples);

private:
    static constexpr std::size_t mostVoices = 16;
    static constexpr std::size_t memorySamples = std::size_t{1} << 19;  // some twelve seconds

    struct Voice {
        const std::vector<float>* samples = nullptr;  // null: free
        double at = 0;
        double pitch = 1;
        float volume = 0;
    };

    float mixVoices();
    float mixRewind();

    std::array<std::vector<float>, effectCount> effects_;
    std::array<Voice, mostVoices> voices_;
    std::size_t nextVoice_ = 0;
    std::vector<float> memory_;   // a ring: what was heard while time ran forward
    std::size_t remembered_ = 0;  // where the next sample goes
    double reading_ = 0;          // where the reversed one is read
    double rewindSpeed_ = 0;
    float rewindVolume_ = 0;  // glides, so that nothing clicks
    float past_ = 0;          // low-passed
    float wash_ = 0;
    float washPhase_ = 0;
    std::uint32_t noise_ = 1;
};

}  // namespace revenant::game
