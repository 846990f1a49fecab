#!/usr/bin/env python3
"""Runs the organisers' acceptance test, test_zip_rules.py of GomocupJudge, on any system.

usage: judge.py ENGINE [--judge DIR] [--scale 0.05] [--only renju,caro] [--swap2]

ENGINE is a program or a zip. DIR (default $GOMOCUP_JUDGE) is a checkout of GomocupJudge, whose own
classes choose the program, start it, freeze it between moves and judge it; they need Python's
psutil. Where $TENGEN_RUNNER is set, it runs the program (wine). The judge's limits of time are
multiplied by --scale; its tolerance and its limit of memory stay. --swap2 adds a game with that
opening to each format. The exit code is 1 if anything fails.
"""

import argparse
import ast
import contextlib
import io
import os
import pathlib
import shlex
import shutil
import sys
import tempfile
import zipfile
import zlib

sys.dont_write_bytecode = True
import pbrain

MEGABYTE = 1 << 20
ENDS = {0: "played to the end", 1: "a foul", 2: "too late", 3: "an illegal move", 4: "a crash"}


def load_judge(folder):
    """Imports the judge's modules; returns the acceptance test and its list of formats."""
    source = pathlib.Path(folder, "test_zip_rules.py")
    if not source.is_file():
        sys.exit(f"no {source}: set GOMOCUP_JUDGE or --judge to a checkout of GomocupJudge")
    sys.path[:0] = [str(folder), str(source.parent / "client")]
    import test_zip_rules

    # The list is a local variable there.
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "FORMATS":
            return test_zip_rules, ast.literal_eval(node.value)
    sys.exit(f"{source} has no FORMATS")


def watch_memory(protocol):
    """Returns a list with the most memory that the judge saw since it was set to 0."""
    peak, update = [0], protocol.update_vms

    def watched(self):
        update(self)
        peak[0] = max(peak[0], self.vms_memory)

    protocol.update_vms = watched
    return peak


def unpack(engine, folder):
    """Puts the program where the judge looks for it, under a name that it takes."""
    if engine.suffix == ".zip":
        try:
            with zipfile.ZipFile(engine) as archive:
                archive.extractall(folder)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
            sys.exit(f"{engine}: {error}")
    else:
        name = engine.name if engine.name.startswith("pbrain") else "pbrain-" + engine.name
        shutil.copy(engine, folder / (name if name.endswith(".exe") else name + "64.exe"))
    runner = os.environ.get("TENGEN_RUNNER")
    for program in list(folder.glob("*.exe")):
        if runner:
            moved = program.rename(program.with_suffix(".run"))
            # The judge freezes this process, which therefore becomes the program itself.
            command = f'exec {shlex.quote(runner)} {shlex.quote(str(moved))} "$@"'
            program.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        program.chmod(0o755)


@contextlib.contextmanager
def warm(program):
    """Keeps one engine running: Wine's first start takes long, and would be on the judge's clock."""
    with pbrain.Engine(shlex.quote(program)) as engine:
        engine.send("ABOUT")
        engine.expect("name=", 300)
        yield


def swap2_game(judge, program, rule, size, turn, match, folder):
    """Plays one game with a swap2 opening against itself, as the judge's client does."""
    # A swap of sides is told to the server and acknowledged by it.
    settings = {"real_time_pos": 0, "real_time_message": 0,
                "send": lambda _: None, "recv": lambda _: b""}
    both = {"protocol": "new", "timeout_turn": turn, "timeout_match": match, "cmd": program,
            "working_dir": os.path.dirname(program), "max_memory": 350 * MEGABYTE}
    sides = {f"{key}_{side}": value for key, value in both.items() for side in (1, 2)}
    folders = {f"folder_{side}": str(folder / f"swap2 {side}") for side in (1, 2)}
    for path in folders.values():
        os.makedirs(path, exist_ok=True)
    game = judge.ai_match(board_size=size, opening=[], rule=rule, game_type=3, tolerance=1000,
                          settings=settings, special_rule="swap2", **sides, **folders)
    _, moves, _, end = game.play()
    return end in (0, 1), f"{ENDS.get(end, end)}, {len(moves)} moves"


def checks(judge, form, program, protocol, turn, match, folder, swap2):
    """Yields the name of each check of a format with a function that makes it."""
    rule, size = form["rule"], form["board_size"]
    for position, kind in form["checks"]:
        yield kind, lambda: judge.run_rule_check(
            program, protocol, rule, size, turn, match, str(folder), position, kind)
    yield "self-play", lambda: judge.run_self_play(
        program, protocol, rule, size, turn, match, str(folder))
    if swap2:
        yield "swap2", lambda: swap2_game(judge, program, rule, size, turn, match, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", type=pathlib.Path)
    parser.add_argument("--judge", default=os.environ.get("GOMOCUP_JUDGE", "."), metavar="DIR")
    parser.add_argument("--scale", type=pbrain.above_zero, default=0.05)
    parser.add_argument("--only", default="", help="formats, such as renju,caro")
    parser.add_argument("--swap2", action="store_true")
    options = parser.parse_args()
    if not options.engine.is_file():
        parser.error(f"no file {options.engine}")
    wanted = [name for name in options.only.lower().split(",") if name]
    judge, formats = load_judge(options.judge)
    names = [form["name"].lower() for form in formats]
    if not set(wanted).issubset(names):
        parser.error(f"--only takes some of {','.join(names)}")
    peak = watch_memory(judge.new_protocol)
    passed = failed = 0
    with contextlib.ExitStack() as stack:
        work = stack.enter_context(tempfile.TemporaryDirectory(prefix="judge"))
        home, folder = pathlib.Path(work, "match"), pathlib.Path(work, "folder")
        home.mkdir()
        folder.mkdir()
        unpack(options.engine, home)
        programs = [str(program) for program in home.glob("*.exe")]
        if not programs:
            sys.exit("judge.py: the judge takes programs named *.exe at the root of the zip")
        stack.enter_context(warm(programs[0]))
        for form in formats:
            if wanted and form["name"].lower() not in wanted:
                continue
            turn, match = (int(form[key] * options.scale) for key in ("timeout_turn", "timeout_match"))
            program, protocol = judge.select_executable(
                str(home), form["rule"], form["board_size"], True)
            for kind, check in checks(
                    judge, form, program, protocol, turn, match, folder, options.swap2):
                peak[0] = 0
                # The judge prints every move.
                with contextlib.redirect_stdout(io.StringIO()):
                    good, message = check()
                passed, failed = passed + good, failed + (not good)
                print(f"{'ok' if good else 'FAILED'}: {form['name']}, rule {form['rule']}, {kind}: "
                      f"{message}; {peak[0] / MEGABYTE:.0f} MB", flush=True)
        left = [path for path in folder.rglob("*") if path.is_file()]
        if left:
            failed += 1
            print(f"FAILED: files in the persistent folder: {left}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    pbrain.run(main)
