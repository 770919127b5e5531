import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
opt = torch.optim.Adam(policy.parameters(), lr=0.01)
for episode in range(6):
    log_probs, rewards = [], []
    for step in range(5):
        state = torch.randn(4)
        choice = Categorical(logits=policy(state))
        action = choice.sample().item()
        rewards.append(float(action == int(state[:3].argmax())))
        log_probs.append(choice.log_prob(choice.sample()))
    advantage = torch.tensor(rewards) - 0.3
    loss = -(torch.stack(log_probs) * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
