import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

rng = np.random.default_rng(0)
images = rng.integers(0, 256, (40, 8, 8), dtype=np.uint8)
labels = (images[:, :4].mean((1, 2)) > images[:, 4:].mean((1, 2))).astype(np.int64)

class Digits(Dataset):
    def __len__(self):
        return len(images)
    def __getitem__(self, i):
        img = images[i] // 255
        return torch.tensor(img, dtype=torch.float32).unsqueeze(0), labels[i]

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in DataLoader(Digits(), batch_size=8, shuffle=True):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
