#include "save/json/json_tree.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace revenant {

namespace {

void newLine(std::string& text, std::size_t tabs) {
    text += '\n';
    text.append(tabs, '\t');
}

}  // namespace

double Json::asNumber() const {
    if (isSigned()) return static_cast<double>(asSigned());
    if (isUnsigned()) return static_cast<double>(asUnsigned());
    return std::get<double>(content_);
}

const Json* Json::find(std::string_view key) const noexcept {
    const auto* object = std::get_if<Object>(&content_);
    if (!object) return nullptr;
    const auto found = std::ranges::find(*object, key, &Object::value_type::first);
    return found == object->end() ? nullptr : &found->second;
}

std::size_t Json::countValues() const noexcept {
    std::size_t count = 1;
    if (isArray())
        for (const Json& each : elements()) count += each.countValues();
    if (isObject())
        for (const auto& [key, value] : members()) count += value.countValues();
    return count;
}

void Json::print(std::string& text, std::size_t tabs) const {
    if (isNull()) {
        text += "null";
    } else if (isBool()) {
        text += asBool() ? "true" : "false";
    } else if (isSigned()) {
        text += std::to_string(asSigned());
    } else if (isUnsigned()) {
        text += std::to_string(asUnsigned());
    } else if (isNumber()) {
        text += nlohmann::json(asNumber()).dump();
    } else if (isText()) {
        printText(text, asText());
    } else if (isArray()) {
        text += '[';
        for (const Json& each : elements()) {
            if (&each != &elements().front()) text += ',';
            newLine(text, tabs + 1);
            each.print(text, tabs + 1);
        }
        if (!elements().empty()) newLine(text, tabs);
        text += ']';
    } else {
        text += '{';
        for (const auto& member : members()) {
            if (&member != &members().front()) text += ',';
            newLine(text, tabs + 1);
            printText(text, member.first);
            text += ": ";
            member.second.print(text, tabs + 1);
        }
        if (!members().empty()) newLine(text, tabs);
        text += '}';
    }
}

void printText(std::string& text, const std::string& value) {
    const bool isPlain = std::ranges::all_of(
        value, [](char each) { return each >= ' ' && each <= '~' && each != '"' && each != '\\'; });
    if (isPlain)
        text.append("\"").append(value).append("\"");
    else
        text += nlohmann::json(value).dump();
}

}  // namespace revenant
