#!/usr/bin/env python3
"""Compares nodes a second of engines on the same positions, each given the same number of nodes.

usage: speed.py ENGINE PEER... [--openings FILE] [--rule freestyle] [--size 15]
                [--positions 3] [--nodes 1000000] [--fresh]

The positions are openings, one a line in "pos" notation; without --openings, TENGEN_OPENINGS. Every
engine gets each of them in turn, so that other load on the machine affects all of them alike. A first
position is not counted: as in a game, the table's memory is in use by then. With --fresh each
position gets a process of its own, which pays for that memory while it searches. Prints thousands
of nodes a second of processor time and of time by the clock. Linux only.
"""

import argparse
import os
import re
import sys
import time

sys.dont_write_bytecode = True
from pbrain import RULES, TOURNAMENT_MEMORY, Engine, EngineError, point, positive, rows, run

NODES = re.compile(r"\bn (\d+)([KMG]?)\b")
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
HOUR_MS = 3_600_000


def processor_seconds(engine):
    with open(f"/proc/{engine.process.pid}/stat") as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def launch(command, options):
    engine = Engine(command)
    engine.info(max_memory=TOURNAMENT_MEMORY, rule=RULES[options.rule], thread_num=1,
                timeout_turn=HOUR_MS, timeout_match=HOUR_MS, time_left=HOUR_MS,
                max_node=options.nodes)
    engine.start(options.size)
    return engine


def search(engine, stones, options):
    """Returns nodes, seconds of processor time and seconds of one search."""
    black, white = stones[::2], stones[1::2]
    own = "black" if len(black) == len(white) else "white"
    used, begin = processor_seconds(engine), time.perf_counter()
    engine.send("BOARD", *rows(black, white, own), "DONE")
    _, _, messages = engine.move(HOUR_MS / 1000)
    seconds = time.perf_counter() - begin
    told = [match for message in messages for match in NODES.findall(message)]
    if not told:
        raise EngineError("the engine told no number of nodes")
    nodes = int(told[-1][0]) * UNITS[told[-1][1]]
    return nodes, processor_seconds(engine) - used, seconds


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("engines", nargs="+")
    parser.add_argument("--openings", default=os.environ.get("TENGEN_OPENINGS"))
    parser.add_argument("--rule", choices=RULES, default="freestyle")
    parser.add_argument("--size", type=positive, default=15)
    parser.add_argument("--positions", type=positive, default=3)
    parser.add_argument("--nodes", type=positive, default=1_000_000)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    if not options.openings:
        parser.error("--openings or TENGEN_OPENINGS names a file of openings")
    with open(options.openings) as file:
        lines = [line.split("#")[0].strip() for line in file]
    if len(lines := [line for line in lines if line]) < (1 if options.fresh else 2):
        parser.error(f"{options.openings}: two openings are needed, with --fresh one")
    if len(lines) < (asked := options.positions + (not options.fresh)):
        print(f"speed: {options.openings} has {len(lines)} openings for {asked}", file=sys.stderr)
    openings = [[point(text) for text in re.findall(r"[a-z]\d+", line)] for line in lines]
    if not all(openings):
        parser.error(f"{options.openings}: openings in \"pos\" notation are needed, such as h8i9h10")
    totals = [[0, 0.0, 0.0] for _ in options.engines]
    engines = {}
    for number, stones in enumerate(openings[:asked]):
        for index, command in enumerate(options.engines):
            engine = engines.get(index) or launch(command, options)
            result = search(engine, stones, options)
            if options.fresh:
                engine.close()
            else:
                engines[index] = engine
            if options.fresh or number > 0:
                totals[index] = [sum(pair) for pair in zip(totals[index], result)]
    for engine in engines.values():
        engine.close()
    first = None
    for command, (nodes, processor, seconds) in zip(options.engines, totals):
        if processor < 0.1:
            sys.exit(f"speed: {processor:.2f} s of {command} are too short to be measured")
        rates = [nodes / time / 1000 for time in (processor, seconds)]
        first = first or rates
        print(f"{rates[0]:7.0f} k/s of processor time ({rates[0] / first[0]:.2f}), "
              f"{rates[1]:7.0f} k/s by the clock ({rates[1] / first[1]:.2f})  {command}")


if __name__ == "__main__":
    run(main)
