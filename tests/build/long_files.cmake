# Fails when a file of more than 300 lines does not give a reason at its top: a comment with "Over 300 lines:" within its
# first ten lines.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

set(long)
foreach(folder IN ITEMS world views rewind save lua game bench tests docs)
    file(GLOB_RECURSE files RELATIVE ${root}
        ${root}/${folder}/*.hpp ${root}/${folder}/*.cpp ${root}/${folder}/*.lua ${root}/${folder}/*.cmake)
    foreach(file IN LISTS files)
        file(READ ${root}/${file} text)
        string(REGEX REPLACE "[^\n]" "" lines "${text}")
        string(LENGTH "${lines}" count)
        if(count LESS_EQUAL 300)
            continue()
        endif()
        string(REGEX MATCH "^([^\n]*\n)([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?([^\n]*\n)?" top "${text}")
        if(NOT top MATCHES "Over 300 lines: [^\n]+")
            list(APPEND long "${file}: ${count} lines")
        endif()
    endforeach()
endforeach()

if(long)
    list(JOIN long "\n  " long)
    message(NOTICE "  ${long}")
    message(FATAL_ERROR "Long files: part them by sense, or give a reason at the top, \"Over 300 lines: ...\".")
endif()
