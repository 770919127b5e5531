"""Harder training steps: bigger convolutions, recurrent nets, long attention, penalties."""

from __future__ import annotations

from registry import minimise, workload


def sgd(torch, model):
    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)


@workload
def convnet(torch):
    """Three 3x3 convolutions, 32 to 64 channels, on 32 images of 3x64x64."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(64, 10),
    )
    x, y = torch.randn(32, 3, 64, 64), torch.randint(0, 10, (32,))
    return minimise(model, sgd(torch, model), lambda m: F.cross_entropy(m(x), y))


@workload
def resnet_block(torch):
    """A strided residual block with batch norm on 16 images of 32x32x32."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(32, 64, 3, stride=2, padding=1, bias=False)
            self.conv2 = nn.Conv2d(64, 64, 3, padding=1, bias=False)
            self.short = nn.Conv2d(32, 64, 1, stride=2, bias=False)
            self.norm1, self.norm2, self.norm3 = (nn.BatchNorm2d(64) for _ in range(3))

        def forward(self, x):
            y = F.relu(self.norm1(self.conv1(x)))
            y = self.norm2(self.conv2(y))
            return F.relu(y + self.norm3(self.short(x)))

    model = Block()
    x = torch.randn(16, 32, 32, 32, requires_grad=True)
    return minimise(model, sgd(torch, model), lambda m: m(x).pow(2).mean())


@workload
def mobile_block(torch):
    """Pointwise, depthwise, pointwise: an inverted residual on 16 images of 24x32x32."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(24, 96, 1, bias=False), nn.BatchNorm2d(96), nn.ReLU6(),
        nn.Conv2d(96, 96, 3, padding=1, groups=96, bias=False), nn.BatchNorm2d(96), nn.ReLU6(),
        nn.Conv2d(96, 24, 1, bias=False), nn.BatchNorm2d(24),
    )
    x = torch.randn(16, 24, 32, 32)
    return minimise(model, sgd(torch, model), lambda m: (m(x) + x).pow(2).mean())


@workload
def autoencoder(torch):
    """Strided convolutions down and transposed ones up, 32 images of 1x32x32."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), nn.ReLU(),
        nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1), nn.Sigmoid(),
    )
    x = torch.rand(32, 1, 32, 32)
    return minimise(model, sgd(torch, model), lambda m: F.mse_loss(m(x), x))


@workload
def unet_level(torch):
    """One level of a U-Net: pooled, upsampled bilinearly, joined; 8 images of 16x64x64."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional

    class Level(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv2d(16, 32, 3, padding=1)
            self.up = nn.Conv2d(48, 16, 3, padding=1)

        def forward(self, x):
            y = F.relu(self.down(F.avg_pool2d(x, 2)))
            y = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
            return self.up(F.pad(torch.cat((x, y), 1), (1, 1, 1, 1), mode="reflect"))

    model = Level()
    x = torch.randn(8, 16, 64, 64)
    return minimise(model, sgd(torch, model), lambda m: m(x).abs().mean())


@workload
def wavenet(torch):
    """Dilated one-dimensional convolutions on 8 signals of 1x2048."""
    torch.manual_seed(0)
    nn = torch.nn
    layers = [nn.Conv1d(1, 32, 1)]
    for dilation in (1, 2, 4, 8, 16):
        layers += [nn.Conv1d(32, 32, 3, padding=dilation, dilation=dilation), nn.Tanh()]
    model = nn.Sequential(*layers, nn.Conv1d(32, 1, 1))
    x = torch.randn(8, 1, 2048)
    return minimise(model, sgd(torch, model), lambda m: (m(x) - x).pow(2).mean())


@workload
def conv3d_net(torch):
    """Two 3x3x3 convolutions and a pooling on 4 volumes of 1x16x32x32."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv3d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2),
        nn.Conv3d(8, 16, 3, padding=1), nn.ReLU(), nn.AvgPool3d(2),
    )
    x = torch.randn(4, 1, 16, 32, 32)
    return minimise(model, sgd(torch, model), lambda m: m(x).pow(2).mean())


def recurrent(torch, kind, layers=1):
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    net, head = getattr(nn, kind)(32, 64, layers), nn.Linear(64, 10)
    model = nn.ModuleList([net, head])
    x, y = torch.randn(50, 16, 32), torch.randint(0, 10, (16,))
    return minimise(model, torch.optim.Adam(model.parameters()),
                    lambda m: F.cross_entropy(head(net(x)[0][-1]), y))


@workload
def lstm(torch):
    """Two LSTM layers, 64 wide, over 50 steps of 16 sequences."""
    return recurrent(torch, "LSTM", 2)


@workload
def gru(torch):
    """A GRU layer, 64 wide, over 50 steps of 16 sequences."""
    return recurrent(torch, "GRU")


@workload
def rnn(torch):
    """A tanh RNN layer, 64 wide, over 50 steps of 16 sequences."""
    return recurrent(torch, "RNN")


@workload
def lstm_cells(torch):
    """An LSTMCell called in a Python loop of 50 steps."""
    torch.manual_seed(0)
    cell = torch.nn.LSTMCell(32, 64)
    x = torch.randn(50, 16, 32)

    def loss(m):
        h = c = torch.zeros(16, 64)
        for step in x:
            h, c = m(step, (h, c))
        return h.pow(2).mean()

    return minimise(cell, sgd(torch, cell), loss)


def attention(torch, length, causal):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 4, length, 32, requires_grad=True) for _ in range(3))
    F = torch.nn.functional

    def step():
        q.grad = k.grad = v.grad = None
        loss = F.scaled_dot_product_attention(q, k, v, is_causal=causal).pow(2).sum()
        loss.backward()
        return loss

    return step


@workload
def attention_256(torch):
    """Attention of 2 x 4 heads over 256 positions."""
    return attention(torch, 256, False)


@workload
def attention_1024(torch):
    """Causal attention of 2 x 4 heads over 1,024 positions."""
    return attention(torch, 1024, True)


@workload
def transformer(torch):
    """An encoder layer of nn.Transformer, 128 wide, on 8 x 128 tokens."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    x = torch.randn(8, 128, 128)
    return minimise(model, sgd(torch, model), lambda m: m(x).pow(2).mean())


@workload
def penalty_mlp(torch):
    """A gradient penalty: the derivative of a derivative through an MLP."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(),
                          nn.Linear(256, 1))
    x = torch.randn(128, 64, requires_grad=True)

    def loss(m):
        y = m(x).sum()
        (slope,) = torch.autograd.grad(y, x, create_graph=True)
        return y.pow(2) * 1e-4 + (slope.norm(2, dim=1) - 1).pow(2).mean()

    return minimise(model, sgd(torch, model), loss)


@workload
def penalty_conv(torch):
    """The same through convolutions, 16 images of 3x32x32."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.Tanh(),
                          nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.Tanh(), nn.Flatten(),
                          nn.Linear(16 * 256, 1))
    x = torch.randn(16, 3, 32, 32, requires_grad=True)

    def loss(m):
        y = m(x).sum()
        (slope,) = torch.autograd.grad(y, x, create_graph=True)
        return y.pow(2) * 1e-4 + (slope.pow(2).sum((1, 2, 3)) - 1).pow(2).mean()

    return minimise(model, sgd(torch, model), loss)


@workload
def inplace_recurrence(torch):
    """100 steps written into rows of one tensor in place, each from the row before."""
    torch.manual_seed(0)
    w = (torch.randn(32, 32) / 8).requires_grad_()
    x = torch.randn(100, 16, 32)

    def step():
        w.grad = None
        states = torch.zeros(101, 16, 32)
        h = torch.zeros(16, 32)
        for t in range(100):
            h = torch.tanh(x[t] + h @ w)
            states[t + 1] = h
        loss = states.pow(2).mean()
        loss.backward()
        return loss

    return step
