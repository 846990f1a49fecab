#!/usr/bin/env bash
# What a commit has to pass: format, lints, documentation, tests, release build, and the bench
# signature. What needs a browser or another system is left to .ci/run.
#
# usage: check.sh [--update]     --update writes the new signature instead of comparing it
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo fmt --check
step cargo clippy --all-targets -- -D warnings
step cargo clippy --all-targets --features tools -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps
step env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --features tools,board
step cargo test
step cargo test --features tools --lib --bins --test datagen --test referee
step cargo fmt --check --manifest-path fuzz/Cargo.toml
step cargo clippy --manifest-path fuzz/Cargo.toml -- -D warnings
step scripts/dependencies.py
step cargo build --release

target=${CARGO_TARGET_DIR:-target}
printf '\n== no faults on demand in the release\n'
if grep -q TENGEN_FAULT "$target/release/pbrain-tengen"; then
    echo "check: the release can be asked for faults" >&2
    exit 1
fi
# The word must be in the debug program, or its absence would show nothing.
if ! grep -q TENGEN_FAULT "$target/debug/pbrain-tengen"; then
    echo "check: the debug program knows no faults on demand" >&2
    exit 1
fi

# Dask lives in a virtual environment, which is made where there is a package index.
fleet=$target/fleet-venv
if ! "$fleet/bin/python" -c 'import distributed' 2>/dev/null; then
    { python3 -m venv "$fleet" && "$fleet/bin/pip" install --quiet distributed; } >/dev/null 2>&1 || true
fi
if "$fleet/bin/python" -c 'import distributed' 2>/dev/null; then
    step "$fleet/bin/python" scripts/fleet_test.py
else
    echo "check: Dask cannot be installed, fleet.py is not tested" >&2
fi

if command -v strace >/dev/null; then
    step scripts/strace.sh
else
    echo "check: strace is missing, what the program touches is not looked at" >&2
fi

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
