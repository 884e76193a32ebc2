# Fails when an #include points against the arrows:
#
#     game -> lua -> views, rewind -> world
#
# and when sol2 or Lua is included anywhere but in lua/ (and the tests of it).
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(world_sees world)
set(views_sees world views)
set(rewind_sees world rewind)
set(lua_sees world views rewind lua)
set(game_sees world views rewind lua game)

set(offences)
foreach(folder IN ITEMS world views rewind lua game)
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/${folder}/*.hpp ${root}/${folder}/*.cpp)
    foreach(file IN LISTS files)
        file(STRINGS ${root}/${file} includes REGEX "^[ \t]*#[ \t]*include")
        foreach(include IN LISTS includes)
            if(include MATCHES "[<\"](world|views|rewind|lua|game|tests|bench)/" AND
                    NOT CMAKE_MATCH_1 IN_LIST ${folder}_sees)
                list(APPEND offences "${file}: ${folder}/ may not see ${CMAKE_MATCH_1}/: ${include}")
            elseif(include MATCHES "[<\"](sol/|lua|lauxlib|lualib)" AND NOT folder STREQUAL "lua" AND
                    NOT include MATCHES "[<\"]lua/")
                list(APPEND offences "${file}: only lua/ may see Lua: ${include}")
            endif()
        endforeach()
    endforeach()
endforeach()

if(offences)
    list(JOIN offences "\n  " offences)
    message(NOTICE "  ${offences}")
    message(FATAL_ERROR "Includes point against the arrows.")
endif()
