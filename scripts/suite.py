#!/usr/bin/env python3
"""Runs test positions with known answers through the protocol of an engine.

usage: suite.py ENGINE [FILE.jsonl | DIR]... [--time MS] [--nodes N] [--limit N] [--csv FILE]

Without files all of $TENGEN_SUITES are run. One JSON object a line: id, size, rule, black, white,
to_move, expect; points are letter + number, h8 = 7,7. What counts, by the file's name:

  vcf_*            the move is one of expect.moves; "other" = another move with a claimed win
  vcf_negative_*   not scored (a protocol cannot ask for a search by fours only): claims are counted
  move_sets_*      the move is one of expect.moves
  puzzles_*        expect.moves, or else the claim (win, not_win, loss)
  forbidden_*      YXBOARD + YXSHOWFORBID names exactly the forbidden points
  rule_outcomes    a winning point is played or another five instead, by a referee in this script;
                   a point that does not win is not played with the claim of a win in one
  others           the engine claims a win (MESSAGE ... ev +M...)

An engine fault is an end, no answer in time or an illegal move; it counts as no right answer. Exit
code 1 after one.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from pbrain import (Engine, EngineError, RULES, SUITE_RULES, claims_win, colors_are_known, name,
                    percentile, point, positive, read_suite, rows, run, wins)

GRACE = 5.0  # seconds beyond the limit that the script waits for an answer

class Inexpressible(Exception):
    """The protocol has no words for the question."""

class Question:
    def __init__(self, entry):
        self.entry = entry
        self.id = entry["id"]
        self.size = entry["size"]
        self.rule = SUITE_RULES.get(entry["rule"], entry["rule"])
        self.black = [point(p) for p in entry["black"]]
        self.white = [point(p) for p in entry["white"]]
        self.own = entry.get("to_move") or entry.get("mover") or "black"
        self.expect = entry["expect"]
        self.moves = {point(p) for p in self.expect.get("moves", [])}
        if self.rule == "renju" and not colors_are_known(self.black, self.white, self.own):
            raise Inexpressible("BOARD cannot tell the engine which colour is black")

    def send(self, engine, word, options):
        engine.start(self.size)
        engine.info(rule=RULES[self.rule], timeout_match=0, time_left=2147483647,
                    timeout_turn=options.time, max_memory=options.memory << 20)
        if options.nodes:
            engine.info(max_node=options.nodes)
        engine.send(word, *rows(self.black, self.white, self.own), "DONE")

    def think(self, engine, options):
        self.send(engine, "BOARD", options)
        move, evaluation, _ = engine.move(options.time / 1000 + GRACE)
        if move in self.black + self.white or max(move) >= self.size:
            raise EngineError(f"illegal move {name(move)}")
        return move, evaluation

# Each judge returns (verdict, what was seen); the verdicts are right, other and wrong, or seen for
# what is only counted.

def judge_moves(question, engine, options):
    if not question.moves:
        return judge_claim(question, engine, options)
    move, evaluation = question.think(engine, options)
    seen = f"{name(move)} {evaluation}"
    if move in question.moves:
        return "right", seen
    return ("other" if claims_win(evaluation) else "wrong"), seen

def judge_set(question, engine, options):
    move, evaluation = question.think(engine, options)
    return ("right" if move in question.moves else "wrong"), f"{name(move)} {evaluation}"

def judge_claim(question, engine, options):
    move, evaluation = question.think(engine, options)
    return ("right" if claims_win(evaluation) else "wrong"), f"{name(move)} {evaluation}"

def judge_negative(question, engine, options):
    move, evaluation = question.think(engine, options)
    return ("other" if claims_win(evaluation) else "seen"), f"{name(move)} {evaluation}"

def judge_puzzle(question, engine, options):
    result = question.expect.get("result")
    if question.moves:
        return (judge_moves if result == "win" else judge_set)(question, engine, options)
    move, evaluation = question.think(engine, options)
    right = {
        "win": claims_win(evaluation),
        "not_win": not claims_win(evaluation),
        "loss": evaluation is not None and evaluation.startswith("-M"),
    }[result]
    return ("right" if right else "wrong"), f"{name(move)} {evaluation}"

def judge_forbidden(question, engine, options):
    question.send(engine, "YXBOARD", options)
    found = engine.forbidden()
    if "point" in question.entry:
        asked = {point(question.entry["point"])}
        wanted = asked if question.expect["forbidden"] else set()
        found &= asked
    else:
        wanted = {point(p) for p in question.expect["forbidden_map"]}
    text = lambda points: " ".join(sorted(map(name, points))) or "none"
    difference = f"surplus {text(found - wanted)}, missing {text(wanted - found)}"
    return ("right" if found == wanted else "wrong"), difference

def judge_outcome(question, engine, options):
    mine, theirs = map(set, (question.black, question.white))
    if question.own == "white":
        mine, theirs = theirs, mine
    is_black = question.own == "black"
    makes_win = lambda xy: wins(question.rule, mine, theirs, xy, is_black)
    asked = point(question.entry["point"])
    expected = question.expect["outcome"] == question.own + "_win"
    if makes_win(asked) != expected:
        sys.exit(f"suite: {question.entry['id']}: the referee of this script disagrees with the suite")
    move, evaluation = question.think(engine, options)
    seen = f"{name(move)} {evaluation}"
    if expected:
        return ("right" if makes_win(move) else "wrong"), seen
    blunder = move == asked and evaluation in ("+M1", "M1")
    return ("wrong" if blunder else "right"), seen

JUDGES = [
    ("vcf_negative", judge_negative),
    ("vcf_", judge_moves),
    ("move_sets", judge_set),
    ("puzzles", judge_puzzle),
    ("forbidden_", judge_forbidden),
    ("rule_outcomes", judge_outcome),
    ("", judge_claim),
]

def run_file(path, entries, options, failures):
    """Asks the questions of a file and prints their score; returns what was wrong with the engine."""
    judge = next(judge for prefix, judge in JUDGES if path.name.startswith(prefix))
    counts, times, skipped, faults = {}, [], 0, []
    engine = None
    for entry in entries:
        start = time.perf_counter()
        try:
            question = Question(entry)
            engine = engine or Engine(options.engine, stderr=subprocess.DEVNULL)
            verdict, seen = judge(question, engine, options)
        except Inexpressible as reason:
            skipped += 1
            failures.append((path.name, entry["id"], "skipped", reason))
            continue
        except EngineError as error:
            verdict, seen = "fault", f"{error}"
            faults.append(f"{entry['id']}: {error}")
            if engine:
                engine.close()
            engine = None
        counts[verdict] = counts.get(verdict, 0) + 1
        elapsed = (time.perf_counter() - start) * 1000
        if verdict == "right" or judge is judge_negative:
            times.append(elapsed)
        if verdict in ("wrong", "other", "fault"):
            failures.append((path.name, entry["id"], verdict, seen))
    if engine:
        engine.close()
    total = sum(counts.values())
    notes = [f"median {percentile(times, 0.5):.0f} ms, 90 % {percentile(times, 0.9):.0f} ms"]
    if judge is judge_negative:
        score = f"{counts.get('other', 0):4}/{total:<4} claimed, not scored"
    else:
        score = f"{counts.get('right', 0):4}/{total:<4}"
        if counts.get("other"):
            notes.append(f"{counts['other']} other with a claimed win")
    if skipped:
        notes.append(f"{skipped} not expressible")
    if faults:
        notes.append(f"engine faults {len(faults)}, first {faults[0]}")
    print(f"{path.stem:28} {score}  {'; '.join(notes)}", flush=True)
    return faults

def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("engine", help="command of the engine")
    parser.add_argument("suites", nargs="*", type=pathlib.Path)
    parser.add_argument("--time", type=positive, default=1000, help="ms a position (1000)")
    parser.add_argument("--nodes", type=positive, help="nodes a position, as INFO max_node")
    parser.add_argument("--memory", type=positive, default=350, help="MB (350)")
    parser.add_argument("--limit", type=positive, help="at most N positions a file, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", help="file for what was not right: suite, id, verdict, seen")
    options = parser.parse_intermixed_args()
    suites = options.suites or [pathlib.Path(os.environ.get("TENGEN_SUITES", ""))]
    if not options.suites and not os.environ.get("TENGEN_SUITES"):
        parser.error("no suites: name files or set TENGEN_SUITES")
    files = [f for s in suites for f in (sorted(s.glob("*.jsonl")) if s.is_dir() else [s])]
    if not files:
        parser.error("no suites there")
    suites = [(path, read_suite(path, options.limit, options.seed)) for path in files]
    failures, faults = [], []
    table = options.csv or os.devnull
    # An earlier file stays until the end.
    open(table, "a").close()
    for path, entries in suites:
        faults += run_file(path, entries, options, failures)
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("suite", "id", "verdict", "seen"))
        writer.writerows(failures)
    sys.exit(1 if faults else 0)

if __name__ == "__main__":
    run(main)
