"""Connectionist temporal classification (Graves et al. 2006)."""

from __future__ import annotations

import numpy as np

from . import fast
from .checks import as_intp
from .half import check_single


def ctc_loss_forward(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """-log of the probability of all alignments: (T, N, C) -> losses (N,), log alpha."""
    check_single("ctc_loss_cpu", log_probs.dtype)
    labels, lengths = extended_targets(targets, target_lengths, blank, log_probs.shape[2])
    alpha = _alphas(log_probs, labels, lengths, blank)
    losses = -_final(alpha, np.asarray(input_lengths, np.int64), lengths)
    if zero_infinity:
        losses[np.isinf(losses)] = 0
    return losses, alpha


def ctc_alphas(log_probs, labels, lengths, blank):
    """log of the probability of all ways to each state at each step: (N, T, 2S+1)."""
    n, states = labels.shape
    steps = log_probs.shape[0]
    emitted, skips = _emitted(log_probs, labels, lengths), _skips(labels, blank)
    alpha = np.full((n, steps, states), -np.inf, log_probs.dtype)
    before = np.full((n, states + 2), -np.inf, log_probs.dtype)
    for t in range(steps):
        row = alpha[:, t]
        if t == 0:
            row[:, :2] = emitted[0, :, :2]
        else:
            np.logaddexp(before[:, 2:], before[:, 1:-1], row)
            np.logaddexp(row, before[:, :-2] + skips[:, :-2], row)
            row += emitted[t]
        before[:, 2:] = row
    return alpha


def ctc_loss_backward(
    g, log_probs, targets, losses, alpha, input_lengths, target_lengths, blank, zero_infinity
):
    """Gradient of `ctc_loss_forward` with respect to log_probs."""
    labels, lengths = extended_targets(targets, target_lengths, blank, log_probs.shape[2])
    ends = np.asarray(input_lengths, np.int64)
    out = _slopes(log_probs, labels, lengths, ends, losses, alpha, blank)
    out *= g[:, None]
    infinite = np.isinf(_final(alpha, ends, lengths))
    if zero_infinity:
        out[:, infinite] = 0
    elif infinite.any():                                      # inf - inf in PyTorch's formula
        out[(np.arange(len(out))[:, None] < ends) & infinite] = np.nan
    return out


def ctc_slopes(log_probs, labels, lengths, ends, losses, alpha, blank):
    """The gradients of the losses, each of its own image: (T, N, C)."""
    n, states = labels.shape
    steps, _, classes = log_probs.shape
    emitted, skips = _emitted(log_probs, labels, lengths), _skips(labels, blank)
    place = np.arange(states) - lengths[:, None]
    at_end = np.where((place >= -2) & (place < 0), 0, -np.inf)
    after = np.full((n, states + 2), -np.inf, log_probs.dtype)
    onward = np.empty_like(emitted)               # log of the probability of all ways from there on
    for t in range(steps - 1, -1, -1):
        row = onward[t]
        np.logaddexp(after[:, :-2], after[:, 1:-1], row)
        np.logaddexp(row, after[:, 2:] + skips[:, 2:], row)
        np.copyto(row, at_end, where=(ends == t + 1)[:, None])
        after[:, :-2] = row + emitted[t]
    alpha = alpha.swapaxes(0, 1)
    with np.errstate(invalid="ignore", over="ignore"):      # an infinite loss
        shares = np.exp(alpha + onward + losses[:, None])
    shares[np.isneginf(alpha) | np.isneginf(onward + emitted)] = 0
    places = np.arange(steps * n).reshape(steps, n, 1) * classes + labels
    sums = np.bincount(as_intp(places.ravel()), shares.ravel(), log_probs.size)
    out = np.exp(log_probs)
    out -= sums.reshape(out.shape)
    out[np.arange(steps)[:, None] >= ends] = 0
    return out


_alphas = fast.either("ctc_alphas", ctc_alphas)
_slopes = fast.either("ctc_slopes", ctc_slopes)


def extended_targets(targets, target_lengths, blank, classes):
    """Labels with blanks around them, (N, 2S+1), and how many of each row count.

    Raises IndexError where a label is no class; compiled kernels would read beyond the memory.
    """
    sizes = np.asarray(target_lengths, np.int64)
    longest = int(sizes.max(initial=0))
    labels = np.full((sizes.size, 2 * longest + 1), blank, np.int64)
    there = np.arange(longest) < sizes[:, None]
    labels[:, 1::2][there] = targets if targets.ndim == 1 else targets[:, :longest][there]
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise IndexError(f"Target {wrong} is out of bounds.\n\nThere are {classes} classes, so the "
                         f"targets must be 0 to {classes - 1}.")
    return labels, 2 * sizes + 1


def _emitted(log_probs, labels, lengths):
    """The log-probability of each state's label at each step: (T, N, 2S+1)."""
    n, states = labels.shape
    emitted = log_probs[:, np.arange(n)[:, None], labels]
    emitted[:, np.arange(states) >= lengths[:, None]] = -np.inf
    return emitted


def _skips(labels, blank):
    """0 where a label may directly follow the label before its blank, else -inf; (N, 2S+3)."""
    n, states = labels.shape
    skips = np.full((n, states + 2), -np.inf)
    skips[:, 2:states][(labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])] = 0
    return skips


def _final(alpha, steps, lengths):
    """log of the probability at the last step of each image."""
    if not alpha.shape[1]:
        return np.where(lengths == 1, 0, -np.inf).astype(alpha.dtype)
    images = np.arange(len(lengths))
    last = alpha[images, steps - 1, lengths - 1]
    before = alpha[images, steps - 1, np.maximum(lengths - 2, 0)]
    total = np.logaddexp(last, np.where(lengths > 1, before, -np.inf))
    return np.where(steps > 0, total, np.where(lengths == 1, 0, -np.inf)).astype(alpha.dtype)
