"""Sequences, words, graphs and losses: as programs that are not in the other files have them."""

from __future__ import annotations

from registry import gradient_of, minimise, workload


def adam(torch, model):
    return torch.optim.AdamW(model.parameters(), 1e-3)


@workload
def llama_block(torch):
    """RMSNorm, rotary places, causal attention, SwiGLU: 2 x 256 tokens, 128 wide."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    rates = 10000.0 ** (-torch.arange(0, 32, 2) / 32)
    turns = torch.arange(256)[:, None] * rates
    cos, sin = turns.cos(), turns.sin()

    def turned(x):
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)

    class RMSNorm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(128))

        def forward(self, x):
            return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = RMSNorm(), RMSNorm()
            self.qkv, self.out = nn.Linear(128, 384, bias=False), nn.Linear(128, 128, bias=False)
            self.gate, self.up = nn.Linear(128, 344, bias=False), nn.Linear(128, 344, bias=False)
            self.down = nn.Linear(344, 128, bias=False)

        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).view(2, 256, 3, 4, 32).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(2, 256, 128))
            y = self.norm2(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    model = Block()
    x = torch.randn(2, 256, 128)
    return minimise(model, adam(torch, model), lambda m: m(x).pow(2).mean())


@workload
def relative_attention(torch):
    """T5's attention with a learnt bias for each distance: 4 heads, 512 tokens."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 4, 512, 32, requires_grad=True) for _ in range(3))
    table = torch.randn(64, 4, requires_grad=True)
    apart = (torch.arange(512)[:, None] - torch.arange(512)).clamp(-32, 31) + 32

    def loss():
        scores = q @ k.mT / 32**0.5 + table[apart].permute(2, 0, 1)
        return (scores.softmax(-1) @ v).pow(2).sum()

    return gradient_of([q, k, v, table], loss)


@workload
def attention_2048(torch):
    """Causal attention of 1 x 2 heads over 2,048 positions."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 2048, 64, requires_grad=True) for _ in range(3))
    F = torch.nn.functional
    return gradient_of([q, k, v], lambda: F.scaled_dot_product_attention(
        q, k, v, is_causal=True).pow(2).sum())


@workload
def written_attention(torch):
    """Causal attention of 4 heads over 512 positions, by products, masked_fill and softmax."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(4, 512, 32, requires_grad=True) for _ in range(3))
    later = torch.ones(512, 512, dtype=torch.bool).triu(1)

    def loss():
        scores = (q @ k.mT / 32**0.5).masked_fill(later, -torch.inf)
        return (scores.softmax(-1) @ v).pow(2).sum()

    return gradient_of([q, k, v], loss)


@workload
def linear_attention(torch):
    """Causal attention by running sums of outer products: 2 x 256 tokens, 16 wide."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 256, 16, requires_grad=True) for _ in range(3))
    elu = torch.nn.functional.elu

    def loss():
        a, b = elu(q) + 1, elu(k) + 1
        pairs = (b[..., None] * v[..., None, :]).cumsum(1)                 # (2, 256, 16, 16)
        out = torch.einsum("bti,btij->btj", a, pairs)
        return (out / (a * b.cumsum(1)).sum(-1, keepdim=True)).pow(2).mean()

    return gradient_of([q, k, v], loss)


@workload
def state_space(torch):
    """Mamba's recurrence over 128 steps: states of 4 x 64 x 8, decays that depend on the input."""
    torch.manual_seed(0)
    F = torch.nn.functional
    x, step_size = torch.randn(4, 128, 64, requires_grad=True), torch.randn(4, 128, 64)
    b, c = torch.randn(4, 128, 8), torch.randn(4, 128, 8)
    a = -torch.rand(64, 8)

    def loss():
        delta = F.softplus(step_size)
        keep = torch.exp(delta[..., None] * a)                             # (4, 128, 64, 8)
        new = (delta * x)[..., None] * b[:, :, None]
        h, out = torch.zeros(4, 64, 8), []
        for t in range(128):
            h = keep[:, t] * h + new[:, t]
            out.append((h * c[:, t, None]).sum(-1))
        return torch.stack(out, 1).pow(2).mean()

    return gradient_of([x], loss)


@workload
def experts(torch):
    """Two of eight experts for each of 1,024 tokens, gathered and added back by index_add."""
    torch.manual_seed(0)
    nn = torch.nn
    gate = nn.Linear(64, 8)
    mlps = [nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 64)) for _ in range(8)]
    model = nn.ModuleList([gate, *mlps])
    x = torch.randn(1024, 64)

    def loss(model):
        share, chosen = gate(x).softmax(-1).topk(2)
        share = share / share.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for n, mlp in enumerate(mlps):
            token, place = torch.where(chosen == n)
            out = out.index_add(0, token, mlp(x[token]) * share[token, place, None])
        return out.pow(2).mean()

    return minimise(model, adam(torch, model), loss)


@workload
def translation(torch):
    """A GRU encoder, a GRUCell decoder that is taught and attends; 16 x 20 words."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    words, out = nn.Embedding(1000, 64), nn.Linear(128, 1000)
    encode, decode = nn.GRU(64, 64, batch_first=True), nn.GRUCell(128, 64)
    model = nn.ModuleList([words, out, encode, decode])
    source, target = torch.randint(0, 1000, (16, 20)), torch.randint(0, 1000, (16, 21))

    def loss(model):
        seen, h = encode(words(source))
        h, total = h[0], 0.0
        for t in range(20):
            weights = (seen @ h[:, :, None]).softmax(1)
            context = (weights * seen).sum(1)
            h = decode(torch.cat((words(target[:, t]), context), 1), h)
            total = total + F.cross_entropy(out(torch.cat((h, context), 1)), target[:, t + 1])
        return total

    return minimise(model, adam(torch, model), loss)


@workload
def packed_tagger(torch):
    """A bidirectional LSTM over sentences of different lengths, packed."""
    torch.manual_seed(0)
    nn, rnn = torch.nn, torch.nn.utils.rnn
    words, net, out = nn.Embedding(2000, 32), nn.LSTM(32, 32, bidirectional=True), nn.Linear(64, 9)
    model = nn.ModuleList([words, net, out])
    lengths = torch.arange(30, 14, -1)
    x, y = torch.randint(0, 2000, (30, 16)), torch.randint(0, 9, (30, 16))

    def loss(model):
        packed = rnn.pack_padded_sequence(words(x), lengths)
        scores = out(rnn.pad_packed_sequence(net(packed)[0])[0])
        return nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten())

    return minimise(model, adam(torch, model), loss)


@workload
def speech(torch):
    """Convolutions, a GRU and the CTC loss: 8 recordings of 100 frames."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    cut = nn.Conv1d(40, 64, 5, padding=2)
    net, out = nn.GRU(64, 64), nn.Linear(64, 29)
    model = nn.ModuleList([cut, net, out])
    x, y = torch.randn(8, 40, 100), torch.randint(1, 29, (8, 15))
    frames, letters = torch.full((8,), 100), torch.full((8,), 15)

    def loss(model):
        h = F.relu(cut(x)).permute(2, 0, 1)
        return F.ctc_loss(out(net(h)[0]).log_softmax(2), y, frames, letters)

    return minimise(model, adam(torch, model), loss)


@workload
def conditional_field(torch):
    """A CRF's log-likelihood: the forward algorithm over 30 words of 32 sentences, 12 tags."""
    torch.manual_seed(0)
    scores = torch.randn(32, 30, 12, requires_grad=True)
    moves = torch.randn(12, 12, requires_grad=True)
    tags = torch.randint(0, 12, (32, 30))

    def loss():
        alpha = scores[:, 0]
        for t in range(1, 30):
            alpha = torch.logsumexp(alpha[:, :, None] + moves, 1) + scores[:, t]
        path = scores.gather(2, tags[..., None]).sum() + moves[tags[:, :-1], tags[:, 1:]].sum()
        return torch.logsumexp(alpha, 1).sum() - path

    return gradient_of([scores, moves], loss)


@workload
def bags_of_words(torch):
    """fastText: an EmbeddingBag of 20,000 words, 256 texts of 50."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.ModuleList([nn.EmbeddingBag(20000, 32), nn.Linear(32, 5)])
    x, y = torch.randint(0, 20000, (256, 50)), torch.randint(0, 5, (256,))
    return minimise(model, torch.optim.SGD(model.parameters(), 0.1),
                    lambda m: nn.functional.cross_entropy(m[1](m[0](x)), y))


@workload
def padded_words(torch):
    """The next of 1,000 words by a GRU: 32 texts of 4 to 30 words, padding is ignored."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.ModuleList([nn.Embedding(1000, 32, padding_idx=0), nn.GRU(32, 64, batch_first=True),
                           nn.Linear(64, 1000)])
    text = torch.randint(1, 1000, (32, 31))
    text[torch.arange(31) >= torch.randint(4, 31, (32, 1))] = 0

    def loss(m):
        scores = m[2](m[1](m[0](text[:, :-1]))[0])
        return nn.functional.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten(),
                                           ignore_index=0)

    return minimise(model, adam(torch, model), loss)


@workload
def sparse_table(torch):
    """Sparse gradients of 100 texts of 20 words, in a table of 50,000 words."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Embedding(50000, 32, sparse=True)
    text = torch.randint(0, 50000, (100, 20))
    return minimise(model, torch.optim.SGD(model.parameters(), 0.1),
                    lambda m: m(text).sum(1).tanh().pow(2).mean())


@workload
def recommender(torch):
    """DLRM: bags with offsets, an MLP, products of all pairs; batch 256."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    bags = nn.ModuleList([nn.EmbeddingBag(5000, 16, mode="sum") for _ in range(6)])
    low = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 16), nn.ReLU())
    high = nn.Sequential(nn.Linear(37, 64), nn.ReLU(), nn.Linear(64, 1))
    model = nn.ModuleList([bags, low, high])
    dense, y = torch.randn(256, 13), torch.rand(256).round()
    words, offsets = torch.randint(0, 5000, (6, 1024)), torch.arange(0, 1024, 4)
    i, j = torch.tril_indices(7, 7, -1)

    def loss(model):
        x = low(dense)
        all = torch.stack([x, *(bag(w, offsets) for bag, w in zip(bags, words, strict=True))], 1)
        pairs = (all @ all.mT)[:, i, j]                                    # (256, 21)
        return F.binary_cross_entropy_with_logits(high(torch.cat((x, pairs), 1))[:, 0], y)

    return minimise(model, torch.optim.SGD(model.parameters(), 0.1), loss)


@workload
def word_pairs(torch):
    """word2vec with 5 negative samples, 10,000 words, batch 512, Adagrad."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.ModuleList([nn.Embedding(10000, 64), nn.Embedding(10000, 64)])
    word, near = torch.randint(0, 10000, (512,)), torch.randint(0, 10000, (512,))
    far = torch.randint(0, 10000, (512, 5))

    def loss(m):
        x = m[0](word)
        good = F.logsigmoid((x * m[1](near)).sum(1))
        bad = F.logsigmoid(-(m[1](far) @ x[:, :, None])[..., 0]).sum(1)
        return -(good + bad).mean()

    return minimise(model, torch.optim.Adagrad(model.parameters()), loss)


@workload
def factorisation(torch):
    """Two embeddings and biases, BPR's loss on 2,048 triples, Adam."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.ModuleList([nn.Embedding(3000, 32), nn.Embedding(2000, 32), nn.Embedding(2000, 1)])
    who, liked, other = (torch.randint(0, n, (2048,)) for n in (3000, 2000, 2000))

    def loss(m):
        user, score = m[0](who), 0.0
        for sign, thing in ((1, liked), (-1, other)):
            score = score + sign * ((user * m[1](thing)).sum(1) + m[2](thing)[:, 0])
        return -nn.functional.logsigmoid(score).mean() + 1e-4 * user.norm(dim=1).mean()

    return minimise(model, adam(torch, model), loss)


@workload
def graph_convolution(torch):
    """GCN: degrees, scatter_add of 20,000 scaled messages among 3,000 nodes, two layers."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    source, target = torch.randint(0, 3000, (2, 20000))
    layers = nn.ModuleList([nn.Linear(64, 32), nn.Linear(32, 7)])
    x, y = torch.randn(3000, 64), torch.randint(0, 7, (3000,))

    def loss(layers):
        degree = torch.zeros(3000).scatter_add_(0, target, torch.ones(20000)).clamp(min=1)
        scale = (degree[source] * degree[target]).rsqrt()[:, None]
        h = x
        for k, layer in enumerate(layers):
            h = layer(F.relu(h) if k else h)
            sent = h.index_select(0, source) * scale
            h = torch.zeros_like(h).scatter_add(0, target[:, None].expand_as(sent), sent)
        return F.cross_entropy(h, y)

    return minimise(layers, adam(torch, layers), loss)


@workload
def graph_attention_large(torch):
    """GAT: softmax over the edges of each of 2,000 nodes by scatter_reduce; 4 heads."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    source, target = torch.randint(0, 2000, (2, 16000))
    layer, at = nn.Linear(32, 64), nn.Parameter(torch.randn(2, 4, 16) / 4)
    model = nn.ModuleList([layer])
    x = torch.randn(2000, 32)

    def loss(model):
        h = layer(x).view(2000, 4, 16)
        left, right = (h * at[0]).sum(-1), (h * at[1]).sum(-1)
        e = F.leaky_relu(left[source] + right[target], 0.2)                # (edges, heads)
        where = target[:, None].expand_as(e)
        most = torch.full((2000, 4), -1e9).scatter_reduce(0, where, e, "amax")
        e = (e - most[target].detach()).exp()
        total = torch.zeros(2000, 4).scatter_add(0, where, e)
        weight = e / total[target]
        return torch.zeros(2000, 4, 16).index_add(0, target, weight[..., None] * h[source]) \
            .pow(2).mean()

    return minimise(model, adam(torch, model), loss)


@workload
def contrastive(torch):
    """SimCLR: normalised features of 256 pairs, all similarities, cross entropy."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 64))
    x = torch.randn(512, 128)
    pair = torch.arange(512).roll(256)

    def loss(m):
        z = F.normalize(m(x))
        alike = (z @ z.T / 0.1).masked_fill(torch.eye(512, dtype=torch.bool), float("-inf"))
        return F.cross_entropy(alike, pair)

    return minimise(model, adam(torch, model), loss)


@workload
def triplets(torch):
    """Triplet loss with the hardest of a batch of 256 by cdist, and a margin ranking."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 32))
    x, y = torch.randn(256, 64), torch.randint(0, 16, (256,))
    same = y[:, None] == y

    def loss(m):
        apart = torch.cdist(m(x), m(x))
        far = apart.masked_fill(~same, 0).amax(1)
        near = apart.masked_fill(same, 1e9).amin(1)
        return F.margin_ranking_loss(near, far, torch.ones(256), margin=0.3)

    return minimise(model, adam(torch, model), loss)


@workload
def embedding_stress(torch):
    """Multidimensional scaling: all distances of 500 points by pdist, Huber's loss."""
    torch.manual_seed(0)
    x, wanted = torch.randn(500, 3, requires_grad=True), torch.rand(500 * 499 // 2)
    F = torch.nn.functional
    return gradient_of([x], lambda: F.huber_loss(F.pdist(x), wanted))


@workload
def kernel_two_sample(torch):
    """MMD of 400 and 400 points with L1 distances and five widths."""
    torch.manual_seed(0)
    x, y = torch.randn(400, 16, requires_grad=True), torch.randn(400, 16)

    def loss():
        both = torch.cat((x, y))
        apart = torch.cdist(both, both, p=1)
        k = sum(torch.exp(-apart / s) for s in (1.0, 2.0, 4.0, 8.0, 16.0))
        return k[:400, :400].mean() + k[400:, 400:].mean() - 2 * k[:400, 400:].mean()

    return gradient_of([x], loss)


@workload
def q_learning(torch):
    """DQN: gathered values, a target network, smooth L1, clipped values, soft update; batch 256."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    net, target = (nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                                 nn.Linear(128, 4)) for _ in range(2))
    now, after, reward = torch.randn(256, 8), torch.randn(256, 8), torch.randn(256)
    action = torch.randint(0, 4, (256, 1))
    optimizer = adam(torch, net)

    def step():
        with torch.no_grad():
            wanted = reward + 0.99 * target(after).max(1)[0]
        loss = F.smooth_l1_loss(net(now).gather(1, action)[:, 0], wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            for p, q in zip(target.parameters(), net.parameters(), strict=True):
                p.lerp_(q, 0.005)
        return loss

    return step


@workload
def proximal_policy(torch):
    """PPO: ratios, clamps, entropies, values; a minibatch of 512."""
    torch.manual_seed(0)
    nn = torch.nn
    body = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
    model = nn.ModuleList([body, nn.Linear(64, 6), nn.Linear(64, 1)])
    x, action, old = torch.randn(512, 16), torch.randint(0, 6, (512,)), -2 * torch.rand(512)
    gain, value = torch.randn(512), torch.randn(512)

    def loss(m):
        h = m[0](x)
        policy = torch.distributions.Categorical(logits=m[1](h))
        ratio = (policy.log_prob(action) - old).exp()
        least = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
        return (m[2](h)[:, 0] - value).pow(2).mean() - least.mean() - 0.01 * policy.entropy().mean()

    return minimise(model, adam(torch, model), loss)


@workload
def coupling_flow(torch):
    """RealNVP: six affine couplings of 512 points in 8 dimensions."""
    torch.manual_seed(0)
    nn = torch.nn
    nets = nn.ModuleList([nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 8))
                          for _ in range(6)])
    x = torch.randn(512, 8)

    def loss(nets):
        z, log_det = x, 0.0
        for net in nets:
            a, b = z.chunk(2, 1)
            scale, shift = net(a).chunk(2, 1)
            scale = torch.tanh(scale)
            z, log_det = torch.cat((b * scale.exp() + shift, a), 1), log_det + scale.sum(1)
        return (0.5 * z.pow(2).sum(1) - log_det).mean()

    return minimise(nets, adam(torch, nets), loss)


@workload
def bfloat16_step(torch):
    """An MLP under autocast to bfloat16, batch 128."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(256, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 256),
                          nn.ReLU(), nn.Linear(256, 10))
    x, y = torch.randn(128, 256), torch.randint(0, 10, (128,))

    def loss(m):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = m(x)
        return nn.functional.cross_entropy(out.float(), y)

    return minimise(model, adam(torch, model), loss)


@workload
def half_elementwise(torch):
    """float16: scaled, shifted, gated and summed; 64 x 1,024."""
    torch.manual_seed(0)
    x = torch.randn(64, 1024).half().requires_grad_()
    w = torch.randn(1024).half().requires_grad_()
    return gradient_of([x, w], lambda: (torch.relu(x * w + 1) * torch.sigmoid(x)).float().mean())


@workload
def distillation(torch):
    """KL divergence to a teacher at a temperature, label smoothing; 256 x 1,000 scores."""
    torch.manual_seed(0)
    F = torch.nn.functional
    scores, teacher = torch.randn(256, 1000, requires_grad=True), torch.randn(256, 1000)
    y = torch.randint(0, 1000, (256,))

    def loss():
        soft = F.kl_div(F.log_softmax(scores / 4, 1), F.softmax(teacher / 4, 1),
                        reduction="batchmean")
        return 16 * soft + F.cross_entropy(scores, y, label_smoothing=0.1)

    return gradient_of([scores], loss)


@workload
def hessian_products(torch):
    """Ten Hessian-vector products of an MLP's loss, as conjugate gradients asks them."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(),
                          nn.Linear(64, 4))
    x, y = torch.randn(128, 32), torch.randint(0, 4, (128,))
    params = list(model.parameters())

    def step():
        grads = torch.autograd.grad(F.cross_entropy(model(x), y), params, create_graph=True)
        flat = torch.cat([g.reshape(-1) for g in grads])
        v = torch.ones_like(flat)
        for _ in range(10):
            products = torch.autograd.grad(flat @ v, params, retain_graph=True)
            v = torch.cat([p.reshape(-1) for p in products])
            v = v / v.norm()
        return v.sum()

    return step


@workload
def sparse_process(torch):
    """A sparse Gaussian process: triangular solves and Cholesky factors, 500 points, 50 centres."""
    torch.manual_seed(0)
    x, y = torch.rand(500, 3, dtype=torch.float64), torch.randn(500, 1, dtype=torch.float64)
    centres = torch.rand(50, 3, dtype=torch.float64).requires_grad_()
    scale = torch.zeros((), dtype=torch.float64, requires_grad=True)
    one = torch.eye(50, dtype=torch.float64)

    def kernel(a, b):
        return torch.exp(-0.5 * torch.cdist(a, b).pow(2) / scale.exp())

    def loss():
        low = torch.linalg.cholesky(kernel(centres, centres) + 1e-4 * one)
        a = torch.linalg.solve_triangular(low, kernel(centres, x), upper=False) / 0.1
        b = torch.linalg.cholesky(a @ a.mT + one)
        c = torch.linalg.solve_triangular(b, a @ y, upper=False)
        return b.diagonal().log().sum() + 0.5 * (y.pow(2).sum() - c.pow(2).sum())

    return gradient_of([centres, scale], loss)


@workload
def batches_of_matrices(torch):
    """Log-determinants, inverses and eigenvalues of 200 matrices of 6 x 6."""
    torch.manual_seed(0)
    a = torch.randn(200, 6, 6, requires_grad=True)

    def loss():
        s = a @ a.mT + torch.eye(6)
        return torch.logdet(s).sum() + torch.linalg.inv(s).diagonal(dim1=1, dim2=2).sum() \
            + torch.linalg.eigvalsh(s).log().sum()

    return gradient_of([a], loss)


@workload
def sorted_losses(torch):
    """Sorting in a loss: Lovasz' hinge and a quantile of 20,000 scores."""
    torch.manual_seed(0)
    scores, labels = torch.randn(20000, requires_grad=True), torch.rand(20000).round()

    def loss():
        errors = 1 - scores * (2 * labels - 1)
        high, order = errors.sort(descending=True)
        truth = labels[order]
        shared = truth.sum() - truth.cumsum(0)
        union = truth.sum() + (1 - truth).cumsum(0)
        share = 1 - shared / union
        share = torch.cat((share[:1], share.diff()))
        return torch.relu(high) @ share + torch.quantile(errors, 0.9)

    return gradient_of([scores], loss)


@workload
def decoding(torch):
    """Without a graph: 20 tokens with a cache of keys and values, two layers, 128 wide."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    qkv = [nn.Linear(128, 384) for _ in range(2)]
    mlp = [nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 128)) for _ in range(2)]
    words, norm = nn.Embedding(1000, 128), nn.LayerNorm(128)

    def step():
        with torch.no_grad():
            keys = [torch.zeros(1, 4, 0, 32)] * 2
            values, word = list(keys), torch.zeros(1, dtype=torch.long)
            for _ in range(20):
                x = words(word)
                for n in range(2):
                    q, k, v = qkv[n](norm(x)).view(3, 1, 4, 1, 32)
                    keys[n], values[n] = torch.cat((keys[n], k), 2), torch.cat((values[n], v), 2)
                    y = F.scaled_dot_product_attention(q, keys[n], values[n])
                    x = x + y.reshape(1, 128)
                    x = x + mlp[n](norm(x))
                word = (norm(x) @ words.weight.T).argmax(-1)
            return x.sum()

    return step


@workload
def scan_in_place(torch):
    """y[:, t] = a y[:, t-1] + x[:, t] written into a buffer of 64 x 200 x 32 step by step."""
    torch.manual_seed(0)
    x, a = torch.randn(64, 100, 32, requires_grad=True), torch.full((32,), 0.9, requires_grad=True)

    def loss():
        y = torch.zeros(64, 100, 32)
        state = torch.zeros(64, 32)
        for t in range(100):
            state = state * a + x[:, t]
            y[:, t] = state
        return y.pow(2).mean()

    return gradient_of([x, a], loss)


@workload
def mixture_density(torch):
    """A mixture of ten Gaussians whose parameters a network gives; batch 1,024."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(4, 128), nn.ELU(), nn.Linear(128, 30))
    x, y = torch.randn(1024, 4), torch.randn(1024, 1)

    def loss(m):
        share, mean, scale = m(x).chunk(3, 1)
        d = torch.distributions
        each = d.Normal(mean, nn.functional.softplus(scale) + 1e-3).log_prob(y)
        return -torch.logsumexp(share.log_softmax(1) + each, 1).mean()

    return minimise(model, adam(torch, model), loss)
