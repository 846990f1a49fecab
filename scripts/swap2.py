#!/usr/bin/env python3
"""Plays games that open with swap2 and counts what each seat scores.

usage: swap2.py ENGINE [ENGINE] [--games 100] [--rule standard] [--size 15] [--nodes N | --turn MS]

The first engine opens with three stones, the second answers; with one engine it plays itself. What
the seats decided is counted as well. The exit code is 1 if a seat scored more than --most percent,
2 if an engine failed.

With --table FILE the openings of src/opening/swap2.txt for the rule and size are measured instead:
each is played out in its turns and reflections without a choice, and what black scored is printed.

Renju is not played: this script knows no forbidden points.
"""

import argparse
import collections
import re
import sys

sys.dont_write_bytecode = True
from pbrain import COORDINATES, RULES, Engine, EngineError, point, rows, wins


class Player:
    def __init__(self, command, options):
        self.options = options
        self.engine = Engine(command)

    def start(self, number=0):
        """Starts a game. With fixed nodes the same opening would always be the same game: up to a
        tenth of them more, other ones for each number, tell one game from another."""
        self.engine.start(self.options.size)
        self.engine.info(rule=RULES[self.options.rule])
        if self.options.nodes:
            nodes = self.options.nodes * (200 + 7 * number % 20) // 200
            self.engine.info(timeout_turn=600_000, max_node=nodes)
        else:
            self.engine.info(timeout_turn=self.options.turn)

    def swap2(self, stones):
        """Returns "SWAP" or the points that the engine answers to these stones."""
        self.engine.send("SWAP2BOARD", *(f"{x},{y}" for x, y in stones), "DONE")
        while True:
            line = self.engine.line(600)
            words = line.split(" ")
            if line == "SWAP":
                return line
            if all(COORDINATES.fullmatch(word) for word in words):
                return [tuple(map(int, word.split(","))) for word in words]
            if line.startswith(("ERROR", "UNKNOWN")):
                raise EngineError(line)

    def move(self, stones, last):
        """Returns the engine's move; last is None before its first one."""
        if last is None:
            own = "black" if len(stones) % 2 == 0 else "white"
            self.engine.send("BOARD", *rows(stones[0::2], stones[1::2], own), "DONE")
        else:
            self.engine.send(f"TURN {last[0]},{last[1]}")
        return self.engine.move(600)[0]


def open_game(players):
    """Returns the stones, which seat (0 or 1) has black, and what was decided."""
    stones = players[0].swap2([])
    if len(stones) != 3 or len(set(stones)) != 3:
        raise EngineError(f"three stones expected, {stones} read")
    answer = players[1].swap2(stones)
    if answer == "SWAP":
        return stones, 1, "swap"
    stones = stones + answer
    if len(answer) == 1:
        return stones, 0, "stay"
    if len(answer) != 2 or len(set(stones)) != 5:
        raise EngineError(f"bad answer {answer}")
    answer = players[0].swap2(stones)
    if answer == "SWAP":
        return stones, 0, "two stones, swap"
    if len(answer) != 1:
        raise EngineError(f"bad answer {answer}")
    return stones + answer, 1, "two stones, stay"


def play(players, options, number):
    """Plays a game; returns the seat that won or None, what was decided, and who had black."""
    for player in players:
        player.start(number)
    stones, black, decision = open_game(players)
    return play_out(players, options, stones, black), decision, black


def play_out(players, options, stones, black):
    """Returns the seat that wins from the stones on, or None; black is the seat that has it."""
    seen = [None, None]
    last = None
    while len(stones) < options.size ** 2:
        is_black = len(stones) % 2 == 0
        seat = black if is_black else 1 - black
        mv = players[seat].move(stones, last if seen[seat] else None)
        seen[seat] = True
        if mv in stones or not all(0 <= c < options.size for c in mv):
            raise EngineError(f"illegal move {mv}")
        stones.append(mv)
        last = mv
        own, other = set(stones[len(stones) % 2 == 0 :: 2]), set(stones[len(stones) % 2 :: 2])
        if wins(options.rule, own, other, mv, is_black):
            return seat
    return None


def images(stones, size):
    """Returns the stones turned and reflected in all eight ways."""
    for flips in range(8):
        image = [(size - 1 - x if flips & 1 else x, size - 1 - y if flips & 2 else y)
                 for x, y in stones]
        yield [(y, x) for x, y in image] if flips & 4 else image


def measure(players, options):
    """Prints what black scores from each opening of the table, out of eight games."""
    with open(options.table, encoding="ascii") as table:
        lines = [line.split() for line in table if not line.startswith("#")]
    for rule, size, text in lines:
        if (rule, size) != (options.rule, str(options.size)):
            continue
        stones = [point(name) for name in re.findall(r"[a-z]\d+", text)]
        score = 0.0
        for number, image in enumerate(images(stones, options.size)):
            for player in players:
                player.start(number)
            winner = play_out(players, options, image, 0)
            score += 0.5 if winner is None else winner == 0
        print(f"{rule} {size} {text} {score:g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engines", nargs="+", metavar="ENGINE")
    parser.add_argument("--games", type=int, default=100)
    rules = [rule for rule in RULES if rule != "renju"]
    parser.add_argument("--rule", choices=rules, default="standard")
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--nodes", type=int, help="nodes a move instead of a time")
    parser.add_argument("--turn", type=int, default=100, help="milliseconds a move")
    parser.add_argument("--most", type=float, default=60, help="percent that a seat may score")
    parser.add_argument("--table", metavar="FILE", help="measure the openings of this table")
    options = parser.parse_args()
    if len(options.engines) > 2:
        parser.error("two engines at most")
    scores, decisions, blacks = [0.0, 0.0], collections.Counter(), 0
    commands = options.engines * (2 // len(options.engines))
    players = [Player(command, options) for command in commands]
    try:
        if options.table:
            measure(players, options)
            return
        for number in range(1, options.games + 1):
            winner, decision, black = play(players, options, number)
            decisions[decision] += 1
            for seat in (0, 1):
                scores[seat] += 0.5 if winner is None else winner == seat
            blacks += 0.5 if winner is None else winner == black
            if number % 10 == 0:
                print(f"{number} games: {scores[0]} to {scores[1]}", file=sys.stderr)
    except EngineError as error:
        print(f"swap2.py: {error}", file=sys.stderr)
        sys.exit(2)
    finally:
        for player in players:
            player.engine.close()
    print(f"first seat {scores[0]:g}, second seat {scores[1]:g}, black {blacks:g} "
          f"of {options.games} games")
    for decision, count in decisions.most_common():
        print(f"{decision}: {count}")
    if max(scores) * 100 > options.most * options.games:
        sys.exit(1)


if __name__ == "__main__":
    main()
