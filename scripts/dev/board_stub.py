#!/usr/bin/env python3
"""An engine for board_test.py: plays along the edges at once, tells always the same of an analysis,
and misbehaves on request.

usage: board_stub.py [--plain] [--unknown WORD] [--name NAME] [--start SECONDS] [--delay SECONDS] [--mischief FILE] [--heard FOLDER]

--plain knows nothing beyond the Gomocup protocol, --unknown not even this word of it; --start is
the time of a START, --delay that of a move. Where the file of --mischief exists when a move is asked
for, it is removed, and what it says is done: die, hang, flood, nonsense, illegal. Each process keeps
the lines that it hears in a file of its own in the folder of --heard.
"""

import argparse
import os
import queue
import re
import sys
import threading
import time
from pathlib import Path

# What an analysis tells, the same in every position, as far as the points are free.
LINES = [("7,7", "0.7312", "200"), ("3,4", "0.5500", "40"), ("11,10", "0.2500", "-M8")]

parser = argparse.ArgumentParser()
parser.add_argument("--plain", action="store_true")
parser.add_argument("--unknown")
parser.add_argument("--name", default="Stub")
parser.add_argument("--start", type=float, default=0.0)
parser.add_argument("--delay", type=float, default=0.0)
parser.add_argument("--mischief", type=Path)
parser.add_argument("--heard", type=Path)
options = parser.parse_args()

commands = queue.Queue()
board, width, height = {}, 15, 15
turn_time = 5.0
excluded = set()


def say(text):
    print(text, flush=True)


def read():
    heard = open(options.heard / str(time.time_ns()) if options.heard else os.devnull, "w", buffering=1)
    for line in sys.stdin:
        heard.write(line)
        commands.put(line.strip())
    commands.put("END")


def free():
    """Returns the free points row by row from the top, each from the right."""
    for y in range(height):
        for x in reversed(range(width)):
            if (x, y) not in board:
                yield x, y


def misbehave():
    if not options.mischief or not options.mischief.exists():
        return
    kind = options.mischief.read_text().strip()
    options.mischief.unlink()
    if kind == "die":
        os._exit(7)
    while kind == "hang":
        time.sleep(60)
    while kind == "flood":
        # Empty lines are cheap to read, so that a slow reader, too, gets too many in a second.
        sys.stdout.write(("MESSAGE flood" + "\n" * 100) * 100)
    if kind == "nonsense":
        say("I would rather not")
        time.sleep(60)
    if kind == "illegal":
        say("99,99")
        time.sleep(60)


def move():
    misbehave()
    time.sleep(options.delay)
    point = next(free())
    board[point] = 1
    say(f"MESSAGE depth 3-5 ev 20 n 1234 n/ms 99 tm 1 pv {chr(97 + point[0])}{point[1] + 1} h8")
    say(f"{point[0]},{point[1]}")


def rows():
    """Returns the rows of a block up to DONE."""
    while True:
        line = commands.get()
        if line.upper() in ("DONE", "END"):
            return
        yield [int(number) for number in line.split(",")]


def analyse(count):
    best = None
    lines = [line for line in LINES if tuple(map(int, line[0].split(","))) not in board.keys() | excluded]
    for i, (point, rate, value) in enumerate(lines[:count]):
        best = best or point
        say(f"MESSAGE depth 9-12 multipv {i + 1} ev {value} n 5000 n/ms 9 tm 10 pv h8")
        for info in [
            f"PV {i}",
            f"NUMPV {len(lines[:count])}",
            "DEPTH 9",
            "SELDEPTH 12",
            "TOTALNODES 5000",
            "TOTALTIME 10",
            "SPEED 500000",
            f"EVAL {value}",
            f"WINRATE {rate}",
            f"BESTLINE {point} 8,8 6,9",
            "PV DONE",
        ]:
            say(f"INFO {info}")
    say("MESSAGE REALTIME LOSE 2,2")
    end = time.time() + min(turn_time, 0.02 if turn_time < 100 else 1000)
    while time.time() < end:
        try:
            line = commands.get(timeout=0.02)
        except queue.Empty:
            continue
        if line.upper() in ("YXSTOP", "INFO TIMEOUT_TURN 0"):
            break
        if line.upper() == "END":
            os._exit(0)
    say(best or "%d,%d" % next(free()))


def main():
    global width, height, turn_time
    threading.Thread(target=read, daemon=True).start()
    while True:
        line = commands.get()
        word, _, rest = line.partition(" ")
        word = word.upper()
        numbers = [int(number) for number in re.findall(r"\d+", rest)]
        if word == "END":
            return
        if word == options.unknown:
            say("UNKNOWN command")
        elif word in ("START", "RECTSTART"):
            width, height = (numbers * 2)[:2]
            board.clear()
            time.sleep(options.start)
            say("OK")
        elif word == "RESTART":
            board.clear()
            say("OK")
        elif word == "ABOUT":
            say(f'name="{options.name}", version="1.0", author="a test", country="none"')
        elif word == "INFO":
            if rest.lower().startswith("timeout_turn"):
                turn_time = numbers[0] / 1000
        elif word == "BEGIN":
            move()
        elif word == "TURN":
            board[tuple(numbers)] = 2
            move()
        elif word in ("BOARD", "YXBOARD") and not (options.plain and word == "YXBOARD"):
            board.clear()
            for x, y, owner in rows():
                board[x, y] = owner
            if word == "BOARD":
                move()
        elif word == "SWAP2BOARD":
            stones = list(rows())
            say({0: "7,7 8,8 9,9", 3: "1,1 2,2", 5: "SWAP"}[len(stones)])
        elif options.plain:
            say("UNKNOWN command")
        elif word == "YXSHOWFORBID":
            say("FORBID .")
        elif word == "YXBLOCKRESET":
            excluded.clear()
        elif word == "YXBLOCK":
            excluded.update((x, y) for x, y in rows())
        elif word == "YXNBEST":
            analyse(numbers[0])
        elif word != "YXSTOP":
            say("UNKNOWN command")


main()
