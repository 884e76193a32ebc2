# Fails when a source file is not listed in the nearest CMakeLists.txt above it: it
# would be neither compiled nor tested nor installed.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(unlisted)
foreach(folder IN ITEMS world views rewind save lua game bench tests)
    file(GLOB_RECURSE files ${root}/${folder}/*.hpp ${root}/${folder}/*.cpp)
    foreach(file IN LISTS files)
        cmake_path(GET file PARENT_PATH above)
        while(NOT EXISTS ${above}/CMakeLists.txt)
            cmake_path(GET above PARENT_PATH above)
        endwhile()
        file(READ ${above}/CMakeLists.txt list)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${above} OUTPUT_VARIABLE name)
        # A test's own header is found by the source that includes it.
        if(name MATCHES "\\.hpp$" AND folder MATCHES "^(game|bench|tests)$")
            continue()
        endif()
        string(REGEX REPLACE "([.+])" "\\\\\\1" pattern "${name}")
        if(NOT list MATCHES "[ \t\n(]${pattern}[ \t\n)]")
            cmake_path(RELATIVE_PATH above BASE_DIRECTORY ${root})
            list(APPEND unlisted "${above}/CMakeLists.txt does not list ${name}")
        endif()
    endforeach()
endforeach()

if(unlisted)
    list(JOIN unlisted "\n  " unlisted)
    message(NOTICE "  ${unlisted}")
    message(FATAL_ERROR "Source files are missing from the lists.")
endif()
