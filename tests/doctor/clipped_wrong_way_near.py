"""The larger of two losses with a minus each; old probabilities that are kept while steps go on."""
import torch
from torch import nn
torch.manual_seed(0)
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
        self.actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    def get_action_and_value(self, x, action=None):
        probs = torch.distributions.Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)
agent = Agent()
opt = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
for update in range(3):
    obs, logp, val, rew = torch.zeros(16, 4), torch.zeros(16), torch.zeros(16), torch.zeros(16)
    act = torch.zeros(16)
    for t in range(16):
        obs[t] = torch.randn(4)
        with torch.no_grad():
            a, lp, _, v = agent.get_action_and_value(obs[t:t + 1])
        act[t], logp[t], val[t], rew[t] = a[0], lp[0], v[0, 0], float(a[0])
    adv = rew - val
    ret = adv + val
    for epoch in range(3):
        for mb in torch.randperm(16).split(8):
            _, newlp, ent, newv = agent.get_action_and_value(obs[mb], act.long()[mb])
            ratio = (newlp - logp[mb]).exp()
            madv = adv[mb]
            madv = (madv - madv.mean()) / (madv.std() + 1e-8)
            pg = torch.max(-madv * ratio, -madv * torch.clamp(ratio, 0.8, 1.2)).mean()
            newv = newv.view(-1)
            vc = val[mb] + torch.clamp(newv - val[mb], -0.2, 0.2)
            vl = 0.5 * torch.max((newv - ret[mb]) ** 2, (vc - ret[mb]) ** 2).mean()
            loss = pg - 0.01 * ent.mean() + 0.5 * vl
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            opt.step()
