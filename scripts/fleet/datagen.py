"""Training games: each piece has a seed of its own, and all become one file."""

import hashlib

from fleet import training_file, worker
from fleet.files import Merged
from fleet.job import GAME_SEARCHES, PIECE_NODES, PIECES_MIN, Job


class Datagen(Job):
    """Games of `tengen-lab datagen`. Those whose opening was there before are left out."""

    work = staticmethod(worker.play_training_games)
    command = "tengen-lab", "datagen"

    def __init__(self, options):
        self.games, self.out = options.games, options.out
        self.rule, self.seed = options.rule, options.seed
        fitting = PIECE_NODES / options.nodes / GAME_SEARCHES
        # A small run is to use many cores too.
        self.piece_games = options.piece or max(
            1, min(round(fitting), -(-options.games // PIECES_MIN)))
        self.programs = {"engine": options.engine, "tengen-lab": options.lab}
        self.benched = ["engine"]
        self.arguments = ["--rule", options.rule, "--nodes", str(options.nodes),
                          "--games", str(self.piece_games)]
        for name in ("size", "inner", "inner_depth"):
            if getattr(options, name) is not None:
                self.arguments += ["--" + name.replace("_", "-"), str(getattr(options, name))]
        # More games may be asked for later, in pieces of the same size.
        self.plan = {"arguments": self.arguments, "seed": self.seed}
        self.count, self.repeated, self.made_by = 0, 0, None
        self.openings = set()
        self.merged = Merged(self.out)

    def total(self, merged):
        return merged + -(-(self.games - self.count) // self.piece_games)

    def piece_seed(self, number):
        """Returns the seed of a piece, a number of 64 bits."""
        text = f"{self.seed} {number}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "little")

    def piece(self, number):
        return {"options": [*self.arguments, "--seed", str(self.piece_seed(number))]}

    def check(self, number, data):
        """Returns the head for all pieces, and the records."""
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

    def merge(self, number, data):
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
        return f"{self.out}: {self.count} games, {self.repeated} with a duplicate opening left out"
