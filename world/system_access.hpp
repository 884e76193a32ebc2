// SystemAccess: what a system reads and writes, so that systems which do not disturb each other can tick at the
// same time (docs/threads.md). Views tell theirs (View::access, System::view); the rest is named by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace revenant {

// A view that a system loops over. The world makes it ready before the threads start. Made by views/.
struct HeldView {
    std::shared_ptr<const void> view;
    void (*prepare)(const void* view) = nullptr;
};

// Names of components, or of anything else that systems share, such as a physics world: what has the same name is the
// same thing. Two systems may read one thing at the same time; a system that writes it has it to itself.
struct SystemAccess {
    std::vector<std::string> reads = {};
    std::vector<std::string> writes = {};
    std::vector<HeldView> views = {};

    SystemAccess& operator+=(const SystemAccess& other);
};

SystemAccess operator+(SystemAccess one, const SystemAccess& other);

}  // namespace revenant
