"""Translation with nn.Transformer: masks, Noam's schedule, label smoothing, greedy decoding."""
import math

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

PAD, BOS, EOS = 0, 1, 2


class PositionalEncoding(nn.Module):
    def __init__(self, width, dropout, maxlen=50):
        super().__init__()
        den = torch.exp(-torch.arange(0, width, 2) * math.log(10000) / width)
        pos = torch.arange(0, maxlen).reshape(maxlen, 1)
        embedding = torch.zeros((maxlen, width))
        embedding[:, 0::2] = torch.sin(pos * den)
        embedding[:, 1::2] = torch.cos(pos * den)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pos_embedding", embedding.unsqueeze(-2))

    def forward(self, tokens):
        return self.dropout(tokens + self.pos_embedding[:tokens.size(0), :])


class Seq2Seq(nn.Module):
    def __init__(self, vocabulary, width=16):
        super().__init__()
        self.transformer = nn.Transformer(width, nhead=2, num_encoder_layers=2,
                                          num_decoder_layers=2, dim_feedforward=32, dropout=0.1)
        self.generator = nn.Linear(width, vocabulary)
        self.src, self.tgt = nn.Embedding(vocabulary, width), nn.Embedding(vocabulary, width)
        self.position = PositionalEncoding(width, 0.1)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def embed(self, table, tokens):
        return self.position(table(tokens.long()) * math.sqrt(table.embedding_dim))

    def forward(self, src, tgt, tgt_mask, src_pad, tgt_pad):
        return self.generator(self.transformer(
            self.embed(self.src, src), self.embed(self.tgt, tgt), None, tgt_mask, None,
            src_pad, tgt_pad, src_pad))


def greedy_decode(model, src, max_len):
    memory = model.transformer.encoder(model.embed(model.src, src))
    ys = torch.ones(1, 1).fill_(BOS).type(torch.long)
    for _ in range(max_len - 1):
        mask = nn.Transformer.generate_square_subsequent_mask(ys.size(0)).type(torch.bool)
        out = model.transformer.decoder(model.embed(model.tgt, ys), memory, mask).transpose(0, 1)
        _, following = torch.max(model.generator(out[:, -1]), dim=1)
        ys = torch.cat([ys, torch.ones(1, 1).type_as(src.data).fill_(following.item())], dim=0)
        if following.item() == EOS:
            break
    return ys.flatten().tolist()


def batch(n=8):
    sources = [torch.randint(3, 9, (int(length),)) for length in torch.randint(2, 6, (n,))]
    ends = [torch.cat((torch.tensor([BOS]), s, torch.tensor([EOS]))) for s in sources]
    back = [torch.cat((torch.tensor([BOS]), s.flip(0), torch.tensor([EOS]))) for s in sources]
    return pad_sequence(ends, padding_value=PAD), pad_sequence(back, padding_value=PAD)


model = Seq2Seq(9)
loss_fn = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
scheduler = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda s: 16**-0.5 * min((s + 1) ** -0.5, (s + 1) * 10**-1.5))
for step in range(12):
    src, tgt = batch()
    tgt_input, tgt_out = tgt[:-1, :], tgt[1:, :]
    mask = nn.Transformer.generate_square_subsequent_mask(tgt_input.size(0))
    logits = model(src, tgt_input, mask, (src == PAD).T, (tgt_input == PAD).T)
    optimizer.zero_grad()
    loss = loss_fn(logits.reshape(-1, logits.shape[-1]), tgt_out.reshape(-1))
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 3 == 2:
        print(f"step {step}: loss {loss.item():.3f}, lr {scheduler.get_last_lr()[0]:.5f}")
model.eval()
with torch.no_grad():
    print(greedy_decode(model, batch(1)[0], 8))
    for norm_first in (False, True):
        layer = nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", batch_first=True,
                                           norm_first=norm_first)
        encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
        print(encoder(torch.ones(2, 3, 8), is_causal=True,
                      mask=nn.Transformer.generate_square_subsequent_mask(3)).std())
