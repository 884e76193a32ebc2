# Fails when the README does not show the short program that is compiled and run, word for word.
#
# -D root=  the project's root

cmake_minimum_required(VERSION 3.25)

file(READ ${root}/README.md readme)
file(READ ${root}/docs/examples/short_program.cpp program)
string(FIND "${readme}" "```cpp\n${program}```" found)
if(found EQUAL -1)
    message(FATAL_ERROR "README.md does not show docs/examples/short_program.cpp as it is")
endif()
