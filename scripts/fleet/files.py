"""Files of a job: results of pieces, and the one that comes of them, each whole or not there.

Knows neither Dask nor what a result holds.
"""

import contextlib
import fcntl
import json
import os
import shutil
import sys


class FleetError(Exception):
    """The work cannot go on; the text says why."""


class UsageError(FleetError):
    """An option has a value that it cannot have."""


def tell(text):
    """Writes a line for the person who started the work."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}fleet: {text}", file=sys.stderr, flush=True)


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise FleetError(f"cannot read {path}: {error.strerror}") from error


def read_text(path):
    return read_bytes(path).decode(errors="replace")


@contextlib.contextmanager
def writing(path):
    """Turns a failed write into a clear word."""
    try:
        yield
    except OSError as error:
        raise FleetError(f"cannot write {path}: {error.strerror or error}") from error


def replace(path, data):
    """Makes a file hold the bytes, whole or not at all."""
    with writing(path):
        with open(path + ".part", "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(path + ".part", path)


class Merged:
    """The file of all results, which has its name only when it is whole."""

    def __init__(self, path):
        if os.path.exists(path):
            raise FleetError(f"{path} is there already")
        self.path, self.file = path, None

    def write(self, data):
        with writing(self.path):
            if self.file is None:
                self.file = open(self.path + ".part", "wb")
            self.file.write(data)

    def finish(self):
        self.write(b"")
        with writing(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
            os.rename(self.path + ".part", self.path)


class Store:
    """The folder of a job: the plan, and each result under the number of its piece."""

    def __init__(self, folder, plan):
        self.folder = folder
        with writing(folder):
            os.makedirs(folder, exist_ok=True)
            self.lock = open(os.path.join(folder, "lock"), "w", encoding="ascii")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FleetError(f"another fleet works at {folder}") from error
        replace(os.path.join(folder, "plan.json"), json.dumps(plan, indent=1).encode())
        self.numbers = {int(name) for name in os.listdir(folder) if name.isdecimal()}

    def path(self, number):
        return os.path.join(self.folder, f"{number:08}")

    def save(self, number, data):
        replace(self.path(number), data)
        self.numbers.add(number)

    def merge(self, number, job):
        """Has the job merge a result; returns false if there is none, or none that is sound."""
        if number not in self.numbers:
            return False
        try:
            job.check(number, data := read_bytes(self.path(number)))
        except ValueError as error:
            tell(f"piece {number} is done again, its file is damaged: {error}")
            os.remove(self.path(number))
            self.numbers.remove(number)
            return False
        job.merge(number, data)
        return True

    def remove(self):
        shutil.rmtree(self.folder)
