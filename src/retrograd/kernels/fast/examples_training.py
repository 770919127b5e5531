"""Arguments for the twins of optimizers and of random numbers: see examples.py."""

from __future__ import annotations

import numpy as np

from ..stream import Stream
from .examples_nn import SHAPE, Layers, normal

MOMENTUM = ("momentum_buffer",)
MANY = 8                # small parameters beside a large one: threads share them all at once


class Training(Layers):
    """The arguments of updates and of draws."""

    # ---------------------------------------------------------------- updates
    def adam_update(self):
        return [*self.by_moments(0.01, 0.5, amsgrad=False),
                *self.by_moments(0.01, 0.5, amsgrad=False, small=MANY),
                *self.by_moments(0.01, 0.5, more=("max_exp_avg_sq",), amsgrad=True)]

    def nadam_update(self):
        return self.by_moments(0.2, -0.1, -0.3)

    def radam_update(self):
        return [*self.by_moments(0.2, 0.5, None), *self.by_moments(0.2, 0.5, 0.8)]

    def by_moments(self, *numbers, more=(), **settings):
        return [self.update(("exp_avg", "exp_avg_sq", *more), *numbers, betas=(0.9, 0.99),
                            eps=1e-8, maximize=maximize, weight_decay=0.1, lr=0.1,
                            decoupled_weight_decay=apart, **settings)
                for apart, maximize in ((True, False), (False, True))]

    def adamax_update(self):
        return [self.update(("exp_avg", "exp_inf"), 0.1, betas=(0.9, 0.99), eps=1e-8,
                            weight_decay=decay, maximize=False) for decay in (0, 0.1)]

    def asgd_update(self):
        return [self.update(("ax",), 0.1, mu, lambd=1e-2, weight_decay=0.1, maximize=maximize)
                for mu, maximize in ((1, False), (0.3, True))]

    def rprop_update(self):
        return [self.update(("prev", "step_size"), etas=(0.5, 1.2), step_sizes=(0.1, 0.9),
                            maximize=maximize) for maximize in (False, True)]

    def sgd_update(self):
        return [self.update(buffers, 0.9, momentum=momentum, nesterov=nesterov, lr=0.1,
                            weight_decay=0.1, maximize=False, small=small)
                for buffers, momentum, nesterov in (((), 0, False), (MOMENTUM, 0.9, True),
                                                    (MOMENTUM, 0.9, False))
                for small in (1, MANY)]

    def adadelta_update(self):
        return [self.update(("square_avg", "acc_delta"), rho=0.9, eps=1e-6, lr=1.0,
                            weight_decay=0.1, maximize=maximize) for maximize in (False, True)]

    def adagrad_update(self):
        return [self.update(("sum",), 0.1, eps=1e-10, weight_decay=decay, maximize=False)
                for decay in (0, 0.1)]

    def rmsprop_update(self):
        return [self.update(buffers, alpha=0.9, eps=1e-8, lr=0.1, weight_decay=0.1, maximize=False,
                            centered=False, momentum=momentum)
                for buffers, momentum in ((("square_avg",), 0),
                                          (("square_avg", "momentum_buffer"), 0.9))]

    def update(self, buffers, *numbers, small=1, **settings):
        """A large parameter, `small` ones of a few numbers and one of a single number."""
        def item(*shape):
            x, g, *kept = (normal(self.x.dtype, 1, *shape, seed=k)[0, ...]
                           for k in range(2 + len(buffers)))
            return None, x, g, {name: np.abs(a, out=a)
                                for name, a in zip(buffers, kept, strict=True)}
        return (item(130, 140), *(item(3) for _ in range(small)), item()), settings, *numbers

    # ---------------------------------------------------------------- random numbers
    def uniform32(self):
        stream = Stream(1)
        stream.words(7)
        return [(stream._memory.copy(), n) for n in (1, 5000)]

    uniform64 = shuffled = uniform32

    def normal32(self):
        return [(memory, n) for memory, _ in self.uniform32() for n in (16, 100, 5000)]

    def gammas(self):
        memory, kept = Stream(1)._memory.copy(), np.array([1, 0.3])
        some = np.concatenate([self.away[0], self.away[1] * 30, self.away[2] / 3, [0, 10]])
        return [(memory, kept, some.astype(self.x.dtype))]

    poissons = gammas

    def normals(self):
        (memory, kept, _), = self.gammas()
        return [(memory, kept, np.empty(n)) for n in (700, 701)]

    def binomials(self):
        (memory, kept, some), = self.gammas()
        return [(memory, kept, np.floor(some), (some[::-1] % 1.1).copy())]

    def remainders(self):
        return [(memory, n, 1000) for memory, n in self.uniform32()]

    def below(self):
        return [(memory, n, 3 << 50, self.x.dtype, 1.25) for memory, n in self.uniform32()]

    def standard_gamma_grad(self):
        """Parameters from 0.03 to 100, values near them and far away."""
        alpha = np.logspace(-1.5, 2, self.x.size, dtype=self.x.dtype).reshape(SHAPE)
        return [(alpha, alpha * np.exp(self.x / 2)), (alpha, alpha * np.exp(self.x / 50))]

    def dirichlet_grad(self):
        alpha = np.logspace(-1.5, 2, self.x.size, dtype=self.x.dtype).reshape(SHAPE)
        beta = np.exp(self.g)[:, :1]
        total = alpha + beta * alpha
        near = (1 / (1 + beta * np.exp(self.x * scale)) for scale in (1, 0.05))
        return [(1 / (1 + np.exp(self.x * 4)), alpha, alpha + np.exp(self.g * 3)),
                *((np.ascontiguousarray(x), alpha, total) for x in near)]

    def normal_blocks(self):
        uniforms = np.random.default_rng(0).random(16 * 2000, self.x.dtype)
        return [(uniforms, 0, 1), (uniforms.copy(), 0.5, 2)]
