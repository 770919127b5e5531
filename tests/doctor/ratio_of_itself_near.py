"""One step for each batch: the old probabilities are the new ones."""
import torch
from torch import nn
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 5))
opt = torch.optim.AdamW(policy.parameters(), lr=1e-3)
G = 8
for step in range(6):
    prompts = torch.randn(4, 4)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=policy(prompts))
        acts = d.sample((G,)).t()                    # (4, G)
    rewards = (acts % 2 == 0).float() + 0.01 * torch.randn(4, G)
    adv = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
    lp = torch.log_softmax(policy(prompts), -1).gather(1, acts)
    ratio = torch.exp(lp - lp.detach())
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
