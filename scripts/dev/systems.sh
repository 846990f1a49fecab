#!/usr/bin/env bash
# Plays on the systems that a release is for, and says how each ended: the Windows program from its zip
# under Wine, the program for ARM under qemu, the archive for Linux, the page in a browser. Each must
# give the bench signature or play a game.
#
# usage: systems.sh [windows] [arm] [linux] [page]     all of them if none is named
#
# What is missing is installed where this is Debian or Ubuntu and we are root, all but Wine:
# $TENGEN_RUNNER names a Wine 10 or newer, as package.sh takes it. Under CI=true a system that cannot be
# tried is a failure. Takes half an hour on two cores from nothing.
set -uo pipefail
cd "$(dirname "$0")/../.."
. scripts/common.sh

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
signature=$(<tests/bench_signature.txt)
# What a function returns that cannot try its system.
untried=77

# Says whether rustup has, or can get, the standard library of a target.
has_target() { compgen -G "$(rustc --print target-libdir --target "$1")/libstd-*" >/dev/null || rustup target add "$1" 2>/dev/null; }

windows() (
    [[ -n ${TENGEN_RUNNER:-} ]] || command -v wine >/dev/null || return $untried
    command -v x86_64-w64-mingw32-gcc >/dev/null || install_packages gcc-mingw-w64-x86-64 zip unzip
    options=()
    has_target x86_64-pc-windows-gnu || { use_debian_rust && options=(-Zbuild-std=std,panic_unwind); } || return $untried
    scripts/package.sh "${options[@]}"
)

arm() (
    triple=aarch64-unknown-linux-gnu
    command -v aarch64-linux-gnu-gcc >/dev/null || install_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    command -v qemu-aarch64 >/dev/null || install_packages qemu-user
    command -v qemu-aarch64 >/dev/null || return $untried
    options=()
    has_target $triple || { use_debian_rust && options=(-Zbuild-std=std,panic_unwind); } || return $untried
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    cargo=(cargo --config "build.target-dir='$target/arm'")
    "${cargo[@]}" run --release -p tengen "${options[@]}" --target $triple -- bench | tee "$target/arm.txt" || return 1
    [[ $(nodes_of <"$target/arm.txt") == "$signature" ]] || return 1
    # The loops in NEON against their scalar twins.
    "${cargo[@]}" test --release -p tengen --lib "${options[@]}" --target $triple eval::
)

linux() (
    # Its programs need no Wine.
    unset TENGEN_RUNNER
    options=()
    [[ -z $(git status --porcelain) ]] || options=(--dirty)
    scripts/release.sh "${options[@]}"
)

page() (
    command -v chromedriver >/dev/null || install_packages chromium chromium-driver
    build_web || return $untried
    cargo build -p tengen-app || return 1
    scripts/dev/board_test.py "$target/debug/tengen" --web "$target/web"
)

[[ $# -gt 0 ]] || set -- windows arm linux page
mkdir -p "$target"
ended=0
table=
for system in "$@"; do
    [[ $(type -t "$system") == function ]] || die "$system is no system: windows, arm, linux or page"
    "$system"
    case $? in
        0) result=ok ;;
        "$untried")
            result="NOT TRIED"
            [[ ${CI:-} != true ]] || ended=1
            ;;
        *) result=FAILED ended=1 ;;
    esac
    table+=$(printf '%-8s %s' "$system" "$result")$'\n'
done
printf '\n%s' "$table"
exit $ended
