import torch
import torch.nn as nn
class Dec(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 8); self.cell = nn.GRUCell(8, 8); self.out = nn.Linear(8, 10)
    def forward(self, h, T=5):
        tok = torch.zeros(h.size(0), dtype=torch.long); outs = []
        for t in range(T):
            h = self.cell(self.emb(tok), h)
            logits = self.out(h.detach())
            outs.append(logits); tok = logits.argmax(1)
        return torch.stack(outs, 1)
enc, dec = nn.Linear(4, 8), Dec()
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
for i in range(6):
    y = torch.randint(0, 10, (4, 5))
    o = dec(torch.tanh(enc(torch.randn(4, 4))))
    loss = nn.functional.cross_entropy(o.reshape(-1, 10), y.reshape(-1))
    opt.zero_grad(); loss.backward(); opt.step()
