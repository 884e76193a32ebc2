#include "game/inspector/history_panel.hpp"

#include <imgui_stdlib.h>

#include <algorithm>

namespace revenant::game {

namespace {

void bar(const char* what, double part, const std::string& text) {
    ImGui::TextDisabled("%s", what);
    ImGui::SameLine(90);
    ImGui::ProgressBar(static_cast<float>(std::clamp(part, 0.0, 1.0)), {-1, 18}, text.c_str());
}

}  // namespace

void HistoryPanel::drawBudget(Inspection& inspection) {
    TimeRewindSys& history = *inspection.history;
    RewindOptions budget = history.getBudget();
    const std::size_t bytes = history.getMemory();
    bar("bytes", static_cast<double>(bytes) / static_cast<double>(budget.bytes),
        sentence(bytesText(bytes), " of ", bytesText(budget.bytes)));
    const auto frames = *history.getNewestFrame() - *history.getOldestFrame() + 1;
    const double seconds = static_cast<double>(frames) / 60;
    char text[64];
    std::snprintf(text, sizeof text, "about %.0f of %.0f seconds, %lld frames", seconds,
                  budget.seconds, static_cast<long long>(frames));
    bar("time", seconds / budget.seconds, text);
    if (!inspection.hasGame) return;
    auto megabytes = static_cast<int>(budget.bytes >> 20);
    auto wanted = static_cast<int>(budget.seconds);
    bool isChanged = false;
    ImGui::TextDisabled("budget");
    ImGui::SameLine(90);
    ImGui::SetNextItemWidth(130);
    isChanged |= ImGui::DragInt("MiB", &megabytes, 1, 1, 4096, "%d", ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(130);
    isChanged |= ImGui::DragInt("seconds", &wanted, 1, 1, 7200, "%d", ImGuiSliderFlags_AlwaysClamp);
    if (!isChanged) return;
    budget.bytes = static_cast<std::size_t>(megabytes) << 20;
    budget.seconds = wanted;
    inspection.attempt([&] { history.setBudget(budget); });
}

void HistoryPanel::drawPacking(const TimeRewindSys& history) {
    std::size_t packed = 0;
    std::size_t lookedAt = 0;
    std::size_t packedBytes = 0;
    std::int64_t packedFrames = 0;
    std::size_t openBytes = 0;
    std::int64_t openFrames = 0;
    const auto blocks = history.getBlocks();
    for (const BlockInfo& block : blocks) {
        const auto frames = static_cast<std::int64_t>(block.frames);
        (block.isPacked ? packedBytes : openBytes) += block.bytes;
        (block.isPacked ? packedFrames : openFrames) += frames;
        packed += block.isPacked ? 1 : 0;
        lookedAt += block.isPacked && block.isUnpacked ? 1 : 0;
    }
    const auto perFrame = [](std::size_t bytes, std::int64_t frames) {
        return frames == 0 ? std::size_t{0} : bytes / static_cast<std::size_t>(frames);
    };
    ImGui::TextDisabled("packed");
    ImGui::SameLine(90);
    ImGui::Text("%zu of %zu blocks, %s", packed, blocks.size(), bytesText(packedBytes).c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s per frame, %zu unpacked to be looked at",
                        bytesText(perFrame(packedBytes, packedFrames)).c_str(), lookedAt);
    ImGui::TextDisabled("not yet");
    ImGui::SameLine(90);
    ImGui::Text("%lld frames, %s", static_cast<long long>(openFrames),
                bytesText(openBytes).c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s per frame", bytesText(perFrame(openBytes, openFrames)).c_str());
    const HistoryStatistics statistics = history.getStatistics();
    ImGui::TextDisabled("behind");
    ImGui::SameLine(90);
    ImGui::Text("%zu frames wait, %s", statistics.waiting,
                bytesText(statistics.waitingBytes).c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%zu thinned out, %llu dropped", statistics.thinned,
                        static_cast<unsigned long long>(statistics.dropped));
}

void HistoryPanel::drawWorld(const World& world) {
    const WorldStats stats = world.getStats();
    ImGui::TextDisabled("world");
    ImGui::SameLine(90);
    ImGui::Text("%u managed, %u zombies, %u detached", stats.managed, stats.zombies,
                stats.detached);
    ImGui::TextDisabled("memory");
    ImGui::SameLine(90);
    ImGui::Text("%s of entities, %s of components", bytesText(stats.entityBytes).c_str(),
                bytesText(stats.componentBytes).c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s live", bytesText(stats.liveComponentBytes).c_str());
}

void HistoryPanel::drawSaving(Inspection& inspection) {
    ImGui::TextDisabled("file");
    ImGui::SameLine(90);
    ImGui::SetNextItemWidth(220);
    ImGui::InputText("##path", &path_);
    ImGui::SameLine();
    if (ImGui::Button("Save"))
        inspection.attempt([&] {
            inspection.history->saveHistory(path_);
            saved_ = "saved; --history opens it";
        });
    ImGui::SameLine();
    ImGui::TextDisabled("%s", saved_.c_str());
}

void HistoryPanel::draw(Inspection& inspection) {
    if (!inspection.history || !inspection.history->getFrame()) {
        ImGui::TextDisabled("There is no history yet.");
        drawWorld(inspection.world);
        return;
    }
    drawBudget(inspection);
    drawPacking(*inspection.history);
    drawWorld(inspection.world);
    if (inspection.hasGame) drawSaving(inspection);
}

}  // namespace revenant::game
