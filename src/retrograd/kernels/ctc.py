"""Connectionist temporal classification (Graves et al. 2006)."""

from __future__ import annotations

import numpy as np

from . import fast
from .checks import as_intp
from .half import check_single


def ctc_loss_forward(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """-log of the probability of all alignments: (T, N, C) -> losses (N,), log alpha."""
    check_single("ctc_loss_cpu", log_probs.dtype)
    labels, lengths = extended_targets(targets, target_lengths, blank)
    alpha = _alphas(log_probs, labels, lengths, blank)
    losses = np.empty(len(labels), log_probs.dtype)
    for i in range(len(labels)):
        losses[i] = -_final(alpha[i], input_lengths[i], lengths[i])
    if zero_infinity:
        losses[np.isinf(losses)] = 0
    return losses, alpha


def ctc_alphas(log_probs, labels, lengths, blank):
    """log of the probability of all ways to each state at each step: (N, T, 2S+1)."""
    n, states = labels.shape
    steps = log_probs.shape[0]
    alpha = np.full((n, steps, states), -np.inf, log_probs.dtype)
    emitted = log_probs[:, np.arange(n)[:, None], labels]  # (T, N, 2S+1)
    reachable = np.arange(states) < lengths[:, None]
    skip = _may_skip(labels, blank)
    if steps:
        alpha[:, 0, :2] = np.where(reachable[:, :2], emitted[0, :, :2], -np.inf)
    with np.errstate(invalid="ignore"):
        for t in range(1, steps):
            before = alpha[:, t - 1]
            total = np.logaddexp(before, _shifted(before, 1))
            total = np.logaddexp(total, np.where(skip, _shifted(before, 2), -np.inf))
            alpha[:, t] = np.where(reachable, total + emitted[t], -np.inf)
    return alpha


def ctc_loss_backward(
    g, log_probs, targets, losses, alpha, input_lengths, target_lengths, blank, zero_infinity
):
    """Gradient of `ctc_loss_forward` with respect to log_probs."""
    labels, lengths = extended_targets(targets, target_lengths, blank)
    ends = np.asarray(input_lengths, np.int64)
    out = _slopes(log_probs, labels, lengths, ends, losses, alpha, blank)
    out *= g[:, None]
    if zero_infinity:
        out[:, np.isinf([-_final(alpha[i], ends[i], lengths[i]) for i in range(len(ends))])] = 0
    return out


def ctc_slopes(log_probs, labels, lengths, ends, losses, alpha, blank):
    """The gradients of the losses, each of its own image: (T, N, C)."""
    n, states = labels.shape
    steps, _, classes = log_probs.shape
    images = np.arange(n)[:, None]
    emitted = log_probs[:, images, labels]
    skip = _shifted(_may_skip(labels, blank), -2, False)
    last = (np.arange(states) >= lengths[:, None] - 2) & (np.arange(states) < lengths[:, None])
    beta = np.full((n, states), -np.inf, log_probs.dtype)
    out = np.zeros((steps, n, classes), log_probs.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        for t in range(steps - 1, -1, -1):
            total = np.logaddexp(beta, _shifted(beta, -1))
            total = np.logaddexp(total, np.where(skip, _shifted(beta, -2), -np.inf))
            total = np.where((ends - 1 == t)[:, None], np.where(last, 0, -np.inf), total)
            beta = np.where((t < ends)[:, None], total + emitted[t], -np.inf)
            shares = np.exp(alpha[:, t] + beta - emitted[t] + losses[:, None])
            shares = np.where(np.isneginf(alpha[:, t]) | np.isneginf(beta), 0, shares)
            flat = (images * classes + labels).ravel()
            sums = np.bincount(as_intp(flat), shares.ravel(), n * classes).reshape(n, classes)
            out[t] = np.where((t < ends)[:, None], np.exp(log_probs[t]) - sums, 0)
    return out


_alphas = fast.either("ctc_alphas", ctc_alphas)
_slopes = fast.either("ctc_slopes", ctc_slopes)


def extended_targets(targets, target_lengths, blank):
    """Labels with blanks around them, (N, 2S+1), and how many of each row count."""
    sizes = np.asarray(target_lengths, np.int64)
    longest = int(sizes.max(initial=0))
    labels = np.full((sizes.size, 2 * longest + 1), blank, np.int64)
    start = 0
    for i, size in enumerate(sizes):
        row = targets[start : start + size] if targets.ndim == 1 else targets[i, :size]
        labels[i, 1 : 2 * size : 2] = row
        start += size
    return labels, 2 * sizes + 1


def _may_skip(labels, blank):
    """Whether a label may directly follow the label before its blank."""
    skip = np.zeros(labels.shape, bool)
    skip[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return skip


def _shifted(a, by, fill=-np.inf):
    out = np.full_like(a, fill)
    if by > 0:
        out[:, by:] = a[:, :-by]
    else:
        out[:, :by] = a[:, -by:]
    return out


def _final(alpha, steps, length):
    """log of the probability at the last step of an image."""
    if steps == 0:
        return 0.0 if length == 1 else -np.inf
    ends = alpha[steps - 1, max(length - 2, 0) : length]
    return np.logaddexp.reduce(ends)
