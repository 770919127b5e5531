import torch
import torch.nn as nn
class Lookahead(torch.optim.Optimizer):
    def __init__(self, opt, k=5, alpha=0.5):
        self.optimizer, self.k, self.alpha, self.n = opt, k, alpha, 0
        super().__init__([p for g in opt.param_groups for p in g['params']], {})
        self.slow = [[p.clone().detach() for p in g['params']] for g in self.param_groups]
    def step(self, closure=None):
        loss = self.optimizer.step(closure)
        self.n += 1
        if self.n % self.k == 0:
            for g, slow in zip(self.param_groups, self.slow):
                for p, q in zip(g['params'], slow):
                    q.add_(self.alpha * (p.detach() - q))
                    p.data.copy_(q)
        return loss
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = Lookahead(torch.optim.Adam(net.parameters(), lr=1e-3))
for i in range(12):
    x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
