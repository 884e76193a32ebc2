#include "game/host/canvas_texture.hpp"

#include <SDL.h>

namespace revenant::game {

SDL_Texture* uploadCanvas(SDL_Renderer* renderer, SDL_Texture* texture, const Canvas& canvas) {
    if (!texture)
        texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING,
                                    canvas.width(), canvas.height());
    if (texture)
        SDL_UpdateTexture(texture, nullptr, canvas.pixels().data(),
                          canvas.width() * static_cast<int>(sizeof(Color)));
    return texture;
}

}  // namespace revenant::game
