"""Errors made large, and likelihoods made small, where that can be meant.

Attacks on a network that stands still, one that shall forget what it was trained for, the opponent
of another, draws with a cost, an encoder's own draws, outliers, likelihoods made large.
"""
import torch
from torch import nn
from torch.distributions import Normal
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randint(3, (16,))
still = nn.Linear(4, 3).requires_grad_(False)
forgets, loaded, encoder, judge, gauss = (nn.Linear(4, n) for n in (3, 3, 4, 3, 2))
loaded.load_state_dict({key: t.clone() for key, t in still.state_dict().items()})
noise, attacker = nn.Parameter(torch.zeros(4)), nn.Linear(4, 4)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def sgd(*networks):
    return torch.optim.SGD([p for network in networks for p in network.parameters()], lr=0.01)


of_noise = torch.optim.SGD([noise], lr=0.01)
of_attacker, of_forgetful, of_loaded, of_encoder, of_judge, of_gauss, of_both = (
    sgd(attacker), sgd(forgets), sgd(loaded), sgd(encoder), sgd(judge), sgd(gauss),
    sgd(encoder, gauss))
for _ in range(8):
    step(of_forgetful, F.cross_entropy(forgets(x), y))
for _ in range(8):
    step(of_noise, -F.cross_entropy(still(x + noise), y))
    step(of_attacker, -F.cross_entropy(still(attacker(x)), y))
    step(of_forgetful, -F.cross_entropy(forgets(x), y))
    step(of_loaded, -F.cross_entropy(loaded(x), y))
    step(of_judge, F.cross_entropy(judge(encoder(x).detach()), y))
    step(of_encoder, -F.cross_entropy(judge(encoder(x)), y))
    mean, log_std = gauss(x).unbind(1)
    q = Normal(mean, log_std.exp())
    with torch.no_grad():
        action = q.sample()
        cost = (action - x.sum(1)).pow(2)
    step(of_gauss, (q.log_prob(action) * cost).mean())
    mean, log_std = gauss(x).unbind(1)
    q = Normal(mean, log_std.exp())
    z = q.rsample()
    step(of_gauss, q.log_prob(z).mean() - Normal(0.0, 1.0).log_prob(z).mean())
    mean, log_std = gauss(x).unbind(1)
    outlier = Normal(mean, 1.0).log_prob(torch.full((16,), 9.0)).mean()
    step(of_both, 0.1 * outlier - Normal(mean, log_std.exp()).log_prob(x.sum(1)).mean()
         - F.cosine_similarity(encoder(x), x).mean())
