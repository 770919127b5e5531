import torch
import torch.nn as nn
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(dim=-1))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for ep in range(5):
    log_probs, rewards = [], []
    s = torch.randn(4)
    for t in range(10):
        probs = policy(s)
        a = torch.multinomial(probs, 1).item()
        log_probs.append(torch.log(probs[a]).item())
        rewards.append(1.0 if a == 0 else 0.0)
        s = torch.randn(4)
    R = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.tensor(log_probs) * R).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
