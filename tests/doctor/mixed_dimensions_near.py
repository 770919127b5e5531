import torch
import torch.nn as nn
import torch.nn.functional as F
class MHA(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.q, self.kv, self.o = h, nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
    def forward(self, x):
        B, T, D = x.shape
        q = self.q(x).view(B, T, self.h, D // self.h).transpose(1, 2)
        k, v = self.kv(x).view(B, T, 2, self.h, D // self.h).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-2, -1)) / (D // self.h) ** 0.5
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)
        a = a.masked_fill(mask, float('-inf')).softmax(-1)
        return self.o((a @ v).transpose(1, 2).reshape(B, T, D))
emb, blk, head = nn.Embedding(11, 8), MHA(8, 2), nn.Linear(8, 11)
opt = torch.optim.Adam([*emb.parameters(), *blk.parameters(), *head.parameters()], lr=1e-2)
for i in range(10):
    x = torch.randint(0, 11, (4, 8))
    logits = head(blk(emb(x[:, :-1])))
    loss = F.cross_entropy(logits.transpose(1, 2), x[:, 1:])
    opt.zero_grad(); loss.backward(); opt.step()

# By chance the heads of a batch are as many as there are features.
x = nn.Linear(6, 6)(torch.randn(4, 3, 6))                       # (T, B, E)
heads = x.view(4, 3 * 2, 3).transpose(0, 1)                     # (B * h, T, E / h)
layer = nn.Linear(3, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(heads).pow(2).mean().backward()
optimizer.step()
