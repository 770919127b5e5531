import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(10, 32), nn.ReLU(True), nn.Linear(32, 4), nn.Tanh())
    def forward(self, z):
        return self.main(z)

class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2, inplace=True), nn.Linear(32, 1), nn.Sigmoid())
    def forward(self, x):
        return self.main(x)

class Trainer:
    def __init__(self, G, D, lr=2e-4):
        self.G, self.D = G, D
        params = list(self.G.parameters()) + list(self.D.parameters())
        self.opt = torch.optim.Adam(params, lr=lr, betas=(0.5, 0.999))
        self.criterion = nn.BCELoss()

    def train_d(self, real):
        b = real.size(0)
        self.opt.zero_grad()
        with torch.no_grad():
            fake = self.G(torch.randn(b, 10))
        out = self.D(torch.cat([real, fake]))
        label = torch.cat([torch.ones(b, 1), torch.zeros(b, 1)])
        loss = self.criterion(out, label)
        loss.backward()
        self.opt.step()
        return loss.item()

    def train_g(self, b):
        self.opt.zero_grad()
        fake = self.G(torch.randn(b, 10))
        loss = self.criterion(self.D(fake), torch.ones(b, 1))
        loss.backward()
        self.opt.step()
        return loss.item()

data = DataLoader(TensorDataset(torch.randn(128, 4)), batch_size=32, shuffle=True)
trainer = Trainer(Generator(), Discriminator())
for epoch in range(3):
    for (x,) in data:
        d = trainer.train_d(x)
        g = trainer.train_g(x.size(0))
    print(f'epoch {epoch}: d {d:.3f} g {g:.3f}')
