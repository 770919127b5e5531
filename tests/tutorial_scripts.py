"""The tutorials' scripts, run one at a time under whatever `torch` means just then."""

from __future__ import annotations

from pathlib import Path

from comparing import observe

SCRIPTS = {path.stem: path for path in sorted((Path(__file__).parent / "tutorials").glob("*.py"))}


def run(name: str):
    """What the script printed, warned and raised, and the numbers its variables held at the end.

    A fixed seed comes first, since some of the scripts draw random numbers without one.
    """
    import torch

    torch.manual_seed(0)
    seen, namespace = observe(SCRIPTS[name].read_text(), name)
    seen["values"] = {}
    for variable, value in namespace.items():
        if isinstance(value, torch.nn.Module):
            for part, parameter in value.named_parameters():
                seen["values"][f"{variable}.{part}"] = state(parameter)
        elif isinstance(value, torch.Tensor):
            seen["values"][variable] = state(value)
    return seen


def state(tensor):
    """The numbers of a tensor and, where it has one, of its gradient."""
    keeps = tensor.is_leaf or tensor.retains_grad
    gradient = tensor.grad if keeps else None
    numbers = tensor.detach().tolist()
    return [numbers, None if gradient is None else gradient.detach().tolist()]
