# -D root= -D luarocks= -D luajit= -D version= -D work=
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
# The flags of the presets, so that the compiler's cache has the objects already.
set(ENV{REVENANT_CMAKE_FLAGS} "-G Ninja -DREVENANT_WARNINGS_AS_ERRORS=ON")
execute_process(
    COMMAND ${luarocks} --lua-version 5.1 --tree ${work}/tree make revenant-scm-1.rockspec
    WORKING_DIRECTORY ${root}
    COMMAND_ECHO STDOUT
    COMMAND_ERROR_IS_FATAL ANY
)
file(GLOB_RECURSE module ${work}/tree/lib/lua/5.1/revenant.so)
if(NOT module)
    message(FATAL_ERROR "luarocks installed no revenant.so")
endif()
cmake_path(GET module PARENT_PATH folder)
execute_process(
    COMMAND ${luajit} -e "package.cpath = '${folder}/?.so'; assert(require('revenant').version == '${version}')"
    COMMAND_ERROR_IS_FATAL ANY
)
