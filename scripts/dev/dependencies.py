#!/usr/bin/env python3
"""What the program is made of: fails on a dependency whose licence is not on the list, that is there
in two versions, or that comes from anywhere but crates.io; and if the program for tournaments is made of more
packages than it was meant to be. Needs Cargo, which fetches the sources
that it has not yet.

usage: dependencies.py [MANIFEST...]     Cargo.toml and fuzz/Cargo.toml if none is named
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = [ROOT / "Cargo.toml", ROOT / "fuzz" / "Cargo.toml"]
# Packages that the program for tournaments may consist of.
TOURNAMENT_MAX = 14
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"

# Licences that let anybody use the program under MIT or Apache-2.0 as they like.
LICENCES = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "NCSA", "Unicode-3.0",
    "Unlicense", "Zlib",
}
# Exceptions that grant more than the licence before them.
EXCEPTIONS = {"LLVM-exception"}

# What macros are read with while the program is built, and is no part of it.
BUILD_ONLY = {"syn"}


def is_allowed(expression):
    """Returns true if a choice of the SPDX expression's licences is on the list."""
    text = (expression or "").replace("/", " OR ")
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def alternatives():
        found = conjunction()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            other = conjunction()
            found = found or other
        return found

    def conjunction():
        found = term()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            other = term()
            found = found and other
        return found

    def term():
        token = tokens.pop(0)
        if token != "(":
            if tokens[:1] == ["WITH"] and tokens[1:2] and tokens[1] in EXCEPTIONS:
                del tokens[:2]
            return token in LICENCES
        found = alternatives()
        return tokens.pop(0) == ")" and found

    try:
        # What is left over, an unknown exception to a licence say, is not understood.
        return alternatives() and not tokens
    except IndexError:
        return False


def faults(metadata):
    """Yields what is wrong with the packages of a build."""
    versions = defaultdict(set)
    for package in metadata["packages"]:
        name, version = package["name"], package["version"]
        versions[name].add(version)
        if not is_allowed(package["license"]) and package["source"]:
            yield f"{name} {version}: the licence {package['license']!r} is not on the list"
        if package["source"] not in (None, REGISTRY):
            yield f"{name} {version} comes from {package['source']}"
    for name, found in sorted(versions.items()):
        if len(found) > 1 and name not in BUILD_ONLY:
            yield f"{name} is there as {' and '.join(sorted(found))}"


def check_oneself():
    """Checks the reading of licences, which must not let through what it does not understand."""
    good = ["MIT", "MIT/Apache-2.0", "X OR MIT", "(MIT OR X) AND Zlib", "MIT AND (X OR ISC)", "(X) OR MIT"]
    good += ["Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception OR X"]
    bad = ["", None, "GPL-3.0", "MIT AND X", "(MIT OR X) AND Y", "MIT WITH X", "MIT WITH", "X WITH LLVM-exception", "MIT OR", "(MIT", "OR"]
    assert all(map(is_allowed, good)) and not any(map(is_allowed, bad))
    package = {"name": "a", "license": "MIT", "source": REGISTRY}
    twice = [{**package, "version": version} for version in ("1.0.0", "2.0.0")]
    assert list(faults({"packages": twice})) == ["a is there as 1.0.0 and 2.0.0"]


def tournament_packages():
    """Returns the packages of the program for tournaments, those of Tengen among them."""
    command = "cargo tree --locked -p tengen --no-default-features -e normal --prefix none --manifest-path"
    lines = subprocess.run(
        [*command.split(), MANIFESTS[0]], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return {line.split()[0] for line in lines.splitlines() if line}


def main():
    check_oneself()
    wrong = 0
    packages = tournament_packages()
    if len(packages) > TOURNAMENT_MAX:
        print(f"dependencies: {' '.join(sorted(packages))}: more than {TOURNAMENT_MAX}", file=sys.stderr)
        wrong += 1
    for manifest in map(Path, sys.argv[1:] or MANIFESTS):
        command = ["cargo", "metadata", "--all-features", "--locked"]
        command += ["--format-version", "1"]
        output = subprocess.run(
            [*command, "--manifest-path", manifest], check=True, stdout=subprocess.PIPE
        )
        metadata = json.loads(output.stdout)
        found = list(faults(metadata))
        for fault in found:
            print(f"dependencies: {manifest}: {fault}", file=sys.stderr)
        wrong += len(found)
        print(f"dependencies: {manifest}: {len(metadata['packages'])} packages")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
