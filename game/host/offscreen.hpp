// Offscreen: something that SDL can draw to without a display: for pictures of the inspector.
#pragma once

#include <span>
#include <string>

#include "game/host/canvas.hpp"

struct SDL_Renderer;
struct SDL_Surface;
struct SDL_Texture;

namespace revenant::game {

class Offscreen {
public:
    // Throws an Error where there is no memory for it.
    Offscreen(int width, int height);
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;
    ~Offscreen();

    SDL_Renderer* renderer() const noexcept { return renderer_; }
    SDL_Texture* upload(const Canvas& canvas);
    // What was drawn, as a PNG file. Throws an Error.
    void save(const std::string& path) const;

private:
    SDL_Surface* surface_ = nullptr;
    SDL_Renderer* renderer_ = nullptr;
    SDL_Texture* texture_ = nullptr;
};

}  // namespace revenant::game
