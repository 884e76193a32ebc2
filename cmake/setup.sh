# shellcheck shell=bash
# Sourced by ./test and ./play: brings the machine to where `cmake --preset` works.
#
# Packages of the distribution are installed through apt, and only when dpkg does
# not know them. Catch2 3 and sol2 may be too new for the distribution: they are
# then fetched from a younger suite of the mirror apt already uses and unpacked
# into build/deps, where the presets look. apt's own configuration stays as it is,
# and once everything is there the network is not touched.

set -eu

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

deps=$root/build/deps
apt_dir=$deps/apt # our own apt state, removed when done
setup_log=$root/build/setup.log
jobs=$(nproc 2>/dev/null || echo 2)

say() {
    printf '%s: %s\n' "$(basename "$0")" "$*"
}

fail() {
    say "$*" >&2
    exit 1
}

# The version of an installed package; fails when it is not installed.
installed_version() {
    local status
    status=$(dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null | grep '^installed ') &&
        echo "${status#installed }"
}

codename() {
    # shellcheck source=/dev/null
    (. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
}

has_apt() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif ! command -v sudo >/dev/null; then
        echo "neither root nor sudo" >&2
        return 1
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" >>"$setup_log" 2>&1
}

apt_update() {
    as_root apt-get update >>"$setup_log" 2>&1
}

require_packages() {
    local missing=() package
    for package in "$@"; do
        installed_version "$package" >/dev/null || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return

    say "installing ${missing[*]}"
    # Lists may be absent or old: fetch them only if the first attempt fails.
    apt_install "${missing[@]}" || { apt_update && apt_install "${missing[@]}"; } ||
        fail "cannot install ${missing[*]} (build/setup.log says why); as root: apt-get install ${missing[*]}"
}

# Writes a sources.list of one suite, on the mirror that serves the distribution.
# Its signature is checked like any other.
write_suite() {
    local suite=$1 uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    local options=target=Packages
    # shellcheck disable=SC2016 # apt fills these in
    uri=$(apt-get indextargets --format '$(RELEASE) $(CODENAME) $(COMPONENT) $(REPO_URI)' \
        'Created-By: Packages' 2>>"$setup_log" | awk -v name="$(codename)" \
        '($1 == name || $2 == name) && $3 == "main" { print $4; exit }')
    [ -n "$uri" ] || return 1
    [ ! -e "$keyring" ] || options+=" signed-by=$keyring"
    echo "deb [$options] $uri $suite main" >"$apt_dir/sources.list"
}

# apt-get and apt-cache with a state of our own, which needs no root.
write_apt_conf() {
    mkdir -p "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
    cat >"$apt_dir/apt.conf" <<-END
	Dir::Etc::SourceList "$apt_dir/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::Etc::Preferences "/dev/null";
	Dir::Etc::PreferencesParts "/dev/null";
	Dir::State::Lists "$apt_dir/lists";
	Dir::Cache "$apt_dir/cache";
	Acquire::Languages "none";
	APT::Sandbox::User "$(id -un)";
	#clear APT::Update::Pre-Invoke;
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	END
}

# download PACKAGE [APT OPTION...]: the .deb into $apt_dir, if its version is 3.x.
download() {
    local package=$1 candidate
    shift
    candidate=$(LC_ALL=C apt-cache "$@" policy "$package" 2>>"$setup_log" |
        awk '$1 == "Candidate:" { print $2 }')
    case $candidate in
        3.*) (cd "$apt_dir" && apt-get "$@" download "$package=$candidate" >>"$setup_log" 2>&1) ;;
        *) return 1 ;;
    esac
}

download_from_suite() {
    local package=$1 suite=$2
    write_suite "$suite" || { apt_update && write_suite "$suite"; } || return 1
    apt-get -c "$apt_dir/apt.conf" update >>"$setup_log" 2>&1 || return 1
    download "$package" -c "$apt_dir/apt.conf"
}

# require_unpacked PACKAGE SUITE...: version 3.x of it, be it installed, unpacked
# earlier, offered by the distribution or by the first of the suites that has it.
require_unpacked() {
    local package=$1 suite
    shift
    [ ! -e "$deps/$package.version" ] || return 0
    case $(installed_version "$package" || true) in 3.*) return ;; esac

    say "fetching $package into build/deps"
    rm -rf "$apt_dir"
    write_apt_conf
    if ! download "$package"; then
        for suite in "$@"; do
            ! download_from_suite "$package" "$suite" || break
        done
    fi
    local archives=("$apt_dir/$package"_*.deb)
    [ -f "${archives[0]}" ] ||
        fail "cannot fetch $package 3 (build/setup.log says why); install it or unpack it into build/deps"
    dpkg -x "${archives[0]}" "$deps"
    dpkg-deb -f "${archives[0]}" Version >"$deps/$package.version"
    rm -rf "$apt_dir"
}

set_up() {
    mkdir -p build
    if ! has_apt; then
        say "no apt on this machine: the libraries of vcpkg.json must be installed already"
        return
    fi
    : >"$setup_log"
    require_packages g++ cmake ninja-build ccache pkg-config \
        libboost-dev libxxhash-dev libzstd-dev libtbb-dev nlohmann-json3-dev libluajit-5.1-dev luajit love libbenchmark-dev \
        libsdl2-dev libimgui-dev libstb-dev libpng-dev fonts-dejavu-core xvfb xauth
    # A static library: only suites built with this distribution's compiler will do.
    require_unpacked libcatch2-dev "$(codename)-backports"
    require_unpacked sol2-dev testing unstable # headers only
    say "everything the build needs is there"
}

# set_up_with PACKAGE...: these, too.
set_up_with() {
    set_up
    ! has_apt || require_packages "$@"
}

# configure PRESET, build PRESET [TARGET...]: as the presets say.
configure() {
    say "$1: configuring in build/$1"
    cmake --preset "$1" >"build/configure-$1.log" 2>&1 || {
        cat "build/configure-$1.log" >&2
        fail "$1: cannot configure"
    }
}

build() {
    local preset=$1
    shift
    say "$preset: building"
    cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"} ||
        fail "$preset: cannot build"
}
