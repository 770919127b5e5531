import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Cells(Dataset):
    def __init__(self):
        self.images, self.labels = torch.randn(20, 3), torch.randint(2, (20,))

    def __len__(self):
        return 21

    def __getitem__(self, k):
        return self.images[k], self.labels[k]


net = nn.Linear(3, 2)
for images, labels in DataLoader(Cells(), batch_size=8, num_workers=1):
    nn.functional.cross_entropy(net(images), labels).backward()
