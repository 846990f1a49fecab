#!/usr/bin/env python3
"""Compares the engine's YXSHOWFORBID with the check_forbid of the official Gomocup judge.

usage: forbidden.py ENGINE [--judge DIR] [--points N] [--boards N] [--seed S]

DIR (default $GOMOCUP_JUDGE) is a checkout of GomocupJudge; client/check_forbid.py is imported from
it. Boards are random clusters of stones on every size from 5 to 22, black to move. A point question
asks the judge about some empty points near to stones, preferring those the engine calls forbidden;
a board question asks about every empty point. Prints the counts and every difference; exit code 1 if there is one.
"""

import argparse
import importlib.util
import os
import pathlib
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pbrain import Engine, name, rows, run

POINTS_A_BOARD = 20


def load_judge(folder):
    path = pathlib.Path(folder, "client", "check_forbid.py")
    if not path.is_file():
        sys.exit(f"no {path}: set GOMOCUP_JUDGE or --judge to a checkout of GomocupJudge")
    spec = importlib.util.spec_from_file_location("check_forbid", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.check_forbid


def cluster(rng, size):
    """Returns black and white stones, as many of each: black in random clusters, white partly
    among them and partly anywhere, so that black often has room for threes and fours.
    """
    stones = rng.randint(3, max(4, int(size * size * rng.uniform(0.05, 0.3))))
    centers = [(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(1, 4))]
    spread = rng.uniform(1.2, size / 4 + 1)
    mixed = rng.random()
    board = {}
    for color in range(2):
        tries = 0
        while sum(c == color for c in board.values()) < stones and tries < 20 * stones:
            tries += 1
            if color == 0 or rng.random() < mixed:
                x0, y0 = rng.choice(centers)
                xy = round(rng.gauss(x0, spread)), round(rng.gauss(y0, spread))
            else:
                xy = rng.randrange(size), rng.randrange(size)
            if 0 <= xy[0] < size and 0 <= xy[1] < size:
                board.setdefault(xy, color)
    black, white = ([xy for xy, c in board.items() if c == color] for color in range(2))
    number = min(len(black), len(white))
    return black[:number], white[:number]


def near(black, size, taken):
    """Returns the empty points within two steps of a black stone on a line."""
    steps = [(dx * k, dy * k) for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
             for k in (-2, -1, 1, 2)]
    found = {(x + dx, y + dy) for x, y in black for dx, dy in steps}
    return sorted(p for p in found if p not in taken and 0 <= min(p) and max(p) < size)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("engine", help="command of the engine")
    parser.add_argument("--judge", default=os.environ.get("GOMOCUP_JUDGE", ""))
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--boards", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    check_forbid = load_judge(options.judge)
    rng = random.Random(options.seed)
    asked = {"points": 0, "boards": 0}
    forbidden = {"points": 0, "boards": 0}
    differences = 0
    with Engine(options.engine, stderr=subprocess.DEVNULL) as engine:
        engine.info(rule=4)
        while asked["boards"] < options.boards or asked["points"] < options.points:
            kind = "boards" if asked["boards"] < options.boards else "points"
            size = 5 + (asked["boards"] + asked["points"] // POINTS_A_BOARD) % 18
            black, white = cluster(rng, size)
            taken = set(black + white)
            if not black:
                continue
            board = [[0] * size for _ in range(size)]
            for x, y in black:
                board[x][y] = 1
            for x, y in white:
                board[x][y] = 2
            if kind == "boards":
                questions = [(x, y) for x in range(size) for y in range(size)
                             if (x, y) not in taken]
            else:
                questions = near(black, size, taken)
                rng.shuffle(questions)
            engine.start(size)
            engine.send("YXBOARD", *rows(black, white, "black"), "DONE")
            found = engine.forbidden()
            if kind == "points":
                # Up to half are points that the engine calls forbidden, so that both answers are tested.
                first = sorted(found)[: POINTS_A_BOARD // 2]
                questions = (first + [p for p in questions if p not in first])[:POINTS_A_BOARD]
                questions = questions[: options.points - asked["points"]]
                asked["points"] += len(questions)
            else:
                asked["boards"] += 1
            for xy in questions:
                wanted = check_forbid(board, *xy)
                forbidden[kind] += wanted
                if wanted != (xy in found):
                    differences += 1
                    words = "forbidden", "allowed"
                    print(f"{size}x{size} black {' '.join(map(name, black))} white "
                          f"{' '.join(map(name, white))}: {name(xy)} judge {words[not wanted]}, "
                          f"engine {words[bool(wanted)]}", flush=True)
    print(f"point questions {asked['points']} ({forbidden['points']} forbidden), whole boards "
          f"{asked['boards']} ({forbidden['boards']} forbidden points), differences {differences}")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    run(main)
