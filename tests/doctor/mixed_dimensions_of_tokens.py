import torch
from torch import nn
emb, enc, head = nn.Conv2d(3, 8, 4, 4), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 2)
opt = torch.optim.Adam([*emb.parameters(), *enc.parameters(), *head.parameters()], 1e-3)
for it in range(5):
    x, y = torch.randn(4, 3, 16, 16), torch.randint(0, 2, (4,))
    h = emb(x)
    tok = h.view(4, 16, 8)
    loss = nn.functional.cross_entropy(head(enc(tok).mean(1)), y)
    opt.zero_grad(); loss.backward(); opt.step()
