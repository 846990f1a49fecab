#!/usr/bin/env bash
# Compares the speed of two versions: their benches run in turns, and the ratio of nodes a second.
# Seconds are processor time, which a busy machine disturbs less than time on the wall.
#
# usage: bench.sh BASE NEW [RUNS]     BASE, NEW: a binary or a commit; RUNS: of each (3)
set -euo pipefail
. "$(dirname "$0")/../common.sh"
# In some locales bash writes a decimal comma, which awk does not read.
export LC_ALL=C
[[ $# -ge 2 ]] || die "usage: bench.sh BASE NEW [RUNS]"
base=$(engine_of "$1")
new=$(engine_of "$2")
runs=${3:-3}

knows_moves() { [[ $("$1" bench --help 2>&1) == *--moves* ]]; }

# Some versions from before `bench --moves` time moves in every bench: then the other one does so, too.
options=()
for engine in "$base" "$new"; do
    knows_moves "$engine" || [[ $("$engine" bench) != *Moves:* ]] || options=(--moves)
done

# Prints nodes, processor seconds and nodes a second of one run.
measure() {
    local TIMEFORMAT=%U output asked=()
    ! knows_moves "$1" || asked=("${options[@]}")
    output=$({ time "$1" bench "${asked[@]}"; } 2>&1) || die "the bench of $1 has failed: $output"
    awk '/^Bench:/ { nodes = $2 } END { print nodes, $1, nodes / $1 }' <<<"$output"
}

results=''
for ((i = 1; i <= runs; i++)); do
    for side in base new; do
        line="$side $(measure "${!side}")"
        echo "$line" >&2
        results+=$line$'\n'
    done
done

awk -v base="$1" -v new="$2" '
    { n[$1]++; speed[$1] += $4; nodes[$1] = $2; if ($4 > best[$1]) best[$1] = $4 }
    END {
        printf "base %s: %d nodes, mean %.0f nps, best %.0f nps\n", base, nodes["base"],
            speed["base"] / n["base"], best["base"]
        printf "new  %s: %d nodes, mean %.0f nps, best %.0f nps\n", new, nodes["new"],
            speed["new"] / n["new"], best["new"]
        printf "ratio of the means %.4f, of the best %.4f%s\n",
            speed["new"] / n["new"] / (speed["base"] / n["base"]), best["new"] / best["base"],
            nodes["base"] == nodes["new"] ? "" : " (the signatures differ)"
    }' <<<"$results"
