"""Sequences of different lengths: padded, packed, and back."""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable

import retrograd as torch
from retrograd.ops.arguments import no_element
from retrograd.ops.support import unobserved

__all__ = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pad_packed_sequence",
           "pad_sequence", "unpad_sequence", "pack_sequence", "unpack_sequence"]

PackedSequence_ = namedtuple(
    "PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"],
    defaults=(None, None, None))
PackedSequence_.__module__ = __name__


class PackedSequence(PackedSequence_):
    """Sequences step by step without padding: first every sequence's step 0, then step 1, ...

    `data` (sum of lengths, *) and `batch_sizes`: how many sequences are alive at each step.
    Made by pack_padded_sequence or pack_sequence, not by hand.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils import rnn
    >>> packed = rnn.pack_sequence([torch.tensor([1., 2.]), torch.tensor([3.])])
    >>> packed.data, packed.batch_sizes
    (tensor([1., 3., 2.]), tensor([2, 1]))
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        return super().__new__(cls, *_packed_sequence_init_args(
            data, batch_sizes, sorted_indices, unsorted_indices))

    def to(self, *args, **kwargs):
        """The same with `data` converted; indices only follow the device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def pin_memory(self):
        """Raises as Tensor.pin_memory does."""
        return type(self)(self.data.pin_memory(), *self[1:])

    def cuda(self, *args, **kwargs):
        """Raises as Tensor.cuda does."""
        return self.to(*args, device="cuda", **kwargs)

    def cpu(self, *args, **kwargs):
        """The same on the CPU."""
        return self.to(*args, device="cpu", **kwargs)

    def double(self):
        """The same with float64 data."""
        return self.to(dtype=torch.double)

    def float(self):
        """The same with float32 data."""
        return self.to(dtype=torch.float)

    def half(self):
        """The same with float16 data."""
        return self.to(dtype=torch.half)

    def long(self):
        """The same with int64 data."""
        return self.to(dtype=torch.long)

    def int(self):
        """The same with int32 data."""
        return self.to(dtype=torch.int)

    def short(self):
        """The same with int16 data."""
        return self.to(dtype=torch.short)

    def char(self):
        """The same with int8 data."""
        return self.to(dtype=torch.int8)

    def byte(self):
        """The same with uint8 data."""
        return self.to(dtype=torch.uint8)

    @property
    def is_cuda(self):
        """Whether the data is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self):
        """Whether the data is in page-locked memory."""
        return self.data.is_pinned()


def _packed_sequence_init_args(data, batch_sizes=None, sorted_indices=None,
                               unsorted_indices=None):
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    if batch_sizes is not None:
        if batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence "
                             "should never be created manually. They should be instantiated by "
                             "functions like pack_sequence and pack_padded_sequences in "
                             "nn.utils.rnn. "
                             "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn."
                             "pack_sequence")
        return data, batch_sizes, sorted_indices, unsorted_indices
    if not isinstance(data, (list, tuple)) or len(data) != 2:
        raise AssertionError("Expected data to be a list or tuple of length 2")
    return data[0], data[1], sorted_indices, unsorted_indices


def invert_permutation(permutation):
    """The permutation that undoes `permutation`; None for None.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import invert_permutation
    >>> invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation)
    inverse.scatter_(0, permutation, torch.arange(0, permutation.numel()))
    return inverse


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack (T, N, *), or (N, T, *) with `batch_first`, given the `lengths` of the sequences.

    With `enforce_sorted` the lengths must not increase; else they are sorted first.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import pack_padded_sequence
    >>> padded = torch.tensor([[1., 2., 3.], [4., 0., 0.]])
    >>> pack_padded_sequence(padded, [3, 1], batch_first=True).data
    tensor([1., 4., 2., 3.])
    """
    lengths = torch.as_tensor(lengths, dtype=torch.int64)
    if enforce_sorted:
        sorted_indices = None
    else:
        lengths, sorted_indices = torch.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    data, batch_sizes = _pack(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, None)


def _pack(input, lengths, batch_first):
    """The packed data of sequences sorted by decreasing length, and the batch sizes."""
    if batch_first:
        input = input.transpose(0, 1)
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    batch = input.size(1)
    if lengths.dim() != 1 or lengths.size(0) != batch:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got "
                           f"{lengths.numel()} (batch_size={batch})")
    sizes = lengths.tolist()
    if any(a < b for a, b in zip(sizes, sizes[1:], strict=False)):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when "
                           "`enforce_sorted` is True. You can pass `enforce_sorted=False` to "
                           "pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.")
    if sizes[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element "
                           "in 'lengths' that is <= 0")
    pieces, batch_sizes, done = [], [], 0
    for alive in range(batch, 0, -1):
        length = sizes[alive - 1]
        if length > done:
            piece = input[done:length, :alive]             # (steps, alive, *)
            pieces.append(piece.contiguous().view(-1, *input.shape[2:]))
            batch_sizes.extend([alive] * (length - done))
            done = length
    return torch.cat(pieces), torch.tensor(batch_sizes, dtype=torch.int64)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Undo packing: (padded (T, N, *), lengths); `total_length` makes T longer.

    (N, T, *) with `batch_first`. Raises ValueError for a total_length below the longest sequence.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import pack_sequence, pad_packed_sequence
    >>> packed = pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4.])])
    >>> pad_packed_sequence(packed, batch_first=True)
    (tensor([[1., 2., 3.],
            [4., 0., 0.]]), tensor([3, 1]))
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError("Expected total_length to be at least the length of the longest "
                             f"sequence in input, but got total_length={total_length} and max "
                             f"sequence length being {longest}")
        longest = total_length
    padded, lengths = _unpack(sequence.data, sequence.batch_sizes, batch_first, padding_value,
                              longest)
    order = sequence.unsorted_indices
    if order is not None:
        batch_dim = 0 if batch_first else 1
        return padded.index_select(batch_dim, order), lengths[order]
    return padded, lengths


def _unpack(data, batch_sizes, batch_first, padding_value, longest):
    sizes = batch_sizes.tolist()
    padded = data.new_full((longest, sizes[0], *data.shape[1:]), padding_value)
    start = step = 0
    while step < len(sizes):
        alive, last = sizes[step], step
        while last < len(sizes) and sizes[last] == alive:
            last += 1
        count = alive * (last - step)
        padded[step:last, :alive] = data[start:start + count].view(
            last - step, alive, *data.shape[1:])
        start, step = start + count, last
    lengths = torch.tensor([sum(size > k for size in sizes) for k in range(sizes[0])],
                           dtype=torch.int64)
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Stack sequences (L, *) of different lengths: (T, N, *), or (N, T, *) with `batch_first`.

    T is the longest L; `padding_value` fills the others, at their end or, with padding_side="left",
    at their beginning. Raises RuntimeError for sizes * that differ, and another side.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import pad_sequence
    >>> pad_sequence([torch.tensor([1., 2.]), torch.tensor([3.])], batch_first=True)
    tensor([[1., 2.],
            [3., 0.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError("pad_sequence: Expected iterable for input sequences, but got arg of "
                           f"type: {type(sequences)}")
    if isinstance(sequences, torch.Tensor):
        sequences = sequences.unbind(0)
    sequences = tuple(sequences)
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got "
                           f"{padding_side}.")
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    for k, sequence in enumerate(sequences):
        if not isinstance(sequence, torch.Tensor):
            raise no_element(k, 0, sequence)
    longest = max([s.size(0) for s in sequences])
    shape = (len(sequences), longest) if batch_first else (longest, len(sequences))
    out = sequences[0].new_full((*shape, *sequences[0].shape[1:]), padding_value)
    _copy_padded(*_seen_by_none(out, sequences), batch_first, padding_side == "left")
    return out


def _seen_by_none(out, sequences):
    """`out` and the sequences as arrays, if nothing records or observes the writes to it."""
    flags, dtype = out._flags, out._data.dtype
    for sequence in sequences:
        flags |= sequence._flags
        if sequence._data.dtype != dtype:
            return out, sequences
    return (out._data, [s._data for s in sequences]) if unobserved(flags) else (out, sequences)


def _copy_padded(out, sequences, batch_first, at_the_end):
    """Write sequence i to the first rows of out[i] (or out[:, i]), or to its last rows."""
    trailing, longest = sequences[0].shape[1:], out.shape[1 if batch_first else 0]
    for i, sequence in enumerate(sequences):
        length, *own = sequence.shape
        if tuple(own) != trailing:
            raise RuntimeError(f"The size of tensor a ({trailing[0] if trailing else 1}) must "
                               f"match the size of tensor b ({sequence.shape[-1]}) at "
                               "non-singleton dimension 1")
        start = longest - length if at_the_end else 0
        where = slice(start, start + length)
        out[(i, where) if batch_first else (where, i)] = sequence


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Undo pad_sequence: the sequences cut to their lengths.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import unpad_sequence
    >>> unpad_sequence(torch.tensor([[1., 2.], [3., 0.]]), torch.tensor([2, 1]), batch_first=True)
    [tensor([1., 2.]), tensor([3.])]
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [sequence[:int(length)] for sequence, length in
            zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack a list of sequences (L, *).

    They go from the longest to the shortest, or in any order with enforce_sorted=False. Raises
    RuntimeError for another order, and for empty sequences.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import pack_sequence
    >>> pack_sequence([torch.tensor([1., 2., 3.]), torch.tensor([4.])]).batch_sizes
    tensor([2, 1, 1])
    """
    lengths = torch.as_tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """Undo pack_sequence: the list of sequences.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils.rnn import pack_sequence, unpack_sequence
    >>> unpack_sequence(pack_sequence([torch.tensor([1., 2.]), torch.tensor([4.])]))
    [tensor([1., 2.]), tensor([4.])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
