"""The questions about __torch_function__ that libraries ask."""

import pytest

import retrograd as torch
from retrograd import overrides


class Refuses:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Answers:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, types, args, kwargs


def public(*args, **kwargs):
    if overrides.has_torch_function(args):
        return overrides.handle_torch_function(public, args, *args, **kwargs)
    return "plain"


def test_who_is_tensor_like():
    assert overrides.is_tensor_like(torch.ones(1))
    assert overrides.is_tensor_like(Answers())
    assert not overrides.is_tensor_like(1.0)


def test_plain_tensors_override_nothing():
    assert not overrides.has_torch_function((torch.ones(1), torch.nn.Parameter(torch.ones(1)), 3))
    assert overrides.has_torch_function((torch.ones(1), Answers()))
    assert public(torch.ones(1), 2) == "plain"


def test_the_protocol_is_called_in_order():
    refuses, answers = Refuses(), Answers()
    name, types, args, kwargs = public(refuses, answers, k=1)
    assert (name, types, args, kwargs) == (
        "public",
        (Refuses, Answers),
        (refuses, answers),
        {"k": 1},
    )
    with pytest.raises(TypeError, match="no implementation found for '.*public' on types that"):
        public(refuses)


def test_wrapped_functions_ask_the_protocol():
    @overrides.wrap_torch_function(lambda a: (a,))
    def twice(a):
        return a * 2

    assert twice(3) == 6
    assert twice(Answers())[0] == "twice"
