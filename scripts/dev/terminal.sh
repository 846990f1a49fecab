#!/usr/bin/env bash
# Drives the program in a real terminal emulator (tmux) and checks what its screen shows.
#
# usage: terminal.sh [ENGINE]     a program; default: the release build
set -euo pipefail
source "$(dirname "$0")/../common.sh"

command -v tmux >/dev/null || die "tmux is missing"
engine=${1:-${CARGO_TARGET_DIR:-$root/target}/release/pbrain-tengen}
[[ -x $engine ]] || die "no program '$engine', build it with cargo build --release -p tengen"
engine=$(realpath "$engine")
folder=$(mktemp -d)
tmux=(tmux -L "tengen-$$" -f /dev/null)
trap '"${tmux[@]}" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT
failed=0

# Starts a fresh terminal in which a command runs.
start() {
    "${tmux[@]}" respawn-pane -k -c "$folder" "$1; echo left with \$?; sleep 60"
}

# Types a line.
type_line() { "${tmux[@]}" send-keys -l "$1" && "${tmux[@]}" send-keys Enter; }

screen() { "${tmux[@]}" capture-pane -p "$@"; }

fail() {
    echo "FAILED: $1"
    screen | sed 's/^/    | /'
    failed=1
}

# Waits until the screen shows a pattern.
shows() {
    local _
    for _ in {1..100}; do
        if screen | grep -qE -- "$2"; then
            echo "ok: $1"
            return
        fi
        sleep 0.1
    done
    fail "$1: no '$2'"
}

# Expects that the screen does not show a pattern now.
hides() {
    if screen | grep -qE -- "$2"; then fail "$1: there is '$2'"; else echo "ok: $1"; fi
}

# Expects that the screen has colours, or none.
colors() {
    local found=no
    # tmux starts a colour or an attribute with ESC [.
    if screen -e | grep -q $'\e\\['; then found=yes; fi
    if [[ $found == "$2" ]]; then echo "ok: $1"; else fail "$1"; fi
}

"${tmux[@]}" new-session -d -x 100 -y 60 'sleep 600'
start "'$engine'"
shows 'the protocol greets a person with one line' '^MESSAGE Tengen.*pbrain-tengen play'
type_line 'START 15'
shows 'and speaks as ever' '^OK$'
type_line 'END'
shows 'and leaves' '^left with 0$'
start "echo END | '$engine'"
shows 'a pipe is not greeted' '^left with 0$'
hides 'not with a word' 'MESSAGE'

start "'$engine' play --level 30 --time 1"
shows 'the board is drawn' '^ 1 \. \. \. .* \. 1$'
shows 'with its letters' '^   a b c d e f g h i j k l m n o$'
shows 'and a prompt' '^> *$'
colors 'in colours' yes
type_line 'h8'
shows 'a move is shown' '^ 8 .* X'
shows 'and answered' 'Tengen plays [a-o][0-9]+\.$'
shows 'with the last move marked' '\(O\)'
type_line 'h8'
shows 'a bad move is one line' '^h8 is taken$'
type_line 'h77'
shows 'another too' '^that is off the board, which goes from a1 to o15$'
type_line 'hint'
shows 'a hint is given' '^Tengen would play [a-o][0-9]+ \(score .*, wins [0-9]+ %\)'
type_line 'undo'
shows 'moves are taken back' '^Move 1: it is your turn, black \(X\)\.$'
type_line 'swap'
shows 'sides are changed' 'you are white \(O\)\.$'
shows 'and Tengen begins' 'Tengen plays h8\.$'
shows 'with a mark' '\. \. \.\(X\)\. \. \.'
type_line 'save game.sgf'
shows 'the game is saved' '^Saved to game\.sgf\.$'
type_line 'quit'
shows 'and left' '^left with 0$'
grep -q 'B\[hh\]' "$folder/game.sgf" && echo 'ok: the file holds the move' || fail 'the file holds the move'

echo '(;SZ[15]RU[renju]AB[hf][hg][fh][gh]AW[aa][oa][ao][oo])' >"$folder/threes.sgf"
start "'$engine' play threes.sgf"
shows 'forbidden points are shown' '^ 8 \. \. \. \. \. X X ! \.'
type_line 'h8'
shows 'and refused' '^h8 is forbidden for black under renju$'

echo '(;SZ[15];B[hh];W[aa];B[ih];W[ca];B[jh];W[ea];B[kh];W[ga])' >"$folder/four.sgf"
start "'$engine' play four.sgf"
type_line 'l8'
shows 'a five is marked' '\[X-X-X-X\(X\)'
shows 'and the result announced' '^Five in a row: black \(X\) wins\. Well done!$'
start "NO_COLOR=1 '$engine' play"
shows 'NO_COLOR is known' '^> *$'
colors 'and respected' no
start "TERM=dumb '$engine' play"
shows 'a dumb terminal is known' '^> *$'
colors 'and spared' no
start "'$engine' play | cat"
shows 'a pipe is told apart' '^Move 1:'
colors 'and has no colours' no

printf 'h8i9h10g7\n%.0s' {1..6} >"$folder/lines.txt"
start "'$engine' analyze --time 0.6 --threads 1 lines.txt"
shows 'long work has a bar' '^\[#*\.+\] [2-5]/6 [0-9]+%, 0:0[0-9] left'
shows 'and an end' '^left with 0$'
hides 'where the bar is gone' '\.\.\.\]'
start "'$engine' analyze --time 0.6 --threads 1 lines.txt >found.txt"
shows 'also when the results go elsewhere' '^\[#*\.+\] [2-5]/6'
shows 'to the end' '^left with 0$'
hides 'where it is gone' '\.\.\.\]'

[[ $failed == 0 ]] || die "the screen is not as it should be"
echo "terminal: everything is fine"
