#!/usr/bin/env python3
"""Tests league.py: each fault of a stub is told, and a stub without one has none. Some of judge.py, too.

usage: league_test.py [TEST...]      ends with 77 without $GOMOCUP_JUDGE or psutil
"""

import concurrent.futures
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

if "GOMOCUP_JUDGE" not in os.environ or not importlib.util.find_spec("psutil"):
    print("league_test: GOMOCUP_JUDGE or psutil is missing, league.py is not tested", file=sys.stderr)
    sys.exit(77)

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]

# It makes five on one edge in five moves. Its fault is in its name, and comes with the third one.
STUB = f"""#!{sys.executable}
import os, pathlib, re, sys, time
def say(line): print(line, flush=True)
fault = re.search("pbrain-([a-z]*)", sys.argv[0])[1]
moves, block, taken = 0, None, None
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if block is not None and word != "DONE":
        block.append(word)
    elif word == "ABOUT":
        say('name="stub"')
    elif word == "START":
        if fault == "dead": sys.exit(3)
        if fault == "slow": time.sleep(0.3)
        say("OK")
        if fault == "log": print("a note", file=sys.stderr, flush=True)
    elif word == "BOARD":
        block = []
    elif word in ("TURN", "DONE"):
        if block is not None:
            own = sum(row.endswith(",1") for row in block)
            column, taken, block = 0 if 2 * own == len(block) else 14, block[0], None
        move = "%d,%d" % (column, moves)
        moves += 1
        if moves == 3 and fault == "crash": os.abort()
        if moves == 3 and fault == "late": time.sleep(0.5)
        if moves == 3 and fault == "silent": continue
        if moves == 3 and fault == "occupied": move = taken.rsplit(",", 1)[0]
        if moves == 3 and fault == "outside": move = "15,0"
        if moves == 3 and fault == "garbage": say("thinking...")
        if moves == 3 and fault == "error": say("ERROR none")
        if moves == 3 and fault == "memory": eaten = b"x" * (400 << 20)
        if moves == 3 and fault == "twice": say(move)
        if fault == "foul": move = "7,7"
        say("MESSAGE thinks")
        say(move)
    elif word == "END" and fault != "stays":
        sys.exit(3 if fault == "status" else 0)
if fault == "stays": time.sleep(60)
"""
# Black's fork of two threes, and nothing on the edges.
OPENING = "-1,0, -6,-6, 1,0, -4,-6, 0,-1, -2,-6, 0,1, 0,-6"
FAULTS = {
    "crash": r"a crash, exit code -6",
    "dead": r"a crash, exit code 3",
    "silent": r"too late",
    "occupied": r"an illegal move",
    "outside": r"a move off the board",
    "foul": r"a foul",
    "garbage": r"line: 'thinking\.\.\.'",
    "error": r"line: 'ERROR none'",
    "log": r"line on standard error: 'a note'",
    "memory": r"too much memory",
    "twice": r"\d+ answers to \d+ questions",
    "status": r"exit code 3",
    "stays": r"exit code -9",
}
"""What is told of each fault."""


class League(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tournament_freestyle15.offset.txt").write_text(f"{OPENING}\n0,0, 1,1\n")
        (self.folder / "tournament_renju15.offset.txt").write_text(OPENING)

    def run_league(self, *engines, league="freestyle15-group", scale="0.1", **environment):
        for engine in engines:
            if not engine.endswith(".zip"):
                (self.folder / f"pbrain-{engine}").write_text(STUB)
        paths = [self.folder / (name if name.endswith(".zip") else f"pbrain-{name}") for name in engines]
        command = [sys.executable, SCRIPTS / "league.py", *paths, "--scale", scale, "--leagues", league]
        command += ["--openings", self.folder]
        return subprocess.run(command, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment})

    def test_each_fault_is_told(self):
        def run(fault):
            more = {"foul": {"league": "renju"}, "silent": {"scale": "0.01"}}
            return self.run_league(fault, "good", **more.get(fault, {}))

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for (fault, text), done in zip(FAULTS.items(), pool.map(run, FAULTS)):
                with self.subTest(fault):
                    told = re.findall("FAULT: .*", done.stdout)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertTrue(any(re.search(f", ENGINE: {text}", line) for line in told), done)
                    self.assertFalse([line for line in told if "BASE" in line], told)

    def test_a_good_engine_has_no_fault(self):
        for engines in [["good"], ["good", "crash"]]:
            done = self.run_league(*engines)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            row = next(line.split() for line in done.stdout.splitlines() if line.startswith("freestyle15"))
            name, points, _, games, faults, late, most, ready, uss, rss = row
            self.assertEqual((games, faults, late), ("2", "0", "0"), done.stdout)
            self.assertTrue(0 < float(uss) < float(rss) < 100 and float(ready) > 0, done.stdout)
            self.assertEqual(points, "1" if len(engines) == 1 else "2", done.stdout)
            self.assertEqual("BASE: a crash" in done.stdout, len(engines) == 2)
            self.assertIn("% (too few games for an interval) of 2 games; 0 faults", done.stdout)

    def test_late_moves_and_the_start_are_timed(self):
        done = self.run_league("late", "slow", scale="0.01")
        late = [float(ms) for ms in re.findall(r"late: .*, ENGINE: move 3 ([\d.]+) ms after its \d+ ms", done.stdout)]
        self.assertEqual((len(late), done.returncode), (2, 0), done.stdout + done.stderr)
        self.assertTrue(all(190 <= ms < 1000 for ms in late), late)
        done = self.run_league("slow")
        ready = next(line.split()[7] for line in done.stdout.splitlines() if line.startswith("freestyle15"))
        self.assertTrue(300 <= float(ready) < 1000, done.stdout)

    def test_the_program_for_the_league_is_taken_from_a_zip(self):
        with zipfile.ZipFile(self.folder / "Stub.zip", "w") as archive:
            for name in ["crash", "crash_64", "good_freestyle-15_64", "log_renju", "log_freestyle_64"]:
                archive.writestr(f"pbrain-{name}.exe", STUB)
        for environment in [{}, {"TENGEN_RUNNER": sys.executable}]:
            done = self.run_league("Stub.zip", **environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"Stub\.zip: 0\.\d+ MB")

    def test_bad_values_are_told_in_a_line(self):
        (self.folder / "none.zip").write_text("no zip")
        for script, arguments, status, text in [
            ("league.py", ["none.zip"], 1, "none.zip: File is not a zip file"),
            ("judge.py", ["none.zip"], 1, "none.zip: File is not a zip file"),
            ("league.py", ["none.zip", "--scale", "nan"], 2, "--scale: a number above zero"),
            ("league.py", ["none.zip", "--openings", "none"], 2, "no folder none"),
            ("judge.py", ["none.zip", "--only", "renju,cara"], 2, "--only takes some of .*renju"),
        ]:
            done = subprocess.run([sys.executable, SCRIPTS / script, *arguments], cwd=self.folder,
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1], text)

    def test_openings_that_are_none_are_refused(self):
        for text in ["0,0, 8,0", "0,0, 0,0", "0,0, 1", "h8i9"]:
            (self.folder / "tournament_freestyle15.offset.txt").write_text(text)
            done = self.run_league("good")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"no opening of 15x15: {text}", done.stderr)


if __name__ == "__main__":
    unittest.main()
