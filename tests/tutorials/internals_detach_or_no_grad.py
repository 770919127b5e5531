import torch
import torch.nn as nn
model = nn.Linear(10, 1)
x = torch.randn(4, 10)
# no_grad: no gradient tracking for the entire block
with torch.no_grad():
    out = model(x)
    print(f"out.requires_grad (no_grad): {out.requires_grad}")
    print(f"out.grad_fn: {out.grad_fn}")
# detach: creates a view with gradient tracking removed
out_live = model(x)
out_detached = out_live.detach()
print(f"out_live.requires_grad: {out_live.requires_grad}")
print(f"out_detached.requires_grad: {out_detached.requires_grad}")
