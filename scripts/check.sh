#!/usr/bin/env bash
# Everything a commit has to pass: format, lints, tests, release build, and the bench signature.
#
# usage: check.sh [--update]     --update writes the new signature instead of comparing it
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo fmt --check
step cargo clippy --all-targets -- -D warnings
step cargo test
step cargo build --release

target=${CARGO_TARGET_DIR:-target}
printf '\n== bench\n'
output=$("$target/release/pbrain-tengen" bench)
last=$(tail -n 1 <<<"$output")
found=$(awk '/^Bench: [0-9]+ nodes/ { print $2 }' <<<"$last")
if [[ ${1:-} == --update ]]; then
    echo "$found" >tests/bench_signature.txt
fi
wanted=$(<tests/bench_signature.txt)
echo "$last"
if [[ -z $found || $found != "$wanted" ]]; then
    echo "$output"
    echo "check: the bench is '$found', tests/bench_signature.txt says '$wanted'" >&2
    exit 1
fi
echo "check: everything is fine"
