"""What every job is: independent pieces, and what their results come to. Knows nothing of workers.

A job merges the results in the order of their numbers, and alone decides when it is over.
"""

import abc

PIECE_NODES = 60e6
"""Nodes of a piece: about a minute of a core."""
PIECE_SECONDS = 60
"""Seconds of a piece, where time limits the searches."""
PIECES_MIN = 50
"""Pieces of a small run, which is to use many cores too, unless a piece is a game or a pair."""
GAME_SEARCHES = 60
"""Searches of a game, for the size of pieces."""


class Job(abc.ABC):
    """Datagen, Match or Analyze. Each sets these:

    `work`: the function that does a piece on a worker, and returns bytes;
    `programs`: the programs that it needs there, paths by name;
    `benched`: the names of those that have to play alike on all machines;
    `plan`: all that the pieces depend on, but for the programs, as JSON has it.
    """

    command = ()
    """The program, and its command, that gets `arguments` on the workers."""
    needs_order = False
    """True if a result counts only once all results before it are there."""

    @abc.abstractmethod
    def total(self, merged):
        """Returns how many pieces there will be, as far as is known when so many are merged."""

    @abc.abstractmethod
    def piece(self, number):
        """Returns what `work` is to do."""

    @abc.abstractmethod
    def check(self, number, data):
        """Returns what the bytes of a result say; raises ValueError if they are not sound."""

    @abc.abstractmethod
    def merge(self, number, data):
        """Takes in a result. They come in the order of their numbers, and are sound."""

    @abc.abstractmethod
    def is_over(self, merged):
        """Returns true if no further piece is needed when so many are merged."""

    @abc.abstractmethod
    def status(self):
        """Returns how far the job is, in a few words."""

    @abc.abstractmethod
    def finish(self):
        """Completes the files of the job, and returns a report."""
