"""NumPy's numbers and tensors without dimensions, given where a number or a size is asked for."""
import numpy as np
import torch
import torch.nn.functional as F


def tell(label, call):
    x = torch.linspace(-2, 2, 12).view(3, 4).requires_grad_()
    try:
        result = call(x)
        result.sum().backward()
        grad = x.grad.flatten()[::3].tolist()
        print(label, result.dtype, tuple(result.shape), [f"{g:.4f}" for g in grad])
    except (TypeError, RuntimeError) as e:
        print(label, type(e).__name__)


NUMBERS = {
    "leaky_relu": lambda x, s: F.leaky_relu(x, s),
    "elu in place": lambda x, s: F.elu(x.clone(), s, inplace=True),
    "celu": lambda x, s: F.celu(x, s),
    "softplus": lambda x, s: F.softplus(x, s, s),
    "softshrink": lambda x, s: F.softshrink(x, s),
    "hardshrink": lambda x, s: F.hardshrink(x, s),
    "hardtanh": lambda x, s: F.hardtanh(x, -s, s),
    "threshold": lambda x, s: F.threshold(x, s, s),
    "huber": lambda x, s: F.huber_loss(x, -x.detach(), delta=s),
    "smooth_l1": lambda x, s: F.smooth_l1_loss(x, -x.detach(), beta=s),
    "clamp": lambda x, s: x.clamp(-s, s),
    "add": lambda x, s: torch.add(x, x, alpha=s),
    "addmm": lambda x, s: torch.addmm(x @ x.T, x, x.T, beta=s, alpha=s),
    "addr": lambda x, s: torch.addr(x @ x.T, x[:, 0], x[:, 1], beta=s, alpha=s),
    "index_add": lambda x, s: x.index_add(0, torch.tensor([0]), x[:1], alpha=s),
    "lerp": lambda x, s: x.lerp(x * 2, s),
    "std": lambda x, s: x.std(1, correction=s),
    "pow": lambda x, s: torch.pow(x.abs(), s),
    "base": lambda x, s: torch.pow(s, x),
    "float_power": lambda x, s: torch.float_power(x.abs(), s),
    "true_divide": lambda x, s: torch.true_divide(x, s),
    "floor divide": lambda x, s: x - x // s,
    "remainder": lambda x, s: x % s,
    "where": lambda x, s: torch.where(x > 0, x, s),
    "norm": lambda x, s: torch.norm(x, s),
    "matrix_norm": lambda x, s: torch.linalg.matrix_norm(x, s),
}
for label, call in NUMBERS.items():
    for s in (np.float64(1), np.float32(1), np.int64(1), torch.tensor(1.0), torch.tensor(1),
              torch.tensor([1.0, 1.0])):
        if s.ndim == 0 or label in ("elu in place", "addr"):
            tell(f"{label} {type(s).__name__}", lambda x, call=call, s=s: call(x, s))

image = torch.linspace(-1, 1, 128).view(1, 2, 8, 8)
SIZES = {
    "conv": lambda n: F.conv2d(image, torch.ones(2, 1, 3, 3), padding=n, stride=n, groups=n),
    "conv_transpose": lambda n: F.conv_transpose2d(image, torch.ones(2, 2, 3, 3), stride=n),
    "interpolate": lambda n: F.interpolate(image, size=(n, n)),
    "roll": lambda n: image.roll(n, n),
    "movedim": lambda n: image.movedim(n, 0),
    "repeat_interleave": lambda n: torch.repeat_interleave(image, n, n),
    "tensor_split": lambda n: torch.tensor_split(image, n, n)[0],
    "normalize": lambda n: F.normalize(image, dim=n),
    "cosine": lambda n: F.cosine_similarity(image, image, dim=n),
    "fftfreq": lambda n: torch.fft.fftfreq(n),
    "tril_indices": lambda n: torch.tril_indices(n, n),
    "normal": lambda n: torch.normal(torch.tensor(0.0), 1.0, (n,)),
}
for label, call in SIZES.items():
    for n in (np.int64(2), torch.tensor(2)):
        print(label, type(n).__name__, tuple(call(n).shape))
