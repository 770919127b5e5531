"""Line search for a step under the strong Wolfe conditions (Nocedal and Wright, 2006, 3.5, 3.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._tensor import Tensor


class _Point(NamedTuple):
    """A step length with the loss, the gradient and the slope there."""

    t: Any
    loss: float
    g: Tensor
    slope: Any


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Tensor]],
    t: Any,
    d: Tensor,
    loss: float,
    g: Tensor,
    slope: Any,
    *,
    max_evaluations: int,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
) -> tuple[float, Tensor, Any, int]:
    """Find t with loss(t) <= loss + c1 t slope and \\|slope(t)\\| <= -c2 slope.

    Args:
        evaluate: step length to loss and gradient.
        t: first step length to try.
        d: direction.
        loss, g, slope: at step length 0.
        max_evaluations: bound of the search.

    Returns:
        Loss, gradient and step length found, and the number of evaluations.
    """
    start = _Point(0, loss, g.clone(), slope)

    def at(t: Any) -> _Point:
        loss, g = evaluate(t)
        return _Point(t, loss, g, g.dot(d))

    def too_high(point: _Point, bound: float) -> bool:
        return point.loss > loss + c1 * point.t * slope or point.loss >= bound

    def flat(point: _Point) -> bool:
        return abs(point.slope) <= -c2 * slope

    # Bracket: go on until a minimum lies between the last two points.
    previous, point = start, at(t)
    evaluations, tries = 1, 0
    bracket = None
    while tries < max_evaluations:
        bound = previous.loss if tries > 1 else float("inf")
        if too_high(point, bound):
            bracket = [previous, point]
            break
        if flat(point):
            return point.loss, point.g, point.t, evaluations
        if point.slope >= 0:
            bracket = [previous, point]
            break
        near, far = point.t + 0.01 * (point.t - previous.t), point.t * 10
        t = _cubic_minimum(previous, point, (near, far))
        previous, point = point, at(t)
        evaluations += 1
        tries += 1
    if bracket is None:
        bracket = [start, point]

    # Zoom: shrink the bracket around a point that satisfies both conditions.
    d_norm = d.abs().max()
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    stalled = False
    while tries < max_evaluations:
        ends = [bracket[0].t, bracket[1].t]
        if abs(ends[1] - ends[0]) * d_norm < tolerance_change:
            break
        t, stalled = _inside(_cubic_minimum(*bracket), min(ends), max(ends), stalled)
        point = at(t)
        evaluations += 1
        tries += 1
        if too_high(point, bracket[low].loss):
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        done = flat(point)
        if not done and point.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
        if done:
            break
    best = bracket[low]
    return best.loss, best.g, best.t, evaluations


def _inside(t: Any, left: Any, right: Any, stalled: bool) -> tuple[Any, bool]:
    """Keep t off the ends of the bracket where the last try was at an end too."""
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if not (stalled or t >= right or t <= left):
        return t, True
    return (right - margin if abs(t - right) < abs(t - left) else left + margin), False


def _cubic_minimum(a: _Point, b: _Point, bounds: tuple | None = None) -> Any:
    """Minimum of the cubic through two points with their slopes, within the bounds (or a, b)."""
    low, high = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if a.t <= b.t:
        t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        t = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(t, low), high)
