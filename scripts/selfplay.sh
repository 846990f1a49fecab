#!/usr/bin/env bash
# Plays an engine against itself under c-gomoku-cli ($GOMOKU_CLI) and looks for everything that
# would lose a game at a tournament: crashes, time losses, illegal or forbidden moves, surplus or
# unknown output, and moves that took longer than the limit by the tool's own log.
#
# usage: selfplay.sh ENGINE [GAMES [MS]]     GAMES: about so many (100), MS: a move (100)
#
# Rules 0, 1 and 4, lengths 10, 15 and 20, with TURN and with BOARD at every move; one game at a
# time, tolerance 0.1 s, random openings of 1 to 5 stones. Logs stay in $SELFPLAY_OUT if it is set.
# Exit code 1 if anything was found.
set -euo pipefail
. "$(dirname "$0")/common.sh"

[[ $# -ge 1 ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
cli=$(match_tool)
engine=$(engine_of "$1")
games=${2:-100} limit=${3:-100}
each=$(((games + 35) / 36 * 2))
turn=$(awk -v ms="$limit" 'BEGIN { print ms / 1000 }')
if [[ -n ${SELFPLAY_OUT:-} ]]; then
    mkdir -p "$SELFPLAY_OUT"
    work=$(realpath "$SELFPLAY_OUT")
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

failures=0
for rule in 0 1 4; do
    for size in 10 15 20; do
        for mode in turn board; do
            folder=$work/$rule-$size-$mode
            mkdir -p "$folder"
            rm -f "$folder"/*
            # Openings as offsets from the middle.
            awk -v seed="$rule$size${#mode}" -v lines="$each" 'BEGIN {
                srand(seed)
                for (i = 0; i < lines; i++) {
                    split("", seen)
                    text = ""
                    for (stones = 1 + int(rand() * 5); stones > 0; ) {
                        xy = int(rand() * 7) - 3 "," int(rand() * 7) - 3
                        if (xy in seen) continue
                        seen[xy]
                        text = text (text == "" ? "" : ", ") xy
                        stones--
                    }
                    print text
                }
            }' >"$folder/openings.txt"
            arguments=(-each tc="0/$turn" tolerance=0.1 maxmemory=367001600
                -engine name=one cmd="$(command_of "$engine")" -engine name=two cmd="$(command_of "$engine")"
                -rule "$rule" -boardsize "$size" -games "$each" -repeat -concurrency 1 -log
                -openings file=openings.txt type=offset)
            [[ $mode == turn ]] || arguments+=(-sendbyboard)
            whole=$((each * size * size * (limit + 50) / 1000 + 30))
            status=0
            cd "$folder"
            limited "$whole" "$cli" "${arguments[@]}" >output.txt 2>&1 || status=$?
            awk -v setting="rule $rule, ${size}x$size, $mode" -v limit="$limit" -v status="$status" \
                -v wanted="$each" '
                FILENAME == "output.txt" {
                    if (/Finished game/) {
                        finished++
                        if (/time forfeit|illegal move|forbidden move|crash|Unterminated/) bad[++b] = $0
                    }
                    next
                }
                $3 == "<-" && $4 ~ /^(BEGIN|TURN|DONE)$/ { asked[$2] = $1 + 0; open[$2]++ }
                $3 == "->" && $4 ~ /^[0-9]+,[0-9]+$/ && NF == 4 {
                    if (!open[$2]) bad[++b] = "surplus move: " $0
                    open[$2] = 0
                    time = $1 - asked[$2]
                    moves++
                    if (time > worst) worst = time
                    if (time > limit) late++
                    next
                }
                $3 == "->" && $4 !~ /^(MESSAGE|OK|name=.*)$/ { bad[++b] = "output: " $0 }
                END {
                    if (status != 0) bad[++b] = "the match tool ended with " status
                    if (finished != wanted) bad[++b] = "games missing"
                    printf "%-24s games %d, moves %d, slowest %d ms, above the limit %d, faults %d\n",
                        setting, finished, moves, worst, late, b
                    for (i = 1; i <= b && i <= 10; i++) print "    " bad[i]
                    exit b + late > 0
                }' output.txt c-gomoku-cli.*.log || failures=$((failures + 1))
        done
    done
done
echo "selfplay: $failures of 18 settings with faults"
[[ $failures -eq 0 ]]
