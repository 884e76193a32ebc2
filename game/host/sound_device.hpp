// SoundDevice: lets a mixer be heard through SDL. Where there is no device, nothing is heard, and nothing
// else is different.
#pragma once

#include <cstdint>
#include <memory>

#include "game/host/sound_mixer.hpp"

namespace revenant::game {

class SoundDevice {
public:
    explicit SoundDevice(bool isWanted);
    SoundDevice(const SoundDevice&) = delete;
    SoundDevice& operator=(const SoundDevice&) = delete;
    ~SoundDevice();

    bool isOpen() const noexcept { return device_ != 0; }
    // As the mixer's; the device does not call it meanwhile.
    void play(Effect effect, double volume, double pitch);
    void setRewind(double speed);

private:
    std::unique_ptr<SoundMixer> mixer_;  // none where nothing is heard
    std::uint32_t device_ = 0;
};

}  // namespace revenant::game
