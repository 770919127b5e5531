"""Alignments for the CTC loss: an image at a time through all its steps."""

from __future__ import annotations

import numpy as np

from .compiling import Count, Whole, kernel, scalar
from .scalar import ZERO, choose, exp, f32, softplus

NOTHING = f32(-np.inf)       # the logarithm of 0


@scalar
def log_add(a, b):
    """log(exp(a) + exp(b)) = max(a, b) + log(1 + exp(-|a - b|))"""
    high, low = choose(a > b, a, b), choose(a > b, b, a)
    return high + softplus(choose(low == NOTHING, low, low - high))


@scalar
def skips(label, blank, out):
    """0 where a label may directly follow the label before its blank, else -inf."""
    out[:] = NOTHING
    for s in range(2, label.size):
        if label[s] != blank and label[s] != label[s - 2]:
            out[s] = 0


@kernel
def forward(turns, alpha, labels, lengths, log_probs: Whole, blank: Count):
    """alpha (N, T, S) from labels (N, S), lengths (N,), log_probs (T, N, C)."""
    size = labels.shape[1]
    may, emitted, before = (np.empty(size + 2, alpha.dtype), np.empty(size, alpha.dtype),
                            np.empty(size + 2, alpha.dtype))
    for i in range(len(turns)):
        n, label, states = turns[i], labels[i], lengths[i]
        skips(label, blank, may)
        before[:] = NOTHING
        for t in range(alpha.shape[1]):
            row = alpha[i, t]
            row[:] = NOTHING
            for s in range(states if t else min(states, 2)):
                emitted[s] = log_probs[t, n, label[s]]
            if t == 0:
                for s in range(min(states, 2)):
                    row[s] = emitted[s]
            else:
                for s in range(states):
                    two = log_add(before[s + 2], before[s + 1])
                    row[s] = log_add(two, before[s] + may[s]) + emitted[s]
            for s in range(states):
                before[s + 2] = row[s]


@kernel
def backward(turns, out, alpha, labels, lengths, ends, losses, log_probs: Whole, blank: Count):
    """out (N, T, C): the slopes of each image's loss."""
    size = labels.shape[1]
    may, emitted, after, onward = (np.empty(size + 2, alpha.dtype), np.empty(size, alpha.dtype),
                                   np.empty(size + 2, alpha.dtype), np.empty(size, alpha.dtype))
    for i in range(len(turns)):
        n, label, states = turns[i], labels[i], lengths[i]
        skips(label, blank, may)
        may[states:] = after[:] = NOTHING
        out[i, ends[i]:] = 0
        for t in range(ends[i] - 1, -1, -1):
            slope, reached = out[i, t], alpha[i, t]
            for s in range(states):
                emitted[s] = log_probs[t, n, label[s]]
            for s in range(states):
                two = log_add(after[s], after[s + 1])
                onward[s] = log_add(two, after[s + 2] + may[s + 2])
            if t == ends[i] - 1:
                for s in range(max(states - 2, 0), states):
                    onward[s] = 0
            for s in range(states):
                after[s] = onward[s] + emitted[s]
                never = (reached[s] == NOTHING) | (after[s] == NOTHING)
                onward[s] = choose(never, ZERO, exp(reached[s] + onward[s] + losses[i]))
            for c in range(slope.size):
                slope[c] = exp(log_probs[t, n, c])
            for s in range(states):
                slope[label[s]] -= onward[s]


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
