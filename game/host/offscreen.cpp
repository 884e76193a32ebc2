#include "game/host/offscreen.hpp"

#include <SDL.h>

#include <vector>

#include "game/host/canvas_texture.hpp"
#include "game/host/png_file.hpp"
#include "world/error.hpp"

namespace revenant::game {

Offscreen::Offscreen(int width, int height) {
    surface_ = SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_RGBA32);
    if (surface_) renderer_ = SDL_CreateSoftwareRenderer(surface_);
    if (renderer_) return;
    SDL_FreeSurface(surface_);
    fail(ErrorCode::LimitReached, "cannot draw without a display: ", SDL_GetError());
}

Offscreen::~Offscreen() {
    if (texture_) SDL_DestroyTexture(texture_);
    SDL_DestroyRenderer(renderer_);
    SDL_FreeSurface(surface_);
}

SDL_Texture* Offscreen::upload(const Canvas& canvas) {
    texture_ = uploadCanvas(renderer_, texture_, canvas);
    return texture_;
}

void Offscreen::save(const std::string& path) const {
    std::vector<Color> pixels(static_cast<std::size_t>(surface_->w) *
                              static_cast<std::size_t>(surface_->h));
    SDL_RenderReadPixels(renderer_, nullptr, SDL_PIXELFORMAT_RGBA32, pixels.data(),
                         surface_->w * static_cast<int>(sizeof(Color)));
    for (Color& pixel : pixels) pixel.a = 255;
    writePng(path, surface_->w, surface_->h, pixels);
}

}  // namespace revenant::game
