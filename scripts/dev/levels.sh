#!/usr/bin/env bash
# Measures what the levels of INFO strength are worth: each plays the one STEP below it.
#
# usage: levels.sh ENGINE [STEP] [options of match.sh]
#
# ENGINE is a program or a commit, STEP the distance of two levels (20). Without options a match is
# 100 games at 30,000 nodes a move, so that the table is the same on every machine; openings come
# from $TENGEN_OPENINGS.
set -euo pipefail
. "$(dirname "$0")/../common.sh"

[[ $# -ge 1 ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
engine=$(engine_of "$1")
shift
step=20
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    step=$1
    shift
fi
((step >= 1 && step <= 100)) || die "the step is 1 to 100"
options=(--nodes 30000)
[[ -z ${TENGEN_OPENINGS:-} ]] || options+=(--openings "$TENGEN_OPENINGS")
options+=("$@")

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
printf '| Level | Against | Wins, losses, draws | Elo (95 %%) |\n| --- | --- | --- | --- |\n'
for ((level = step; level <= 100; level += step)); do
    result=$("$root/scripts/match.sh" "$engine" "$engine" --first-info "strength=$level" \
        --second-info "strength=$((level - step))" "${options[@]}" 2>"$errors") ||
        die "the match at level $level failed: $(tail -n 1 "$errors")"
    awk -v level="$level" -v below="$((level - step))" '/^W [0-9]+, L/ {
        elo = $0
        sub(/.*Elo /, "", elo)
        sub(/ \(95 %\)/, "", elo)
        printf "| %d | %d | %d-%d-%d | %s |\n", level, below, $2 + 0, $4 + 0, $6, elo
    }' <<<"$result"
done
