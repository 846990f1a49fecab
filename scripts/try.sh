#!/usr/bin/env bash
# Tries what a release gives away: unpacks each archive as a user does, and starts its programs. Each plays a move and
# repeats the bench; `tengen` analyses a position, too.
#
# usage: try.sh ARCHIVE...     .tar.gz or .zip
#
# $TENGEN_RUNNER runs programs of another system (wine, qemu-aarch64). Needs tar and unzip.
set -euo pipefail
. "$(dirname "$0")/common.sh"

[[ $# -ge 1 && $1 != --help ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
runner=(${TENGEN_RUNNER:+"$TENGEN_RUNNER"})
signature=$(<"$root/tests/bench_signature.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints what a program answers, without the ends of lines of Windows.
answers() { timeout 300 "${runner[@]}" "$@" | tr -d '\r'; }

try() { # PROGRAM
    local name moves nodes words=()
    name=$(basename "$1" .exe)
    [[ $name == pbrain-* ]] || words=(engine)
    moves=$(printf 'START 15\nINFO timeout_turn 1000\nTURN 7,7\nEND\n' | answers "$1" "${words[@]}" | grep -v '^MESSAGE') ||
        die "$name fails"
    [[ $moves =~ ^OK$'\n'[0-9]+,[0-9]+$ ]] || die "$name answers '$moves', OK and a move expected"
    if [[ $name == pbrain-* ]]; then
        nodes=$(answers "$1" bench | nodes_of) || die "the bench of $name fails"
        [[ $nodes == "$signature" ]] || die "the bench of $name is '$nodes', not $signature"
    else
        answers "$1" analyze --nodes 1000 h8i9 | grep '^  best ' >"$work/best" || die "$name analyses nothing"
    fi
    echo "try: $name plays"
}

for archive; do
    folder=$(mktemp -d "$work/XXXXXX")
    case $archive in
    *.tar.gz) tar -xzf "$archive" -C "$folder" ;;
    *.zip) unzip -q "$archive" -d "$folder" ;;
    *) die "$archive is neither .tar.gz nor .zip" ;;
    esac
    count=0
    while read -r program; do
        if [[ ${program%.exe} == *-v3 && -r /proc/cpuinfo ]] && ! grep -qw avx2 /proc/cpuinfo; then
            echo "try: $program NOT RUN, since this processor has no AVX2" >&2
            continue
        fi
        try "$program"
        count=$((count + 1))
    done < <(find "$folder" -type f \( -name 'tengen' -o -name 'tengen-v3' -o -name 'tengen*.exe' -o -name 'pbrain-tengen*' \) ! -name '*.1')
    ((count > 0)) || die "$archive holds no program"
    echo "try: $archive is fine, $count programs"
done
