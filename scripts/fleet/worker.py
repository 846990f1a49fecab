"""What runs on a worker: the programs, and one piece of each kind of job.

The module travels to the workers by value, so that they need nothing but Dask: it knows the
standard library and Dask alone. Results are bytes.
"""

import asyncio
import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import distributed

PIECE_LIMIT = 24 * 3600
"""Seconds after which a piece counts as hung. The analysis of a game, and a pair of games with a match
clock, is one piece however long it takes."""
BENCH_LIMIT = 300
"""Seconds for the bench of an engine."""


class Programs(distributed.WorkerPlugin):
    """Brings the programs to a worker, runs their bench, and lets the worker in if it is right.

    A worker that is let in has the resource of the plugin's name, which pieces ask for.
    """

    def __init__(self, name, programs, benches):
        self.name = name
        self.programs = programs
        self.hashes = {key: hashlib.sha256(data).hexdigest() for key, data in programs.items()}
        self.benches = benches

    async def setup(self, worker):
        self.folder = os.path.join(worker.local_directory, self.name)
        try:
            fault = await asyncio.to_thread(self.install)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            fault = str(error)
        if fault:
            text = f"worker {worker.address} on {socket.gethostname()} is refused: {fault}"
            worker.log_event(self.name, (worker.address, text))
        else:
            await worker.set_resources(**{self.name: worker.state.nthreads})

    def teardown(self, worker):
        shutil.rmtree(self.folder, ignore_errors=True)

    def install(self):
        """Writes the programs; returns what is wrong with them on this machine, or None."""
        os.makedirs(self.folder, exist_ok=True)
        for key, data in self.programs.items():
            if hashlib.sha256(data).hexdigest() != self.hashes[key]:
                return f"{key} arrived damaged"
            # The program may be there already, and running.
            with open(self.path(key) + ".part", "wb") as file:
                file.write(data)
            os.chmod(file.name, 0o755)
            os.replace(file.name, self.path(key))
        for key, wanted in self.benches.items():
            found = bench(self.path(key))
            if found != wanted:
                return f"the bench of {key} is {found} there and {wanted} here"
        return None

    def path(self, key):
        """Returns the path of a program on this worker."""
        return os.path.join(self.folder, key)


def run_program(arguments, limit, **options):
    """Returns the finished process of a program, which ends with its parent at the latest."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    pr_set_pdeathsig = 1
    die_with_parent = prctl and (lambda: prctl(pr_set_pdeathsig, signal.SIGKILL))
    return subprocess.run(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=limit, preexec_fn=die_with_parent, **options
    )


def bench(path):
    """Returns the bench signature of an engine, or None if it has none."""
    try:
        output = run_program([path, "bench"], BENCH_LIMIT).stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None
    found = re.findall(r"^Bench: (\d+) nodes", output, re.MULTILINE)
    return int(found[-1]) if found else None


def do_piece(plugin, work, piece):
    """Does a piece in a folder of its own and returns its result, as bytes."""
    programs = distributed.get_worker().plugins[plugin]
    with tempfile.TemporaryDirectory(dir=programs.folder) as folder:
        return work(programs.path, folder, piece)


def check_status(process):
    """Returns the process; raises RuntimeError with the end of its standard error if it failed."""
    if process.returncode:
        name = os.path.basename(process.args[0])
        text = process.stderr.decode(errors="replace").strip()[-400:]
        raise RuntimeError(f"{name} ended with {process.returncode}: {text}")
    return process


def play_training_games(path_of, folder, piece):
    """Plays the training games of a piece and returns the file."""
    out = os.path.join(folder, "games")
    arguments = [path_of("tengen-lab"), "datagen", "--threads", "1", "--out", out, *piece["options"]]
    check_status(run_program(arguments, PIECE_LIMIT))
    with open(out, "rb") as file:
        return file.read()


def escaped(path):
    """Returns a path as c-gomoku-cli takes it: with blanks escaped."""
    return re.sub(r"([\\ ])", r"\\\1", path)


def play_pairs(path_of, folder, piece):
    """Plays the pairs of a piece and returns what c-gomoku-cli said of each game."""
    with open(os.path.join(folder, "openings"), "w", encoding="ascii") as file:
        file.writelines(opening + "\n" for opening in piece["openings"])
    arguments = [path_of("c-gomoku-cli"), "-each", *piece["each"]]
    for name, options in piece["engines"].items():
        arguments += ["-engine", f"name={name}", f"cmd={escaped(path_of(name))}", *options]
    arguments += [*piece["options"], "-games", str(2 * len(piece["openings"])), "-repeat",
                  "-openings", "file=openings", f"type={piece['notation']}", "order=sequential"]
    process = check_status(run_program(arguments, PIECE_LIMIT, cwd=folder))
    output = process.stdout.decode(errors="replace")
    return "".join(re.findall(r"Finished game .*\n", output)).encode()


def is_fault(line):
    """Returns true if the analysis tells in this line what it could not read."""
    return not line.startswith("tengen: warning:")


def analyze_files(path_of, folder, piece):
    """Analyses the files of a piece; returns the lines of JSON, and the faults and warnings."""
    names, sources, first_lines = [], [], []
    for number, (source, first_line, data) in enumerate(piece["files"]):
        names.append(f"{number}.game")
        sources.append(source)
        first_lines.append(first_line)
        with open(os.path.join(folder, names[-1]), "wb") as file:
            file.write(data)
    arguments = [path_of("tengen"), "analyze", "--json", "--threads", "1", *piece["options"]]
    process = run_program([*arguments, *names], PIECE_LIMIT, cwd=folder)

    def line_of(found):
        """Returns the number of a line in the file that the part was cut out of."""
        return int(found[2]) + first_lines[int(found[1])] - 1

    def place_of(found):
        source = sources[int(found[1])]
        return f"{source}: line {line_of(found)}" if found[2] else source

    def fields_of(found):
        source = json.dumps(sources[int(found[1])], ensure_ascii=False)
        return f'{{"source":{source},"line":{line_of(found)}'

    # The machine's speed has no place in a result that is the same on all.
    lines = re.sub(r',"milliseconds":\d+', "", process.stdout.decode())
    lines = re.sub(r'^\{"source":"(\d+)\.game","line":(\d+)', fields_of, lines, flags=re.MULTILINE)
    place = re.compile(r"\b(\d+)\.game(?:: line (\d+))?\b")
    faults = [place.sub(place_of, line) for line in process.stderr.decode().splitlines()
              if place.search(line)]
    if process.returncode < 0 or process.returncode and not any(map(is_fault, faults)):
        check_status(process)
    return json.dumps({"lines": lines, "faults": faults}).encode()
