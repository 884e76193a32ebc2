#include "game/host/sound_device.hpp"

#include <SDL.h>

namespace revenant::game {

namespace {

void fill(void* mixer, Uint8* bytes, int count) {
    static_cast<SoundMixer*>(mixer)->mix(
        {reinterpret_cast<float*>(bytes), static_cast<std::size_t>(count) / sizeof(float)});
}

}  // namespace

SoundDevice::SoundDevice(bool isWanted) {
    if (!isWanted || SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) return;
    mixer_ = std::make_unique<SoundMixer>();
    SDL_AudioSpec wanted{};
    wanted.freq = soundRate;
    wanted.format = AUDIO_F32SYS;
    wanted.channels = 1;
    wanted.samples = 1024;
    wanted.callback = &fill;
    wanted.userdata = mixer_.get();
    device_ = SDL_OpenAudioDevice(nullptr, 0, &wanted, nullptr, 0);
    if (device_ != 0)
        SDL_PauseAudioDevice(device_, 0);
    else
        SDL_QuitSubSystem(SDL_INIT_AUDIO);
}

SoundDevice::~SoundDevice() {
    if (device_ == 0) return;
    SDL_CloseAudioDevice(device_);
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
}

void SoundDevice::play(Effect effect, double volume, double pitch) {
    if (!isOpen()) return;
    SDL_LockAudioDevice(device_);
    mixer_->play(effect, volume, pitch);
    SDL_UnlockAudioDevice(device_);
}

void SoundDevice::setRewind(double speed) {
    if (!isOpen()) return;
    SDL_LockAudioDevice(device_);
    mixer_->setRewind(speed);
    SDL_UnlockAudioDevice(device_);
}

}  // namespace revenant::game
