# --- instantiating and calling a Function
class Id(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
Id()(torch.ones(1))

# --- legacy: non-static forward
class Id(Function):
    def forward(self, x): return x.clone()
    def backward(self, g): return g
Id.apply(torch.ones(1, requires_grad=True))

# --- backward not implemented
class NB(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
x = torch.ones(1, requires_grad=True); NB.apply(x).backward()

# --- forward not implemented
class NF(Function):
    @staticmethod
    def backward(ctx, g): return g
NF.apply(torch.ones(1, requires_grad=True))

# --- too many gradients returned
class M(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g, g
x = torch.ones(1, requires_grad=True); M.apply(x).backward()

# --- too few gradients returned
class M(Function):
    @staticmethod
    def forward(ctx, x, y): return x + y
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(1, requires_grad=True); M.apply(x, x).backward()

# --- extra trailing None gradients are allowed
class M(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g, None, None
x = torch.ones(1, requires_grad=True); M.apply(x).backward(); R = x.grad

# --- non-tensor gradient returned
class M(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return 1.0
x = torch.ones(1, requires_grad=True); M.apply(x).backward()

# --- gradient returned for a non-tensor argument (must be None)
class M(Function):
    @staticmethod
    def forward(ctx, x, k): return x * k
    @staticmethod
    def backward(ctx, g): return g, g
x = torch.ones(1, requires_grad=True); M.apply(x, 2.0).backward()

# --- gradient of the wrong shape returned
class M(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return torch.ones(4)
x = torch.ones(3, requires_grad=True); M.apply(x).sum().backward()

# --- gradient of an expandable shape returned (is reduced)
class M(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return torch.ones(2,3)
x = torch.ones(3, requires_grad=True); M.apply(x).sum().backward(); R = x.grad

# --- gradient of another dtype returned (is cast)
class M(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g.double()
x = torch.ones(3, requires_grad=True); M.apply(x).sum().backward(); R = x.grad.dtype

# --- save_for_backward of a non-tensor
class M(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(3.0); return x.clone()
    @staticmethod
    def backward(ctx, g): return g
M.apply(torch.ones(1, requires_grad=True))

# --- save_for_backward called twice: the last wins
class M(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); ctx.save_for_backward(x, x); return x.clone()
    @staticmethod
    def backward(ctx, g): ctx.n = len(ctx.saved_tensors); M.n = ctx.n; return g
x = torch.ones(1, requires_grad=True); M.apply(x).backward(); R = M.n

# --- save_for_backward of an intermediate, double backward: silently no grad path
class M(Function):
    @staticmethod
    def forward(ctx, x): e = x.exp(); ctx.save_for_backward(e); return e * 2
    @staticmethod
    def backward(ctx, g): (e,) = ctx.saved_tensors; return g * e * 2
x = torch.ones((), requires_grad=True); (g,) = torch.autograd.grad(M.apply(x), x, create_graph=True); R = (g, g.requires_grad)

# --- once_differentiable: double backward
from torch.autograd.function import once_differentiable
class Sq(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x*x
    @staticmethod
    @once_differentiable
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 2*x*g
x = torch.tensor(3., requires_grad=True); (g,) = torch.autograd.grad(Sq.apply(x), x, create_graph=True); g.backward()

# --- once_differentiable: double backward where grad_output itself requires grad
from torch.autograd.function import once_differentiable
class Sq(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x*x
    @staticmethod
    @once_differentiable
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 2*x*g
x = torch.tensor(3., requires_grad=True); (g,) = torch.autograd.grad(Sq.apply(x)**2, x, create_graph=True); R = g; g.backward()

# --- in-place on an input without mark_dirty
class I(Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); return x
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(1, requires_grad=True); R = I.apply(x*1)

# --- mark_dirty on a leaf that requires grad
class I(Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); ctx.mark_dirty(x); return x
    @staticmethod
    def backward(ctx, g): return g
I.apply(torch.ones(1, requires_grad=True))

# --- mark_dirty on a view of a leaf that requires grad
class I(Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); ctx.mark_dirty(x); return x
    @staticmethod
    def backward(ctx, g): return g
I.apply(torch.ones(2, requires_grad=True)[0])

# --- mark_dirty on one of several views
class I(Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); ctx.mark_dirty(x); return x
    @staticmethod
    def backward(ctx, g): return g
I.apply((torch.ones(2, requires_grad=True) * 1).unbind()[0])

# --- mark_dirty tensor not returned
class I(Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); ctx.mark_dirty(x); return x*2
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(1, requires_grad=True); R = I.apply(x*1)

# --- mark_dirty of a non-tensor
class I(Function):
    @staticmethod
    def forward(ctx, x): ctx.mark_dirty(3); return x.clone()
    @staticmethod
    def backward(ctx, g): return g
I.apply(torch.ones(1, requires_grad=True))

# --- mark_dirty + in-place on a view with multiple outputs
class I(Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); ctx.mark_dirty(x); return x, x.clone()
    @staticmethod
    def backward(ctx, g, h): return g + h
b = torch.ones(4, requires_grad=True)*1; I.apply(b[:2])

# --- forward returns a non-tensor only
class I(Function):
    @staticmethod
    def forward(ctx, x): return 3.0
    @staticmethod
    def backward(ctx, g): return g
R = I.apply(torch.ones(1, requires_grad=True))

# --- forward returns a list
class I(Function):
    @staticmethod
    def forward(ctx, x): return [x.clone()]
    @staticmethod
    def backward(ctx, g): return g
R = I.apply(torch.ones(1, requires_grad=True))

# --- mark_non_differentiable output used in backward
class I(Function):
    @staticmethod
    def forward(ctx, x): v, i = x.sort(); ctx.mark_non_differentiable(i); return v, i
    @staticmethod
    def backward(ctx, g, gi): return g
v, i = I.apply(torch.ones(3, requires_grad=True)); i.sum().backward()

# --- keyword argument to apply
class I(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
R = I.apply(x=torch.ones(1))

# --- setup_context style: forward takes ctx by mistake
class I(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): return g
I.apply(torch.ones(1, requires_grad=True))

# --- jvp not implemented
class I(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
with fwAD.dual_level():
    I.apply(fwAD.make_dual(torch.ones(1), torch.ones(1)))

# --- custom Function without setup_context under torch.func.grad
class I(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
torch.func.grad(lambda x: I.apply(x).sum())(torch.ones(1))

# --- needs_input_grad / ctx.saved_tensors read before saving
class I(Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): I.s = ctx.saved_tensors; return g
x = torch.ones(1, requires_grad=True); I.apply(x).backward(); R = I.s

# --- an argument given by name
class Twice(Function):
    @staticmethod
    def forward(ctx, x, factor=2): return x * factor
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(1, requires_grad=True); y = Twice.apply(x=x); y.sum().backward(); R = y, x.grad

# --- an argument that only has a name
class Times(Function):
    @staticmethod
    def forward(ctx, x, *, factor=2): return x * factor
Times.apply(torch.ones(1, requires_grad=True), factor=3)
