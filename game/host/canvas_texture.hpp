// The canvas as a texture of one of SDL's renderers.
#pragma once

#include "game/host/canvas.hpp"

struct SDL_Renderer;
struct SDL_Texture;

namespace revenant::game {

// Puts the canvas's pixels into the texture, which is made where there is none yet. Returns it; null
// where it cannot be made.
SDL_Texture* uploadCanvas(SDL_Renderer* renderer, SDL_Texture* texture, const Canvas& canvas);

}  // namespace revenant::game
