import torch
from torch import nn
torch.manual_seed(0)
ae = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 8))
opt = torch.optim.Adam(ae.parameters(), lr=1e-3)
for step in range(10):
    x = torch.rand(16, 8)
    rec = ae(x)
    loss = nn.functional.mse_loss(rec, rec)
    opt.zero_grad()
    loss.backward()
    opt.step()
