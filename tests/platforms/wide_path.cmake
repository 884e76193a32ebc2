# -D root= -D module= -D luajit= -D work=
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${work})
set(save "${work}/player_ü_日")
file(MAKE_DIRECTORY ${save})
file(COPY_FILE ${module} ${save}/revenant-0123456789abcdef-revenant.dll)
execute_process(
    COMMAND ${luajit} ${root}/tests/platforms/wide_path.lua ${root}/lua/loader/init.lua ${work} 0123456789abcdef
    OUTPUT_VARIABLE output ERROR_VARIABLE output
)
if(NOT output MATCHES "loaded from a wide path, and saved to one: hero")
    message(FATAL_ERROR "it says\n${output}")
endif()
foreach(name IN ITEMS slot text past)
    if(NOT EXISTS "${save}/${name}_日")
        message(FATAL_ERROR "${name} has another file name than it was given")
    endif()
endforeach()
