"""Autocast and a GradScaler on the CPU, with accumulated gradients and clipping."""
import torch
from torch import nn
from torch.amp import GradScaler, autocast

model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scaler = GradScaler("cpu", init_scale=2.0**8, growth_interval=2)
x, y = torch.randn(4, 8, 8), torch.randint(4, (4, 8))
for epoch in range(3):
    for i in range(4):
        with autocast(device_type="cpu", dtype=torch.bfloat16):
            hidden = model[0](x[i])
            output = model(x[i])
            loss = nn.functional.cross_entropy(output, y[i]) / 2
        scaler.scale(loss).backward()
        if i % 2:
            scaler.unscale_(optimizer)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    print(epoch, f"{loss.item():.2f}", hidden.dtype, output.dtype, loss.dtype, scaler.get_scale())
model[3].weight.grad = torch.full_like(model[3].weight, float("inf"))
for p in model.parameters():
    p.grad = torch.ones_like(p) if p.grad is None else p.grad
before = model[0].weight.clone()
scaler.step(optimizer)
scaler.update()
print(torch.equal(before, model[0].weight), scaler.get_scale(), sorted(scaler.state_dict()))
with autocast("cpu"):
    a = torch.mm(torch.ones(2, 2), torch.ones(2, 2))
    with autocast("cpu", enabled=False):
        b = torch.mm(a.float(), a.float())
    print(a.dtype, b.dtype, (a + b).dtype, torch.softmax(a, 0).dtype, torch.is_autocast_enabled("cpu"))
