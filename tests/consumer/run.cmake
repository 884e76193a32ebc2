# Installs the library into a fresh prefix, then configures, builds and runs a
# project that knows nothing but that prefix.
#
# -D build=   the library's build tree
# -D source=  the consumer's source
# -D work=    a folder of our own, emptied first
# -D compiler= -D config=  as the library was built

cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${work}/build
    -D CMAKE_PREFIX_PATH=${work}/prefix
    -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_BUILD_TYPE=${config}
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
