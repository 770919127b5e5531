"""set_num_threads reaches NumPy's own threads; torch.compile returns what it is given."""

from __future__ import annotations

import pytest

import retrograd as torch


def test_threads_are_set_and_read():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
    torch.set_num_interop_threads(3)
    assert torch.get_num_interop_threads() == 3


@pytest.mark.parametrize(
    "number, message", [(0, "a positive integer"), (2.5, "an int, but got float")]
)
def test_refused_numbers(number, message):
    for name in "set_num_threads", "set_num_interop_threads":
        with pytest.raises(RuntimeError, match=f"{name} expects {message}"):
            getattr(torch, name)(number)


def test_compile_is_the_identity():
    def double(x):
        return x * 2

    with pytest.warns(UserWarning, match="without compiling"):
        torch.set_warn_always(True)
        assert torch.compile(double) is double
    torch.set_warn_always(False)
    assert torch.compile(disable=True)(double) is double
    assert not torch.compiler.is_compiling()
