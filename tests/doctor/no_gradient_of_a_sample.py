import torch
from torch import nn
from torch.distributions import Normal


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 4), nn.Linear(2, 6)

    def forward(self, x):
        mean, log_std = self.encoder(x).chunk(2, 1)
        q = Normal(mean, log_std.exp())
        z = q.sample()
        return self.decoder(z)


torch.manual_seed(0)
net = Autoencoder()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.rand(8, 6)
    loss = nn.functional.mse_loss(net(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
