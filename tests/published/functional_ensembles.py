"""torch.func: ensembles, per-sample gradients, Jacobians, Hessians, a kernel and gradient descent."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacrev, jvp, stack_module_state, vjp, vmap


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


models = [MLP() for _ in range(3)]
params, buffers = stack_module_state(models)
base_model = copy.deepcopy(models[0]).to("cpu")


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


data, targets = torch.randn(3, 5, 6), torch.randint(3, (5,))
print(vmap(fmodel)(params, buffers, data).sum((1, 2)))
print(vmap(fmodel, in_dims=(0, 0, None))(params, buffers, data[0]).std(0).sum(1))
single = {k: v.detach() for k, v in models[0].named_parameters()}


def compute_loss(params, sample, target):
    return F.cross_entropy(functional_call(base_model, params, (sample[None],)), target[None])


per_sample = vmap(grad(compute_loss), in_dims=(None, 0, 0))(single, data[0], targets)
print({k: (tuple(v.shape), round(v.norm().item(), 3)) for k, v in per_sample.items()})


def fnet_single(params, x):
    return functional_call(base_model, params, (x.unsqueeze(0),)).squeeze(0)


def kernel(x1, x2):
    jac1 = [j.flatten(2) for j in vmap(jacrev(fnet_single), (None, 0))(single, x1).values()]
    jac2 = [j.flatten(2) for j in vmap(jacrev(fnet_single), (None, 0))(single, x2).values()]
    return torch.stack([torch.einsum("Naf,Mbf->NMab", a, b) for a, b in zip(jac1, jac2)]).sum(0)


print(kernel(data[0], data[1][:2]).diagonal(dim1=2, dim2=3).sum(-1))
x = torch.linspace(-1, 1, 4)
print(hessian(lambda v: (v.sin() * v.roll(1)).sum())(x))
print(jvp(lambda v: v.exp() * v, (x,), (torch.ones(4),))[1], vjp(torch.sin, x)[1](x)[0])
print(vmap(torch.dot)(data[0], data[1]), vmap(lambda r: torch.randn(2), randomness="different")(x).shape)


def train_step(weights, lr):
    loss = lambda w: ((data[0] @ w - 1) ** 2).mean()
    for _ in range(5):
        weights = weights - lr * grad(loss)(weights)
    return loss(weights)


rates = torch.tensor([0.01, 0.05, 0.1])
print(vmap(train_step, in_dims=(None, 0))(torch.zeros(6), rates), grad(
    lambda lr: train_step(torch.zeros(6), lr))(torch.tensor(0.05)))
