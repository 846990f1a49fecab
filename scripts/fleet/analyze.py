"""The analysis of an archive: files of games and of positions, cut between two games."""

import hashlib
import json
import re

from fleet import worker
from fleet.files import Merged, read_bytes, tell
from fleet.job import PIECE_NODES, PIECE_SECONDS, PIECES_MIN, Job

BLANK = b"\xef\xbb\xbf \t\r\n"
"""What may stand before a game: white space and the byte order mark."""
SGF_GAME = re.compile(rb"\(\s*;")
"""How a game of a collection begins."""
WHOLE = re.compile(rb"\A(?:Piskvorky|\xffRenLib|[{<]|\xff\xfe|\xfe\xff|.?\0)|\(\s*;|^[ \t]*\[",
                   re.DOTALL | re.MULTILINE)
"""Found in formats other than lists of moves: how Piskvork's, RenLib's, JSON, HTML and texts in UTF-16
begin; a game of SGF after other text; a tag of PlayOK."""
LATER_MOVE = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?!1[ \t]*[.)])\d+[ \t]*[.)]")
"""What continues the game of the line before: after empty lines and comments, the number of a move."""
SGF_MARK = re.compile(rb"\\.|[()\[\]]", re.DOTALL)
"""What shows where a game of a collection ends; `\\` takes the meaning from what follows."""


def sgf_games(data):
    """Yields where each game of a collection ends."""
    depth, in_value = 0, False
    for mark in SGF_MARK.finditer(data):
        if mark[0] in (b"[", b"]"):
            in_value = mark[0] == b"["
        elif mark[0] == b"(" and not in_value:
            depth += 1
        elif mark[0] == b")" and not in_value and depth:
            depth -= 1
            if depth == 0:
                yield mark.end()


def entries(data, every):
    """Yields where each game or line of a file ends, and about how many positions are analysed."""
    begin, text = 0, data.lstrip(BLANK)
    if SGF_GAME.match(text):
        for end in sgf_games(data):
            yield end, data.count(b";", begin, end) if every else 1
            begin = end
        if data[begin:].strip():
            yield len(data), 1
    elif WHOLE.search(text):
        yield len(data), max(1, data.count(b"\n")) if every else 1
    else:
        moves, goes_on = 0, None
        for line in data.splitlines(keepends=True):
            begin += len(line)
            if line.split(b"#")[0].strip():
                moves += len(line.strip()) // 2
                goes_on = LATER_MOVE.match(data, begin)
            if not goes_on:
                yield begin, moves if every else min(moves, 1)
                moves = 0


def cut(paths, most, every):
    """Yields pieces of so many positions at most, or of a longer game.

    A piece is a list of parts of files: the name, the number of the first line, the bytes.
    """
    piece, positions = [], 0

    def add(path, data, begin, end):
        # Only of a whole file is it a fault that it is empty.
        if data[begin:end].strip() or end - begin == len(data):
            piece.append((path, 1 + data.count(b"\n", 0, begin), data[begin:end]))

    for path in paths:
        data = read_bytes(path)
        begin = end = 0
        for next_end, count in entries(data, every):
            if count and positions and positions + count > most:
                add(path, data, begin, end)
                yield piece
                piece, positions, begin = [], 0, end
            positions += count
            end = next_end
        add(path, data, begin, len(data))
    if piece:
        yield piece


class Analyze(Job):
    """Lines of `analyze --json`, in the order of the files."""

    work = staticmethod(worker.analyze_files)
    command = "tengen", "analyze"

    def __init__(self, options):
        self.out = options.out
        self.programs = {"engine": options.engine, "tengen": options.tengen}
        self.benched = ["engine"]
        limit = ["--nodes", str(options.nodes)] if options.nodes else ["--time", str(options.time)]
        rule = ["--rule", options.rule] if options.rule else []
        self.arguments = [*limit, *rule, "--size", options.size, "--lines", str(options.lines),
                          *(["--every"] if options.every else [])]
        fitting = PIECE_NODES / options.nodes if options.nodes else PIECE_SECONDS / options.time
        counts = [count for path in options.files
                  for _, count in entries(read_bytes(path), options.every)]
        most = options.piece or max(1, min(round(fitting), -(-sum(counts) // PIECES_MIN)))
        self.pieces = list(cut(options.files, most, options.every))
        digests = [hashlib.sha256(repr(piece).encode()).hexdigest() for piece in self.pieces]
        self.plan = {"arguments": self.arguments, "pieces": digests}
        self.positions, self.faults = 0, 0
        self.merged = Merged(self.out)

    def total(self, _):
        return len(self.pieces)

    def piece(self, number):
        return {"files": self.pieces[number], "options": self.arguments}

    def check(self, _, data):
        """Returns the lines of a piece, how many of them are of positions, and faults and warnings."""
        result = json.loads(data)
        positions = 0
        for line in result["lines"].splitlines():
            found = json.loads(line)
            # The other lines sum up the moves of a game.
            positions += "to_move" in found
            if "to_move" not in found and "summary" not in found:
                raise ValueError(f"no analysis: {line}")
        if not result["lines"] and not result["faults"]:
            raise ValueError("nothing was analysed")
        return result["lines"], positions, result["faults"]

    def merge(self, number, data):
        lines, positions, faults = self.check(number, data)
        for fault in faults:
            tell(fault)
        self.merged.write(lines.encode())
        self.positions += positions
        self.faults += sum(map(worker.is_fault, faults))

    def is_over(self, merged):
        return merged == len(self.pieces)

    def status(self):
        return f"{self.positions} positions"

    def finish(self):
        self.merged.finish()
        return f"{self.out}: {self.positions} positions" + (
            f", {self.faults} could not be read" if self.faults else "")
