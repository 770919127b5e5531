"""Where workloads are noted, and the training step that most of them are."""

from __future__ import annotations

WORKLOADS = {}


def workload(build):
    WORKLOADS[build.__name__] = build
    return build


def minimise(model, optimizer, loss_of):
    """The usual iteration: clear, forward, backward, update."""

    def step():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        return loss

    return step


def gradient_of(tensors, loss_of):
    """A step that fills the tensors' `.grad`."""

    def step():
        for t in tensors:
            t.grad = None
        loss = loss_of()
        loss.backward()
        return loss

    return step
