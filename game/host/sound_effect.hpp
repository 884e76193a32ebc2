// SoundEffect: the game's sounds, worked out once from a few numbers each: oscillators that slide, soft
// envelopes, a little noise. No files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace revenant::game {

inline constexpr int soundRate = 44100;  // samples per second

enum class Effect : std::uint8_t {
    Jump,
    Land,
    Coin,
    Key,
    Door,
    Hit,
    Spring,
    Shoot,
    Crumble,
    Checkpoint,
    Exit,
    Death,
};
inline constexpr std::size_t effectCount = 12;
// As scripts say it.
inline constexpr std::array<std::string_view, effectCount> effectNames = {
    "jump",   "land",  "coin",    "key",        "door", "hit",
    "spring", "shoot", "crumble", "checkpoint", "exit", "death"};

constexpr std::optional<Effect> effectOf(std::string_view name) noexcept {
    for (std::size_t i = 0; i < effectCount; ++i)
        if (effectNames[i] == name) return static_cast<Effect>(i);
    return std::nullopt;
}

// Samples in [-1, 1], mono; begins and ends in silence.
std::vector<float> synthesise(Effect effect);

}  // namespace revenant::game
