#!/usr/bin/env bash
# What a commit has to pass: format, lints, documentation, tests, release build, and the bench
# signature. What needs a browser or Dask is left to .ci/run, other systems to scripts/dev/systems.sh.
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

# Tests compare the signature, too.
if [[ ${1:-} == --update ]]; then
    step cargo build --release -p tengen
    output=$("$target/release/pbrain-tengen" bench)
    found=$(nodes_of <<<"$output")
    [[ -n $found ]] || { echo "check: no nodes in '$output'" >&2; exit 1; }
    echo "$found" >"$signature"
fi

step cargo fmt --all --check
# The release is linked in one thread, so it is built beside the lints.
cargo build --release -p tengen &
release=$!
step cargo clippy --workspace --all-targets -- -D warnings
step cargo clippy -p tengen --all-targets --no-default-features -- -D warnings
step cargo fmt --check --manifest-path fuzz/Cargo.toml
# Lints do not link libFuzzer, so that nothing needs to build it.
step env CUSTOM_LIBFUZZER_PATH="$PWD/none" \
    cargo clippy --manifest-path fuzz/Cargo.toml --target-dir "$target" -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
# Only this test differs without the database. To optimise would take longer than the test. The next
# step builds the programs with the database again.
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

# Both players are the same program, so each pair must end level.
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
    status=0
    step scripts/dev/league_test.py || status=$?
    case $status in
    0) ;;
    77) not_tried "league.py: psutil is missing" ;;
    *) exit "$status" ;;
    esac
fi

printf '\n== bench\n'
output=$("$target/release/pbrain-tengen" bench)
found=$(nodes_of <<<"$output")
wanted=$(<"$signature")
tail -n 1 <<<"$output"
if [[ -z $found || $found != "$wanted" ]]; then
    echo "$output"
    echo "check: the bench is '$found', $signature says '$wanted'" >&2
    exit 1
fi
echo "check: everything is fine"
