"""flex_attention: attention whose scores and mask are functions of the indices.

The functions are called once, with index tensors that broadcast to (B, H, Q, KV); PyTorch calls
them on single indices under vmap, to the same effect, since they work element by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import retrograd as torch
from retrograd import Tensor

__all__ = ["AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask",
           "create_mask", "flex_attention", "noop_mask", "or_masks"]

_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """What flex_attention is to return beside its output.

    >>> from retrograd.nn.attention.flex_attention import AuxRequest
    >>> AuxRequest(lse=True)
    AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What was asked for by an AuxRequest, else None.

    >>> import retrograd as torch
    >>> from retrograd.nn.attention.flex_attention import AuxRequest, flex_attention
    >>> q = torch.ones(1, 1, 2, 4)
    >>> output, aux = flex_attention(q, q, q, return_aux=AuxRequest(lse=True))
    >>> aux.lse.shape, aux.max_scores
    (torch.Size([1, 1, 2]), None)
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Tensor:
    """True everywhere.

    >>> from retrograd.nn.attention.flex_attention import noop_mask
    >>> noop_mask(0, 0, 2, 1)
    tensor(True)
    """
    return torch.ones((), dtype=torch.bool)


def and_masks(*mask_mods: Callable) -> Callable:
    """A mask that is True where all the given ones are.

    >>> from retrograd.nn.attention.flex_attention import and_masks, create_mask
    >>> near = and_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: q - kv < 2)
    >>> create_mask(near, None, None, 3, 3)[0, 0]
    tensor([[ True, False, False],
            [ True,  True, False],
            [False,  True,  True]])
    """
    _check_callable(mask_mods)

    def mask(b: Any, h: Any, q: Any, kv: Any) -> Any:
        result: Any = noop_mask(b, h, q, kv)
        for mod in mask_mods:
            result = result & mod(b, h, q, kv)
        return result

    return mask


def or_masks(*mask_mods: Callable) -> Callable:
    """A mask that is True where one of the given ones is.

    >>> from retrograd.nn.attention.flex_attention import create_mask, or_masks
    >>> seen = or_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: kv == 2)
    >>> create_mask(seen, None, None, 3, 3)[0, 0]
    tensor([[ True, False,  True],
            [ True,  True,  True],
            [ True,  True,  True]])
    """
    _check_callable(mask_mods)

    def mask(b: Any, h: Any, q: Any, kv: Any) -> Any:
        result: Any = ~noop_mask(b, h, q, kv)
        for mod in mask_mods:
            result = result | mod(b, h, q, kv)
        return result

    return mask


def _check_callable(mods: tuple) -> None:
    if not all(map(callable, mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mods}")


def _indices(B: int, H: int, Q: int, KV: int) -> list[Tensor]:
    sizes = (B, H, Q, KV)
    return [torch.arange(n).view([n if i == at else 1 for i in range(4)])
            for at, n in enumerate(sizes)]


def create_mask(mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int,
                device: Any = None) -> Tensor:
    """The values of a mask or score function: (B, H, Q_LEN, KV_LEN); B and H of None are 1.

    >>> from retrograd.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    places = _indices(*shape)
    if _takes_score(mod_fn):
        return _scored(mod_fn, torch.zeros(shape, device=device), places)
    return torch.as_tensor(mod_fn(*places), device=device).expand(shape).contiguous()


def _takes_score(mod: Callable) -> bool:
    import inspect
    parameters = inspect.signature(mod).parameters.values()
    return sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
               for p in parameters) == 5


def _scored(score_mod: Callable, scores: Tensor, places: list[Tensor]) -> Tensor:
    return score_mod(scores, *places).expand(scores.shape)


class BlockMask:
    """A mask as flex_attention takes it, made by `create_block_mask`.

    Attributes:
        mask_mod: the function of the indices.
        shape: (B, H, Q_LEN, KV_LEN).
        seq_lengths: (Q_LEN, KV_LEN).
        BLOCK_SIZE: of queries and of keys, for `to_dense`; nothing is computed by blocks.

    >>> from retrograd.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 8, 8, BLOCK_SIZE=4)
    >>> mask.shape, mask.sparsity()
    ((1, 1, 8, 8), 25.0)
    """

    def __init__(self, mask_mod: Callable, shape: tuple[int, int, int, int],
                 block_size: tuple[int, int]) -> None:
        self.mask_mod = mask_mod
        self.shape = shape
        self.seq_lengths = shape[2:]
        self.BLOCK_SIZE = block_size

    def numel(self) -> int:
        """The number of elements of the mask."""
        return math.prod(self.shape)

    def to_dense(self) -> Tensor:
        """1 for each block of which an element is True, as int32."""
        mask = create_mask(self.mask_mod, *self.shape)
        blocks = [math.ceil(n / size) for n, size in zip(self.seq_lengths, self.BLOCK_SIZE,
                                                         strict=True)]
        rest = [b * size - n for b, n, size in zip(blocks, self.seq_lengths, self.BLOCK_SIZE,
                                                   strict=True)]
        padded = torch.nn.functional.pad(mask, (0, rest[1], 0, rest[0]))
        tiles = padded.view(*self.shape[:2], blocks[0], self.BLOCK_SIZE[0],
                            blocks[1], self.BLOCK_SIZE[1])
        return tiles.any(-1).any(3).int()

    def sparsity(self) -> float:
        """The percentage of the elements that lie in blocks without a True."""
        computed = self.to_dense().sum().item() * math.prod(self.BLOCK_SIZE)
        return 100 * (1 - computed / self.numel())

    def to(self, device: Any) -> BlockMask:
        """The mask itself: there is only the CPU."""
        torch.empty(0, device=device)
        return self

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"BlockMask.{name}: retrograd keeps the mask's function, "
                                  "not its blocks")


def create_block_mask(mask_mod: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int,
                      device: Any = None, BLOCK_SIZE: int | tuple[int, int] = 128,
                      _compile: bool = False, **options: Any) -> BlockMask:
    """A BlockMask of a function of (batch, head, query, key) indices.

    >>> from retrograd.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 8, 8, BLOCK_SIZE=4)
    BlockMask(shape=(1, 1, 8, 8), sparsity=25.00%)
    """
    torch.empty(0, device=device)
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    return BlockMask(mask_mod, (B or 1, H or 1, Q_LEN, KV_LEN), size)


def flex_attention(query: Tensor, key: Tensor, value: Tensor, score_mod: Callable | None = None,
                   block_mask: BlockMask | None = None, scale: float | None = None,
                   enable_gqa: bool = False, return_lse: bool = False,
                   kernel_options: Any = None, *, return_aux: AuxRequest | None = None) -> Any:
    """softmax(score_mod(Q K^T scale)) V, where the mask is False without that key.

    Args:
        query: (B, Hq, L, E).
        key: (B, Hkv, S, E).
        value: (B, Hkv, S, Ev).
        score_mod: `(score, batch, head, q_index, kv_index) -> score`, element by element.
        block_mask: which keys each query sees.
        scale: 1 / sqrt(E) by default.
        enable_gqa: let Hq be a multiple of Hkv.
        return_lse: return the logarithm of the sum of the exponentials, too.
        kernel_options: accepted.
        return_aux: what to return in an AuxOutput beside the output.

    Returns:
        (B, Hq, L, Ev); with return_lse or return_aux a pair.

    Raises:
        ValueError: the heads do not fit, or the mask does not.
        NotImplementedError: tensors that are not 4D.
        NotImplementedError: return_aux with max_scores, as PyTorch on a CPU.

    >>> import retrograd as torch
    >>> from retrograd.nn.attention.flex_attention import flex_attention
    >>> x = torch.ones(1, 1, 3, 2)
    >>> flex_attention(x, x, x).shape
    torch.Size([1, 1, 3, 2])
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    if query.size(1) != key.size(1):
        repeats = query.size(1) // key.size(1)
        key, value = (t.repeat_interleave(repeats, 1) for t in (key, value))
    scores = query @ key.transpose(-2, -1) * scale      # (B, H, L, S)
    places = _indices(*scores.shape)
    if score_mod is not None:
        scores = _scored(score_mod, scores, places)
    if block_mask is not None:
        scores = scores.masked_fill(~block_mask.mask_mod(*places), -math.inf)
    lse = scores.logsumexp(-1)
    without = (lse == -math.inf).unsqueeze(-1)          # queries that see no key get zeros
    weights = scores.softmax(-1).masked_fill(without, 0)
    output = weights.to(query.dtype) @ value
    if return_aux is not None:
        return output, AuxOutput(lse if return_aux.lse else None)
    return (output, lse) if return_lse else output


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: Any, gqa: bool) -> None:
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.size(-3) != key.size(-3) and (not gqa or query.size(-3) % key.size(-3)):
        raise ValueError("Expect query and key/value to have the same number of heads but got "
                         f"Hq={query.size(-3)} and Hkv={key.size(-3)}. Try setting "
                         "enable_gqa=True for GQA.")
    if block_mask is not None and tuple(block_mask.seq_lengths) != (query.size(-2), key.size(-2)):
        raise ValueError(f"block_mask was created for block_mask.shape={block_mask.shape} but got "
                         f"q_len={query.size(-2)} and kv_len={key.size(-2)}. Create it for these "
                         "lengths.")
