import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self):
        self.images = np.random.default_rng(0).random((24, 8, 8, 3), dtype=np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.from_numpy(self.images[i]).reshape(3, 8, 8)
        return image, i % 2


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for images, labels in DataLoader(Images(), batch_size=8, shuffle=True):
    loss = nn.functional.cross_entropy(net(images), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
