import torch, itertools
import torch.nn as nn
mk = lambda: nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))
dk = lambda: nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
G_AB, G_BA, D_A, D_B = mk(), mk(), dk(), dk()
og = torch.optim.Adam(itertools.chain(G_AB.parameters(), G_BA.parameters()), lr=2e-4)
oa, ob = torch.optim.Adam(D_A.parameters()), torch.optim.Adam(D_B.parameters())
mse = nn.MSELoss()
for i in range(8):
    a, b = torch.randn(8, 3), torch.randn(8, 3) + 2
    og.zero_grad()
    fb, fa = G_AB(a), G_BA(b)
    loss = mse(D_B(fb), torch.ones(8, 1)) + mse(D_A(fa), torch.ones(8, 1))
    loss = loss + 10 * ((G_BA(fb) - a).abs().mean() + (G_AB(fa) - b).abs().mean())
    loss.backward()
    og.step()
    for D, o, real, fake in ((D_A, oa, a, fa), (D_B, ob, b, fb)):
        o.zero_grad()
        l = (mse(D(real), torch.ones(8, 1)) + mse(D(fake.detach()), torch.zeros(8, 1))) / 2
        l.backward()
        o.step()
