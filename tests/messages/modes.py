# --- inference tensor saved for backward
with torch.inference_mode(): x = torch.ones(3)
w = torch.ones(3, requires_grad=True); (w*x).sum().backward()

# --- in-place on an inference tensor outside inference mode
with torch.inference_mode(): x = torch.ones(3)
x.add_(1)

# --- requires_grad_() on an inference tensor outside inference mode
with torch.inference_mode(): x = torch.ones(3)
x.requires_grad_()

# --- _version of an inference tensor
with torch.inference_mode(): x = torch.ones(3)
x._version

# --- backward inside inference mode
x = torch.ones(3, requires_grad=True); y = (x*x).sum()
with torch.inference_mode(): y.backward()
R = x.grad

# --- view of a normal tensor inside inference mode then in-place outside
x = torch.ones(3, requires_grad=True); b = x*1
with torch.inference_mode(): v = b[:2]
v.mul_(2)

# --- make_dual outside dual level
fwAD.make_dual(torch.ones(3), torch.ones(3))

# --- make_dual with an integer primal
with fwAD.dual_level(): fwAD.make_dual(torch.ones(3, dtype=torch.int64), torch.ones(3))

# --- make_dual with mismatched shapes
with fwAD.dual_level(): fwAD.make_dual(torch.ones(3), torch.ones(4))

# --- make_dual: tangent dtype mismatch
with fwAD.dual_level(): fwAD.make_dual(torch.ones(3), torch.ones(3, dtype=torch.float64))

# --- nested dual levels
with fwAD.dual_level():
    with fwAD.dual_level(): pass

# --- exit_dual_level without enter
fwAD.exit_dual_level()

# --- unpack_dual outside level
R = fwAD.unpack_dual(torch.ones(3))

# --- torch.func.grad of a non-scalar
torch.func.grad(lambda x: x*2)(torch.ones(3))

# --- torch.func.grad of a function returning a float
torch.func.grad(lambda x: 3.0)(torch.ones(3))

# --- torch.func.grad over an integer input
torch.func.grad(lambda x: x.sum())(torch.ones(3, dtype=torch.int64))

# --- .backward() inside torch.func.grad
def f(x):
    y = (x*x).sum(); y.backward(); return y
torch.func.grad(f)(torch.ones(3))

# --- .item() inside vmap
torch.func.vmap(lambda x: x.sum().item())(torch.ones(3,2))

# --- data-dependent control flow inside vmap
torch.func.vmap(lambda x: x if x.sum() > 0 else -x)(torch.ones(3,2))

# --- vmap: in_dims mismatch in size
torch.func.vmap(torch.add)(torch.ones(3), torch.ones(4))

# --- vmap: random without randomness=
torch.func.vmap(lambda x: x + torch.randn(()))(torch.ones(3))

# --- vmap: in-place of a batched value into an unbatched one
torch.func.vmap(lambda x: torch.zeros(()).add_(x))(torch.ones(3))

# --- functional.jacobian strict with independent input
torch.autograd.functional.jacobian(lambda x, y: x*2, (torch.ones(2), torch.ones(2)), strict=True)

# --- functional.hessian of a non-scalar
torch.autograd.functional.hessian(lambda x: x*2, torch.ones(2))

# --- functional.vjp without v on a non-scalar
torch.autograd.functional.vjp(lambda x: x*2, torch.ones(2))

# --- functional.jvp without v on a non-scalar input
torch.autograd.functional.jvp(lambda x: x*2, torch.ones(2))

# --- gradcheck: float32 inputs warning + failure
torch.autograd.gradcheck(lambda x: (x**2).sum(), torch.ones(3, requires_grad=True))

# --- gradcheck: wrong backward
class Bad(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x**2
    @staticmethod
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 3*x*g
torch.autograd.gradcheck(Bad.apply, torch.ones(2, dtype=torch.float64, requires_grad=True))

# --- gradcheck: no input requires grad
torch.autograd.gradcheck(lambda x: x**2, torch.ones(2, dtype=torch.float64))

# --- gradcheck fast mode: wrong backward
class Bad(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x**2
    @staticmethod
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 3*x*g
torch.autograd.gradcheck(Bad.apply, torch.ones(2, dtype=torch.float64, requires_grad=True), fast_mode=True)

# --- gradgradcheck of a once_differentiable
from torch.autograd.function import once_differentiable
class Sq(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x*x
    @staticmethod
    @once_differentiable
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 2*x*g
torch.autograd.gradgradcheck(Sq.apply, torch.ones(2, dtype=torch.float64, requires_grad=True))

# --- checkpoint without use_reentrant
from torch.utils.checkpoint import checkpoint
x = torch.ones(3, requires_grad=True); checkpoint(torch.sin, x).sum().backward(); R = x.grad

# --- checkpoint(use_reentrant=True) with no input requiring grad
from torch.utils.checkpoint import checkpoint
m = nn.Linear(3,3); R = checkpoint(m, torch.ones(3), use_reentrant=True).requires_grad

# --- checkpoint: recomputed metadata differ
from torch.utils.checkpoint import checkpoint
n = [0]
def f(x):
    n[0] += 1
    return x.sin().cos() if n[0] == 1 else x.sin()[:2].cos()
x = torch.ones(3, requires_grad=True); checkpoint(f, x, use_reentrant=False).sum().backward()

# --- checkpoint: different number of saved tensors
from torch.utils.checkpoint import checkpoint
n = [0]
def f(x):
    n[0] += 1
    return x.sin().cos().exp() if n[0] == 1 else x + 1
x = torch.ones(3, requires_grad=True); checkpoint(f, x, use_reentrant=False).sum().backward()

# --- checkpoint(reentrant) + autograd.grad
from torch.utils.checkpoint import checkpoint
x = torch.ones(3, requires_grad=True); torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x)

# --- saved_tensors_hooks: pack modifies in place
def pack(t): t.mul_(2); return t
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t): y = (x*1).exp()
y.sum().backward()

# --- saved_tensors_hooks: unpack returns a non-tensor
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 1, lambda t: t): y = x*x
y.sum().backward()

# --- disable_saved_tensors_hooks
with torch.autograd.graph.disable_saved_tensors_hooks("hooks are off here"):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): pass

# --- _raw_saved register_hooks twice
x = torch.ones(3, requires_grad=True); y = x.exp(); r = y.grad_fn._raw_saved_result; r.register_hooks(lambda t: t, lambda t: t); r.register_hooks(lambda t: t, lambda t: t)

# --- save_on_cpu on CPU
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.save_on_cpu(): y = x*x
y.sum().backward(); R = x.grad

# --- a write to a tensor that the function of grad() captured
buffer = torch.zeros(3)
torch.func.grad(lambda x: buffer.add_(x).sum())(torch.ones(3))

# --- an assignment to a view of such a tensor, in forward mode
buffer = torch.zeros(3)
def f(x):
    buffer[:2][0] = 2.0
    return buffer * x
torch.func.jvp(f, (torch.ones(3),), (torch.ones(3),))

# --- a write inside a transform to what a transform around it has made
def f(x):
    y = x * 2
    return torch.func.grad(lambda z: (y.mul_(2) * z).sum())(torch.ones(3)).sum()
torch.func.grad(f)(torch.ones(3))

# --- random numbers for a tensor that vjp()'s function captured, without recording
buffer = torch.zeros(3)
def f(x):
    with torch.no_grad():
        buffer.normal_()
    return buffer * x
torch.func.vjp(f, torch.ones(3))

# --- writes inside grad() to what it was given and what it has made
buffer = torch.zeros(3)
def f(x, given):
    made = torch.zeros(3) + 1
    made[0] = x[0]
    given.add_(made)
    return (given * x).sum()
torch.func.grad(f)(torch.ones(3), buffer)
R = buffer, buffer.requires_grad

# --- torch.cuda.amp.custom_fwd, custom_bwd
R = torch.cuda.amp.custom_fwd(lambda ctx, x: x) and torch.cuda.amp.custom_bwd(lambda ctx, g: g) and 1

# --- torch.backends.cuda.sdp_kernel
with torch.backends.cuda.sdp_kernel(enable_flash=False): R = torch.backends.cuda.flash_sdp_enabled()

# --- torch.cuda.memory_cached
R = torch.cuda.memory_cached(), torch.cuda.max_memory_cached()
