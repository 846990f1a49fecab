"""Statistics of a match of game pairs: each pair is one opening played with both colours.

A pair scores 0, 1/2, 1, 3/2 or 2 points, so the results are five counts (pentanomial). The two
games of a pair depend on each other, so that counts of single games would misjudge the error.
Pure: numbers in, numbers out.
"""

import math

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The score of a pair in each of the five classes, as a share of its two points."""

EMPTY = 1e-3
"""Count of a class that is empty, so that the likelihood of every score exists."""

PAIRS_MIN = 5
"""Pairs that an interval needs at least."""
NO_INTERVAL = "too few games for an interval"


def elo_of(score):
    """Returns the Elo difference of an expected score from 0 to 1."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def score_of(elo):
    """Returns the expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def estimate(counts):
    """Returns the score of the five counts, which hold at least one pair, and its standard error.

    Few pairs, or pairs that all ended alike, tell nothing of the error: it is None.
    """
    pairs = sum(counts)
    mean = sum(count * points for count, points in zip(counts, PAIR_SCORES)) / pairs
    if pairs < PAIRS_MIN or max(counts) == pairs:
        return mean, None
    squares = (count * (points - mean) ** 2 for count, points in zip(counts, PAIR_SCORES))
    return mean, math.sqrt(sum(squares) / (pairs - 1) / pairs)


def log_likelihood_ratio(counts, elo0, elo1):
    """Returns the generalized log-likelihood ratio of elo1 to elo0 for the five counts.

    Each hypothesis takes the most likely distribution with its expected score. Source: Michel Van
    den Bergh, Comments on normalized Elo, and fishtest, which decides by the same ratio.
    """
    if not any(counts):
        return 0.0
    counts = [count or EMPTY for count in counts]
    return _log_likelihood(counts, score_of(elo1)) - _log_likelihood(counts, score_of(elo0))


def _log_likelihood(counts, score):
    """Returns the largest log-likelihood of the counts among distributions of this mean.

    The best distribution is `share / (1 + t * (points - score))`, where t makes its mean the score;
    the mean falls as t grows. The likelihood of the plain shares is left out.
    """
    total = sum(counts)
    low, high = -1 / (1 - score), 1 / score
    for _ in range(100):
        t = (low + high) / 2
        surplus = sum(
            count / total * (points - score) / (1 + t * (points - score))
            for count, points in zip(counts, PAIR_SCORES)
        )
        low, high = (t, high) if surplus > 0 else (low, t)
    return -sum(
        count * math.log(1 + t * (points - score)) for count, points in zip(counts, PAIR_SCORES)
    )


def bounds(alpha, beta):
    """Returns the ratios at which H0 and H1 are accepted, with their error probabilities."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
