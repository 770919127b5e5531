"""Small programs, where calls cost more than numbers: a step is hundreds of operators on few."""

from __future__ import annotations

from registry import gradient_of, minimise, workload


def adam(torch, model):
    return torch.optim.Adam(model.parameters())


@workload
def hand_lstm(torch):
    """An LSTM written out: chunks, sigmoids and a stack over 30 steps."""
    torch.manual_seed(0)
    wx, wh = ((torch.randn(n, 64) / 4).requires_grad_() for n in (8, 16))
    x = torch.randn(30, 4, 8)

    def loss():
        h = c = torch.zeros(4, 16)
        states = []
        for step in x:
            i, f, g, o = (step @ wx + h @ wh).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        return torch.stack(states).pow(2).mean()

    return gradient_of([wx, wh], loss)


@workload
def rows_in_place(torch):
    """h[t] = f(h[t - 1]), written into the rows of one tensor."""
    torch.manual_seed(0)
    w = (torch.randn(8, 8) / 3).requires_grad_()
    x = torch.randn(50, 8)

    def loss():
        h = torch.zeros(50, 8)
        for t in range(1, 50):
            h[t] = torch.tanh(h[t - 1].clone() @ w + x[t])
        return h.pow(2).mean()

    return gradient_of([w], loss)


@workload
def small_convnet(torch):
    """Two 3x3 convolutions with batch norm and pooling on 4 images of 3x8x8."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32, 10),
    )
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4,))
    return minimise(model, adam(torch, model), lambda m: nn.functional.cross_entropy(m(x), y))


@workload
def cellular_automaton(torch):
    """A neural one on a grid of 8x8: depthwise filters, 1x1 convolutions, a random mask."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    inner, outer = nn.Conv2d(12, 16, 1), nn.Conv2d(16, 4, 1, bias=False)
    filters = torch.randn(12, 1, 3, 3)

    def loss(layers):
        state = torch.zeros(1, 4, 8, 8)
        state[:, :, 4, 4] = 1.0
        for _ in range(6):
            seen = F.conv2d(state, filters, padding=1, groups=4)
            state = state + outer(F.relu(inner(seen))) * (torch.rand(1, 1, 8, 8) <= 0.5).float()
            state = state * (F.max_pool2d(state[:, 3:], 3, 1, 1) > 0.1).float()
        return (state - 0.5).pow(2).mean()

    layers = nn.ModuleList([inner, outer])
    return minimise(layers, adam(torch, layers), loss)


@workload
def einsum_products(torch):
    """Products, a trace and a sum by torch.einsum."""
    torch.manual_seed(0)
    shapes = (4, 5, 6), (4, 6, 7), (7, 3)
    a, b, c = (torch.randn(s, requires_grad=True) for s in shapes)

    def loss():
        x = torch.einsum("bij,bjk->bik", a, b)
        y = torch.einsum("bik,kl->bil", x, c)
        z = torch.einsum("bil,bjl->bij", y, y)
        return torch.einsum("bii->b", z).sum() + torch.einsum("bij,bij->", z, z)

    return gradient_of([a, b, c], loss)


@workload
def picked_places(torch):
    """gather, scatter, scatter_add, topk, one_hot and index tensors."""
    torch.manual_seed(0)
    x, source = torch.randn(16, 10, requires_grad=True), torch.randn(16, 4, requires_grad=True)
    places, rows = torch.randint(0, 10, (16, 4)), torch.arange(16)

    def loss():
        sums = torch.zeros(16, 10).scatter_add(1, places, x.gather(1, places) * source)
        best, at = sums.topk(3, dim=1)
        hot = torch.nn.functional.one_hot(at[:, 0], 10).float()
        spread = torch.zeros(16, 10).scatter(1, places, source)
        return best.sum() + (sums * hot).sum() + (spread * sums).sum() + x[rows, at[:, 1]].sum()

    return gradient_of([x, source], loss)


@workload
def beam_search(torch):
    """Eight steps of four beams through a GRUCell, under no_grad."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    words, cell, head = nn.Embedding(20, 16), nn.GRUCell(16, 16), nn.Linear(16, 20)

    def step():
        with torch.no_grad():
            h, score = torch.zeros(1, 16), torch.zeros(1)
            beams = torch.zeros(1, 1, dtype=torch.long)
            for _ in range(8):
                h = cell(words(beams[:, -1]), h)
                score, best = (F.log_softmax(head(h), -1) + score[:, None]).view(-1).topk(4)
                row = torch.div(best, 20, rounding_mode="floor")
                beams, h = torch.cat([beams[row], (best % 20)[:, None]], 1), h[row]
        return score.sum()

    return step


@workload
def tiny_gpt(torch):
    """Two blocks of a transformer, 16 wide, on 2 x 8 tokens."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(16), nn.LayerNorm(16)
            self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
            self.mlp = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16))

        def forward(self, x):
            q, k, v = (t.view(2, 8, 2, 8).transpose(1, 2)
                       for t in self.qkv(self.norm1(x)).split(16, dim=2))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(2, 8, 16))
            return x + self.mlp(self.norm2(x))

    model = nn.Sequential(nn.Embedding(20, 16), Block(), Block(), nn.Linear(16, 20))
    tokens = torch.randint(0, 20, (2, 9))
    return minimise(model, torch.optim.AdamW(model.parameters()), lambda m: F.cross_entropy(
        m(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()))


@workload
def custom_function(torch):
    """A torch.autograd.Function, 30 times."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x)
            ctx.scale = scale
            return x * x * scale

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * ctx.scale * x * g, None

    x = torch.linspace(0.1, 0.9, 16, requires_grad=True)

    def loss():
        y = x
        for _ in range(30):
            y = Square.apply(y, 0.9)
        return y.sum()

    return gradient_of([x], loss)


@workload
def mixture(torch):
    """The likelihood of 50 points under MixtureSameFamily, and four more distributions."""
    torch.manual_seed(0)
    d = torch.distributions
    logits, place, spread = (torch.randn(s).requires_grad_() for s in ((3,), (3, 2), (3, 2)))
    points = torch.randn(50, 2)

    def loss():
        normal = d.Independent(d.Normal(place, spread.exp()), 1)
        fit = d.MixtureSameFamily(d.Categorical(logits=logits), normal).log_prob(points).mean()
        gamma = d.Gamma(logits.exp(), 1.0).log_prob(torch.full((3,), 0.7)).sum()
        beta = d.Beta(logits.exp(), 2.0).log_prob(torch.full((3,), 0.7)).sum()
        count = d.Poisson(logits.exp()).log_prob(torch.full((3,), 2.0)).sum()
        return -fit - gamma - beta - count + d.kl_divergence(normal.base_dist, d.Normal(0, 1)).sum()

    return gradient_of([logits, place, spread], loss)


@workload
def graph_attention(torch):
    """Attention along 100 edges between 30 nodes."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    source, target = torch.randint(0, 30, (2, 100))
    x, layer, weight = torch.randn(30, 8), nn.Linear(8, 8), torch.randn(16, requires_grad=True)

    def loss():
        h = layer(x)
        score = F.leaky_relu(torch.cat([h[source], h[target]], 1) @ weight, 0.2)
        share = (score - score.max()).exp()
        total = torch.zeros(30).scatter_add(0, target, share)
        share = share / (total[target] + 1e-9)
        return F.elu(torch.zeros(30, 8).index_add(0, target, share[:, None] * h[source])).mean()

    return gradient_of([weight, *layer.parameters()], loss)


@workload
def hidden_markov(torch):
    """The forward algorithm of a hidden Markov model, 20 observations of 5 states."""
    torch.manual_seed(0)
    move, show = torch.randn(5, 5, requires_grad=True), torch.randn(5, 8, requires_grad=True)
    seen = torch.randint(0, 8, (20,)).tolist()

    def loss():
        moves, shows = torch.log_softmax(move, 1), torch.log_softmax(show, 1)
        score = shows[:, seen[0]]
        for s in seen[1:]:
            score = torch.logsumexp(score[:, None] + moves, dim=0) + shows[:, s]
        return -torch.logsumexp(score, 0)

    return gradient_of([move, show], loss)
