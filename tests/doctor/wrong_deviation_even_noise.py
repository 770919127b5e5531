import torch
from torch import nn
torch.manual_seed(0)
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(20, 16)
        self.mu, self.logvar = nn.Linear(16, 4), nn.Linear(16, 4)
        self.dec = nn.Linear(4, 20)
    def forward(self, x):
        h = torch.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        eps = torch.rand_like(mu)
        z = mu + eps * torch.exp(0.5 * logvar)
        return self.dec(z), mu, logvar
net = VAE()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(10):
    x = torch.randn(32, 20)
    out, mu, logvar = net(x)
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
    loss = ((out - x) ** 2).sum(1).mean() + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
