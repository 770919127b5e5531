"""A small GPT whose parameters decay in two groups, trained to sort digits."""
import math

import torch
import torch.nn as nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

torch.set_default_dtype(torch.float64)      # rounding in float32 grows to what shows


class SortDataset(Dataset):
    def __init__(self, n, length=4, digits=3):
        generator = torch.Generator().manual_seed(3407)
        self.data = torch.randint(digits, (n, length), generator=generator)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        x = self.data[i]
        cat = torch.cat((x, torch.sort(x)[0]))
        y = cat[1:].clone()
        y[:len(x) - 1] = -1
        return cat[:-1].clone(), y


class Attention(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)
        self.heads = heads
        self.register_buffer("bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2)
                   for t in self.c_attn(x).split(C, dim=2))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = self.dropout(F.softmax(att, dim=-1))
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, width, heads, block):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads, block)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(width, 4 * width), act=nn.GELU("tanh"),
                                      c_proj=nn.Linear(4 * width, width), drop=nn.Dropout(0.1)))

    def forward(self, x):
        m = self.mlp
        x = x + self.attn(self.ln_1(x))
        return x + m.drop(m.c_proj(m.act(m.c_fc(self.ln_2(x)))))


class GPT(nn.Module):
    def __init__(self, vocabulary, block, width=24, heads=3, layers=2):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocabulary, width), wpe=nn.Embedding(block, width),
            drop=nn.Dropout(0.1), h=nn.ModuleList([Block(width, heads, block)
                                                   for _ in range(layers)]),
            ln_f=nn.LayerNorm(width)))
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.apply(self._init_weights)
        for name, p in self.named_parameters():
            if name.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * layers))

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                module.bias.data.zero_()

    def configure_optimizers(self, decay, lr):
        decayed, plain = set(), set()
        for mn, m in self.named_modules():
            for pn, _ in m.named_parameters():
                name = f"{mn}.{pn}" if mn else pn
                if pn.endswith("weight") and isinstance(m, nn.Linear):
                    decayed.add(name)
                elif pn.endswith("bias") or isinstance(m, (nn.LayerNorm, nn.Embedding)):
                    if pn in ("weight", "bias"):
                        plain.add(name)
        parameters = dict(self.named_parameters())
        assert not decayed & plain and parameters.keys() == decayed | plain
        return torch.optim.AdamW([
            {"params": [parameters[n] for n in sorted(decayed)], "weight_decay": decay},
            {"params": [parameters[n] for n in sorted(plain)], "weight_decay": 0.0},
        ], lr=lr, betas=(0.9, 0.95))

    def forward(self, idx, targets=None):
        t = self.transformer
        x = t.drop(t.wte(idx) + t.wpe(torch.arange(idx.size(1)).unsqueeze(0)))
        for block in t.h:
            x = block(x)
        logits = self.lm_head(t.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1),
                                   ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, n, temperature=1.0, do_sample=False, top_k=None):
        for _ in range(n):
            logits = self(idx)[0][:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, top_k)
                logits[logits < v[:, [-1]]] = -float("inf")
            probs = F.softmax(logits, dim=-1)
            if do_sample:
                following = torch.multinomial(probs, num_samples=1)
            else:
                _, following = torch.topk(probs, k=1, dim=-1)
            idx = torch.cat((idx, following), dim=1)
        return idx


data = SortDataset(256)
model = GPT(3, 7)
print(f"number of parameters: {sum(p.numel() for p in model.parameters())}")
optimizer = model.configure_optimizers(decay=0.1, lr=5e-3)
print([len(g["params"]) for g in optimizer.param_groups])
loader = DataLoader(data, shuffle=True, batch_size=32)
for epoch in range(4):
    model.train()
    for x, y in loader:
        _, loss = model(x, y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}, norm {norm:.3f}")
model.eval()
x = data.data[:3]
print(model.generate(x, 4), model.generate(x, 4, temperature=2.0, do_sample=True, top_k=2))
torch.set_default_dtype(torch.float32)
