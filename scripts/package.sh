#!/usr/bin/env bash
# Builds the Windows program as Gomocup takes it: pbrain-tengen64.exe, statically linked and for
# processors with AVX2 (x86-64-v3), and Tengen.zip with it alone at its root. Then checks both:
# what the zip holds, its size, the libraries that Windows must have, no word of this machine, and,
# under Wine, a game and the bench signature.
#
# usage: package.sh [OPTIONS OF cargo build]
#
# Needs rustc's target x86_64-pc-windows-gnu (or -Zbuild-std=std,panic_unwind as an argument), the
# MinGW-w64 linker, zip and unzip. $TENGEN_RUNNER runs the program (wine, where there is one).
# Both files are left in $CARGO_TARGET_DIR/package (target/package).
set -euo pipefail
. "$(dirname "$0")/common.sh"

target=x86_64-pc-windows-gnu
processor=x86-64-v3
size_max=8000000
program=pbrain-tengen64.exe
# What every Windows 10 has, in lower case.
system='^(kernel32|ntdll|msvcrt|ucrtbase|advapi32|userenv|ws2_32|bcrypt|bcryptprimitives|api-ms-win-.*)\.dll$'

[[ ${1:-} != --help ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }

need() { command -v "$1" >/dev/null || die "$1 is missing: $2"; }
need cargo "install Rust"
mingw="install MinGW-w64 (Debian, Ubuntu: gcc-mingw-w64-x86-64)"
need "${CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER:-x86_64-w64-mingw32-gcc}" "$mingw"
need x86_64-w64-mingw32-objdump "$mingw"
need zip "install zip"
need unzip "install unzip"
libraries=$(cd "$root" && rustc --print target-libdir --target "$target")
[[ " $*" == *" -Zbuild-std"* ]] || compgen -G "$libraries/libstd-*" >/dev/null ||
    die "rustc has no standard library for $target: rustup target add $target"

cd "$root"
out=${CARGO_TARGET_DIR:-target}/package
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out/$program" "$out/Tengen.zip"

# The flags come in here alone, so that nothing set elsewhere changes the result.
flags=$(release_flags "$processor" -C target-feature=+crt-static)
CARGO_ENCODED_RUSTFLAGS=$flags CARGO_PROFILE_RELEASE_STRIP=symbols \
    cargo build --release --locked -p tengen --no-default-features --target "$target" \
    --target-dir "$out/build" "$@"
cp "$out/build/$target/release/pbrain-tengen.exe" "$out/$program"
(cd "$out" && zip -q -9 -X Tengen.zip "$program")

fail() { echo "${0##*/}: $*" >&2; exit 1; }

# What was zipped is what is checked.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ $(unzip -Z1 "$out/Tengen.zip") == "$program" ]] || fail "the zip holds more than the program"
# Managers unpack into folders like this one, and start the program from another.
place="$work/Gomocup folder žluť"
mkdir -p "$place"
unzip -q "$out/Tengen.zip" -d "$place"
exe=$place/$program
cmp "$exe" "$out/$program"
size=$(stat -c %s "$out/Tengen.zip")
[[ $size -le $size_max ]] || fail "the zip has $size bytes, more than $size_max"
headers=$(x86_64-w64-mingw32-objdump -p -f "$exe")
grep -q 'file format pei-x86-64' <<<"$headers" || fail "the program is not for 64-bit Windows"
grep -q 'Subsystem.*(Windows CUI)' <<<"$headers" || fail "the program has no standard input"
imports=$(awk '/DLL Name:/ { print tolower($3) }' <<<"$headers" | sort -u)
foreign=$(grep -Ev "$system" <<<"$imports" || true)
[[ -n $imports && -z $foreign ]] || fail "the program needs $foreign, which Windows does not have"
code=$(x86_64-w64-mingw32-objdump -d --no-show-raw-insn "$exe")
grep -q '%ymm' <<<"$code" || fail "the program does not use AVX2"
# AVX-512 is for the networks alone, where the processor has it: one instruction in a hundred at most.
wide=$(grep -c '%zmm\|%k[1-7]' <<<"$code" || true)
[[ $((100 * wide)) -le $(wc -l <<<"$code") ]] || fail "$wide instructions need AVX-512"
check_paths "$exe"
echo "$out/$program: $(stat -c %s "$exe") bytes, needs" $imports
echo "$out/Tengen.zip: $size bytes"

runner=${TENGEN_RUNNER:-$(command -v wine || true)}
if [[ -z $runner ]]; then
    echo "package: NOT RUN, since there is no Wine; set TENGEN_RUNNER to what runs it" >&2
    exit
fi
[[ $runner != */* ]] || runner=$(realpath "$runner")
# Wine reads such names of folders only where they are UTF-8.
export WINEDEBUG=${WINEDEBUG:--all} LC_ALL=C.UTF-8
cd "$work"
# Wine's first start makes a folder for the user, which takes its time and is talked about.
version=$(timeout 300 "$runner" "$exe" --version 2>/dev/null </dev/null) || fail "$runner cannot run it"
printf 'START 20\r\nINFO timeout_turn 1000\r\nBOARD\r\n10,10,2\r\nDONE\r\nTURN 0,0\r\nEND\r\n' |
    timeout 60 "$runner" "$exe" >"$work/output" 2>"$work/errors" || fail "the game ended with $?"
answers=$(grep -v '^MESSAGE ' "$work/output")
[[ $answers =~ ^OK$'\n'[0-9]+,[0-9]+$'\n'[0-9]+,[0-9]+$ ]] || fail "OK and two moves expected: $answers"
[[ ! -s $work/errors ]] || fail "stderr is not empty: $(<"$work/errors")"
nodes=$(timeout 600 "$runner" "$exe" bench | nodes_of) || fail "the bench fails"
[[ $nodes == "$(<"$root/tests/bench_signature.txt")" ]] || fail "the bench is '$nodes'"
echo "package: ${version%$'\r'} plays under $(basename "$runner"), bench $nodes"
