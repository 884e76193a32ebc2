# Fails when code uses what only some compilers have, beside the two files that say what takes its place elsewhere.
# Attributes such as [[gnu::always_inline]] are standard: other compilers pass over them.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(allowed world/compiler.hpp lua/module.hpp)
set(extensions "__builtin_|__attribute__|__int128|__typeof__|__PRETTY_FUNCTION__|#pragma GCC|__declspec")
set(offences)
set(count 0)
foreach(folder IN ITEMS world views rewind save lua)
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/${folder}/*.hpp ${root}/${folder}/*.cpp)
    foreach(file IN LISTS files)
        math(EXPR count "${count} + 1")
        if(file IN_LIST allowed)
            continue()
        endif()
        file(STRINGS ${root}/${file} lines REGEX "${extensions}")
        foreach(line IN LISTS lines)
            list(APPEND offences "${file}: ${line}")
        endforeach()
    endforeach()
endforeach()

if(count LESS 100)
    message(FATAL_ERROR "Only ${count} files were found.")
endif()
if(offences)
    list(JOIN offences "\n  " offences)
    message(NOTICE "  ${offences}")
    message(FATAL_ERROR "Extensions of compilers belong into world/compiler.hpp, with what takes their place.")
endif()
message(STATUS "${count} files keep to the standard")
