import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
class Images(Dataset):
    def __init__(self, n=48):
        self.images = torch.rand(n, 1, 8, 8)
        self.labels = torch.randint(0, 3, (n,))
    def __len__(self): return len(self.images)
    def __getitem__(self, i):
        img = self.images[i]
        img.sub_(0.5).div_(0.5)
        return img, self.labels[i]
ds = Images()
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(6):
    for x, y in DataLoader(ds, 16, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
