import torch
import torch.nn as nn
import torch.nn.functional as F

class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        for p in base.parameters(): p.requires_grad_(False)
        self.A = torch.randn(r, base.in_features, requires_grad=True)
        self.B = torch.zeros(base.out_features, r, requires_grad=True)
        self.scale = nn.Parameter(torch.ones(1))
    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.t() @ self.B.t())
m = LoRA(nn.Linear(6, 3))
opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=0.01)
for i in range(10):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    opt.zero_grad()
    F.cross_entropy(m(x), y).backward()
    opt.step()
