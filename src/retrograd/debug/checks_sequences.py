"""Checks of sequences: padding, the time dimension, and models that can see the next token."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd import engine
from ..autograd.node import Node
from ..autograd.saved import SavedTensor
from ..autograd.walks import nodes_towards
from ..nn.modules._attention import MultiheadAttention
from ..nn.modules.module import Module
from ..nn.modules.rnn import RNNBase
from ..nn.modules.sparse import Embedding
from ..nn.modules.transformer import (
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from ..nn.parameter import Parameter
from . import reading
from .check import Check, Pass, only
from .checks_directions import behind_views
from .checks_scores import (
    VIEWS,
    is_rearranged,
)
from .checks_targets import are_zero_and_one
from .places import Place, place

ROWS = 5                 # rows that have to end in a token that stands nowhere else
LENGTHS = 3              # different lengths of such endings
TOKENS = 8               # so many tokens are not the next ones by chance
CALLS = 8                # the most embeddings since the last pass; an evaluation has any number
TOKEN_LOSSES = ("NllLossBackward0", "NllLoss2DBackward0")
ERRORS = ("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0")


@dataclass
class Ends:
    """How the rows of tokens end that one embedding was given."""

    padding: int
    where: Place | None
    last: set[int] = field(default_factory=set)      # tokens of which there are two or more
    lengths: set[int] = field(default_factory=set)
    rows: int = 0
    real: int = 0                                    # tokens that are the padding_idx
    clear: bool = True                               # the last token occurs nowhere else

    def add(self, tokens: np.ndarray) -> None:       # (N, T)
        same = np.cumprod(tokens[:, ::-1] == tokens[:, -1:], axis=1)     # from the end
        lengths = same.sum(1)
        padded = lengths > 1
        self.last |= set(tokens[padded, -1].tolist())
        self.lengths |= set(lengths[padded].tolist())
        self.rows += int(padded.sum())
        self.real += int((tokens == self.padding).sum())
        if len(self.last) != 1 or self.padding in (*self.last, *tokens[:, -1]):
            self.clear = False
        else:
            within = (tokens[:, ::-1] == next(iter(self.last))) & ~same.astype(bool)
            self.clear = self.clear and not within.any()


class WrongPadding(Check):
    """An Embedding whose padding_idx is a real token, while rows are padded with another one."""

    def __init__(self, doctor):
        super().__init__(doctor)
        self.made: dict[int, tuple] = {}             # weight -> the line that made its Module
        self.known: dict[int, Ends] = {}

    def on_part(self, module: Module, name: str, part: Parameter | Module,
                line: tuple) -> None:
        if isinstance(part, Embedding):
            self.made[id(part.weight)] = line

    @only("EmbeddingBackward0")
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        padding, key = variables["padding_idx"], id(variables["weight"])
        tokens = reading.array_of(variables["indices"])
        if padding < 0 or type(tokens) is not np.ndarray or tokens.ndim != 2 or tokens.size == 0:
            return
        if key not in self.known:
            line = self.made.get(key)
            self.known[key] = Ends(padding, place(*line) if line else reading.place_of(node))
        if self.known[key].clear:
            self.known[key].add(tokens)

    def at_end(self) -> None:
        for ends in self.known.values():
            if ends.clear and ends.rows >= ROWS and len(ends.lengths) >= LENGTHS:
                token = ends.last.pop()
                self.find(ends.where, "wrong-padding", f"padding_idx is {ends.padding}, but "
                          f"{ends.rows} rows are filled up with token {token}",
                          f"the vector of {token} is trained like that of a word"
                          + (f", and that of {ends.padding}, which occurs {ends.real} times, stays "
                             "as it is" if ends.real else ""),
                          f"`padding_idx={token}`, or fill the rows up with {ends.padding}")


def classes_of(scores: np.ndarray) -> int:
    """How many classes there are scores of, (N, C, ...) or (C,)."""
    return scores.shape[min(1, scores.ndim - 1)]


class CountedPadding(Check):
    """A cross entropy that counts the padding of a batch of texts among its targets."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.padded: dict[tuple[int, int], tuple[np.ndarray, int]] = {}  # (words, tokens) -> these

    def before_pass(self, task: Pass) -> None:
        self.padded.clear()

    @only("EmbeddingBackward0", *TOKEN_LOSSES)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind in TOKEN_LOSSES:
            if self.padded:
                self.compare(node, variables)
        elif variables["padding_idx"] >= 0:
            tokens, words = reading.array_of(variables["indices"]), len(variables["weight"]._data)
            if len(self.padded) == CALLS:
                self.padded.clear()
            if type(tokens) is np.ndarray and tokens.ndim > 1:
                self.padded[words, tokens.size] = tokens, variables["padding_idx"]

    def compare(self, node: Node, variables: dict[str, Any]) -> None:
        scores, target, weight = (reading.array_of(variables[k])
                                  for k in ("input", "target", "weight"))
        tokens, padding = self.padded.get((classes_of(scores), target.size), (None, -1))
        if tokens is None or variables["reduction"] == 0 or variables["ignore_index"] == padding \
                or weight is not None and not weight[padding]:
            return
        wanted = target.reshape(-1) == padding
        both = int((wanted & (tokens.reshape(-1) == padding)).sum())
        if both:
            self.find(reading.place_of(node), "counted-padding", f"{both} of {target.size} targets "
                      f"of this loss are padding, token {padding}, where the input is padding too",
                      "the network is trained to predict padding after padding: an easy task, "
                      "which makes the mean loss look better than it is and leaves less for the "
                      "words", f"`ignore_index={padding}`; or targets of -100 there, if "
                      f"{padding} also ends a text")


class MeanOfMasked(Check):
    """(loss * mask).mean(), or an error of pred * mask: both divide by the padding's places too."""

    rests = True

    @only("MulBackward0", "MeanBackward0", *ERRORS)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        kind = type(node).__name__
        if kind == "MulBackward0" and None in node.edges:
            masks = [a for name in ("input", "other") if hides_ends(a := variables.get(name))]
            if masks:
                node._hidden = masks[0]._data
        elif kind == "MeanBackward0":
            product = node.edges[0]
            loss = reading.only_source(product) if product is not None else None
            while loss is not None and is_rearranged(loss):
                loss = loss.edges[0]
            if type(loss).__name__ in TOKEN_LOSSES or is_error(loss):
                self.tell(node, product, "(loss * mask).sum() / mask.sum()")
        elif kind in ERRORS and variables.get("reduction") == 1:
            self.tell(node, node.edges[0], "(error * mask).sum() / mask.sum()` with the error of "
                      "`reduction=\"none\"")

    def tell(self, node: Node, product: Any, cure: str) -> None:
        mask = getattr(product, "_hidden", None)
        if mask is not None:
            left, size = int(np.count_nonzero(mask)), mask.size
            self.find(reading.place_of(node), "counted-padding", f"this mean divides by all "
                      f"{size} places, of which {left} are not masked", "the more padding a "
                      "batch has, the smaller are its loss and its gradients: short rows "
                      "count less for every place", f"divide by what counts: `{cure}`")


def is_error(node: Any) -> bool:
    """Whether a result is (pred - target)**2, abs(pred - target), or a loss of F, unreduced."""
    name = type(node).__name__
    return name in ERRORS or name in ("PowBackward0", "AbsBackward0") and (
        type(node.edges[0]).__name__ == "SubBackward0")


def hides_ends(mask: Any) -> bool:
    """Whether a mask (N, T, 1) is 1 at the beginnings of rows and 0 after, at several lengths."""
    a = reading.array_of(mask)
    if type(a) is np.ndarray and a.ndim == 3 and a.shape[2] == 1:
        a = a[:, :, 0]
    if type(a) is not np.ndarray or a.ndim != 2 or not are_zero_and_one(mask):
        return False
    lengths = a.astype(bool).sum(1)
    return len(set(lengths.tolist())) > 1 and bool(
        (a.astype(bool) == (np.arange(a.shape[1]) < lengths[:, None])).all())


AVERAGES = ("MeanBackward1", "SumBackward1")
AFTER_IT = ("AddBackward0", "MulBackward0", "NativeLayerNormBackward0", "ReluBackward0",
            "GeluBackward0", "TanhBackward0")
ON_THE_WAY = 12          # nodes


def layer_of(module: Module) -> tuple[Module, Any]:
    """(the first layer of a Module of sequences, the Module in it that knows batch_first).

    The second is None for any other Module, which is then its own layer.
    """
    if isinstance(module, (TransformerEncoder, TransformerDecoder)):
        module = module.layers[0]
    if isinstance(module, (TransformerEncoderLayer, TransformerDecoderLayer)):
        return module, module.self_attn
    return module, module if isinstance(module, (RNNBase, MultiheadAttention)) else None


def layer_before(node: Any) -> Any:
    """The result of a layer of sequences that a node's is made of, past a norm and a sum with x."""
    several = [node]
    for one in several:                          # grows on the way
        if hasattr(one, "_recurrent"):
            return one
        if type(one).__name__ in AFTER_IT and len(several) < ON_THE_WAY:
            several += one.edges
    return node


class LastOfBatch(Check):
    """out[:, -1] of a recurrent layer without batch_first=True, or out[-1] with it.

    Also the last step of sequences of several lengths, which is padding for some.
    """

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.names: dict[int, str] = {}

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        made, layer = layer_of(module)
        first = result[0] if isinstance(result, tuple) else result
        node = getattr(first, "grad_fn", None) if layer is not None else None
        if node is not None and first.ndim == 3:
            node._recurrent, node._kind = layer, type(made).__name__

    def on_unpacked(self, output: Tensor, lengths: Tensor) -> None:
        if output.grad_fn is not None:
            output.grad_fn._lengths = lengths._data.copy()

    def of_padding(self, node: Any, lengths: np.ndarray) -> None:
        """Report the last step of sequences some of which end earlier: it is padding."""
        sizes, dim = node._saved_self_sym_sizes, node._saved_dim
        steps, short = sizes[dim], int((lengths < sizes[dim]).sum())
        if len(sizes) == 3 and dim < 2 and sizes[1 - dim] == len(lengths) and steps == max(
                lengths) and node._saved_index == steps - 1 and short:
            self.find(reading.place_of(node), "last-of-padding", f"this takes step {steps} of all "
                      f"{len(lengths)} sequences, of which {short} are shorter",
                      "pad_packed_sequence() fills up with zeros: for the shorter ones this is 0, "
                      "whatever they say", "the last step of each is in the state that the layer "
                      "returns, `h[-1]`; or `out[torch.arange(len(out)), lengths - 1]` with the "
                      "batch first")

    def before_pass(self, task: Pass) -> None:
        chosen: dict[Node, list[Node]] = {}
        weighed = {behind_views(n.edges[1]) for n in task.nodes if type(n).__name__ ==
                   "AddmmBackward0"}
        for node in task.nodes:
            source: Any = node.edges[0] if node.edges else None
            if type(node).__name__ in (*AVERAGES, "SelectBackward0"):
                source = layer_before(source)
            layer = getattr(source, "_recurrent", None)
            if hasattr(source, "_lengths") and type(node).__name__ == "SelectBackward0":
                self.of_padding(node, source._lengths)
            if layer is not None and node in weighed and type(node).__name__ in AVERAGES:
                self.over_batch(node, source._kind, layer.batch_first)
            if layer is not None and type(node).__name__ == "SelectBackward0" and (
                    node._saved_dim == (0 if layer.batch_first else 1)):
                chosen.setdefault(source, []).append(node)
        for source, nodes in chosen.items():
            node: Any = nodes[0]
            sizes, layer = node._saved_self_sym_sizes, source._recurrent
            batch, time = sizes[node._saved_dim], sizes[1 - node._saved_dim]
            ends = (batch - 1,) if isinstance(layer, RNNBase) else (0, batch - 1)
            if len(nodes) == 1 and node._saved_index in ends and batch > 2 and time > 1:
                self.tell(node, source._kind, layer.batch_first, batch, time)

    def over_batch(self, node: Any, kind: str, batch_first: bool) -> None:
        """Report h.mean(1) of the output of a layer without batch_first=True."""
        sizes, dims = tuple(node._saved_self_sym_sizes), node._saved_dim
        dims = dims if isinstance(dims, (tuple, list)) else (dims,)
        over = 0 if batch_first else 1
        if [d % 3 for d in dims] == [over] and min(sizes[:2]) > 1:
            self.find(reading.place_of(node), "mean-over-batch", f"{reading.operator_name(node)}() "
                      f"goes over the {sizes[over]} examples of a batch, and leaves its "
                      f"{sizes[1 - over]} steps", f"nn.{kind} "
                      + (f"was made with batch_first=True: {sizes} means {sizes[0]} sequences of "
                         f"{sizes[1]} steps" if batch_first else
                         "reads (time, batch, features) unless it is made with batch_first=True: "
                         f"here {sizes} means {sizes[0]} steps of {sizes[1]} sequences, so the "
                         "examples of a batch follow each other like steps of time"),
                      f"`dim={1 - over}`" if batch_first else f"`nn.{kind}(..., batch_first=True)` "
                      f"if the batch comes first; otherwise `dim={1 - over}`")

    def tell(self, node: Any, kind: str, batch_first: bool, batch: int, time: int) -> None:
        which = "last" if node._saved_index else "first"
        what = f"this takes the {which} of {batch} sequences, at all of its {time} steps"
        sizes = tuple(node._saved_self_sym_sizes)
        if batch_first:
            self.find(reading.place_of(node), "last-of-batch", what, f"with batch_first=True "
                      f"{sizes} means {batch} sequences of {time} steps: the other sequences get "
                      f"no gradient", f"the {which} step of each sequence is `out[:, "
                      f"{-1 if node._saved_index else 0}]`")
        else:
            self.find(reading.place_of(node), "last-of-batch", what,
                      f"nn.{kind} reads (time, batch, features) unless it is made with "
                      f"batch_first=True: here {sizes} means {time} steps of {batch} sequences, so "
                      "the examples of a batch follow each other like steps of time",
                      f"`nn.{kind}(..., batch_first=True)` if the batch comes first; "
                      f"otherwise the {which} step is `out[{-1 if node._saved_index else 0}]`")


ALIKE = 0.9              # of the targets are the input's tokens
TURNS = ("TransposeBackward0", "TBackward0", "PermuteBackward0")
ATTENTION = ("SoftmaxBackward0", "SafeSoftmaxBackward0",
             "ScaledDotProductFlashAttentionForCpuBackward0")
SCALING = ("MulBackward0", "DivBackward0", "MeanBackward0", "SumBackward0")
MIXING = ("Rnn", "Lstm", "Gru", "BatchNorm")     # an encoder, or a batch's mean, may know them all


class SeesNextToken(Check):
    """A language model without a causal mask: each position knows the token it is to predict."""

    rests = True

    def __init__(self, doctor):
        super().__init__(doctor)
        self.tokens: deque[tuple[Node, np.ndarray, int]] = deque(maxlen=CALLS)   # and the words
        self.looked_at: set[str] = set()
        self.masked: tuple[str, str] | None = None       # what is wrong with a mask that was given

    def on_call(self, module: Module, outermost: bool, result: Any, where: Place | None) -> None:
        if isinstance(module, MultiheadAttention):
            mask = self.doctor.keywords.get("attn_mask")
            if isinstance(mask, Tensor) and mask._data.ndim == 2 and (
                    mask._data.shape[0] == mask._data.shape[1] > 2):
                self.masked = wrong_mask(mask)

    @only("EmbeddingBackward0", *TOKEN_LOSSES)
    def on_node(self, node: Node, variables: dict[str, Any]) -> None:
        if type(node).__name__ == "EmbeddingBackward0":
            tokens = reading.array_of(variables["indices"])
            if type(tokens) is np.ndarray and tokens.ndim == 2:
                self.tokens.append((node, tokens, len(variables["weight"]._data)))
        else:
            scores, target = (reading.array_of(variables[k]) for k in ("input", "target"))
            for embedding, tokens, words in self.tokens:
                if words != classes_of(scores):
                    continue
                if tokens.size != target.size:
                    node._twice = is_shifted_twice(node, tokens, target)
                    continue
                wanted = target.reshape(tokens.shape)
                if (tokens == wanted).mean() > ALIKE and tokens.shape[1] > 2:
                    node._copied = embedding, scores
                else:
                    pair = next_token(tokens, wanted, variables["ignore_index"])
                    node._shifted = embedding, scores, pair
                    if pair is not None:
                        self.compare_order(node, tokens)

    def compare_order(self, loss: Node, tokens: np.ndarray) -> None:
        """Compare targets in the order of the tokens (B, T) with scores that were (T, B, C)."""
        node: Any = loss.edges[0]
        node = node.edges[0] if type(node).__name__ == "LogSoftmaxBackward0" else node
        sizes = tuple(getattr(node, "_saved_self_sym_sizes", ()))
        if type(node).__name__ in VIEWS and len(sizes) == 3 and (
                sizes[:2] == tokens.shape[::-1] != tokens.shape):
            self.find(reading.place_of(loss), "mixed-dimensions", *in_two_orders(
                sizes, tokens.shape))

    def before_pass(self, task: Pass) -> None:
        self.tokens.clear()
        loss: Any = task.roots[0]
        while type(loss).__name__ in SCALING:    # by itself: that of an autoencoder has more parts
            loss = loss.edges[0]
        if getattr(loss, "_twice", False):
            self.find(reading.place_of(loss), "shifted-twice", "each position is to predict the "
                      "token after the next one", "the targets were one place further on already, "
                      "and are moved by one place again: the network never learns what comes next",
                      "compare all positions, `logits` and `targets`; `logits[:, :-1]` and "
                      "`tokens[:, 1:]` are for targets that are the input itself")
        embedding, scores, pair = getattr(loss, "_shifted", (None, None, None))
        copied = getattr(loss, "_copied", None)
        if (pair is None and copied is None) or str(task.where) in self.looked_at:
            return
        self.looked_at.add(str(task.where))
        if copied is not None:
            self.not_shifted(loss, *copied)
            return
        start = loss.edges[0]
        between = nodes_towards({embedding}, [(start, 0)])
        attention = [n for n in between if type(n).__name__ in ATTENTION]
        if attention and not any(map(is_special, (*between, embedding))):
            here, following = self.slopes(start, embedding, scores, *pair)
            if following > here / 100 > 0:
                self.tell(attention[-1])

    def not_shifted(self, loss: Node, embedding: Node, scores: np.ndarray) -> None:
        """Report targets equal to the tokens: a language model has to predict the next ones."""
        start: Any = loss.edges[0]
        here, following = self.slopes(start, embedding, scores, 0, 1)
        if here > 0 == following:
            self.find(reading.place_of(loss), "not-shifted", "each position is to predict the "
                      "token that it was given", "the targets are the input itself: the network "
                      "learns to copy it, the loss falls to almost 0, and nothing is learned of "
                      "what comes next", "the next token is the target: `logits[:, :-1]` and "
                      "`tokens[:, 1:]`")

    def slopes(self, start: Node, embedding: Node, scores: np.ndarray, *pair: int) -> list[float]:
        """How much a score depends on the vectors of two tokens; its own token comes first."""
        g = np.zeros_like(scores)                # (B*T, C) or (B, C, 1, T)
        parts = g.reshape(*g.shape[:2], -1)
        at, of = divmod(pair[0], parts.shape[2])
        parts[at, 0, of] = 1
        wanted, target = nodes_towards({embedding}, [(start, 0)]), (embedding, 0)
        self.doctor.aside = True
        try:
            found = engine.run([(start, 0)], [g], True, False, wanted, {target})
        finally:
            self.doctor.aside = False
        slopes = reading.array_of(found[target])
        return [float(np.abs(slopes.reshape(-1, slopes.shape[-1])[k]).max()) for k in pair]

    def tell(self, attention: Node) -> None:
        what = "each position is to predict the next token, and attends to it"
        if self.masked is not None:
            self.find(reading.place_of(attention), "sees-next-token", what, *self.masked)
            return
        self.find(reading.place_of(attention), "sees-next-token", what,
                  "without a causal mask it can look up what it is to predict: the loss falls to "
                  "almost 0, and a text cannot be written that way, since the next token is not "
                  "there yet", "mask the attention: `is_causal=True` in "
                  "F.scaled_dot_product_attention(), `scores.masked_fill(mask, -torch.inf)` before "
                  "a softmax, `mask=nn.Transformer.generate_square_subsequent_mask(T)` in "
                  "nn.TransformerEncoder, `tgt_mask=` in nn.Transformer")


def wrong_mask(t: Tensor) -> tuple[str, str] | None:
    """What a mask (T, T) does in place of hiding the tokens to come: the reason, and the cure."""
    cure = "`nn.Transformer.generate_square_subsequent_mask(T)`, or True where nothing shall be " \
        "seen: `torch.ones(T, T, dtype=torch.bool).triu(1)`"
    mask = t._data
    if mask.dtype.kind == "f" and are_zero_and_one(t):
        return ("a mask of floating point numbers is added to the scores: 1 and 0 hide nothing, "
                "-inf does", cure)
    hidden = mask if mask.dtype.kind == "b" else mask == -np.inf
    if hidden.any() and not np.triu(hidden, 1).any():
        return ("in nn.MultiheadAttention, and the layers made of it, a mask is True where a token "
                "is hidden: this one hides the past and shows what is to come", cure)
    return None


def in_two_orders(sizes: tuple[int, ...], target: tuple[int, ...]) -> tuple[str, str, str]:
    """What to say of an output (T, B, C) and targets (B, T) that were flattened as they were."""
    return (f"the output {sizes} and the target {target} are made one row of "
            f"{target[0] * target[1]} each, in different orders",
            "view() and reshape() keep the order in memory, where the last of these dimensions "
            "counts fastest: each answer is compared with the target of another example and step",
            "`output.transpose(0, 1)` before it is flattened; or batch_first=True, and no "
            "transpose before the layer")


def next_token(tokens: np.ndarray, wanted: np.ndarray, ignored: int) -> tuple[int, int] | None:
    """A position and the one after it, counted in `tokens`, if tokens[t + 1] is wanted at all t."""
    for axis in (1, 0):                          # (B, T), or (T, B)
        at, given, told = (np.moveaxis(a, axis, 1) for a in (
            np.arange(tokens.size).reshape(tokens.shape), tokens, wanted))
        counted = told[:, :-1] != ignored
        same = told[:, :-1] == given[:, 1:]
        if counted.sum() >= TOKENS and same[counted].all() and len(np.unique(given)) > 3:
            row, t = np.argwhere(counted)[0]
            return int(at[row, t]), int(at[row, t + 1])
    return None


def is_shifted_twice(loss: Node, tokens: np.ndarray, target: np.ndarray) -> bool:
    """Whether the first T - 1 scores of texts (B, T) are to be the tokens two places further on."""
    texts, steps = tokens.shape
    if steps < 4 or target.size != texts * (steps - 1):
        return False
    wanted, node = target.reshape(texts, steps - 1), loss.edges[0]
    while type(node).__name__ in ("LogSoftmaxBackward0", "CloneBackward0", *VIEWS, *TURNS):
        node = node.edges[0]
    cut: Any = node
    return type(cut).__name__ == "SliceBackward0" and cut._saved_dim == 1 and not (
            cut._saved_start) and bool(
        (wanted[:, :-1] == tokens[:, 2:]).all() and len(np.unique(wanted)) > 3
        and (wanted[:, :-1] != tokens[:, 1:-1]).any())


def is_special(node: Node) -> bool:
    """Whether running a node may be noticed by the program, or mixes positions on purpose."""
    return may_be_noticed(node) or any(part in type(node).__name__ for part in MIXING)


def may_be_noticed(node: Node) -> bool:
    """Whether running a node calls code of the program: hooks, or a Function's backward()."""
    kept = getattr(node, "_saved", None)
    return (hasattr(node, "_hooks") or hasattr(node, "_forward_cls")
            or isinstance(kept, tuple) and any(isinstance(v, SavedTensor) for v in kept))


CHECKS = (MeanOfMasked, WrongPadding, CountedPadding, LastOfBatch, SeesNextToken)
