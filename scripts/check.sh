#!/usr/bin/env bash
# What a commit has to pass: format, lints, documentation, tests, release build, and the bench
# signature. What needs a browser, Dask or another system is left to .ci/run.
#
# usage: check.sh [--update]     --update writes the new signature first, then checks everything
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

target=${CARGO_TARGET_DIR:-target}
signature=tests/bench_signature.txt

# Runs a command, and says how long it took.
step() {
    local start=$SECONDS status=0
    printf '\n== %s\n' "$*"
    "$@" || status=$?
    echo "== $((SECONDS - start)) s"
    return $status
}

# Prints the nodes in the output of a bench.
nodes_of() { awk '/^Bench: [0-9]+ nodes/ { print $2 }' <<<"$1"; }

# Tests compare the signature, too.
if [[ ${1:-} == --update ]]; then
    step cargo build --release -p tengen
    output=$("$target/release/pbrain-tengen" bench)
    found=$(nodes_of "$output")
    [[ -n $found ]] || { echo "check: no nodes in '$output'" >&2; exit 1; }
    echo "$found" >"$signature"
fi

step cargo fmt --all --check
# The linker of the release works in one thread, so that the lints and the first tests have the others.
cargo build --release -p tengen &
release=$!
step cargo clippy --workspace --all-targets -- -D warnings
step cargo clippy -p tengen --all-targets --no-default-features -- -D warnings
step cargo fmt --check --manifest-path fuzz/Cargo.toml
# Lints do not link libFuzzer, so that nothing needs to build it.
step env CUSTOM_LIBFUZZER_PATH="$PWD/none" \
    cargo clippy --manifest-path fuzz/Cargo.toml --target-dir "$target" -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
# One test alone is different without the database: the optimiser would take longer than all of it.
# The programs that stay are those of the next step.
step cargo test -p tengen --no-default-features --config 'profile.dev.package.tengen.opt-level=0' \
    --test protocol cli
step cargo test --workspace
step wait "$release"
step scripts/dev/dependencies.py

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

# The two engines are one, so that each opening is shared.
printf '\n== match\n'
openings=$(mktemp) && trap 'rm -f "$openings"' EXIT
printf 'h8i9\nh8h7j9\n' >"$openings"
result=$("$target/debug/tengen-lab" match "$target/release/pbrain-tengen" \
    "$target/release/pbrain-tengen" --rule caro --nodes 300 --games 4 --openings "$openings")
grep '^W ' <<<"$result" || true
if ! grep -q '^W \([0-9]\), L \1, D [0-9] of 4: 50\.0 %' <<<"$result"; then
    echo "check: four games that are shared expected, '$result' read" >&2
    exit 1
fi

if command -v strace >/dev/null; then
    step scripts/dev/strace.sh
else
    not_tried "what the program touches: strace is missing"
fi

# The judge is a program of its own, which not everybody has.
if [[ -n ${GOMOCUP_JUDGE:-} ]]; then
    step scripts/dev/league_test.py
fi

printf '\n== bench\n'
output=$("$target/release/pbrain-tengen" bench)
found=$(nodes_of "$output")
wanted=$(<"$signature")
tail -n 1 <<<"$output"
if [[ -z $found || $found != "$wanted" ]]; then
    echo "$output"
    echo "check: the bench is '$found', $signature says '$wanted'" >&2
    exit 1
fi
echo "check: everything is fine"
