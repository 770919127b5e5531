import torch
from torch import nn
torch.manual_seed(0)
class Classifier(nn.Module):
    def __init__(self, V=30, d=16):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        layer = nn.TransformerEncoderLayer(d, 2, 32, batch_first=True, dropout=0.0)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(d, V)
    def forward(self, x):
        return self.out(self.enc(self.emb(x)))
net = Classifier()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(8):
    x = torch.randint(0, 30, (8, 10))
    y = x.flip(1)                                   # needs positions
    loss = nn.functional.cross_entropy(net(x).reshape(-1, 30), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
