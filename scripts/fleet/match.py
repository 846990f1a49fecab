"""Matches: each piece is some openings, played with both colours; a sequential test ends them."""

import os
import random
import re

import pbrain
from fleet import pentanomial, worker
from fleet.files import FleetError, read_text, tell
from fleet.job import GAME_SEARCHES, PIECE_NODES, PIECES_MIN, Job
from fleet.programs import engine_of, program_of

SIDES = "first", "second"
HALF_POINTS = {"loss": 0, "draw": 1, "win": 2}
"""Half points of a game."""
PAIR_CLASSES = "LL", "LD", "LW or DD", "WD", "WW"
"""Results of a pair, by its half points."""
FAULTS = "time forfeit", "illegal move", "forbidden move", "crash"
"""Ends of a game that are the loser's fault, as c-gomoku-cli names them."""
Z_95 = 1.96
"""Standard errors on either side in a 95 % confidence interval."""
GAME = re.compile(r"Finished game (\d+) \((first|second) vs (?:first|second)\): (\S+) \{(.*)\}")
"""A game of c-gomoku-cli: its number, who was black, the result for black, the reason."""


def read_openings(path, seed):
    """Returns the openings of a file, each once, in an order that the seed chooses."""
    openings = [line.strip() for line in read_text(path).splitlines()]
    openings = list(dict.fromkeys(line for line in openings if line))
    if not openings:
        raise FleetError(f"{path} holds no opening")
    random.Random(seed).shuffle(openings)
    return openings


class Match(Job):
    """A match of pairs, each opening with both colours, until a sequential test is decided."""

    work = staticmethod(worker.play_pairs)

    def __init__(self, options):
        self.names = options.first, options.second
        self.programs = {"first": engine_of(options.first), "second": engine_of(options.second),
                         "c-gomoku-cli": program_of(os.environ.get("GOMOKU_CLI"), "GOMOKU_CLI")}
        self.benched = SIDES
        self.openings = read_openings(options.openings, options.seed)
        self.pairs = -(-options.games // 2)
        # An opening that comes again at fixed nodes is the same games again.
        self.is_repeatable = not options.nodes
        if not self.is_repeatable and self.pairs > (most := len(self.openings)):
            tell(f"{most} openings make {most} pairs at fixed nodes, not more")
            self.pairs = most
        fitting = PIECE_NODES / options.nodes / GAME_SEARCHES / 2 if options.nodes else 1
        # Few openings are a short match, which is to use many cores too, and to stop in time.
        self.piece_pairs = options.piece or max(
            1, min(round(fitting), len(self.openings) // PIECES_MIN))
        self.fixed = self.fixed_of(options)
        # The test and the number of games say only when to stop.
        self.plan = {**self.fixed, "openings": self.openings, "pairs a piece": self.piece_pairs}
        self.setting = self.setting_of(options)
        self.sprt = (options.elo0, options.elo1) if options.elo1 is not None else None
        # Games that finish first are the short ones: counted by themselves they bias the test.
        self.needs_order = self.sprt is not None
        self.bounds = pentanomial.bounds(options.alpha, options.beta)
        self.counts, self.games = [0] * 5, dict.fromkeys(HALF_POINTS, 0)
        self.faults = {side: dict.fromkeys(FAULTS, 0) for side in SIDES}
        self.verdict = None

    @staticmethod
    def fixed_of(options):
        """Returns the arguments of c-gomoku-cli that are those of every piece."""
        clock = ["tc=0/600", f"nodes={options.nodes}"] if options.nodes else [f"tc={options.tc}"]
        infos = options.first_info, options.second_info
        return {
            "each": [f"tolerance={options.tolerance}", f"maxmemory={options.memory << 20}", *clock],
            "engines": {side: [f"option.{info}" for info in found]
                        for side, found in zip(SIDES, infos)},
            "options": ["-rule", str(pbrain.RULES[options.rule]), "-boardsize", str(options.size),
                        "-drawafter", str(options.size ** 2)],
            "notation": "offset" if options.openings.endswith(".offset.txt") else "pos",
        }

    @staticmethod
    def setting_of(options):
        """Returns what the match is played with, for its report."""
        limit = f"{options.nodes} nodes a move" if options.nodes else f"tc {options.tc}"
        infos = "".join(f", {side} {info}" for side, found in
                        zip(SIDES, (options.first_info, options.second_info)) for info in found)
        return (f"{options.rule}, {options.size}x{options.size}, {limit}, {options.memory} MB, "
                f"openings {os.path.basename(options.openings)} (seed {options.seed}){infos}")

    def total(self, _):
        return -(-self.pairs // self.piece_pairs)

    def piece_openings(self, number):
        """Returns the openings of a piece; they come again where the same games do not."""
        begin, end = number * self.piece_pairs, (number + 1) * self.piece_pairs
        if self.is_repeatable:
            return [self.openings[at % len(self.openings)] for at in range(begin, end)]
        return self.openings[begin:end]

    def piece(self, number):
        return {**self.fixed, "openings": self.piece_openings(number)}

    def check(self, number, data):
        """Returns the games as (result for first, black, reason)."""
        games = {}
        for game, black, result, reason in GAME.findall(data.decode()):
            if result not in ("1-0", "0-1", "1/2-1/2"):
                raise ValueError(f"game {game} ended {result}")
            first_won = (result == "1-0") == (black == "first")
            outcome = "draw" if result == "1/2-1/2" else "win" if first_won else "loss"
            games[int(game)] = outcome, black, reason
        numbers = range(1, 2 * len(self.piece_openings(number)) + 1)
        if sorted(games) != list(numbers):
            raise ValueError(f"{len(games)} games for {len(numbers)}")
        games = [games[game] for game in numbers]
        if any(a[1] == b[1] for a, b in zip(games[::2], games[1::2])):
            raise ValueError("the games of a pair have the same colours")
        return games

    def merge(self, number, data):
        games = self.check(number, data)
        for pair in zip(games[::2], games[1::2]):
            if self.is_decided():
                return
            self.counts[sum(HALF_POINTS[outcome] for outcome, _, _ in pair)] += 1
            for outcome, _, reason in pair:
                self.games[outcome] += 1
                for fault in FAULTS:
                    if fault in reason:
                        self.faults["first" if outcome == "loss" else "second"][fault] += 1
            self.update_verdict()

    def update_verdict(self):
        """Sets the verdict once the sequential test is decided; nothing else sets it."""
        if self.sprt:
            ratio = pentanomial.log_likelihood_ratio(self.counts, *self.sprt)
            if ratio <= self.bounds[0]:
                self.verdict = "H0 accepted"
            elif ratio >= self.bounds[1]:
                self.verdict = "H1 accepted"

    def is_decided(self):
        """Returns true if the test is decided or all pairs are played."""
        return self.verdict is not None or sum(self.counts) == self.pairs

    def is_over(self, _):
        return self.is_decided()

    def score(self):
        """Returns score, Elo, its bounds of 95 %, and the test's ratio, as a text."""
        if not any(self.counts):
            return "no pair yet"
        mean, error = pentanomial.estimate(self.counts)
        text = f"{100 * mean:.1f} %, Elo {pentanomial.elo_of(mean):+.1f}"
        if error is None:
            text += f"; {pentanomial.NO_INTERVAL}"
        else:
            low, high = (pentanomial.elo_of(mean + at * error) for at in (-Z_95, Z_95))
            text += f" [{low:+.1f}, {high:+.1f}]"
        if self.sprt:
            ratio = pentanomial.log_likelihood_ratio(self.counts, *self.sprt)
            text += f", LLR {ratio:.2f} [{self.bounds[0]:.2f}, {self.bounds[1]:.2f}]"
        return text

    def status(self):
        return f"{sum(self.counts)} pairs, {self.score()}"

    def finish(self):
        win, loss, draw = (self.games[key] for key in ("win", "loss", "draw"))
        lines = ["{} against {}".format(*self.names), self.setting,
                 f"W {win}, L {loss}, D {draw} of {win + loss + draw}: {self.score()}",
                 "pairs: " + ", ".join(f"{n} {c}" for n, c in zip(PAIR_CLASSES, self.counts))]
        if self.sprt:
            verdict = self.verdict or "undecided"
            lines.append("elo0 {:g}, elo1 {:g}: {}".format(*self.sprt, verdict))
        for side, faults in self.faults.items():
            lines.append(f"{side}: " + ", ".join(f"{n} {c}" for n, c in faults.items()))
        return "\n".join(lines)
