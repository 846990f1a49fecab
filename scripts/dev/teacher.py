#!/usr/bin/env python3
"""Trains a teacher, a residual network, on games of `tengen-lab datagen`, and labels the games by it.

    scripts/dev/teacher.py train TEACHER SECONDS GAMES... --static STATIC... [--start TEACHER]
    scripts/dev/teacher.py label TEACHER GAMES STATIC LABELLED

Needs PyTorch. A GPU takes some minutes for 10 million positions; two processors take a quarter of an
hour for a smaller teacher. `tengen-lab data static GAMES STATIC` writes the same games with
the network's values of their positions. `label` writes the games once more, with other scores;
`tengen-lab train --result 0` learns from them as from any games. Boards are square. The form of the
files: crates/lab/src/file.rs and codec.rs.

The teacher sees the stones, the rule and the network's value, which it corrects. It has two values, the
score of the search and the result of the game, and a policy, which is learned for the trunk's sake.
What it says of a position is smoother than one search and one result, and holds in positions of which
only a bound is known (Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network", 2015).
"""

import argparse
import math
import random
import struct
import time
from array import array

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

STANDARD, RENJU = 1, 2  # numbers of rules in the files
OWN, SIDE, INNER = range(3)  # a position of the game, a few random moves off it, of a search tree
UPPER, LOWER, EXACT = 1, 2, 3
EVAL_SCALE, EVAL_MAX = 200, 20_000  # log odds in evaluation units, and the largest that is no proof
NO_CELL = 511
HELD_OUT = 20  # one game in so many

# Labels are sums of log odds: by the game's search, the teacher's score and its result. Those of the
# games' own positions are fitted to the results of held-out games (by logistic regression). Off the
# game there are no results to fit to, and after random moves the result's value agrees least with
# searches.
SIDE_WEIGHTS = (0.40, 0.60, 0.00)
INNER_WEIGHTS = (0.20, 0.20, 0.60)
BOUND_WEIGHTS = (0.00, 0.30, 0.70)

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
HAS_BF16 = DEVICE.type == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
if DEVICE.type == "cuda":
    CHANNELS, BLOCKS, BATCH = 96, 6, 1024
else:
    CHANNELS, BLOCKS, BATCH = 48 if HAS_BF16 else 32, 4, 256
SYMMETRIES = (0, 7) if DEVICE.type == "cuda" else (0,)  # in which positions are seen for their labels
OWN_SHARE = 0.6  # of a batch: only positions of the game have a result


class Games:
    """The positions of files of games, column by column."""

    def __init__(self, paths):
        self.bytes = bytearray()
        moves, starts, rows = array("h"), array("q"), array("q")
        for path in paths:
            first = len(self.bytes)
            with open(path, "rb") as file:
                self.bytes += file.read()
            for at, size in records(self.bytes, first):
                self.read(at, at + size, moves, starts, rows)
        self.moves = np.array(moves, np.int16)
        table = np.array(rows, np.int64).reshape(-1, 13)
        (self.rule, self.size, self.start, self.path, self.line, self.plies, self.source, self.bound,
         self.score, self.move, self.points, self.offset, number) = table.T
        self.is_held_out = number % HELD_OUT == 0
        self.game = np.cumsum(np.diff(self.start, prepend=-1) != 0)
        proof = (self.score > EVAL_MAX) & (self.bound != UPPER)
        proof |= (self.score < -EVAL_MAX) & (self.bound != LOWER)
        self.is_proof = proof
        self.bound[proof] = EXACT

    def read(self, at, end, moves, starts, rows):
        """Adds the positions of a record: see crates/lab/src/codec.rs."""
        data = self.bytes
        number, kind, width, height, opening, count = struct.unpack_from("<I4BH", data, at)
        if width != height:
            raise SystemExit("the boards are not square")
        rule, outcome = kind & 15, kind >> 4
        start = len(moves)
        at += 10

        def add(path, line, plies, source, bound, score, move, offset):
            points = 1 if outcome == 2 else 2 * (outcome == (path + plies) % 2)
            rows.extend((rule, width, start, path, line, plies, source, bound, score, move, points))
            rows.extend((offset, number))

        for ply in range(count):
            (word,) = struct.unpack_from("<H", data, at)
            cell, others = word & NO_CELL, word >> 9
            moves.append(cell)
            at += 2
            if ply >= opening:
                (score,) = struct.unpack_from("<h", data, at)
                add(ply, 0, 0, OWN, EXACT, score, cell, at)
                at += 3 + 4 * others
        while at < end:
            head, plies = struct.unpack_from("<HB", data, at)
            line = len(moves)
            moves.extend(struct.unpack_from(f"<{plies}H", data, at + 3))
            move, score = struct.unpack_from("<Hh", data, at + 3 + 2 * plies)
            source, bound = INNER if head >> 11 else SIDE, head >> 9 & 3
            add(head & NO_CELL, line, plies, source, bound, score, move, at)
            at += 8 + 2 * plies

    def by_kind(self):
        """Returns the size and the numbers of the positions of each rule and size that occurs."""
        kinds = 32 * self.rule + self.size
        return [(int(kind) % 32, np.flatnonzero(kinds == kind)) for kind in np.unique(kinds)]


def records(data, at):
    """Yields where the whole records of a file begin in the bytes, and their lengths."""
    if data[at : at + 8] != b"TENGAMES":
        raise SystemExit("these are no training games")
    at += 12 + struct.unpack_from("<H", data, at + 10)[0]
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        if at + 4 + size > len(data):
            return
        yield at + 4, size
        at += 4 + size


class Planes:
    """Positions as planes of the side to move, on the device: own stones, others, the board, the rule; and
    the network's log odds of a win."""

    def __init__(self, games, static):
        if not np.array_equal(games.moves, static.moves):
            raise SystemExit("the static values are those of other games")
        log_odds = np.clip(static.score / EVAL_SCALE, -6, 6).astype(np.float32)
        self.static = torch.from_numpy(log_odds).to(DEVICE)
        put = lambda column: torch.from_numpy(np.ascontiguousarray(column)).to(DEVICE)
        self.moves = put(np.pad(games.moves, (0, 512)))
        names = ("start", "path", "line", "plies", "rule")
        self.start, self.path, self.line, self.plies, self.rule = (put(getattr(games, n)) for n in names)

    def of(self, ids, size):
        area, count = size * size, len(ids)
        path, plies = self.path[ids][:, None], self.plies[ids][:, None]
        parity = (path + plies) & 1
        stones = torch.zeros(2 * area * count + 1, device=DEVICE)
        board = torch.arange(count, device=DEVICE)[:, None]

        def place(first, length, ply):
            number = torch.arange(int(length.max()), device=DEVICE)[None]
            cells = self.moves[first[:, None] + number].long()
            is_other = (ply + number + parity) & 1
            # The last cell takes what is no move of the position.
            place = torch.where(number < length, (2 * board + is_other) * area + cells, 2 * area * count)
            stones[place.reshape(-1)] = 1

        place(self.start[ids], path, 0)
        place(self.line[ids], plies, path)
        stones = stones[:-1].view(count, 2, size, size)
        rule, is_white = self.rule[ids], parity[:, 0] == 1
        kinds = [rule >= 0, rule == STANDARD, (rule == RENJU) & ~is_white, (rule == RENJU) & is_white]
        kinds = torch.stack(kinds, 1).float().view(count, 4, 1, 1)
        return torch.cat([stones, kinds.expand(count, 4, size, size)], 1)


def convolution(inputs, outputs, width):
    return nn.Conv2d(inputs, outputs, width, padding=width // 2, bias=False)


def pooled(x):
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Block(nn.Module):
    """A residual block; some add what the whole board has to say (Wu, "Accelerating Self-Play Learning
    in Go", 2019)."""

    def __init__(self, has_pool):
        super().__init__()
        self.norm1, self.norm2 = nn.BatchNorm2d(CHANNELS), nn.BatchNorm2d(CHANNELS)
        self.first, self.second = (convolution(CHANNELS, CHANNELS, 3) for _ in range(2))
        self.has_pool = has_pool
        if has_pool:
            part = CHANNELS // 3
            self.pool, self.pool_norm = convolution(CHANNELS, part, 3), nn.BatchNorm2d(part)
            self.to_all = nn.Linear(2 * part, CHANNELS, bias=False)
        nn.init.zeros_(self.second.weight)

    def forward(self, x):
        active = F.relu(self.norm1(x))
        y = self.first(active)
        if self.has_pool:
            y = y + self.to_all(pooled(F.relu(self.pool_norm(self.pool(active)))))[:, :, None, None]
        return x + self.second(F.relu(self.norm2(y)))


class Teacher(nn.Module):
    """Returns the log odds of score and result, and a number for each cell. The first two begin as
    multiples of the network's log odds."""

    def __init__(self):
        super().__init__()
        self.stem = convolution(6, CHANNELS, 5)
        self.blocks = nn.Sequential(*(Block(number % 3 == 2) for number in range(BLOCKS)))
        self.norm = nn.BatchNorm2d(CHANNELS)
        self.value, self.value_norm = convolution(CHANNELS, 32, 1), nn.BatchNorm2d(32)
        self.hidden, self.values = nn.Linear(64, 64), nn.Linear(64, 2)
        self.policy, self.policy_norm = convolution(CHANNELS, 32, 1), nn.BatchNorm2d(32)
        self.to_policy, self.moves = nn.Linear(64, 32), nn.Conv2d(32, 1, 1)
        self.scale = nn.Parameter(torch.tensor([1.0, 0.6]))
        nn.init.zeros_(self.values.weight)
        nn.init.zeros_(self.values.bias)

    def forward(self, planes, static):
        x = F.relu(self.norm(self.blocks(self.stem(planes))))
        board = pooled(F.relu(self.value_norm(self.value(x))))
        moves = self.policy_norm(self.policy(x)) + self.to_policy(board)[:, :, None, None]
        moves = self.moves(F.relu(moves)).flatten(1).float()
        is_taken = planes[:, :2].sum(1).flatten(1) > 0
        values = self.values(F.relu(self.hidden(board))).float() + static[:, None] * self.scale
        return values, moves.masked_fill(is_taken, -1e4)


def evaluate(net, planes, ids, size, symmetry):
    """Returns what the network says of positions, seen in one of the eight symmetries of the board."""
    x = planes.of(ids, size)
    turns = [(1, 3), (2, 2)]
    for bit, axis in turns:
        x = x.flip(axis) if symmetry & bit else x
    x = x.transpose(2, 3) if symmetry & 4 else x
    x = x.contiguous(memory_format=torch.channels_last)
    with torch.autocast(DEVICE.type, torch.bfloat16, enabled=HAS_BF16):
        values, moves = net(x, planes.static[ids])
    moves = moves.view(-1, size, size)
    moves = moves.transpose(1, 2) if symmetry & 4 else moves
    for bit, axis in reversed(turns):
        moves = moves.flip(axis - 1) if symmetry & bit else moves
    return values.float(), moves.reshape(len(ids), -1).float()


class Targets:
    """What is to be learned of positions, on the device."""

    def __init__(self, games):
        put = lambda column, kind: torch.from_numpy(np.ascontiguousarray(column)).to(kind).to(DEVICE)
        win_rate = 1 / (1 + np.exp(-np.clip(games.score, -3_000, 3_000) / EVAL_SCALE))
        win_rate = np.where(games.is_proof, games.score > 0, win_rate)
        is_known = (games.move != NO_CELL) & ((games.source != INNER) | (games.bound != UPPER))
        self.win_rate, self.points = put(win_rate, torch.float32), put(games.points / 2, torch.float32)
        self.bound, self.source = put(games.bound, torch.int64), put(games.source, torch.int64)
        self.move = put(np.where(is_known, games.move, -1), torch.int64)

    def losses(self, ids, values, moves):
        """Returns the losses of score, result and move, each with the weights of the positions. A bound
        teaches where it is violated; positions off the game have no result."""
        score, result = values.T
        target, bound, move = self.win_rate[ids], self.bound[ids], self.move[ids]
        guess = torch.sigmoid(score.detach())
        is_wrong = ((bound == LOWER) & (guess < target)) | ((bound == UPPER) & (guess > target))
        own = F.binary_cross_entropy(target.clamp(1e-6, 1 - 1e-6), target, reduction="none")
        by_score = F.binary_cross_entropy_with_logits(score, target, reduction="none") - own
        by_result = F.binary_cross_entropy_with_logits(result, self.points[ids], reduction="none")
        by_move = F.cross_entropy(moves, move.clamp(min=0), reduction="none")
        weights = ((bound == EXACT) | is_wrong, self.source[ids] == OWN, move >= 0)
        return [(loss, weight.float()) for loss, weight in zip((by_score, by_result, by_move), weights)]


def pick(ids, size):
    """Returns some of the positions, given as those of games and others: fewer of a large board, which
    takes more memory."""
    count = BATCH if size <= 15 else BATCH * 225 // (size * size)
    own = round(OWN_SHARE * count)
    parts = zip(ids, (own, count - own))
    return torch.cat([part[torch.randint(len(part), (n,), device=DEVICE)] for part, n in parts if len(part)])


@torch.no_grad()
def calibrate(net, planes, ids, size):
    """Sets the means and variances of the normalisation to those of one rule and size, of which the
    batches of the training consist: a mean of all would be that of none."""
    net.train()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None
    for symmetry in range(64):
        evaluate(net, planes, pick(ids, size), size, symmetry % 8)
    net.eval()


def by_source(games, ids):
    """Returns the positions of the games, and those off them, on the device."""
    is_own = games.source[ids] == OWN
    return [torch.from_numpy(ids[is_own == own]).to(DEVICE) for own in (True, False)]


def train(path, seconds, files, static, start):
    games = Games(files)
    planes, targets = Planes(games, Games(static)), Targets(games)
    pools = []
    for size, ids in games.by_kind():
        is_held_out = games.is_held_out[ids]
        held_out = torch.from_numpy(ids[is_held_out]).to(DEVICE)
        pools.append((size, by_source(games, ids[~is_held_out]), held_out))
    net = Teacher().to(DEVICE, memory_format=torch.channels_last)
    if start:
        net.load_state_dict(torch.load(start, map_location=DEVICE))
    rate = 0.0012 if start else 0.002
    groups = [[p for p in net.parameters() if (p.dim() > 1) == wide] for wide in (True, False)]
    groups = [{"params": group, "weight_decay": decay} for group, decay in zip(groups, (0.01, 0.0))]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99))
    print(f"{games.game[-1]} games, {len(games.game)} positions on {DEVICE}", flush=True)
    shares = [sum(map(len, ids)) * size * size for size, ids, _ in pools]
    begin = time.time()
    step = 0
    while (progress := (time.time() - begin) / seconds) < 1:
        cosine = 0.5 + 0.5 * math.cos(math.pi * progress)
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 200) * (0.01 + 0.99 * cosine)
        size, ids, _ = random.choices(pools, shares)[0]
        ids = pick(ids, size)
        values, moves = evaluate(net, planes, ids, size, random.randrange(8))
        score, result, move = ((loss * w).mean() for loss, w in targets.losses(ids, values, moves))
        optimizer.zero_grad(set_to_none=True)
        (2 * score + result + 0.5 * move).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        step += 1
    print(f"{step} steps")
    torch.save(net.state_dict(), path)
    for size, ids, held_out in pools:
        report(net, planes, targets, size, ids, held_out[:100_000])


@torch.no_grad()
def report(net, planes, targets, size, ids, held_out):
    """Prints the held-out losses of one rule and size."""
    calibrate(net, planes, ids, size)
    sums = np.zeros((3, 2))
    for batch in held_out.split(BATCH):
        losses = targets.losses(batch, *evaluate(net, planes, batch, size, 0))
        sums += [[float((loss * weight).sum()), float(weight.sum())] for loss, weight in losses]
    score, result, move = sums[:, 0] / sums[:, 1].clip(1)
    rule = int(planes.rule[ids[0][0]])
    print(f"rule {rule}, {size}x{size}: held out score {score:.4f}, result {result:.4f}, move {move:.4f}")


def fitted(log_odds, points):
    """Returns the weights of log odds whose sum fits the points best, and their cross entropy."""
    weights = np.full(log_odds.shape[1], 1 / log_odds.shape[1])
    for _ in range(40):
        rate = 1 / (1 + np.exp(-log_odds @ weights))
        gradient = log_odds.T @ (rate - points)
        hessian = (log_odds * (rate * (1 - rate))[:, None]).T @ log_odds
        weights = weights - np.linalg.solve(hessian, gradient)
    rate = (1 / (1 + np.exp(-log_odds @ weights))).clip(1e-9, 1 - 1e-9)
    return weights, -np.mean(points * np.log(rate) + (1 - points) * np.log(1 - rate))


@torch.no_grad()
def label(teacher, source, static, out):
    games = Games([source])
    planes = Planes(games, Games([static]))
    net = Teacher().to(DEVICE, memory_format=torch.channels_last)
    net.load_state_dict(torch.load(teacher, map_location=DEVICE))
    log_odds = np.zeros((len(games.score), 3), np.float32)
    log_odds[:, 0] = np.clip(games.score / EVAL_SCALE, -6, 6)
    for size, ids in games.by_kind():
        calibrate(net, planes, by_source(games, ids), size)
        for batch in torch.from_numpy(ids).split(4 * BATCH):
            on_device = batch.to(DEVICE)
            values = sum(evaluate(net, planes, on_device, size, symmetry)[0] for symmetry in SYMMETRIES)
            log_odds[batch.numpy(), 1:] = (values / len(SYMMETRIES)).cpu().numpy().clip(-6, 6)
    known = games.is_held_out & (games.source == OWN) & ~games.is_proof
    points = games.points[known] / 2
    own_weights, loss = fitted(log_odds[known].astype(np.float64), points)
    for name, column in zip(("search", "score", "result"), log_odds[known].astype(np.float64).T):
        print(f"cross entropy of results by {name}: {fitted(column[:, None], points)[1]:.4f}")
    print(f"by the labels: {loss:.4f}, weights {own_weights.round(2)}")
    weights = np.array([own_weights, SIDE_WEIGHTS, INNER_WEIGHTS])[games.source]
    weights[games.bound != EXACT] = BOUND_WEIGHTS
    labels = np.rint(EVAL_SCALE * (log_odds * weights).sum(1)).astype(np.int64)
    data = games.bytes
    scores = np.where(games.is_proof, games.score, labels)
    for at, plies, source, score in zip(games.offset, games.plies, games.source, scores):
        if source == OWN:
            struct.pack_into("<h", data, at, score)
            continue
        struct.pack_into("<h", data, at + 5 + 2 * int(plies), score)
        (head,) = struct.unpack_from("<H", data, at)
        struct.pack_into("<H", data, at, head | EXACT << 9)
    with open(out, "xb") as file:
        file.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train")
    training.add_argument("teacher")
    training.add_argument("seconds", type=float)
    training.add_argument("games", nargs="+")
    training.add_argument("--static", nargs="+", required=True, help="the games with static values")
    training.add_argument("--start", help="go on from this teacher")
    labelling = commands.add_parser("label")
    for name in ("teacher", "games", "static", "labelled"):
        labelling.add_argument(name)
    options = parser.parse_args()
    if options.command == "train":
        train(options.teacher, options.seconds, options.games, options.static, options.start)
    else:
        label(options.teacher, options.games, options.static, options.labelled)


if __name__ == "__main__":
    main()
