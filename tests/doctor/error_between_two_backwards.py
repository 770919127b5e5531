import torch
from torch import nn

torch.manual_seed(0)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
        self.actor, self.critic = nn.Linear(8, 2), nn.Linear(8, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.actor(h)), self.critic(h)[:, 0]


agent = Agent()
actor_opt = torch.optim.Adam([*agent.body.parameters(), *agent.actor.parameters()])
critic_opt = torch.optim.Adam([*agent.body.parameters(), *agent.critic.parameters()])
states, rewards = torch.randn(16, 3), torch.rand(16)
policy, value = agent(states)
advantage = (rewards - value).detach()
actor_loss = -(policy.log_prob(policy.sample()) * advantage).mean()
critic_loss = (value - rewards).pow(2).mean()
actor_opt.zero_grad()
actor_loss.backward(retain_graph=True)
actor_opt.step()
critic_opt.zero_grad()
critic_loss.backward()
critic_opt.step()
