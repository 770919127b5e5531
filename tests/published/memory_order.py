"""Results of transposed, permuted and expanded tensors lie in memory as PyTorch's: view() works."""
import torch
import torch.nn.functional as F

full = torch.linspace(0.1, 2.4, 24)
INPUTS = {
    "transposed": full[:16].view(4, 4).t(),
    "permuted": full.view(2, 3, 4).permute(2, 0, 1),
    "inner transposed": full.view(2, 3, 4).mT,
    "expanded": full[:4].expand(3, 4),
    "expanded inside": full[:6].view(2, 1, 3).expand(2, 4, 3),
    "expanded and transposed": full[:4].view(4, 1).expand(4, 3).t(),
    "sliced": full.view(4, 6)[:, ::2],
    "channels last": full.view(1, 2, 3, 4).to(memory_format=torch.channels_last),
}
CALLS = {
    "clone": torch.clone, "double": lambda x: x.double(), "int": lambda x: x.int(),
    "bool": lambda x: x.bool(), "exp": torch.exp, "add": lambda x: x + 1,
    "sum": lambda x: x.sum(0), "sum keepdim": lambda x: x.sum(0, True),
    "mean": lambda x: x.mean(-1, True), "amax": lambda x: x.amax(-1, True),
    "max": lambda x: x.max(0)[0], "any": lambda x: x.any(0), "all": lambda x: x.all(-1, True),
    "prod": lambda x: x.prod(0), "std": lambda x: x.std(0, keepdim=True),
    "norm": lambda x: x.norm(dim=0, keepdim=True), "logsumexp": lambda x: x.logsumexp(0, True),
    "softmax": lambda x: x.softmax(0), "log_softmax": lambda x: x.log_softmax(-1),
    "logsigmoid": F.logsigmoid, "cumsum": lambda x: x.cumsum(0), "cumprod": lambda x: x.cumprod(0),
    "cummax": lambda x: x.cummax(0)[0], "logcumsumexp": lambda x: x.logcumsumexp(0),
    "tril": torch.tril, "triu": torch.triu, "cat": lambda x: torch.cat([x, x]),
    "stack": lambda x: torch.stack([x.contiguous(), x.contiguous()], 1),
    "roll": lambda x: x.roll(1, 0), "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "group_norm": lambda x: F.group_norm(x, 1),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
}
for name, x in INPUTS.items():
    for label, call in CALLS.items():
        y = call(x)
        print(name, label, [s for s, n in zip(y.stride(), y.shape) if n != 1], y.is_contiguous())
