#!/usr/bin/env python3
"""Tests fleet.py: statistics against known values, and whole jobs on the loopback address; and match.sh.

usage: fleet_test.py [TEST...]      ends with 77 where Dask is missing

The jobs run stub programs, which answer at once, so that each takes seconds. Where the real ones
are there (target/debug/tengen-lab and pbrain-tengen, GOMOKU_CLI), small jobs with them follow.
"""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

try:
    import distributed
except ImportError:
    print("fleet_test: Dask is missing, fleet.py is not tested", file=sys.stderr)
    sys.exit(77)

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]

sys.dont_write_bytecode = True
sys.path.append(str(SCRIPTS))
from fleet import analyze, datagen, pentanomial, training_file
from fleet.interrupt import Interrupt

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", SCRIPTS.parent / "target"))
DEADLINE = 300
"""Seconds for everything that is waited for, so many that they show a hang and no slow machine."""

# The faults of a stub are files in $STUB: `crash` makes it fail as often as it has bytes, `bad` makes
# the referee fail at the first opening that it meets. Where there is a file `allow`, as many pieces of
# training games are made as it has bytes, and the others wait.
STUB = f"""#!{sys.executable}
import hashlib, os, random, re, struct, sys, time
sys.path.insert(0, {str(SCRIPTS)!r})
faults = os.environ["STUB"]
if "--help" in sys.argv:
    is_bad = "bad" in sys.argv
    sys.exit(is_bad and sys.stderr.write("error: bad value\\n") and 2)
def fail_if_asked():
    try:
        left = os.path.getsize(faults + "/crash")
        os.truncate(faults + "/crash", left - 1)
    except OSError:
        return
    if left: os.abort()
"""
ENGINE = STUB + """
if "bench" in sys.argv:
    print("Bench:", os.environ.get("STUB_BENCH", "1000"), "nodes")
    sys.exit()
fail_if_asked()
for name in (name for name in sys.argv if name.endswith(".game")):
    for line, text in enumerate(open(name), 1):
        if text.strip() == "odd":
            print(f"tengen: warning: {name}: line {line}: odd", file=sys.stderr)
        if text.strip() == "bad":
            print(f"pbrain-tengen: {name}: line {line}: no position", file=sys.stderr)
            status = 1
        elif text.strip():
            print('{"source":"%s","line":%d,"to_move":"%s","milliseconds":%d}'
                  % (name, line, text.strip(), time.time_ns() % 1000))
"""
DATAGEN = STUB + """
from fleet import training_file
assert sys.argv[1] == "datagen"
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
fail_if_asked()
time.sleep(float(os.environ.get("STUB_SECONDS", 0)))
allow = faults + "/allow"
while os.path.exists(allow) and not os.path.getsize(allow): time.sleep(0.02)
if os.path.exists(allow): os.truncate(allow, max(0, os.path.getsize(allow) - 1))
rule = os.environ.get("STUB_RULE", options["--rule"])
draw = random.Random(int(options["--seed"]))
with open(options["--out"], "wb") as out:
    made_by = "datagen stub, %s, seed %s, evaluation 0" % (rule, options["--seed"])
    out.write(training_file.head(made_by))
    for number in range(int(options["--games"])):
        kind = training_file.RULES.index(rule)
        data = struct.pack("<IBBBBH", number, kind, 9, 9, 2, 2)
        data += struct.pack("<2H", *draw.sample(range(81), 2))
        out.write(struct.pack("<I", len(data)) + data)
"""
REFEREE = STUB + """
openings = [line.strip() for line in open("openings")]
fail_if_asked()
try:
    bad = open(faults + "/bad", "r+")
    if bad.read() or bad.write(openings[0]): bad.seek(0)
    if bad.read() in openings: os.abort()
except OSError:
    pass
for command in (text[4:] for text in sys.argv if text.startswith("cmd=")):
    # c-gomoku-cli takes what stands before a blank that is not escaped.
    program = re.match(r"(?:\\\\.|[^ ])*", command)[0]
    assert os.access(re.sub(r"\\\\(.)", r"\\1", program), os.X_OK), command
for number, opening in enumerate(openings):
    draw = random.Random(opening)
    for game, names in enumerate(("first vs second", "second vs first")):
        odds = [1, 0] if "option.strength=40" in sys.argv else [3, 1]
        result = draw.choices(["1-0", "0-1"], odds if game == 0 else odds[::-1])[0]
        print("[0] Finished game %d (%s): %s {Black win by five connection}"
              % (2 * number + game + 1, names, result))
"""
GOES = """#!/bin/sh
[ "$1" = bench ] && exit
while read -r line; do
    case $line in ABOUT*) echo 'name="goes"';; START*|RESTART*) echo OK;; INFO*) ;; *) exit 3;; esac
done
"""


class Statistics(unittest.TestCase):
    def test_ratio_is_that_of_fastchess(self):
        """Values from the tests of fastchess, logistic pentanomial model."""
        for counts, elos, expected in [
            ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
            ((871, 26175, 55983, 26678, 821), (0, 2), -4.98),
        ]:
            found = pentanomial.log_likelihood_ratio(counts, *elos)
            self.assertAlmostEqual(found, expected, delta=0.005)

    def test_ratio_is_antisymmetric_and_finite(self):
        counts = (3, 10, 30, 14, 8)
        there = pentanomial.log_likelihood_ratio(counts, -2, 7)
        back = pentanomial.log_likelihood_ratio(counts[::-1], -7, 2)
        self.assertGreater(there, 0)
        self.assertAlmostEqual(there, -back)
        for certain in ((0, 0, 0, 0, 9), (9, 0, 0, 0, 0), (0, 0, 9, 0, 0), (0, 0, 0, 0, 0)):
            self.assertLess(abs(pentanomial.log_likelihood_ratio(certain, 0, 5)), 10)

    def test_elo_and_bounds(self):
        self.assertAlmostEqual(pentanomial.elo_of(0.75), 190.85, places=2)
        self.assertAlmostEqual(pentanomial.score_of(pentanomial.elo_of(0.3)), 0.3)
        self.assertEqual(pentanomial.elo_of(1), float("inf"))
        self.assertAlmostEqual(pentanomial.bounds(0.05, 0.05)[1], 2.944, places=3)
        # Few pairs, and pairs that all ended alike, tell nothing of the error.
        self.assertEqual(pentanomial.estimate((0, 0, 50, 0, 0)), (0.5, None))
        self.assertEqual(pentanomial.estimate((1, 1, 1, 1, 0)), (0.375, None))
        mean, error = pentanomial.estimate((25, 0, 0, 0, 75))
        self.assertAlmostEqual(mean, 0.75)
        self.assertAlmostEqual(error, (0.75 * 0.25 / 99) ** 0.5)


class TrainingFile(unittest.TestCase):
    def record(self, points, size=9):
        cells = b"".join((y * size + x).to_bytes(2, "little") for x, y in points)
        fields = bytes([7, 0, 0, 0, 1, size, size, len(points), len(points), 0])
        return training_file.Record(fields + cells)

    def test_images_of_an_opening_are_one(self):
        points = [(0, 1), (2, 3), (4, 5)]
        key = self.record(points).opening_key()
        self.assertEqual(self.record([(y, x) for x, y in points]).opening_key(), key)
        self.assertEqual(self.record([(8 - x, y) for x, y in points]).opening_key(), key)
        self.assertEqual(self.record([points[2], points[1], points[0]]).opening_key(), key)
        self.assertNotEqual(self.record([points[1], points[0], points[2]]).opening_key(), key)
        self.assertNotEqual(self.record(points, 10).opening_key(), key)

    def test_damaged_files_are_refused(self):
        record = self.record([(0, 1)])
        data = training_file.head("so") + record.numbered(3)
        made_by, records = training_file.parse(data)
        self.assertEqual((made_by, records[0].rule, len(records)), ("so", "standard", 1))
        self.assertEqual(records[0].data[:4], b"\3\0\0\0")
        for wrong in (b"", data[:11], data[:-1], data[:-12], b"x" + data[1:]):
            with self.assertRaises(ValueError):
                training_file.parse(wrong)


class Archive(unittest.TestCase):
    def cut(self, data, most, every=True):
        """Returns the pieces of one file, its bytes and numbers of lines."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            pieces = list(analyze.cut([file.name], most, every))
        self.assertTrue(all(len(piece) == 1 for piece in pieces))
        return [(line, text) for [(_, line, text)] in pieces]

    def test_collections_are_cut_between_games(self):
        games = [b"(;GM[4];B[hh];W[ii])", b"\n(;C[a\\](;b)];B[aa](;W[bb])(;W[cc]))\n", b"(;B[aa])"]
        data = b"\xef\xbb\xbf" + b"".join(games)
        self.assertEqual(self.cut(data, 4), [(1, data[:-len(games[1] + games[2])]),
                                             (1, games[1][:-1]), (2, b"\n" + games[2])])
        self.assertEqual(self.cut(data, 100), [(1, data)])
        self.assertEqual(self.cut(data, 2, every=False),
                         [(1, data[:-len(b"\n" + games[2])]), (2, b"\n" + games[2])])
        # What is broken stays together, for the engine to tell of.
        self.assertEqual(self.cut(b"(;B[aa](;W[bb]", 1), [(1, b"(;B[aa](;W[bb]")])

    def test_lists_are_cut_between_lines(self):
        data = b"\nh8\n\n\nh8i9\nj10"
        self.assertEqual(self.cut(data, 1, every=False),
                         [(1, b"\nh8\n\n\n"), (5, b"h8i9\n"), (6, b"j10")])
        self.assertEqual(self.cut(b"", 1), [(1, b"")])
        data = b"1. h8 i9\n2. g7 f6\n1. a1 b2\nh8i9\n"
        self.assertEqual(self.cut(data, 1, every=False),
                         [(1, data[:18]), (3, data[18:27]), (4, data[27:])])
        data = b"1. h8 i9\n\n# note\n2 . g7 f6\n"
        self.assertEqual(self.cut(data, 1, every=False), [(1, data)])
        data = b"(h8) (i9)\n(h8) (j9)\n"
        self.assertEqual(self.cut(data, 1, every=False), [(1, data[:10]), (2, data[10:])])

    def test_other_files_stay_whole(self):
        for data in (b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n", b"\xffRenLib\xff\n\n\n((",
                     b"Game 1:\n(;B[hh]\n;W[ii])\n", b"\n<html>\nh8\n", b'{"nodes":[\n{},\n{"move":"h8"}]}\n',
                     b'\xef\xbb\xbf[Site "PlayOK"]\n\n1. h8 g7\n2. h9\n', b'moves\n [GameType "61,15"]\n1. h8\n',
                     *("\r\n(;B[hh]\n;W[ii])\nh8\n".encode(code) for code in
                       ("utf-16", "utf-16-le", "utf-16-be"))):
            self.assertEqual(self.cut(data, 1), [(1, data)])


class SmallRuns(unittest.TestCase):
    def test_a_small_run_has_pieces_for_many_cores(self):
        for games, nodes, pieces in ((40, 200, 40), (600, 200, 50), (100000, 2500, 250)):
            options = types.SimpleNamespace(
                games=games, nodes=nodes, out="none", rule="freestyle", seed=1, piece=None, size=None,
                inner=None, inner_depth=None, engine="engine", lab="lab")
            self.assertEqual(datagen.Datagen(options).total(0), pieces)

    def test_a_small_archive_is_cut_for_many_cores(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"h8i9h10\n" * 200)
            file.flush()
            options = types.SimpleNamespace(
                out="none", engine="engine", tengen="tengen", nodes=100, time=None, rule=None, size="15",
                lines=1, every=True, piece=None, files=[file.name])
            self.assertEqual(analyze.Analyze(options).total(0), 50)


class Interrupts(unittest.TestCase):
    def setUp(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def test_a_signal_in_a_destructor_is_not_lost(self):
        class InterruptedAtItsEnd:
            def __init__(self, number):
                self.number = number

            def __del__(self):
                signal.raise_signal(self.number)

        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                interrupt = Interrupt()
                interrupt.check()
                with contextlib.redirect_stderr(io.StringIO()) as told:
                    InterruptedAtItsEnd(number)
                self.assertEqual(told.getvalue(), "")
                self.assertRaises(KeyboardInterrupt, interrupt.check)

    def test_a_signal_elsewhere_interrupts_at_once(self):
        Interrupt()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), self.assertRaises(KeyboardInterrupt):
                signal.raise_signal(number)

    def test_what_a_shell_ignores_stays_ignored(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        interrupt = Interrupt()
        signal.raise_signal(signal.SIGINT)
        interrupt.check()

    def test_other_exceptions_in_destructors_are_told(self):
        class Faulty:
            def __del__(self):
                raise ValueError("a fault")

        Interrupt()
        with contextlib.redirect_stderr(io.StringIO()) as told:
            Faulty()
        self.assertIn("ValueError: a fault", told.getvalue())


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a folder ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "STUB": folder.name, "TMPDIR": folder.name,
                            "PYTHONDONTWRITEBYTECODE": "1"}
        for name, text in [("engine", ENGINE), ("other", ENGINE + "# other\n"),
                           ("tengen-lab", DATAGEN), ("c-gomoku-cli", REFEREE)]:
            self.write(name, text).chmod(0o755)
        self.environment["GOMOKU_CLI"] = str(self.folder / "c-gomoku-cli")
        self.children = []
        self.addCleanup(self.end_children)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def end_children(self):
        for child in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(DEADLINE)

    def start(self, *command, **environment):
        """Starts a program in a process group of its own; what it tells goes to `child.log`."""
        log = self.folder / f"log {len(self.children)}"
        with open(log, "wb") as file:
            child = subprocess.Popen(
                [sys.executable, *map(str, command)], cwd=self.folder, start_new_session=True,
                env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=file)
        child.log = log
        self.children.append(child)
        return child

    def end_of(self, child, status=0):
        """Waits for the end of a program, which has this status, and returns what it told."""
        found = child.wait(DEADLINE)
        told = child.log.read_text()
        self.assertEqual(found, status, told)
        return told

    def scheduler(self, port=0):
        """Starts a scheduler and returns it with its address."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        child = self.start("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port",
                           port, "--no-dashboard", "--scheduler-file", file)
        self.wait_for(file.exists)
        address = self.wait_for(lambda: self.address(file))
        return child, address

    @staticmethod
    def address(file):
        with contextlib.suppress(ValueError):
            return json.loads(file.read_text())["address"]

    def worker(self, address, **environment):
        return self.start("-m", "distributed.cli.dask_worker", address, "--nthreads", 1,
                          "--no-dashboard", "--no-nanny", "--local-directory", self.folder / "work",
                          **environment)

    def wait_for(self, condition):
        end = time.monotonic() + DEADLINE
        while not (result := condition()):
            self.assertLess(time.monotonic(), end, "nothing happened")
            time.sleep(0.05)
        return result

    def command(self, *arguments, scheduler=None, state="state"):
        place = ["--scheduler", scheduler] if scheduler else ["--cores", 2]
        return [SCRIPTS / "fleet.py", *arguments, "--state", self.folder / state, *place]

    def fleet(self, *arguments, status=0, **options):
        """Runs fleet.py and returns what it printed and what it told."""
        environment = options.pop("environment", {})
        process = subprocess.run(
            [sys.executable, *map(str, self.command(*arguments, **options))], cwd=self.folder,
            env={**self.environment, **environment}, capture_output=True, text=True, check=False,
            timeout=DEADLINE)
        self.assertEqual(process.returncode, status, process.stderr)
        return process.stdout, process.stderr

    def datagen(self, out, games=40):
        return ("datagen", "--engine", "engine", "--lab", "./tengen-lab", "--games", games,
                "--piece", 4, "--out", self.folder / out)

    def pieces(self, state="state"):
        return [path for path in self.folder.glob(f"{state}/*/*") if path.name.isdecimal()]

    def games(self, out):
        return training_file.parse((self.folder / out).read_bytes())

    def test_a_killed_worker_changes_nothing(self):
        self.fleet(*self.datagen("alone"))
        _, records = self.games("alone")
        self.assertEqual(len(records), 40)
        self.assertEqual(len({record.opening_key() for record in records}), 40)
        self.assertEqual([record.data[:4] for record in records],
                         [number.to_bytes(4, "little") for number in range(40)])
        _, address = self.scheduler()
        victim = self.worker(address, STUB_SECONDS="1")
        self.worker(address, STUB_SECONDS="0.3")
        run = self.start(*self.command(*self.datagen("two"), scheduler=address))
        self.wait_for(lambda: len(self.pieces()) >= 3)
        os.killpg(victim.pid, signal.SIGKILL)
        self.end_of(run)
        self.assertEqual((self.folder / "alone").read_bytes(), (self.folder / "two").read_bytes())
        # What is merged is not kept twice.
        self.assertEqual(self.pieces(), [])

    def test_an_interrupted_run_goes_on_where_it_was(self):
        self.fleet(*self.datagen("whole"))
        # One core does the pieces in order. A damaged one is found once those before it are there.
        command = [*self.command(*self.datagen("resumed")), "--cores", 1]
        self.write("allow", "x" * 3)
        run = self.start(*command)
        self.wait_for(lambda: len(self.pieces()) >= 3)
        # A terminal sends Ctrl-C to all processes, those of the cluster too.
        os.killpg(run.pid, signal.SIGINT)
        told = self.end_of(run, 130)
        self.assertIn("goes on from there", told)
        self.assertNotIn("Traceback", told)
        kept = {path: path.stat().st_mtime_ns for path in self.pieces()}
        self.assertFalse((self.folder / "resumed").exists())
        damaged = sorted(kept)[1]
        damaged.write_bytes(damaged.read_bytes()[:-1])
        # A further run at the same folder would count twice.
        self.write("allow", "")
        run = self.start(*command)
        self.wait_for(lambda: not damaged.exists())
        _, told = self.fleet(*self.datagen("resumed"), status=1)
        self.assertIn("another fleet works", told)
        self.write("allow", "x" * 1000)
        self.end_of(run)
        self.assertEqual((self.folder / "whole").read_bytes(),
                         (self.folder / "resumed").read_bytes())
        _, told = self.fleet(*self.datagen("resumed"), status=1)
        self.assertIn("is there already", told)

    def test_a_restarted_scheduler_is_found_again(self):
        self.fleet(*self.datagen("alone"))
        scheduler, address = self.scheduler()
        self.worker(address, STUB_SECONDS="0.4")
        run = self.start(*self.command(*self.datagen("restarted"), scheduler=address))
        self.wait_for(lambda: len(self.pieces()) >= 2)
        os.killpg(scheduler.pid, signal.SIGKILL)
        scheduler.wait(DEADLINE)
        self.scheduler(port=address.rpartition(":")[2])
        self.worker(address)
        self.assertIn("the scheduler is lost", self.end_of(run))
        self.assertEqual((self.folder / "alone").read_bytes(),
                         (self.folder / "restarted").read_bytes())

    def test_a_worker_with_another_bench_is_refused(self):
        _, address = self.scheduler()
        self.worker(address, STUB_BENCH="999")
        _, told = self.fleet(*self.datagen("none"), scheduler=address, status=1)
        self.assertIn("is refused: the bench of engine is 999 there and 1000 here", told)
        self.assertIn("every worker is refused", told)
        self.assertEqual(self.pieces(), [])
        self.worker(address)
        with distributed.Client(address, timeout=DEADLINE) as client:
            client.wait_for_workers(2, timeout=DEADLINE)
        _, told = self.fleet(*self.datagen("some"), scheduler=address)
        self.assertIn("999 there", told)
        self.assertEqual(len(self.games("some")[1]), 40)

    def test_a_crash_is_repeated_and_then_told(self):
        self.write("crash", "x")
        self.fleet(*self.datagen("once"))
        self.assertEqual((self.folder / "crash").stat().st_size, 0)
        self.write("crash", "x" * 1000)
        _, told = self.fleet(*self.datagen("often"), status=1)
        self.assertIn("tengen-lab ended with -6", told)
        self.assertIn("3 pieces failed, which is too many", told)
        self.assertFalse((self.folder / "often").exists())

    def test_results_of_another_rule_are_refused(self):
        _, told = self.fleet(*self.datagen("wrong"), environment={"STUB_RULE": "renju"}, status=1)
        self.assertIn("a game is not freestyle", told)
        self.assertEqual(self.pieces(), [])

    def test_what_cannot_be_written_is_told(self):
        (self.folder / "state").write_text("no folder")
        _, told = self.fleet(*self.datagen("out"), status=1)
        self.assertIn("cannot write", told)
        _, told = self.fleet(*self.datagen("no/such/folder"), state="good", status=1)
        self.assertIn("cannot write", told)
        # What had been finished by then is still there.
        self.assertGreaterEqual(len(self.pieces("good")), 1)

    def match(self, *options):
        openings = [f"h8i9{column}{row}\n" for column in "abcdefgjkl" for row in range(1, 16)]
        self.write("openings.txt", "".join(openings))
        return ("match", "./engine", "./other", "--openings", "openings.txt", "--nodes", 1000,
                "--piece", 4, *options)

    def test_a_match_stops_when_it_is_decided(self):
        one, _ = self.fleet(*self.match("--elo1", 40), state="one")
        self.assertIn("elo0 0, elo1 40: H1 accepted", one)
        self.assertIn("./engine against ./other", one)
        _, address = self.scheduler()
        for _ in range(2):
            self.worker(address)
        # Another start finds all pieces there.
        two, _ = self.fleet(*self.match("--elo1", 40), scheduler=address, state="two")
        again, _ = self.fleet(*self.match("--elo1", 40), scheduler=address, state="two")
        self.assertEqual((one, one), (two, again))
        whole, told = self.fleet(*self.match(), state="two")
        self.assertIn("150 openings make 150 pairs at fixed nodes, not more", told)
        self.assertIn(" of 300: ", whole)
        wins, losses, draws = (int(part.split()[1]) for part in
                               whole.splitlines()[2].split(" of ")[0].split(", "))
        self.assertEqual((wins + losses, draws), (300, 0))
        self.assertGreater(wins, 190)

    def test_only_a_sequential_test_needs_every_piece(self):
        match = self.match("--elo1", 40)
        self.write("bad", "")
        _, told = self.fleet(*match, state="test", status=1)
        self.assertIn("the test cannot go on", told)
        _, told = self.fleet(*self.match(), state="match", status=1)
        self.assertIn("pieces are missing", told)
        self.assertEqual(len(self.pieces("match")), 37)

    def test_further_settings_reach_an_engine(self):
        told, _ = self.fleet(*self.match("--second-info", "strength=40", "--games", 20))
        self.assertIn(", second strength=40\nW 20, L 0, D 0 of 20: 100.0 %, Elo +inf; too few games", told)

    def test_an_archive_is_analysed_in_its_order(self):
        lines = [f"h{row}i{column}" for row in range(1, 6) for column in range(1, 6)]
        lines[7], lines[3] = "bad", ""
        self.write("a.txt", "\n".join(lines))
        self.write("b.txt", "j10\n")
        arguments = ("analyze", "a.txt", "b.txt", "--nodes", 100, "--engine", "./engine", "--tengen", "./engine")
        told = [self.fleet(*arguments, "--piece", piece, "--out", f"out{piece}", status=1)[1]
                for piece in (4, 100)]
        for text in told:
            self.assertIn("a.txt: line 8: no position", text)
        found = (self.folder / "out4").read_text()
        self.assertEqual(found, (self.folder / "out100").read_text())
        found = [json.loads(line) for line in found.splitlines()]
        wanted = [{"source": "a.txt", "line": at, "to_move": text}
                  for at, text in enumerate(lines, 1) if text not in ("", "bad")]
        self.assertEqual(found, wanted + [{"source": "b.txt", "line": 1, "to_move": "j10"}])

    def test_a_warning_is_told_but_no_fault(self):
        self.write("a.txt", "odd\n")
        arguments = ("analyze", "a.txt", "--nodes", 100, "--engine", "./engine", "--tengen", "./engine")
        printed, told = self.fleet(*arguments, "--out", "out")
        self.assertIn("tengen: warning: a.txt: line 1: odd", told)
        self.assertEqual(printed, "out: 1 positions\n")

    def test_the_real_programs(self):
        names = ("pbrain-tengen", "tengen", "tengen-lab")
        engine, tengen, lab = (TARGET / "debug" / name for name in names)
        if not (engine.exists() and tengen.exists() and lab.exists()):
            self.skipTest("target/debug/tengen or tengen-lab is missing")
        files = []
        for cores in (1, 2):
            self.fleet("datagen", "--engine", engine, "--lab", lab, "--games", 10, "--size", 9,
                       "--nodes", 200, "--piece", 3, "--out", f"real{cores}", "--cores", cores)
            files.append((self.folder / f"real{cores}").read_bytes())
        self.assertEqual(*files)
        self.assertEqual(len(training_file.parse(files[0])[1]), 10)
        self.write("a.txt", "h8i9h10\nbad\nh8\n")
        self.write("b.sgf", "(;GM[4]SZ[15];B[hh];W[ii])\n" * 3)
        command = ["analyze", "a.txt", "b.sgf", "--every", "--nodes", 300]
        _, told = self.fleet(*command, "--piece", 4, "--engine", engine, "--tengen", tengen,
                             "--out", "real.json", status=1)
        self.assertIn("a.txt: line 2: ", told)
        self.assertNotIn("could not be read", told)
        found = (self.folder / "real.json").read_text()
        # Everything but the time is what the program itself says.
        direct = subprocess.run([tengen, *map(str, command), "--json", "--threads", "1"],
                                cwd=self.folder, capture_output=True, text=True, check=False,
                                timeout=DEADLINE)
        self.assertEqual(self.places(found), self.places(direct.stdout))
        self.assertEqual(found.count('"to_move"'), 4 + 2 + 3 * 3)
        self.assertEqual(found.count('"summary"'), 2 + 3)

    @staticmethod
    def places(text):
        """Returns which positions and summaries the lines of JSON are."""
        found = map(json.loads, text.splitlines())
        return [[line.get(key) for key in ("source", "line", "position", "rule")] for line in found]

    def test_bad_values_are_refused_at_once(self):
        self.write("a.txt", "h8\n")
        analyze = ("analyze", "a.txt", "--nodes", 1, "--engine", "./engine", "--tengen", "./engine",
                   "--out", "out")
        match = ("match", "./engine", "./other", "--openings", "a.txt")
        for arguments, text in [
            ((*self.datagen("out"), "--size", "bad"), "fleet: bad value\n"),
            ((*analyze, "--rule", "bad"), "fleet: bad value\n"),
            ((*match, "--tc", "bad"), "--tc: MATCH/TURN[+INC] in seconds is needed"),
            ((*match, "--nodes", 1, "--size", 23), "--size: invalid choice: 23"),
        ]:
            _, told = self.fleet(*arguments, status=2)
            self.assertIn(text, told)
            self.assertFalse((self.folder / "state").exists())

    def run_script(self, name, *arguments):
        """Returns the exit status of another script and the end of what it told."""
        done = subprocess.run([SCRIPTS / name, *map(str, arguments)], cwd=self.folder, text=True,
                              env=self.environment, capture_output=True, check=False, timeout=DEADLINE)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, (done.stderr or done.stdout).splitlines()[-1]

    def test_other_scripts_tell_in_a_line_what_they_cannot_use(self):
        for option, value in [("--memory", "1e9"), ("--tc", "foo"), ("--second-tc", "5"), ("--nodes", 0),
                              ("--concurrency", 0), ("--games", "abc"), ("--size", 4), ("--tolerance", "x")]:
            found = self.run_script("match.sh", "./engine", "./other", option, value)
            self.assertEqual((found[0], found[1][:10]), (2, "match.sh: "))
        self.write("move_sets", json.dumps({"id": "a", "size": 15, "rule": "freestyle", "black": [],
                                            "white": [], "expect": {"moves": ["h8"]}}))
        self.write("list", "[]")
        for name, arguments, status, text in [
            ("suite.py", ("false", "none"), 1, "suite.py: .*'none'"),
            ("suite.py", ("false", "list"), 1, "list: line 1: no position"),
            ("suite.py", ("./none", "move_sets"), 1, "suite.py: .*'./none'"),
            ("suite.py", ("false", "move_sets", "--csv", "no/file"), 1, "suite.py: .*'no/file'"),
            ("suite.py", ("false", "move_sets", "--limit", -1), 2, "suite.py: .*--limit"),
            ("suite.py", ("false", "move_sets"), 1, "move_sets .* 0/1 .*; engine faults 1, first a: "),
            ("clock.py", ("./none",), 1, "clock.py: .*'./none'"),
            ("speed.py", ("false", "--positions", 0), 2, "speed.py: .*--positions"),
            ("dev/memory.py", ("./none",), 1, "memory.py: .*'./none'"),
            ("dev/soak.py", ("./none",), 1, "soak.py: .*'./none'"),
            ("dev/solver.py", ("./none", "vcf", "move_sets"), 1, "solver.py: .*'./none'"),
            ("../fuzz/run.sh", ("none",), 2, "run.sh: no target 'none'; there are .*protocol"),
        ]:
            with self.subTest((name, arguments)):
                found = self.run_script(name, *arguments)
                self.assertEqual(found[0], status)
                self.assertRegex(found[1], text)

    def test_a_signal_to_match_sh_ends_the_match(self):
        self.write("c-gomoku-cli", '#!/bin/sh\necho $$ >"$STUB/pid"\nexec sleep 1000\n')
        run = subprocess.Popen([SCRIPTS / "match.sh", "./engine", "./other"], cwd=self.folder,
                               env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL)
        self.children.append(run)
        pid = self.wait_for(lambda: (self.folder / "pid").exists() and (self.folder / "pid").read_text().strip())
        run.terminate()
        self.assertEqual(run.wait(DEADLINE), 130)
        self.wait_for(lambda: not os.path.exists(f"/proc/{pid}"))

    @unittest.skipUnless(os.environ.get("GOMOKU_CLI"), "GOMOKU_CLI is not set")
    def test_the_real_referee(self):
        engine = TARGET / "debug" / "pbrain-tengen"
        self.write("few.txt", "h8i9h10\nh8i8j9\n")
        told, _ = self.fleet("match", engine, engine, "--openings", "few.txt", "--nodes", 300,
                             "--piece", 1, environment={"GOMOKU_CLI": os.environ["GOMOKU_CLI"]})
        # An engine against itself wins as often as it loses, pair by pair.
        self.assertIn("pairs: LL 0, LD 0, LW or DD 2, WD 0, WW 0", told)
        # An engine that goes away loses, each time, and the match goes on.
        self.write("goes", GOES).chmod(0o755)
        told, _ = self.fleet("match", engine, "./goes", "--openings", "few.txt", "--nodes", 300,
                             "--piece", 2, environment={"GOMOKU_CLI": os.environ["GOMOKU_CLI"]})
        self.assertIn("second: time forfeit 0, illegal move 0, forbidden move 0, crash 4", told)


if __name__ == "__main__":
    unittest.main()
