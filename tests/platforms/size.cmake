# The module that a game carries, stripped, is no larger than it may be.
#
# -D module= -D strip= -D limit= (bytes) -D work=
cmake_minimum_required(VERSION 3.25)

cmake_path(GET module FILENAME file)
file(MAKE_DIRECTORY ${work})
execute_process(COMMAND ${strip} --strip-unneeded -o ${work}/${file} ${module} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${work}/${file} bytes)
message(STATUS "${file}: ${bytes} bytes")
if(NOT limit OR bytes GREATER limit)
    message(FATAL_ERROR "${file} takes ${bytes} bytes, more than ${limit}: nm -S --size-sort -C says what is large in it")
endif()
