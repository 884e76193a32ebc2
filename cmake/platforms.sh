# shellcheck shell=bash
# Sourced by ./test, after setup.sh, for --windows, --arm64 and the smoke of both: cross compilers, an emulator, and the
# libraries for the other platform, below build/deps/windows and build/deps/arm64.
#
# For Windows, LuaJIT, zstd, Catch2 and what the game needs are built from Debian's source packages; for arm64, Debian's own
# packages are unpacked. Both are fetched with an apt state of our own: apt's configuration, and the
# architectures that dpkg knows, stay as they are.

# fetch_with_apt ARCHITECTURE COMMAND...: runs an apt-get command, such as download or source, in $apt_dir.
fetch_with_apt() {
    local architecture=$1 suite uri options=
    shift
    if [ ! -e "$apt_dir/$architecture" ]; then
        rm -rf "$apt_dir"
        write_apt_conf
        write_suite "$(codename)" || { apt_update && write_suite "$(codename)"; } || return 1
        cat >>"$apt_dir/apt.conf" <<-END
		APT::Architecture "$architecture";
		APT::Architectures { "$architecture"; };
		Dir::State::status "/dev/null";
		END
        uri=$(awk '{ print $(NF - 2) }' "$apt_dir/sources.list")
        [ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
            options='signed-by=/usr/share/keyrings/debian-archive-keyring.gpg'
        for suite in "$(codename)" "$(codename)-backports"; do
            echo "deb [$options target=Packages] $uri $suite main"
            echo "deb-src [$options] $uri $suite main"
        done >"$apt_dir/sources.list"
        apt-get -c "$apt_dir/apt.conf" update >>"$setup_log" 2>&1 || return 1
        touch "$apt_dir/$architecture"
    fi
    (cd "$apt_dir" && apt-get -c "$apt_dir/apt.conf" "$@" >>"$setup_log" 2>&1)
}

# unpack_source PACKAGE[/SUITE]: Debian's source, patched, into build/deps/source/PACKAGE.
unpack_source() {
    local package=${1%/*}
    fetch_with_apt "$(dpkg --print-architecture)" source --download-only "$1" || return 1
    rm -rf "$deps/source/$package"
    mkdir -p "$deps/source"
    dpkg-source --no-check -x "$apt_dir/$package"_*.dsc "$deps/source/$package" >>"$setup_log" 2>&1
}

# write_pc FOLDER NAME VERSION CFLAGS LIBS: what pkg-config is to say of a library below that folder.
write_pc() {
    mkdir -p "$1/lib/pkgconfig"
    printf 'prefix=${pcfiledir}/../..\nName: %s\nDescription: %s for this platform\nVersion: %s\nCflags: %s\nLibs: %s\n' \
        "$2" "$2" "$3" "$4" "$5" >"$1/lib/pkgconfig/$2.pc"
}

# link_headers FOLDER: headers that need no building, from the machine's own packages, to FOLDER/include. CMake's package
# is copied: from its own place it would lead the compiler to all of /usr/include.
link_headers() {
    mkdir -p "$1/include" "$1/share/cmake"
    ln -sfn /usr/include/boost "$1/include/boost"
    ln -sfn /usr/include/xxhash.h "$1/include/xxhash.h"
    ln -sfn /usr/include/nlohmann "$1/include/nlohmann"
    [ -e "$1/share/cmake/nlohmann_json" ] || cp -r /usr/share/cmake/nlohmann_json "$1/share/cmake/"
}

build_luajit_for_windows() {
    local source=$deps/source/luajit prefix=$1
    unpack_source luajit || return 1
    make -C "$source/src" -j "$jobs" HOST_CC=gcc CROSS=x86_64-w64-mingw32- TARGET_SYS=Windows \
        >>"$setup_log" 2>&1 || return 1
    mkdir -p "$prefix/bin/lua/jit" "$prefix/include/luajit-2.1"
    cp "$source/src/luajit.exe" "$source/src/lua51.dll" "$prefix/bin/"
    cp "$source/src/jit/"*.lua "$prefix/bin/lua/jit/"
    cp "$source/src/"{lua.h,lualib.h,lauxlib.h,luaconf.h,lua.hpp,luajit.h} "$prefix/include/luajit-2.1/"
    # What a DLL that uses it links: under a name that is found where the rest is linked statically.
    mkdir -p "$prefix/lib"
    x86_64-w64-mingw32-objdump -p "$prefix/bin/lua51.dll" | awk '
        /Ordinal\/Name Pointer/ { names = 1; next }
        names && $1 == "[" { print $NF }
        names && $1 ~ /^\[/ { print $NF }' | sort -u | { echo EXPORTS; cat; } >"$prefix/lib/lua51.def"
    x86_64-w64-mingw32-dlltool -d "$prefix/lib/lua51.def" -D lua51.dll -l "$prefix/lib/liblua51.a" \
        >>"$setup_log" 2>&1 || return 1
    # shellcheck disable=SC2016 # pkg-config fills it in
    write_pc "$prefix" luajit 2.1.0 '-I${prefix}/include/luajit-2.1' '-L${prefix}/lib -llua51'
}

# archive_for_windows ARCHIVE OPTIONS FILE...: adds files of C or C++ to a static library.
archive_for_windows() {
    local archive=$1 options=$2 file compiler objects=()
    shift 2
    for file in "$@"; do objects+=("${file%.*}.o"); done
    for file in "$@"; do
        compiler=gcc
        case $file in *.cpp) compiler=g++ ;; esac
        echo "x86_64-w64-mingw32-$compiler-posix -O2 $options -c $file -o ${file%.*}.o"
    done | xargs -P "$jobs" -I {} sh -c {} >>"$setup_log" 2>&1 || return 1
    mkdir -p "$(dirname "$archive")"
    x86_64-w64-mingw32-ar rcs "$archive" "${objects[@]}"
}

# The module carries it: what seldom runs is compiled to be small, and texts of errors are left out.
build_zstd_for_windows() {
    local source=$deps/source/libzstd prefix=$1 small='-Os -DZSTD_NO_INLINE' file files=()
    unpack_source libzstd || return 1
    for file in "$source"/lib/{common,compress,decompress}/*.c; do
        case $file in
            */zstd_lazy.c | */zstd_ldm.c | */zstdmt_compress.c | */zstd_compress_superblock.c) ;;
            *) files+=("$file") ;;
        esac
    done
    local options='-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -DDYNAMIC_BMI2=0 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT=1 -ffunction-sections -fdata-sections'
    archive_for_windows "$prefix/lib/libzstd.a" "$options" "${files[@]}" || return 1
    archive_for_windows "$prefix/lib/libzstd.a" "$options $small" \
        "$source"/lib/compress/zstd{_lazy,_ldm,mt_compress,_compress_superblock}.c || return 1
    mkdir -p "$prefix/include"
    cp "$source/lib/"{zstd.h,zstd_errors.h,zdict.h} "$prefix/include/"
    # shellcheck disable=SC2016
    write_pc "$prefix" libzstd 1.5 '-I${prefix}/include' '-L${prefix}/lib -lzstd'
}

# cmake_for_windows SOURCE OPTION...: configures, builds and installs a project.
cmake_for_windows() {
    local source=$1
    shift
    cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/windows.cmake" "$@" >>"$setup_log" 2>&1 &&
        cmake --build "$source/build" >>"$setup_log" 2>&1 &&
        cmake --install "$source/build" >>"$setup_log" 2>&1
}

build_catch2_for_windows() {
    unpack_source "catch2/$(codename)-backports" || unpack_source catch2 || return 1
    cmake_for_windows "$deps/source/catch2" -DCMAKE_INSTALL_PREFIX="$1" -DBUILD_TESTING=OFF -DCATCH_INSTALL_DOCS=OFF
}

# ---- what the game needs: SDL2, Dear ImGui and libpng

build_sdl2_for_windows() {
    unpack_source libsdl2 || return 1
    cmake_for_windows "$deps/source/libsdl2" -DCMAKE_INSTALL_PREFIX="$1" -DSDL_SHARED=OFF -DSDL_STATIC=ON \
        -DSDL_TEST=OFF -DSDL_OPENGL=OFF -DSDL_OPENGLES=OFF -DSDL_VULKAN=OFF -DSDL_HAPTIC=OFF || return 1
    # shellcheck disable=SC2016
    write_pc "$1" sdl2 2.26 '-I${prefix}/include/SDL2' "-L\${prefix}/lib -lSDL2 -lsetupapi -lwinmm -limm32 \
-lversion -lole32 -loleaut32 -luser32 -lgdi32 -ladvapi32 -lshell32 -luuid"
}

build_imgui_for_windows() {
    local source=$deps/source/imgui prefix=$1
    unpack_source imgui || return 1
    archive_for_windows "$prefix/lib/libimgui.a" "-I$source -I$prefix/include/SDL2" \
        "$source"/imgui{,_draw,_tables,_widgets}.cpp "$source/misc/cpp/imgui_stdlib.cpp" \
        "$source/backends/imgui_impl_sdl.cpp" || return 1
    mkdir -p "$prefix/include/imgui/backends"
    cp "$source"/*.h "$source/misc/cpp/imgui_stdlib.h" "$prefix/include/imgui/"
    cp "$source/backends/imgui_impl_sdl.h" "$prefix/include/imgui/backends/"
    # shellcheck disable=SC2016
    write_pc "$prefix" imgui 1.86 '-I${prefix}/include/imgui' '-L${prefix}/lib -limgui -limm32 -lgdi32'
}

build_png_for_windows() {
    local source=$deps/source prefix=$1
    unpack_source zlib || return 1
    unpack_source libpng1.6 || return 1
    cp "$source/libpng1.6/scripts/pnglibconf.h.prebuilt" "$source/libpng1.6/pnglibconf.h"
    rm "$source/libpng1.6/pngtest.c"
    archive_for_windows "$prefix/lib/libz.a" '' "$source"/zlib/*.c || return 1
    archive_for_windows "$prefix/lib/libpng.a" "-I$source/zlib" "$source"/libpng1.6/png*.c || return 1
    cp "$source"/zlib/{zlib,zconf}.h "$source"/libpng1.6/{png,pngconf,pnglibconf}.h "$prefix/include/"
}

# set_up_windows module|suite: what the Lua module needs to be built and run; for the suite, Catch2 and the game's, too.
set_up_windows() {
    local prefix=$deps/windows library libraries=(luajit zstd)
    [ "$1" = module ] || libraries+=(catch2 sdl2 imgui png)
    has_apt || fail "windows: needs Debian's packages and sources; docs/platforms.md says what to build by hand"
    require_packages g++-mingw-w64-x86-64-posix wine wine64 make dpkg-dev gcc
    link_headers "$prefix"
    # shellcheck disable=SC2016
    write_pc "$prefix" libxxhash 0.8.1 '-I${prefix}/include' ''
    ln -sfn "$deps/usr/include/sol" "$prefix/include/sol"
    for library in "${libraries[@]}"; do
        [ ! -e "$prefix/$library.built" ] || continue
        say "windows: building $library from Debian's source"
        "build_${library}_for_windows" "$prefix" ||
            fail "windows: cannot build $library (build/setup.log says why)"
        touch "$prefix/$library.built"
    done
    rm -rf "$apt_dir" "$deps/source"
    if [ ! -e "$prefix/wine/system.reg" ]; then
        say "windows: preparing wine"
        WINEDEBUG=-all WINEPREFIX=$prefix/wine WINEDLLOVERRIDES='mscoree,mshtml=' wine wineboot -i \
            >>"$setup_log" 2>&1 || fail "windows: wine does not start (build/setup.log says why)"
    fi
}

# Debian's wine ends its server and services with the last program that uses them. A test that starts at that moment may be cut off
# ("wine client error: Connection reset by peer"), and a test that starts them does not end before they do, as they hold its output. So
# a suite keeps them running from before its first test until a minute after its last.
keep_wine() {
    local prefix=$deps/windows/wine
    WINEPREFIX=$prefix wineserver -p60 >>"$setup_log" 2>&1 || true # there may be one
    WINEDEBUG=-all WINEPREFIX=$prefix wine cmd /c exit >>"$setup_log" 2>&1 || fail "windows: wine does not start (build/setup.log says why)"
}

# set_up_arm64 module|suite: for the suite, LÖVE with all that it needs, too.
set_up_arm64() {
    local prefix=$deps/arm64 archive
    has_apt || fail "arm64: needs Debian's packages; docs/platforms.md says what to install by hand"
    require_packages g++-aarch64-linux-gnu qemu-user-static
    if [ ! -e "$prefix/unpacked" ]; then
        say "arm64: fetching libraries into build/deps/arm64"
        fetch_with_apt arm64 download luajit libluajit-5.1-2 libluajit-5.1-dev libzstd1 libzstd-dev \
            libxxhash-dev "libcatch2-dev/$(codename)-backports" ||
            fail "arm64: cannot fetch its libraries (build/setup.log says why)"
        for archive in "$apt_dir"/*.deb; do dpkg -x "$archive" "$prefix"; done
        link_headers "$prefix/usr"
        touch "$prefix/unpacked"
    fi
    if [ "$1" = suite ] && [ ! -e "$prefix/love/unpacked" ]; then
        say "arm64: fetching LÖVE into build/deps/arm64/love"
        fetch_with_apt arm64 -o Debug::NoLocking=true install --download-only --no-install-recommends --yes love ||
            fail "arm64: cannot fetch LÖVE (build/setup.log says why)"
        mkdir -p "$prefix/love"
        for archive in "$apt_dir"/cache/archives/*.deb; do dpkg -x "$archive" "$prefix/love"; done
        touch "$prefix/love/unpacked"
    fi
    rm -rf "$apt_dir"
}
