"""Layers with the shape of an input, and misuses of them, for both libraries."""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np

from comparing import without_origin

# a layer, and the shape of its input (None: only made, printed and copied)
LAYERS = [
    ("nn.Linear(3,4)", (2, 3)),
    ("nn.Linear(3,4,bias=False)", (3,)),
    ("nn.Identity(5)", (2,)),
    ("nn.Threshold(0.1,20)", (3, 4)),
    ("nn.ReLU()", (3, 4)),
    ("nn.ReLU(inplace=True)", None),
    ("nn.RReLU()", (3, 4)),
    ("nn.Hardtanh()", (3, 4)),
    ("nn.ReLU6()", (3,)),
    ("nn.Sigmoid()", (3,)),
    ("nn.Hardsigmoid()", (3,)),
    ("nn.Tanh()", (3,)),
    ("nn.SiLU()", (3,)),
    ("nn.Mish()", (3,)),
    ("nn.Hardswish()", (3,)),
    ("nn.ELU()", (3,)),
    ("nn.CELU()", (3,)),
    ("nn.SELU()", (3,)),
    ("nn.GLU()", (4,)),
    ("nn.GELU()", (3,)),
    ("nn.GELU('tanh')", (3,)),
    ("nn.Hardshrink()", (3,)),
    ("nn.LeakyReLU()", (3,)),
    ("nn.LogSigmoid()", (3,)),
    ("nn.Softplus()", (3,)),
    ("nn.Softshrink()", (3,)),
    ("nn.PReLU(3)", (2, 3)),
    ("nn.Softsign()", (3,)),
    ("nn.Tanhshrink()", (3,)),
    ("nn.Softmin(1)", (2, 3)),
    ("nn.Softmax(0)", (2, 3)),
    ("nn.Softmax2d()", (2, 3, 2, 2)),
    ("nn.LogSoftmax(1)", (2, 3)),
    ("nn.Softmax()", (2, 3)),
    ("nn.Dropout(0.3)", (50,)),
    ("nn.Dropout1d(0.3)", (5, 6, 7)),
    ("nn.Dropout2d(0.3)", (5, 6, 3, 3)),
    ("nn.Dropout3d(0.3)", (5, 6, 2, 2, 2)),
    ("nn.AlphaDropout(0.2)", (40,)),
    ("nn.FeatureAlphaDropout(0.3)", (5, 6, 2)),
    ("nn.Flatten()", (2, 3, 4)),
    ("nn.Unflatten(1,(3,1))", (2, 3)),
    ("nn.Conv1d(2,4,3)", (2, 2, 8)),
    ("nn.Conv2d(2,4,3,padding=1,stride=2)", (2, 2, 8, 8)),
    ("nn.Conv2d(2,4,3,padding='same',padding_mode='reflect')", (2, 2, 8, 8)),
    ("nn.Conv2d(2,4,3,padding=1,padding_mode='circular')", (2, 2, 8, 8)),
    ("nn.Conv3d(2,4,3,groups=2,dilation=1,bias=False)", (2, 2, 5, 5, 5)),
    ("nn.ConvTranspose1d(2,4,3,2,1,1)", (2, 2, 5)),
    ("nn.ConvTranspose2d(2,4,3,dilation=2)", (2, 2, 5, 5)),
    ("nn.ConvTranspose3d(2,4,2)", (1, 2, 3, 3, 3)),
    ("nn.MaxPool1d(2)", (2, 3, 8)),
    ("nn.MaxPool2d(2,return_indices=True)", (2, 3, 8, 8)),
    ("nn.MaxPool3d((1,2,2))", (2, 3, 4, 8, 8)),
    ("nn.AvgPool1d(2)", (2, 3, 8)),
    ("nn.AvgPool2d(2)", (2, 3, 8, 8)),
    ("nn.AvgPool3d(2)", (2, 3, 4, 4, 4)),
    ("nn.FractionalMaxPool2d(2,output_ratio=0.6)", (2, 3, 8, 8)),
    ("nn.FractionalMaxPool3d(2,output_size=3)", (2, 3, 8, 8, 8)),
    ("nn.LPPool1d(2,3)", (2, 3, 8)),
    ("nn.LPPool2d(2,3,stride=1)", (2, 3, 8, 8)),
    ("nn.LPPool3d(2,2)", (2, 3, 4, 4, 4)),
    ("nn.AdaptiveMaxPool1d(3)", (2, 3, 8)),
    ("nn.AdaptiveMaxPool2d((3,None))", (2, 3, 8, 8)),
    ("nn.AdaptiveMaxPool3d(2)", (2, 3, 4, 4, 4)),
    ("nn.AdaptiveAvgPool1d(3)", (2, 3, 8)),
    ("nn.AdaptiveAvgPool2d((None,3))", (2, 3, 8, 8)),
    ("nn.AdaptiveAvgPool3d(2)", (2, 3, 4, 4, 4)),
    ("nn.BatchNorm1d(3)", (5, 3)),
    ("nn.BatchNorm2d(3,momentum=None)", (5, 3, 2, 2)),
    ("nn.BatchNorm3d(3,affine=False)", (5, 3, 2, 2, 2)),
    ("nn.BatchNorm1d(3,bias=False)", (5, 3)),
    ("nn.InstanceNorm1d(3)", (5, 3, 4)),
    ("nn.InstanceNorm2d(3,affine=True,track_running_stats=True)", (5, 3, 4, 4)),
    ("nn.InstanceNorm3d(3)", (3, 4, 4, 4)),
    ("nn.LayerNorm(4)", (3, 4)),
    ("nn.LayerNorm((3,4),bias=False)", (2, 3, 4)),
    ("nn.GroupNorm(2,4)", (3, 4, 2)),
    ("nn.RMSNorm(4)", (3, 4)),
    ("nn.LocalResponseNorm(2)", (2, 5, 4)),
    ("nn.LocalResponseNorm(3)", (2, 5, 4, 4)),
    ("nn.CrossMapLRN2d(3)", None),
    ("nn.Embedding(10,3)", None),
    ("nn.Embedding(10,3,padding_idx=-1,max_norm=1.,sparse=True)", None),
    ("nn.EmbeddingBag(10,3)", None),
    ("nn.ConstantPad1d(2,3.5)", (2, 3)),
    ("nn.ConstantPad2d((1,2,0,-1),1)", (2, 3, 4)),
    ("nn.ConstantPad3d(1,1)", (1, 2, 2, 2)),
    ("nn.ZeroPad1d(1)", (2, 3)),
    ("nn.ZeroPad2d(1)", (2, 3, 3)),
    ("nn.ZeroPad3d(1)", (2, 3, 3, 3)),
    ("nn.ReflectionPad1d(1)", (2, 3)),
    ("nn.ReflectionPad2d(1)", (2, 3, 3)),
    ("nn.ReflectionPad3d(1)", (2, 3, 3, 3)),
    ("nn.ReplicationPad1d(2)", (2, 3)),
    ("nn.ReplicationPad2d(1)", (2, 3, 3)),
    ("nn.ReplicationPad3d(1)", (2, 3, 3, 3)),
    ("nn.CircularPad1d((1,2))", (2, 3)),
    ("nn.CircularPad2d((1,2,-1,2))", (2, 3, 3)),
    ("nn.CircularPad3d(1)", (2, 3, 3, 3)),
    ("nn.PixelShuffle(2)", (2, 8, 3, 3)),
    ("nn.PixelUnshuffle(2)", (2, 2, 4, 6)),
    ("nn.ChannelShuffle(2)", (2, 6, 2)),
    ("nn.Upsample(scale_factor=2)", (1, 2, 3)),
    ("nn.Upsample(size=5,mode='bilinear')", (1, 2, 3, 3)),
    ("nn.UpsamplingNearest2d(scale_factor=2)", (1, 2, 3, 3)),
    ("nn.UpsamplingBilinear2d(scale_factor=2)", (1, 2, 3, 3)),
    ("nn.Upsample(scale_factor=1.5,mode='bicubic',align_corners=True)", (1, 2, 3, 3)),
    ("nn.Upsample(scale_factor=(1.5,2.),mode='area')", (1, 2, 4, 4)),
    ("nn.Fold((4,5),(2,2))", (1, 12, 12)),
    ("nn.Unfold((2,3))", (2, 3, 4, 5)),
    ("nn.MultiheadAttention(8,2)", None),
    ("nn.MultiheadAttention(8,2,kdim=3,vdim=5,add_bias_kv=True)", None),
    ("nn.AdaptiveLogSoftmaxWithLoss(8,20,[5,10])", None),
    ("nn.Bilinear(2,3,4)", None),
    ("nn.L1Loss()", None),
    ("nn.MSELoss(reduction='sum')", None),
    ("nn.BCEWithLogitsLoss()", None),
    ("nn.CrossEntropyLoss()", None),
    ("nn.PairwiseDistance()", None),
    ("nn.CosineSimilarity()", None),
    ("nn.ModuleList([nn.Linear(2,2),nn.Linear(2,2),nn.ReLU()])", None),
    ("nn.ModuleDict({'a':nn.Linear(2,2)})", None),
    ("nn.ParameterList([torch.ones(2),torch.ones(2,3)])", None),
    ("nn.ParameterDict({'a':torch.ones(2),'b':3})", None),
    ("nn.Sequential(nn.Linear(2,3),nn.ReLU(),nn.Linear(3,2))", (4, 2)),
    ("nn.Transformer(8,2,1,1,16)", None),
    ("nn.TransformerEncoderLayer(8,2,16,dropout=0.)", (3, 2, 8)),
    ("nn.TransformerEncoder(nn.TransformerEncoderLayer(8,2,16,dropout=0.),2)", (3, 2, 8)),
    ("nn.LSTM(3,4,2)", (5, 2, 3)),
    ("nn.GRU(3,4,bidirectional=True,batch_first=True)", (5, 2, 3)),
    ("nn.RNN(3,4,nonlinearity='relu')", (5, 2, 3)),
    ("nn.LSTM(3,4,2,proj_size=2,bidirectional=True)", (5, 2, 3)),
    ("nn.LSTMCell(3,4)", (2, 3)),
    ("nn.GRUCell(3,4)", (2, 3)),
    ("nn.RNNCell(3,4)", (2, 3)),
    ("nn.LSTM(3,4,2,dropout=0.5)", (5, 2, 3)),
]

# what raises or warns, and how
MISUSES = {
    "module: unknown keyword": "nn.Module(a=1)",
    "module: no forward": "nn.Module()(1)",
    "module: attribute": "nn.Linear(1, 1).nothing",
    "module: parameter before init": "Early()",
    "module: buffer name": "nn.Module().register_buffer(1, None)",
    "module: buffer dot": "nn.Module().register_buffer('a.b', None)",
    "module: buffer empty": "nn.Module().register_buffer('', None)",
    "module: buffer taken": "nn.Module().register_buffer('forward', None)",
    "module: buffer type": "nn.Module().register_buffer('a', 1)",
    "module: parameter type": "nn.Module().register_parameter('a', torch.ones(1))",
    "module: parameter non-leaf": "nn.Module().register_parameter('a', nn.Parameter(ones) * 1)",
    "module: parameter replaced": "setattr(nn.Linear(1, 1), 'weight', torch.ones(1, 1))",
    "module: child replaced": "setattr(nn.Sequential(nn.ReLU()), '0', 3)",
    "module: buffer replaced": "setattr(nn.BatchNorm1d(1), 'running_mean', 3)",
    "module: child type": "nn.Module().add_module('a', 1)",
    "module: child dot": "nn.Module().add_module('a.b', nn.ReLU())",
    "module: submodule": "nn.Linear(1, 1).get_submodule('a.b')",
    "module: submodule kind": "nn.Linear(1, 1).get_submodule('weight')",
    "module: parameter kind": "nn.Linear(1, 1).get_parameter('in_features')",
    "module: buffer kind": "nn.Linear(1, 1).get_buffer('weight')",
    "rnn: input size type": "nn.GRU(3.0, 5)",
    "rnn: no inputs": "nn.LSTM(0, 0)",
    "rnn: bias": "nn.RNN(3.0, 5, bias=0)",
    "rnn: batch first": "nn.GRU(3, 5, batch_first='yes')",
    "rnn: state's dtype": "nn.GRU(3, 5)(torch.ones(4, 2, 3), torch.ones(1, 2, 5).double())",
    "batch norm: eps in training": "nn.BatchNorm1d(3, eps=0.0)(torch.ones(2, 3))",
    "batch norm: eps": "nn.BatchNorm1d(3, eps=-1).eval()(torch.ones(2, 3))",
    "huber: delta": "nn.HuberLoss(delta=1j)",
    "huber: complex delta": "F.huber_loss(ones, ones, delta=1j)",
    "nll: dtype of weights":
        "nn.NLLLoss(torch.ones(1).double())(ones, torch.zeros(1, dtype=torch.long))",
    "nll: dtype of weights for pictures":
        "F.nll_loss(ones[..., None, None], torch.zeros(1, 1, 1).long(), torch.ones(1).half())",
    "module: train": "nn.ReLU().train(1)",
    "module: to integer": "nn.Linear(1, 1).to(torch.int64)",
    "module: two kinds of backward hooks": "both_hooks(nn.ReLU())",
    "load: not a dict": "nn.Linear(1, 1).load_state_dict(3)",
    "load: names": "nn.Linear(1, 1).load_state_dict({'weight': ones, 'a': 1, 'b.c': 2})",
    "load: shapes": "nn.Linear(2, 1, bias=False).load_state_dict({'weight': torch.ones(1, 1)})",
    "load: not a tensor": "nn.Linear(1, 1, bias=False).load_state_dict({'weight': 1})",
    "sequential: index": "nn.Sequential(nn.ReLU())[1]",
    "sequential: add": "nn.Sequential() + 1",
    "list: extend": "nn.ModuleList().extend(3)",
    "dict: update": "nn.ModuleDict().update(3)",
    "dict: pair": "nn.ModuleDict([(1,)])",
    "parameter list: extend": "nn.ParameterList().extend(torch.ones(2))",
    "conv: groups": "nn.Conv2d(3, 4, 1, groups=2)",
    "conv: same stride": "nn.Conv2d(2, 2, 3, padding='same', stride=2)",
    "conv transpose: mode": "nn.ConvTranspose2d(2, 2, 3, padding_mode='reflect')",
    "conv transpose: size": "nn.ConvTranspose1d(2, 2, 3)(torch.ones(1, 2, 4), output_size=[9])",
    "dropout: p": "nn.Dropout(2)",
    "dropout1d: dims": "F.dropout1d(torch.ones(2))",
    "batch norm: dims": "nn.BatchNorm2d(2)(torch.ones(2, 2))",
    "batch norm: one value": "nn.BatchNorm1d(2)(torch.ones(1, 2))",
    "instance norm: one value": "nn.InstanceNorm1d(2)(torch.ones(1, 2, 1))",
    "group norm: channels": "nn.GroupNorm(2, 3)",
    "layer norm: shape": "nn.LayerNorm(3)(torch.ones(2, 2))",
    "rnn: nonlinearity": "nn.RNN(1, 1, nonlinearity='sin')",
    "rnn: hidden": "nn.RNN(1, 0)",
    "rnn: dropout": "nn.LSTM(1, 1, dropout=2)",
    "rnn: proj": "nn.GRU(1, 2, proj_size=1)",
    "rnn: input dims": "nn.LSTM(1, 2)(torch.ones(1))",
    "rnn: input size": "nn.LSTM(1, 2)(torch.ones(2, 1, 2))",
    "rnn: hidden size": "nn.GRU(1, 2)(torch.ones(2, 1, 1), torch.ones(1, 1, 3))",
    "lstm: hidden size": "nn.LSTM(1, 2)(ones[None], (torch.ones(1, 1, 2), torch.ones(1, 1, 3)))",
    "attention: heads": "nn.MultiheadAttention(3, 2)",
    "embedding: padding": "nn.Embedding(3, 1, padding_idx=3)",
    "embedding: pretrained": "nn.Embedding.from_pretrained(torch.ones(3))",
    "adaptive softmax: cutoffs": "nn.AdaptiveLogSoftmaxWithLoss(2, 5, [3, 1])",
    "unflatten: size": "nn.Unflatten(1, 3)",
    "softmax2d: dims": "nn.Softmax2d()(torch.ones(2))",
    "mse: sizes": "F.mse_loss(torch.ones(2), torch.ones(1))",
    "reduction": "F.mse_loss(torch.ones(2), torch.ones(2), reduction='max')",
    "size_average": "F.mse_loss(torch.ones(2), torch.ones(2), size_average=False)",
    "cross entropy: batch": "F.cross_entropy(torch.ones(2, 3), torch.tensor([1]))",
    "cross entropy: weight": "F.cross_entropy(torch.ones(2, 3), torch.ones(2, 3), torch.ones(2))",
    "cross entropy: smoothing": "F.cross_entropy(ones, ones, label_smoothing=2.0)",
    "bce: sizes": "F.binary_cross_entropy(torch.ones(2), torch.ones(3))",
    "bce with logits: sizes": "F.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3))",
    "kl_div: mean": "F.kl_div(torch.zeros(2), torch.ones(2))",
    "gaussian: variance": "F.gaussian_nll_loss(torch.ones(2), torch.ones(2), -torch.ones(2))",
    "cosine embedding": "F.cosine_embedding_loss(torch.ones(2), torch.ones(2), torch.ones(2))",
    "triplet: margin": "F.triplet_margin_loss(*[torch.ones(1, 2)] * 3, margin=-1)",
    "multi margin: p": "nn.MultiMarginLoss(p=3)",
    "interpolate: nothing": "F.interpolate(torch.ones(1, 1, 2))",
    "interpolate: both": "F.interpolate(torch.ones(1, 1, 2), 2, 2)",
    "interpolate: dims": "F.interpolate(torch.ones(1, 1, 2), 2, mode='bilinear')",
    "interpolate: corners": "F.interpolate(torch.ones(1, 1, 2), 2, align_corners=True)",
    "interpolate: size": "F.interpolate(torch.ones(1, 1, 2), (2, 2))",
    "grid_sample: mode": "F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 2), 'cubic')",
    "avg_pool3d: small": "F.avg_pool3d(torch.ones(1, 3, 2, 4, 2), (2, 3, 5), ceil_mode=True)",
    "fold: no blocks": "F.fold(torch.ones(1, 9, 2), (4, 4), (3, 1), dilation=2, stride=2)",
    "fold: nothing fits": "F.fold(torch.ones(1, 9, 0), (4, 4), (3, 3), dilation=2, stride=2)",
    "affine_grid: shape": "F.affine_grid(torch.ones(1, 2, 2), (1, 1, 2, 2), False)",
    "pad: odd": "F.pad(torch.ones(2), (1,))",
    "pad: long": "F.pad(torch.ones(2), (1, 1, 1, 1))",
    "pad: mode": "F.pad(torch.ones(1, 2), (1, 1), 'mirror')",
    "one_hot: negative": "F.one_hot(torch.tensor([-1]))",
    "one_hot: dtype": "F.one_hot(torch.ones(1))",
    "glu: scalar": "F.glu(torch.tensor(1.0))",
    "hardtanh: bounds": "F.hardtanh(torch.ones(1), 1, -1)",
    "softmax: no dim": "F.softmax(torch.ones(2))",
    "init: gain": "nn.init.calculate_gain('cosine')",
    "init: fan": "nn.init.xavier_uniform_(torch.ones(2))",
    "init: mode": "nn.init.kaiming_uniform_(torch.ones(2, 2), mode='fan')",
    "init: eye": "nn.init.eye_(torch.ones(2))",
    "init: dirac": "nn.init.dirac_(torch.ones(2))",
    "init: orthogonal": "nn.init.orthogonal_(torch.ones(2))",
    "pack: order": "nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [1, 2])",
    "pack: zero": "nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [1, 0])",
    "pack: lengths": "nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [1])",
    "pad_sequence: type": "nn.utils.rnn.pad_sequence(5)",
    "prune: amount": "prune.l1_unstructured(nn.Linear(2, 2), 'weight', 2.0)",
    "prune: remove": "prune.remove(nn.Linear(2, 2), 'weight')",
    "prune: mask": "prune.custom_from_mask(nn.Linear(2, 2), 'weight', torch.ones(3, 2))",
    "prune: scores": "prune.L1Unstructured.apply(nn.Linear(2, 2), 'weight', 1, "
                     "importance_scores=torch.ones(3))",
    "prune: scores of a tensor": "prune.L1Unstructured(1).prune(torch.ones(2), "
                                 "importance_scores=torch.ones(3))",
    "parametrize: name": "parametrize.register_parametrization(nn.ReLU(), 'a', nn.ReLU())",
    "weight norm: remove": "nn.utils.remove_weight_norm(nn.ReLU())",
    "vector: type": "nn.utils.vector_to_parameters(1, [])",
}


def digest(array):
    """The shape, dtype, first elements and sum of an array, as JSON can keep them."""
    if array is None:
        return None
    flat = np.asarray(array, np.float64).ravel()
    shown = [float(np.float32(x)) for x in (*flat[:12], flat.sum())]
    return [list(array.shape), str(array.dtype), shown]


def layer_run(torch, code, shape):
    """What making, running and differentiating a layer gives, from one seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        layer = eval(code, {"torch": torch, "nn": torch.nn})
        seen = {
            "repr": repr(layer),
            "metadata": [[k, v] for k, v in layer.state_dict()._metadata.items()],
            "state": [[k, digest(v.numpy())] for k, v in layer.state_dict().items()],
        }
        if shape is None:
            return seen
        x = torch.randn(*shape, requires_grad=True)
        outputs = layer(x * 1)
        tensors = [outputs] if isinstance(outputs, torch.Tensor) else flatten(outputs, torch)
        loss = sum((t.float() ** 2).sum() for t in tensors)
        loss.backward()
        gradients = [x.grad, *(p.grad for p in layer.parameters())]
        seen["outputs"] = [digest(t.detach().numpy()) for t in tensors]
        seen["gradients"] = [None if g is None else digest(g.numpy()) for g in gradients]
        seen["after"] = [[k, digest(v.numpy())] for k, v in layer.state_dict().items()]
        return seen


def flatten(value, torch):
    """Every tensor in nested tuples, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for each in value for t in flatten(each, torch)]


def misuse_run(torch, code):
    """The error of a misuse (type, text) and its warnings."""
    nn = torch.nn

    class Early(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(torch.ones(1))

    def both_hooks(module):
        module.register_full_backward_hook(print)
        module.register_backward_hook(print)

    names = {"torch": torch, "nn": nn, "F": nn.functional, "ones": torch.ones(1, 1),
             "Early": Early, "both_hooks": both_hooks}
    for module in ("prune", "parametrize"):
        names[module] = import_module(f"{torch.__name__}.nn.utils.{module}")
    error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            eval(code, names)
        except Exception as e:
            error = [type(e).__name__, str(e)]
    return {
        "error": error,
        "warnings": [[w.category.__name__, without_origin(str(w.message))] for w in caught],
    }
