# Linux on arm64, by Debian's cross compiler. ./test --arm64 sets up what it refers to.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(revenant_arm64 ${CMAKE_CURRENT_LIST_DIR}/../../build/deps/arm64)
cmake_path(NORMAL_PATH revenant_arm64)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${revenant_arm64})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH) # packages of headers only may be the machine's own
set(ENV{PKG_CONFIG_LIBDIR} ${revenant_arm64}/usr/lib/aarch64-linux-gnu/pkgconfig:${revenant_arm64}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${revenant_arm64})

set(revenant_qemu ${CMAKE_COMMAND} -E env
    LD_LIBRARY_PATH=${revenant_arm64}/usr/lib/aarch64-linux-gnu
    qemu-aarch64-static -L /usr/aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR ${revenant_qemu})
set(REVENANT_LUAJIT ${revenant_qemu} ${revenant_arm64}/usr/bin/luajit)

# LÖVE with all that it needs, glibc included; the smoke does without.
set(revenant_love)
file(GLOB found ${revenant_arm64}/love/usr/bin/love-*)
if(found AND NOT REVENANT_BUILD_SMOKE)
    set(revenant_love ${found})
    set(revenant_love_emulator ${CMAKE_COMMAND} -E env
        LD_LIBRARY_PATH=${revenant_arm64}/love/lib/aarch64-linux-gnu:${revenant_arm64}/love/usr/lib/aarch64-linux-gnu
        qemu-aarch64-static -L ${revenant_arm64}/love)
endif()
