"""Networks on networks that are meant to be trained together, whatever the optimizers."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
body, first, second = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 3)
body_optimizer = torch.optim.Adam([*body.parameters(), *first.parameters()])
second_optimizer = torch.optim.Adam(second.parameters())
for _ in range(6):                               # two tasks, two optimizers, one body
    F.cross_entropy(second(body(torch.randn(8, 6))), torch.randint(3, (8,))).backward()
    second_optimizer.step()
    F.cross_entropy(first(body(torch.randn(8, 6))), torch.randint(2, (8,))).backward()
    body_optimizer.step()
    body_optimizer.zero_grad()
    second_optimizer.zero_grad()

encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
fast = torch.optim.Adam(decoder.parameters())
slow = torch.optim.SGD(encoder.parameters(), lr=0.01)
for i in range(12):                              # one loss; the encoder's gradients are summed up
    x = torch.randn(8, 6)
    (decoder(encoder(x)) - x).pow(2).mean().backward()
    fast.step()
    fast.zero_grad()
    if i % 2:
        slow.step()
        slow.zero_grad()

actor, critic = nn.Linear(3, 1), nn.Linear(4, 1)
actor_optimizer = torch.optim.Adam(actor.parameters())
critic_optimizer = torch.optim.Adam(critic.parameters())
for _ in range(6):                               # the critic's gradients of the second loss go
    state = torch.randn(8, 3)
    loss = (critic(torch.cat([state, torch.rand(8, 1)], 1)) - 1).pow(2).mean()
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
    loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    actor_optimizer.step()
