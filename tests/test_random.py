"""Seeds, generators and random operators on tensors."""

from __future__ import annotations

import copy
import pickle

import pytest

import retrograd as torch

FILLERS = {
    "uniform_": ((), "UniformBackward0"),
    "normal_": ((), "NormalBackward0"),
    "log_normal_": ((), "LogNormalBackward0"),
    "cauchy_": ((), "CauchyBackward0"),
    "exponential_": ((), "ExponentialBackward0"),
    "geometric_": ((0.5,), "GeometricBackward0"),
    "random_": ((), "RandomBackward2"),
    "bernoulli_": ((), "BernoulliBackward2"),
}


@pytest.mark.parametrize("name", FILLERS)
def test_a_fill_is_known_by_the_line_that_called_it(name):
    """So that the error about a saved value that was changed can show that line."""
    x = torch.zeros(3)
    getattr(x, name)(*FILLERS[name][0])
    wrote, code, _ = x._cell[1]
    assert (wrote, code.co_filename) == (name, __file__)


def test_the_same_seed_gives_the_same_numbers():
    first = torch.manual_seed(7) and torch.randn(20)
    second = torch.manual_seed(7) and torch.randn(20)
    assert first.tolist() == second.tolist()


def test_a_state_brings_the_numbers_back():
    state = torch.get_rng_state()
    first = torch.randn(3), torch.rand(5), torch.randperm(9)
    torch.set_rng_state(state)
    again = torch.randn(3), torch.rand(5), torch.randperm(9)
    assert [t.tolist() for t in first] == [t.tolist() for t in again]


def test_generators_leave_the_default_stream_alone():
    torch.manual_seed(3)
    expected = torch.rand(4).tolist()
    torch.manual_seed(3)
    own = torch.Generator().manual_seed(3)
    assert torch.rand(4, generator=own).tolist() == expected
    assert torch.rand(4).tolist() == expected


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_of_a_generator_continue_alike(clone):
    generator = torch.Generator().manual_seed(11)
    torch.randn(3, generator=generator)
    other = clone(generator)
    assert other.initial_seed() == 11
    drawn = [torch.randn(5, generator=g).tolist() for g in (generator, other)]
    assert drawn[0] == drawn[1]


def test_fork_rng_puts_the_state_back_even_after_an_error():
    torch.manual_seed(1)
    expected = torch.rand(2).tolist()
    torch.manual_seed(1)
    with pytest.raises(KeyError), torch.random.fork_rng():
        torch.rand(100)
        raise KeyError
    assert torch.rand(2).tolist() == expected


def test_a_process_starts_with_a_seed_of_its_own():
    fresh = type(torch.default_generator)()
    assert fresh.initial_seed() != type(torch.default_generator)().initial_seed()
    assert torch.Generator().initial_seed() == 67280421310721


@pytest.mark.parametrize("name", FILLERS)
def test_a_filler_records_a_node_whose_gradient_is_zero(name):
    arguments, node = FILLERS[name]
    x = torch.ones(4, requires_grad=True)
    y = x * 2
    version = y._version
    assert getattr(y, name)(*arguments) is y
    assert y._version == version + 1
    assert type(y.grad_fn).__name__ == node
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", FILLERS)
def test_a_leaf_that_requires_grad_is_only_filled_without_grad(name):
    arguments, _ = FILLERS[name]
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in"):
        getattr(x, name)(*arguments)
    with torch.no_grad():
        getattr(x, name)(*arguments)
    assert x.is_leaf and x.requires_grad


def test_filling_a_view_writes_through():
    base = torch.zeros(3, 4)
    base[:, 1].uniform_(1, 2)
    assert (base.numpy()[:, 1] >= 1).all() and (base.numpy()[:, 0] == 0).all()


def test_the_parameters_of_draws_get_zero_gradients():
    p = torch.full((3,), 0.5, requires_grad=True)
    draws = torch.bernoulli(p) + torch.poisson(p) + torch.normal(p, 1.0) + torch.normal(p, p)
    draws.sum().backward()
    assert p.grad.tolist() == [0, 0, 0]


def test_transposed_memory_is_filled_in_its_own_order():
    torch.manual_seed(0)
    flat = torch.rand(12)
    torch.manual_seed(0)
    assert torch.zeros(3, 4).t().uniform_().t().flatten().tolist() == flat.tolist()


def test_multinomial_without_replacement_draws_each_once():
    picks = torch.multinomial(torch.rand(5, 30) + 0.1, 30)
    assert all(sorted(row) == list(range(30)) for row in picks.tolist())


@pytest.mark.live
def test_states_travel_to_the_installed_pytorch_and_back():
    real = pytest.importorskip("torch")
    torch.manual_seed(5)
    torch.randn(3)
    real.set_rng_state(real.from_numpy(torch.get_rng_state().numpy()))
    assert real.randn(5).tolist() == torch.randn(5).tolist()
    torch.set_rng_state(torch.from_numpy(real.get_rng_state().numpy()))
    assert real.rand(3).tolist() == torch.rand(3).tolist()


def test_a_tensor_for_a_dropouts_probability():
    """It is the number, and draws what the number draws."""
    F, x = torch.nn.functional, torch.ones(2, 40)
    for drop in (F.dropout, F.alpha_dropout, F.dropout1d, F.feature_alpha_dropout):
        made = []
        for p in (0.3, torch.tensor(0.3, dtype=torch.float64)):
            torch.manual_seed(0)
            made.append(drop(x, p, True))
        assert torch.equal(*made)
