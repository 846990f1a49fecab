#!/usr/bin/env python3
"""Asks a threat solver alone, without the search around it, about positions of suites.

usage: solver.py SOLVE vcf|vct FILE.jsonl... [--nodes N] [--limit N] [--list]

SOLVE is the example program of that name (cargo build --release --example solve). Counts the
answers of each file and the nodes they took; --list names the positions that are not won.
"""

import argparse
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pbrain import SUITE_RULES, percentile, positive, read_suite, run

def line(entry):
    stones = ["".join(entry[color]) or "-" for color in ("black", "white")]
    to_move = entry.get("to_move") or "black"
    rule = SUITE_RULES.get(entry["rule"], entry["rule"])
    return " ".join([entry["id"], rule, str(entry["size"]), to_move, *stones])

def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("solve")
    parser.add_argument("solver", choices=["vcf", "vct"])
    parser.add_argument("suites", nargs="+", type=pathlib.Path)
    parser.add_argument("--nodes", type=positive, default=100000)
    parser.add_argument("--limit", type=positive, help="at most N positions a file, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_intermixed_args()
    for path in options.suites:
        entries = read_suite(path, options.limit, options.seed)
        asked = subprocess.run([options.solve, options.solver, str(options.nodes)], check=True,
                               input="\n".join(map(line, entries)), stdout=subprocess.PIPE, text=True)
        answers = [answer.split() for answer in asked.stdout.splitlines()]
        counts = {said: sum(a[1] == said for a in answers) for said in ("win", "no", "unknown")}
        nodes = [int(a[2]) for a in answers]
        won = [int(a[2]) for a in answers if a[1] == "win"]
        print(f"{path.stem:28} {counts}; nodes {sum(nodes)}, {sum(int(a[3]) for a in answers)} ms;"
              f" of wins median {percentile(won, 0.5):.0f}, 90 % {percentile(won, 0.9):.0f}",
              flush=True)
        if options.list:
            for answer in answers:
                if answer[1] != "win":
                    print("  ", *answer)

if __name__ == "__main__":
    run(main)
