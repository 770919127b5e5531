"""The Mersenne twister behind PyTorch's CPU generator: same seed, same words, same saved state."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import fast
from .sums import number

DEFAULT_SEED = 67280421310721
STATE_BYTES = 5056

# The twister's state as PyTorch lays it out in memory.
STATE = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "key"]
        + ["normal", "has_normal", "normal32", "has_normal32"],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", 624), "<f8", "<i4", "<f4", "u1"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040, 5048, 5052],
        "itemsize": STATE_BYTES,
    }
)


WORDS = 624
# Normals one after the other that Python makes as fast as a compiled kernel, and uniforms for which
# new arrays take less time than writes in place: of one element NumPy needs three times as long
FEW = 16
AHEAD = 128          # the most uniforms of a small draw: those of all the twister's words are made
# Draws after which the kernels would have paid for being loaded (60 ms), and how many of them one
# normal counts for, of which NumPy takes 0.2 us
MANY, NORMAL = 1 << 20, 4
BOOL, FLOAT64 = np.dtype(bool), np.dtype(np.float64)
LAST_53, UNIT_53, TWO_PI = 2**53 - 1, 2.0**-53, 2.0 * math.pi
# Constants as arrays without dimensions, beside which NumPy takes less time than beside scalars.
WORD, LOW_21, LOW_24, LOW_53 = (
    np.array(n, np.uint64) for n in (32, 2**21 - 1, 2**24 - 1, 2**53 - 1))
GRID_24, GRID_53 = np.array(2.0**-24, np.float32), np.array(2.0**-53)
PLACES_53 = np.array([2.0**-21, 2.0**-53])


def memory_of(twister) -> np.ndarray:
    """NumPy's own memory of the twister: its 624 words and which is next, shared, as uint32.

    The property `state` has the same, but takes 90 microseconds where this takes one.
    """
    memory = (ctypes.c_uint32 * (WORDS + 1)).from_address(twister.ctypes.state_address)
    return np.frombuffer(memory, np.uint32)


def grid32(words: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """float32 uniforms of words, of which only their last 24 bits are left."""
    if words.size < FEW:
        values = (words & LOW_24).astype(np.float32) * GRID_24
        if out is None:
            return values
        out[...] = values.reshape(out.shape)
        return out
    words &= LOW_24
    if out is None:
        values = words.astype(np.float32)
    else:
        values = out
        values[...] = words.reshape(out.shape)
    values *= GRID_24
    return values


def compiled_too(name: str, n: int, drawn: int = 0) -> bool:
    """Whether the compiled twin of that name, which gives the same bits, pays for n draws.

    It pays for one if other kernels are in use already, or `drawn` says that many draws came
    before.
    """
    return (n >= fast.LARGE or drawn >= MANY or fast.in_use()) and n > 0 and fast.has(name)


class Stream:
    """A seeded sequence of 32-bit words, and the one normal value kept for the next call.

    The generator is MT19937 (Matsumoto and Nishimura, 1998).
    """

    def __init__(self, seed: int = DEFAULT_SEED):
        self.lock = threading.RLock()
        self._twister = np.random.MT19937()
        self._generator = np.random.Generator(self._twister)     # joins words to wider integers
        self._memory = memory_of(self._twister)
        self.drawn = 0                      # grows with every draw
        self.normals = 0                    # how many normals of blocks were asked for so far
        self.predicted: dict[int, Any] = {}  # what the next small draws will be: random._predicted
        self._ahead = np.empty(0, np.float32)    # the words left in the twister, as uniforms,
        self._ahead_end = 0                 # and what `drawn` is after the last; 0: not its words
        self._small_end = -1                # what `drawn` was after the last small draw of uniforms
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> None:
        """Start again from a seed in [-2^63, 2^64); the twister itself sees its low 32 bits."""
        with self.lock:
            self._seed = seed % 2**64
            self._twister._legacy_seeding(self._seed & 0xFFFFFFFF)
            self._untouched = True
            self._kept = None
            self._kept32 = None
            self._ahead_end = 0
            self.predicted.clear()

    def initial_seed(self) -> int:
        return self._seed

    def seed(self) -> int:
        """Start again from a seed of the operating system's choosing, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def words(self, n: int) -> np.ndarray:
        """The next n words, as uint64."""
        if n == 0:
            return np.empty(0, np.uint64)
        with self.lock:
            self._untouched = False
            self.drawn += n
            return self._twister.random_raw(n)

    def skip(self, n: int) -> None:
        """Pass over n words that are known, without work if the twister has so many left."""
        with self.lock:
            at = self._memory.item(WORDS) + n
            if at > WORDS:
                self.words(n)
            else:
                self._memory[WORDS] = at
                self._untouched = False
                self.drawn += n

    @contextmanager
    def peeking(self):
        """In this block words are drawn that will be drawn again after it."""
        before, drawn = self._memory.copy(), self.drawn
        try:
            yield
        finally:
            self._memory[:], self.drawn, self._ahead_end = before, drawn, 0

    def words64(self, n: int) -> np.ndarray:
        """The next n pairs of words as 64-bit integers, high word first."""
        if n < 1000:                              # NumPy's integers() takes 6 us to begin
            words = self.words(2 * n)
            return (words[::2] << WORD) | words[1::2]
        with self.lock:
            self._untouched = False
            self.drawn += 2 * n
            return self._generator.integers(0, 2**64, n, np.uint64)

    def uniform32(self, n: int, out: np.ndarray | None = None) -> np.ndarray:
        """float32 uniforms in [0, 1) on a grid of 2^-24, a word each; into dense memory `out`."""
        if 0 < n <= AHEAD and (values := self._next_of_ahead(n)) is not None:
            if out is None:
                return values.copy()
            out[...] = values if out.ndim == 1 else values.reshape(out.shape)
            return out
        if compiled_too("uniform32", n, self.drawn):
            res = self._compiled("uniform32", n, out)
            if res is not None:
                return res
        return grid32(self.words(n), out)

    def _next_of_ahead(self, n: int) -> np.ndarray | None:
        """The next n uniforms, of those made of all words that the twister has left.

        None if it has fewer, or if no other small draw has just come before.
        """
        with self.lock:
            left = self._ahead_end - self.drawn
            if left < n:
                again, self._small_end = self._small_end == self.drawn, self.drawn + n
                left = WORDS - self._memory.item(WORDS)
                if not again or left < n:
                    return None
                self._ahead = grid32(self._twister.random_raw(left))
                self._ahead_end = self.drawn + left
            self._memory[WORDS] = WORDS - left + n
            self.drawn += n
            self._untouched = False
            at = len(self._ahead) - left
            return self._ahead[at:at + n]

    def normal32(self, n: int) -> np.ndarray | None:
        """float32 standard normals, 16 or more, of blocks; None without a compiled kernel."""
        self.normals += n
        worth = compiled_too("normal32", n, max(self.drawn, NORMAL * self.normals))
        return self._compiled("normal32", n) if worth else None

    def uniform64(self, n: int) -> np.ndarray:
        """float64 uniforms in [0, 1) on a grid of 2^-53, two words each."""
        if compiled_too("uniform64", n, self.drawn):
            res = self._compiled("uniform64", n)
            if res is not None:
                return res
        if n < 1000:                              # words of 21 and 32 bits, so the product is exact
            words = self.words(2 * n)
            words[::2] &= LOW_21
            return words.astype(np.float64).reshape(n, 2).dot(PLACES_53)
        words = self.words64(n)
        words &= LOW_53
        values = words.astype(np.float64)
        values *= GRID_53
        return values

    def below(self, n: int, p: float, dtype=BOOL, one: float = 1) -> np.ndarray:
        """`one` for each of n uniforms as of uniform64 that is less than p, else 0."""
        limit = math.ceil(p * 2.0**53)      # u = k / 2^53 < p, asked of the integers k
        if compiled_too("below", n, self.drawn):
            res = self._compiled("below", n, limit, dtype, one)
            if res is not None:
                return res
        words = self.words64(n)
        words &= LOW_53
        found = words < np.uint64(limit)
        found = found.astype(dtype, copy=False)
        return found if one == 1 else np.multiply(found, one, found)

    def remainders(self, n: int, span: int) -> np.ndarray:
        """The next n words modulo a span below 2^32, as int64."""
        if compiled_too("remainders", n, self.drawn):
            return self._compiled("remainders", n, span)
        words = self.words(n)
        words %= number(span, np.uint64)
        return words.view(np.int64)

    def shuffled(self, n: int) -> np.ndarray | None:
        """0 to n - 1 in random order, of n - 1 words; None without a compiled kernel."""
        worth = compiled_too("shuffled", n - 1, self.drawn)
        return self._compiled("shuffled", n) if worth else None

    def _compiled(self, name, n, *args):
        """What the twin makes of the next words, which it takes from the twister's memory."""
        with self.lock:
            res = fast.twin(name)(self._memory, n, *args)
            self.drawn += n
            self._ahead_end = 0
            self._untouched = self._untouched and res is None
            return res

    def sampled(self, name: str, *parameters: np.ndarray) -> np.ndarray | None:
        """Values with these parameters by the compiled sampler `name`, if there is one that can."""
        n = parameters[0].size
        if not (n >= fast.limit(name) and fast.has(name) or compiled_too(name, n, self.drawn)):
            return None
        with self.lock:
            kept = np.array([self._kept is not None, self._kept or 0.0])
            vectors = (np.ascontiguousarray(p.reshape(-1)) for p in parameters)
            res = fast.twin(name)(self._memory, kept, *vectors)
            if res is not None:
                self._kept = float(kept[1]) if kept[0] else None
                self._untouched = False
                self.drawn += n
                self._ahead_end = 0
            return res

    def normal64(self, n: int, dtype=FLOAT64) -> np.ndarray:
        """Standard normals one after the other: a pair of uniforms gives two, the second waits.

        They are computed in float64, whatever the dtype of the result.
        """
        values = self.sampled("normals", np.empty(n)) if n >= FEW or n >= fast.LARGE else None
        if values is not None:
            return values.astype(dtype, copy=False)
        with self.lock:
            values = [] if self._kept is None or n == 0 else [self._kept]
            count = (n - len(values) + 1) // 2 * 2
            values += (_pairs_of_words(self.words(2 * count).tolist()) if count <= 16
                       else _normal_pairs(self.uniform64(count).tolist()))
            if n:
                self._kept = values.pop() if len(values) > n else None
            return np.array(values, dtype)

    def get_state(self) -> np.ndarray:
        """The state as PyTorch's torch.get_rng_state() spells it: uint8, shape (5056,)."""
        with self.lock:
            following = int(self._memory[WORDS])
            state = np.zeros((), STATE)
            state["seed"] = self._seed
            state["seeded"] = 1
            state["left"] = 625 - following
            state["next"] = 0 if self._untouched else following
            state["key"] = self._memory[:WORDS]
            if self._kept is not None:
                state["normal"], state["has_normal"] = self._kept, 1
            if self._kept32 is not None:
                state["normal32"], state["has_normal32"] = self._kept32, 1
            return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> None:
        """Continue from what get_state() gave, here or in PyTorch; RuntimeError if it is none."""
        if state.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} "
                f"but found the input RNG state size to be {state.size}"
            )
        fields = np.frombuffer(np.ascontiguousarray(state, np.uint8).tobytes(), STATE)[0]
        left = int(fields["left"])
        if not (fields["seeded"] == 1 and 1 <= left <= 624 and fields["next"] <= 624):
            raise RuntimeError("Invalid mt19937 state")
        with self.lock:
            self._seed = int(fields["seed"])
            self._memory[:WORDS] = fields["key"]
            self._memory[WORDS] = 625 - left
            self._ahead_end = 0
            self.predicted.clear()
            self._untouched = bool(fields["next"] == 0)
            self._kept = float(fields["normal"]) if fields["has_normal"] else None
            self._kept32 = float(fields["normal32"]) if fields["has_normal32"] else None


class Doubles:
    """Uniforms and normals one at a time, for samplers that reject; use as a context manager.

    Words are drawn ahead in bulk; on leaving, the stream is put back to the last word really used.
    """

    def __init__(self, stream: Stream):
        self._stream = stream

    def __enter__(self) -> Doubles:
        self._stream.lock.acquire()
        self._start = (self._stream._memory.copy(), self._stream._untouched)
        self._used = 0
        self._ahead: list[float] = []
        return self

    def __exit__(self, *exc_info) -> None:
        stream = self._stream
        stream._memory[:], stream._untouched = self._start
        stream.words(2 * self._used)
        stream._ahead_end = 0
        stream.lock.release()

    def uniform(self) -> float:
        if not self._ahead:
            self._ahead = self._stream.uniform64(256).tolist()[::-1]
        self._used += 1
        return self._ahead.pop()

    def normal(self) -> float:
        kept, self._stream._kept = self._stream._kept, None
        if kept is not None:
            return kept
        value, self._stream._kept = _normal_pairs([self.uniform(), self.uniform()])
        return value


def _normal_pairs(uniforms):
    values = []
    for a, b in zip(uniforms[::2], uniforms[1::2], strict=True):
        radius, theta = math.sqrt(-2.0 * math.log1p(-b)), 2.0 * math.pi * a
        values += (radius * math.cos(theta), radius * math.sin(theta))
    return values


def _pairs_of_words(words):
    """_normal_pairs() of the uniforms of uniform64(), so few that arrays take longer than numbers:
    two words each, of which the last 53 bits count."""
    values, each = [], iter(words)
    log1p, sqrt, sin, cos = math.log1p, math.sqrt, math.sin, math.cos
    for a, a_low, b, b_low in zip(each, each, each, each, strict=True):
        radius = sqrt(-2.0 * log1p(((b << 32 | b_low) & LAST_53) * -UNIT_53))
        theta = TWO_PI * (((a << 32 | a_low) & LAST_53) * UNIT_53)
        values += (radius * cos(theta), radius * sin(theta))
    return values
