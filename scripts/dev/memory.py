#!/usr/bin/env python3
"""Measures the memory of an engine over whole games: is it below max_memory, does it grow?

usage: memory.py ENGINE [--limits MB,MB,...] [--threads N,N] [--time MS] [--games N] [--skip PART]

games   Under each max_memory and number of threads one process plays a game against itself on every
        size from 5 to 22, under each rule in turn, and on two rectangles, after a search that fills
        the whole table. Prints the peak resident memory (RSS: VmHWM of /proc) and the peak of the
        memory that is the process's own (USS, which the Gomocup judge goes by; looked at after
        every move).
growth  So many games in one process at hash_size 1024 (KB): the resident memory before and after.
        Others go first, some with longer searches, until tables, stacks and the allocator's pools
        have been touched.
tiny    Limits too small for anything, which must still be played under.

Exit code 1 if a limit is passed, if 1,000 games add a megabyte, or if a tiny limit stops the play.
Linux only.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pbrain import RULES, Engine, makes_five, rows, run

SIZES = [f"{n}" for n in range(5, 23)] + ["22 5", "9 14"]
MOVES = 60
GROWTH_NODES = 200
HOUR_MS = 3_600_000
# In which a search touches nearly every page of a table of 1 GB.
FILL_SECONDS = 8
# Games and their nodes a move that go ahead of those measured.
WARM_UP = [(30, 5_000), (300, GROWTH_NODES)]


def launch(options):
    return Engine(options.engine, stderr=subprocess.DEVNULL)


def unique(engine):
    """Returns the USS in MB."""
    text = pathlib.Path(f"/proc/{engine.process.pid}/smaps_rollup").read_text()
    return sum(int(n) for n in re.findall(r"Private_(?:Clean|Dirty):\s+(\d+) kB", text)) / 1024


def play(engine, size, rule, rng, seconds, after_move=lambda: None, moves=MOVES):
    """Plays one game of the engine against itself from a random first move."""
    engine.start(size)
    engine.info(rule=rule)
    width, height = (int(n) for n in (size.split() * 2)[:2])
    stones = {(rng.randrange(width), rng.randrange(height)): 0}
    while len(stones) < min(moves, width * height):
        who = len(stones) % 2
        sides = [[xy for xy, side in stones.items() if side == color] for color in (0, 1)]
        engine.send("BOARD", *rows(*sides, ("black", "white")[who]), "DONE")
        xy, _, _ = engine.move(seconds)
        if xy in stones or not (0 <= xy[0] < width and 0 <= xy[1] < height):
            sys.exit(f"memory: {xy} is no legal move among {stones}")
        stones[xy] = who
        after_move()
        if makes_five({*sides[who], xy}, xy):
            break


def fill_the_table(engine, seconds):
    engine.start("15")
    engine.info(timeout_turn=HOUR_MS)
    engine.send("TURN 7,7")
    time.sleep(seconds)
    engine.send("YXSTOP")
    engine.move(60)


def games(options, megabytes, threads):
    rng = random.Random(megabytes)
    peak = 0.0

    def look():
        nonlocal peak
        peak = max(peak, unique(engine))

    with launch(options) as engine:
        engine.info(max_memory=megabytes << 20, thread_num=threads)
        fill_the_table(engine, FILL_SECONDS)
        engine.info(timeout_turn=options.time)
        for number, size in enumerate(SIZES):
            rule = list(RULES.values())[number % len(RULES)]
            play(engine, size, rule, rng, options.time / 1000 + 10, look)
        resident = engine.memory("VmHWM")
    print(f"max_memory {megabytes:5} MB, {threads} thread{'s' if threads > 1 else ' '}   "
          f"peak RSS {resident:6.1f} MB, {100 * resident / megabytes:3.0f} %   "
          f"peak USS {peak:6.1f} MB, {100 * peak / megabytes:3.0f} %", flush=True)
    return max(resident, peak) < megabytes


def growth(options):
    rng = random.Random(options.games)
    with launch(options) as engine:

        def play_some(games, nodes):
            engine.info(hash_size=1024, max_node=nodes)
            for number in range(games):
                rule = list(RULES.values())[number % len(RULES)]
                play(engine, rng.choice(SIZES), rule, rng, 60)
            return engine.memory("VmRSS")

        before = max(play_some(games, nodes) for games, nodes in WARM_UP)
        after = play_some(options.games, GROWTH_NODES)
    print(f"hash_size 1024, {options.games} games   RSS before {before:.2f} MB, "
          f"after {after:.2f} MB, {after - before:+.2f} MB", flush=True)
    return after - before < 1.0


def tiny(options):
    fine = True
    for limit in (1, 1024, 1 << 20, 8 << 20, 16 << 20):
        with launch(options) as engine:
            engine.info(max_memory=limit, timeout_turn=50, thread_num=2)
            play(engine, "15", 4, random.Random(limit), 10)
            resident = engine.memory("VmHWM")
        print(f"max_memory {limit:8} bytes   played, peak RSS {resident:.1f} MB", flush=True)
        fine = fine and resident < 32
    return fine


def main():
    numbers = lambda text: [int(n) for n in text.split(",") if n]
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("engine", help="command of the engine")
    parser.add_argument("--limits", type=numbers,
                        default=[32, 48, 64, 96, 128, 192, 256, 350, 512, 1024, 2047, 2048])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--time", type=int, default=100, help="ms a move (100)")
    parser.add_argument("--games", type=int, default=1_000, help="games to grow in (1000)")
    parser.add_argument("--skip", default="", help="parts not to run: games,growth,tiny")
    options = parser.parse_args()
    skipped = options.skip.split(",")
    fine = True
    if "tiny" not in skipped:
        fine &= tiny(options)
    if "growth" not in skipped:
        fine &= growth(options)
    if "games" not in skipped:
        for megabytes in options.limits:
            for threads in options.threads:
                fine &= games(options, megabytes, threads)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    run(main)
