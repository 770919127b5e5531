"""What comes out of nested torch.func transforms has a graph only where something outside has."""
import itertools

import torch
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

data, start = torch.randn(5, 3), torch.zeros(3)


def loss(w):
    return ((data @ w - 1) ** 2).mean()


def descend(rate):
    w = start
    for _ in range(3):
        w = w - rate * grad(loss)(w)
    return loss(w)


def f(v):
    return (v.sin() * v.roll(1)).sum()


print(grad(descend)(torch.tensor(0.05)), vmap(grad(descend))(torch.tensor([0.05, 0.1])))
x = torch.linspace(-1, 1, 4)
for a, b in itertools.product((jacfwd, jacrev), (jacfwd, jacrev, grad)):
    print(a.__name__, b.__name__, a(b(f))(x).requires_grad)
print(hessian(f)(x), vjp(torch.sin, x)[1](x))
outside = x.clone().requires_grad_()
print(hessian(f)(outside).requires_grad, jacrev(torch.sin)(outside).requires_grad)
print(vmap(grad(lambda v: (v * v * outside).sum()))(x.expand(3, 4)).requires_grad)
print(grad(lambda a: vjp(torch.sin, x)[1](a * x)[0].sum())(x[0]))
print(grad(lambda a: jvp(torch.sin, (x,), (a * x,))[1].sum())(x[0]))
print(jvp(lambda a: grad(f)(x * a), (x[0],), (x[1],))[1])
