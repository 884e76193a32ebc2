#include "game/host/window.hpp"

#include <SDL.h>

#include <algorithm>

#include "game/host/canvas_texture.hpp"
#include "game/host/game_run.hpp"

namespace revenant::game {

namespace {

// The factor by which the canvas is enlarged at first: the largest that leaves some of the display free.
int firstScale() {
    SDL_Rect display{};
    if (SDL_GetDisplayUsableBounds(0, &display) != 0) return 2;
    const int fits = std::min(display.w / canvasWidth, display.h / canvasHeight);
    return std::clamp(fits - (fits > 3 ? 1 : 0), 1, 4);
}

}  // namespace

Window::Window(const std::string& title) {
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) throw NoDisplay(SDL_GetError());
    // SDL may fall back to drivers that show nothing; accept one only where it was asked for by name.
    const std::string driver = SDL_GetCurrentVideoDriver();
    if ((driver == "offscreen" || driver == "dummy") && !SDL_getenv("SDL_VIDEODRIVER")) {
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
        throw NoDisplay("neither X11 nor Wayland answers");
    }
    const int scale = firstScale();
    window_ = SDL_CreateWindow(title.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                               canvasWidth * scale, canvasHeight * scale,
                               SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (window_) {
        SDL_SetWindowMinimumSize(window_, canvasWidth, canvasHeight);
        renderer_ = SDL_CreateRenderer(window_, -1, SDL_RENDERER_PRESENTVSYNC);
        if (!renderer_) renderer_ = SDL_CreateRenderer(window_, -1, SDL_RENDERER_SOFTWARE);
    }
    if (!renderer_) {
        const std::string why = SDL_GetError();
        if (window_) SDL_DestroyWindow(window_);
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
        throw NoDisplay(why);
    }
    SDL_RendererInfo info{};
    waits_ =
        SDL_GetRendererInfo(renderer_, &info) == 0 && (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
}

Window::~Window() {
    if (texture_) SDL_DestroyTexture(texture_);
    SDL_DestroyRenderer(renderer_);
    SDL_DestroyWindow(window_);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

SDL_Texture* Window::upload(const Canvas& canvas) {
    texture_ = uploadCanvas(renderer_, texture_, canvas);
    return texture_;
}

void Window::drawCanvas(const Canvas& canvas) {
    SDL_Texture* texture = upload(canvas);
    int width = 0;
    int height = 0;
    SDL_GetRendererOutputSize(renderer_, &width, &height);
    const int scale = std::max(1, std::min(width / canvas.width(), height / canvas.height()));
    const SDL_Rect target = {(width - canvas.width() * scale) / 2,
                             (height - canvas.height() * scale) / 2, canvas.width() * scale,
                             canvas.height() * scale};
    SDL_SetRenderDrawColor(renderer_, 10, 8, 16, 255);
    SDL_RenderClear(renderer_);
    if (texture) SDL_RenderCopy(renderer_, texture, nullptr, &target);
}

void Window::present() {
    SDL_RenderPresent(renderer_);
}

void Window::makeRoom(int width, int height) {
    SDL_Rect display{};
    if (SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(window_), &display) == 0) {
        width = std::min(width, display.w);
        height = std::min(height, display.h);
    }
    const Size now = size();
    if (now.width >= width && now.height >= height) return;
    before_ = now;
    grown_ = {std::max(width, now.width), std::max(height, now.height)};
    resize(grown_);
}

void Window::giveRoomBack() {
    if (before_ != grown_ && size() == grown_) resize(before_);
    before_ = grown_;
}

Window::Size Window::size() const {
    Size now;
    SDL_GetWindowSize(window_, &now.width, &now.height);
    return now;
}

void Window::resize(Size size) {
    SDL_SetWindowSize(window_, size.width, size.height);
    SDL_SetWindowPosition(window_, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
}

void Window::toggleFullscreen() {
    const bool isFull = (SDL_GetWindowFlags(window_) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    SDL_SetWindowFullscreen(window_, isFull ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

}  // namespace revenant::game
