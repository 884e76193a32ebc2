#include "game/inspector/imgui_renderer.hpp"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>

#include "world/error.hpp"

namespace revenant::game {

ImGuiRenderer::ImGuiRenderer(SDL_Renderer* renderer) : renderer_(renderer) {
    ImGuiIO& io = ImGui::GetIO();
    io.BackendRendererName = "revenant";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    fonts_ = SDL_CreateTexture(renderer_, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STATIC, width,
                               height);
    if (!fonts_) fail(ErrorCode::LimitReached, "cannot upload the fonts: ", SDL_GetError());
    SDL_UpdateTexture(fonts_, nullptr, pixels, 4 * width);
    SDL_SetTextureBlendMode(fonts_, SDL_BLENDMODE_BLEND);
    SDL_SetTextureScaleMode(fonts_, SDL_ScaleModeLinear);
    io.Fonts->SetTexID(fonts_);
}

ImGuiRenderer::~ImGuiRenderer() {
    ImGui::GetIO().Fonts->SetTexID(nullptr);
    SDL_DestroyTexture(fonts_);
}

void ImGuiRenderer::draw(const ImDrawData& data) {
    const auto drawCommand = [&](const ImDrawList& list, const ImDrawCmd& command) {
        const SDL_Rect clip = {static_cast<int>(std::max(command.ClipRect.x, 0.0F)),
                               static_cast<int>(std::max(command.ClipRect.y, 0.0F)),
                               static_cast<int>(command.ClipRect.z - command.ClipRect.x),
                               static_cast<int>(command.ClipRect.w - command.ClipRect.y)};
        if (clip.w <= 0 || clip.h <= 0) return;
        SDL_RenderSetClipRect(renderer_, &clip);
        const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
        const auto* bytes = reinterpret_cast<const std::byte*>(vertices);
        const auto at = [bytes](std::size_t offset) { return bytes + offset; };
        SDL_RenderGeometryRaw(
            renderer_, static_cast<SDL_Texture*>(command.GetTexID()),
            reinterpret_cast<const float*>(at(offsetof(ImDrawVert, pos))), sizeof(ImDrawVert),
            reinterpret_cast<const SDL_Color*>(at(offsetof(ImDrawVert, col))), sizeof(ImDrawVert),
            reinterpret_cast<const float*>(at(offsetof(ImDrawVert, uv))), sizeof(ImDrawVert),
            list.VtxBuffer.Size - static_cast<int>(command.VtxOffset),
            list.IdxBuffer.Data + command.IdxOffset, static_cast<int>(command.ElemCount),
            sizeof(ImDrawIdx));
    };
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& list = *data.CmdLists[i];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            if (command.UserCallback)
                command.UserCallback(&list, &command);
            else
                drawCommand(list, command);
        }
    }
    SDL_RenderSetClipRect(renderer_, nullptr);
}

}  // namespace revenant::game
