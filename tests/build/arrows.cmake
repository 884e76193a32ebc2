# Fails when an #include points against the arrows:
#
#     game -> lua -> save, views, rewind -> world
#
# when it points against the arrows between the subfolders of one folder, and when sol2 or Lua is
# included anywhere but in lua/ (and the tests of it).
#
# Files directly in a folder are its public face: its subfolders may include them.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(world_sees world)
set(views_sees world views)
set(rewind_sees world rewind)
set(save_sees world save)
set(lua_sees world views rewind save lua)
set(game_sees world views rewind save lua game)

# Of each subfolder: those of the same folder that it may include. A folder's own files may include all.
set(world_codec_sees codec)
set(world_storage_sees storage)
set(world_math_sees math)
set(world_forest_sees forest storage)
set(world_core_sees core schedule forest storage)
set(world_schedule_sees schedule core storage) # a world ticks its systems, and they change the world
set(views_detail_sees detail)
set(views_rows_sees rows detail)
set(rewind_codec_sees codec)
set(rewind_history_sees history codec)
set(rewind_record_sees record codec history)
set(rewind_file_sees file codec history record)
set(rewind_tools_sees tools codec history record)
set(save_image_sees image)
set(save_format_sees format image)
set(save_json_sees json format image)
set(save_load_sees load image)
set(lua_state_sees state)
set(lua_bind_sees bind state)

set(offences)
foreach(folder IN ITEMS world views rewind save lua game)
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/${folder}/*.hpp ${root}/${folder}/*.cpp)
    foreach(file IN LISTS files)
        file(STRINGS ${root}/${file} includes REGEX "^[ \t]*#[ \t]*include")
        set(part)
        if(NOT folder STREQUAL "game" AND file MATCHES "^${folder}/([a-z_]+)/")
            set(part ${CMAKE_MATCH_1})
            if(NOT DEFINED ${folder}_${part}_sees)
                list(APPEND offences "${file}: ${folder}/${part}/ has no arrows in tests/build/arrows.cmake")
            endif()
        endif()
        foreach(include IN LISTS includes)
            if(include MATCHES "[<\"](world|views|rewind|save|lua|game|tests|bench)/" AND
                    NOT CMAKE_MATCH_1 IN_LIST ${folder}_sees)
                list(APPEND offences "${file}: ${folder}/ may not see ${CMAKE_MATCH_1}/: ${include}")
            elseif(part AND include MATCHES "[<\"]${folder}/([a-z_]+)/" AND
                    NOT CMAKE_MATCH_1 IN_LIST ${folder}_${part}_sees)
                list(APPEND offences
                    "${file}: ${folder}/${part}/ may not see ${folder}/${CMAKE_MATCH_1}/: ${include}")
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
