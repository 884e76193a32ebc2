# Windows on x86-64, by mingw-w64 with POSIX threads. ./test --windows sets up what it refers to.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(revenant_windows ${CMAKE_CURRENT_LIST_DIR}/../../build/deps/windows)
cmake_path(NORMAL_PATH revenant_windows)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${revenant_windows})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH) # packages of headers only may be the machine's own
set(ENV{PKG_CONFIG_LIBDIR} ${revenant_windows}/lib/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")

# A game ships one file: the compiler's own libraries are part of it.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -static)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)

set(revenant_wine ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 WINEDEBUG=-all WINEPREFIX=${revenant_windows}/wine
    WINEPATH=${revenant_windows}/bin wine)
set(CMAKE_CROSSCOMPILING_EMULATOR ${revenant_wine})
set(REVENANT_LUAJIT ${revenant_wine} ${revenant_windows}/bin/luajit.exe)
