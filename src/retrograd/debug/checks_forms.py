"""Checks of losses whose formula is almost right: focal, contrastive, clipped, and overlaps."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from .._callers import caller
from ..autograd.node import Node
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from . import reading
from . import source as S
from .check import Check, Pass, only
from .checks_directions import STEPS, behind_views, is_log_prob, sign_of
from .checks_goals import ERRORS, is_overlap, sums_in
from .checks_losses import UNSQUEEZED
from .checks_targets import tensors_given, without_factor
from .places import Place, place
from .reading import array_of

CLASSES = 4              # the least number of classes of a contrastive loss
NARROW = 0.5             # cosines times this, or less, are scores that hardly differ
ACTIONS = 4              # so many ratios are not all 1 by chance
TIMES = 2                # how often they have to be 1 after a step


class FocalOfMean(Check):
    """`ce = F.cross_entropy(x, y); (1 - torch.exp(-ce)) ** gamma * ce`: of the mean of a batch."""

    rests = True

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            error = focused_on(node)
            if error is not None and error in [
                    e for n in task.nodes if type(n).__name__ == "MulBackward0" for e in n.edges]:
                self.find(reading.place_of(node), "focal-of-mean", "the weight of a focal loss is "
                          "computed from the mean loss of the batch, one for all examples",
                          "it is to make easy examples count less than hard ones, each by its own "
                          "probability: like this it only changes the size of all gradients",
                          "`F.cross_entropy(..., reduction='none')` first, and the mean of the "
                          "product last")


def focused_on(node: Any) -> Node | None:
    """The mean error `e` of a factor (1 - exp(-e)) ** gamma."""
    steps = ("PowBackward0", ("RsubBackward1", "SubBackward0"), "ExpBackward0", "NegBackward0")
    for kinds in steps:
        if type(node).__name__ not in kinds or node is None:
            return None
        node = reading.only_source(node)
    several = any(s.name == "target" and s.array.size > 1 for s in reading.saved(node)
                  ) if type(node).__name__ in ERRORS else False
    return node if several and getattr(node, "_saved_reduction", 0) == 1 else None


class NarrowScores(Check):
    """cross_entropy(z1 @ z2.t() * temperature, ...): cosines are to be divided by a temperature."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        scores, target = tensors_given(args, kwargs)
        if name != "cross_entropy" or scores is None or target is None or (
                scores._data.ndim != 2 or scores._data.shape[1] < CLASSES):
            return
        node: Any = without_factor(reading.head(scores))
        factor = factor_of_cosines(node, scores._data)
        if factor is not None and 0 < factor <= NARROW:
            n = scores._data.shape[1]
            self.find(place(*caller()), "narrow-scores", "the scores are cosines times "
                      f"{factor:.2g}, none is above {factor:.2g} or below {-factor:.2g}",
                      f"the softmax of {n} such numbers is nearly even, however alike two vectors "
                      f"are: the loss begins near {np.log(n):.2f}, and cannot fall below "
                      f"{least(n, factor):.2f}",
                      "divide by the temperature: `z1 @ z2.t() / temperature`")


def least(n: int, factor: float) -> float:
    """The least cross entropy of n scores between -factor and factor."""
    return float(np.log1p((n - 1) * np.exp(-2 * factor)))


def factor_of_cosines(node: Any, scores: np.ndarray) -> float | None:
    """What the products of vectors of length 1 were multiplied by to be the scores."""
    kept = {s.name: s.array for s in reading.saved(node)} if type(
        node).__name__ == "MmBackward0" else {}
    if len(kept) != 2:
        return None
    rows, columns = kept.values()
    if not all(np.allclose((a * a).sum(axis), 1, atol=1e-3) for a, axis in (
            (rows, 1), (columns, 0))) or (len(rows), columns.shape[1]) != scores.shape:
        return None
    cosines = rows[0] @ columns
    at = int(np.abs(cosines).argmax())
    return float(scores[0, at] / cosines[at])


class ClippedWrongWay(Check):
    """`-torch.max(ratio * adv, ratio.clamp(0.8, 1.2) * adv)`: PPO maximizes the smaller one."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.choices: dict[Node, str] = {}               # of this pass
        self.found: list[tuple[Node, str, bool]] = []    # until a step follows
        self.lines: dict[str, tuple[Place, str, list[bool]]] = {}

    def before_pass(self, task: Pass) -> None:
        self.found.clear()
        self.choices = {n: name for n in task.nodes if task.fills and (name := CHOICES.get(
            type(n).__name__)) and is_clipped_pair(n)}

    def before_run(self, node: Node, g: Any) -> None:
        name = self.choices.get(node)
        sign = 0 if name is None else sign_of(g)
        if name is not None and sign:
            self.found.append((node, name, sign == (-1 if name == "max" else 1)))

    def after_pass(self, task: Pass) -> None:
        self.choices.clear()

    def on_step(self, optimizer: Optimizer, closure: Any, where: Place) -> None:
        uphill = any(group.get("maximize") for group in optimizer.param_groups)
        for node, name, wrong in self.found:
            line = reading.place_of(node)
            if line is not None:
                self.lines.setdefault(str(line), (line, name, []))[2].append(wrong != uphill)
        self.found.clear()

    def at_end(self) -> None:
        explained = any(f.kind == "wrong-sign" for f in self.doctor.report.findings)
        for where, name, wrong in () if explained else self.lines.values():
            if len(wrong) >= STEPS and all(wrong):
                other = "min" if name == "max" else "max"
                self.find(where, "clipped-wrong-way", f"torch.{name}() picks the better one of "
                          "the ratio's two products, where the worse is due",
                          "clipping is to stop steps that lead far away from the old policy; where "
                          "the better product is picked, that is the one that was not clipped, and "
                          "nothing stops them", f"torch.{other}() here: `-torch.min(ratio * "
                          "adv, clipped * adv)`, or torch.max() where both have a minus")


CHOICES = {"MaximumBackward0": "max", "MinimumBackward0": "min"}


def is_clipped_pair(node: Any) -> bool:
    """Whether a result is chosen between r * a and r.clamp(...) * a, of an r that is exp()."""
    ratios = [factor_of(e) for e in node.edges]
    for ratio, other in (ratios, ratios[::-1]):
        if type(ratio).__name__ == "ExpBackward0" and type(other).__name__.startswith(
                "ClampBackward") and other.edges[0] is ratio:
            return True
    return False


def factor_of(node: Any) -> Any:
    """The one computed factor of a product with given numbers, and of its negative."""
    while type(node).__name__ in ("MulBackward0", "NegBackward0") and (
            source := reading.only_source(node)) is not None:
        node = source
    return node


class RatioOfItself(Check):
    """`ratio = (new - old).exp()` that is 1 after a step, too: `old` is computed with `new`.

    Where backward() goes into both, the gradients cancel.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.given: int | None = None            # a print of what the last network was given
        self.lines: dict[str, list] = {}         # where, what was given, old, times

    @only(True)
    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        arrays = reading.arrays_in(self.doctor.arguments)
        self.given = reading.fingerprint(arrays[0]) if arrays else None

    @only("SubBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        new, old = (array_of(variables.get(name)) for name in ("input", "other"))
        if type(new) is type(old) is np.ndarray and (
                new.shape == old.shape and new.size >= ACTIONS and (new == old).all()
                and not np.may_share_memory(new, old)):      # log_prob - log_prob.detach() is meant
            node._even = self.given, reading.fingerprint(old)

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            even = getattr(node.edges[0], "_even", None) if type(
                node).__name__ == "ExpBackward0" else None
            if even is None:
                continue
            both = None not in node.edges[0].edges       # then it need not be the same batch
            if both and not all(map(is_log_prob, node.edges[0].edges)):
                continue
            where = reading.place_of(node)
            line = self.lines.setdefault(str(where), [where, *even, 0, both])
            again = (both or line[1] == even[0]) and line[2] != even[1]  # the same, after a step
            line[1:4] = *even, line[3] + again
            if both and line[3] == TIMES:
                self.find(where, "ratio-of-itself", "the ratio of the new probabilities to the "
                          "old ones is 1 for all actions, and its gradient is 0: backward() goes "
                          "into both", "what moves the one moves the other: the actions get no "
                          "gradient by way of this ratio, and the policy does not learn from its "
                          "rewards", "the old ones are a constant: compute them once, under "
                          "no_grad(), when the actions are drawn, and keep them with the actions")

    def at_end(self) -> None:
        for where, _, _, times, both in self.lines.values():
            if times >= TIMES and not both:
                self.find(where, "ratio-of-itself", "the ratio of the new probabilities to the "
                          "old ones is 1 for all actions, also after steps with the same batch",
                          "the old ones are computed anew each time, with the weights that the "
                          "new ones come from: nothing is ever clipped, however far the policy "
                          "moves", "compute the old ones once, under no_grad(), before the first "
                          "step with a batch")


class OverlapOfScores(Check):
    """A Dice loss of a network's bare scores: `(2 * (x * t).sum()) / (x.sum() + t.sum())`."""

    rests = True

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            if type(node).__name__ == "DivBackward0" and is_overlap(node):
                product = behind_views(next(sums_in(node.edges[0])).edges[0])
                masked = product._scores
                if masked is not None and masked.min() < 0 and masked.max() > 0:
                    self.find(reading.place_of(node), "overlap-of-scores", "the overlap with a "
                              f"mask is computed of scores from {masked.min():.3g} to "
                              f"{masked.max():.3g}", "it is a share of the two only for numbers "
                              "between 0 and 1: of scores the loss has no bound, and the largest "
                              "ones decide alone", "`torch.sigmoid(scores)` first, or softmax() "
                              "where there are several classes")

    @only("MulBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if node.edges.count(None) == 1:
            scores = array_of(variables.get("other" if node.edges[0] is None else "input"))
            node._scores = scores if isinstance(scores, np.ndarray) and scores.ndim > 1 else None


HINGES = ("ReluBackward0", "ClampBackward1", "ClampMinBackward0", "MaximumBackward0",
          "SoftplusBackward0")
DISTANT = {"SumBackward1", "MeanBackward1", "SqrtBackward0", "PowBackward0", "MulBackward0",
           "AddBackward0", "ClampBackward1", "ClampMinBackward0", *UNSQUEEZED}
LENGTHS = ("LinalgVectorNormBackward0", "NormBackward1", "CdistBackward0", "DistBackward0",
           "RsubBackward1")                      # the last one of `1 - cosine`
NEGATIVE = re.compile(r"(?<![a-z])neg(ative)?s?(?![a-z])|(?<=[a-z])Neg(ative)?", re.IGNORECASE)
POSITIVE = re.compile(r"(?<![a-z])pos(itive)?s?(?![a-z])|(?<=[a-z])Pos(itive)?", re.IGNORECASE)


class SwappedHinge(Check):
    """`F.relu(d_neg - d_pos + margin)` of distances, where `d_pos - d_neg` was meant.

    The program's own names tell which is which; of similarities the difference is right.
    """

    rests = True

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes if task.fills else ():
            inner: Any = node.edges[0] or node.edges[-1] if type(node).__name__ in HINGES else None
            while type(inner).__name__ == "AddBackward0" and None in inner.edges:      # the margin
                inner = reading.only_source(inner)
            if type(inner).__name__ != "SubBackward0" or None in inner.edges or not all(
                    is_distance(behind_margin(e)) for e in inner.edges):
                continue
            where = reading.place_of(inner)
            made, lost = named_sides(where)
            if where is not None and NEGATIVE.search(made) and POSITIVE.search(lost) and not (
                    POSITIVE.search(made) or NEGATIVE.search(lost)):
                self.find(where, "wrong-sign", f"`{made}` is made small here, and `{lost}` large",
                          "the loss is 0 only where the positive example is farther away than the "
                          "negative one: the network learns to bring unlike examples together, "
                          "and to keep like ones apart",
                          f"the other way round: `{lost} - {made} + margin` inside of the hinge")


def behind_margin(node: Any) -> Any:
    """The node of a number to which only a constant was added."""
    while type(node).__name__ == "AddBackward0" and None in node.edges:
        node = reading.only_source(node)
    return node


def is_distance(node: Any) -> bool:
    """Whether a result was made of the difference of two vectors that both have a history."""
    while type(node).__name__ in DISTANT:
        sources = {e for e in node.edges if e is not None}
        if len(sources) != 1:                    # the sum of two products: no distance
            return False
        node = sources.pop()
        if type(node).__name__ == "SubBackward0":
            return None not in node.edges
    return type(node).__name__ in LENGTHS


def named_sides(where: Place | None) -> tuple[str, str]:
    """The two expressions whose difference a line computes, `a` and `b` of `a - b + margin`."""
    source = None if where is None else S.read(where.file)
    line = None if source is None or where is None else S.statement_at(source, where)
    found = [n for n in ast.walk(line) if isinstance(n, ast.BinOp)
             and isinstance(n.op, ast.Sub)] if line is not None else []
    if len(found) > 1 and where is not None:
        found = [n for n in found if (n.col_offset, n.end_col_offset) == where.columns]
    if not found:
        return "", ""
    left = found[0].left
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):      # the margin
        constant = isinstance(left.left, ast.Constant) or "margin" in ast.unparse(left.left)
        left = left.right if constant else left.left
    return ast.unparse(left), ast.unparse(found[0].right)


class SwappedPair(Check):
    """`-F.logsigmoid(neg_score - pos_score)`, or `F.logsigmoid(neg)` made large beside `pos`.

    The program's own names tell which is which; of distances the difference is right.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.pairs: dict[Node, tuple[Place, str, str]] = {}      # of this pass

    def before_pass(self, task: Pass) -> None:
        self.pairs = {}
        for node in task.nodes if task.fills else ():
            if type(node).__name__ not in ("LogSigmoidBackward0", "SoftplusBackward0"):
                continue
            inner, where = behind_views(node.edges[0]), reading.place_of(node)
            if type(inner).__name__ == "SubBackward0" and None not in inner.edges:
                at = reading.place_of(inner)
                sides = named_sides(at) if at is not None else ("", "")
                if not any(map(is_distance, inner.edges)):
                    self.pairs[node] = at or where, *sides           # type: ignore[assignment]
            elif where is not None and type(inner).__name__ not in ("NegBackward0", "MulBackward0"):
                self.pairs[node] = where, argument_of(where), ""

    @only("LogSigmoidBackward0", "SoftplusBackward0")
    def before_run(self, node: Node, g: Any) -> None:
        where, made, lost = self.pairs.get(node, (None, "", ""))
        if sign_of(g) == 1:
            made, lost = lost, made              # of a single one nothing is made large then
        wrong = sign_of(g) and NEGATIVE.search(made) and not POSITIVE.search(made) and (
            POSITIVE.search(lost) or not lost and names_both(where)) and not NEGATIVE.search(lost)
        if where is not None and wrong and "dist" not in made:
            self.find(where, "wrong-sign", f"`{made}` is made large here"
                      + (f", and `{lost}` small" if lost else ""), "the more alike a pair is, the "
                      "larger should be its score: pairs that do not belong together are moved "
                      "closer", f"the other way round: `F.logsigmoid({lost} - {made})`" if lost else
                      f"with a minus: `F.logsigmoid(-{made})`")


def names_both(where: Place | None) -> bool:
    """Whether the file of a place has a name for positive pairs, too."""
    source = None if where is None else S.read(where.file)
    return source is not None and any(
        POSITIVE.search(getattr(n, "id", "") or getattr(n, "attr", "")) for n in source.nodes)


def argument_of(where: Place) -> str:
    """The text of what the function is given that is called at a place."""
    source = S.read(where.file)
    line = None if source is None else S.statement_at(source, where)
    call = next((n for n in ast.walk(line) if isinstance(n, ast.Call) and (
        n.col_offset, n.end_col_offset) == where.columns), None) if line is not None else None
    if call is None:
        return ""
    own = isinstance(call.func, ast.Attribute) and not S.dotted(call.func).startswith(
        ("torch.", "F.", "nn."))
    given = call.func.value if own else next(iter(call.args), None)      # type: ignore[attr-defined]
    return ast.unparse(given) if given is not None else ""


CHECKS = (FocalOfMean, NarrowScores, ClippedWrongWay, RatioOfItself, OverlapOfScores, SwappedHinge,
          SwappedPair)
