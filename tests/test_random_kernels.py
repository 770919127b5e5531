"""The random kernels draw PyTorch's numbers and leave its state, whatever the mix of calls."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from random_cases import sequence
from retrograd.kernels import fast, normal_fill, random_reject
from retrograd.kernels import random as kernels
from retrograd.kernels.fma import fma_f32, fma_f64, scale_shift
from retrograd.kernels.stream import DEFAULT_SEED, MANY, Stream, grid32

ml_dtypes = pytest.importorskip("ml_dtypes")
RECORDED = np.load(Path(__file__).parent / "data" / "random_kernels.npz")
SEQUENCES = sorted({int(key.split("/")[0]) for key in RECORDED.files})


def draw(stream, name, **arguments):
    module = kernels if hasattr(kernels, name) else random_reject
    if arguments.get("dtype") == "bfloat16":
        arguments["dtype"] = ml_dtypes.bfloat16
    result = getattr(module, name)(stream, **arguments)
    return result.view(np.uint16) if result.dtype == ml_dtypes.bfloat16 else result


def assert_same(actual, expected):
    """Equal, floating-point values to a unit in the last place (the C library's sine differs)."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.dtype.kind in "fc":
        np.testing.assert_array_max_ulp(actual.real, expected.real, 1)
        np.testing.assert_array_max_ulp(actual.imag, expected.imag, 1)
    else:
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("number", SEQUENCES)
def test_mixed_calls_draw_the_recorded_numbers_and_state(number):
    stream = Stream()
    stream.manual_seed(int(str(RECORDED[f"{number}/seed"])))
    for i, call in enumerate(sequence(number)):
        assert_same(draw(stream, **call), RECORDED[f"{number}/{i}"])
    digest = sha256(stream.get_state().tobytes()).hexdigest()
    assert digest == str(RECORDED[f"{number}/state"])


@pytest.mark.live
@pytest.mark.parametrize("number", range(100, 110))
def test_mixed_calls_agree_with_the_installed_pytorch(number):
    pytest.importorskip("torch")
    from record.random_kernels import run

    stream = Stream(number)
    calls = sequence(number)
    arrays, digest = run(number, calls)
    for call, expected in zip(calls, arrays, strict=True):
        assert_same(draw(stream, **call), expected)
    assert digest == sha256(stream.get_state().tobytes()).hexdigest()


def test_seeds():
    stream = Stream()
    assert stream.initial_seed() == DEFAULT_SEED
    stream.manual_seed(-1)
    assert stream.initial_seed() == 2**64 - 1
    assert stream.seed() == stream.initial_seed()


def test_state_restores_the_kept_normal():
    stream = Stream(3)
    stream.normal64(1)
    state = stream.get_state()
    assert state.shape == (5056,) and state.dtype == np.uint8
    first = stream.normal64(3)
    stream.set_state(state)
    assert np.array_equal(stream.normal64(3), first)


@pytest.mark.parametrize(
    "state, message",
    [
        (np.zeros(10, np.uint8), "Expected a CPUGeneratorImplState of size 5056 but found"),
        (np.zeros(5056, np.uint8), "Invalid mt19937 state"),
    ],
)
def test_foreign_states_are_refused(state, message):
    with pytest.raises(RuntimeError, match=message):
        Stream().set_state(state)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n", [0, 1, 70_000, 200_000])
def test_permutation_is_fisher_and_yates(n, compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(fast, "has", lambda name: False)
    words = Stream(7).words(max(n - 1, 0)).tolist()
    order = list(range(n))
    for i, word in enumerate(words):
        j = i + word % (n - i)
        order[i], order[j] = order[j], order[i]
    assert kernels.permutation(Stream(7), n).tolist() == order


@pytest.mark.parametrize("count", [1, 3, 40])
def test_several_draws_with_replacement_are_found_in_either_way(count, monkeypatch):
    probs = np.random.default_rng(0).random((7, 9), np.float32)
    at_once = kernels.multinomial(Stream(3), probs, count, True)
    rows = np.random.default_rng(0).random(9, np.float32)
    one = kernels.multinomial(Stream(3), rows, count, True)
    monkeypatch.setattr(kernels, "SORTED", 0)
    np.testing.assert_array_equal(kernels.multinomial(Stream(3), probs, count, True), at_once)
    np.testing.assert_array_equal(kernels.multinomial(Stream(3), rows[None], count, True)[0], one)


def test_uniform_rounded_up_to_the_open_end_becomes_the_lower():
    values = kernels.uniform(Stream(0), (20000,), np.float16)
    assert values.max() < 1
    assert values.min() == 0


def test_fused_multiply_add_rounds_once():
    a = 1 + 2.0**-30
    assert a * a - 1 != 2.0**-29 + 2.0**-60
    assert fma_f64(np.array([a]), a, -1.0) == 2.0**-29 + 2.0**-60
    assert fma_f64(np.array([0.5]), 2.0**1023, 1.0) == 2.0**1022      # whose halves overflow


def test_fused_multiply_add_keeps_infinities():
    assert fma_f64(np.array([1.0, -1.0]), 2.0, np.inf).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("dtype, fma", [(np.float32, fma_f32), (np.float64, fma_f64)])
def test_a_product_without_a_shift_is_a_sum_with_zero(dtype, fma):
    x = np.random.default_rng(0).standard_normal(99).astype(dtype)
    x[:4] = 0.0, -0.0, np.inf, 1e-38
    fused = fma(x, dtype(0.1), dtype(0))
    assert scale_shift(x, 0.1, 0.0).tobytes() == fused.tobytes()
    assert kernels.cauchy(Stream(0), (1,), np.float64, np.inf, 0.5) == np.inf
    assert kernels.normal(Stream(0), (20,), np.float64, -np.inf).tolist() == [-np.inf] * 20


def test_threads_share_a_stream_without_losing_words():
    stream, drawn = Stream(0), []
    threads = [Thread(target=lambda: drawn.append(stream.uniform32(1000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(np.sort(np.concatenate(drawn)), np.sort(Stream(0).uniform32(8000)))


@pytest.fixture
def numpy_alone(monkeypatch):
    monkeypatch.setattr(fast, "has", lambda name: False)


@pytest.mark.parametrize("n", (16, 20, 100, 512))
def test_predicted_normals_are_those_drawn_one_at_a_time(n, numpy_alone):
    ahead, alone = Stream(7), Stream(7)
    for k in range(70):
        alone.set_state(alone.get_state())               # forgets what was predicted
        np.testing.assert_array_equal(kernels.normal(ahead, (n,), "f4", k % 3),
                                      kernels.normal(alone, (n,), "f4", k % 3))
        if k % 30 == 20:
            np.testing.assert_array_equal(ahead.words(k % 7), alone.words(k % 7))
        np.testing.assert_array_equal(ahead.get_state(), alone.get_state())
    ahead.manual_seed(7)
    np.testing.assert_array_equal(kernels.normal(ahead, (n,), "f4"),
                                  kernels.normal(Stream(7), (n,), "f4"))


BETWEEN = {
    "uniforms": lambda stream, k: stream.uniform32(50),
    "doubles": lambda stream, k: stream.uniform64(3),
    "another size": lambda stream, k: kernels.normal(stream, (48,), np.dtype("f4")),
    "more each time": lambda stream, k: stream.words(k),
    "now and then": lambda stream, k: stream.words(1 if k % 9 == 8 else 0),
    "a state": lambda stream, k: stream.set_state(Stream(k // 4).get_state()),
    "a sampler": lambda stream, k: random_reject.standard_gamma(
        stream, np.full(3, 0.5, np.float32)),
    "a new seed": lambda stream, k: stream.manual_seed(k // 4),
}


@pytest.mark.parametrize("between", BETWEEN)
def test_normals_predicted_past_other_draws_are_those_drawn_one_at_a_time(between, numpy_alone):
    ahead, alone = Stream(7), Stream(7)
    for k in range(70):
        alone.predicted.clear()
        for stream in ahead, alone:
            BETWEEN[between](stream, k)
        np.testing.assert_array_equal(kernels.normal(ahead, (20,), np.dtype("f4")),
                                      kernels.normal(alone, (20,), np.dtype("f4")))
        np.testing.assert_array_equal(ahead.get_state(), alone.get_state())


def test_normals_are_predicted_past_as_many_other_words_each_time(monkeypatch, numpy_alone):
    made = []
    monkeypatch.setattr(kernels, "normal_blocks",
                        lambda *a: made.append(1) or normal_fill.normal_blocks(*a))
    stream = Stream(0)
    for _ in range(40):
        kernels.normal(stream, (64,), np.dtype("f4"))
        stream.uniform32(8)
        kernels.normal(stream, (20,), np.dtype("f4"))
    assert len(made) < 10


@pytest.mark.parametrize("name", ["standard_gamma", "poisson", "binomial"])
def test_parameters_that_are_not_contiguous(name):
    draw = getattr(random_reject, name)
    for parameter in np.linspace(0.5, 3, 6000)[::2], np.broadcast_to(0.3, 3000):
        given = (parameter, np.broadcast_to(0.5, 3000))[:2 if name == "binomial" else 1]
        np.testing.assert_array_equal(draw(Stream(0), *given),
                                      draw(Stream(0), *map(np.ascontiguousarray, given)))


@pytest.mark.skipif(not fast.enabled(), reason="needs Numba")
def test_who_draws_often_gets_the_kernels(monkeypatch):
    asked, twin = [], fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.append(name) or twin(name))
    monkeypatch.setattr(fast, "LARGE", 1 << 15)
    monkeypatch.delitem(sys.modules, "retrograd.kernels.fast.pool", raising=False)
    seldom, often = Stream(1), Stream(1)
    expected = seldom.uniform32(20)
    assert not asked
    often.drawn = MANY
    np.testing.assert_array_equal(often.uniform32(20), expected)
    assert asked == ["uniform32"]


@pytest.mark.skipif(not fast.enabled(), reason="needs Numba")
def test_who_draws_normals_gets_the_kernels_sooner(monkeypatch):
    asked, twin = [], fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.append(name) or twin(name))
    monkeypatch.setattr(fast, "LARGE", 1 << 15)
    monkeypatch.setattr(fast, "in_use", lambda: False)
    stream = Stream(1)
    for _ in range(MANY // 4 // 10_000):
        kernels.normal(stream, (10_000,), np.float32)
    assert not asked
    kernels.normal(stream, (10_000,), np.float32)
    assert asked == ["normal32"]


FEW_DRAWS = {
    "uniform": lambda stream, n: kernels.uniform(stream, (n,), np.float32),
    "uniform, float64": lambda stream, n: kernels.uniform(stream, (n,), np.float64, -1, 2),
    "normal": lambda stream, n: kernels.normal(stream, (n,), np.float32),
    "normal by numbers": lambda stream, n: kernels.normal(stream, (n,), np.float32, 0.5, 3.0),
    "bernoulli": lambda stream, n: kernels.bernoulli(stream, (n,), 0.3, np.dtype("f4")),
    "exponential": lambda stream, n: kernels.exponential(stream, (n,), np.float32),
    "integers": lambda stream, n: kernels.integers(stream, (n,), np.int64, -3, 9),
    "permutation": kernels.permutation,
    "gamma": lambda stream, n: random_reject.standard_gamma(stream, np.full(n, 0.5, np.float32)),
}


@pytest.mark.skipif(not fast.enabled(), reason="needs Numba")
@pytest.mark.parametrize("draw", FEW_DRAWS)
def test_few_draws_are_the_same_where_kernels_are_in_use(draw, monkeypatch):
    compiled, plain = Stream(5), Stream(5)
    compiled.drawn = MANY
    for n in (1, 0, 2, 15, 16, 17, 31, 100, 700, 1, 1300):
        found = FEW_DRAWS[draw](compiled, n)
        with monkeypatch.context() as m:
            m.setattr(fast, "has", lambda name: False)
            np.testing.assert_array_equal(found, FEW_DRAWS[draw](plain, n))
        np.testing.assert_array_equal(compiled.get_state(), plain.get_state())


@pytest.mark.parametrize("shape, count", [((1000,), 5), ((3, 400), 99), ((257,), 64), ((9,), 2)])
def test_the_first_in_a_race_come_in_order(shape, count):
    """As if all were sorted, also where many are equal."""
    rng = np.random.default_rng(0)
    for race in (rng.random(shape), rng.integers(0, 9, shape), np.where(rng.random(shape) < 0.1,
                                                                       np.nan, 1.0)):
        race = race.astype("f4")
        expected = np.argsort(-race, axis=-1, kind="stable")[..., :count]
        np.testing.assert_array_equal(kernels.first_in(race, count), expected)


@pytest.mark.parametrize("between", [
    lambda s: s.words(5), lambda s: s.words(700), lambda s: s.words64(1000), lambda s: s.skip(3),
    lambda s: s.set_state(Stream(9).get_state()), lambda s: s.manual_seed(8),
    lambda s: kernels.normal(s, (40,), np.float32), lambda s: random_reject.standard_gamma(
        s, np.ones(3)), lambda s: s.uniform32(0)])
def test_small_uniforms_made_ahead_are_those_of_the_next_words(between):
    """Whatever else is drawn in between, and past the end of the twister's words."""
    ahead, plain = Stream(5), Stream(5)
    for n in (1, 3, 3, 60, 7, 1, 64, *[11] * 60):
        np.testing.assert_array_equal(ahead.uniform32(n), grid32(plain.words(n)))
        if n in (60, 64):
            between(ahead)
            between(plain)
        np.testing.assert_array_equal(ahead.get_state(), plain.get_state())


@pytest.mark.parametrize("shape", [(100, 100), (4, 25, 100)])
def test_draws_into_matrices_stay_in_their_memory(shape):
    pytest.importorskip("numba")
    memory = np.zeros(1_010_000, np.float32)
    out = memory[:10_000].reshape(shape)
    assert fast.twin("uniform32")(Stream(3)._memory, 10_000, out) is out
    assert np.array_equal(out.reshape(-1), fast.twin("uniform32")(Stream(3)._memory, 10_000))
    assert not memory[10_000:].any()
