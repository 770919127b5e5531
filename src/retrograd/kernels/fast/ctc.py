"""Alignments for the CTC loss: an image at a time through all its steps."""

from __future__ import annotations

import math

import numpy as np

from .compiling import Count, Whole, kernel, scalar


@scalar
def log_add(a, b):
    """log(exp(a) + exp(b))"""
    high, low = (a, b) if a > b else (b, a)
    if low == -math.inf:
        return high
    return high + math.log1p(math.exp(low - high))


@kernel
def forward(turns, alpha, labels, lengths, log_probs: Whole, blank: Count):
    """alpha (N, T, S) from labels (N, S), lengths (N,), log_probs (T, N, C)."""
    for i in range(len(turns)):
        n, label = turns[i], labels[i]
        for t in range(alpha.shape[1]):
            row = alpha[i, t]
            row[:] = -math.inf
            for s in range(lengths[i]):
                if t == 0:
                    if s < 2:
                        row[s] = log_probs[0, n, label[s]]
                    continue
                before = alpha[i, t - 1]
                total = before[s]
                if s > 0:
                    total = log_add(total, before[s - 1])
                if s > 1 and label[s] != blank and label[s] != label[s - 2]:
                    total = log_add(total, before[s - 2])
                row[s] = total + log_probs[t, n, label[s]]


@kernel
def backward(turns, out, alpha, labels, lengths, ends, losses, log_probs: Whole, blank: Count):
    """out (N, T, C): the slopes of each image's loss."""
    beta = np.empty(labels.shape[1] + 2, alpha.dtype)
    for i in range(len(turns)):
        n, label, states = turns[i], labels[i], lengths[i]
        out[i] = 0
        beta[:] = -math.inf
        for t in range(ends[i] - 1, -1, -1):
            slope = out[i, t]
            for s in range(states):                    # upwards: what it needs is still of t + 1
                emitted = log_probs[t, n, label[s]]
                if t == ends[i] - 1:
                    total = beta.dtype.type(0 if s >= states - 2 else -math.inf)
                else:
                    total = log_add(beta[s], beta[s + 1])
                    if s + 2 < states and label[s + 2] != blank and label[s + 2] != label[s]:
                        total = log_add(total, beta[s + 2])
                beta[s] = total + emitted
                if alpha[i, t, s] != -math.inf and beta[s] != -math.inf:
                    slope[label[s]] -= math.exp(alpha[i, t, s] + beta[s] - emitted + losses[i])
            for c in range(slope.size):
                slope[c] += math.exp(log_probs[t, n, c])


def usable(log_probs, *arrays):
    return log_probs.dtype.char in "fd" and log_probs.flags.carray and log_probs.size \
        and all(a.flags.carray and a.size for a in arrays)


def ctc_alphas(log_probs, labels, lengths, blank):
    if not usable(log_probs, labels, lengths):
        return None
    n, states = labels.shape
    alpha = np.empty((n, len(log_probs), states), log_probs.dtype)
    forward(np.arange(n), alpha, labels, lengths, log_probs, blank, chunk=1)
    return alpha


def ctc_slopes(log_probs, labels, lengths, ends, losses, alpha, blank):
    if not usable(log_probs, labels, lengths, ends, losses, alpha):
        return None
    steps, n, classes = log_probs.shape
    out = np.empty((n, steps, classes), log_probs.dtype)
    backward(np.arange(n), out, alpha, labels, lengths, ends, losses, log_probs, blank, chunk=1)
    return np.ascontiguousarray(out.swapaxes(0, 1))
