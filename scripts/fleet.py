#!/usr/bin/env python3
"""Training data, matches and analyses on many cores or machines, by Dask (docs/fleet.md).

A job is cut into numbered pieces of about a minute. A piece depends on the job and its number
alone; Dask's workers do pieces in any order, and the job takes them in the order of their numbers,
so that the result is the same for any workers. The result of each piece is a file in the job's folder: the
next start goes on from there. Dask sends, repeats and watches; here is what a piece is, and what
becomes of it.
"""

import argparse
import asyncio
import contextlib
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid

try:
    import cloudpickle
    import distributed
except ImportError:
    sys.exit("fleet: Dask is missing: python3 -m pip install distributed (docs/fleet.md)")

from fleet import jobs, training_file, worker
from fleet.files import Stop, Store, read_bytes, tell

cloudpickle.register_pickle_by_value(worker)

ATTEMPTS = 3
"""Times that a piece is begun before it is given up."""
GIVEN_UP_MAX = 3
"""Pieces given up before the whole is."""
AHEAD = 2
"""Pieces handed out at a time for each core."""
RECONNECT = 60
"""Seconds that a scheduler may be away."""
TICK = 2
"""Seconds between looks at the workers."""
QUIET_TICK = 60
"""Seconds between lines of progress where no terminal reads them."""


class SchedulerLost(Exception):
    """The scheduler went away, or forgot the pieces it was given."""


SCHEDULER_LOST = SchedulerLost, OSError, asyncio.TimeoutError, distributed.CancelledError
"""What Dask's calls raise, and this, when the scheduler is gone."""


def do_call(call):
    """Does on a worker what was packed with the code it needs."""
    return cloudpickle.loads(call)()


class Fleet:
    """Has the pieces of a job done until it is over, whatever becomes of the workers."""

    def __init__(self, name, job, store, benches):
        self.name, self.job, self.store, self.benches = name, job, store, benches
        self.taken = 0
        self.given_up = {}
        self.refused = set()
        self.told = 0

    def work(self, connect):
        """Works with one scheduler after the other; `connect` gives a client."""
        while not self.take():
            try:
                with connect() as client:
                    self.work_with(client)
            except SCHEDULER_LOST as lost:
                tell(f"the scheduler is lost ({lost}), trying for {RECONNECT} s to reach it")

    def work_with(self, client):
        """Works until the job is over; raises SchedulerLost when the scheduler is."""
        client.subscribe_topic(self.name, lambda event: self.hear(event[1]))
        programs = {key: read_bytes(path) for key, path in self.job.programs.items()}
        client.register_plugin(worker.Programs(self.name, programs, self.benches))
        running, known = {}, set()
        try:
            while not self.take():
                admitted = self.admitted(client)
                if admitted and not known & set(admitted):
                    # Dask does not look again at pieces that at some time nobody could do.
                    client.cancel(list(running))
                    running.clear()
                known = set(admitted) or known
                cores = sum(admitted.values())
                for number in self.next_pieces(running.values(), AHEAD * cores):
                    call = functools.partial(
                        worker.do_piece, self.name, self.job.work, self.job.piece(number))
                    # A piece given out before may still be running under its own key.
                    future = client.submit(
                        do_call, cloudpickle.dumps(call), resources={self.name: 1},
                        retries=ATTEMPTS - 1, key=f"{self.name}-{number}-{uuid.uuid4().hex}")
                    running[future] = number
                self.progress(cores)
                if cores and not running:
                    raise Stop("pieces are missing:\n" + "\n".join(self.given_up.values()))
                if not running:
                    time.sleep(TICK)
                    continue
                with contextlib.suppress(asyncio.TimeoutError):
                    distributed.wait(list(running), timeout=TICK, return_when="FIRST_COMPLETED")
                for future in [future for future in running if future.done()]:
                    self.receive(future, running.pop(future))
        finally:
            with contextlib.suppress(Exception):
                client.cancel(list(running), force=True)
                client.unregister_worker_plugin(self.name)

    def take(self):
        """Hands results to the job as far as they are there in order; returns true at its end."""
        while not self.job.is_over(self.taken) and self.store.take(self.taken, self.job):
            self.taken += 1
        return self.job.is_over(self.taken)

    def next_pieces(self, running, most):
        """Returns the first pieces that nobody has begun, so many at a time at most."""
        missing = (number for number in range(self.taken, self.job.total(self.taken))
                   if number not in self.store.numbers and number not in self.given_up)
        running = set(running)
        return [number for number, _ in zip(missing, range(most)) if number not in running]

    def receive(self, future, number):
        """Keeps the result of a piece, or gives the piece up."""
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
        self.given_up[number] = f"piece {number} is given up: {fault}"
        tell(self.given_up[number])
        if len(self.given_up) == GIVEN_UP_MAX:
            raise Stop(f"{GIVEN_UP_MAX} pieces failed, which is too many")

    def admitted(self, client):
        """Returns the workers that were let in, each with how many pieces it does at a time."""
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if workers and self.refused.issuperset(workers):
            raise Stop("every worker is refused")
        return {address: int(entry["resources"][self.name])
                for address, entry in workers.items() if self.name in entry["resources"]}

    def hear(self, text):
        """Tells of a worker that was refused."""
        tell(text)
        self.refused.add(text.split()[1])

    def progress(self, cores):
        """Shows how far the work is: always at a terminal, now and then elsewhere."""
        done = self.taken + sum(number >= self.taken for number in self.store.numbers)
        total = self.job.total(self.taken)
        line = f"{done} of {total} pieces, {cores} cores, {self.job.status()}"
        if sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.told > QUIET_TICK or not self.told:
            self.told = time.monotonic()
            tell(line)


def connect_to(address, cores):
    """Returns a function that gives a client of the scheduler, or of one on these cores."""

    @contextlib.contextmanager
    def connect():
        if address:
            try:
                client = distributed.Client(address, timeout=RECONNECT)
            except (OSError, asyncio.TimeoutError) as error:
                raise Stop(f"no scheduler answers at {address}") from error
            with client:
                yield client
            return
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=cores, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs="CRITICAL",
        ) as cluster, distributed.Client(cluster) as client:
            yield client

    return connect


def parse_arguments(arguments):
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(prog="fleet.py", description=__doc__.split("\n\n")[0])
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--scheduler", metavar="ADDRESS",
                        help="of a Dask cluster; else this machine")
    shared.add_argument("--cores", type=positive, default=os.cpu_count(),
                        help="of this machine (all)")
    shared.add_argument("--piece", type=positive, help="games, pairs or positions a piece")
    shared.add_argument("--state", default=os.path.join(jobs.ROOT, "target", "fleet"),
                        help="where finished pieces are kept (target/fleet)")
    engine = argparse.ArgumentParser(add_help=False)
    release = os.path.join(jobs.ROOT, "target", "release")
    engine.add_argument("--engine", default=os.path.join(release, "pbrain-tengen"),
                        help="the program (target/release/pbrain-tengen)")
    engine.add_argument("--out", required=True, help="the file of all results")
    commands = parser.add_subparsers(dest="command", required=True)

    datagen = commands.add_parser("datagen", parents=[shared, engine], help="training games")
    datagen.add_argument("--games", type=positive, required=True)
    datagen.add_argument("--datagen", default=os.path.join(release, "datagen"), help="the program")
    datagen.add_argument("--rule", choices=training_file.RULES, default="freestyle")
    datagen.add_argument("--size", help="as in datagen")
    datagen.add_argument("--nodes", type=positive, default=2500, help="of a search (2500)")
    datagen.add_argument("--inner", type=int, help="as in datagen")
    datagen.add_argument("--seed", type=int, default=1)

    match = commands.add_parser("match", parents=[shared], help="a match of two engines")
    match.add_argument("first", help="a program or a commit; the result is seen from it")
    match.add_argument("second", help="a program or a commit")
    match.add_argument("--openings", required=True, help="as in match.sh")
    match.add_argument("--rule", choices=("freestyle", "standard", "renju"), default="freestyle")
    match.add_argument("--size", type=positive, default=15)
    limit = match.add_mutually_exclusive_group(required=True)
    limit.add_argument("--nodes", type=positive, help="a move")
    limit.add_argument("--tc", help="MATCH/TURN[+INC] in seconds: machines must be equally fast")
    match.add_argument("--games", type=positive, default=20000, help="at most")
    match.add_argument("--elo0", type=float, default=0)
    match.add_argument("--elo1", type=float, help="sequential test of at least elo1 against elo0")
    match.add_argument("--alpha", type=float, default=0.05)
    match.add_argument("--beta", type=float, default=0.05)
    match.add_argument("--memory", type=positive, default=350, help="MB (350)")
    match.add_argument("--tolerance", type=float, default=2, help="seconds (2)")
    match.add_argument("--seed", type=int, default=1, help="of the order of the openings (1)")

    analyze = commands.add_parser("analyze", parents=[shared, engine], help="an archive of games")
    analyze.add_argument("files", nargs="+")
    limit = analyze.add_mutually_exclusive_group(required=True)
    limit.add_argument("--nodes", type=positive, help="of a position")
    limit.add_argument("--time", type=float, help="seconds for a position: results differ")
    analyze.add_argument("--rule", default="freestyle", help="where a game names none")
    analyze.add_argument("--size", default="15", help="where a game names none")
    analyze.add_argument("--lines", type=positive, default=1)
    analyze.add_argument("--every", action="store_true", help="every position of a game")
    return parser.parse_args(arguments)


def positive(text):
    """Returns a whole number above zero, as argparse asks for it."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("a number above zero is needed")
    return number


def main(arguments):
    """Does a job from its options; returns the exit status."""
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = None
    try:
        kinds = {"datagen": jobs.Datagen, "match": jobs.Match, "analyze": jobs.Analyze}
        job = kinds[options.command](options)
        job.programs = {key: jobs.program_of(path, key) for key, path in job.programs.items()}
        hashes = {key: hashlib.sha256(read_bytes(path)).hexdigest()
                  for key, path in job.programs.items()}
        plan = {"command": options.command, **job.plan, "programs": hashes}
        digest = hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16]
        name = f"{options.command}-{digest}"
        folder = os.path.join(options.state, name)
        benches = {key: worker.bench(job.programs[key]) for key in job.benched}
        for key, found in benches.items():
            tell(f"{key}: sha256 {hashes[key][:16]}, " + (f"bench {found}" if found else
                 "without a bench: nothing shows that it plays the same on every machine"))
        store = Store(folder, plan)
        Fleet(name, job, store, benches).work(connect_to(options.scheduler, options.cores))
        if sys.stderr.isatty():
            print(file=sys.stderr)
        print(job.finish())
        if options.command != "match":
            store.remove()
        return 1 if options.command == "analyze" and job.faults else 0
    except (Stop, subprocess.SubprocessError) as stop:
        tell(stop)
        status = 1
    except KeyboardInterrupt:
        status = 130
    if folder:
        tell(f"finished pieces are kept in {folder}; the same command goes on from there")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
