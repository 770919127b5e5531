import torch
import torch.nn as nn
class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups
    @torch.no_grad()
    def first_step(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g['params']]).norm()
        for g in self.param_groups:
            for p in g['params']:
                e = p.grad * 0.05 / (norm + 1e-12)
                p.add_(e)
                self.state[p]['e'] = e
        self.zero_grad()
    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g['params']:
                p.sub_(self.state[p]['e'])
        self.base.step()
        self.zero_grad()
    def step(self, closure=None):
        raise NotImplementedError
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = SAM(net.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
for i in range(12):
    x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
    nn.functional.cross_entropy(net(x), y).backward()
    opt.first_step()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.second_step()
