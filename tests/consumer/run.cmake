# Builds and runs a project that knows nothing but what was installed: from a fresh prefix, or from the Debian
# package, unpacked into a folder. From there luajit loads the module, too.
#
# -D build=   the library's build tree
# -D root=    the library's source
# -D source=  the consumer's source
# -D work=    a folder of our own, emptied first
# -D how=     install, package, or without_saves: a build of the library that leaves save/ out
# -D short_program=  the README's program
# -D compiler= -D config= -D version= -D packages=  as the library was built
# -D luajit=  or nothing, where there is no module

cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(require_one pattern result)
    file(GLOB_RECURSE found ${pattern})
    list(LENGTH found count)
    if(NOT count EQUAL 1)
        message(FATAL_ERROR "There should be one ${pattern}, not ${count}.")
    endif()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work})
if(how STREQUAL without_saves)
    # With the options of the suite's own build: ccache has compiled nearly all of it before.
    run(${CMAKE_COMMAND} -G Ninja -S ${root} -B ${work}/library
        -D CMAKE_PREFIX_PATH=${packages}
        -D CMAKE_CXX_COMPILER=${compiler}
        -D CMAKE_BUILD_TYPE=${config}
        -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON # only saves need it
        -D REVENANT_BUILD_BENCH=OFF
        -D REVENANT_BUILD_GAME=OFF
        -D REVENANT_BUILD_TESTS=OFF
        -D REVENANT_SAVE=OFF
        -D REVENANT_WARNINGS_AS_ERRORS=ON
    )
    set(build ${work}/library)
    run(${CMAKE_COMMAND} --build ${build} --target revenant revenant_module)
endif()
set(prefix ${work}/prefix/usr)
if(how STREQUAL package)
    run(cpack --config ${build}/CPackConfig.cmake -G DEB -B ${work})
    file(GLOB archive ${work}/revenant_${version}_*.deb)
    run(dpkg-deb --info ${archive})
    run(dpkg-deb --extract ${archive} ${work}/prefix)
else()
    run(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})
endif()

run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${work}/build
    -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_BUILD_TYPE=${config}
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    -D short_program=${short_program}
)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/build/short_program)

if(how STREQUAL install)
    # A header that is not public is not there.
    foreach(folder IN ITEMS world/core world/forest world/storage world/codec views/rows rewind/record rewind/history save/format save/image save/load save/json)
        if(EXISTS ${prefix}/include/revenant/${folder})
            message(FATAL_ERROR "${folder}/ is installed, but programs have no use for it.")
        endif()
    endforeach()
    run(${CMAKE_COMMAND} --build ${work}/build --target reaching_in_0)
    foreach(reach RANGE 1 12)
        execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build --target reaching_in_${reach}
            RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
        if(NOT failed)
            message(FATAL_ERROR "Part ${reach} of reaching_in.cpp compiles: a program can get at the library's inside.")
        endif()
        string(REGEX MATCH "error: [^\n]*" why "${output}")
        message(STATUS "part ${reach} of reaching_in.cpp fails, as it should: ${why}")
    endforeach()
endif()

if(how STREQUAL without_saves)
    if(EXISTS ${prefix}/include/revenant/save)
        message(FATAL_ERROR "save/ is installed, though this build has no saves.")
    endif()
    run(${luajit} ${source}/without_saves.lua ${build})
    return()
endif()

# Without CMake, by pkg-config.
require_one(${prefix}/lib/revenant.pc package_file)
cmake_path(GET package_file PARENT_PATH package_folder)
find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${package_folder} ${pkg_config} --cflags --libs revenant
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${compiler} ${source}/main.cpp ${flags} -o ${work}/by_pkg_config)
run(${work}/by_pkg_config)

require_one(${prefix}/share/doc/revenant/docs/quick_start_cpp.md page)
if(luajit)
    require_one(${prefix}/share/revenant/api/world.lua annotations)
    require_one(${prefix}/lib/revenant.so module)
    # The end of its path must be one that luajit looks into.
    string(REPLACE ${prefix} "" place ${module})
    string(REPLACE revenant.so "?.so" place ${place})
    run(${luajit} -e "local place = '${place}'
        assert(package.cpath:find('/usr' .. place, 1, true) or package.cpath:find('/usr/local' .. place, 1, true), place)
        package.cpath = '${prefix}' .. place
        assert(require('revenant').version == '${version}')")
endif()
