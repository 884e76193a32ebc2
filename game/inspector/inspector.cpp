#include "game/inspector/inspector.hpp"

#include <SDL.h>
#include <backends/imgui_impl_sdl.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>

#include "game/inspector/component_panel.hpp"
#include "game/inspector/difference_panel.hpp"
#include "game/inspector/entity_panel.hpp"
#include "game/inspector/history_panel.hpp"
#include "game/inspector/imgui_renderer.hpp"
#include "game/inspector/inspection.hpp"
#include "game/inspector/map_panel.hpp"
#include "game/inspector/sync_panel.hpp"
#include "game/inspector/systems_panel.hpp"
#include "game/inspector/timeline_panel.hpp"
#include "game/inspector/views_panel.hpp"

namespace revenant::game {

namespace {

constexpr std::array<const char*, 5> panelNames = {"systems", "views", "history", "difference",
                                                   "sync"};

struct Area {
    float x, y, width, height;
};

// The panels' places: the picture gets what it needs at a whole scale, the others the rest.
struct Layout {
    Area entities, picture, components, timeline, tabs;

    explicit Layout(const ImVec2& size) {
        const float side = std::clamp(size.x * 0.19F, 230.0F, 330.0F);
        const float below = std::clamp(size.y * 0.34F, 200.0F, 330.0F);
        const float above = size.y - below;
        const float middle = size.x - 2 * side;
        entities = {0, 0, side, above};
        picture = {side, 0, middle, above};
        components = {side + middle, 0, side, above};
        const float tabWidth = std::clamp(size.x * 0.42F, 420.0F, 700.0F);
        timeline = {0, above, size.x - tabWidth, below};
        tabs = {size.x - tabWidth, above, tabWidth, below};
    }
};

template <class Draw>
void window(const char* title, const Area& area, Draw draw) {
    ImGui::SetNextWindowPos({area.x, area.y});
    ImGui::SetNextWindowSize({area.width, area.height});
    constexpr ImGuiWindowFlags flags =
        ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings;
    if (ImGui::Begin(title, nullptr, flags)) draw();
    ImGui::End();
}

// The backend asks the display where the pointer is, and X11 may not tell while a button is held: a drag
// would stand still. The window's own events always do.
void followMouse() {
    int x = 0;
    int y = 0;
    SDL_GetMouseState(&x, &y);
    ImVec2& shown = ImGui::GetIO().MousePos;
    if (ImGui::IsMousePosValid(&shown)) shown = {static_cast<float>(x), static_cast<float>(y)};
}

}  // namespace

struct Inspector::Panels {
    Panels(World& world, const InspectorOptions& options)
        : hasWindow(options.window != nullptr),
          renderer(options.renderer),
          wantedTab(options.panel),
          inspection(world) {
        inspection.hasGame = options.hasGame;
        inspection.isPaused = !options.hasGame;
    }

    void drawPicture(SDL_Texture* picture) {
        if (!picture) {
            map.draw(inspection);
            return;
        }
        int width = 0;
        int height = 0;
        SDL_QueryTexture(picture, nullptr, nullptr, &width, &height);
        const ImVec2 room = ImGui::GetContentRegionAvail();
        const float fits =
            std::min(room.x / static_cast<float>(width), room.y / static_cast<float>(height));
        const float scale = fits >= 1 ? std::floor(fits) : fits;
        const ImVec2 size = {static_cast<float>(width) * scale, static_cast<float>(height) * scale};
        const ImVec2 at = ImGui::GetCursorPos();
        ImGui::SetCursorPos(
            {std::floor(at.x + (room.x - size.x) / 2), std::floor(at.y + (room.y - size.y) / 2)});
        ImGui::Image(picture, size);
    }

    void drawTabs() {
        if (!ImGui::BeginTabBar("tabs")) return;
        const auto tab = [&](const char* name, const char* title, auto& panel) {
            const ImGuiTabItemFlags flags =
                wantedTab == name ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None;
            if (!ImGui::BeginTabItem(title, nullptr, flags)) return;
            panel.draw(inspection);
            ImGui::EndTabItem();
        };
        tab(panelNames[0], "Systems", systems);
        tab(panelNames[1], "Views", views);
        tab(panelNames[2], "History", history);
        tab(panelNames[3], "Difference", difference);
        tab(panelNames[4], "Sync test", sync);
        wantedTab.clear();
        ImGui::EndTabBar();
    }

    void drawMessage(const ImVec2& size) const {
        if (inspection.message.empty()) return;
        ImGui::SetNextWindowPos({size.x / 2, 34}, ImGuiCond_Always, {0.5F, 0});
        ImGui::SetNextWindowSize({std::min(640.0F, size.x - 40), 0});
        constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration |
                                           ImGuiWindowFlags_NoInputs |
                                           ImGuiWindowFlags_NoSavedSettings;
        if (ImGui::Begin("message", nullptr, flags)) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextColored(vectorOf(theme::bad), "%s", inspection.message.c_str());
            ImGui::PopTextWrapPos();
        }
        ImGui::End();
    }

    void selectSomebody() {
        if (inspection.selected != EntityId{}) return;
        const Entity main = inspection.world.getMainCharacter();
        if (main.isValid()) inspection.select(main.getId());
    }

    void draw(SDL_Texture* picture) {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        const Layout layout(size);
        selectSomebody();
        window("Entities", layout.entities, [&] { entities.draw(inspection); });
        window(picture ? "Game" : "Map", layout.picture, [&] { drawPicture(picture); });
        window("Components", layout.components, [&] { components.draw(inspection); });
        window("Timeline", layout.timeline, [&] { timeline.draw(inspection); });
        window("Instruments", layout.tabs, [&] { drawTabs(); });
        drawMessage(size);
    }

    bool hasWindow;
    SDL_Renderer* renderer;
    std::string wantedTab;
    Inspection inspection;
    std::optional<ImGuiRenderer> backend;
    EntityPanel entities;
    ComponentPanel components;
    TimelinePanel timeline;
    DifferencePanel difference;
    SyncPanel sync;
    ViewsPanel views;
    SystemsPanel systems;
    HistoryPanel history;
    MapPanel map;
};

bool isPanelName(const std::string& name) {
    return std::ranges::find(panelNames, name) != panelNames.end();
}

Inspector::Inspector(World& world, const InspectorOptions& options)
    : panels_(std::make_unique<Panels>(world, options)) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    panels_->inspection.signs = applyTheme();
    if (options.window) ImGui_ImplSDL2_InitForSDLRenderer(options.window);
    panels_->backend.emplace(options.renderer);
}

Inspector::~Inspector() {
    panels_->backend.reset();
    if (panels_->hasWindow) ImGui_ImplSDL2_Shutdown();
    ImGui::DestroyContext();
}

bool Inspector::handle(const SDL_Event& event) {
    ImGui_ImplSDL2_ProcessEvent(&event);
    const bool isKey = event.type == SDL_KEYDOWN || event.type == SDL_KEYUP;
    return isKey && ImGui::GetIO().WantTextInput;
}

void Inspector::sample() {
    panels_->inspection.times.sample(panels_->inspection.world);
}

void Inspector::draw(TimeRewindSys* history, SDL_Texture* picture) {
    panels_->inspection.history = history;
    if (panels_->hasWindow) {
        ImGui_ImplSDL2_NewFrame();
        followMouse();
    } else {
        int width = 0;
        int height = 0;
        SDL_GetRendererOutputSize(panels_->renderer, &width, &height);
        ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
        ImGui::GetIO().DeltaTime = 1.0F / 60;
    }
    ImGui::NewFrame();
    panels_->draw(picture);
    ImGui::Render();
    SDL_SetRenderDrawColor(panels_->renderer, 20, 17, 30, 255);
    SDL_RenderClear(panels_->renderer);
    panels_->backend->draw(*ImGui::GetDrawData());
}

EntityId Inspector::selected() const noexcept {
    return panels_->inspection.selected;
}

bool Inspector::isPaused() const noexcept {
    return panels_->inspection.isPaused;
}

void Inspector::setPaused(bool isPaused) noexcept {
    panels_->inspection.isPaused = isPaused;
}

bool Inspector::takeStep() noexcept {
    if (panels_->inspection.stepsWanted == 0) return false;
    --panels_->inspection.stepsWanted;
    return true;
}

void Inspector::compare(TimeRewindSys* history, std::int64_t first, std::int64_t second) {
    panels_->inspection.history = history;
    panels_->inspection.frameA = first;
    panels_->inspection.frameB = second;
    panels_->difference.compare(panels_->inspection);
}

}  // namespace revenant::game
