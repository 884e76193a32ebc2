// The structs that cross the FFI, as C declarations that follow from their C++ types.
#include <initializer_list>

#include "lua/bind/ffi_function.hpp"
#include "lua/state/script_tables.hpp"
#include "views/detail/view_table.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

struct Member {
    const char* name;
    std::string type;
    std::size_t offset;
    std::size_t size;  // which is its alignment, too
};

template <class Struct, class T>
Member member(const char* name, T Struct::*pointer) {
    static_assert(sizeof(T) == alignof(T));  // NOLINT(misc-redundant-expression)
    const Struct probe{};
    const auto* at = reinterpret_cast<const std::byte*>(&(probe.*pointer));
    return {name, declarationOfType<T>(),
            static_cast<std::size_t>(at - reinterpret_cast<const std::byte*>(&probe)), sizeof(T)};
}

// Throws where a member was left out or is out of order: C would lay the struct out differently.
template <class Struct>
std::string declare(const char* name, std::initializer_list<Member> members) {
    constexpr std::size_t alignment = alignof(Struct);
    std::string text = "typedef struct { ";
    std::size_t end = 0;
    for (const Member& each : members) {
        if (each.offset != (end + each.size - 1) / each.size * each.size)
            fail(ErrorCode::BadArgument, name, ".", each.name, " does not lie as in C");
        end = each.offset + each.size;
        text += each.type + " " + each.name + "; ";
    }
    if ((end + alignment - 1) / alignment * alignment != sizeof(Struct))
        fail(ErrorCode::BadArgument, name, " lacks a member in its declaration");
    return text + "} " + name + ";\n";
}

}  // namespace

std::string ffiStructs() {
    using detail::RowHead;
    using Run = ViewLink::Run;
    return declare<EntityId>(CName<EntityId>::text, {member("index", &EntityId::index),
                                                     member("generation", &EntityId::generation)}) +
           declare<FfiText>(CName<FfiText>::text,
                            {member("text", &FfiText::text), member("length", &FfiText::length)}) +
           declare<Run>(CName<Run>::text,
                        {member("first", &Run::first), member("count", &Run::count)}) +
           declare<RowHead>("revenant_RowHead",
                            {member("label", &RowHead::label), member("index", &RowHead::index)}) +
           declare<ScriptReference>(
               "revenant_ScriptReference",
               {member("table", &ScriptReference::table), member("link", &ScriptReference::link)});
}

}  // namespace revenant
