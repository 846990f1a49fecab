"""The jobs: how the work is cut into pieces, and what their results come to.

A job takes the results in the order of their numbers, and alone decides when it is over. Knows
nothing of workers.

Each has `work`, what a worker does with a piece; `programs`, the programs that it needs there, and
`benched`, those that have to play alike on all machines; `plan`, all that the pieces depend on.
"""

import hashlib
import json
import os
import random
import re
import subprocess

import pbrain
from fleet import pentanomial, training_file, worker
from fleet.files import Merged, Stop, read_bytes, read_text, tell

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PIECE_NODES = 60e6
"""Nodes of a piece: about a minute of a core."""
PIECE_SECONDS = 60
"""Seconds of a piece, where time limits the searches."""
GAME_SEARCHES = 60
"""Searches of a game, for the size of pieces."""


def program_of(path, name):
    """Returns the path of a program that must be there."""
    if not path or not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise Stop(f"{name}: '{path or ''}' is no program")
    return os.path.abspath(path)


def engine_of(name):
    """Returns the path of an engine, which is a program or a commit of this repository."""
    common = os.path.join(ROOT, "scripts", "common.sh")
    process = subprocess.run(["bash", "-c", '. "$1"; engine_of "$2"', "fleet", common, name],
                             stdout=subprocess.PIPE, text=True)
    if process.returncode:
        raise Stop(f"there is no engine '{name}'")
    return process.stdout.strip()


class Datagen:
    """Training games, `--piece` with each seed; openings that come again are left out."""

    work = staticmethod(worker.play_training_games)

    def __init__(self, options):
        self.games, self.out = options.games, options.out
        self.rule, self.seed = options.rule, options.seed
        fitting = PIECE_NODES / options.nodes / GAME_SEARCHES
        self.piece_games = options.piece or max(1, round(fitting))
        self.programs = {"engine": options.engine, "datagen": options.datagen}
        self.benched = ["engine"]
        self.arguments = ["--rule", options.rule, "--nodes", str(options.nodes),
                          "--games", str(self.piece_games)]
        for name in ("size", "inner"):
            if getattr(options, name) is not None:
                self.arguments += [f"--{name}", str(getattr(options, name))]
        # More games of the same kind may be asked for later.
        self.plan = {"arguments": self.arguments, "seed": self.seed}
        self.count, self.repeated, self.made_by = 0, 0, None
        self.openings = set()
        self.merged = Merged(self.out)

    def total(self, taken):
        """Returns how many pieces there will be, as far as is known behind so many of them."""
        return taken + -(-(self.games - self.count) // self.piece_games)

    def piece_seed(self, number):
        """Returns the seed of a piece, a number of 64 bits."""
        text = f"{self.seed} {number}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "little")

    def piece(self, number):
        return {"options": [*self.arguments, "--seed", str(self.piece_seed(number))]}

    def check(self, number, data):
        """Returns the records of a piece; raises ValueError if it is not what was asked for."""
        made_by, records = training_file.parse(data)
        seed = f"seed {self.piece_seed(number)},"
        if seed not in made_by:
            raise ValueError(f"its seed is not {self.piece_seed(number)}: {made_by}")
        made_by = made_by.replace(
            seed, f"seed {self.seed} in pieces of {self.piece_games} games,")
        if self.made_by not in (None, made_by):
            raise ValueError(f"it was made otherwise: {made_by}, not {self.made_by}")
        if any(record.rule != self.rule for record in records):
            raise ValueError(f"a game is not {self.rule}")
        if len(records) != self.piece_games:
            raise ValueError(f"{len(records)} games for {self.piece_games}")
        return made_by, records

    def take(self, number, data):
        made_by, records = self.check(number, data)
        if self.made_by is None:
            self.made_by = made_by
            self.merged.write(training_file.head(made_by))
        for record in records:
            if self.count == self.games:
                break
            key = record.opening_key()
            if key in self.openings:
                self.repeated += 1
                continue
            self.openings.add(key)
            self.merged.write(record.numbered(self.count))
            self.count += 1

    def is_over(self, _):
        return self.count == self.games

    def status(self):
        return f"{self.count} of {self.games} games"

    def finish(self):
        self.merged.finish()
        return f"{self.out}: {self.count} games, {self.repeated} of a repeated opening left out"


class Match:
    """A match of pairs, each opening with both colours, until a sequential test is decided."""

    work = staticmethod(worker.play_pairs)
    CLASSES = ("LL", "LD", "LW or DD", "WD", "WW")
    FAULTS = ("time forfeit", "illegal move", "forbidden move", "crash")
    GAME = re.compile(r"Finished game (\d+) \((first|second) vs (?:first|second)\): (\S+) \{(.*)\}")

    def __init__(self, options):
        self.names = options.first, options.second
        self.programs = {"first": engine_of(options.first), "second": engine_of(options.second),
                         "c-gomoku-cli": program_of(os.environ.get("GOMOKU_CLI"), "GOMOKU_CLI")}
        self.benched = ["first", "second"]
        openings = [line.strip() for line in read_text(options.openings).splitlines()]
        openings = list(dict.fromkeys(line for line in openings if line))
        random.Random(options.seed).shuffle(openings)
        if not openings:
            raise Stop(f"{options.openings} holds no opening")
        self.openings, self.pairs = openings, -(-options.games // 2)
        if options.nodes and self.pairs > len(openings):
            # Games of fixed nodes would be the same games again.
            tell(f"{len(openings)} openings make {len(openings)} pairs at fixed nodes, not more")
            self.pairs = len(openings)
        pair_searches = 2 * GAME_SEARCHES
        fitting = PIECE_NODES / pair_searches / options.nodes if options.nodes else 1
        self.piece_pairs = options.piece or max(1, round(fitting))
        clock = ["tc=0/600", f"nodes={options.nodes}"] if options.nodes else [f"tc={options.tc}"]
        self.fixed = {
            "each": [f"tolerance={options.tolerance}", f"maxmemory={options.memory << 20}", *clock],
            "options": ["-rule", str(pbrain.RULES[options.rule]), "-boardsize", str(options.size),
                        "-drawafter", str(options.size ** 2)],
            "notation": "offset" if options.openings.endswith(".offset.txt") else "pos",
        }
        self.sprt = (options.elo0, options.elo1) if options.elo1 is not None else None
        self.bounds = pentanomial.bounds(options.alpha, options.beta)
        speed = f"{options.nodes} nodes a move" if options.nodes else f"tc {options.tc}"
        self.setting = (f"{options.rule}, {options.size}x{options.size}, {speed}, "
                        f"{options.memory} MB, openings {os.path.basename(options.openings)} (seed {options.seed})")
        # The test and the number of games say only when to stop.
        self.plan = {**self.fixed, "openings": openings, "pairs a piece": self.piece_pairs}
        self.counts, self.games = [0] * 5, {"win": 0, "draw": 0, "loss": 0}
        self.faults = {side: dict.fromkeys(self.FAULTS, 0) for side in ("first", "second")}
        self.verdict = None

    def total(self, _):
        return -(-self.pairs // self.piece_pairs)

    def piece(self, number):
        numbers = range(number * self.piece_pairs, (number + 1) * self.piece_pairs)
        openings = [self.openings[at % len(self.openings)] for at in numbers]
        return {**self.fixed, "openings": openings}

    def check(self, _, data):
        """Returns the games as (result for first, black, reason); else raises ValueError."""
        games = {}
        for number, black, result, reason in self.GAME.findall(data.decode()):
            if result not in ("1-0", "0-1", "1/2-1/2"):
                raise ValueError(f"game {number} ended {result}")
            first_won = (result == "1-0") == (black == "first")
            outcome = "draw" if result == "1/2-1/2" else "win" if first_won else "loss"
            games[int(number)] = outcome, black, reason
        numbers = range(1, 2 * self.piece_pairs + 1)
        if sorted(games) != list(numbers):
            raise ValueError(f"{len(games)} games for {len(numbers)}")
        games = [games[number] for number in numbers]
        if any(a[1] == b[1] for a, b in zip(games[::2], games[1::2])):
            raise ValueError("the games of a pair have the same colours")
        return games

    def take(self, number, data):
        games = self.check(number, data)
        for pair in zip(games[::2], games[1::2]):
            if self.is_over(None):
                return
            points = {"loss": 0, "draw": 1, "win": 2}
            self.counts[sum(points[outcome] for outcome, _, _ in pair)] += 1
            for outcome, _, reason in pair:
                self.games[outcome] += 1
                for fault in self.FAULTS:
                    if fault in reason:
                        self.faults["first" if outcome == "loss" else "second"][fault] += 1
            self.judge()

    def judge(self):
        """Decides the test, the one place that does."""
        if self.sprt:
            ratio = pentanomial.log_likelihood_ratio(self.counts, *self.sprt)
            if ratio <= self.bounds[0]:
                self.verdict = "H0 accepted"
            elif ratio >= self.bounds[1]:
                self.verdict = "H1 accepted"

    def is_over(self, _):
        return self.verdict is not None or sum(self.counts) == self.pairs

    def score(self):
        """Returns score, Elo, its bounds of 95 %, and the test's ratio, as a text."""
        if not any(self.counts):
            return "no pair yet"
        mean, error = pentanomial.estimate(self.counts)
        low, elo, high = (pentanomial.elo_of(mean + at * error) for at in (-1.96, 0, 1.96))
        text = f"{100 * mean:.1f} %, Elo {elo:+.1f} [{low:+.1f}, {high:+.1f}]"
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
                 "pairs: " + ", ".join(f"{n} {c}" for n, c in zip(self.CLASSES, self.counts))]
        if self.sprt:
            verdict = self.verdict or "undecided"
            lines.append("elo0 {:g}, elo1 {:g}: {}".format(*self.sprt, verdict))
        for side, faults in self.faults.items():
            lines.append(f"{side}: " + ", ".join(f"{n} {c}" for n, c in faults.items()))
        return "\n".join(lines)


class Analyze:
    """The analysis of an archive: games by the file, lists of positions by the line."""

    work = staticmethod(worker.analyze_files)
    GAME_POSITIONS = 40

    def __init__(self, options):
        self.out = options.out
        self.programs = {"engine": options.engine}
        self.benched = ["engine"]
        limit = ["--nodes", str(options.nodes)] if options.nodes else ["--time", str(options.time)]
        self.arguments = [*limit, "--rule", options.rule, "--size", options.size,
                          "--lines", str(options.lines), *(["--every"] if options.every else [])]
        fitting = PIECE_NODES / options.nodes if options.nodes else PIECE_SECONDS / options.time
        self.pieces = list(self.cut(options.files, options.piece or max(1, round(fitting)),
                                    self.GAME_POSITIONS if options.every else 1))
        digests = [hashlib.sha256(repr(piece).encode()).hexdigest() for piece in self.pieces]
        self.plan = {"arguments": self.arguments, "pieces": digests}
        self.taken, self.positions, self.faults = 0, 0, 0
        self.merged = Merged(self.out)

    @staticmethod
    def cut(paths, positions, game_positions):
        """Yields lists of (name, text) with about so many positions to a list."""
        piece, weight = [], 0
        for path in paths:
            data = read_bytes(path)
            text = data.lstrip(b"\xef\xbb\xbf \t\r\n")
            if text.startswith((b"(", b"Piskvorky")):
                parts = [(data, game_positions)]
            else:
                # Blank lines before it keep the number of a line.
                lines = data.split(b"\n")
                step = max(1, positions // game_positions)
                starts = range(0, len(lines), step)
                parts = [(b"\n" * at + b"\n".join(lines[at : at + step]), step * game_positions)
                         for at in starts if b"".join(lines[at : at + step]).strip()]
            for part, part_weight in parts:
                if piece and weight + part_weight > positions:
                    yield piece
                    piece, weight = [], 0
                piece.append((path, part))
                weight += part_weight
        if piece:
            yield piece

    def total(self, _):
        return len(self.pieces)

    def piece(self, number):
        return {"files": self.pieces[number], "options": self.arguments}

    def check(self, _, data):
        """Returns the lines and the faults of a piece; raises ValueError if they are none."""
        result = json.loads(data)
        for line in result["lines"].splitlines():
            if "position" not in json.loads(line) and "to_move" not in json.loads(line):
                raise ValueError(f"no analysis: {line}")
        if not result["lines"] and not result["faults"]:
            raise ValueError("nothing was analysed")
        return result["lines"], result["faults"]

    def take(self, number, data):
        lines, faults = self.check(number, data)
        for fault in faults:
            tell(fault)
        self.merged.write(lines.encode())
        self.taken += 1
        self.positions += lines.count("\n")
        self.faults += len(faults)

    def is_over(self, taken):
        return taken == len(self.pieces)

    def status(self):
        return f"{self.positions} positions"

    def finish(self):
        self.merged.finish()
        return f"{self.out}: {self.positions} positions" + (
            f", {self.faults} could not be read" if self.faults else "")
