#!/usr/bin/env bash
# Fuzzes the engine, guided by coverage, with stable Rust alone.
#
# usage: run.sh TARGET [RUNS]     RUNS: a million if not said
# TARGET: protocol, record, library, database, typed or table
#
# What is found to be new gathers in fuzz/found/TARGET.txt and is used again by the next run; the
# corpus that belongs to the tests is tests/corpus/TARGET.txt, each input a line. A fault ends the
# run: its input is in fuzz/found/TARGET.fault, and belongs into the corpus once it is understood,
# below a line that says what was wrong.
set -euo pipefail
cd "$(dirname "$0")"

target=${1:?usage: run.sh TARGET [RUNS]}
runs=${2:-1000000}
host=$(rustc -vV | sed -n 's/^host: //p')

# Naming the host keeps the flags from build scripts, which have nobody to take the counters.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/fuzz
mkdir -p found
cargo build --quiet --release --target "$host"
exec "$CARGO_TARGET_DIR/$host/release/tengen-fuzz" "$target" "found/$target.txt" "$runs" \
    "../tests/corpus/$target.txt"
