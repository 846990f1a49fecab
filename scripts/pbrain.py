"""Talks to an engine that speaks the Gomocup protocol over pipes; shared by the other scripts."""

import argparse
import json
import math
import os
import pathlib
import random
import re
import select
import shlex
import subprocess
import sys
import time

RULES = {"freestyle": 0, "standard": 1, "renju": 4, "caro": 8, "caro-exact": 9}
# Where suites of test positions name rules otherwise.
SUITE_RULES = {"caro6": "caro", "caro5": "caro-exact"}
SUITE_KEYS = {"id", "rule", "size", "black", "white"}
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
COORDINATES = re.compile(r"(\d+),(\d+)$")
EVALUATION = re.compile(r"\bev(?:al|aluation)?:?\s+([+-]?M?\d+)", re.IGNORECASE)
TOURNAMENT_MEMORY = 350 << 20  # bytes, as the Gomocup has it


class EngineError(Exception):
    """The engine has ended, is silent, or answers something that it must not."""


def run(main):
    """Runs a script; what it cannot do without is told in one line."""
    try:
        main()
    except (EngineError, ImportError, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")


def positive(text):
    """Returns a whole number above zero, as argparse asks for it."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("a number above zero is needed")
    return number


def above_zero(text):
    """Returns a number above zero, as argparse asks for it."""
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError("a number above zero is needed")
    return number


def read_suite(path, limit, seed):
    """Returns the positions of a suite, at most so many, which the seed chooses."""
    entries = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if line.strip():
            try:
                entries.append(json.loads(line))
                if not SUITE_KEYS.issubset(entries[-1]):
                    raise ValueError("no position")
            except (TypeError, ValueError) as error:
                sys.exit(f"{path}: line {number}: {error}")
    return random.Random(seed).sample(entries, limit) if limit and len(entries) > limit else entries


class Engine:
    """One engine process. Whatever is read has a deadline; writing waits while the engine's pipe is full."""

    def __init__(self, command, **popen):
        self.started = time.perf_counter()
        words = [command] if os.path.isfile(command) else shlex.split(command)
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **popen
        )
        self.pending = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Sends END and waits; an engine that stays is killed. Returns the exit code."""
        try:
            self.send("END")
            self.process.stdin.close()
        except (OSError, EngineError, ValueError):
            pass  # It has ended, or its input was closed.
        try:
            return self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def memory(self, key):
        return memory(self.process.pid, key)

    def send(self, *lines):
        try:
            self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        except OSError as error:
            raise EngineError(f"cannot write: {error}, exit code {self.process.poll()}") from error

    def line(self, seconds=10.0):
        """Returns the next line of output."""
        deadline = time.perf_counter() + seconds
        while b"\n" not in self.pending:
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise EngineError("no answer in time")
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                raise EngineError(f"the engine has ended, exit code {self.process.poll()}")
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode(errors="replace").rstrip("\r")

    def expect(self, prefix, seconds=10.0):
        """Returns the next line with the prefix; skips messages, refuses everything else."""
        deadline = time.perf_counter() + seconds
        while True:
            line = self.line(deadline - time.perf_counter())
            if line.startswith(prefix):
                return line
            if not line.startswith(("MESSAGE", "DEBUG", "INFO")):
                raise EngineError(f"{prefix} expected, {line!r} read")

    def start(self, size):
        self.send(f"START {size}")
        self.expect("OK")

    def info(self, **settings):
        self.send(*(f"INFO {key} {value}" for key, value in settings.items()))

    def move(self, seconds=10.0):
        """Returns the move (x, y), the last evaluation text or None, and the messages before."""
        messages, evaluation = [], None
        deadline = time.perf_counter() + seconds
        while True:
            line = self.line(deadline - time.perf_counter())
            match = COORDINATES.fullmatch(line)
            if match:
                return (int(match[1]), int(match[2])), evaluation, messages
            if line.startswith(("ERROR", "UNKNOWN")):
                raise EngineError(line)
            messages.append(line)
            found = EVALUATION.search(line)
            if found:
                evaluation = found[1].upper()

    def forbidden(self):
        """Returns the set of points of YXSHOWFORBID; the position must have been sent before."""
        self.send("YXSHOWFORBID")
        digits = self.expect("FORBID")[6:].strip()
        if not digits.endswith(".") or len(digits) % 4 != 1:
            raise EngineError(f"malformed: FORBID {digits}")
        return {(int(digits[i : i + 2]), int(digits[i + 2 : i + 4]))
                for i in range(0, len(digits) - 1, 4)}


def memory(pid, key):
    """Returns a value of /proc/PID/status, such as VmHWM, in MB. Linux only."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{key}:\s+(\d+) kB", text)[1]) / 1024


def point(text):
    """h8 -> (7, 7)"""
    return ord(text[0].lower()) - ord("a"), int(text[1:]) - 1


def name(xy):
    """(7, 7) -> h8"""
    return f"{chr(ord('a') + xy[0])}{xy[1] + 1}"


def claims_win(evaluation):
    return evaluation is not None and "M" in evaluation and not evaluation.startswith("-")


def rows(black, white, own):
    """Returns BOARD rows for points (x, y), own is "black" or "white".

    Black and white alternate as in a game, so that a renju engine knows the colours from the order
    where it cannot know them from the numbers. One own stone more would make colours of the owners:
    passes are told then.
    """
    owner = {"black": (1, 2), "white": (2, 1)}[own]
    sides = (black, white) if own == "black" else (white, black)
    tells_passes = len(sides[0]) == len(sides[1]) + 1
    lines = []
    for i in range(max(len(black), len(white))):
        for points, who in ((black, owner[0]), (white, owner[1])):
            if i < len(points):
                lines.append(f"{points[i][0]},{points[i][1]},{who}")
            elif tells_passes:
                lines.append("-1,-1,2")
    return lines + ["-1,-1,2"] * (tells_passes and own == "white")


def colors_are_known(black, white, own):
    """Returns true if a BOARD block tells the engine which colour is black: own and opponent's
    stones equal means black, one own stone less means white, passes included; otherwise black is
    in the first row.
    """
    ours, theirs = (len(black), len(white)) if own == "black" else (len(white), len(black))
    if ours == theirs + 1:
        return True
    if ours == theirs:
        return own == "black"
    if ours + 1 == theirs:
        return own == "white"
    return bool(black)


def percentile(values, fraction):
    """Returns the nearest-rank percentile: the least value that this share of all does not exceed."""
    rank = max(1, math.ceil(len(values) * fraction))
    return sorted(values)[rank - 1] if values else 0.0


def run_of(stones, xy, step):
    """Returns how many cells in a row behind xy are among the stones, one step after the other."""
    count = 0
    while (xy[0] + step[0] * (count + 1), xy[1] + step[1] * (count + 1)) in stones:
        count += 1
    return count


def wins(rule, own, other, xy, is_black):
    """The referee: returns true if the stone on xy, which is among own, wins under the rule."""
    for dx, dy in DIRECTIONS:
        ahead, behind = run_of(own, xy, (dx, dy)), run_of(own, xy, (-dx, -dy))
        length = ahead + behind + 1
        ends = ((xy[0] + dx * (ahead + 1), xy[1] + dy * (ahead + 1)),
                (xy[0] - dx * (behind + 1), xy[1] - dy * (behind + 1)))
        is_exact = rule in ("standard", "caro-exact") or rule == "renju" and is_black
        is_caro = rule in ("caro", "caro-exact")
        is_closed = is_caro and length == 5 and all(end in other for end in ends)
        if (length == 5 or length > 5 and not is_exact) and not is_closed:
            return True
    return False


def makes_five(own, xy):
    """Returns true if the stone on xy, which is among own, is one of five or more in a row."""
    return wins("freestyle", own, (), xy, False)
