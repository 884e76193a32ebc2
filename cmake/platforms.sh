# shellcheck shell=bash
# Sourced by ./test for --windows and --arm64, after setup.sh: cross compilers, an emulator, and the
# libraries for the other platform, below build/deps/windows and build/deps/arm64.
#
# For Windows, LuaJIT, zstd and Catch2 are built from Debian's source packages; for arm64, Debian's own
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

# Headers that need no building, from the machine's own packages.
link_headers() {
    mkdir -p "$1"
    ln -sfn /usr/include/boost "$1/boost"
    ln -sfn /usr/include/xxhash.h "$1/xxhash.h"
    ln -sfn /usr/include/nlohmann "$1/nlohmann"
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

build_zstd_for_windows() {
    local source=$deps/source/libzstd prefix=$1
    unpack_source libzstd || return 1
    make -C "$source/lib" -j "$jobs" libzstd.a CC=x86_64-w64-mingw32-gcc AR=x86_64-w64-mingw32-ar \
        CFLAGS=-O2 TARGET_SYSTEM=Windows ZSTD_NO_ASM=1 ZSTD_LEGACY_SUPPORT=0 ZSTD_LIB_DEPRECATED=0 >>"$setup_log" 2>&1 || return 1
    mkdir -p "$prefix/lib" "$prefix/include"
    cp "$source/lib/libzstd.a" "$prefix/lib/"
    cp "$source/lib/"{zstd.h,zstd_errors.h,zdict.h} "$prefix/include/"
    # shellcheck disable=SC2016
    write_pc "$prefix" libzstd 1.5 '-I${prefix}/include' '-L${prefix}/lib -lzstd'
}

build_catch2_for_windows() {
    local source=$deps/source/catch2 prefix=$1
    unpack_source "catch2/$(codename)-backports" || unpack_source catch2 || return 1
    cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
        -DCATCH_INSTALL_DOCS=OFF -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/windows.cmake" \
        -DCMAKE_INSTALL_PREFIX="$prefix" >>"$setup_log" 2>&1 &&
        cmake --build "$source/build" >>"$setup_log" 2>&1 &&
        cmake --install "$source/build" >>"$setup_log" 2>&1
}

set_up_windows() {
    local prefix=$deps/windows library
    has_apt || fail "windows: needs Debian's packages and sources; docs/platforms.md says what to build by hand"
    require_packages g++-mingw-w64-x86-64-posix wine wine64 make dpkg-dev gcc
    link_headers "$prefix/include"
    # shellcheck disable=SC2016
    write_pc "$prefix" libxxhash 0.8.1 '-I${prefix}/include' ''
    ln -sfn "$deps/usr/include/sol" "$prefix/include/sol"
    for library in luajit zstd catch2; do
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

set_up_arm64() {
    local prefix=$deps/arm64 archive
    has_apt || fail "arm64: needs Debian's packages; docs/platforms.md says what to install by hand"
    require_packages g++-aarch64-linux-gnu qemu-user-static
    [ -e "$prefix/unpacked" ] && return
    say "arm64: fetching libraries into build/deps/arm64"
    fetch_with_apt arm64 download luajit libluajit-5.1-2 libluajit-5.1-dev libzstd1 libzstd-dev \
        libxxhash-dev "libcatch2-dev/$(codename)-backports" ||
        fail "arm64: cannot fetch its libraries (build/setup.log says why)"
    for archive in "$apt_dir"/*.deb; do dpkg -x "$archive" "$prefix"; done
    link_headers "$prefix/usr/include"
    rm -rf "$apt_dir"
    touch "$prefix/unpacked"
}
