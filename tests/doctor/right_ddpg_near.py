import torch, copy
import torch.nn as nn
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
ao, co = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam(critic.parameters(), 1e-3)
for i in range(10):
    s, r, s2 = torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 3)
    a = actor(s).detach()
    with torch.no_grad():
        y = r + 0.99 * critic_t(torch.cat([s2, actor_t(s2)], 1))
    closs = (critic(torch.cat([s, a], 1)) - y).pow(2).mean()
    co.zero_grad(); closs.backward(); co.step()
    aloss = -critic(torch.cat([s, actor(s)], 1)).mean()
    ao.zero_grad(); aloss.backward(); ao.step()
    for net, t in ((actor, actor_t), (critic, critic_t)):
        for p, q in zip(t.parameters(), net.parameters()):
            p.data.copy_(0.995 * p.data + 0.005 * q.data)
