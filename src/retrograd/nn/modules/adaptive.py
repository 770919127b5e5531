"""AdaptiveLogSoftmaxWithLoss: softmax over very many classes (Grave et al. 2016)."""
from __future__ import annotations

from collections import namedtuple

import retrograd as torch
from retrograd.nn import functional as F
from retrograd.nn.modules.container import ModuleList, Sequential
from retrograd.nn.modules.linear import Linear
from retrograd.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Frequent classes in a head, rare ones in clusters of smaller projections.

    Classes are ordered by frequency and cut at `cutoffs`; cluster i uses a projection
    `div_value`^(i + 1) times smaller.

    Input (N, in_features) and target (N,) -> (output, loss): the log-probability of each target,
    (N,), and minus their mean. Both may come without N. Raises ValueError for cutoffs
    that do not increase, or reach n_classes, RuntimeError for a target that is no class.

    >>> import retrograd as torch
    >>> loss = torch.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[5])
    >>> loss(torch.ones(2, 4), torch.tensor([1, 7])).output.shape
    torch.Size([2])
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False,
                 device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1
                or len(set(cutoffs)) != len(cutoffs) or any(int(c) != c for c in cutoffs)):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in "
                             "an increasing order, where each value is between 1 and n_classes-1")
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        settings = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **settings)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(Sequential(Linear(in_features, hidden, bias=False, **settings),
                                        Linear(hidden, size, bias=False, **settings)))

    def reset_parameters(self):
        """Draw every projection again."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_, target_):
        """(log-probability of each target, mean negative log-likelihood)."""
        batched = target_.dim() > 0
        self._check(input_, target_)
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        output = input.new_zeros(target.size(0))
        used = 0
        head_index = target.new_empty(target.size(0))
        bounds = [0, *self.cutoffs]
        for i, (low, high) in enumerate(zip(bounds, bounds[1:], strict=False)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if i == 0:
                head_index.index_copy_(0, rows, target[rows])
            else:
                scores = self.tail[i - 1](input.index_select(0, rows))
                cluster = self.shortlist_size + i - 1
                head_index.index_fill_(0, rows, cluster)
                local = F.log_softmax(scores, dim=1).gather(
                    1, (target[rows] - low).view(-1, 1))
                output.index_copy_(0, rows, local.view(-1))
            used += rows.numel()
        if used != target.size(0):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], "
                               "but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")
        head = F.log_softmax(self.head(input), dim=1)
        output += head.gather(1, head_index.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _check(self, input, target):
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target.dim() == 1:
            if input.size(0) != target.size(0):
                raise RuntimeError("Input and target should have the same size in the batch "
                                   "dimension.")
            if input.dim() != 2:
                raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs "
                                   f"with size {input.size()}")
        elif input.dim() != 1:
            raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs with "
                               f"size {input.size()}")

    def _get_full_log_prob(self, input, head_output):
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        out[:, :self.shortlist_size] = head[:, :self.shortlist_size]
        for i, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:], strict=False)):
            local = F.log_softmax(self.tail[i](input), dim=1)
            out[:, low:high] = local + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input):
        """The log-probabilities of every class: (N, in_features) -> (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        """The likeliest class of each row: log_prob(input).argmax(1), mostly without the tails."""
        head = self.head(input)
        best = torch.argmax(head, dim=1)
        in_tail = best >= self.shortlist_size
        if not torch.any(in_tail):
            return best
        if torch.all(in_tail):
            return torch.argmax(self._get_full_log_prob(input, head), dim=1)
        rest = self._get_full_log_prob(input[in_tail], head[in_tail])
        best[in_tail] = torch.argmax(rest, dim=1)
        return best
