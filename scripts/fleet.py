#!/usr/bin/env python3
"""Training data, matches and analyses on many cores or machines, by Dask (docs/fleet.md).

A job is cut into numbered pieces of about a minute. A piece depends on the job and its number
alone; Dask's workers do pieces in any order, and the job merges them in the order of their numbers,
so that the result is the same for any workers. The result of each piece is a file in the job's
folder: the next start goes on from there. Dask sends pieces, repeats them and watches the workers;
here is which pieces it gets, and what becomes of their results.
"""

import argparse
import asyncio
import contextlib
import functools
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import time
import uuid

try:
    import cloudpickle
    import dask
    import distributed
except ImportError as error:
    sys.exit(f"fleet: Dask is missing ({error}): python3 -m pip install distributed (docs/fleet.md)")

sys.dont_write_bytecode = True
from fleet import training_file, worker
from fleet.analyze import Analyze
from fleet.datagen import Datagen
from fleet.files import FleetError, Store, UsageError, read_bytes, tell
from fleet.interrupt import Interrupt
from fleet.match import Match
from fleet.programs import ROOT, check_arguments, program_of
from pbrain import above_zero, positive

cloudpickle.register_pickle_by_value(worker)

ATTEMPTS = 3
"""Times that a piece is begun before it counts as failed."""
FAILED_MAX = 3
"""Failed pieces that end the job."""
PREFETCH = 2
"""Pieces handed out at a time for each core, so that the next is there when one ends."""
RECONNECT_SECONDS = 60
"""How long a scheduler may be away."""
POLL_SECONDS = 2
"""Time between looks at the workers."""
PROGRESS_SECONDS = 60
"""Time between lines of progress where no terminal shows them."""
QUIET = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s",
         "distributed.admin.system-monitor.interval": "5s"}
"""Settings of Dask that leave the cores to the engines: its looks at itself take 5 % of one."""
IGNORE_INTERRUPT = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""What a worker of this machine runs first: Ctrl-C reaches it too, but the client ends it."""


class SchedulerLost(Exception):
    """The scheduler went away, or forgot the pieces it was given."""


SCHEDULER_LOST = SchedulerLost, OSError, asyncio.TimeoutError, distributed.CancelledError
"""What Dask's calls raise, and this program, when the scheduler is gone."""


def do_call(call):
    """Does on a worker what was packed with the code it needs."""
    return cloudpickle.loads(call)()


class Fleet:
    """Has the pieces of a job done until it is over, whatever becomes of the workers."""

    def __init__(self, name, job, store, benches, interrupt):
        self.name, self.job, self.store, self.benches = name, job, store, benches
        self.interrupt = interrupt
        self.merged = 0
        self.failed = {}
        self.refused = set()
        self.shown_at = None

    def run(self, connect):
        """Works with one scheduler after the other; `connect` gives a client."""
        while not self.merge():
            try:
                with connect() as client:
                    self.run_with(client)
            except SCHEDULER_LOST as lost:
                tell(f"the scheduler is lost ({lost}), trying for {RECONNECT_SECONDS} s to reach it")

    def run_with(self, client):
        """Works until the job is over; raises SchedulerLost when the scheduler is."""
        client.subscribe_topic(self.name, lambda event: self.refuse(*event[1]))
        programs = {key: read_bytes(path) for key, path in self.job.programs.items()}
        client.register_plugin(worker.Programs(self.name, programs, self.benches))
        running, known = {}, set()
        try:
            while not self.merge():
                self.interrupt.check()
                admitted = self.admitted(client)
                if admitted and not known & set(admitted):
                    # Dask does not look again at pieces that at some time nobody could do.
                    client.cancel(list(running))
                    running.clear()
                known = set(admitted) or known
                if self.job.needs_order and self.merged in self.failed:
                    raise FleetError("the test cannot go on:\n" + self.failed[self.merged])
                cores = sum(admitted.values())
                for number in self.next_pieces(running.values(), PREFETCH * cores):
                    running[self.submit(client, number)] = number
                self.show_progress(cores)
                if running:
                    self.receive_finished(running)
                elif cores:
                    raise FleetError("pieces are missing:\n" + "\n".join(self.failed.values()))
                else:
                    time.sleep(POLL_SECONDS)
        finally:
            with contextlib.suppress(Exception):
                client.cancel(list(running), force=True)
                client.unregister_worker_plugin(self.name)

    def merge(self):
        """Has the job merge results as far as they are there in order; returns true at its end."""
        while not self.job.is_over(self.merged) and self.store.merge(self.merged, self.job):
            self.merged += 1
        return self.job.is_over(self.merged)

    def next_pieces(self, running, most):
        """Returns which pieces to hand out, so that the first `most` without a result are."""
        missing = (number for number in range(self.merged, self.job.total(self.merged))
                   if number not in self.store.numbers and number not in self.failed)
        running = set(running)
        return [number for number in itertools.islice(missing, most) if number not in running]

    def submit(self, client, number):
        """Hands out a piece; returns its future."""
        call = functools.partial(worker.do_piece, self.name, self.job.work, self.job.piece(number))
        # A piece given out before may still be running under its own key.
        key = f"{self.name}-{number}-{uuid.uuid4().hex}"
        return client.submit(do_call, cloudpickle.dumps(call), key=key, retries=ATTEMPTS - 1,
                             resources={self.name: 1})

    def receive_finished(self, running):
        """Waits a little for pieces to finish, and takes them out of those that are running."""
        with contextlib.suppress(asyncio.TimeoutError):
            distributed.wait(list(running), timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        for future in [future for future in running if future.done()]:
            self.receive(future, running.pop(future))

    def receive(self, future, number):
        """Keeps the result of a piece, or counts it as failed."""
        if future.status == "finished":
            data = future.result()
            try:
                self.job.check(number, data)
            except ValueError as error:
                fault = str(error)
            else:
                self.store.save(number, data)
                return
        elif future.status == "error":
            fault = str(future.exception())
        else:
            raise SchedulerLost(f"piece {number} is {future.status}")
        self.failed[number] = f"piece {number} failed: {fault}"
        tell(self.failed[number])
        if len(self.failed) == FAILED_MAX:
            raise FleetError(f"{FAILED_MAX} pieces failed, which is too many")

    def admitted(self, client):
        """Returns the workers that were let in, each with how many pieces it does at a time."""
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if workers and self.refused.issuperset(workers):
            raise FleetError("every worker is refused")
        return {address: int(entry["resources"][self.name])
                for address, entry in workers.items() if self.name in entry["resources"]}

    def refuse(self, address, text):
        """Tells of a worker that was refused."""
        tell(text)
        self.refused.add(address)

    def show_progress(self, cores):
        """Shows how far the work is: always at a terminal, now and then elsewhere."""
        done = self.merged + sum(number >= self.merged for number in self.store.numbers)
        total = self.job.total(self.merged)
        line = f"{done} of {total} pieces, {cores} cores, {self.job.status()}"
        now = time.monotonic()
        if sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        elif self.shown_at is None or now - self.shown_at > PROGRESS_SECONDS:
            self.shown_at = now
            tell(line)


def connect_to(address, cores):
    """Returns a function that gives a client of the scheduler, or of one on these cores."""

    @contextlib.contextmanager
    def connect_to_scheduler():
        try:
            client = distributed.Client(address, timeout=RECONNECT_SECONDS)
        except (OSError, asyncio.TimeoutError) as error:
            raise FleetError(f"no scheduler answers at {address}") from error
        with client:
            yield client

    @contextlib.contextmanager
    def connect_to_cores():
        try:
            cluster = distributed.LocalCluster(
                n_workers=1, threads_per_worker=cores, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs="CRITICAL",
                preload=IGNORE_INTERRUPT)
        except (OSError, RuntimeError) as error:
            raise FleetError(f"no cluster starts on this machine: {error}") from error
        with cluster, distributed.Client(cluster) as client:
            yield client

    return connect_to_scheduler if address else connect_to_cores


def parse_arguments(arguments):
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(prog="fleet.py", description=__doc__.split("\n\n", 1)[0])
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--scheduler", metavar="ADDRESS",
                        help="of a Dask cluster; else this machine")
    shared.add_argument("--cores", type=positive, default=os.cpu_count(),
                        help="of this machine (all)")
    shared.add_argument("--piece", type=positive, help="games, pairs or positions a piece")
    shared.add_argument("--state", default=os.path.join(ROOT, "target", "fleet"),
                        help="where finished pieces are kept (target/fleet)")
    commands = parser.add_subparsers(dest="command", required=True)
    add_datagen(commands, shared)
    add_match(commands, shared)
    add_analyze(commands, shared)
    options = parser.parse_args(arguments)
    if options.command == "match":
        if options.elo1 is None and (options.elo0, options.alpha, options.beta) != (0, 0.05, 0.05):
            parser.error("a sequential test needs --elo1")
        if options.elo1 is not None and not options.elo1 > options.elo0:
            parser.error("--elo1 is not above --elo0")
    return options


RELEASE = os.path.join(ROOT, "target", "release")


def add_engine(command):
    """Adds the options of a job with one engine and one file of results."""
    command.add_argument("--engine", default=os.path.join(RELEASE, "pbrain-tengen"),
                         help="the program whose bench is compared (target/release/pbrain-tengen)")
    command.add_argument("--out", required=True, help="the file of all results")


def add_datagen(commands, shared):
    command = commands.add_parser("datagen", parents=[shared], help="training games")
    command.set_defaults(job=Datagen)
    add_engine(command)
    command.add_argument("--games", type=positive, required=True)
    command.add_argument("--lab", default=os.path.join(RELEASE, "tengen-lab"),
                         help="the program (target/release/tengen-lab)")
    command.add_argument("--rule", choices=training_file.RULES, default="freestyle")
    command.add_argument("--size", help="as in tengen-lab datagen")
    command.add_argument("--nodes", type=positive, default=2500, help="of a search (2500)")
    command.add_argument("--inner", type=int, help="as in tengen-lab datagen")
    command.add_argument("--inner-depth", type=int, help="as in tengen-lab datagen")
    command.add_argument("--seed", type=int, default=1)


def add_match(commands, shared):
    command = commands.add_parser("match", parents=[shared], help="a match of two engines")
    command.set_defaults(job=Match)
    command.add_argument("first", help="a program or a commit; the result is seen from it")
    command.add_argument("second", help="a program or a commit")
    command.add_argument("--openings", required=True, help="as in match.sh")
    command.add_argument("--rule", choices=("freestyle", "standard", "renju"), default="freestyle")
    command.add_argument("--size", type=int, choices=range(5, 23), metavar="N", default=15)
    limit = command.add_mutually_exclusive_group(required=True)
    limit.add_argument("--nodes", type=positive, help="a move")
    limit.add_argument("--tc", type=clock, help="MATCH/TURN[+INC] in seconds: machines must be equally fast")
    command.add_argument("--games", type=positive, default=20000, help="at most")
    command.add_argument("--elo0", type=float, default=0)
    command.add_argument("--elo1", type=float, help="sequential test of at least elo1 against elo0")
    command.add_argument("--alpha", type=probability, default=0.05)
    command.add_argument("--beta", type=probability, default=0.05)
    for side in ("first", "second"):
        command.add_argument(f"--{side}-info", metavar="KEY=VALUE", action="append", default=[],
                             help=f"a further INFO for the {side} engine; may be repeated")
    command.add_argument("--memory", type=positive, default=350, help="MB (350)")
    command.add_argument("--tolerance", type=float, default=2, help="seconds (2)")
    command.add_argument("--seed", type=int, default=1, help="of the order of the openings (1)")


def add_analyze(commands, shared):
    command = commands.add_parser("analyze", parents=[shared], help="an archive of games")
    command.set_defaults(job=Analyze)
    add_engine(command)
    command.add_argument("--tengen", default=os.path.join(RELEASE, "tengen"), help="the program that analyses")
    command.add_argument("files", nargs="+")
    limit = command.add_mutually_exclusive_group(required=True)
    limit.add_argument("--nodes", type=positive, help="of a position")
    limit.add_argument("--time", type=above_zero, help="seconds for a position: results differ")
    command.add_argument("--rule", help="where a game names none (freestyle; renju for RenLib)")
    command.add_argument("--size", default="15", help="where a game names none")
    command.add_argument("--lines", type=positive, default=1)
    command.add_argument("--every", action="store_true", help="every position of a game")


def clock(text):
    """Returns the clock of a match, as argparse asks for it."""
    seconds = r"(\d+\.?\d*|\.\d+)"
    if not re.fullmatch(rf"{seconds}/{seconds}(\+{seconds})?", text):
        raise argparse.ArgumentTypeError("MATCH/TURN[+INC] in seconds is needed")
    return text


def probability(text):
    """Returns a number between 0 and 1, as argparse asks for it."""
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError("a number between 0 and 1 is needed")
    return number


def sha256(data):
    """Returns the hash of bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def benches_of(job, hashes):
    """Returns the bench signatures of the engines that have to play alike, and tells of them."""
    benches = {key: worker.bench(job.programs[key]) for key in job.benched}
    for key, found in benches.items():
        tell(f"{key}: sha256 {hashes[key][:16]}, " + (f"bench {found}" if found else
             "without a bench: nothing shows that it plays the same on every machine"))
    return benches


def run_job(options, job, plan, hashes, folder, interrupt):
    """Does a job whose results are kept in the folder, and prints its report."""
    benches = benches_of(job, hashes)
    store = Store(folder, plan)
    name = os.path.basename(folder)
    connect = connect_to(options.scheduler, options.cores)
    Fleet(name, job, store, benches, interrupt).run(connect)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(job.finish())
    if options.command != "match":
        store.remove()


def main(arguments):
    """Does what the command line asks for; returns the exit status."""
    options = parse_arguments(arguments)
    dask.config.set(QUIET)
    interrupt = Interrupt()
    folder = None
    try:
        job = options.job(options)
        job.programs = {key: program_of(path, key) for key, path in job.programs.items()}
        if job.command:
            program, *words = job.command
            check_arguments(job.programs[program], *words, *job.arguments)
        hashes = {key: sha256(read_bytes(path)) for key, path in job.programs.items()}
        plan = {"command": options.command, **job.plan, "programs": hashes}
        digest = sha256(json.dumps(plan).encode())[:16]
        folder = os.path.join(options.state, f"{options.command}-{digest}")
        run_job(options, job, plan, hashes, folder, interrupt)
        return 1 if options.command == "analyze" and job.faults else 0
    except (FleetError, OSError, subprocess.SubprocessError) as error:
        tell(error)
        status = 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        status = 130
    if folder:
        tell(f"finished pieces are kept in {folder}; the same command goes on from there")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
