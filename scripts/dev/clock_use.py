#!/usr/bin/env python3
"""Tells how engines used the clock in matches that match.sh played with --out.

usage: clock_use.py FOLDER...

For each engine: the share of the match time that was used after 10, 20 and 30 own moves and at the
end of the game (the median of the games that came so far), for all games and for those that it won,
lost and drew; and from its messages, move by move of these games, depth, nodes and in how many
searches the best move changed in the last third of the time. Times are those that c-gomoku-cli
measured; the match time is the one that it told the engine, with the increments up to then.

With RUST_LOG=debug in the environment of match.sh, Tengen's own log tells more: the shares of the
nodes that went into the tree, the threat search and the tests of the root's moves, by the length of
the search, and how much of the planned time was used.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, median

GAME = re.compile(r"PB\[([^]]*)\]PW\[([^]]*)\]RE\[([^]]*)\]")
MOVE = re.compile(r";([BW])\[[a-z]*\]C\[(\d+)ms\]")
CLOCK = re.compile(r"^\d+: (\S+) <- INFO (timeout_match|time_increment) (\d+)", re.MULTILINE)
ITERATION = re.compile(
    r"(\d+)\) (\S+): depth (\d+)-\d+ ev \S+ n ([\d.]+)([KMG]?) n/m?s \S+ tm (\d+) pv (\S+)"
)
LOGGED = re.compile(r"^\d+: (\S+) -> \[[^]]*\] search (depth .*)", re.MULTILINE)
# Lengths of searches, in nodes.
LENGTHS = (0, 100_000, 1_000_000, 10_000_000)
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
MARKS = (10, 20, 30, None)
RESULTS = ("all", "won", "lost", "drawn")


class Fault(Exception):
    """What a folder lacks."""


def clocks(folder):
    """Returns the match time and the increment of each engine, in milliseconds."""
    found = defaultdict(dict)
    for log in sorted(folder.glob("c-gomoku-cli.*.log")):
        for name, key, value in CLOCK.findall(log.read_text(errors="replace")):
            found[name][key] = int(value)
    if not found:
        raise Fault(f"no log of c-gomoku-cli in {folder} tells a clock")
    return {name: (told.get("timeout_match", 0), told.get("time_increment", 0))
            for name, told in found.items()}


def games(folder):
    """Yields the name, the result and the times of either engine of each game."""
    path = folder / "games.sgf"
    if not path.is_file():
        raise Fault("there is no games.sgf")
    for text in path.read_text(errors="replace").split("(;FF[4]")[1:]:
        head = GAME.search(text)
        if not head:
            raise Fault("games.sgf is not of c-gomoku-cli")
        black, white, result = head.groups()
        times = {"B": [], "W": []}
        for color, milliseconds in MOVE.findall(text):
            times[color].append(int(milliseconds))
        for color, name in (("B", black), ("W", white)):
            if result[:1] in "BW":
                outcome = "won" if result[0] == color else "lost"
            else:
                outcome = "drawn"
            yield name, outcome, times[color]


def shares(times, clock):
    """Returns the used share of the match time at each of the MARKS that the game came to."""
    total, increment = clock
    used = {}
    for mark in MARKS:
        moves = len(times) if mark is None else mark
        if 0 < moves <= len(times):
            used[mark] = sum(times[:moves]) / (total + increment * (moves - 1))
    return used


def searches(folder):
    """Yields the engine, depth, nodes and last change of the best move of each search."""
    path = folder / "messages.txt"
    if not path.is_file():
        return
    last, lines = None, []
    for line in path.read_text(errors="replace").splitlines() + [""]:
        match = ITERATION.match(line)
        key = match and match.group(1, 2)
        if lines and key != last:
            yield summary(lines)
            lines = []
        if match:
            lines.append(match)
        last = key


def summary(lines):
    """Returns the engine, depth, nodes and last change (as a share of the time) of one search."""
    _, name, depth, nodes, unit, time, best = lines[-1].groups()
    changed = 0
    for before, after in zip(lines, lines[1:]):
        if before.group(7) != after.group(7):
            changed = int(after.group(6))
    return name, int(depth), float(nodes) * UNITS[unit], changed / max(int(time), 1), int(time)


def logged(folder):
    """Yields the engine and the numbers of each search that an engine's own log tells of."""
    for log in sorted(folder.glob("c-gomoku-cli.*.log")):
        for name, text in LOGGED.findall(log.read_text(errors="replace")):
            words = text.split()
            search = {key: int(value) for key, value in zip(words[::2], words[1::2])
                      if value.isdigit()}
            search["nodes"] = search["tree"] + search["threats"] + search["tests"]
            yield name, search


def print_logged(searches):
    """Prints the shares of the nodes of an engine's searches, by their lengths in nodes."""
    print("  searches of nodes       number  depth   tree threats  tests  of plan")
    for least, end in zip(LENGTHS, LENGTHS[1:] + (float("inf"),)):
        chosen = [search for search in searches if least <= search["nodes"] < end]
        # Answers at once tell nothing about a search.
        chosen = [search for search in chosen if search["depth"] > 1]
        if not chosen:
            continue
        nodes = sum(search["nodes"] for search in chosen)
        parts = [100 * sum(search[part] for search in chosen) / nodes
                 for part in ("tree", "threats", "tests")]
        planned = [search["ms"] / search["soft"] for search in chosen if search.get("soft")]
        print(f"  {least:>10,} and more  {len(chosen):8}"
              f"{median(search['depth'] for search in chosen):7.0f}"
              + "".join(f"{part:5.0f} %" for part in parts)
              + f"  {percent(planned)}")


def percent(values):
    return f"{100 * median(values):5.0f} %" if values else "      -"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    used = defaultdict(lambda: defaultdict(list))
    lengths, told, own = defaultdict(list), defaultdict(list), defaultdict(list)
    for folder in options.folders:
        try:
            clock = clocks(folder)
            for name, outcome, times in games(folder):
                if not clock.get(name, (0, 0))[0] or not times:
                    continue
                lengths[name].append(len(times))
                for mark, share in shares(times, clock[name]).items():
                    used[name][outcome, mark].append(share)
                    used[name]["all", mark].append(share)
            for name, *search in searches(folder):
                told[name].append(search)
            for name, search in logged(folder):
                own[name].append(search)
        except Fault as fault:
            sys.exit(f"clock_use.py: {folder}: {fault}")
    if not lengths:
        sys.exit("clock_use.py: no game was played under a clock of the match")
    for name, counts in lengths.items():
        print(f"{name}: {len(counts)} games, {median(counts):.0f} own moves in the median")
        print("        after 10      20      30   at the end")
        for result in RESULTS:
            row = [percent(used[name][result, mark]) for mark in MARKS]
            print(f"  {result:5} {row[0]} {row[1]} {row[2]}      {row[3]}")
        # Answers at once tell nothing about a search.
        long = [search for search in told[name] if search[3] >= 20]
        if long:
            depths, nodes, changes, _ = zip(*long)
            late = mean(change > 2 / 3 for change in changes)
            print(f"  {len(long)} searches of 20 ms and more: depth {median(depths):.0f}, "
                  f"{median(nodes) / 1000:.0f} thousand nodes (medians), best move changed in the "
                  f"last third {100 * late:.0f} %")
        if own[name]:
            print_logged(own[name])


if __name__ == "__main__":
    main()
