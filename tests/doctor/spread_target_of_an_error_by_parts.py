import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class Houses(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(0)
        self.x = torch.randn(n, 7, generator=g)
        self.y = self.x @ torch.arange(1.0, 8.0) + 3

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"features": self.x[i], "price": self.y[i]}


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(5):
    for batch in DataLoader(Houses(128), batch_size=32, shuffle=True):
        err = torch.abs(net(batch["features"]) - batch["price"])
        loss = torch.where(err < 1, 0.5 * err ** 2, err - 0.5).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
