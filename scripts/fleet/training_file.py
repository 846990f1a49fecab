"""Files of training games as far as merging needs them: heads, records, openings.

The format is described, written and read in full by crates/lab/src/file.rs and codec.rs.
"""

import struct

MAGIC = b"TENGAMES"
VERSION = 1
RULES = ("freestyle", "standard", "renju", "caro", "caro-exact")
"""In the order of their numbers in a record."""
RECORD_HEAD = struct.Struct("<IBBBBH")
"""Number of the game, rule (bits 0-3) and outcome, width, height, stones of the opening, moves."""
RULE_MASK = 15
"""The bits of the rule in the byte that it shares with the outcome."""


class Record:
    """One game: its bytes behind the length, and what its first fields say."""

    def __init__(self, data):
        if len(data) < RECORD_HEAD.size:
            raise ValueError("a record is too short")
        self.data = data
        _, kind, self.width, self.height, stones, moves = RECORD_HEAD.unpack_from(data)
        is_board = 5 <= self.width <= 22 and 5 <= self.height <= 22
        is_whole = stones <= moves and len(data) >= RECORD_HEAD.size + 2 * stones
        if kind & RULE_MASK >= len(RULES) or not is_board or not is_whole:
            raise ValueError("a record is damaged")
        self.rule = RULES[kind & RULE_MASK]
        self.opening = struct.unpack_from(f"<{stones}H", data, RECORD_HEAD.size)

    def opening_key(self):
        """Returns what the opening has in common with its mirror images and with other orders."""
        points = [(cell % self.width, cell // self.width) for cell in self.opening]
        right, bottom = self.width - 1, self.height - 1
        images = []
        for transposed in (False, True) if self.width == self.height else (False,):
            for mirrored in (False, True):
                for flipped in (False, True):
                    image = [
                        (right - x if mirrored else x, bottom - y if flipped else y)
                        for x, y in (point[::-1] if transposed else point for point in points)
                    ]
                    images.append((sorted(image[::2]), sorted(image[1::2])))
        black, white = min(images)
        return self.width, self.height, tuple(black), tuple(white)

    def numbered(self, number):
        """Returns the bytes of the record, length first, with this number of the game."""
        return struct.pack("<II", len(self.data), number) + self.data[4:]


def head(made_by):
    """Returns the head of a file: the text says how its games were made."""
    text = made_by.encode()
    return MAGIC + struct.pack("<HH", VERSION, len(text)) + text


def parse(data):
    """Returns the text of the head and the records; raises ValueError for anything else."""
    if data[:8] != MAGIC or len(data) < 12:
        raise ValueError("these are no training games")
    version, length = struct.unpack_from("<HH", data, 8)
    if version != VERSION:
        raise ValueError(f"the training games are of version {version}, not {VERSION}")
    at = 12 + length
    made_by = data[12:at].decode()
    records = []
    while at < len(data):
        if at + 4 > len(data):
            raise ValueError("the training games are cut off")
        (length,) = struct.unpack_from("<I", data, at)
        if at + 4 + length > len(data):
            raise ValueError("the training games are cut off")
        records.append(Record(data[at + 4 : at + 4 + length]))
        at += 4 + length
    return made_by, records
