#!/usr/bin/env bash
# Shows that the program touches nothing that it was not told to: under strace it speaks the protocol,
# as a manager lets it, and no file is written, no network used and no other program run.
#
# usage: strace.sh [ENGINE]     target/release/pbrain-tengen if none is named; needs strace
set -euo pipefail
[[ $# -eq 0 ]] || set -- "$(realpath "$1")"
cd "$(dirname "$0")/../.."

engine=${1:-${CARGO_TARGET_DIR:-target}/release/pbrain-tengen}
command -v strace >/dev/null || { echo "strace.sh: strace is missing" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

dialogue() {
    printf 'ABOUT\nSTART 15\nINFO folder %s\nINFO timeout_turn 200\nTURN 7,7\n' "$folder"
    sleep 0.5
    printf 'INFO thread_num 2\nINFO rule 4\nINFO max_memory 100000000\nTURN 0,0\nSWAP2BOARD DONE\n'
    sleep 0.5
    printf 'YXSHOWFORBID\nYXHASHCLEAR\nRESTART\nBEGIN\nEND\n'
}
trace=$folder/trace
answers=$(dialogue | strace -f -qq -e trace=%file,%network,%process,ftruncate -o "$trace" "$engine" |
    grep -vc '^MESSAGE')
[[ $answers == 8 ]] || { echo "strace.sh: 8 answers expected, $answers read" >&2; exit 1; }

# What the loader, the C library and Rust's standard library read: themselves, and how much memory
# and how many processors there are. Threads are clones that share everything. strace writes ??? for
# the call of a thread that ended with the program before the call could be read.
known='"(/etc/ld\.so\.[a-z]+|(/usr)?/lib(32|64)?/[^"]+|/proc/[^"]+|/sys/(fs/cgroup|devices/system/cpu)[^"]*|)"'
reads="(open|openat|access|faccessat2?|stat|newfstatat|statx|readlink|statfs)\(.*$known"
quoted=$(sed 's/[][\.*^$+?(){}|]/\\&/g' <<<"$engine")
others="(execve\(\"$quoted\"|(clone|clone3)\(.*CLONE_THREAD|exit|exit_group|wait4|fstat)"
strange=$(sed -E 's/^[0-9]+ +//' "$trace" |
    grep -Ev "^(<\.\.\. |\+\+\+|--- |\?\?\?\( <unfinished)|^$others" |
    grep -Ev "^$reads" || true)
written=$(grep -E 'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND' "$trace" || true)
left=$(find "$folder" -mindepth 1 ! -name trace)
if [[ -n $strange$written$left ]]; then
    printf "strace.sh: not expected:\n%s\n%s\n%s\n" "$strange" "$written" "$left" >&2
    exit 1
fi
echo "strace.sh: $(wc -l <"$trace") calls, no file but the system's own was opened, none written, no network"
