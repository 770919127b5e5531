"""Scientific programs: small systems, graphs, derivatives of derivatives, linear algebra."""

from __future__ import annotations

from registry import gradient_of, minimise, workload


def sgd(torch, parameters):
    return torch.optim.SGD(parameters, lr=1e-3)


@workload
def gaussian_process(torch):
    """The marginal likelihood of 200 points: a kernel matrix, Cholesky, a solve."""
    torch.manual_seed(0)
    x = torch.rand(200, 2, dtype=torch.float64)
    y = torch.sin(4 * x[:, :1])
    scale = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    noise = torch.tensor(-2.0, dtype=torch.float64, requires_grad=True)

    def loss():
        z = x * scale.exp()
        squares = (z[:, None] - z[None]).pow(2).sum(-1)  # (200, 200)
        kernel = (-0.5 * squares).exp() + noise.exp() * torch.eye(200, dtype=torch.float64)
        factor = torch.linalg.cholesky(kernel)
        fit = torch.cholesky_solve(y, factor)
        return 0.5 * (y * fit).sum() + factor.diagonal().log().sum()

    return gradient_of([scale, noise], loss)


@workload
def neural_ode(torch):
    """Fourth-order Runge-Kutta, 20 steps, through a small network."""
    torch.manual_seed(0)
    nn = torch.nn
    f = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
    start, end, h = torch.randn(16, 2), torch.randn(16, 2), 0.05

    def loss(f):
        z = start
        for _ in range(20):
            k1 = f(z)
            k2 = f(z + h / 2 * k1)
            k3 = f(z + h / 2 * k2)
            k4 = f(z + h * k3)
            z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return (z - end).pow(2).mean()

    return minimise(f, sgd(torch, f.parameters()), loss)


@workload
def pinn(torch):
    """The wave equation's residual at 256 points: second derivatives inside the loss."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(),
                          nn.Linear(32, 1))
    points = torch.rand(256, 2, requires_grad=True)

    def loss(model):
        u = model(points)
        (first,) = torch.autograd.grad(u.sum(), points, create_graph=True)
        along_x, along_t = [
            torch.autograd.grad(first[:, k].sum(), points, create_graph=True)[0][:, k]
            for k in (0, 1)
        ]
        return (along_t - along_x).pow(2).mean()

    return minimise(model, torch.optim.Adam(model.parameters()), loss)


@workload
def message_passing(torch):
    """Two layers of a graph network: 2,000 nodes, 20,000 edges, 32 features."""
    torch.manual_seed(0)
    source, target = torch.randint(0, 2000, (2, 20000))
    x = torch.randn(2000, 32)
    layers = torch.nn.ModuleList([torch.nn.Linear(32, 32), torch.nn.Linear(32, 32)])

    def loss(layers):
        h = x
        for layer in layers:
            h = torch.relu(torch.zeros(2000, 32).index_add(0, target, layer(h)[source]))
        return h.pow(2).mean()

    return minimise(layers, sgd(torch, layers.parameters()), loss)


@workload
def springs(torch):
    """Fifty steps of eight masses on springs, differentiated through."""
    stiffness = torch.full((8,), 2.0, requires_grad=True)

    def loss():
        place, speed = torch.linspace(-1, 1, 8), torch.zeros(8)
        for _ in range(50):
            pull = torch.roll(place, 1) + torch.roll(place, -1) - 2 * place
            speed = speed + 0.01 * stiffness * pull
            place = place + 0.01 * speed
        return (place**2).sum()

    return gradient_of([stiffness], loss)


@workload
def kalman(torch):
    """A Kalman filter over 40 observations of a state of four numbers."""
    torch.manual_seed(0)
    seen = torch.randn(40, 2)
    move = (torch.eye(4) + 0.1 * torch.diag(torch.ones(2), 2)).requires_grad_()
    look = torch.eye(2, 4)

    def loss():
        state, spread, total = torch.zeros(4), torch.eye(4), 0.0
        for z in seen:
            state, spread = move @ state, move @ spread @ move.T + 0.01 * torch.eye(4)
            error = z - look @ state
            cover = look @ spread @ look.T + 0.1 * torch.eye(2)
            gain = torch.linalg.solve(cover, look @ spread).T
            state, spread = state + gain @ error, spread - gain @ look @ spread
            total = total + error @ torch.linalg.solve(cover, error) + torch.logdet(cover)
        return total

    return gradient_of([move], loss)


@workload
def rosenbrock_hessian(torch):
    """torch.func.hessian of Rosenbrock's function of 20 variables."""
    x = torch.linspace(-1, 1, 20)

    def f(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    return lambda: torch.func.hessian(f)(x).sum()


@workload
def per_sample_gradients(torch):
    """vmap of grad of a small network, 64 samples."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    weights = {name: p.detach() for name, p in model.named_parameters()}
    x, y = torch.randn(64, 16), torch.randint(0, 4, (64,))

    def loss(weights, x, y):
        out = torch.func.functional_call(model, weights, (x[None],))
        return torch.nn.functional.cross_entropy(out, y[None])

    grads = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: sum(g.pow(2).sum() for g in grads(weights, x, y).values())


@workload
def lbfgs(torch):
    """One step (20 evaluations at most) of L-BFGS on a logistic regression."""
    torch.manual_seed(0)
    x, y = torch.randn(500, 20), torch.randint(0, 2, (500,)).float()
    start = torch.randn(20)

    def step():
        w = start.clone().requires_grad_()
        optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")

        def closure():
            optimizer.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w, y)
            loss.backward()
            return loss

        return optimizer.step(closure)

    return step


@workload
def variational(torch):
    """A reparametrised sample, log-probabilities and a divergence by torch.distributions."""
    torch.manual_seed(0)
    mean = torch.zeros(100, requires_grad=True)
    log_scale = torch.zeros(100, requires_grad=True)
    seen = torch.randn(100)
    d = torch.distributions

    def loss():
        q, prior = d.Normal(mean, log_scale.exp()), d.Normal(torch.zeros(100), torch.ones(100))
        fit = d.Normal(mean, 0.5).log_prob(seen).sum()
        return d.kl_divergence(q, prior).sum() - fit + 0 * q.rsample().sum()

    return gradient_of([mean, log_scale], loss)


@workload
def spectrum(torch):
    """The difference of two spectrograms of 16,000 samples."""
    torch.manual_seed(0)
    signal, goal = torch.randn(16000, requires_grad=True), torch.randn(16000)
    window = torch.hann_window(512)

    def magnitude(x):
        return torch.stft(x, 512, 128, window=window, return_complex=True).abs()

    with torch.no_grad():
        wanted = magnitude(goal)
    return gradient_of([signal], lambda: (magnitude(signal) - wanted).abs().mean())


@workload
def maml(torch):
    """Two inner steps of gradient descent inside the graph, for four tasks."""
    torch.manual_seed(0)
    F = torch.nn.functional
    shapes = [(40, 1), (40,), (1, 40), (1,)]
    weights = [(0.3 * torch.randn(s)).requires_grad_() for s in shapes]
    tasks = [(torch.randn(10, 1), torch.randn(10, 1)) for _ in range(4)]

    def net(w, x):
        return F.linear(torch.relu(F.linear(x, w[0], w[1])), w[2], w[3])

    def loss():
        total = 0.0
        for x, y in tasks:
            w = weights
            for _ in range(2):
                grads = torch.autograd.grad(F.mse_loss(net(w, x), y), w, create_graph=True)
                w = [p - 0.01 * g for p, g in zip(w, grads, strict=True)]
            total = total + F.mse_loss(net(w, x), y)
        return total

    return gradient_of(weights, loss)


@workload
def assignment(torch):
    """Sinkhorn's iteration, 50 rounds on a 100 x 100 cost."""
    torch.manual_seed(0)
    cost = torch.rand(100, 100, requires_grad=True)

    def loss():
        u = v = torch.zeros(100)
        for _ in range(50):
            u = -torch.logsumexp(v - 10 * cost, 1)
            v = -torch.logsumexp(u[:, None] - 10 * cost, 0)
        plan = (u[:, None] + v - 10 * cost).exp()
        return (plan * cost).sum()

    return gradient_of([cost], loss)


@workload
def word_model(torch):
    """Embedding of 5,000 words, an LSTM, the loss over all words; clipped, AdamW."""
    torch.manual_seed(0)
    nn = torch.nn
    words = torch.randint(0, 5000, (20, 17))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(5000, 64)
            self.net = nn.LSTM(64, 64)
            self.out = nn.Linear(64, 5000)

        def forward(self, x):
            return self.out(self.net(self.embed(x))[0])

    model = Model()
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        optimizer.zero_grad()
        scores = model(words[:, :-1])
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return step


@workload
def deep_mlp(torch):
    """Six wide layers with batch norm and dropout, batch 256."""
    torch.manual_seed(0)
    nn = torch.nn
    layers = []
    for _ in range(6):
        layers += [nn.Linear(256, 256), nn.BatchNorm1d(256), nn.SiLU(), nn.Dropout(0.1)]
    model = nn.Sequential(*layers, nn.Linear(256, 10))
    x, y = torch.randn(256, 256), torch.randint(0, 10, (256,))
    return minimise(model, torch.optim.AdamW(model.parameters()),
                    lambda m: nn.functional.cross_entropy(m(x), y))


@workload
def policy_gradient(torch):
    """A rollout of 50 actions, each drawn from a Categorical."""
    torch.manual_seed(0)
    nn = torch.nn
    policy = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
    observed = torch.randn(50, 4)

    def loss(policy):
        gains = []
        for o in observed:
            choice = torch.distributions.Categorical(logits=policy(o))
            action = choice.sample()
            gains.append(choice.log_prob(action) * (action.item() - 0.5))
        return -torch.stack(gains).sum()

    return minimise(policy, sgd(torch, policy.parameters()), loss)
