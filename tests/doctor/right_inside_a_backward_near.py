"""A network whose gradient is taken inside of a Function's backward(), as adjoint methods do."""
import torch
from torch import nn

torch.manual_seed(0)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def forward(self, z):
        return torch.tanh(self.net(z))


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, field, *params):
        ctx.field = field
        ctx.save_for_backward(z)
        return z + 0.1 * field(z)

    @staticmethod
    def backward(ctx, g):
        z, = ctx.saved_tensors
        with torch.enable_grad():
            z = z.detach().requires_grad_()
            out = z + 0.1 * ctx.field(z)
            gz, *gp = torch.autograd.grad(out, [z, *ctx.field.parameters()], g)
        return gz, None, *gp


field, readout = Field(), nn.utils.parametrizations.spectral_norm(nn.Linear(2, 1))
optimizer = torch.optim.SGD([*field.parameters(), *readout.parameters()], lr=0.1)
for _ in range(6):
    z = Adjoint.apply(torch.randn(4, 2), field, *field.parameters())
    loss = readout(z).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(readout.weight)
