import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
class Lazy(Dataset):
    """Each image is normalised in place the first time it is asked for."""
    def __init__(self, n=32):
        self.x, self.y = torch.rand(n, 16), torch.randint(0, 3, (n,))
        self.done = [False] * n
    def __len__(self): return len(self.x)
    def __getitem__(self, i):
        row = self.x[i]
        if not self.done[i]:
            row -= 0.5
            self.done[i] = True
        return row, self.y[i]
net = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters())
ds = Lazy()
for epoch in range(4):
    for x, y in DataLoader(ds, 8, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
