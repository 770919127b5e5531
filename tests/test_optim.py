"""Optimizers and schedules: PyTorch's curves, state, settings, hooks and messages."""

from __future__ import annotations

import copy
import gc
import importlib
import inspect
import pickle
import weakref

import numpy as np
import pytest

import retrograd as torch
from comparing import load
from optim_cases import (
    HALVES,
    OPTIMIZERS,
    SCHEDULES,
    half_run,
    make_net,
    optimizer_run,
    schedule_run,
)
from retrograd.kernels import fast
from retrograd.optim import _together

RECORDED = load("optim.json")
LOOSE = {"Muon": 2e-3}  # bfloat16 inside


def assert_same_run(found, expected, tolerance):
    for key, value in expected.items():
        if key in ("losses", "weights", "rates", "momenta"):
            np.testing.assert_allclose(found[key], value, rtol=tolerance, atol=tolerance)
        else:
            assert found[key] == value


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_200_steps_on_the_digits(name):
    expected = RECORDED["optimizers"][name]
    assert_same_run(optimizer_run(torch, name), expected, LOOSE.get(name, 1e-5))


@pytest.mark.parametrize("name", SCHEDULES)
def test_200_steps_under_a_schedule(name):
    assert_same_run(schedule_run(torch, name), RECORDED["schedules"][name], 1e-5)


@pytest.mark.parametrize("dtype, unit", [("float16", 2**-10), ("bfloat16", 2**-7)])
@pytest.mark.parametrize("name", HALVES)
def test_halves_are_rounded_as_pytorchs(name, dtype, unit):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    found, expected = half_run(torch, name, dtype), RECORDED["halves"][dtype][name]
    np.testing.assert_allclose(found["values"], expected["values"], rtol=3 * unit, atol=2 * unit)
    assert found["state"] == expected["state"]


@pytest.mark.live
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_200_steps_live(name):
    real = pytest.importorskip("torch")
    real.set_num_threads(1)
    expected = optimizer_run(real, name)
    assert_same_run(optimizer_run(torch, name), expected, LOOSE.get(name, 1e-5))


def leaf(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def with_gradients(*params):
    for p in params:
        p.grad = torch.ones_like(p)
    return list(params)


ALL = ["SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adadelta", "Adagrad", "RMSprop",
       "Rprop", "ASGD"]  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_complex_parameters_are_pairs_of_reals(name):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    x = torch.view_as_real(z.detach()).clone().requires_grad_()
    first, second = (getattr(torch.optim, name)([p], lr=0.1) for p in (z, x))
    for i in range(5):
        x.grad = torch.arange(4.0).view(2, 2) - i
        z.grad = torch.view_as_complex(x.grad.clone())
        first.step()
        second.step()
    assert torch.view_as_real(z.detach()).equal(x.detach())


@pytest.mark.parametrize("name", ALL)
def test_long_parameters_are_updated_in_blocks(name):
    whole = torch.linspace(-1, 1, 90_000).view(300, 300).requires_grad_()
    part = whole.detach()[:3, :5].clone().requires_grad_()
    for p in (whole, part):
        optimizer = getattr(torch.optim, name)([p])
        for _ in range(3):
            p.grad = p.detach() * 2
            optimizer.step()
    assert whole[:3, :5].equal(part)


def three_steps(name, share):
    """Of ten short parameters, some not updated as often; perhaps one has another's memory."""
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (5,), (), (0,), (2, 1, 2)] * 2
    parameters = [torch.nn.Parameter(torch.tensor(rng.standard_normal(s))) for s in shapes]
    if share:
        parameters.append(torch.nn.Parameter(parameters[5].data.t()))
    optimizer = getattr(torch.optim, name)(parameters, lr=0.1)
    for step in range(3):
        for p in parameters[step:]:
            p.grad = torch.tensor(rng.standard_normal(tuple(p.shape)))
        optimizer.step()
    return [p.tolist() for p in parameters]


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("name", ["Adam", "AdamW", "NAdam", "RMSprop", "Rprop", "ASGD"])
def test_short_parameters_are_updated_as_one(name, share, monkeypatch):
    """To the same bits; where two share memory, one after the other."""
    monkeypatch.setattr(fast, "in_use", lambda: False)
    monkeypatch.setattr(_together, "FEWEST", 99)
    expected = three_steps(name, share)
    together = []
    as_one = _together._as_one
    monkeypatch.setattr(_together, "_as_one", lambda *args: (together.append(1), as_one(*args)))
    monkeypatch.setattr(_together, "FEWEST", 2)
    assert three_steps(name, share) == expected
    assert bool(together) != share


@pytest.mark.parametrize("name", ALL)
def test_noncontiguous_parameters_are_updated(name):
    plain = torch.arange(6.0).view(2, 3).requires_grad_()
    turned = torch.arange(6.0).view(2, 3).t().contiguous().t().detach().requires_grad_()
    assert not turned.is_contiguous()
    for p in with_gradients(plain, turned):
        getattr(torch.optim, name)([p]).step()
    assert plain.equal(turned)


@pytest.mark.parametrize("name", ALL)
def test_gradients_flow_through_differentiable_steps(name):
    x = torch.tensor([0.5, -0.7, 0.9], dtype=torch.float64, requires_grad=True)
    settings = dict(lr=0.1, differentiable=True)

    def two_steps(x):
        p = x.clone()
        optimizer = getattr(torch.optim, name)([p], **settings)
        for i in range(2):
            p.grad = (x * (i + 1.5)).sin()
            optimizer.step()
        return p

    assert torch.autograd.gradcheck(two_steps, (x,))


def test_a_learning_rate_can_be_learnt():
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    p = torch.ones(2, dtype=torch.float64, requires_grad=True).clone()
    optimizer = torch.optim.SGD([p], lr=lr, differentiable=True)
    p.grad = torch.tensor([1.0, 3.0], dtype=torch.float64)
    optimizer.step()
    p.sum().backward()
    assert lr.grad.item() == -4


def test_an_update_between_forward_and_backward_is_named():
    p = leaf(1.0, 2.0)
    loss = (p * p).sum()
    with_gradients(p)
    torch.optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        loss.backward()
    assert "SGD.step() changed `p`" in str(error.value) and "test_optim.py" in str(error.value)


def test_settings_of_groups():
    a, b, c = leaf(1.0), leaf(1.0), leaf(1.0)
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": iter([c]), "momentum": 0.9})
    assert [g["lr"] for g in optimizer.param_groups] == [0.1, 0.5, 0.1]
    with_gradients(a, b, c)
    optimizer.step()
    np.testing.assert_allclose([a.item(), b.item(), c.item()], [0.9, 0.5, 0.9], rtol=1e-6)
    assert list(optimizer.state) == [c]


def test_named_parameters():
    net = make_net(torch)
    optimizer = torch.optim.Adam(net.named_parameters())
    names = ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == names
    unnamed = torch.optim.Adam(net.parameters())
    optimizer.load_state_dict(unnamed.state_dict())
    assert optimizer.param_groups[0]["param_names"] == names


def test_zero_grad():
    a, b = with_gradients(leaf(1.0), leaf(1.0))
    optimizer = torch.optim.SGD([a, b])
    kept = a.grad
    optimizer.zero_grad(set_to_none=False)
    assert a.grad is kept and kept.item() == 0
    optimizer.zero_grad()
    assert a.grad is None
    optimizer.step()
    assert a.item() == 1


def test_closure_runs_with_recording():
    p = leaf(2.0)
    optimizer = torch.optim.Adam([p])

    def closure():
        optimizer.zero_grad()
        loss = p * p
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 4


def test_state_dict_is_cast_to_the_parameters():
    p = leaf(1.0, 2.0)
    optimizer = torch.optim.Adam(with_gradients(p))
    optimizer.step()
    q = leaf(1.0, 2.0, dtype=torch.float64)
    other = torch.optim.Adam([q], lr=7.0)
    other.load_state_dict(optimizer.state_dict())
    state = other.state[q]
    assert state["exp_avg"].dtype == torch.float64 and state["step"].dtype == torch.float32
    assert other.param_groups[0]["lr"] == 1e-3 and other.param_groups[0]["params"] == [q]


def test_old_state_dictionaries_count_in_numbers():
    p = leaf(1.0)
    optimizer = torch.optim.Adam(with_gradients(p))
    optimizer.step()
    old = optimizer.state_dict()
    old["state"][0]["step"] = 1
    for setting in ("maximize", "foreach", "capturable", "differentiable", "fused"):
        del old["param_groups"][0][setting]
    optimizer.load_state_dict(old)
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 2
    assert optimizer.param_groups[0]["maximize"] is False


@pytest.mark.parametrize("name", ["Adafactor", "Muon", "LBFGS", "SparseAdam", "Adam"])
def test_groups_keep_their_settings_when_loaded_again_and_again(name):
    optimizer = getattr(torch.optim, name)([torch.ones(2, 2, requires_grad=True)])
    settings = list(optimizer.param_groups[0])
    for _ in range(2):
        optimizer.load_state_dict(optimizer.state_dict())
        optimizer = pickle.loads(pickle.dumps(optimizer))
    assert sorted(optimizer.param_groups[0]) == sorted(settings)


@pytest.mark.parametrize("name", [*ALL, "LBFGS", "Adafactor"])
def test_copies_and_pickles(name):
    p = leaf(1.0, 2.0)
    optimizer = getattr(torch.optim, name)([p], lr=0.5)

    def closure():
        p.grad = p.detach() * 2
        return (p * p).sum()

    optimizer.step(closure)
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert repr(other) == repr(optimizer)
        assert str(other.state_dict()) == str(optimizer.state_dict())
        assert other.param_groups[0]["params"][0] is not p


def test_hooks_in_their_order():
    seen = []
    p = leaf(1.0)
    optimizer = torch.optim.SGD([p])
    base = torch.optim.optimizer
    handles = [
        base.register_optimizer_step_pre_hook(lambda *a: seen.append("all before")),
        base.register_optimizer_step_post_hook(lambda *a: seen.append("all after")),
        optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before")),
        optimizer.register_step_post_hook(lambda *a: seen.append("after")),
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("pack")),
        optimizer.register_state_dict_post_hook(lambda o, d: {**d, "note": 1}),
        optimizer.register_load_state_dict_pre_hook(lambda o, d: seen.append(d["note"])),
        optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded")),
    ]
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    order = ["all before", "before", "after", "all after", "pack", 1, "loaded"]
    assert seen == order
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert seen == order


def test_hooks_can_replace_the_arguments():
    class Noting(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {})

        def step(self, closure=None, note=None):
            return note

    optimizer = Noting([leaf(1.0)])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: (args, {"note": "new"}))
    assert optimizer.step(note="old") == "new"
    optimizer.register_step_pre_hook(lambda *a: 1)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        optimizer.step()


def test_optimizers_die_with_their_last_name():
    p = leaf(1.0)
    optimizer = torch.optim.Adam(with_gradients(p))
    torch.optim.lr_scheduler.StepLR(optimizer, 3)
    optimizer.step()
    gone = weakref.ref(optimizer)
    gc.disable()
    try:
        del optimizer
        assert gone() is None
    finally:
        gc.enable()


MESSAGES = [
    (lambda o: o.SGD(leaf(1.0)), TypeError, "params argument given to the optimizer should be an "
     "iterable of Tensors or dicts, but got torch.FloatTensor"),
    (lambda o: o.SGD([]), ValueError, "optimizer got an empty parameter list"),
    (lambda o: o.SGD([1.0]), TypeError, "optimizer can only optimize Tensors, but one of the "
     "params is float"),
    (lambda o: o.SGD([leaf(1.0) * 2]), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda o: o.SGD([{"params": {leaf(1.0)}}]), TypeError, "optimizer parameters need to be "
     "organized in ordered collections, but the ordering of tensors in sets will change between "
     "runs. Please use a list instead."),
    (lambda o: o.SGD([leaf(1.0)], lr=-1), ValueError, "Invalid learning rate: -1"),
    (lambda o: o.SGD([leaf(1.0)], lr=torch.ones(2)), ValueError, "Tensor lr must be 1-element"),
    (lambda o: o.SGD([leaf(1.0)], nesterov=True), ValueError, "Nesterov momentum requires a "
     "momentum and zero dampening"),
    (lambda o: o.Adam([leaf(1.0)], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index "
     "0: 1.0"),
    (lambda o: o.Adam([leaf(1.0)], fused=True, foreach=True), RuntimeError, "`fused` and `foreach` "
     "cannot be `True` together."),
    (lambda o: o.Adam(with_gradients(leaf(1.0)), capturable=True).step(), AssertionError, "If "
     "capturable=True, params and state_steps must be on supported devices: ['cuda', 'xpu', "
     "'hpu', 'privateuseone', 'xla']."),
    (lambda o: o.SparseAdam(with_gradients(leaf(1.0))).step(), RuntimeError, "SparseAdam does not "
     "support dense gradients, please consider Adam instead"),
    (lambda o: o.Muon([leaf(1.0)]), ValueError, "Muon only supports 2D parameters whereas we found "
     "a parameter with size: torch.Size([1])"),
    (lambda o: o.LBFGS([leaf(1.0)]).step(), TypeError, "LBFGS.step() missing 1 required positional "
     "argument: 'closure'"),
    (lambda o: o.lr_scheduler.StepLR(3, 1), TypeError, "int is not an Optimizer"),
    (lambda o: o.lr_scheduler.CyclicLR(o.Adagrad([leaf(1.0)]), 0.1, 1), ValueError, "optimizer "
     "must support momentum or beta1 with `cycle_momentum` option enabled"),
    (lambda o: o.lr_scheduler.OneCycleLR(o.SGD([leaf(1.0)]), 0.1), ValueError, "You must define "
     "either total_steps OR (epochs AND steps_per_epoch)"),
    (lambda o: o.lr_scheduler.OneCycleLR(o.SGD([{"params": [leaf(1.0)], "initial_lr": 1.0}],
     momentum=0.9), 0.1, 10, last_epoch=3), KeyError, "'max_lr'"),
    (lambda o: rprop(o, leaf(1.0), 0), RuntimeError, "API has changed, `state_steps` argument must "
     "contain a list of singleton tensors"),
    (lambda o: rprop(o, leaf(1.0), torch.zeros(())), RuntimeError, "a leaf Variable that requires "
     "grad is being used in an in-place operation."),
]  # fmt: skip


def rprop(optim, p, step):
    sizes = dict(step_size_min=1e-6, step_size_max=1.0, etaminus=0.5, etaplus=1.2)
    return optim.rprop.rprop([p], [p.detach()], [p.detach()], [p.detach()], [step], **sizes)


@pytest.mark.parametrize("act, kind, message", MESSAGES, ids=range(len(MESSAGES)))
def test_bad_arguments_raise_pytorchs_words(act, kind, message):
    with pytest.raises(kind) as error:
        act(torch.optim)
    assert str(error.value).partition("\n\n")[0] == message      # below it stands the cure


def test_loading_another_layout():
    a, b = leaf(1.0), leaf(2.0)
    one = torch.optim.SGD([a])
    with pytest.raises(ValueError, match="different number of parameter groups"):
        one.load_state_dict(torch.optim.SGD([{"params": [a]}, {"params": [b]}]).state_dict())
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        one.load_state_dict(torch.optim.SGD([a, b]).state_dict())
    with pytest.raises(ValueError, match="appear in more than one parameter group"):
        one.add_param_group({"params": [a]})
    with pytest.warns(UserWarning, match="duplicate parameters"):
        torch.optim.SGD([a, a])


def test_a_schedule_before_its_optimizer_warns():
    optimizer = torch.optim.SGD([leaf(1.0)])
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match="before `optimizer.step\\(\\)`"):
        scheduler.step()


@pytest.mark.parametrize("name", [name for name in SCHEDULES if name != "SWALR"])
def test_schedules_resume(name):
    def make():
        optimizer = torch.optim.SGD([leaf(1.0)], lr=0.1, momentum=0.5)
        return SCHEDULES[name](torch.optim.lr_scheduler, optimizer), optimizer

    def go_on(scheduler, optimizer, n):
        optimizer.step()
        for _ in range(n):
            scheduler.step(*[1.0] if name == "ReduceLROnPlateau" else [])
        return scheduler.get_last_lr()

    first, second = make(), make()
    go_on(*first, 40)
    second[0].load_state_dict(copy.deepcopy(first[0].state_dict()))
    second[1].load_state_dict(first[1].state_dict())
    assert go_on(*first, 25) == go_on(*second, 25)


@pytest.mark.parametrize("schedule", ["LambdaLR", "MultiplicativeLR"])
def test_functions_of_more_groups_have_no_state_to_load(schedule):
    """The state of a schedule of two groups has two entries that are None: nothing is to be set."""
    make = getattr(torch.optim.lr_scheduler, schedule)
    groups = [{"params": [torch.ones(1, requires_grad=True)]} for _ in range(2)]
    state = make(torch.optim.SGD(groups), lambda step: 0.5).state_dict()
    loaded = make(torch.optim.SGD(groups[:1]), lambda step: 0.5)
    loaded.load_state_dict(state)
    assert loaded.state_dict() == state | {"lr_lambdas": [None]}


@pytest.mark.live
@pytest.mark.parametrize("make", [
    lambda s, o: s.LambdaLR(o, float), lambda s, o: s.MultiplicativeLR(o, float),
    lambda s, o: s.CyclicLR(o, 0.1, 0.2), lambda s, o: s.ChainedScheduler([s.ConstantLR(o)], o),
    lambda s, o: s.SequentialLR(o, [s.ConstantLR(o), s.ExponentialLR(o, 0.5)], [3])])
def test_the_order_of_a_schedules_state(make):
    real = pytest.importorskip("torch")
    keys = []
    for library in (torch, real):
        optimizer = library.optim.SGD([library.ones(2, requires_grad=True)], momentum=0.9)
        keys.append(list(make(library.optim.lr_scheduler, optimizer).state_dict()))
    assert keys[0] == keys[1]


def test_averaged_models():
    net = torch.nn.Linear(2, 1)
    mean = torch.optim.swa_utils.AveragedModel(net)
    moving = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)
    )
    for value in (1.0, 2.0, 6.0):
        torch.nn.init.constant_(net.weight, value)
        mean.update_parameters(net)
        moving.update_parameters(net)
    assert mean.module.weight.tolist() == [[3.0, 3.0]]
    assert moving.module.weight.tolist() == [[3.75, 3.75]]
    assert mean.n_averaged.item() == 3


def test_update_bn_averages_over_the_data():
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(1))
    net.eval()
    batches = [torch.tensor([[1.0], [3.0]]), (torch.tensor([[5.0], [7.0]]), "label")]
    torch.optim.swa_utils.update_bn(batches, net)
    assert net[0].running_mean.item() == 4 and net[0].running_var.item() == 2
    assert not net.training and net[0].momentum == 0.1


FUNCTIONS = {
    "adadelta": dict(rho=0.9, eps=1e-6, weight_decay=0.1),
    "adagrad": dict(lr_decay=0.1, eps=1e-10, weight_decay=0.1),
    "adam": dict(amsgrad=True, beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.1),
    "adamax": dict(beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.1),
    "adamw": dict(amsgrad=False, beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.1),
    "asgd": dict(lambd=1e-3, t0=1.0, alpha=0.75, weight_decay=0.1),
    "nadam": dict(beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.1, momentum_decay=4e-3),
    "radam": dict(beta1=0.9, beta2=0.5, eps=1e-8, weight_decay=0.1),
    "rmsprop": dict(alpha=0.9, momentum=0.9, eps=1e-8, weight_decay=0.1, centered=True),
    "rprop": dict(step_size_min=1e-6, step_size_max=1.0, etaminus=0.5, etaplus=1.2),
    "sgd": dict(momentum=0.9, dampening=0.1, nesterov=False, weight_decay=0.1),
}


def steps_of_function(torch, name, settings):
    """Three steps of optim._functional.<name>: parameters and state, all written in place."""
    function = getattr(importlib.import_module(torch.__name__ + ".optim._functional"), name)
    parameters = inspect.signature(function).parameters
    lists = [key for key, p in parameters.items() if p.default is p.empty][2:]
    lists = [key for key in lists if parameters[key].kind is not inspect.Parameter.KEYWORD_ONLY]
    if name != "rprop":
        settings = {**settings, "lr": 0.1}
    if "maximize" in parameters:
        settings = {**settings, "maximize": True}
    params = [torch.tensor([1.0, -2.0]), torch.tensor([[0.5 + 1j]])]
    state = {key: [torch.full_like(p, 0.25) for p in params] for key in lists}
    for key in {"state_steps", "mus", "etas", "mu_products"} & set(lists):
        state[key] = [torch.tensor(0.0 if key == "state_steps" else 0.5) for _ in params]
    if name == "sgd":
        state["momentum_buffer_list"] = [None] * len(params)
    for k in range(3):
        grads = [p * (1.5 - k) + 0.25 for p in params]
        function(params, grads, **state, **settings)
    return [x.tolist() for tensors in (params, *state.values()) for x in tensors]


@pytest.mark.live
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_lists_live(name):
    pytorch = pytest.importorskip("torch")
    ours = steps_of_function(torch, name, FUNCTIONS[name])
    assert np.allclose(flat(ours), flat(steps_of_function(pytorch, name, FUNCTIONS[name])), 1e-5)


def flat(values):
    return np.concatenate([np.ravel(x) for x in values])


@pytest.mark.parametrize("name", ["Adam", "SGD", "RMSprop", "Adagrad"])
@pytest.mark.parametrize("count, old, new", [
    (1, (4,), (3,)), (10, (2, 3), (3, 2)), (1, (50_000, 3), (40_000, 3))])
def test_a_state_of_other_shapes_is_refused(name, count, old, new):
    """Also where parameters are updated side by side, or a long one in blocks of rows."""
    settings = {"lr": 0.1, "momentum": 0.9} if name == "SGD" else {"lr": 0.1}
    before, after = ([torch.nn.Parameter(torch.ones(shape)) for _ in range(count)]
                     for shape in (old, new))
    trained, loaded = (getattr(torch.optim, name)(params, **settings)
                       for params in (before, after))
    for p in (*before, *after):
        p.grad = torch.ones_like(p)
    trained.step()
    loaded.load_state_dict(trained.state_dict())
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(\d+\) must match the size of"):
        loaded.step()
    assert all(torch.equal(p, torch.ones(new)) for p in after)


def test_lbfgs_keeps_its_state_in_pytorchs_order():
    p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = torch.optim.LBFGS([p], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert list(optimizer.state[p]) == [
        "func_evals", "n_iter", "al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag",
        "prev_flat_grad", "prev_loss"]


def test_fused_and_capturable_may_be_asked_for_at_once():
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    torch.optim.Adam([p], capturable=True, fused=True).step()
    assert p[0] < 1
    with pytest.raises(AssertionError, match="'privateuseone'].$"):
        torch.optim.Adam([p], capturable=True, foreach=True).step()
    with pytest.raises(AssertionError, match="'privateuseone', 'xla'].$"):
        torch.optim.Adam([p], capturable=True).step()


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adadelta", "Rprop", "Adafactor", "LBFGS"])
def test_copies_of_an_optimizer_have_its_public_attributes(name):
    parameter = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, name)([parameter])
    parameter.grad = torch.ones(2, 2)
    optimizer.step(lambda: 1.0)
    for each in (optimizer, copy.deepcopy(optimizer)):
        assert {key for key in vars(each) if key[0] != "_"} == {"defaults", "param_groups", "state"}


def swapped_in(optimizer, parameters, state):
    with torch.optim.swap_in_optimizer_params_and_state(optimizer, parameters, state):
        optimizer.step()


def two_groups():
    weights = [torch.full((2,), value, requires_grad=True) for value in (1.0, 2.0)]
    optimizer = torch.optim.Adam([{"params": weights[:1], "lr": 0.1}, {"params": weights[1:]}])
    for weight in weights:
        weight.grad = torch.tensor([1.0, -2.0])
    return weights, optimizer


def test_a_step_on_parameters_and_a_state_that_are_swapped_in():
    """They change as under an optimizer of their own; the optimizer's are what they were."""
    weights, optimizer = two_groups()
    optimizer.step()
    before = copy.deepcopy([weights, optimizer.state_dict()])
    others, expected = two_groups()
    expected.step()
    state = copy.deepcopy(expected.state_dict())
    state["param_groups"][0]["lr"] = expected.param_groups[0]["lr"] = 0.5
    parameters = {name: other.detach().clone() for name, other in zip("ab", others, strict=True)}
    for parameter in parameters.values():
        parameter.grad = torch.tensor([1.0, -2.0])
    swapped_in(optimizer, parameters, state)
    expected.step()
    for parameter, other in zip(parameters.values(), others, strict=True):
        assert torch.equal(parameter, other)
    assert torch.equal(state["state"][0]["exp_avg"], expected.state[others[0]]["exp_avg"])
    assert repr([weights, optimizer.state_dict()]) == repr(before)
    assert optimizer.param_groups[0]["params"][0] is weights[0] in optimizer.state


@pytest.mark.parametrize("change, message", [
    ({"state": 3}, "to be a dict mapping packed parameter ids .* got int"),
    ({"state": {0: 3}}, "per-parameter optimizer state entries to be dictionaries"),
    ({"state": {7: {}}}, r"got extra keys \[7\]"),
    ({"param_groups": 3}, "to be a list of param-group dicts, got int"),
    ({"param_groups": []}, "a different number of parameter groups"),
    ({"param_groups": [1, 2]}, "each optimizer param group to be a dictionary"),
    ({"param_groups": [{"params": ["a"]}, {}]}, "entries keyed by packed parameter ids"),
    ({"param_groups": [{"params": [0, 1]}, {}]}, "group 0 has a different number of params"),
    ({"param_groups": [{"params": [0], "x": 1}, {}]}, r"only in swap-in: \['x'\]"),
])
def test_a_state_that_cannot_be_swapped_in(change, message):
    weights, optimizer = two_groups()
    parameters = dict(zip("ab", weights, strict=True))
    with pytest.raises(RuntimeError, match="initialized optimizer state"):
        swapped_in(optimizer, parameters, optimizer.state_dict())
    optimizer.step()
    with pytest.raises(RuntimeError, match="match optimizer.param_groups ordering"):
        swapped_in(optimizer, {"a": weights[0]}, optimizer.state_dict())
    with pytest.raises(RuntimeError, match=message):
        swapped_in(optimizer, parameters, {**optimizer.state_dict(), **change})
