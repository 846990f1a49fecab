#!/usr/bin/env python3
"""Plays 10,000 moves against the clock: is an answer ever late, and was it the engine or the machine?

usage: soak.py ENGINE [--loads N,N,...] [--limits MS:MOVES,...] [--match MS/MS:MOVES,...]
               [--threads N] [--freeze PERCENT] [--seed S] [--csv FILE]

Under each load, that is with so many other processes that do nothing but compute, the engine plays
games under each turn limit and each match clock (match/turn, in ms). Before some moves it is
stopped (SIGSTOP) for up to 300 ms; half of those are asked while it stands still, as the Gomocup
judge does, and its clock begins when it goes on. On each processor an idle control process sleeps
1 ms at a time and notes how late it wakes: such lateness is the machine's, not the engine's.

A row gives the moves, their median time, and the worst overrun (time less limit, negative if
early); the controls' worst lateness during those moves and its 99.9th percentile; the processor
time that the host took away meanwhile (steal), as part of all; and the late moves, with how many of
them were later than the controls at the same moment. Every late move has a line of its own, and
each load one with the 99.9th percentile of the overrun of all its moves. Exit code 1 if an answer
of the idle machine was later than allowed (nothing, or 5 ms where the limit is at most 50 ms) and
later than the controls, or if that percentile reached 30 ms under load. Linux only.
"""

import argparse
import bisect
import csv
import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pbrain import RULES, TOURNAMENT_MEMORY, Engine, makes_five, percentile, rows, run

UNLIMITED = 2147483647
STONES = 60
FREEZE_MAX = 0.3
FORGIVEN_MS, FORGIVEN_UP_TO_MS = 5.0, 50
LOADED_MS = 30.0
# A nap of the control, and the lateness from which on it is worth a note.
NAP, NOTED = 0.001, 0.0005


def control(pipe, processor):
    """Sleeps and notes how late it wakes, until something comes through the pipe."""
    os.sched_setaffinity(0, {processor})
    gc.disable()
    noted, latenesses = [], []
    while not pipe.poll():
        begin = time.monotonic()
        time.sleep(NAP)
        end = time.monotonic()
        late = end - begin - NAP
        latenesses.append(late)
        if late > NOTED:
            noted.append((begin, end, late))
        if len(latenesses) > 1 << 20:
            del latenesses[::2]
    pipe.send((noted, percentile(latenesses, 0.999)))


class Control:
    """The control processes, one for each processor, while a row is measured."""

    def __enter__(self):
        self.running = []
        for processor in sorted(os.sched_getaffinity(0)):
            pipe, other = multiprocessing.Pipe()
            process = multiprocessing.Process(target=control, args=(other, processor), daemon=True)
            process.start()
            self.running.append((process, pipe))
        return self

    def __exit__(self, *_):
        for _, pipe in self.running:
            pipe.send(None)
        results = [pipe.recv() for _, pipe in self.running]
        for process, _ in self.running:
            process.join()
        self.noted = [(noted, [end for _, end, _ in noted]) for noted, _ in results]
        self.high = max(high for _, high in results)

    def lateness(self, begin, end):
        """Returns the worst lateness of a nap that had anything to do with this time, in ms."""
        worst = 0.0
        for noted, ends in self.noted:
            for nap_begin, _, late in noted[bisect.bisect_left(ends, begin):]:
                if nap_begin > end:
                    break
                worst = max(worst, late)
        return worst * 1000


class Load:
    """Processes that compute and do nothing else."""

    def __init__(self, number):
        spin = [sys.executable, "-c", "while True: pass"]
        self.processes = [subprocess.Popen(spin) for _ in range(number)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def ticks():
    """Returns the processor time stolen and all of it, in ticks since the start of the machine."""
    with open("/proc/stat") as stat:
        numbers = [int(word) for word in stat.readline().split()[1:9]]
    return numbers[7], sum(numbers)


class Game:
    """One game of the engine, whose opponent searches a fixed number of nodes."""

    def __init__(self, rng, engine, opponent):
        self.engine = engine
        self.size = rng.choice((15, 15, 20, 9, 22))
        middle = range(self.size // 2 - 3, self.size // 2 + 4)
        stones = rng.sample([(x, y) for x in middle for y in middle], 4)
        self.stones = {xy: i % 2 for i, xy in enumerate(stones)}
        rule = rng.choice(list(RULES.values()))
        for player in (engine, opponent):
            player.start(self.size)
            player.info(rule=rule)
        self.opponent = opponent
        self.request = ["BOARD", *rows(stones[::2], stones[1::2], "black"), "DONE"]
        self.is_first = True

    def put(self, xy, who):
        """Puts a stone and returns true if the game is over."""
        if not (0 <= min(xy) and max(xy) < self.size) or xy in self.stones:
            raise SystemExit(f"soak: {xy} is no legal move among {self.stones}")
        self.stones[xy] = who
        own = {cell for cell, owner in self.stones.items() if owner == who}
        return makes_five(own, xy) or len(self.stones) >= min(STONES, self.size**2 - 2)

    def reply(self, xy):
        """Lets the opponent answer; returns true if the game is over."""
        if self.is_first:
            black = [p for p, who in self.stones.items() if who == 0]
            white = [p for p, who in self.stones.items() if who == 1]
            self.opponent.send("BOARD", *rows(black, white, "white"), "DONE")
            self.is_first = False
        else:
            self.opponent.send(f"TURN {xy[0]},{xy[1]}")
        answer, _, _ = self.opponent.move(60)
        self.request = [f"TURN {answer[0]},{answer[1]}"]
        return self.put(answer, 1)


def freeze(rng, engine, lines):
    """Stops the engine for a while; returns true if the lines were sent meanwhile."""
    pid = engine.process.pid
    os.kill(pid, signal.SIGSTOP)
    sends = rng.random() < 0.5
    if sends:
        engine.send(*lines)
    time.sleep(rng.uniform(0, FREEZE_MAX))
    return sends


def measure(options, rng, turn, match, moves):
    """Plays until so many moves are measured; returns a tuple (limit, begin, end) for each, in ms
    and seconds.
    """
    measured = []
    launch = lambda: Engine(options.engine, stderr=subprocess.DEVNULL)
    with launch() as engine, launch() as opponent:
        opponent.info(max_node=3_000, timeout_match=0, time_left=UNLIMITED)
        while len(measured) < moves:
            engine.info(timeout_turn=turn, timeout_match=match, max_memory=TOURNAMENT_MEMORY,
                        thread_num=options.threads)
            game, left = Game(rng, engine, opponent), match if match else UNLIMITED
            while len(measured) < moves:
                limit = min(turn, left)
                lines = [f"INFO time_left {int(left)}", *game.request]
                is_frozen = rng.random() * 100 < options.freeze
                is_sent = is_frozen and freeze(rng, engine, lines)
                begin = time.monotonic()
                if is_frozen:
                    os.kill(engine.process.pid, signal.SIGCONT)
                if not is_sent:
                    engine.send(*lines)
                xy, evaluation, _ = engine.move(limit / 1000 + 10)
                end = time.monotonic()
                measured.append((limit, begin, end))
                if match:
                    left -= (end - begin) * 1000
                # A decided game is played without much thought and measures little.
                is_decided = evaluation is not None and "M" in evaluation
                if left <= 0 or is_decided or game.put(xy, 0) or game.reply(xy):
                    break
    return measured


def row(options, load, name, turn, match, moves, writer):
    """Measures and prints one row; returns its overruns in ms, and true if none is the engine's fault."""
    rng = random.Random(f"{options.seed} {load} {name}")
    steal = ticks()
    with Control() as machine:
        measured = measure(options, rng, turn, match, moves)
    stolen, all_ticks = (after - before for after, before in zip(ticks(), steal))
    times, overruns, worst_control, late, blamed = [], [], 0.0, [], 0
    fine = True
    for limit, begin, end in measured:
        took = (end - begin) * 1000
        lateness = machine.lateness(begin, end)
        times.append(took)
        overruns.append(took - limit)
        worst_control = max(worst_control, lateness)
        writer.writerow([load, name, f"{limit:.0f}", f"{took:.3f}", f"{lateness:.3f}"])
        if took > limit:
            late.append((limit, took, lateness))
            is_engine = took - limit > lateness
            blamed += is_engine
            allowed = FORGIVEN_MS if limit <= FORGIVEN_UP_TO_MS else 0.0
            fine = fine and (load > 0 or took - limit <= allowed or not is_engine)
    print(f"{load:4} {name:>12} {len(times):6} {percentile(times, 0.5):8.1f} {max(overruns):+9.1f} "
          f"{worst_control:8.1f} {machine.high * 1000:7.1f} "
          f"{100 * stolen / max(1, all_ticks):6.1f} {len(late):5} {blamed:6}"
          f"{'' if fine else '  FAILED'}", flush=True)
    for limit, took, lateness in late:
        print(f"     late: limit {limit:.0f} ms, {took - limit:+.1f} ms, control {lateness:.1f} ms",
              flush=True)
    return overruns, fine


def settings(text):
    """100:500,20:1000 -> [("100", "500"), ("20", "1000")]"""
    return [tuple(part.rsplit(":", 1)) for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("engine", help="command of the engine")
    parser.add_argument("--loads", default="0,2,4")
    parser.add_argument("--limits", type=settings, default="5:1000,20:1000,100:700,500:240")
    parser.add_argument("--match", type=settings, default="1500/100:200,5000/1000:200")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--freeze", type=float, default=20.0, help="percent of the moves (20)")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--csv", help="file for every move")
    options = parser.parse_args()
    gc.freeze()
    print("                             median  overrun    control, ms    stolen  late of")
    print("load        limit  moves       ms worst, ms    worst  99.9 %      %  moves engine")
    fine = True
    with open(options.csv or os.devnull, "a", newline="") as file:
        writer = csv.writer(file)
        for load in [int(n) for n in options.loads.split(",") if n]:
            rows = [(f"{turn} ms", int(turn), 0, int(moves)) for turn, moves in options.limits]
            for clock, moves in options.match:
                match, turn = (int(n) for n in clock.split("/"))
                rows.append((clock, turn, match, int(moves)))
            overruns = []
            with Load(load):
                for name, turn, match, moves in rows:
                    of_row, row_is_fine = row(options, load, name, turn, match, moves, writer)
                    overruns += of_row
                    fine &= row_is_fine
            high = percentile(overruns, 0.999)
            is_punctual = load == 0 or high < LOADED_MS
            fine &= is_punctual
            print(f"{load:4} {'all':>12} {len(overruns):6}  99.9 % of the overruns {high:+.1f} ms"
                  f"{'' if is_punctual else '  FAILED'}", flush=True)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    run(main)
