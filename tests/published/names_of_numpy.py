"""NumPy's names of arguments, which PyTorch takes beside its own, and what is imported by name."""
import torch
from torch.autograd.functional import (
    _as_tuple,
    _construct_standard_basis_for,
    _grad_postprocess,
    _tuple_postprocess,
)
from torch.optim.lbfgs import _cubic_interpolate, _strong_wolfe

x = torch.linspace(0.5, 3, 6).view(2, 3)
square = torch.tensor([[2.0, 1.0], [1.0, 3.0]])


def show(label, call):
    try:
        result = call()
        if isinstance(result, torch.Tensor):
            result = [result]
        print(label, [(tuple(t.shape), f"{t.abs().sum():.3f}") for t in result])
    except (TypeError, RuntimeError) as e:
        print(label, type(e).__name__, e if label.endswith("without") else "")


for name in ("softmax", "log_softmax", "squeeze", "unsqueeze", "unbind", "trapezoid",
             "cumulative_trapezoid"):
    show(name, lambda name=name: getattr(torch, name)(x, axis=1))
for name in ("softmax", "log_softmax", "squeeze", "unsqueeze", "unbind"):
    show(f"method {name}", lambda name=name: getattr(x, name)(axis=1))
for name in ("softmax", "log_softmax", "unsqueeze"):
    show(f"{name} without", lambda name=name: getattr(torch, name)(x))
show("chunk", lambda: x.chunk(2, axis=1))
show("narrow", lambda: x.narrow(start=0, length=1, axis=1))
show("select", lambda: x.select(index=0, axis=1))
show("unflatten", lambda: torch.unflatten(x, sizes=(1, -1), axis=1))
show("renorm", lambda: x.renorm(2, maxnorm=1.0, axis=1))
show("repeat_interleave", lambda: x.repeat_interleave(2, axis=1))
show("cross", lambda: torch.cross(x, x + 1, axis=1))
show("permute", lambda: x.permute(dims=(1, 0)))
show("norm has none", lambda: torch.norm(x, axis=1))
for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    show(name, lambda name=name: getattr(torch.fft, name)(x, axis=0))
for name in ("fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift"):
    show(name, lambda name=name: getattr(torch.fft, name)(x, axis=(0, 1)))
show("vector_norm", lambda: torch.linalg.vector_norm(x, axis=1, keepdims=True))
for name in ("norm", "matrix_norm", "cholesky", "cholesky_ex", "cond", "eigvalsh", "matrix_exp",
             "pinv", "ldl_factor", "det"):
    for argument in ("input", "A"):
        show(f"{name} {argument}",
             lambda name=name, argument=argument: getattr(torch.linalg, name)(**{argument: square}))
show("lstsq", lambda: torch.linalg.lstsq(input=square, b=square).solution)
show("tensorsolve", lambda: torch.linalg.tensorsolve(input=square, other=square[0]))
show("householder", lambda: torch.linalg.householder_product(input=square, tau=square[0]))
show("torch.det", lambda: torch.det(input=square))

out = torch.zeros(2, 3)
print(torch.softmax(x, 1, out=out) is out, out, torch.log_softmax(x, 0, out=out) is out, out)
show("softmax into another dtype", lambda: torch.softmax(x, 1, out=torch.zeros(2, 3).double()))

print(_construct_standard_basis_for((torch.zeros(2), torch.zeros(1).double()), (2, 1)))
print(_as_tuple(x[0, 0], "inputs", "f"), _tuple_postprocess(((1,), (2,)), (True, False)),
      _tuple_postprocess((1,), False), _grad_postprocess((x.clone().requires_grad_(),), False))


def objective(start, t, d):
    p = start + t * d
    return float((p ** 4 - p ** 2).sum()), 4 * p ** 3 - 2 * p


start, d = torch.tensor([1.5, -2.0]), torch.tensor([-1.0, 1.0])
f, g = objective(start, 0.0, d)
f, g, t, evaluations = _strong_wolfe(objective, start, 1.0, d, f, g, g.dot(d), max_ls=9)
print(f"{f:.4f} {float(t):.4f}", evaluations)
low, high = torch.tensor(-1.0), torch.tensor(2.0)
print(_cubic_interpolate(0.0, 1.0, low, 1.0, 2.0, high),
      _cubic_interpolate(1.0, 2.0, high, 0.0, 1.0, low, bounds=(0.1, 0.2)))
