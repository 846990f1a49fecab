#!/usr/bin/env bash
# Plays a match between two engines with c-gomoku-cli ($GOMOKU_CLI), a judge of another author, and
# prints the result. `tengen-lab match` knows caro too, and has a sequential test.
#
# usage: match.sh FIRST SECOND [options]      the result is seen from FIRST
#
#   FIRST, SECOND          a program of any engine, or a commit of this repository
#   --rule RULE            freestyle, standard or renju, or its number: 0, 1, 4
#   --size N               board length (15)
#   --tc MATCH/TURN[+INC]  seconds (0/0.1: 100 ms a move, no match limit)
#   --second-tc ...        the same for SECOND where it has another clock
#   --nodes N              fixed nodes a move (INFO max_node) for both, and no clock to speak of
#   --openings FILE        one opening a line, "pos" (h8i9..), or offsets if named *.offset.txt
#   --games N              at most, an even number (100)
#   --first-info K=V       a further INFO for FIRST, such as strength=60; may be repeated
#   --second-info K=V      the same for SECOND
#   --memory MB            max_memory (350)
#   --tolerance S          seconds that a late answer is waited for (2)
#   --seed N               of the order of the openings (1; 0 is unpredictable)
#   --concurrency N        games at a time (1)
#   --out DIR              keep games (SGF), messages and the log there; DIR holds no match yet
#
# The engines have the names of their files or commits. The interval of Elo counts the two games of an opening together:
# they depend on each other. Fewer than five openings, or openings that all ended alike, have none.
set -euo pipefail
. "$(dirname "$0")/common.sh"

[[ $# -ge 2 ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
first_name=$1 second_name=$2
shift 2
rule=0 size=15 tc=0/0.1 second_tc='' nodes='' openings='' games=100 memory=350 tolerance=2 seed=1
concurrency=1 out=''
first_info=() second_info=()
while [[ $# -gt 0 ]]; do
    [[ $# -ge 2 ]] || die "$1 needs a value"
    case $1 in
    --first-info | --second-info)
        [[ $2 == ?*=* ]] || die "$1 takes KEY=VALUE, not '$2'"
        if [[ $1 == --first-info ]]; then first_info+=("$2"); else second_info+=("$2"); fi
        ;;
    --second-tc) second_tc=$2 ;;
    --rule | --size | --tc | --nodes | --openings | --games | --memory | --tolerance | --seed | \
        --concurrency | --out) printf -v "${1#--}" '%s' "$2" ;;
    *) die "unknown option $1" ;;
    esac
    shift 2
done
for name in games size memory concurrency ${nodes:+nodes}; do
    [[ ${!name} =~ ^[1-9][0-9]{0,8}$ ]] || die "--$name takes a number above 0, not '${!name}'"
done
((size >= 5 && size <= 22)) || die "--size takes 5 to 22, not $size"
[[ $seed =~ ^[0-9]{1,18}$ ]] || die "--seed takes a number, not '$seed'"
seconds='([0-9]+\.?[0-9]*|\.[0-9]+)'
[[ $tolerance =~ ^$seconds$ ]] || die "--tolerance takes seconds, not '$tolerance'"
for clock in "$tc" "${second_tc:-$tc}"; do
    [[ $clock =~ ^$seconds/$seconds(\+$seconds)?$ ]] || die "a clock is MATCH/TURN[+INC] in seconds, not '$clock'"
done

names=([0]=freestyle [1]=standard [4]=renju)
for number in "${!names[@]}"; do
    [[ $rule != "${names[number]}" ]] || rule=$number
done
[[ $rule =~ ^[0-9]+$ && -n ${names[rule]:-} ]] || die "c-gomoku-cli knows no rule '$rule'; tengen-lab match knows caro too"
cli=$(match_tool)
first=$(engine_of "$first_name")
second=$(engine_of "$second_name")
# Whether an engine with these INFOs may play two games from one opening differently at fixed nodes:
# if it has several threads, or a lower strength without a seed.
plays_at_random() {
    local info strength=100 seed='' thread_num=1
    for info; do
        [[ ! $info =~ ^(strength|seed|thread_num)= ]] || printf -v "${info%%=*}" '%s' "${info#*=}"
    done
    [[ $strength != 100 && -z $seed || $thread_num != 1 ]]
}
if [[ -n $nodes ]] && ! plays_at_random "${first_info[@]}" && ! plays_at_random "${second_info[@]}"; then
    lines=1
    if [[ -n $openings ]]; then
        list=$(file_of "$openings")
        lines=$(grep -c '[^[:space:]]' "$list") || die "no opening in '$openings'"
    fi
    different=$((2 * lines))
    if ((games > different)); then
        echo "${0##*/}: at fixed nodes these openings make $different games, not more" >&2
        games=$different
    fi
fi
name_of() {
    local name=${1##*/}
    name=${name%.exe}
    echo "${name//[^A-Za-z0-9._-]/_}"
}
first_id=$(name_of "$first_name") second_id=$(name_of "$second_name")
[[ $first_id != "$second_id" ]] || first_id+=-1 second_id+=-2
setting="rule $rule, ${size}x$size, ${memory} MB"
if [[ -n $nodes ]]; then setting+=", $nodes nodes a move"; else setting+=", tc $tc${second_tc:+ to $second_tc}"; fi
[[ -z $openings ]] || setting+=", openings $(basename "$openings") (seed $seed)"
[[ ${#first_info[@]} == 0 ]] || setting+=", first with ${first_info[*]}"
[[ ${#second_info[@]} == 0 ]] || setting+=", second with ${second_info[*]}"
if [[ -n $out ]]; then
    mkdir -p "$out"
    work=$(realpath "$out")
    [[ ! -e $work/games.sgf ]] || die "$out holds a match already"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
each=(tolerance="$tolerance" maxmemory="$((memory << 20))")
if [[ -n $nodes ]]; then
    each+=(nodes="$nodes")
    tc=0/600 second_tc=''
fi
command=("$cli" -each "${each[@]}"
    -engine name="$first_id" cmd="$(command_of "$first")" tc="$tc" "${first_info[@]/#/option.}"
    -engine name="$second_id" cmd="$(command_of "$second")" tc="${second_tc:-$tc}" "${second_info[@]/#/option.}"
    -rule "$rule"
    -boardsize "$size" -games "$games" -repeat -concurrency "$concurrency"
    -drawafter "$((size * size))")
if [[ -n $openings ]]; then
    kind=pos
    [[ $openings != *.offset.txt ]] || kind=offset
    command+=(-openings file="$(file_of "$openings")" type="$kind" order=random srand="$seed")
fi
[[ -z $out ]] || command+=(-sgf games.sgf -msg messages.txt -log)

# c-gomoku-cli does not watch the clock of the last game, so an engine that hangs there hangs the match:
# MATCH_TIMEOUT limits the whole.
status=0
cd "$work"
exec 3> >(tee output.txt | awk '/^Score of/ && ++n % 20 == 0 { print > "/dev/stderr" }')
progress=$!
limited "${MATCH_TIMEOUT:-48h}" "${command[@]}" >&3 2>&1 3>&- || status=$?
exec 3>&-
wait "$progress" || status=$?

awk -v first="$first_name" -v second="$second_name" -v ids="$first_id $second_id" -v setting="$setting" '
    BEGIN { split(ids, id, " ") }
    function elo(score) {
        if (score <= 0) return "-inf"
        if (score >= 1) return "+inf"
        return sprintf("%+.1f", 400 * log(score / (1 - score)) / log(10))
    }
    index($0, "Score of " id[1] " vs ") == 1 { w = $6; l = $8; d = $10 }
    # Finished game 3 (A vs B): 0-1 {White win by time forfeit}
    function is_lost_by_first() {
        return (index($0, "(" id[1] " vs ") > 0) == /: 0-1/
    }
    /Finished game/ {
        number = $0
        sub(/.*Finished game /, "", number)
        opening = int((number + 1) / 2)
        games[opening]++
        points[opening] += /: 1\/2-1\/2/ ? 0.5 : !is_lost_by_first()
    }
    /Finished game/ && /\{.*time forfeit/ { late[is_lost_by_first()]++ }
    /Finished game/ && /\{.*(illegal|forbidden) move/ { illegal[is_lost_by_first()]++ }
    /Finished game/ && /\{.*crash/ { crashed[is_lost_by_first()]++ }
    END {
        n = w + l + d
        printf "\n%s against %s\n%s\n", first, second, setting
        if (!n) {
            print "no game was finished"
            exit 1
        }
        s = (w + d / 2) / n
        for (opening in games) {
            variance += (points[opening] - games[opening] * s) ^ 2
            openings++
        }
        printf "W %d, L %d, D %d of %d: %.1f %%, Elo %s", w, l, d, n, 100 * s, elo(s)
        if (openings < 5 || variance == 0) {
            print "; too few games for an interval"
        } else {
            error = sqrt(variance * openings / (openings - 1)) / n
            printf " [%s, %s] (95 %%)\n", elo(s - 1.96 * error), elo(s + 1.96 * error)
        }
        for (side = 1; side >= 0; side--)
            printf "%s: time losses %d, illegal or forbidden moves %d, crashes %d\n",
                id[2 - side], late[side], illegal[side], crashed[side]
    }' output.txt || {
    tail -n 5 output.txt >&2
    status=1
}
exit "$status"
