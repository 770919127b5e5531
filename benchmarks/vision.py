"""Pictures and signals: blocks of known networks, generative models, sampling, fields."""

from __future__ import annotations

from registry import gradient_of, minimise, workload


def adam(torch, model):
    return torch.optim.AdamW(model.parameters(), 1e-3)


def squared(torch, model, x):
    """The step that makes the model's results small."""
    return minimise(model, adam(torch, model), lambda m: m(x).pow(2).mean())


@workload
def convnext_block(torch):
    """Depthwise 7x7, LayerNorm over channels last, an MLP with GELU; 8 x 64 x 28 x 28."""
    torch.manual_seed(0)
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.depthwise = nn.Conv2d(64, 64, 7, padding=3, groups=64)
            self.norm = nn.LayerNorm(64)
            self.up, self.down = nn.Linear(64, 256), nn.Linear(256, 64)
            self.gamma = nn.Parameter(1e-1 * torch.ones(64))

        def forward(self, x):
            y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
            y = self.gamma * self.down(nn.functional.gelu(self.up(y)))
            return x + y.permute(0, 3, 1, 2)

    return squared(torch, Block(), torch.randn(8, 64, 28, 28))


@workload
def squeeze_excite(torch):
    """EfficientNet's block: expansion, depthwise with stride 2, gates, projection; SiLU."""
    torch.manual_seed(0)
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide = nn.Sequential(nn.Conv2d(24, 96, 1, bias=False), nn.BatchNorm2d(96),
                                      nn.SiLU(), nn.Conv2d(96, 96, 3, 2, 1, groups=96, bias=False),
                                      nn.BatchNorm2d(96), nn.SiLU())
            self.gates = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(96, 6, 1), nn.SiLU(),
                                       nn.Conv2d(6, 96, 1), nn.Sigmoid())
            self.out = nn.Sequential(nn.Conv2d(96, 40, 1, bias=False), nn.BatchNorm2d(40))

        def forward(self, x):
            x = self.wide(x)
            return self.out(x * self.gates(x))

    return squared(torch, Block(), torch.randn(16, 24, 32, 32))


@workload
def resnet_stem(torch):
    """A 7x7 convolution with stride 2, batch norm, pooling; 8 images of 3 x 112 x 112."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                          nn.MaxPool2d(3, 2, 1))
    return squared(torch, model, torch.randn(8, 3, 112, 112))


@workload
def late_stage(torch):
    """Two 3x3 convolutions of 256 channels on images of 7 x 7, as the last stage of a ResNet."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(256, 256, 3, padding=1, bias=False), nn.BatchNorm2d(256),
                          nn.ReLU(), nn.Conv2d(256, 256, 3, padding=1, bias=False),
                          nn.BatchNorm2d(256))
    return squared(torch, model, torch.randn(8, 256, 7, 7))


@workload
def diffusion_unet(torch):
    """A denoiser: residual blocks with GroupNorm, SiLU and a time, down and up; 8 x 3 x 32 x 32."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.norm1, self.norm2 = nn.GroupNorm(8, inputs), nn.GroupNorm(8, outputs)
            self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
            self.time = nn.Linear(64, outputs)
            self.short = nn.Conv2d(inputs, outputs, 1)

        def forward(self, x, t):
            y = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
            return self.short(x) + self.conv2(F.silu(self.norm2(y)))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 3, 3, padding=1)
            self.high, self.low, self.up = Block(32, 32), Block(32, 64), Block(96, 32)
            self.down = nn.Conv2d(32, 32, 3, 2, 1)

        def forward(self, x, t):
            rates = torch.exp(-torch.arange(32) / 4.0)
            t = torch.cat(((t[:, None] * rates).sin(), (t[:, None] * rates).cos()), 1)
            high = self.high(self.first(x), t)
            low = F.interpolate(self.low(self.down(high), t), scale_factor=2, mode="nearest")
            return self.last(self.up(torch.cat((high, low), 1), t))

    model = Net()
    x, noise = torch.randn(8, 3, 32, 32), torch.randn(8, 3, 32, 32)
    t = torch.rand(8)

    def loss(model):
        share = t.view(-1, 1, 1, 1)
        return F.mse_loss(model(share.sqrt() * x + (1 - share).sqrt() * noise, 100 * t), noise)

    return minimise(model, adam(torch, model), loss)


@workload
def gan_penalty(torch):
    """A critic's step of WGAN-GP on 32 images of 1 x 28 x 28."""
    torch.manual_seed(0)
    nn = torch.nn
    make = nn.Sequential(nn.Linear(32, 32 * 49), nn.ReLU(), nn.Unflatten(1, (32, 7, 7)),
                         nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
                         nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Tanh())
    critic = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 32, 4, 2, 1),
                           nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(32 * 49, 1))
    real, noise = torch.rand(32, 1, 28, 28), torch.randn(32, 32)
    share = torch.rand(32, 1, 1, 1)

    def loss(critic):
        fake = make(noise).detach()
        between = (share * real + (1 - share) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        penalty = (slope.flatten(1).norm(2, dim=1) - 1).pow(2).mean()
        return critic(fake).mean() - critic(real).mean() + 10 * penalty

    return minimise(critic, adam(torch, critic), loss)


@workload
def vae(torch):
    """A variational autoencoder of 784 pixels, batch 128."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    net = nn.ModuleList([nn.Linear(784, 256), nn.Linear(256, 40), nn.Linear(20, 256),
                         nn.Linear(256, 784)])
    x = torch.rand(128, 784)

    def loss(net):
        mean, log_var = net[1](F.relu(net[0](x))).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        out = net[3](F.relu(net[2](z)))
        fit = F.binary_cross_entropy_with_logits(out, x, reduction="sum")
        return fit - 0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum()

    return minimise(net, adam(torch, net), loss)


@workload
def spatial_transformer(torch):
    """Images turned by a predicted affine map before they are classified; 32 x 1 x 28 x 28."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    locate = nn.Sequential(nn.Conv2d(1, 8, 7), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(8, 10, 5),
                           nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(90, 6))
    classify = nn.Sequential(nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(),
                             nn.Linear(1440, 10))
    model = nn.ModuleList([locate, classify])
    x, y = torch.randn(32, 1, 28, 28), torch.randint(0, 10, (32,))
    still = torch.tensor([1.0, 0, 0, 0, 1, 0])

    def loss(model):
        where = F.affine_grid((still + 0.1 * locate(x)).view(-1, 2, 3), x.size(),
                              align_corners=False)
        return F.cross_entropy(classify(F.grid_sample(x, where, align_corners=False)), y)

    return minimise(model, adam(torch, model), loss)


@workload
def optical_flow(torch):
    """A flow field that warps 2 x 3 x 128 x 128 images, with a smoothness penalty."""
    torch.manual_seed(0)
    F = torch.nn.functional
    before, after = torch.rand(2, 3, 128, 128), torch.rand(2, 3, 128, 128)
    flow = (0.01 * torch.randn(2, 128, 128, 2)).requires_grad_()
    line = torch.linspace(-1, 1, 128)
    places = torch.stack(torch.meshgrid(line, line, indexing="xy"), -1)

    def loss():
        warped = F.grid_sample(before, places + flow, padding_mode="border", align_corners=True)
        rough = (flow[:, 1:] - flow[:, :-1]).abs().mean() + flow.diff(dim=2).abs().mean()
        return F.smooth_l1_loss(warped, after) + 0.1 * rough

    return gradient_of([flow], loss)


@workload
def super_resolution(torch):
    """Convolutions and a pixel shuffle by 3; 8 images of 1 x 32 x 32."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(),
                          nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
                          nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3))
    x, y = torch.rand(8, 1, 32, 32), torch.rand(8, 1, 96, 96)
    return minimise(model, adam(torch, model), lambda m: nn.functional.l1_loss(m(x), y))


@workload
def style_transfer(torch):
    """Gram matrices of features, total variation; the gradient goes to the image."""
    torch.manual_seed(0)
    nn = torch.nn
    features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),
                             nn.Conv2d(16, 32, 3, padding=1), nn.ReLU()).requires_grad_(False)
    image = torch.rand(1, 3, 96, 96, requires_grad=True)
    goal = torch.rand(1, 32, 32)

    def loss():
        y = features(image).flatten(2)
        gram = y @ y.mT / y.shape[2]
        rough = image.diff(dim=2).abs().mean() + image.diff(dim=3).abs().mean()
        return (gram - goal).pow(2).mean() + rough

    return gradient_of([image], loss)


@workload
def nerf(torch):
    """Rays through a field: sines of places, an MLP, colours blended; 64 rays of 32 samples."""
    torch.manual_seed(0)
    nn = torch.nn
    field = nn.Sequential(nn.Linear(39, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                          nn.Linear(128, 4))
    places, depths = torch.rand(64, 32, 3), torch.linspace(0, 1, 32).expand(64, 32)
    colours, rates = torch.rand(64, 3), 2.0 ** torch.arange(6)

    def loss(field):
        turns = (places[..., None] * rates).flatten(2)
        out = field(torch.cat((places, turns.sin(), turns.cos()), -1))
        dense, rgb = torch.relu(out[..., 3]), torch.sigmoid(out[..., :3])
        steps = torch.cat((depths.diff(dim=-1), torch.full((64, 1), 0.1)), -1)
        alpha = 1 - torch.exp(-dense * steps)
        through = torch.cumprod(torch.cat((torch.ones(64, 1), 1 - alpha + 1e-10), -1), -1)[:, :-1]
        return ((alpha * through)[..., None] * rgb).sum(1).sub(colours).pow(2).mean()

    return minimise(field, adam(torch, field), loss)


@workload
def point_net(torch):
    """A shared MLP on 16 clouds of 512 points, its maximum, classes."""
    torch.manual_seed(0)
    nn = torch.nn
    points = nn.Sequential(nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU(),
                           nn.Conv1d(64, 128, 1), nn.BatchNorm1d(128), nn.ReLU())
    model = nn.ModuleList([points, nn.Linear(128, 10)])
    x, y = torch.randn(16, 3, 512), torch.randint(0, 10, (16,))
    return minimise(model, adam(torch, model), lambda m: nn.functional.cross_entropy(
        m[1](m[0](x).max(2)[0]), y))


@workload
def edge_convolution(torch):
    """DGCNN: the 16 nearest neighbours of each of 256 points, an MLP on each pair; 4 clouds."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(32, 64, 1, bias=False), nn.BatchNorm2d(64), nn.LeakyReLU(0.2))
    x = torch.randn(4, 16, 256, requires_grad=True)

    def loss(model):
        apart = torch.cdist(x.mT, x.mT)
        near = apart.topk(16, largest=False)[1]                          # (4, 256, 16)
        other = x.gather(2, near.flatten(1)[:, None].expand(4, 16, -1)).view(4, 16, 256, 16)
        pairs = torch.cat((other - x[..., None], x[..., None].expand_as(other)), 1)
        return model(pairs).max(3)[0].pow(2).mean()

    return minimise(model, adam(torch, model), loss)


@workload
def segmentation(torch):
    """Dice, focal and total variation losses of 4 x 5 x 96 x 96 scores."""
    torch.manual_seed(0)
    F = torch.nn.functional
    scores = torch.randn(4, 5, 96, 96, requires_grad=True)
    labels = torch.randint(0, 5, (4, 96, 96))

    def loss():
        share = scores.softmax(1)
        truth = F.one_hot(labels, 5).permute(0, 3, 1, 2).float()
        dice = 2 * (share * truth).sum((2, 3)) / (share + truth).sum((2, 3))
        each = F.cross_entropy(scores, labels, reduction="none")
        return 1 - dice.mean() + ((1 - (-each).exp()) ** 2 * each).mean()

    return gradient_of([scores], loss)


@workload
def street_scenes(torch):
    """Cross entropy of 4 x 8 x 64 x 64 scores with weights and unlabelled pixels."""
    torch.manual_seed(0)
    scores, weight = torch.randn(4, 8, 64, 64, requires_grad=True), torch.rand(8) + 0.5
    labels = torch.randint(0, 8, (4, 64, 64)).masked_fill(torch.rand(4, 64, 64) < 0.1, 255)
    return gradient_of([scores], lambda: torch.nn.functional.cross_entropy(
        scores, labels, weight, ignore_index=255))


@workload
def detection(torch):
    """Boxes: smooth L1 on offsets, intersection over union, focal loss; 8,000 anchors."""
    torch.manual_seed(0)
    F = torch.nn.functional
    corner, size = torch.rand(8000, 2), torch.rand(8000, 2) + 0.1
    truth = torch.cat((corner, corner + size), 1)
    boxes = (truth + 0.05 * torch.randn(8000, 4)).requires_grad_()
    scores, labels = torch.randn(8000, 10, requires_grad=True), torch.rand(8000, 10).round()

    def area(b):
        return (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)

    def loss():
        low, high = torch.max(boxes[:, :2], truth[:, :2]), torch.min(boxes[:, 2:], truth[:, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        share = shared / (area(boxes) + area(truth) - shared)
        each = F.binary_cross_entropy_with_logits(scores, labels, reduction="none")
        p = torch.sigmoid(scores)
        focal = each * (1 - (p * labels + (1 - p) * (1 - labels))) ** 2
        return F.smooth_l1_loss(boxes, truth, beta=0.1) + (1 - share).mean() + focal.mean()

    return gradient_of([boxes, scores], loss)


@workload
def patches_transformer(torch):
    """A vision transformer: patches of 4 x 4, two layers, 16 images of 3 x 32 x 32."""
    torch.manual_seed(0)
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cut = nn.Conv2d(3, 96, 4, 4)
            self.place = nn.Parameter(0.02 * torch.randn(1, 65, 96))
            self.first = nn.Parameter(torch.zeros(1, 1, 96))
            layer = nn.TransformerEncoderLayer(96, 4, 192, 0.0, "gelu", batch_first=True,
                                               norm_first=True)
            self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = nn.Linear(96, 10)

        def forward(self, x):
            x = self.cut(x).flatten(2).mT
            x = torch.cat((self.first.expand(len(x), -1, -1), x), 1) + self.place
            return self.head(self.body(x)[:, 0])

    model = Net()
    x, y = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
    return minimise(model, adam(torch, model), lambda m: nn.functional.cross_entropy(m(x), y))


@workload
def shifted_windows(torch):
    """Swin: windows of 8 x 8, rolled, with a table of relative places; 4 x 32 x 32 x 64."""
    torch.manual_seed(0)
    nn = torch.nn
    qkv, out = nn.Linear(64, 192), nn.Linear(64, 64)
    table = nn.Embedding(225, 4)
    model = nn.ModuleList([qkv, out, table])
    x = torch.randn(4, 32, 32, 64)
    at = torch.stack(torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij")).flatten(1)
    apart = (at[:, :, None] - at[:, None] + 7).mul(torch.tensor([15, 1]).view(2, 1, 1)).sum(0)

    def loss(model):
        y = torch.roll(x, (-4, -4), (1, 2)).view(4, 4, 8, 4, 8, 64)
        y = y.transpose(2, 3).reshape(64, 64, 64)                # (windows, places, channels)
        q, k, v = qkv(y).view(64, 64, 3, 4, 16).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / 4 + table(apart).permute(2, 0, 1)
        y = out((scores.softmax(-1) @ v).transpose(1, 2).reshape(64, 64, 64))
        y = y.view(4, 4, 4, 8, 8, 64).transpose(2, 3).reshape(4, 32, 32, 64)
        return (x + torch.roll(y, (4, 4), (1, 2))).pow(2).mean()

    return minimise(model, adam(torch, model), loss)


@workload
def audio_convnet(torch):
    """M5: a first kernel of 80 with stride 4, batch norm, pooling by 4; 8 signals of 8,000."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv1d(1, 32, 80, 4), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(4),
        nn.Conv1d(32, 32, 3), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(4),
        nn.Conv1d(32, 64, 3), nn.BatchNorm1d(64), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
        nn.Flatten(), nn.Linear(64, 35))
    x, y = torch.randn(8, 1, 8000), torch.randint(0, 35, (8,))
    return minimise(model, adam(torch, model), lambda m: nn.functional.cross_entropy(m(x), y))


@workload
def fourier_operator(torch):
    """FNO: the lowest modes of a Fourier transform times a complex weight; 8 x 16 x 64 x 64."""
    torch.manual_seed(0)
    weight = (torch.randn(16, 16, 12, 12, dtype=torch.cfloat) / 16).requires_grad_()
    x = torch.randn(8, 16, 64, 64)

    def loss():
        modes = torch.fft.rfft2(x)
        low = torch.einsum("bixy,ioxy->boxy", modes[..., :12, :12], weight)
        out = torch.zeros(8, 16, 64, 33, dtype=torch.cfloat)
        out[..., :12, :12] = low
        return torch.nn.functional.gelu(torch.fft.irfft2(out, s=(64, 64)) + x).pow(2).mean()

    return gradient_of([weight], loss)


@workload
def siren(torch):
    """Sines of 60 w x and the Laplacian of what they make: second derivatives at 512 places."""
    torch.manual_seed(0)
    nn = torch.nn

    class Sine(nn.Module):
        def forward(self, x):
            return torch.sin(30 * x)

    model = nn.Sequential(nn.Linear(2, 64), Sine(), nn.Linear(64, 64), Sine(), nn.Linear(64, 1))
    places = (torch.rand(512, 2) * 2 - 1).requires_grad_()

    def loss(model):
        y = model(places)
        (slope,) = torch.autograd.grad(y.sum(), places, create_graph=True)
        bend = sum(torch.autograd.grad(slope[:, k].sum(), places, create_graph=True)[0][:, k]
                   for k in (0, 1))
        return (bend - 1).pow(2).mean() * 1e-4

    return minimise(model, adam(torch, model), loss)


@workload
def heat(torch):
    """Forty steps of a heat equation on 128 x 128, written into the inside of each field."""
    torch.manual_seed(0)
    rate = torch.full((128, 128), 0.1, requires_grad=True)
    start = torch.rand(128, 128)

    def loss():
        u = start
        for _ in range(40):
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
            new = u.clone()
            new[1:-1, 1:-1] += rate[1:-1, 1:-1] * around
            u = new
        return u.pow(2).mean()

    return gradient_of([rate], loss)


@workload
def augmentation(torch):
    """Without a graph: flips, crops, normalisation, erasing, mixing of 64 images of 3 x 32 x 32."""
    torch.manual_seed(0)
    F = torch.nn.functional
    images, mean, std = torch.rand(64, 3, 32, 32), torch.rand(3, 1, 1), torch.rand(3, 1, 1) + 0.5

    def step():
        x = torch.where((torch.arange(64) % 2 == 0).view(-1, 1, 1, 1), images.flip(3), images)
        x = F.pad(x, (4, 4, 4, 4), mode="reflect")[:, :, 3:35, 5:37]
        x = (x - mean) / std
        x[:, :, 8:16, 8:16] = 0
        x = 0.7 * x + 0.3 * x[torch.arange(63, -1, -1)]
        return x.clamp(-2, 2).mean()

    return step


@workload
def inference(torch):
    """A convolutional network in eval mode without a graph, 16 images of 3 x 32 x 32."""
    torch.manual_seed(0)
    nn = torch.nn
    layers, channels = [], 3
    for wide in (32, 64, 64):
        layers += [nn.Conv2d(channels, wide, 3, 1, 1), nn.BatchNorm2d(wide), nn.ReLU(),
                   nn.MaxPool2d(2)]
        channels = wide
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(1024, 10)).eval()
    x = torch.randn(16, 3, 32, 32)

    def step():
        with torch.no_grad():
            return model(x).softmax(1).max(1)[0].sum()

    return step
