"""Memory read in another way: as elements of another dtype, or where elements share places."""

import pytest

import retrograd as torch


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.float32, torch.float16])
@pytest.mark.parametrize("recorded", [True, False])
def test_another_dtype_of_the_memory_is_outside_the_graph(dtype, recorded):
    x = torch.ones(4, requires_grad=True)
    x = x * 1 if recorded else x
    seen = x.view(dtype)
    assert not seen.requires_grad and seen.is_leaf and not seen._is_view()
    seen.zero_()                                    # is a write to x, of which backward knows
    assert x.tolist() == [0, 0, 0, 0] and x._version == seen._version == 1


def test_a_base_that_begins_to_require_grad_leaves_its_memory_in_another_dtype_alone():
    x = torch.ones(4)
    seen = x.view(torch.int32)
    x.mul_(torch.ones(4, requires_grad=True))
    assert x.requires_grad and not seen.requires_grad


def windows(x):
    """A window onto an expanded tensor: x[0], x[1]; x[1], x[2]."""
    return x.expand(2, 3).as_strided((2, 2), (1, 1))


def test_elements_that_share_a_place_share_its_gradient():
    x = torch.arange(3., requires_grad=True)
    (g,) = torch.autograd.grad(windows(x).sum(), x)
    assert g.tolist() == [1, 2, 1]                  # as often as the window shows each
    wide = x.detach().expand(2, 3).requires_grad_()
    (g,) = torch.autograd.grad(wide.as_strided((2, 2), (1, 1)).sum(), wide)
    assert g.tolist() == [[0.5, 1, 0.5], [0.5, 1, 0.5]]
    low = torch.arange(3., dtype=torch.bfloat16, requires_grad=True)
    (g,) = torch.autograd.grad(windows(low).sum(), low)
    assert g.dtype == torch.bfloat16 and g.tolist() == [1, 2, 1]


def test_windows_onto_expanded_tensors_have_derivatives_of_every_kind():
    x = torch.arange(3., dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: windows(x)**3, x)
    assert torch.autograd.gradgradcheck(lambda x: windows(x)**3, x)
    slices = torch.arange(6.).reshape(2, 3)
    each = torch.func.vmap(torch.func.grad(lambda x: windows(x).square().sum()))(slices)
    assert each.tolist() == [[0, 4, 4], [6, 16, 10]]


def test_a_window_onto_nothing():
    x = torch.ones(2, 0, requires_grad=True)
    (g,) = torch.autograd.grad(x.expand(3, 2, 0).as_strided((0,), (1,)).sum(), x)
    assert g.shape == (2, 0)


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_window_that_overlaps_and_begins_before_its_input(start):
    x = torch.arange(8.)[2:].detach().requires_grad_()
    seen = x.as_strided((3, 2), (1, 1), start)
    (g,) = torch.autograd.grad(seen, x, torch.arange(1., 7.).view(3, 2))
    places = [1, 2 + 3, 4 + 5, 6, 0, 0, 0, 0][max(2 - start, 0):]    # what lies in x
    assert seen[0].tolist() == [start, start + 1] and g.tolist() == places[:6]


@pytest.mark.parametrize("wide", [torch.float32, torch.complex64])
def test_an_expanded_operand_of_another_dtype_has_rows_that_follow_one_another(wide):
    expanded = torch.arange(4, dtype=torch.int8).expand(2, 4)
    for made in (expanded * torch.ones(4, dtype=wide), torch.ones(4, dtype=wide) + expanded):
        assert made.stride() == (4, 1) and made.dtype == wide
        made.flatten()[0] = 7                       # a view: there is nothing to copy
        assert made[0, 0].item() == 7


def test_integers_take_the_dtype_of_what_they_are_added_to():
    """2^24 + 1 is rounded before the addition, not the sum after it; so are the integers of
    the same memory."""
    x = torch.tensor([0.5, 1.0])
    assert x.add_(torch.tensor(2**24 + 1)).tolist() == [2.0**24, 2.0**24]
    x = torch.tensor([1.0, 2.0])
    bits = x.view(torch.int32)
    assert x.add_(bits).tolist() == [0x3F800000, 0x40000000]
    with pytest.raises(RuntimeError, match="output with shape"):
        x.add_(torch.ones(2, 2, dtype=torch.bool))
    assert x._version == 1


@pytest.mark.parametrize("target, source", [(0, 1), (1, 0), (slice(0, 2), slice(2, 4)),
                                            (slice(2, 2), slice(1, 1))])
def test_rows_are_written_to_their_neighbours(target, source):
    x = torch.arange(12.).reshape(4, 3)
    wanted = x.clone()
    wanted[target] = x[source].clone()
    x[target] = x[source]
    assert x.tolist() == wanted.tolist()


def test_common_writes_of_rows_need_no_plan(monkeypatch):
    from retrograd.ops import indexing
    monkeypatch.setattr(indexing, "plan", None)
    x = torch.zeros(4, 3)
    x[-1] = torch.arange(3.)
    x[1:3:2] = torch.arange(3.)             # repeats, without a dimension of its own
    x[0] = 7
    assert x.__setitem__((0, slice(1, None)), torch.tensor([[8, 9]])) is None
    assert x.tolist() == [[7, 8, 9], [0, 1, 2], [0, 0, 0], [0, 1, 2]] and x._version == 4


def test_complex_rows_that_do_not_fit_are_named():
    x = torch.zeros(3, 4)
    with pytest.raises(RuntimeError, match=r"expand\(CPUComplexFloatType\{\[2, 3\]\}"):
        x[1] = torch.zeros(2, 3, dtype=torch.complex64)
    assert x._version == 0


@pytest.mark.parametrize("target, source", [((0, 3), (1, 4)), ((1, 4), (0, 3))])
def test_rows_are_not_written_where_they_are_read(target, source):
    x = torch.arange(12.).reshape(4, 3)
    turned = torch.arange(12.).reshape(3, 4).T      # dense too, in another order
    with pytest.raises(RuntimeError, match="single memory location"):
        x[slice(*target)] = x[slice(*source)]
    with pytest.raises(RuntimeError, match="single memory location"):
        turned.T.reshape(-1)[1:][:9].view(3, 3).T.copy_(turned.T.reshape(-1)[:9].view(3, 3).T)
    assert x.tolist() == torch.arange(12.).reshape(4, 3).tolist()
    assert turned.T.reshape(-1).tolist() == list(range(12))
