# Fails when a test case has no tags: `revenant_tests "[rewind]"` would leave it out.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(untagged)
file(GLOB_RECURSE files RELATIVE ${root} ${root}/tests/*.test.cpp)
foreach(file IN LISTS files)
    file(READ ${root}/${file} text)
    # CMake's lists take brackets and semicolons for their own.
    string(REPLACE ";" " " text "${text}")
    string(REPLACE "[" "<" text "${text}")
    string(REPLACE "]" ">" text "${text}")
    string(REGEX MATCHALL "TEST_CASE(_SIG|_METHOD)?\\([^{]*\\{" cases "${text}")
    foreach(case IN LISTS cases)
        if(NOT case MATCHES "\"<[^\"]*>\"[,)]")
            string(REGEX REPLACE "[ \n]+" " " case "${case}")
            list(APPEND untagged "${file}: ${case}")
        endif()
    endforeach()
endforeach()

if(untagged)
    list(JOIN untagged "\n  " untagged)
    message(NOTICE "  ${untagged}")
    message(FATAL_ERROR "Test cases without tags: name their folders, such as \"[world][storage]\".")
endif()
