"""Attention with scores and masks that are functions of the indices."""
import torch
from torch.nn.attention.flex_attention import (
    AuxRequest,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    or_masks,
)


def main():
    q, k, v = torch.randn(3, 2, 4, 8, 16).unbind()
    slopes = torch.linspace(0.1, 0.7, 4)
    documents = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2])

    def causal(b, h, i, j):
        return i >= j

    def same_document(b, h, i, j):
        return documents[i] == documents[j]

    def alibi(score, b, h, i, j):
        return score + slopes[h] * (j - i)

    print(flex_attention(q, k, v).sum((2, 3)))
    print(flex_attention(q, k, v, score_mod=alibi).sum((2, 3)))
    for mod in (causal, same_document, and_masks(causal, same_document),
                or_masks(same_document, lambda b, h, i, j: (h == 1) & (j == 0))):
        mask = create_block_mask(mod, 2, 4, 8, 8, device="cpu", BLOCK_SIZE=4)
        print(mask.shape, mask.seq_lengths, mask.BLOCK_SIZE, mask.sparsity(), mask.to_dense().sum())
        out, aux = flex_attention(q, k, v, block_mask=mask, return_aux=AuxRequest(lse=True))
        print(out.sum((2, 3)), aux.lse.sum(2))
    print(create_mask(causal, None, None, 3, 5))
    blind = create_block_mask(lambda b, h, i, j: i + j < 5, None, None, 8, 8, device="cpu")
    print(flex_attention(q, k, v, block_mask=blind)[0, 0].sum(-1))
    print(flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True, scale=0.5).sum((2, 3)))
    wrong = create_block_mask(causal, None, None, 16, 8, device="cpu")
    for arguments, options in [((q[0], k, v), {}), ((q, k[:, :2], v[:, :2]), {}),
                               ((q, k, v), {"block_mask": wrong}),
                               ((q, k, v), {"return_aux": AuxRequest(max_scores=True)})]:
        try:
            flex_attention(*arguments, **options)
        except (ValueError, NotImplementedError) as e:
            print(type(e).__name__, str(e).split(". ")[0])


main()
