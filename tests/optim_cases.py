"""Training runs of 200 steps on the handwritten digits: one for each optimizer and schedule."""

from __future__ import annotations

import gzip
import warnings

import numpy as np

from comparing import EXAMPLES

STEPS = 200

OPTIMIZERS = {
    "SGD": ("SGD", dict(lr=0.1)),
    "SGD momentum": ("SGD", dict(lr=0.02, momentum=0.9, dampening=0.1, weight_decay=1e-3)),
    "SGD nesterov": ("SGD", dict(lr=0.02, momentum=0.9, nesterov=True)),
    "SGD maximize": ("SGD", dict(lr=1e-4, maximize=True)),
    "Adam": ("Adam", dict(lr=1e-3)),
    "Adam amsgrad": ("Adam", dict(lr=1e-3, amsgrad=True, weight_decay=1e-2, betas=(0.8, 0.99))),
    "Adam decoupled": ("Adam", dict(weight_decay=1e-2, decoupled_weight_decay=True)),
    "AdamW": ("AdamW", dict(lr=1e-3, weight_decay=0.1)),
    "AdamW foreach": ("AdamW", dict(lr=1e-3, foreach=True)),
    "AdamW fused": ("AdamW", dict(lr=1e-3, fused=True)),
    "NAdam": ("NAdam", dict(lr=1e-3, weight_decay=1e-3)),
    "NAdam decoupled": ("NAdam", dict(weight_decay=1e-2, decoupled_weight_decay=True)),
    "RAdam": ("RAdam", dict(lr=1e-2, weight_decay=1e-3)),
    "RAdam decoupled": ("RAdam", dict(weight_decay=1e-2, decoupled_weight_decay=True)),
    "Adamax": ("Adamax", dict(lr=2e-3, weight_decay=1e-3)),
    "Adadelta": ("Adadelta", dict(lr=0.5, weight_decay=1e-3)),
    "Adagrad": ("Adagrad", dict(lr=1e-2, lr_decay=1e-2, initial_accumulator_value=0.1)),
    "RMSprop": ("RMSprop", dict(lr=1e-3, alpha=0.9)),
    "RMSprop centered": ("RMSprop", dict(lr=1e-4, momentum=0.9, centered=True)),
    "Rprop": ("Rprop", dict(lr=1e-4, etas=(0.5, 1.1), step_sizes=(1e-6, 1e-3))),
    "ASGD": ("ASGD", dict(lr=0.1, lambd=1e-3, t0=50)),
    "Adafactor": ("Adafactor", dict(lr=1e-2, weight_decay=1e-2)),
    "Muon": ("Muon", dict(lr=1e-2)),
    "LBFGS": ("LBFGS", dict(lr=0.1, max_iter=2, history_size=5)),
    "LBFGS strong_wolfe": ("LBFGS", dict(max_iter=2, line_search_fn="strong_wolfe")),
}

SCHEDULES = {
    "LambdaLR": lambda lr, o: lr.LambdaLR(o, lambda t: 0.99**t),
    "MultiplicativeLR": lambda lr, o: lr.MultiplicativeLR(o, lambda t: 1 - 1 / (t + 20)),
    "StepLR": lambda lr, o: lr.StepLR(o, 30, gamma=0.5),
    "MultiStepLR": lambda lr, o: lr.MultiStepLR(o, [20, 50, 50, 120], gamma=0.5),
    "ConstantLR": lambda lr, o: lr.ConstantLR(o, factor=0.25, total_iters=40),
    "LinearLR": lambda lr, o: lr.LinearLR(o, start_factor=0.1, total_iters=100),
    "ExponentialLR": lambda lr, o: lr.ExponentialLR(o, 0.98),
    "PolynomialLR": lambda lr, o: lr.PolynomialLR(o, total_iters=150, power=2),
    "CosineAnnealingLR": lambda lr, o: lr.CosineAnnealingLR(o, 60, eta_min=1e-3),
    "CosineAnnealingWarmRestarts": lambda lr, o: lr.CosineAnnealingWarmRestarts(o, 15, T_mult=2),
    "CyclicLR": lambda lr, o: lr.CyclicLR(o, 0.01, 0.2, 25, 40, mode="triangular2"),
    "CyclicLR exp_range": lambda lr, o: lr.CyclicLR(o, 0.01, 0.2, 25, mode="exp_range", gamma=0.99),
    "OneCycleLR": lambda lr, o: lr.OneCycleLR(o, 0.2, total_steps=STEPS + 1),
    "OneCycleLR linear": lambda lr, o: lr.OneCycleLR(
        o, 0.2, epochs=41, steps_per_epoch=5, anneal_strategy="linear", three_phase=True
    ),
    "SequentialLR": lambda lr, o: lr.SequentialLR(
        o, [lr.ConstantLR(o, 0.1, 20), lr.ExponentialLR(o, 0.99), lr.StepLR(o, 40)], [20, 100]
    ),
    "ChainedScheduler": lambda lr, o: lr.ChainedScheduler(
        [lr.LinearLR(o, 0.1, 1.0, 30), lr.ExponentialLR(o, 0.99)]
    ),
    "ReduceLROnPlateau": lambda lr, o: lr.ReduceLROnPlateau(
        o, factor=0.5, patience=3, cooldown=2, threshold=0.01, min_lr=1e-3
    ),
    "SWALR": None,
}


def read_digits(torch):
    with gzip.open(EXAMPLES / "data" / "digits.csv.gz", "rt") as file:
        rows = np.array([[int(cell) for cell in line.split(",")] for line in file], np.int64)
    return torch.tensor(rows[:, :-1] / 16, dtype=torch.float32), torch.tensor(rows[:, -1])


def make_net(torch, bias=True):
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(64, 32, bias=bias), nn.Tanh(), nn.Linear(32, 10, bias=bias))


def train(torch, optimizer, net, after_step, batches=26):
    images, digits = read_digits(torch)
    images = images.to(next(net.parameters()).dtype)
    for i in range(STEPS):
        start = i % batches * 64
        x, y = images[start : start + 64], digits[start : start + 64]

        def closure(x=x, y=y):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(x), y)
            loss.backward()
            return loss

        after_step(optimizer.step(closure))


def optimizer_run(torch, name):
    """Losses of every tenth step, and what the optimizer keeps at the end."""
    kind, settings = OPTIMIZERS[name]
    net = make_net(torch, bias=kind != "Muon")
    batches = 26
    if kind == "LBFGS":  # on changing batches it magnifies the last bit of a loss
        net.double()
        batches = 1
    optimizer = getattr(torch.optim, kind)(net.parameters(), **settings)
    losses = []
    train(torch, optimizer, net, lambda loss: losses.append(loss.item()), batches)
    state = optimizer.state_dict()
    return {
        "losses": losses[::10] + losses[-1:],
        "weights": [p.detach().abs().mean().item() for p in net.parameters()],
        "settings": repr(state["param_groups"]),
        "state": {
            str(number): {key: describe(torch, value) for key, value in kept.items()}
            for number, kept in state["state"].items()
        },
    }


def describe(torch, value):
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), list(value.shape)]
    return type(value).__name__


HALVES = ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop",
          "ASGD", "Adafactor"]  # fmt: skip


def half_run(torch, kind, dtype):
    """A 16-bit parameter after 50 steps, and the dtypes of the state."""
    dtype = getattr(torch, dtype)
    p = torch.linspace(-1, 1, 50).to(dtype).requires_grad_()
    settings = dict(lr=1e-2, eps=1e-4) if kind in ("Adam", "NAdam", "RAdam") else dict(lr=1e-2)
    optimizer = getattr(torch.optim, kind)([p], **settings)
    for i in range(50):
        p.grad = (torch.linspace(-1, 1, 50) * (i * 7 % 5 - 1.5) + 0.1).to(dtype)
        optimizer.step()
    state = {key: str(value.dtype) for key, value in optimizer.state[p].items()}
    return {"values": p.detach().float().tolist(), "state": state}


def schedule_run(torch, name):
    """Learning rate (and momentum) of each step, and losses of every tenth."""
    net = make_net(torch)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.5)
    if name == "SWALR":
        scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.02, anneal_epochs=50)
    else:
        scheduler = SCHEDULES[name](torch.optim.lr_scheduler, optimizer)
    losses, rates, momenta = [], [], []

    def after_step(loss):
        losses.append(loss.item())
        scheduler.step(*[loss.item()] if name == "ReduceLROnPlateau" else [])
        rates.append(scheduler.get_last_lr()[0])
        momenta.append(optimizer.param_groups[0]["momentum"])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SequentialLR asks its parts in the wrong order
        train(torch, optimizer, net, after_step)
    return {
        "losses": losses[::10] + losses[-1:],
        "rates": rates[::5],
        "momenta": momenta[::5],
        "state": sorted(scheduler.state_dict()),
    }
