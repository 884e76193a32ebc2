# Builds and runs a project that knows nothing but what was installed: from a fresh prefix, or from the Debian
# package, unpacked into a folder. From there luajit loads the module, too.
#
# -D build=   the library's build tree
# -D source=  the consumer's source
# -D work=    a folder of our own, emptied first
# -D how=     install or package
# -D compiler= -D config= -D version=  as the library was built
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
)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)

require_one(${prefix}/share/doc/revenant/docs/quick_start_cpp.md page)
if(luajit)
    require_one(${prefix}/share/revenant/api.lua annotations)
    require_one(${prefix}/lib/revenant.so module)
    # The end of its path must be one that luajit looks into.
    string(REPLACE ${prefix} "" place ${module})
    string(REPLACE revenant.so "?.so" place ${place})
    run(${luajit} -e "local place = '${place}'
        assert(package.cpath:find('/usr' .. place, 1, true) or package.cpath:find('/usr/local' .. place, 1, true), place)
        package.cpath = '${prefix}' .. place
        assert(require('revenant').version == '${version}')")
endif()
