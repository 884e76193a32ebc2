#include "game/host/sound_mixer.hpp"

#include <algorithm>
#include <cmath>

namespace revenant::game {

SoundMixer::SoundMixer() : memory_(memorySamples) {
    for (std::size_t i = 0; i < effectCount; ++i) effects_[i] = synthesise(static_cast<Effect>(i));
}

void SoundMixer::play(Effect effect, double volume, double pitch) {
    if (rewindSpeed_ > 0) return;
    voices_[nextVoice_] = {&effects_.at(static_cast<std::size_t>(effect)), 0,
                           std::clamp(pitch, 0.1, 8.0),
                           static_cast<float>(std::clamp(volume, 0.0, 1.0))};
    nextVoice_ = (nextVoice_ + 1) % mostVoices;
}

void SoundMixer::setRewind(double speed) {
    if (speed > 0 && rewindSpeed_ == 0) {
        reading_ = static_cast<double>(remembered_);
        for (Voice& voice : voices_) voice.samples = nullptr;
    }
    rewindSpeed_ = std::max(speed, 0.0);
}

float SoundMixer::mixVoices() {
    float sum = 0;
    for (Voice& voice : voices_) {
        if (!voice.samples) continue;
        const auto index = static_cast<std::size_t>(voice.at);
        if (index + 1 >= voice.samples->size()) {
            voice.samples = nullptr;
            continue;
        }
        const auto part = static_cast<float>(voice.at - static_cast<double>(index));
        sum += ((*voice.samples)[index] * (1 - part) + (*voice.samples)[index + 1] * part) *
               voice.volume;
        voice.at += voice.pitch;
    }
    return sum;
}

float SoundMixer::mixRewind() {
    reading_ -= std::clamp(rewindSpeed_, 0.5, 2.0);
    if (reading_ < 0) reading_ += memorySamples;
    const float heard = memory_[static_cast<std::size_t>(reading_) % memorySamples];
    past_ += 0.18F * (heard - past_);
    noise_ = noise_ * 1664525U + 1013904223U;
    const float white = static_cast<float>(noise_ >> 8) / 8388608.0F - 1;
    washPhase_ += 0.9F / soundRate;
    if (washPhase_ > 1) washPhase_ -= 1;
    // Swells slowly and ends suddenly, as sounds played backwards do.
    const float swell = 0.35F + 0.65F * washPhase_ * washPhase_;
    wash_ += (0.02F + 0.05F * swell) * (white - wash_);
    return past_ * 0.7F + wash_ * swell * 0.22F;
}

void SoundMixer::mix(std::span<float> samples) {
    for (float& sample : samples) {
        const float wanted = rewindSpeed_ > 0 ? 1.0F : 0.0F;
        rewindVolume_ += 0.0008F * (wanted - rewindVolume_);
        float sum = mixVoices();
        if (rewindSpeed_ == 0) {
            memory_[remembered_] = sum;
            remembered_ = (remembered_ + 1) % memorySamples;
        }
        if (rewindSpeed_ > 0 || rewindVolume_ > 0.001F) sum += mixRewind() * rewindVolume_;
        sample = std::tanh(sum * 0.8F);
    }
}

}  // namespace revenant::game
