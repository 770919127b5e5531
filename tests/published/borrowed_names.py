"""Names that published code imports from where PyTorch's own modules use them, and older switches."""
import importlib
import warnings

import torch

NAMES = {
    "torch.nn.modules.conv": "_ConvNd _size_1_t _size_2_t _size_3_t Tensor",
    "torch.nn.modules.pooling": "_MaxPoolNd _size_any_t _size_2_opt_t _size_any_opt_t",
    "torch.nn.modules.padding": "_ConstantPadNd _size_2_t _size_4_t _size_6_t",
    "torch.nn.modules.normalization": "_shape_t Size Tensor",
    "torch.nn.modules.upsampling": "_size_any_t _ratio_any_t",
    "torch.nn.modules.activation": "NonDynamicallyQuantizableLinear xavier_uniform_ Tensor",
    "torch.nn.functional": "Tensor _pair _triple boolean_dispatch has_torch_function "
                           "has_torch_function_unary handle_torch_function",
    "torch.nn.parallel.replicate": "replicate",
    "torch.nn.parallel.parallel_apply": "parallel_apply get_a_var",
    "torch.nn.parallel.scatter_gather": "gather scatter_kwargs is_namedtuple",
    "torch.optim._adafactor": "Adafactor adafactor",
    "torch.cpu.amp": "autocast GradScaler",
    "torch.cuda.amp.grad_scaler": "GradScaler OptState",
    "torch.backends.cuda": "SDPBackend SDPAParams can_use_flash_attention",
    "torch.jit": "fuser Error set_fusion_strategy enable_onednn_fusion",
    "torch.package": "PackageImporter PackageExporter",
    "torch.nn.intrinsic": "ConvReLU2d",
    "torch.nn.qat": "Linear",
    "torch.utils.mobile_optimizer": "optimize_for_mobile",
}
for home, names in NAMES.items():
    module = importlib.import_module(home)
    print(home, [name for name in names.split() if not hasattr(module, name)])


def attempt(code):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(code, eval(code))
        except Exception as e:
            print(code, type(e).__name__, str(e).splitlines()[0][:100])
        for w in caught:
            print("   ", w.category.__name__, str(w.message)[:70])


a = torch.ones(2, 2)
for code in (
    "torch.set_autocast_enabled('cpu', True)", "(a @ a).dtype", "torch.is_autocast_enabled('cpu')",
    "torch.set_autocast_dtype('cpu', torch.float16)", "(a @ a).dtype",
    "torch.set_autocast_dtype('cpu', torch.bfloat16)", "torch.set_autocast_enabled('cpu', False)",
    "(a @ a).dtype", "torch.set_autocast_enabled(True)", "torch.is_autocast_enabled()",
    "torch.set_autocast_enabled(False)", "torch.set_autocast_cpu_enabled(False)",
    "torch.set_autocast_cpu_dtype(torch.bfloat16)", "torch.set_autocast_gpu_dtype(torch.float16)",
    "torch.autocast_increment_nesting()", "torch.autocast_increment_nesting()",
    "torch.autocast_decrement_nesting()", "torch.autocast_decrement_nesting()",
    "torch.set_autocast_cache_enabled(False)", "torch.is_autocast_cache_enabled()",
    "torch.set_autocast_cache_enabled(True)", "torch.set_autocast_enabled(3)",
    "torch.set_autocast_enabled('foo', True)", "torch.set_autocast_enabled('cpu')",
    "torch.set_autocast_dtype('cpu', 'x')",
    "torch.backends.cuda.preferred_linalg_library()",
    "torch.backends.cuda.preferred_linalg_library('cusolver')",
    "torch.backends.cuda.preferred_linalg_library('x')",
    "torch.backends.cuda.preferred_linalg_library(3)",
    "torch.backends.cuda.preferred_linalg_library('default')",
    "torch.backends.cuda.preferred_blas_library()",
    "torch.backends.cuda.preferred_blas_library('cublaslt')",
    "torch.backends.cuda.preferred_blas_library('default')",
    "torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()",
    "torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)",
    "torch.backends.cuda.can_use_flash_attention(torch.backends.cuda.SDPAParams("
    "a, a, a, None, 0.0, False, False))",
    "torch.cpu.amp.autocast().device", "torch.cpu.amp.GradScaler().get_scale()",
    "torch.jit.fuser('fuser3').__enter__()", "torch.jit.fuser('x').__enter__()",
    "torch.jit.set_fusion_strategy([('STATIC', 3)])",
    "torch.jit.set_fusion_strategy([('STATIC', 2), ('DYNAMIC', 10)])",
    "torch.jit.onednn_fusion_enabled()",
    "torch.nn.parallel.scatter_gather.is_namedtuple((1,))",
    "torch.nn.parallel.parallel_apply.__name__",
    "torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(4, 2), 1).enable_nested_tensor",
    "len(torch.nn.Transformer(4, 1, 1, 1, 4, batch_first=True).encoder.layers)",
):
    attempt(code)
storages = a.storage(), a.storage()
print([len(storage) for storage in storages])

linear = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
print(type(linear))


def step_of_adafactor():
    """The optimizer as a function of lists."""
    from torch.optim._adafactor import adafactor

    weights, biases = torch.arange(6.0).view(2, 3), torch.arange(3.0)
    grads = [torch.ones(2, 3), torch.arange(3.0)]
    state = dict(row_vars=[torch.zeros(2, 1), None], col_vars=[torch.zeros(1, 3), None],
                 variances=[None, torch.zeros(3)],
                 state_steps=[torch.tensor(0.0), torch.tensor(0.0)])
    for _ in range(2):
        adafactor([weights, biases], grads, **state, d=1.0, lr=0.1, beta2_decay=-0.8,
                  weight_decay=0.01, eps1=1e-6, eps2=1e-3, maximize=False)
    print(weights, biases, state)


step_of_adafactor()
