// Inspector: the window into time: panels around the game's picture, by Dear ImGui. Works on any world; with
// a window, and with a renderer that has none, for pictures.
#pragma once

#include <memory>
#include <string>

#include "world/entity_id.hpp"

union SDL_Event;
struct SDL_Renderer;
struct SDL_Texture;
struct SDL_Window;

namespace revenant {
class TimeRewindSys;
class World;
}  // namespace revenant

namespace revenant::game {

struct InspectorOptions {
    SDL_Renderer* renderer = nullptr;
    SDL_Window* window = nullptr;  // null: none, only pictures are taken
    bool hasGame = true;           // false: a recorded history is looked at
    std::string panel;             // the tab to begin with; empty: the first
};

class Inspector {
public:
    // REQUIRES: world and renderer outlive it. Only one at a time.
    Inspector(World& world, const InspectorOptions& options);
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;
    ~Inspector();

    // Returns whether the event was meant for the inspector: it was typed into one of its fields.
    bool handle(const SDL_Event& event);
    // To be called after each step of the game.
    void sample();
    // Draws everything, with the game's picture in the middle; null: a map of the world instead.
    void draw(TimeRewindSys* history, SDL_Texture* picture);

    // The selected entity, or none.
    EntityId selected() const noexcept;
    bool isPaused() const noexcept;
    void setPaused(bool isPaused) noexcept;
    // Whether to play one step although paused; resets the request.
    bool takeStep() noexcept;
    // Compares two frames and shows the difference.
    void compare(TimeRewindSys* history, std::int64_t first, std::int64_t second);

private:
    struct Panels;

    std::unique_ptr<Panels> panels_;
};

// The tabs there are, for InspectorOptions::panel.
bool isPanelName(const std::string& name);

}  // namespace revenant::game
