"""The Transformer (Vaswani et al. 2017): encoder and decoder layers, stacks, and both together."""
from __future__ import annotations

import copy
import warnings

import retrograd as torch
from retrograd.nn import functional as F
from retrograd.nn._borrowed import borrows
from retrograd.nn.init import xavier_uniform_
from retrograd.nn.modules.activation import GELU, MultiheadAttention, ReLU
from retrograd.nn.modules.container import ModuleList
from retrograd.nn.modules.dropout import Dropout
from retrograd.nn.modules.linear import Linear
from retrograd.nn.modules.module import Module
from retrograd.nn.modules.normalization import LayerNorm

__all__ = ["Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
           "TransformerDecoderLayer"]

__getattr__ = borrows(__name__)


def _generate_square_subsequent_mask(sz, device=None, dtype=None):
    """-inf above the diagonal: position i sees positions up to i."""
    return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _get_seq_len(src, batch_first):
    """The length of a sequence, batched or not."""
    if src.dim() == 2:
        return src.size(0)
    return src.size(1 if batch_first else 0)


def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """Whether `mask` is the causal one, unless the caller has said."""
    causal = is_causal is True
    if is_causal is None and mask is not None:
        n = size if size is not None else mask.size(-2)
        expected = _generate_square_subsequent_mask(n, device=mask.device, dtype=mask.dtype)
        causal = mask.size() == expected.size() and bool((mask == expected).all())
    return causal


def _get_clones(module, n):
    return ModuleList([copy.deepcopy(module) for _ in range(n)])


def _relu_or_gelu(activation):
    """1 for ReLU, 2 for GELU, else 0: what PyTorch's fused layer asks for."""
    kinds = (F.relu, ReLU), (F.gelu, GELU)
    return next((k for k, (function, layer) in enumerate(kinds, 1)
                 if activation is function or isinstance(activation, layer)), 0)


def _get_activation_fn(activation):
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


class Transformer(Module):
    """Encoder and decoder (Vaswani et al. 2017): src (S, N, E) and tgt (T, N, E) -> (T, N, E).

    With `batch_first` the sequences are (N, S, E) and (N, T, E). E is d_model, which `nhead`
    divides. A bool mask is True where attention is not allowed; `generate_square_subsequent_mask`
    makes the decoder's. Raises RuntimeError for sizes that do not fit.

    `custom_encoder` and `custom_decoder` take the place of those that are made of
    num_encoder_layers TransformerEncoderLayers and num_decoder_layers TransformerDecoderLayers, to
    which the other arguments go.

    >>> import retrograd as torch
    >>> model = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> model(torch.ones(1, 3, 8), torch.ones(1, 2, 8)).shape
    torch.Size([1, 2, 8])
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6,
                 dim_feedforward=2048, dropout=0.1, activation=F.relu, custom_encoder=None,
                 custom_decoder=None, layer_norm_eps=1e-5, batch_first=False, norm_first=False,
                 bias=True, device=None, dtype=None):
        super().__init__()
        settings = {"device": device, "dtype": dtype}
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(d_model, nhead, dim_feedforward, dropout, activation,
                                            layer_norm_eps, batch_first, norm_first, bias,
                                            **settings)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **settings)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(d_model, nhead, dim_feedforward, dropout, activation,
                                            layer_norm_eps, batch_first, norm_first, bias,
                                            **settings)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **settings)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None,
                src_key_padding_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        batched = src.dim() == 3
        if batched:
            batch_dim = 0 if self.batch_first else 1
            if src.size(batch_dim) != tgt.size(batch_dim):
                raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask,
                              is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask,
                            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """The causal mask: -inf above the diagonal, 0 elsewhere."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self):
        for param in self.parameters():
            if param.dim() > 1:
                xavier_uniform_(param)


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer one after another, and a norm.

    Where PyTorch packs padded sequences into nested tensors (in eval mode, without gradients, with
    src_key_padding_mask alone, of which the padding comes last), the padded places of the result
    are zeros, as there, before `norm`. `enable_nested_tensor=False` leaves them as computed;
    `mask_check=False` takes the padding to come last. A UserWarning says if PyTorch would not pack
    because of the kind of layer.

    >>> import retrograd as torch
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.ones(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True,
                 mask_check=True):
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        if enable_nested_tensor and (why := _why_not_nested(encoder_layer)):
            warnings.warn("enable_nested_tensor is True, but self.use_nested_tensor is False "
                          f"because encoder_layer{why}", stacklevel=2)
            self.use_nested_tensor = False

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        src_key_padding_mask = F._canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(mask), "mask",
            src.dtype)
        mask = F._canonical_mask(mask, "mask", None, "", src.dtype, False)
        length = _get_seq_len(src, self._batch_first())
        is_causal = _detect_is_causal_mask(mask, is_causal, length)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal,
                           src_key_padding_mask=src_key_padding_mask)
        if self._packs(src, mask, src_key_padding_mask):
            output = output.masked_fill(src_key_padding_mask.bool()[..., None], 0.0)
        return output if self.norm is None else self.norm(output)

    def _packs(self, src, mask, padding):
        """Whether PyTorch would compute with nested tensors, and so lose the padded places."""
        layer = self.layers[0] if len(self.layers) else None
        if (not self.use_nested_tensor or layer is None or layer.training or src.dim() != 3
                or padding is None or mask is not None or torch.is_autocast_enabled()):
            return False
        if self.mask_check and not (padding.bool().diff(dim=1).int() >= 0).all():
            return False                                    # something comes after the padding
        return not (torch.is_grad_enabled()
                    and any(t.requires_grad for t in (src, *layer.parameters())))

    def _batch_first(self):
        attention = getattr(self.layers[0], "self_attn", None) if len(self.layers) else None
        return getattr(attention, "batch_first", False)


def _why_not_nested(layer):
    """Why PyTorch would not pack padded sequences into nested tensors for this layer, or None."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    found = {
        ".norm_first was True": layer.norm_first,
        ".self_attn.batch_first was not True(use batch_first for better inference performance)":
            not attention.batch_first,
        ".self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        ".norm1.eps was not equal to encoder_layer.norm2.eps":
            layer.norm1.eps != layer.norm2.eps,
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((why for why, true in found.items() if true), None)


class TransformerDecoder(Module):
    """`num_layers` copies of a decoder layer one after another, and then a norm.

    tgt (T, N, E) and memory (S, N, E), the encoder's output -> (T, N, E); with a layer's
    `batch_first` (N, T, E) and (N, S, E). Masks are handed to every layer.

    >>> import retrograd as torch
    >>> layer = torch.nn.TransformerDecoderLayer(8, nhead=2, batch_first=True)
    >>> decoder = torch.nn.TransformerDecoder(layer, num_layers=2)
    >>> decoder(torch.ones(1, 3, 8), memory=torch.ones(1, 5, 8)).shape
    torch.Size([1, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
        length = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        output = tgt
        for layer in self.layers:
            output = layer(output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                           tgt_key_padding_mask=tgt_key_padding_mask,
                           memory_key_padding_mask=memory_key_padding_mask,
                           tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)
        return output if self.norm is None else self.norm(output)


class _Layer(Module):
    """What both layers share: the feed-forward block and how the activation is kept."""

    __constants__ = ["norm_first"]

    def _keep_activation(self, activation):
        self.activation = (_get_activation_fn(activation) if isinstance(activation, str)
                           else activation)

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def _attend(self, attention, x, source, attn_mask, key_padding_mask, is_causal):
        return attention(x, source, source, attn_mask=attn_mask,
                         key_padding_mask=key_padding_mask, is_causal=is_causal,
                         need_weights=False)[0]

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a residual and a norm.

    Args:
        dim_feedforward: the size between linear1 and linear2.
        dropout: the probability of zeroing what a block adds, and attention weights, in training.
        activation: 'relu', 'gelu' or a function.
        layer_norm_eps: eps of the norms.
        norm_first: normalize before each block instead of after.
        bias: whether linear maps and norms have one.

    (S, N, d_model) -> the same; (N, S, d_model) with batch_first, (S, d_model) for one sequence.

        x = norm1(x + self_attn(x))
        x = norm2(x + linear2(activation(linear1(x))))

    Raises AssertionError if nhead does not divide d_model, RuntimeError for an unknown activation.

    >>> import retrograd as torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> layer(torch.zeros(5, 1, 8)).shape
    torch.Size([5, 1, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
                 layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, device=None,
                 dtype=None):
        super().__init__()
        settings = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout,
                                            batch_first=batch_first, **settings)
        self.linear1 = Linear(d_model, dim_feedforward, **settings)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **settings)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **settings)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **settings)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self._keep_activation(activation)
        self.activation_relu_or_gelu = _relu_or_gelu(self.activation)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        src_key_padding_mask = F._canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(src_mask), "src_mask",
            src.dtype)
        src_mask = F._canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask,
                                          is_causal))

    def _ff_block(self, x):
        return self.dropout2(self._feed_forward(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, and a feed-forward network.

    Target (T, N, d_model) and memory (S, N, d_model) -> (T, N, d_model); N first with batch_first.

        x = norm1(x + self_attn(x))
        x = norm2(x + multihead_attn(x, memory))
        x = norm3(x + linear2(activation(linear1(x))))

    Raises AssertionError if nhead does not divide d_model.

    Arguments: see TransformerEncoderLayer.

    >>> import retrograd as torch
    >>> layer = torch.nn.TransformerDecoderLayer(8, nhead=2)
    >>> layer(torch.ones(2, 1, 8), torch.ones(3, 1, 8)).shape
    torch.Size([2, 1, 8])
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
                 layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, device=None,
                 dtype=None):
        super().__init__()
        settings = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout,
                                            batch_first=batch_first, **settings)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout,
                                                 batch_first=batch_first, **settings)
        self.linear1 = Linear(d_model, dim_feedforward, **settings)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **settings)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **settings)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **settings)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, **settings)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self._keep_activation(activation)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        x = tgt
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask,
                                          is_causal))

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout2(self._attend(self.multihead_attn, x, mem, attn_mask,
                                          key_padding_mask, is_causal))

    def _ff_block(self, x):
        return self.dropout3(self._feed_forward(x))
