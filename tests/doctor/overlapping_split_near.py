"""A series that is split in time: only the windows at the border overlap."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset
torch.manual_seed(0)
series = torch.sin(torch.arange(400) * 0.1) + 0.1 * torch.randn(400)
L = 16
W = series.unfold(0, L + 1, 1)
ds = TensorDataset(W[:, :L].unsqueeze(-1), W[:, L:])
train, test = Subset(ds, range(0, 280)), Subset(ds, range(280 + L, len(ds)))
gru, head = nn.GRU(1, 12, batch_first=True), nn.Linear(12, 1)
opt = torch.optim.Adam([*gru.parameters(), *head.parameters()], lr=1e-3)
for epoch in range(2):
    for x, y in DataLoader(train, 32, shuffle=True):
        loss = nn.functional.mse_loss(head(gru(x)[0][:, -1]), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(sum(nn.functional.mse_loss(head(gru(x)[0][:, -1]), y).item() for x, y in DataLoader(test, 32)))
