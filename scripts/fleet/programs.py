"""Programs that a job needs, on this machine."""

import os
import subprocess

from fleet.files import FleetError, UsageError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder of the repository."""


def program_of(path, name):
    """Returns the absolute path of a program that must be there."""
    if not path or not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise FleetError(f"{name}: '{path or ''}' is no program")
    return os.path.abspath(path)


def check_arguments(program, *arguments):
    """Has a program look at what it will get on the workers; with --help it does no more."""
    process = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True,
                             errors="replace", check=False, timeout=60)
    words = " ".join(process.stderr.split("\n\n")[0].removeprefix("error: ").split())
    if process.returncode == 2:
        raise UsageError(words)
    if process.returncode:
        raise FleetError(f"{program} ended with {process.returncode}: {words}")


def engine_of(name):
    """Returns the path of an engine, which is a program or a commit of this repository."""
    common = os.path.join(ROOT, "scripts", "common.sh")
    process = subprocess.run(["bash", "-c", '. "$1"; engine_of "$2"', "fleet", common, name],
                             stdout=subprocess.PIPE, text=True, check=False)
    if process.returncode:
        raise FleetError(f"there is no engine '{name}'")
    return process.stdout.strip()
