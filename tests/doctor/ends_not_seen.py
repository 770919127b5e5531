import random
from collections import deque
import torch
from torch import nn
torch.manual_seed(0); random.seed(0)
q = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
q_target = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
q_target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
memory = deque(maxlen=200)
s = torch.randn(3)
for t in range(120):
    a = random.randrange(2)
    s2 = s + 0.5 * (2 * a - 1) * torch.ones(3) + 0.1 * torch.randn(3)
    done = bool(s2.abs().max() > 3)
    memory.append((s, a, 1.0 if not done else -1.0, s2, done))
    s = torch.randn(3) if done else s2
    if len(memory) < 32:
        continue
    batch = random.sample(memory, 16)
    states, actions, rewards, nexts, dones = zip(*batch)
    states, nexts = torch.stack(states), torch.stack(nexts)
    actions = torch.tensor(actions)
    rewards = torch.tensor(rewards)
    dones = torch.tensor(dones, dtype=torch.float32)
    with torch.no_grad():
        target = rewards + 0.99 * q_target(nexts).max(1).values
    loss = nn.functional.smooth_l1_loss(q(states).gather(1, actions[:, None]).squeeze(1), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if t % 20 == 0:
        q_target.load_state_dict(q.state_dict())
