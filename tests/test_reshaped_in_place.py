"""t_(), unsqueeze_() and their kin: a tensor that becomes a view of itself has its gradients."""

import pytest

import retrograd as torch
from retrograd.autograd import forward_ad

CHANGES = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, 1),
    "unsqueeze_": lambda x: x.unsqueeze_(1),
    "squeeze_": lambda x: x.unsqueeze_(0).squeeze_(0),
    "as_strided_": lambda x: x.as_strided_((3, 2), (1, 3)),
    "t_, a write, t_": lambda x: x.t_().mul_(2).t_(),
}
CHANGED = {"t_": lambda x: x.t(),
           "transpose_": lambda x: x.transpose(0, 1),
           "unsqueeze_": lambda x: x.unsqueeze(1),
           "squeeze_": lambda x: x,
           "as_strided_": lambda x: x.as_strided((3, 2), (1, 3)),
           "t_, a write, t_": lambda x: x * 2}


def weights(y):
    return torch.arange(1.0, y.numel() + 1, dtype=y.dtype).reshape(y.shape)


def both(name, of_a_view):
    """The changed tensor twice: in place, and by what it should equal; with their leaves."""
    for change in (CHANGES[name], CHANGED[name]):
        leaf = torch.arange(1.0, 7.0, dtype=torch.float64, requires_grad=True)
        base = leaf * leaf
        y = base.view(2, 3) if of_a_view else base.view(2, 3).clone()
        yield leaf, change(y)


@pytest.mark.parametrize("of_a_view", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_gradients_are_those_of_the_change_out_of_place(name, of_a_view):
    (leaf, y), (other_leaf, expected) = both(name, of_a_view)
    assert torch.equal(y, expected) and y.stride() == expected.stride()
    for power in (1, 2):
        grads = [torch.autograd.grad((t**power * weights(t)).sum(), x, create_graph=True)[0]
                 for x, t in ((leaf, y), (other_leaf, expected))]
        assert torch.equal(*grads)
    again = [torch.autograd.grad(g.sum(), x)[0]
             for g, x in zip(grads, (leaf, other_leaf), strict=True)]
    assert torch.equal(*again)


def test_the_base_of_a_view_is_as_it_was():
    leaf = torch.ones(6, requires_grad=True)
    base = leaf * 3
    view, other = base.view(2, 3), base.view(2, 3)
    view.t_()
    assert base.grad_fn.name() == "MulBackward0" and view.grad_fn.name() == "TBackward1"
    view[0] *= 2
    (base + other.view(6)).sum().backward()
    assert leaf.grad.tolist() == [12, 6, 6, 12, 6, 6]


@pytest.mark.parametrize("of_a_view", [False, True])
def test_hooks_stay_with_the_old_shape_and_retain_grad_goes_on(of_a_view):
    base = torch.ones(6, requires_grad=True) * 1
    y = base.view(2, 3) if of_a_view else base.view(2, 3).clone()
    shapes = []
    y.retain_grad()
    y.register_hook(lambda g: shapes.append(tuple(g.shape)))
    y.t_()
    y.register_hook(lambda g: shapes.append(tuple(g.shape)))
    (y * 2).sum().backward()
    assert shapes == [(3, 2), (2, 3)] and y.grad.shape == (3, 2)


@pytest.mark.parametrize("of_a_view", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_forward_mode(name, of_a_view):
    x = torch.arange(6.0, dtype=torch.float64).view(2, 3)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.clone(), x * 10)
        y = CHANGES[name](dual.view(2, 3) if of_a_view else dual.clone())
        value, rate = forward_ad.unpack_dual(y)
        assert torch.equal(rate, CHANGED[name](x * 10))
        assert torch.equal(value, CHANGED[name](x))
        if of_a_view:
            y.mul_(2)
            assert torch.equal(forward_ad.unpack_dual(dual).tangent, dual.detach() * 10)
