"""Ctrl-C and SIGTERM, which end the work wherever they meet it.

Knows neither Dask nor jobs.
"""

import signal
import sys


class Interrupt:
    """Raises KeyboardInterrupt at Ctrl-C and SIGTERM, and again in `check` if it was lost.

    Python goes on after an exception in a destructor. Futures of Dask have destructors, which run at
    any time.
    """

    def __init__(self):
        self.seen = False
        sys.unraisablehook = self.tell_unraisable
        for number in (signal.SIGINT, signal.SIGTERM):
            # A shell has its programs in the background ignore Ctrl-C.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.interrupt)

    def interrupt(self, _number, _frame):
        self.seen = True
        raise KeyboardInterrupt

    @staticmethod
    def tell_unraisable(unraisable):
        """Tells of exceptions in destructors but of the one that `check` raises again."""
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)

    def check(self):
        """Raises KeyboardInterrupt if the work is to end."""
        if self.seen:
            raise KeyboardInterrupt
