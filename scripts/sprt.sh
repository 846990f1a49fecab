#!/usr/bin/env bash
# Tests with c-gomoku-cli ($GOMOKU_CLI) whether NEW is stronger than BASE, game by game, and stops
# when that is decided (sequential probability ratio test).
#
# usage: sprt.sh BASE NEW [options]     BASE, NEW: a binary or a commit
#
#   --elo0 E, --elo1 E     H0: at most elo0, H1: at least elo1 (0 and 5; -5 and 0 for a simplification)
#   any option of match.sh (--games 20000, --alpha 0.05, --beta 0.05 unless said otherwise)
#
# Prints wins, losses, draws and Elo as seen from NEW, the log-likelihood ratio with its bounds, and
# the setting. Openings: --openings FILE, or $TENGEN_OPENINGS.
set -euo pipefail
. "$(dirname "$0")/common.sh"

[[ $# -ge 2 ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
base=$1 new=$2
shift 2
elo0=0 elo1=5
options=(--games 20000)
[[ -z ${TENGEN_OPENINGS:-} ]] || options+=(--openings "$TENGEN_OPENINGS")
while [[ $# -gt 0 ]]; do
    [[ $# -ge 2 ]] || die "$1 needs a value"
    case $1 in
    --elo0) elo0=$2 ;;
    --elo1) elo1=$2 ;;
    *) options+=("$1" "$2") ;;
    esac
    shift 2
done
[[ " ${options[*]} " == *" --openings "* ]] || die "name openings: --openings FILE or TENGEN_OPENINGS"

exec "$root/scripts/match.sh" "$new" "$base" "${options[@]}" --sprt "$elo0,$elo1"
