"""Checks of dimensions: positions, masks and states along the batch or the time, or mixed."""

from __future__ import annotations

import ast
from collections import Counter, deque
from types import CodeType
from typing import Any

import numpy as np

from .._callers import caller
from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..nn.modules._attention import MultiheadAttention
from ..nn.modules.module import Module
from ..nn.modules.rnn import RNNBase
from ..nn.modules.sparse import Embedding
from . import breaks, reading
from . import source as S
from .check import Check, Pass, only
from .checks_dimensions import MOVES_NOTHING
from .checks_scores import VIEWS
from .checks_sequences import TURNS, in_two_orders, layer_of
from .places import Place, place, user_frames
from .programs import called_name, env_of

SCALED = ("DivBackward0", "MulBackward0", "TBackward0", "MaskedFillBackward0")
WHOLE = -1               # in place of a dimension: all numbers together
TABLES = 8               # the most tables of tokens that are remembered
ON_THE_WAY = 4           # nodes between a sum with positions and the layer: dropout, a norm
SIDEWAYS = ("mean", "sum", "max", "amax", "min", "amin", "std", "norm", "logsumexp")


class HalfOfBidirectional(Check):
    """out[:, -1] of a bidirectional layer: its backward direction has read only one step there."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.called = False                      # a bidirectional layer was

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if isinstance(module, RNNBase) and isinstance(result, tuple):
            out, states = result[0], result[1][0] if isinstance(result[1], tuple) else result[1]
            if module.bidirectional and getattr(out, "grad_fn", None) is not None and (
                    isinstance(out, Tensor)) and out.ndim == 3:
                out.grad_fn._bidirectional = 1 if module.batch_first else 0
                self.called = True
            if getattr(states, "grad_fn", None) is not None and states.ndim == 3:
                states.grad_fn._states = type(module).__name__, tuple(states._data.shape)

    def before_pass(self, task: Pass) -> None:
        chosen = [n for n in task.nodes if type(n).__name__ == "SelectBackward0"
                  and hasattr(n.edges[0], "_bidirectional")] if self.called else ()
        for node in chosen:
            self.look_at(node, {type(n).__name__ for n in task.nodes if node in n.edges})

    def look_at(self, node: Any, users: set[str]) -> None:
        dim, sizes = node.edges[0]._bidirectional, tuple(node._saved_self_sym_sizes)
        if node._saved_dim == dim and node._saved_index == sizes[dim] - 1 > 0 and users and (
                "SliceBackward0" not in users):
            self.find(reading.place_of(node), "half-of-bidirectional", "this takes the last of "
                      f"{sizes[dim]} steps of both directions", "the layer that reads backwards "
                      "begins there: its half of the result has seen the last step and nothing "
                      "else", "the states at the end of each way: `torch.cat([h_n[-2], h_n[-1]], "
                      "dim=1)`, of `out, (h_n, c_n) = lstm(x)` or `out, h_n = gru(x)`")

    @only(*VIEWS)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        states: Any = getattr(node.edges[0], "_states", ("", ()))
        kind, sizes = states
        shape = np.shape(reading.array_of(variables.get("res")))
        if kind and sizes[0] > 1 < sizes[1] and len(shape) == 2 and shape[0] == sizes[1]:
            ways, batch, size = sizes
            self.find(reading.place_of(node), "mixed-dimensions", f"the states {sizes} of nn.{kind}"
                      f" become {shape}: the rows are not those of the {batch} examples",
                      f"the first dimension counts layers and directions, {ways} here, and view() "
                      "cuts the numbers in the order of memory: each row gets states of several "
                      "examples", f"`h_n.transpose(0, 1).reshape({batch}, -1)`, or "
                      "`torch.cat([h_n[-2], h_n[-1]], dim=1)` for the two directions of the last "
                      "layer")


class PositionsOfBatch(Check):
    """`x + pe[:x.size(0)]` of a table (L, 1, C) before a layer with batch_first=True."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.added = False                       # rows of such a table were

    @only("AddBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        several = variables.get("input"), variables.get("other")
        for t, table in (several, several[::-1]):
            if not isinstance(t, Tensor) or not isinstance(table, Tensor) or (
                    table._base is None or t._data.ndim != 3 or table._data.ndim != 3):
                continue
            shape, rows, whole = t._data.shape, table._data.shape, table._base._data.shape
            for axis in (0, 1):
                if (len(whole) == 3 and rows[1 - axis] == 1 < shape[1 - axis]
                        and rows[axis] == shape[axis] > 1 and whole[axis] > rows[axis]
                        and whole[1 - axis] == 1 and table._base.is_leaf):
                    node._positions = axis, shape[axis]
                    self.added = True

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if not self.added:
            return
        made, layer = layer_of(module)
        first: Any = next(iter(self.doctor.arguments), None) if layer is not None else None
        node = getattr(first, "grad_fn", None)
        for _ in range(ON_THE_WAY):
            if node is None or hasattr(node, "_positions"):
                break
            node = node.edges[0] if node.edges else None
        axis, batch = getattr(node, "_positions", (None, 0))
        if axis is not None and node is not None and axis == (0 if layer.batch_first else 1):
            made = next(m for m in (*self.doctor.calling, made) if layer_of(m)[1] is not None)
            del node._positions                  # which the layers around this one would tell of
            self.find(reading.place_of(node), "positions-of-batch", f"this adds a row of the table "
                      f"of positions to each of {batch} examples, the same at all steps",
                      f"nn.{type(made).__name__} "
                      + ("was made with batch_first=True: dimension 0" if layer.batch_first else
                         "reads (time, batch, features): dimension 1") + " of its input counts the "
                      "examples, and it is told nothing of the order of the steps",
                      "`pe[:x.size(1)].transpose(0, 1)` for a table of shape (L, 1, C)"
                      if axis == 0 else "`pe[:, :x.size(0)].transpose(0, 1)` for a table of shape "
                      "(1, L, C)")


class InvertedMask(Check):
    """key_padding_mask=(tokens != 0), which leaves out the tokens and keeps the padding."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.tokens: deque[np.ndarray] = deque(maxlen=TABLES)

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if isinstance(module, Embedding):
            tokens = reading.array_of(next(iter(self.doctor.arguments), None))
            if type(tokens) is np.ndarray and tokens.ndim == 2:
                self.tokens.append(tokens)
        elif isinstance(module, MultiheadAttention):
            mask = reading.array_of(self.doctor.keywords.get("key_padding_mask"))
            if type(mask) is np.ndarray and mask.ndim == 2:
                left_out = mask if mask.dtype.kind == "b" else mask == -np.inf
                self.compare(left_out)

    def compare(self, left_out: np.ndarray) -> None:
        for tokens in reversed(self.tokens):
            mask = left_out if tokens.shape == left_out.shape else left_out.T
            if tokens.shape != mask.shape:
                continue
            kept = np.unique(tokens[~mask])
            hidden = tokens[mask]
            if len(kept) == 1 and kept[0] not in hidden and len(np.unique(hidden)) > 2 and (
                    (~mask).sum() > 1):
                self.find(place(*caller()), "inverted-mask", f"the mask leaves out {hidden.size} "
                          f"tokens, and keeps {tokens.size - hidden.size} that are all "
                          f"{kept[0]}, as padding is", "in a key_padding_mask True means that a "
                          "key is left out: attention sees the padding and nothing else",
                          f"the other way round: `tokens == {kept[0]}`, or `~mask`")
            return


class PixelsOfSample(Check):
    """`torch.from_numpy(image).reshape(3, H, W)` of an image (H, W, 3), in a dataset."""

    rests = True

    def on_samples(self, dataset: Any, samples: Any) -> None:
        for t in reading.tensors_in(samples[0]) if isinstance(samples, list) and samples else ():
            shape, base = t._data.shape, t._base
            old = base._data.shape[-3:] if base is not None else ()
            if len(shape) == 3 and shape[0] in (3, 4) and old == (*shape[1:], shape[0]) and (
                    min(shape[1:]) > 4 and t._data.flags.c_contiguous
                    and base._data.flags.c_contiguous):                  # type: ignore[union-attr]
                code = getattr(type(dataset).__getitem__, "__code__", None)
                where = None if code is None else reshaped_in(code)
                self.find(where, "mixed-dimensions", f"an image {old} is given the shape {shape}",
                          MOVES_NOTHING, "let the dimensions change places: `.permute(2, 0, 1)`")


def reshaped_in(code: CodeType) -> Place | None:
    """The last line of a function that calls view() or reshape()."""
    source = S.read(code.co_filename)
    calls = [n for n in S.inside(source.scope(code)) if isinstance(n, ast.Call)
             and called_name(n) in ("view", "reshape")] if source is not None else []
    last = max(calls, key=lambda n: n.lineno, default=None)
    return source.place(S.statement(last)) if source is not None and last is not None else None


class NormalizedOverBatch(Check):
    """F.normalize(z, dim=0) before z @ z.t(), which multiplies one example with another."""

    rests = True

    def before_pass(self, task: Pass) -> None:
        for node in task.nodes:
            factors = factors_of(node) if type(node).__name__ == "MmBackward0" else ()
            lengths = [length_along(factor) for factor, _ in factors]
            for (factor, dim), along in zip(factors, lengths, strict=True):
                if None not in lengths and along != dim and (
                        along != WHOLE or are_scores(node, task.nodes)):
                    self.find(reading.place_of(factor), "normalized-over-batch",
                              "this divides by the length of all numbers together, and the "
                              "product that follows takes each row for a vector of length 1"
                              if along == WHOLE else
                              f"this divides by lengths along dimension {along}, and the product "
                              f"that follows sums over dimension {dim}",
                              "the rows get shorter, the more there are in a batch: the products "
                              "are no cosines" if along == WHOLE else
                              "each column over the examples of the batch gets length 1, not each "
                              "example: the products are no cosines, and change with the batch",
                              f"`z.norm(dim={dim}, keepdim=True)`, or `F.normalize(z, dim={dim})`"
                              if along == WHOLE else f"`dim={dim}`")
                    return


def factors_of(product: Any) -> list[tuple[Any, int]]:
    """The nodes that computed two matrices, and the dimensions that their product sums over."""
    turned = [type(factor).__name__ in TURNS for factor in product.edges]
    return [(without_scale(factor.edges[0] if turn else factor), 1 - dim if turn else dim)
            for factor, dim, turn in zip(product.edges, (1, 0), turned, strict=True)]


def without_scale(node: Any) -> Any:
    """The quotient that a temperature, or its exponential, was multiplied with."""
    parts = node.edges if type(node).__name__ == "MulBackward0" else ()
    return next((e for e in parts if length_along(e) is not None), node)


def length_along(quotient: Any) -> int | None:
    """The dimension of (N, D) along which the norms were taken that divide a result, or WHOLE."""
    length: Any = None
    if type(quotient).__name__ == "DivBackward0" and not hasattr(quotient.edges[0], "variable"):
        length = quotient.edges[1]
    while type(length).__name__ in ("ExpandBackward0", "ClampMinBackward0", "ClampBackward1",
                                    "AddBackward0"):
        length = length.edges[0]
    dims = getattr(length, "_saved_dim", None)
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    norm = type(length).__name__ in ("LinalgVectorNormBackward0", "NormBackward1")
    if norm and len(dims) == 2:
        return WHOLE
    return dims[0] % 2 if norm and len(dims) == 1 and dims[0] is not None else None


def are_scores(product: Node, nodes: list[Node]) -> bool:
    """Whether a softmax is taken of a product, perhaps times a factor."""
    for node in nodes:
        if type(node).__name__ in ("LogSoftmaxBackward0", "SoftmaxBackward0"):
            inner: Any = node.edges[0]
            while type(inner).__name__ in SCALED:
                inner = inner.edges[0]
            if inner is product:
                return True
    return False


class Sideways(Check):
    """`x - x.mean(1)` of a square matrix, which subtracts each row's mean from a column."""

    rests = True

    def on_compared(self, name: str, t: Tensor, other: Tensor, result: Any) -> None:
        shape = t._data.shape
        if name != "sub" or len(shape) != 2 or other._data.shape != shape[:1] or (
                shape[0] != shape[1] or shape[0] < 2):
            return
        where = place(*caller())
        source = S.read(where.file)
        node = None if source is None else S.at(source.tree, where)
        for part in ast.walk(node) if node is not None else ():
            if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Sub):
                continue
            call = part.right
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and (
                    called_name(call) in SIDEWAYS) and ast.unparse(part.left) == ast.unparse(
                    call.func.value) and along_rows(call):
                left, right = ast.unparse(part.left), ast.unparse(call)
                self.find(where, "spread-target", f"`{right}` has one number for each row, and is "
                          f"taken from the columns of `{left}`", f"({shape[0]},) stands for a row "
                          f"(1, {shape[0]}) here, and the rows are as many as the columns by "
                          "chance: with another size it is an error",
                          f"`{right[:-1]}, keepdim=True)`")
                return


def along_rows(call: ast.Call) -> bool:
    """Whether a call such as x.mean(1) goes along dimension 1, and leaves it out."""
    named = {k.arg: ast.unparse(k.value) for k in call.keywords}
    dim = named.get("dim", named.get("axis", ast.unparse(call.args[0]) if call.args else ""))
    return dim in ("1", "-1") and "keepdim" not in named and len(call.args) < 2


class FlattenedApart(Check):
    """Scores (T, B, C) and targets (B, T) that are both flattened, and so in different orders."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.seen: set[tuple] = set()            # lines, and the sizes of what was flattened there

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        output, target = [*args[:2], kwargs.get("input"), kwargs.get("target")][:2]
        if name not in FLAT or not isinstance(output, Tensor) or output._data.ndim > 2 or not (
                isinstance(target, Tensor) and target._data.ndim == 1):
            return
        first, line = flattened(output.grad_fn), caller()
        if first is None or (line, first) in self.seen:
            return
        self.seen.add((line, first))
        where = place(*line)
        second = target._base._data.shape if target._base is not None else written(where, target)
        if len(second) == 2 and first[:2] == second[::-1] and (
                first[0] != first[1]) and 1 not in second:
            self.find(where, "mixed-dimensions", *in_two_orders(first, tuple(second)))


FLAT = ("cross_entropy", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def flattened(node: Any) -> tuple[int, ...] | None:
    """The sizes (T, B, C), or (T, B), that a result had before a view left out a dimension."""
    while type(node).__name__ in VIEWS:
        sizes = tuple(node._saved_self_sym_sizes)
        if len(sizes) == 3 or len(sizes) == 2 and 1 not in sizes:
            return sizes
        node = node.edges[0]
    return None


def written(where: Place, target: Tensor) -> tuple[int, ...]:
    """The sizes of `y` where a line says `y.reshape(-1)` of the target that it gives a loss."""
    env = env_of(user_frames()[0])
    statement = None if env is None else S.statement_at(env.source, where)
    for call in ast.walk(statement) if statement is not None and env is not None else ():
        if isinstance(call, ast.Call) and called_name(call) in ("view", "reshape", "flatten") and (
                isinstance(call.func, ast.Attribute)):
            value = breaks.Search().value(call.func.value, env)
            if isinstance(value, Tensor) and value._data.size == target._data.size and (
                    value._data.dtype == target._data.dtype and value.grad_fn is None):
                return value._data.shape
    return ()


class NoPositions(Check):
    """Attention over embedded tokens without positions: equal tokens get equal answers everywhere.

    That is a mistake if equal tokens of one text have different targets.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.tokens: deque[tuple[Node, np.ndarray]] = deque(maxlen=TEXTS)
        self.times: Counter[str] = Counter()
        self.widths: set[tuple[int, ...]] = set()        # of embeddings

    def is_one_vector(self, given: Any) -> bool:
        """Whether what is added is one vector, the same for all tokens."""
        shape = np.shape(given)
        return shape[-1:] in self.widths and np.size(given) == shape[-1]

    @only("EmbeddingBackward0", "NllLossBackward0", "NllLoss2DBackward0", "AddBackward0",
          "SubBackward0", "ScaledDotProductFlashAttentionForCpuBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind == "EmbeddingBackward0":
            tokens = reading.array_of(variables["indices"])
            node._even = type(tokens) is np.ndarray and bool(
                tokens.size and (tokens == tokens.flat[0]).all())
            self.widths.add(np.shape(reading.array_of(variables.get("res")))[-1:])
            if type(tokens) is np.ndarray and tokens.ndim == 2 and min(tokens.shape) > 1:
                self.tokens.append((node, tokens))
        elif kind.startswith("Nll"):
            target = reading.array_of(variables["target"])
            node._unlike = next((first for first, text in self.tokens if text.size == target.size
                                 and differ(text, target, variables["ignore_index"])), None)
        elif kind in ("AddBackward0", "SubBackward0"):
            given = variables.get("input" if node.edges[0] is None else "other")
            node._placed = None in node.edges and isinstance(given, Tensor) and (
                given._data.size > 1) and not self.is_one_vector(given._data)
        else:
            node._placed = variables["is_causal"] or variables["attn_mask"] is not None

    def before_pass(self, task: Pass) -> None:
        self.tokens.clear()
        for loss in task.nodes if task.fills else ():
            embedding = getattr(loss, "_unlike", None)
            if embedding is None or not knows_no_places(loss, embedding):
                continue
            where = reading.place_of(embedding)
            self.times[str(where)] += 1
            if self.times[str(where)] == TEXTS and not any(
                    f.kind == "sees-next-token" for f in self.doctor.report.findings):
                self.find(where, "no-positions", "attention is not told where the tokens stand: "
                          "nothing is added for their positions, or the same for all, and equal "
                          "tokens of a text have different targets", "attention does not see the "
                          "order of what it is given: the network gives the same answer for the "
                          "same token, wherever it is",
                          "add a vector for each position: `h = embedding(x) + "
                          "positions(torch.arange(x.size(1)))`")


TEXTS = 3                # batches of texts that make a finding
KNOWN = ("AccumulateGrad", "Embedding", "NllLoss", "NllLoss2D", "LogSoftmax", "View", "UnsafeView",
         "Reshape", "ReshapeAlias", "Addmm", "Mm", "Bmm", "T", "Transpose", "Permute", "Expand",
         "Clone", "Split", "SplitWithSizes", "Unbind", "Select", "Squeeze", "Unsqueeze", "Add",
         "Mul", "Div", "Relu", "Gelu", "Silu", "Tanh", "Sigmoid", "NativeLayerNorm", "Softmax",
         "SafeSoftmax", "ScaledDotProductFlashAttentionForCpu", "ToCopy")
OF_WEIGHTS = ("Addmm", "Mm", "Bmm", "T", "Transpose", "Embedding")
ATTENDING = ("Softmax", "SafeSoftmax", "ScaledDotProductFlashAttentionForCpu")


def differ(tokens: np.ndarray, target: np.ndarray, ignored: int) -> bool:
    """Whether the targets of equal tokens in one text differ, in most of the texts."""
    wanted = target.reshape(tokens.shape)
    texts = 0
    for text, told in zip(tokens, wanted, strict=True):
        counted = told != ignored
        pairs = set(zip(text[counted].tolist(), told[counted].tolist(), strict=True))
        texts += len(pairs) > len({token for token, _ in pairs})
    return texts > len(tokens) // 2


def knows_no_places(loss: Node, embedding: Node) -> bool:
    """Whether a loss is computed from one embedding, by attention and layers that see one token."""
    graph = reading.nodes([loss])
    kinds = [kind_of(node) for node in graph]
    if not set(kinds) <= set(KNOWN) or not set(ATTENDING) & set(kinds) or any(
            getattr(node, "_placed", False) for node in graph) or [
            node for node, kind in zip(graph, kinds, strict=True) if kind == "Embedding"
            and not getattr(node, "_even", False)] != [embedding]:
        return False
    for node, kind in zip(graph, kinds, strict=True):
        weights = getattr(node, "_weights", None)
        if kind == "Mul" and weights is not None and len(np.unique(weights._data)) > 2:
            return False                         # as of a rotation by the position; not dropout
        if kind not in OF_WEIGHTS and any(
                isinstance(e, AccumulateGrad) and e.variable.ndim > 1 for e in node.edges):
            return False
    return True


def kind_of(node: Node) -> str:
    """The name of a node without "Backward0"."""
    return type(node).__name__.rstrip("0123456789").removesuffix("Backward")


class BatchFirst(Check):
    """ctc_loss() of log-probabilities (N, T, C) that should be (T, N, C), where N == T hides it."""

    rests = True

    def on_function(self, name: str, args: tuple, kwargs: dict[str, Any]) -> None:
        given = reading.first_of(args, kwargs, "log_probs")
        if name != "ctc_loss" or not isinstance(given, Tensor) or given._data.ndim != 3:
            return
        steps, batch, _ = given._data.shape
        if steps == batch > 1 and axis_of_batch(reading.head(given)) == 0:
            self.find(place(*caller()), "batch-first", f"ctc_loss() was given {given._data.shape} "
                      "with the examples of the batch first", "it reads (time, batch, classes): "
                      f"there are as many steps as examples here, {steps}, which hides that the "
                      "two have changed places, and each step is taken for an example",
                      "`log_probs.transpose(0, 1)`")


WITHIN_ROWS = ("LogSoftmaxBackward0", "AddBackward0", "MulBackward0", "UnsafeViewBackward0",
               "ViewBackward0", "MmBackward0", "AddmmBackward0", "CloneBackward0",
               "ReluBackward0", "GeluBackward0", "TanhBackward0", "NativeLayerNormBackward0")
MOVED_TO_ROWS = 20       # nodes that are gone through to where the batch is known


def axis_of_batch(node: Any) -> int | None:
    """Which of the first two dimensions of a result (., ., C) counts the examples; None if unknown.

    It is known of a recurrent layer's output, and of a convolution's.
    """
    order = [0, 1, 2]                            # where the result's dimensions were
    for _ in range(MOVED_TO_ROWS):
        kind = type(node).__name__
        layer = getattr(node, "_recurrent", None)
        if layer is not None or kind == "ConvolutionBackward0":
            batch = 0 if layer is None or layer.batch_first else 1
            return order.index(batch) if batch in order[:2] else None
        if kind == "TransposeBackward0":
            size = max(*order, 2) + 1
            a, b = node._saved_dim0 % size, node._saved_dim1 % size
            order = [b if d == a else a if d == b else d for d in order]
        elif kind == "PermuteBackward0":
            order = [node._saved_dims[d] % len(node._saved_dims) for d in order]
        elif kind in ("SqueezeBackward1", "MeanBackward1"):
            gone = node._saved_dim
            gone = gone[0] if isinstance(gone, (tuple, list)) else gone
            if gone < 0 or getattr(node, "_saved_keepdim", False):
                return None
            order = [d + (d >= gone) for d in order]
        elif kind not in WITHIN_ROWS:
            return None
        heads = [e for e in node.edges if e is not None and not isinstance(e, AccumulateGrad)]
        node = heads[0] if heads else None
    return None


CHECKS = (HalfOfBidirectional, PositionsOfBatch, InvertedMask, NormalizedOverBatch, Sideways,
          FlattenedApart, NoPositions, BatchFirst, PixelsOfSample)
