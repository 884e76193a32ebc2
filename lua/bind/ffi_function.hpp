// FfiFunction: a C function that the Lua half calls by FFI, with its C declaration, which is derived from
// the function's type. They are noexcept, call no Lua, and take plain numbers that the Lua half has
// checked; they return 1 when they fail (see error_carrier.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "lua/state/view_links.hpp"
#include "world/entity_id.hpp"

namespace revenant {

// A text that C++ keeps.
struct FfiText {
    const char* text;
    std::uint32_t length;
};

// The names that types have in C. Structs are declared by ffiStructs; what Lua sees of a
// column's cells is declared by each type of column, so that they are passed as void*.
template <class T>
struct CName;
template <>
struct CName<void> {
    static constexpr const char* text = "void";
};
template <>
struct CName<int> {
    static constexpr const char* text = "int";
};
template <>
struct CName<std::uint32_t> {
    static constexpr const char* text = "uint32_t";
};
template <>
struct CName<double> {
    static constexpr const char* text = "double";
};
template <>
struct CName<char> {
    static constexpr const char* text = "char";
};
template <>
struct CName<EntityId> {
    static constexpr const char* text = "revenant_Id";
};
template <>
struct CName<FfiText> {
    static constexpr const char* text = "revenant_Text";
};
template <>
struct CName<ViewLink::Run> {
    static constexpr const char* text = "revenant_Run";
};
template <>
struct CName<ColumnCells> {
    static constexpr const char* text = "void";
};

template <class T>
std::string declarationOfType() {
    if constexpr (std::is_pointer_v<T>)
        return declarationOfType<std::remove_pointer_t<T>>() + "*";
    else if constexpr (std::is_const_v<T>)
        return std::string("const ") + CName<std::remove_const_t<T>>::text;
    else
        return CName<T>::text;
}

struct FfiFunction {
    const char* name;
    std::string declaration;  // as a pointer type
    void* address;
};

template <class Result, class... Arguments>
FfiFunction ffiFunction(const char* name, Result (*function)(Arguments...) noexcept) {
    std::string arguments;
    ((arguments += (arguments.empty() ? "" : ", ") + declarationOfType<Arguments>()), ...);
    return {name, declarationOfType<Result>() + " (*)(" + arguments + ")",
            std::bit_cast<void*>(function)};
}

// C declarations of the structs that the functions take.
std::string ffiStructs();
std::span<const FfiFunction> entityFunctions();
std::span<const FfiFunction> componentFunctions();
std::span<const FfiFunction> prefabFunctions();
std::span<const FfiFunction> tableFunctions();
std::span<const FfiFunction> viewFunctions();
std::span<const FfiFunction> mathFunctions();
std::span<const FfiFunction> formulaFunctions();

}  // namespace revenant
