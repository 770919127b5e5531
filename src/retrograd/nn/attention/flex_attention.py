"""flex_attention: attention whose scores and mask are functions of the indices.

The functions are called once, with index tensors that broadcast to (B, H, Q, KV); PyTorch calls
them on single indices under vmap, to the same effect, since they work element by element.
"""

from __future__ import annotations

import itertools
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
    """The values of a mask function: (B, H, Q_LEN, KV_LEN); B and H of None are 1.

    Of a score function the mask is True where the score is not minus infinity.

    >>> from retrograd.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    places = _indices(*shape)
    if _takes_score(mod_fn):
        return ~_scored(mod_fn, torch.zeros(shape, device=device), places).isneginf()
    return torch.as_tensor(mod_fn(*places), device=device).expand(shape).contiguous()


def _takes_score(mod: Callable) -> bool:
    import inspect
    number = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
                 for p in inspect.signature(mod).parameters.values())
    if number not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {number}")
    return number == 5


def _scored(score_mod: Callable, scores: Tensor, places: list[Tensor]) -> Tensor:
    return score_mod(scores, *places).expand(scores.shape)


_LISTS = tuple(f"{full}{side}_{what}" for side in ("kv", "q") for full in ("", "full_")
               for what in ("num_blocks", "indices"))


class BlockMask:
    """A mask as flex_attention takes it, and which of its blocks have a True.

    `create_block_mask` makes one of a function, `from_kv_blocks` one of lists. Attention is not
    computed by blocks here: it looks at `mask_mod` alone, as PyTorch's does without a compiler.

    Attributes:
        mask_mod: the function of the indices.
        shape: (B, H, Q_LEN, KV_LEN).
        seq_lengths: (Q_LEN, KV_LEN).
        BLOCK_SIZE: of queries and of keys.
        kv_num_blocks: how many blocks of a row of blocks are True in part: (B, H, rows).
        kv_indices: the columns of blocks, those come first: (B, H, rows, columns).
        full_kv_num_blocks, full_kv_indices: the same of blocks that are True throughout.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same of columns of blocks.

    >>> from retrograd.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 8, 8, BLOCK_SIZE=4)
    >>> mask.shape, mask.sparsity()
    ((1, 1, 8, 8), 25.0)
    >>> mask.kv_num_blocks, mask.full_kv_num_blocks
    (tensor([[[1, 1]]], dtype=torch.int32), tensor([[[0, 1]]], dtype=torch.int32))
    """

    _batch: tuple[int, ...] | None = None         # (B, H) of a mask whose lists are not yet made
    dq_write_order = dq_write_order_full = dq_kv_order = dq_kv_order_spt = None

    def __init__(self, seq_lengths: tuple[int, int], kv_num_blocks: Tensor, kv_indices: Tensor,
                 full_kv_num_blocks: Tensor | None, full_kv_indices: Tensor | None,
                 q_num_blocks: Tensor | None, q_indices: Tensor | None,
                 full_q_num_blocks: Tensor | None, full_q_indices: Tensor | None,
                 BLOCK_SIZE: tuple[int, int], mask_mod: Callable) -> None:
        _check_lists(kv_indices, full_kv_num_blocks, full_kv_indices)
        lists = (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices,
                 q_num_blocks, q_indices, full_q_num_blocks, full_q_indices)
        self.__dict__.update(zip(_LISTS, lists, strict=True))
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks: Tensor, kv_indices: Tensor,
                       full_kv_num_blocks: Tensor | None = None,
                       full_kv_indices: Tensor | None = None,
                       BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
                       mask_mod: Callable | None = None,
                       seq_lengths: tuple[int, int] | None = None,
                       compute_q_blocks: bool = True) -> BlockMask:
        """A mask of the blocks in each row; `mask_mod` of None is True everywhere.

        >>> import retrograd as torch
        >>> from retrograd.nn.attention.flex_attention import BlockMask
        >>> number, columns = torch.tensor([[[1, 2]]]), torch.tensor([[[[0, 1], [0, 1]]]])
        >>> BlockMask.from_kv_blocks(number.int(), columns.int(), BLOCK_SIZE=4).shape
        (1, 1, 8, 8)
        """
        _check_lists(kv_indices, full_kv_num_blocks, full_kv_indices)
        columns = [None] * 4
        if compute_q_blocks:
            columns = [*_of_columns(kv_num_blocks, kv_indices),
                       *_of_columns(full_kv_num_blocks, full_kv_indices)]
        size = _pair(BLOCK_SIZE)
        if seq_lengths is None:
            rows, row = kv_indices.shape[-2:]
            seq_lengths = (rows * size[0], row * size[1])
        return cls(seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices,
                   *columns, BLOCK_SIZE=size, mask_mod=mask_mod or noop_mask)

    def as_tuple(self, flatten: bool = True) -> tuple:
        """What the mask is made of, with the pairs taken apart if `flatten`."""
        orders = (self.dq_write_order, self.dq_write_order_full, self.dq_kv_order,
                  self.dq_kv_order_spt)
        lengths, sizes = ((self.seq_lengths, self.BLOCK_SIZE) if flatten
                          else ((self.seq_lengths,), (self.BLOCK_SIZE,)))
        return (*lengths, *(getattr(self, name) for name in _LISTS), *orders, *sizes,
                self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        batch = self.kv_indices.shape[:-2] if self._batch is None else self._batch
        return (*batch, *self.seq_lengths)

    def numel(self) -> int:
        """The number of elements of the mask."""
        return math.prod(self.shape)

    def to_dense(self) -> Tensor:
        """1 for each block of which an element is True, as int32."""
        partly = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None:
            return partly
        return partly + _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def sparsity(self) -> float:
        """The percentage of the elements that lie in blocks without a True."""
        blocks = self.kv_num_blocks.sum().item()
        if self.full_kv_num_blocks is not None:
            blocks += self.full_kv_num_blocks.sum().item()
        return 100 * (1 - blocks * math.prod(self.BLOCK_SIZE) / self.numel())

    def to(self, device: Any) -> BlockMask:
        """The same mask, its lists on `device`."""
        return self._with([None if each is None else each.to(device) for each in self._lists()])

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """A picture of the blocks, not larger than `grid_size` (-1: one character pair a block).

        >>> from retrograd.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 8, 8, BLOCK_SIZE=2)
        >>> mask.to_string((2, 2)).splitlines()
        ['(0, 0)', '░░  ', '██░░']
        """
        dense = self.to_dense()
        parts = []
        for number, place in enumerate(itertools.product(*map(range, dense.shape[:-2]))):
            if number == limit:
                parts += ["...", "To print out more, set BlockMask.to_string(limit=N)",
                          "You can also index (BlockMask[batch, head]) to choose a specific batch "
                          "or head"]
                break
            parts.append(f"{place}\n{_picture(dense[place], _pair(grid_size))}")
        return "\n".join(parts)

    def __getitem__(self, index: Any) -> BlockMask:
        index = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i
                      for i in (index if isinstance(index, tuple) else (index,)))
        rows = [None if each is None else each[index] for each in self._lists()[:4]]
        return BlockMask.from_kv_blocks(*rows, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=_of_a_part,
                                        seq_lengths=self.seq_lengths,
                                        compute_q_blocks=self.q_indices is not None)

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """The upper left corner of the mask."""
        rows, row = _grid((new_q_len, new_kv_len), self.BLOCK_SIZE)
        lists = []
        for number, indices in (self._lists()[:2], self._lists()[2:4]):
            if number is not None:
                number, indices = _listed(_dense(number, indices)[..., :rows, :row])
            lists += [number, indices]
        return BlockMask.from_kv_blocks(*lists, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod,
                                        seq_lengths=(new_q_len, new_kv_len))

    def _lists(self) -> list:
        return [getattr(self, name) for name in _LISTS]

    def _with(self, lists: list) -> BlockMask:
        return BlockMask(self.seq_lengths, *lists, BLOCK_SIZE=self.BLOCK_SIZE,
                         mask_mod=self.mask_mod)

    def __str__(self) -> str:
        return (f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
                f"{self.to_string().strip()}\n)")

    def __repr__(self) -> str:
        def shown(name: str) -> str:
            value = getattr(self, name)
            return f"{name}={value if value is None else value.shape}"

        lines = [*map(shown, _LISTS), f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}",
                 f"sparsity={self.sparsity():.2f}%",
                 f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}"]
        return "BlockMask(\n    " + ",\n    ".join(lines) + "\n)"

    def __getattr__(self, name: str) -> Any:
        """Make the lists of a mask of `create_block_mask` when the first of them is asked for."""
        if name not in _LISTS or self._batch is None:
            raise AttributeError(f"'BlockMask' object has no attribute '{name}'")
        self.__dict__.update(zip(_LISTS, self._made(), strict=True))
        self._batch = None
        return self.__dict__[name]

    def _made(self) -> list[Tensor]:
        sizes = self.BLOCK_SIZE
        mask = create_mask(self._created_of, *self.shape)
        grid = _grid(self.seq_lengths, sizes)
        rest = [g * size - n for g, size, n in zip(grid, sizes, self.seq_lengths, strict=True)]
        padded = torch.nn.functional.pad(mask, (0, rest[1], 0, rest[0]))
        tiles = padded.view(*mask.shape[:2], grid[0], sizes[0], grid[1], sizes[1])
        count = tiles.sum((3, 5))
        full = count == math.prod(sizes)
        partly = (count > 0) & ~full
        return [each for blocks in (partly, full, partly.mT, full.mT)
                for each in _listed(blocks)]


def _check_lists(indices: Tensor, full_number: Any, full_indices: Any) -> None:
    if indices.dim() < 2:
        raise RuntimeError("BlockMask must have at least 2 dimensions")
    if (full_number is None) != (full_indices is None):
        raise AssertionError(
            "full_kv_num_blocks and full_kv_indices must be both provided or omitted")


def _pair(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else tuple(size)


def _grid(lengths: tuple[int, int], sizes: tuple[int, int]) -> tuple[int, int]:
    """The numbers of rows and columns of blocks."""
    rows, row = (math.ceil(n / size) for n, size in zip(lengths, sizes, strict=True))
    return rows, row


def _listed(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks of each row there are, and the columns, those of the blocks first."""
    blocks = blocks.int()
    indices = blocks.argsort(dim=-1, descending=True, stable=True)
    return blocks.sum(-1).int(), indices.int().contiguous()


def _dense(number: Tensor, indices: Tensor) -> Tensor:
    """1 for each listed block, 0 for the others."""
    row = indices.shape[-1]
    listed = torch.arange(row) < number.unsqueeze(-1)
    places = torch.where(listed, indices.long(), row)          # the others, beside the grid
    dense = torch.zeros(*indices.shape[:-1], row + 1, dtype=torch.int32)
    return dense.scatter(-1, places, 1)[..., :row].contiguous()


def _of_columns(number: Tensor | None, indices: Tensor | None) -> tuple:
    if number is None or indices is None:
        return None, None
    return _listed(_dense(number, indices).mT)


def _picture(blocks: Tensor, most: tuple[int, int]) -> str:
    """A pair of characters for each block, or for several of them."""
    steps = [1 if m == -1 else math.ceil(n / m) for n, m in zip(blocks.shape, most, strict=True)]
    lines = []
    for rows in blocks.split(steps[0]):
        shares = [part.float().mean().item() for part in rows.split(steps[1], 1)]
        lines.append("".join("██" if s == 1 else "  " if s == 0 else "░░" for s in shares))
    return "".join(line + "\n" for line in lines)


def _of_a_part(b: Any, h: Any, q: Any, kv: Any) -> Any:
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the "
        "mask_mod attribute is reset. You must set it from the original BlockMask's mask_mod.")


_of_a_part.__name__ = "_sliced_mask_mod_error"


def create_block_mask(mask_mod: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int,
                      device: Any = None, BLOCK_SIZE: int | tuple[int, int] = 128,
                      _compile: bool = False, **options: Any) -> BlockMask:
    """A BlockMask of a function of (batch, head, query, key) indices.

    Its lists of blocks are made when they are first asked for, as by printing it.

    >>> from retrograd.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, kv: q >= kv, 1, 1, 8, 8, BLOCK_SIZE=4).to_dense()
    tensor([[[[1, 0],
              [1, 1]]]], dtype=torch.int32)
    """
    torch.empty(0, device=device)
    if _takes_score(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    made = BlockMask.__new__(BlockMask)
    made._batch, made._created_of, made.mask_mod = (B or 1, H or 1), mask_mod, mask_mod
    made.seq_lengths, made.BLOCK_SIZE = (Q_LEN, KV_LEN), _pair(BLOCK_SIZE)
    return made


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
    if block_mask is not None and block_mask.mask_mod is _of_a_part:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    lengths = (query.size(-2), key.size(-2))
    if block_mask is not None and tuple(block_mask.seq_lengths) != lengths:
        made = (f"block_mask was created for block_mask.shape={block_mask.shape} but got "
                f"q_len={lengths[0]} and kv_len={lengths[1]}. As the block mask was created for a ")
        if any(n > m for n, m in zip(lengths, block_mask.seq_lengths, strict=True)):
            raise ValueError(made + "smaller length than you're using it for, you likely need to "
                             "create a new block mask.")
        raise ValueError(
            made + "larger length than you're using it for, you can either 1. create a new block "
            "mask with the correct length, or 2. 'adjust' the existing block mask to the correct "
            "length by calling block_mask._adjust(q_len, kv_len). This essentially 'crops' the "
            "block mask to the upper left corner, which does not work for all mask_mods!")
