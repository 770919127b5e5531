import torch
mu, ls = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
opt = torch.optim.Adam([mu, ls], lr=0.05)
for it in range(10):
    q = torch.distributions.Normal(mu, ls.exp())
    z = q.sample((16,))
    logq = q.log_prob(z).sum(1)
    logp = -0.5 * ((z - 1) ** 2).sum(1)
    loss = -(logq * (logp - logq).detach()).mean()
    opt.zero_grad(); loss.backward(); opt.step()
