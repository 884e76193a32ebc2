// ImGuiRenderer: draws what Dear ImGui has prepared with one of SDL's renderers, software ones included.
// (Debian's libimgui brings no such backend.)
#pragma once

struct ImDrawData;
struct SDL_Renderer;
struct SDL_Texture;

namespace revenant::game {

class ImGuiRenderer {
public:
    // Uploads the fonts. REQUIRES: an ImGui context, with its fonts added; the renderer outlives
    // this. Throws an Error where there is no room for the fonts.
    explicit ImGuiRenderer(SDL_Renderer* renderer);
    ImGuiRenderer(const ImGuiRenderer&) = delete;
    ImGuiRenderer& operator=(const ImGuiRenderer&) = delete;
    ~ImGuiRenderer();

    // An ImTextureID is an SDL_Texture*.
    void draw(const ImDrawData& data);

private:
    SDL_Renderer* renderer_;
    SDL_Texture* fonts_ = nullptr;
};

}  // namespace revenant::game
