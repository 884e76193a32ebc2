# Fails when the README of a folder does not name a header of that folder or of a subfolder, or a file of lua/script/: it is
# the map by which a reader finds the way.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(unnamed)
set(count 0)
foreach(folder IN ITEMS world views rewind save lua game)
    file(READ ${root}/${folder}/README.md map)
    file(GLOB_RECURSE files RELATIVE ${root} ${root}/${folder}/*.hpp)
    if(folder STREQUAL lua)
        file(GLOB scripts RELATIVE ${root} ${root}/lua/script/*.lua)
        list(APPEND files ${scripts})
    endif()
    foreach(file IN LISTS files)
        math(EXPR count "${count} + 1")
        cmake_path(GET file STEM name)
        if(NOT map MATCHES "[`/]${name}[`.]")
            list(APPEND unnamed "${folder}/README.md does not name ${file}")
        endif()
    endforeach()
endforeach()

if(count LESS 200)
    message(FATAL_ERROR "Only ${count} files were found.")
endif()
if(unnamed)
    list(JOIN unnamed "\n  " unnamed)
    message(NOTICE "  ${unnamed}")
    message(FATAL_ERROR "Maps are not complete: name each file where a reader should come to it.")
endif()
message(STATUS "${count} files are on the maps")
