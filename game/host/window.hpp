// Window: where the canvas is shown, in pixels that are whole multiples of its own. Owns SDL's window, its
// renderer and the canvas's texture.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "game/host/canvas.hpp"

struct SDL_Window;
struct SDL_Renderer;
struct SDL_Texture;

namespace revenant::game {

// There is no display, or none that a window could be opened on.
class NoDisplay : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Window {
public:
    // Throws NoDisplay.
    explicit Window(const std::string& title);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    SDL_Window* handle() const noexcept { return window_; }
    SDL_Renderer* renderer() const noexcept { return renderer_; }
    // The canvas as a texture; renewed by each call.
    SDL_Texture* upload(const Canvas& canvas);
    // Draws the canvas, as large as it can be in whole multiples, in the middle; not yet seen.
    void drawCanvas(const Canvas& canvas);
    void present();
    void toggleFullscreen();
    // Grows to this size, or as near to it as the display allows.
    void makeRoom(int width, int height);
    // Shrinks to what it was before, unless the user has changed it since.
    void giveRoomBack();
    // Whether presenting waits for the display.
    bool waits() const noexcept { return waits_; }

private:
    SDL_Window* window_ = nullptr;
    SDL_Renderer* renderer_ = nullptr;
    SDL_Texture* texture_ = nullptr;
    bool waits_ = false;

    struct Size {
        int width = 0;
        int height = 0;
        bool operator==(const Size&) const = default;
    };
    Size size() const;
    void resize(Size size);
    Size before_;  // room was made, and
    Size grown_;   // what it was made to; equal: none was made
};

}  // namespace revenant::game
