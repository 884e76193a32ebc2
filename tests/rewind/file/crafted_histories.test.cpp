// Files that were made up with care: all checksums and sizes are right, one field is not.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/fuzz/history_tree.hpp"
#include "tests/rewind/recorded_flight.hpp"

using namespace revenant;
using namespace revenant::fuzz;
using Catch::Matchers::ContainsSubstring;

namespace {

// A parent with a child, both zombies by now; and one that is in, labelled, and was disabled.
Tree family() {
    Flight flight;
    flight.define();
    Entity parent = flight.world.newEntity("parent");
    Entity child = flight.world.newEntity("child");
    Entity other = flight.world.newEntity("other");
    child.addComponent<Hull>();
    other.addComponent<Gauge>();
    parent.addChild(child);
    flight.world.addEntity(parent);
    flight.world.addEntity(other);
    flight.world.setResource("score", Value(std::int64_t{1}), {.rewind = true});
    flight.ticks(2);
    other.setField("GaugeCMP", "label", "mine");
    other.setEnabled(false);
    flight.world.removeEntity(parent);
    flight.world.setResource("score", Value(std::int64_t{2}), {.rewind = true});
    flight.ticks(2);
    return treeOf(writeHistory(flight.rewind->takeHistory()));
}

Node* find(Node& node, std::string_view name, int& skip) {
    if (node.name == name && skip-- == 0) return &node;
    for (Node& child : node.children)
        if (Node* found = find(child, name, skip)) return found;
    return nullptr;
}

// The node of that name in a section, after so many others.
Node& nodeOf(Tree& tree, SectionKind kind, std::string_view name, int skip = 0) {
    for (fuzz::Section& section : tree.sections)
        if (section.kind == kind)
            if (Node* found = find(section.content, name, skip)) return *found;
    FAIL("no node is named " << name);
    throw std::logic_error("no such node");
}

void checkRefused(Tree& tree, const char* why) {
    const Bytes bytes = bytesOf(tree);
    CHECK_THROWS_WITH(parseHistory(bytes), ContainsSubstring(why));
    CHECK_THROWS_AS(parseHistory(bytes), Error);
}

}  // namespace

TEST_CASE("a crafted history is refused with what is wrong in which frame", "[rewind][file]") {
    Tree tree = family();
    REQUIRE_NOTHROW(parseHistory(bytesOf(tree)));
    for (fuzz::Section& section : tree.sections) section.packed.clear();
    SECTION("a parent without a generation") {
        nodeOf(tree, SectionKind::Block, "step").children[1].children[0].value = 1;
        nodeOf(tree, SectionKind::Block, "step").children[1].children[1].value = 0;
        checkRefused(tree, "an entity's id has no generation");
    }
    SECTION("a child in another state than the zombie it hangs on") {
        nodeOf(tree, SectionKind::Entities, "where", 2).value = 2;
        checkRefused(tree,
                     "frame 4 is damaged: an entity outside the world has a parent in another");
    }
    SECTION("a component whose size does not go with its alignment") {
        Node& component = nodeOf(tree, SectionKind::Components, "component");
        component.children[1].value += 1;
        component.children[4].bytes.push_back(std::byte{0});
        checkRefused(tree, "a component's size does not go with its alignment");
    }
    SECTION("a string that is not in the table") {
        nodeOf(tree, SectionKind::Moment, "image").children.back().value = 1000;
        checkRefused(tree, "frame 4 is damaged: a string is not in the table");
    }
    SECTION("a frame that enables what is enabled") {
        nodeOf(tree, SectionKind::Block, "toggle").children[2].value = 1;
        checkRefused(
            tree,
            "frame 3 is damaged: an entity is enabled or disabled from a state that it is not in");
    }
    SECTION("a state that was another") {
        Node& state = nodeOf(tree, SectionKind::Block, "state");
        state.children[3].children[0].bytes[1] ^= std::byte{8};
        checkRefused(tree, "frame 3 is damaged: a state changes from one that it was not");
    }
    SECTION("a value that the frame's hash was not taken of") {
        Node& image = nodeOf(tree, SectionKind::Moment, "image");
        for (Node& word : image.children)
            if ((word.value & 0xff) == 7) ++word.value;  // the tag of a Gauge, and padding
        const Bytes bytes = bytesOf(tree);
        CHECK_NOTHROW(parseHistory(bytes, {.checksums = true, .hashes = false}));
        checkRefused(tree, "frame 4 is damaged: it does not show what its hash was taken of");
    }
    SECTION("a name that the frame's hash was not taken of") {
        nodeOf(tree, SectionKind::Strings, "text", 1).bytes.push_back(std::byte{'x'});
        checkRefused(tree, "it does not show what its hash was taken of");
    }
    SECTION("time that goes back") {
        nodeOf(tree, SectionKind::Block, "globals").children[10].value = 1000;
        checkRefused(tree, "time goes back");
    }
}

TEST_CASE("an entity that came and left within a frame that play resumed from can be saved",
          "[rewind][file]") {
    Flight flight;
    flight.define();
    flight.ticks(1);
    Entity entity = flight.world.newEntity("brief");
    entity.addComponent<Hull>();
    flight.world.addEntity(entity);
    flight.ticks(2);
    flight.rewind->seek(2);
    flight.rewind->stop();
    flight.world.removeEntity(entity);
    const bool goesOn = GENERATE(false, true);
    flight.ticks(goesOn ? 3 : 1);
    Flight tool;
    tool.rewind->openHistory(parseHistory(writeHistory(flight.rewind->takeHistory())));
    for (std::int64_t frame = *tool.rewind->getOldestFrame();
         frame <= *tool.rewind->getNewestFrame(); ++frame) {
        CAPTURE(frame);
        tool.rewind->seek(frame);
        CHECK(tool.world.validate().empty());
        CHECK(stateHash(tool.world) == flight.rewind->frameHash(frame));
    }
}

TEST_CASE("a history in which an entity came before it was made is refused", "[rewind][file]") {
    Flight flight;
    flight.define();
    flight.ticks(1);
    flight.world.addEntity(flight.world.newEntity("late"));
    flight.ticks(3);
    Tree tree = treeOf(writeHistory(flight.rewind->takeHistory()));
    REQUIRE_NOTHROW(parseHistory(bytesOf(tree)));
    for (fuzz::Section& section : tree.sections) section.packed.clear();
    nodeOf(tree, SectionKind::Entities, "clock", 1).value += 2;
    checkRefused(tree, "frame 2 is damaged: it has an entity that was made after it");
}

TEST_CASE("what components are made from is read as it was written, or refused", "[rewind][file]") {
    Flight flight;
    flight.define();
    flight.ticks(3);
    HistoryFile file = flight.rewind->takeHistory();
    CHECK(parseHistory(writeHistory(file)).makes.empty());
    file.makes[0] = {{3, "Owl"}, {700, "Wolf"}};
    file.makes[1] = {{4, "Owl"}};
    Tree tree = treeOf(writeHistory(file));
    const HistoryFile read = parseHistory(bytesOf(tree));
    REQUIRE(read.makes.size() == 2);
    REQUIRE(read.makes.at(0).size() == 2);
    CHECK(read.makes.at(0)[1].number == 700);
    CHECK(read.makes.at(0)[1].make == "Wolf");
    CHECK(read.makes.at(1)[0].make == "Owl");
    Tree same = tree;
    std::erase_if(same.sections, [](const auto& each) { return each.kind == SectionKind::Makes; });
    CHECK(parseHistory(bytesOf(same)).makes.empty());
    for (fuzz::Section& section : tree.sections) section.packed.clear();
    auto makes = [&](std::string_view name, int skip = 0) -> Node& {
        return nodeOf(tree, SectionKind::Makes, name, skip);
    };
    SECTION("a component that is not there") {
        makes("type", 1).value = 1000;
        checkRefused(tree, "the part with the classes is damaged: it names a component that is");
    }
    SECTION("one that is there twice") {
        makes("type", 1).value = 0;
        checkRefused(tree, "a component is there twice");
    }
    SECTION("one without any") {
        makes("makes").children.clear();
        checkRefused(tree, "a component has no classes");
    }
    SECTION("a number that is there twice") {
        makes("tableNumber", 1).value = 3;
        checkRefused(tree, "its numbers do not ascend");
    }
    SECTION("no name") {
        makes("text").bytes.clear();
        checkRefused(tree, "a class has no name");
    }
}
