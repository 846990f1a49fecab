#!/usr/bin/env python3
"""A rehearsal of the Gomocup: plays in each of its leagues through the judge's own classes.

usage: league.py ENGINE [BASE] [--judge DIR] [--scale 1] [--leagues NAME,...] [--games 2]
                 [--openings FOLDER] [--tengen PROGRAM] [--seed 1]

ENGINE and BASE (where there is none, ENGINE) are programs or zips; DIR and $TENGEN_RUNNER are as in
judge.py. Engines are suspended between their moves. Times are multiplied by --scale, but not the
judge's tolerance of a second. A NAME is that of a league, or begins some. FOLDER has openings as
the Gomocup publishes them, offsets from the centre, in files with rule and size in their names
(x_renju15.offset.txt); PROGRAM (target/release/tengen) makes those of the other leagues. Each is played with both colours.

A fault is a game lost otherwise than by five in a row, or what no manager expects: an unknown line,
a second answer, text on standard error, a program that stays after END. A late move came after the
time of its turn or the rest of the match. The time from START to OK leaves out the suspension; the
memory is the judge's (USS) and the peak of RSS. Exit code 1 on a fault of ENGINE.
"""

import argparse
import contextlib
import io
import os
import pathlib
import queue
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from fleet import pentanomial
from judge import ENDS, MEGABYTE, load_judge, unpack, warm
from pbrain import COORDINATES, RULES, TOURNAMENT_MEMORY, above_zero, memory, run

RELEASE = pathlib.Path(__file__).resolve().parent.parent / "target" / "release"
LEAGUES = {
    "fastgame": ("freestyle", 20, 5, 120),
    "freestyle20-group": ("freestyle", 20, 30, 180),
    "freestyle20-final": ("freestyle", 20, 300, 1000),
    "freestyle15-group": ("freestyle", 15, 30, 180),
    "freestyle15-final": ("freestyle", 15, 300, 1000),
    "standard15-group": ("standard", 15, 30, 180),
    "standard15-final": ("standard", 15, 300, 1000),
    "renju": ("renju", 15, 300, 1000),
    "caro8": ("caro", 15, 300, 1000),
    "caro9": ("caro-exact", 15, 300, 1000),
}
"""The rule, the size, and the seconds of a turn and of a match."""
REASONS = {"TLE": "too late", "MLE": "too much memory", "FLE": "too large a folder",
           "Invalid Move": "a move off the board"}
CRASH = "a crash"
GOOD = re.compile(rf"{COORDINATES.pattern}|OK$|MESSAGE\b|DEBUG\b", re.IGNORECASE)


class Output(queue.Queue):
    """The lines of an engine, as the judge takes them, each with the time at which it came."""

    def __init__(self):
        super().__init__()
        self.seen, self.taken, self.pipe = [], 0, None

    def put(self, line):
        self.seen.append((time.monotonic(), line.strip("\r\n")))
        super().put(line)

    def get_nowait(self):
        try:
            line = super().get_nowait()
        except queue.Empty:
            # The judge would wait for an engine that has ended until its time is over.
            if self.pipe and self.pipe.closed and self.empty():
                raise RuntimeError(CRASH) from None
            raise
        self.taken += 1
        return line


def watched(protocol, sides):
    """Returns the judge's class of an engine, which joins `sides` and notes what it sees."""

    class Side(protocol):
        def __init__(self, *arguments):
            sides.append(self)
            self.faults, self.late, self.asked = [], [], 0
            self.vms_memory = self.rss = self.ready = 0
            self.runs, self.ran = time.monotonic(), 0
            self.errors = tempfile.TemporaryFile()
            # The judge's engines write to its own standard error.
            own = os.dup(2)
            os.dup2(self.errors.fileno(), 2)
            try:
                super().__init__(*arguments)
            finally:
                os.dup2(own, 2)
                os.close(own)
            self.queue.pipe = self.process.stdout

        def write_to_process(self, text):
            try:
                super().write_to_process(text)
            except OSError:
                self.faults = self.faults or [CRASH]
                raise RuntimeError(CRASH) from None

        def suspend(self):
            super().suspend()
            self.ran += time.monotonic() - self.runs

        def resume(self):
            self.runs = time.monotonic()
            super().resume()

        def wait(self, special_rule=""):
            limit = min(self.timeout_match - self.timeused, self.timeout_turn)
            self.asked += 1
            ran = self.ran
            try:
                answer = super().wait(special_rule)
            except RuntimeError as error:
                self.faults.append(REASONS.get(str(error), str(error)))
                raise
            late = 1000 * (self.queue.seen[self.queue.taken - 1][0] - self.runs) - limit
            if late > 0:
                self.late.append((late, self.asked, limit))
            if self.asked == 1:
                ready = [at for at, line in self.queue.seen if line == "OK"]
                self.ready = 1000 * (ran + max(0, ready[0] - self.runs)) if ready else 0
            return answer

        def update_vms(self):
            super().update_vms()
            with contextlib.suppress(OSError):
                self.rss = max(self.rss, memory(self.pp.pid, "VmHWM"))

        def end(self):
            """Sees to it that the process has gone; what it wrote and how it ended are faults."""
            if not hasattr(self, "process"):
                return
            self.process.kill()
            code = self.process.wait()
            if CRASH in self.faults:
                self.faults[self.faults.index(CRASH)] += f", exit code {code}"
            if code and not self.faults:
                self.faults.append(f"exit code {code} half a second after END")
            lines = [line for _, line in self.queue.seen]
            answers = sum(bool(COORDINATES.fullmatch(line)) for line in lines)
            if answers > self.asked:
                self.faults.append(f"{answers} answers to {self.asked} questions")
            if lines.count("OK") != 1 and not self.faults:
                self.faults.append(f"OK {lines.count('OK')} times")
            bad = [line for line in lines if not GOOD.match(line)]
            self.errors.seek(0)
            said = self.errors.read().decode(errors="replace").splitlines()
            self.errors.close()
            for what, found in (("line", bad), ("line on standard error", said)):
                if found:
                    self.faults.append(f"{what}: {found[0][:80]!r}, {len(found)} of them")

    return Side


def read_openings(text, size, source):
    """Returns the openings of lines of offsets from the centre, as points."""
    openings = []
    for line in filter(str.strip, text.splitlines()):
        try:
            numbers = [size // 2 + int(word) for word in line.split(",")]
        except ValueError:
            numbers = [-1]
        points = list(zip(numbers[::2], numbers[1::2]))
        if len(numbers) % 2 or len(set(points)) < len(points) or not all(0 <= c < size for c in numbers):
            sys.exit(f"league.py: {source}: no opening of {size}x{size}: {line}")
        openings.append(points)
    return openings


def choose_openings(options, rule, size):
    """Returns an opening for each pair of games."""
    pairs = options.games // 2
    pattern = f"*{rule.split('-')[0]}{size}*.offset.txt"
    files = sorted(options.openings.glob(pattern)) if options.openings else []
    found = [opening for file in files for opening in read_openings(file.read_text(), size, file)]
    if not files:
        command = [options.tengen, "openings", "--count", pairs, "--rule", rule, "--size", size,
                   "--notation", "offset", "--nodes", 10_000, "--seed", options.seed]
        made = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600)
        found = [] if made.returncode else read_openings(made.stdout, size, options.tengen)
    if not found:
        sys.exit(f"league.py: {options.tengen} makes no openings of {rule}, and --openings has no {pattern}")
    random.Random(options.seed).shuffle(found)
    return [found[pair % len(found)] for pair in range(pairs)]


def play(judge, sides, league, programs, opening, options, folder):
    """Plays a game; returns the score of the program that moves first."""
    rule, size, *seconds = LEAGUES[league]
    turn, match = (max(1, round(1000 * second * options.scale)) for second in seconds)
    arguments = {}
    for number, program in enumerate(programs, 1):
        own = folder / f"folder{number}"
        own.mkdir(exist_ok=True)
        each = {"protocol": "new", "timeout_turn": turn, "timeout_match": match, "folder": str(own),
                "cmd": shlex.quote(program), "working_dir": os.path.dirname(program),
                "max_memory": TOURNAMENT_MEMORY}
        arguments.update({f"{key}_{number}": value for key, value in each.items()})
    sides.clear()
    game = judge.ai_match(board_size=size, opening=opening, rule=RULES[rule], game_type=3,
                          tolerance=1000, settings={}, **arguments)
    try:
        # The judge prints every move.
        with contextlib.redirect_stdout(io.StringIO()):
            _, _, winner, end = game.play()
    finally:
        for side in sides:
            side.end()
    has_won = winner == len(opening) % 2 + 1
    if end:
        loser = sides[has_won]
        loser.faults = loser.faults or [ENDS[end]]
    return 0.5 if winner == 0 else float(has_won)


def rehearse(judge, sides, league, homes, options, folder):
    """Plays a league and prints its row; returns its pairs by their scores, and ENGINE's faults."""
    rule, size, *_ = LEAGUES[league]
    programs = []
    for home in homes:
        program, protocol = judge.select_executable(str(home), RULES[rule], size, True)
        if protocol != "new":
            sys.exit(f"league.py: {home.name} has no program pbrain*.exe")
        programs.append(program)
    scores, own = [], []
    for number, opening in enumerate(choose_openings(options, rule, size)):
        for turn in (0, 1):
            order = [turn, 1 - turn]
            score = play(judge, sides, league, [programs[i] for i in order], opening, options, folder)
            scores.append(1 - score if turn else score)
            for home, side in zip((homes[i] for i in order), sides):
                place = f"{league} game {2 * number + turn + 1}, {home.name}"
                for late, move, limit in side.late:
                    print(f"late: {place}: move {move} {late:.1f} ms after its {limit} ms")
                for fault in side.faults:
                    print(f"FAULT: {place}: {fault}")
                own += [side] if home is homes[0] else []
    faults = sum(len(side.faults) for side in own)
    late = [late for side in own for late, *_ in side.late]
    print(f"{league:<18}{sum(scores):>5g} of {len(scores):<3}{faults:>7}{len(late):>6}{max(late, default=0):>10.1f}"
          f"{max(side.ready for side in own):>10.0f}{max(side.vms_memory for side in own) / MEGABYTE:>8.0f}"
          f"{max(side.rss for side in own):>8.0f}", flush=True)
    return [round(2 * sum(pair)) for pair in zip(scores[::2], scores[1::2])], faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engines", nargs="+", type=pathlib.Path, metavar="ENGINE [BASE]")
    parser.add_argument("--judge", default=os.environ.get("GOMOCUP_JUDGE", "."), metavar="DIR")
    parser.add_argument("--scale", type=above_zero, default=1)
    parser.add_argument("--leagues", default="", help="such as fastgame,freestyle15: " + ", ".join(LEAGUES))
    parser.add_argument("--games", type=int, default=2, help="of each league, an even number")
    parser.add_argument("--openings", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tengen", default=RELEASE / "tengen", metavar="PROGRAM")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of openings")
    options = parser.parse_args()
    words = [word for word in options.leagues.lower().split(",") if word]
    leagues = [name for name in LEAGUES if not words or any(map(name.startswith, words))]
    if len(options.engines) > 2 or options.games < 2 or options.games % 2:
        parser.error("one or two engines and an even number of games expected")
    if options.openings and not options.openings.is_dir():
        parser.error(f"no folder {options.openings}")
    if not all(any(name.startswith(word) for name in LEAGUES) for word in words):
        parser.error(f"no such league in {options.leagues}")
    judge, _ = load_judge(options.judge)
    sides, counts, faults = [], [0] * 5, 0
    protocol = sys.modules["new_protocol"]
    protocol.Queue = Output
    sys.modules["ai_match"].new_protocol = watched(protocol.new_protocol, sides)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="league")))
        homes = []
        for name, engine in zip(("ENGINE", "BASE"), options.engines):
            if not engine.is_file():
                parser.error(f"no file {engine}")
            if engine.suffix == ".zip":
                print(f"{engine}: {engine.stat().st_size / MEGABYTE:.2f} MB")
            homes.append(folder / name)
            homes[-1].mkdir()
            unpack(engine, homes[-1])
        if os.environ.get("TENGEN_RUNNER"):
            for home in homes:
                program = next(home.glob("*.exe"), None)
                if program:
                    stack.enter_context(warm(str(program)))
        homes *= 2 // len(homes)
        print(f"{'league':<18}{'score':>9}{'faults':>9}{'late':>6}{'most ms':>10}{'OK in ms':>10}{'USS MB':>8}{'RSS MB':>8}")
        for league in leagues:
            pairs, found = rehearse(judge, sides, league, homes, options, folder)
            faults += found
            for pair in pairs:
                counts[pair] += 1
    score, error = pentanomial.estimate(counts)
    interval = f"+- {196 * error:.1f}" if error else f"({pentanomial.NO_INTERVAL})"
    print(f"score {100 * score:.1f} % {interval} of {2 * sum(counts)} games; {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    run(main)
