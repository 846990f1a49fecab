#!/usr/bin/env python3
"""Measures the latency and the memory of an engine, through a pipe as a manager sees it.

usage: clock.py ENGINE [--limits MS,MS,...] [--moves N] [--starts N] [--memory MB,MB,...]

Prints: process start to OK; the first move with timeout_turn 0, from the process start and from the
request; how long a program that thinks takes to leave after END, the end of its input and a closed
output; for each turn limit the median and the worst time of a move and the worst overrun; and the
peak resident memory (VmHWM of /proc, Linux only) after searches under each max_memory. Times are
taken from before the request is written to after the answer is read. Exit code 1 on an overrun, a
program that stays longer than 200 ms, or a memory limit passed.
"""

import argparse
import random
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from pbrain import TOURNAMENT_MEMORY, Engine, EngineError, percentile, rows, run

SIZE = 20


def launch(options):
    return Engine(options.engine, stderr=subprocess.DEVNULL)


def milliseconds(since):
    return (time.perf_counter() - since) * 1000


def spread(times):
    return f"median {percentile(times, 0.5):.1f} ms, worst {max(times):.1f} ms"


def starts(options):
    to_ok, first, answer = [], [], []
    for _ in range(options.starts):
        with launch(options) as engine:
            engine.start(SIZE)
            to_ok.append(milliseconds(engine.started))
            request = time.perf_counter()
            engine.send("INFO timeout_turn 0", "TURN 10,10")
            engine.move()
            answer.append(milliseconds(request))
            first.append(milliseconds(engine.started))
    print(f"start to OK                  {spread(to_ok)}")
    print(f"first move, timeout_turn 0   {spread(answer)}")
    print(f"start to that move           {spread(first)}", flush=True)


def end(engine):
    engine.send("END")


def end_input(engine):
    engine.process.stdin.close()


def close_output(engine):
    engine.process.stdout.close()
    engine.send("YXSTOP")


def leaving(options, name, leave):
    """Measures how long an engine takes to end when it thinks and its manager leaves."""
    times = []
    for _ in range(options.starts):
        with launch(options) as engine:
            engine.start(SIZE)
            engine.send("INFO timeout_turn 30000", "TURN 10,10")
            time.sleep(0.3)
            since = time.perf_counter()
            leave(engine)
            try:
                engine.process.wait(10)
            except subprocess.TimeoutExpired:
                raise EngineError(f"{name}: not within 10 s") from None
            times.append(milliseconds(since))
    print(f"{name:28} {spread(times)}", flush=True)
    return max(times) <= 200


def opening(rng, stones):
    """Returns black and white stones near the middle, as many of each."""
    middle = range(SIZE // 2 - 4, SIZE // 2 + 4)
    cells = rng.sample([(x, y) for x in middle for y in middle], stones)
    return cells[::2], cells[1::2]


def limit(options, limit_ms):
    """Asks for moves under one turn limit: each from a new position, every second by TURN."""
    rng = random.Random(limit_ms)
    times = []
    with launch(options) as engine:
        engine.start(SIZE)
        engine.info(timeout_turn=limit_ms, timeout_match=0, time_left=2147483647,
                    max_memory=TOURNAMENT_MEMORY)
        while len(times) < options.moves:
            black, white = opening(rng, 2 * rng.randint(1, 8))
            taken = set(black + white)
            lines = ["BOARD", *rows(black, white, "black"), "DONE"]
            for _ in range(2):
                request = time.perf_counter()
                engine.send(*lines)
                move, _, _ = engine.move(limit_ms / 1000 + 10)
                times.append(milliseconds(request))
                taken.add(move)
                reply = rng.choice([(x, y) for x in range(SIZE) for y in range(SIZE)
                                    if (x, y) not in taken])
                taken.add(reply)
                lines = [f"TURN {reply[0]},{reply[1]}"]
    overrun = max(times) - limit_ms
    late = sum(t > limit_ms for t in times)
    print(f"limit {limit_ms:4} ms, {len(times)} moves   {spread(times)}, "
          f"overrun {overrun:+.1f} ms, late {late}", flush=True)
    return late == 0


def memory(options, megabytes):
    rng = random.Random(megabytes)
    with launch(options) as engine:
        engine.start(SIZE)
        engine.info(max_memory=megabytes << 20, timeout_turn=options.memory_time)
        for _ in range(options.memory_moves):
            black, white = opening(rng, 6)
            engine.send("BOARD", *rows(black, white, "black"), "DONE")
            engine.move(options.memory_time / 1000 + 10)
        used = engine.memory("VmHWM")
    print(f"max_memory {megabytes:5} MB   peak {used:.0f} MB, {100 * used / megabytes:.0f} %",
          flush=True)
    return used < megabytes


def main():
    numbers = lambda text: [int(n) for n in text.split(",") if n]
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("engine", help="command of the engine")
    parser.add_argument("--limits", type=numbers, default=[5, 10, 20, 50, 100, 500])
    parser.add_argument("--moves", type=int, default=50, help="moves a limit (50)")
    parser.add_argument("--starts", type=int, default=21, help="process starts (21)")
    parser.add_argument("--memory", type=numbers, default=[32, 64, 128, 256, 350, 512, 1024])
    parser.add_argument("--memory-time", type=int, default=3000, help="ms a search (3000)")
    parser.add_argument("--memory-moves", type=int, default=2, help="searches a limit (2)")
    options = parser.parse_args()
    starts(options)
    ways = (("gone after END", end), ("gone after the input's end", end_input),
            ("gone after a closed output", close_output))
    fine = [leaving(options, name, leave) for name, leave in ways]
    fine += [limit(options, ms) for ms in options.limits]
    fine += [memory(options, mb) for mb in options.memory]
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    run(main)
