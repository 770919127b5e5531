import torch
from torch import nn

G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
og, od = torch.optim.SGD(G.parameters(), 0.1), torch.optim.SGD(D.parameters(), 0.1)
bce = nn.BCEWithLogitsLoss()


def train_step(real):
    fake = G(torch.randn(4, 2))
    out_fake = D(fake)
    d_loss = bce(D(real), torch.ones(4, 1)) + bce(out_fake, torch.zeros(4, 1))
    g_loss = bce(out_fake, torch.ones(4, 1))
    od.zero_grad()
    d_loss.backward(retain_graph=True)
    od.step()
    og.zero_grad()
    g_loss.backward()
    og.step()


for i in range(2):
    train_step(torch.randn(4, 2))
