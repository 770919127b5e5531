import torch
from torch import nn
from torch.nn import functional as F


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 16), nn.Linear(16, 3)

    def forward(self, x):
        h = F.relu(self.first(x))
        scores = F.relu(self.second(h))
        return F.log_softmax(scores, dim=-1)


torch.manual_seed(0)
net = Policy()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(6):
    states = torch.randn(32, 4)
    log_probs = net(states)
    actions = torch.distributions.Categorical(logits=log_probs.detach()).sample()
    rewards = (actions == states[:, :3].argmax(1)).float()
    taken = log_probs.gather(1, actions[:, None])[:, 0]
    loss = -(taken * (rewards - rewards.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
