# Gathers what a game carries: the loader, and the module of each platform that has been built, stripped.
#
#     cmake -P cmake/ship.cmake                 # into build/ship/revenant
#
# -D output=  another folder
cmake_minimum_required(VERSION 3.25)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
if(NOT output)
    set(output ${root}/build/ship/revenant)
endif()
execute_process(COMMAND uname -m OUTPUT_VARIABLE machine OUTPUT_STRIP_TRAILING_WHITESPACE)
set(native linux-x64)
if(machine STREQUAL "aarch64")
    set(native linux-arm64)
endif()

# Preset, platform, file, the tool that strips it.
set(kinds
    release ${native} revenant.so strip
    arm64 linux-arm64 revenant.so aarch64-linux-gnu-strip
    windows windows-x64 revenant.dll x86_64-w64-mingw32-strip
)
file(MAKE_DIRECTORY ${output})
file(COPY_FILE ${root}/lua/loader/init.lua ${output}/init.lua ONLY_IF_DIFFERENT)
while(kinds)
    list(POP_FRONT kinds preset platform file strip)
    set(module ${root}/build/${preset}/${file})
    if(NOT EXISTS ${module})
        set(flag smoke)
        if(preset STREQUAL release)
            set(flag release)
        endif()
        message(STATUS "${platform}: not built; ./test --${flag} builds it")
        continue()
    endif()
    file(MAKE_DIRECTORY ${output}/${platform})
    execute_process(
        COMMAND ${strip} --strip-unneeded -o ${output}/${platform}/${file} ${module}
        COMMAND_ERROR_IS_FATAL ANY
    )
    file(SIZE ${output}/${platform}/${file} bytes)
    message(STATUS "${platform}: ${bytes} bytes")
endwhile()
