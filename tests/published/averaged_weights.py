"""Stochastic weight averaging, an exponential average, and a schedule that warms up."""
import copy

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(64, 6)
y = (x[:, :3] * x[:, 3:]).sum(1, keepdim=True)
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.SiLU(), nn.Linear(16, 1))
swa_model = AveragedModel(model)
ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
custom = AveragedModel(model, avg_fn=lambda avg, new, n: 0.5 * avg + 0.5 * new)


class EMA:
    def __init__(self, model, decay):
        self.shadow, self.decay = copy.deepcopy(model).eval().requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.state_dict().values(), model.state_dict().values()):
            if s.dtype.is_floating_point:
                s.lerp_(p, 1 - self.decay)
            else:
                s.copy_(p)


ema = EMA(model, 0.8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
warm = LinearLR(optimizer, 0.1, total_iters=2)
scheduler = SequentialLR(optimizer, [warm, CosineAnnealingLR(optimizer, 6)], milestones=[2])
swa_scheduler = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
for epoch in range(8):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(a), b)
        loss.backward()
        optimizer.step()
        ema_model.update_parameters(model)
        ema.update(model)
    if epoch >= 4:
        swa_model.update_parameters(model)
        custom.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(f"{epoch}: {loss.item():.4f} lr {optimizer.param_groups[0]['lr']:.5f}")
update_bn(loader, swa_model)
for name, m in dict(model=model, swa=swa_model, ema=ema_model, custom=custom,
                    own=ema.shadow).items():
    m.eval()
    print(name, f"{nn.functional.mse_loss(m(x), y).item():.3f}")
print(swa_model.n_averaged, sorted(swa_model.state_dict())[:3])
