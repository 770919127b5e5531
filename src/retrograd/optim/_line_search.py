"""Line search for a step under the strong Wolfe conditions (Nocedal and Wright, 2006, 3.5, 3.6).

Libraries import both functions from `torch.optim.lbfgs`, by names that begin with `_`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._tensor import Tensor


class _Point(NamedTuple):
    """A step length with the loss, the gradient and the slope there."""

    t: Any
    loss: float
    slope: Any
    g: Tensor


def strong_wolfe(
    obj_func: Callable[[Any, Any, Tensor], tuple[float, Tensor]],
    x: Any,
    t: Any,
    d: Tensor,
    f: float,
    g: Tensor,
    gtd: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, Any, int]:
    """Find t with f(t) <= f + c1 t gtd and \\|slope(t)\\| <= -c2 gtd.

    Args:
        obj_func: `(x, t, d)` to loss and gradient at x + t d.
        x: where the search starts; only `obj_func` looks at it.
        t: first step length to try.
        d: direction.
        f, g, gtd: loss, gradient and slope at step length 0.
        max_ls: bound of the evaluations after the first.

    Returns:
        Loss, gradient and step length found, and the number of evaluations.
    """
    search = _Search(obj_func, x, d, _Point(0, f, gtd, g.clone()), c1, c2, max_ls)
    points = search.bracket(t)
    best = points[0] if len(points) == 1 else search.zoom(points, tolerance_change)
    return best.loss, best.g, best.t, search.evaluations


class _Search:
    """A search from `start` along d, and the two conditions that a point must meet."""

    def __init__(self, obj_func: Callable, x: Any, d: Tensor, start: _Point, c1: float, c2: float,
                 max_ls: int) -> None:
        self.obj_func, self.x, self.d, self.start = obj_func, x, d, start
        self.c1, self.c2, self.max_ls = c1, c2, max_ls
        self.evaluations = 0

    def at(self, t: Any) -> _Point:
        self.evaluations += 1
        loss, g = self.obj_func(self.x, t, self.d)
        return _Point(t, loss, g.dot(self.d), g.clone())

    def too_high(self, point: _Point, bound: float) -> bool:
        start = self.start
        return point.loss > start.loss + self.c1 * point.t * start.slope or point.loss >= bound

    def flat(self, point: _Point) -> bool:
        return abs(point.slope) <= -self.c2 * self.start.slope

    def bracket(self, t: Any) -> list[_Point]:
        """Two points with a minimum between them, going on from t; or one that will do."""
        previous, point = self.start, self.at(t)
        while self.evaluations <= self.max_ls:
            bound = previous.loss if self.evaluations > 2 else float("inf")
            if self.too_high(point, bound):
                return [previous, point]
            if self.flat(point):
                return [point]
            if point.slope >= 0:
                return [previous, point]
            near, far = point.t + 0.01 * (point.t - previous.t), point.t * 10
            t = cubic_interpolate(*previous[:3], *point[:3], bounds=(near, far))
            previous, point = point, self.at(t)
        return [self.start, point]

    def zoom(self, bracket: list[_Point], tolerance_change: float) -> _Point:
        """The lower end of the bracket, shrunk around a point that meets both conditions."""
        d_norm = self.d.abs().max()
        low, high = _by_loss(bracket)
        stalled = False
        while self.evaluations <= self.max_ls:
            ends = [bracket[0].t, bracket[1].t]
            if abs(ends[1] - ends[0]) * d_norm < tolerance_change:
                break
            t = cubic_interpolate(*bracket[0][:3], *bracket[1][:3])
            t, stalled = _inside(t, min(ends), max(ends), stalled)
            point = self.at(t)
            if self.too_high(point, bracket[low].loss):
                bracket[high] = point
                low, high = _by_loss(bracket)
                continue
            done = self.flat(point)
            if not done and point.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
            if done:
                break
        return bracket[low]


def _by_loss(bracket: list[_Point]) -> tuple[int, int]:
    """Which of the two points is the lower one, and which the higher."""
    return (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)


def _inside(t: Any, left: Any, right: Any, stalled: bool) -> tuple[Any, bool]:
    """Keep t off the ends of the bracket where the last try was at an end too."""
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if not (stalled or t >= right or t <= left):
        return t, True
    return (right - margin if abs(t - right) < abs(t - left) else left + margin), False


def cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    """Minimum within the bounds, or x1 and x2, of the cubic with values f and slopes g there."""
    low, high = bounds or ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        t = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        t = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(t, low), high)
