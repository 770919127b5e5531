"""Q-learning with a target net; a language model with tied weights and checkpoints."""
import torch, copy
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
t = copy.deepcopy(q)
opt = torch.optim.RMSprop(q.parameters(), lr=1e-3)
mem = []
for step in range(20):
    s = torch.randn(4)
    with torch.no_grad():
        a = q(s).argmax().item()
    mem.append((s, a, float(torch.randn(())), torch.randn(4)))
    if len(mem) >= 4:
        S = torch.stack([m[0] for m in mem[-4:]])
        A = torch.tensor([m[1] for m in mem[-4:]])
        R = torch.tensor([m[2] for m in mem[-4:]])
        N = torch.stack([m[3] for m in mem[-4:]])
        with torch.no_grad():
            target = R + 0.9 * t(N).max(1)[0]
        loss = nn.functional.smooth_l1_loss(q(S).gather(1, A[:, None]).squeeze(1), target)
        opt.zero_grad()
        loss.backward()
        for p in q.parameters():
            p.grad.data.clamp_(-1, 1)
        opt.step()
    if step % 5 == 0:
        t.load_state_dict(q.state_dict())


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(10, 8)
        self.l = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.o = nn.Linear(8, 10, bias=False)
        self.o.weight = self.e.weight

    def forward(self, x):
        return self.o(checkpoint(self.l, self.e(x), use_reentrant=False))


m = LM()
o = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(enabled=False)
for i in range(6):
    x = torch.randint(0, 10, (2, 5))
    loss = nn.functional.cross_entropy(m(x).flatten(0, 1), x.flatten())
    o.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(o)
    scaler.update()
