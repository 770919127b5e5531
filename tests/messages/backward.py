# --- backward twice, graph has saved tensors
x = torch.tensor(3., requires_grad=True); y = x**2
y.backward(); y.backward()

# --- backward twice through a graph that saved nothing: (x+1).sum()
x = torch.ones(3, requires_grad=True); y = (x + 1).sum()
y.backward(); y.backward(); R = x.grad

# --- backward twice through x.sum() only
x = torch.ones(3, requires_grad=True); y = x.sum(); y.backward(); y.backward(); R = x.grad

# --- backward twice through x*2 (python scalar multiplier)
x = torch.ones(3, requires_grad=True); y = (x * 2).sum(); y.backward(); y.backward(); R = x.grad

# --- backward twice through x.mean()
x = torch.ones(3, requires_grad=True); y = x.mean(); y.backward(); y.backward(); R = x.grad

# --- backward twice through custom Function that saved a tensor
class Sq(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x*x
    @staticmethod
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 2*x*g
x = torch.tensor(3., requires_grad=True); y = Sq.apply(x); y.backward(); y.backward()

# --- read grad_fn._saved_self after the graph was freed
x = torch.tensor(3., requires_grad=True); y = x**2; y.backward(); y.grad_fn._saved_self

# --- read ctx.saved_tensors of a custom Function node after backward
class Sq(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x*x
    @staticmethod
    def backward(ctx, g): (x,) = ctx.saved_tensors; return 2*x*g
x = torch.tensor(3., requires_grad=True); y = Sq.apply(x); y.backward(); y.grad_fn.saved_tensors

# --- backward on a non-scalar without gradient
x = torch.ones(3, requires_grad=True); (x*2).backward()

# --- autograd.grad on a non-scalar without grad_outputs
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x*2, x)

# --- backward on a scalar complex output without gradient
x = torch.tensor(1+1j, requires_grad=True); (x*2).backward()

# --- backward on a tensor that does not require grad
x = torch.ones(3); x.sum().backward()

# --- backward on a result computed under no_grad
x = torch.ones(3, requires_grad=True)
with torch.no_grad(): y = x.sum()
y.backward()

# --- autograd.backward on a list whose second element has no grad_fn
x = torch.ones((), requires_grad=True); torch.autograd.backward([x*2, torch.tensor(1.)])

# --- mismatched gradient shape passed to backward
x = torch.ones(3, requires_grad=True); (x*2).backward(torch.ones(4))

# --- mismatched grad_outputs shape in autograd.grad
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x*2, x, torch.ones(2,3))

# --- gradient argument complex for a real output
x = torch.ones(3, requires_grad=True); (x*2).backward(torch.ones(3, dtype=torch.complex64))

# --- gradient argument is not a tensor
x = torch.ones(3, requires_grad=True); (x*2).backward([1.,1.,1.])

# --- gradient argument of the wrong dtype (float64 for float32)
x = torch.ones(3, requires_grad=True); (x*2).backward(torch.ones(3, dtype=torch.float64)); R = (x.grad, x.grad.dtype)

# --- number of grad_tensors differs from number of tensors
x = torch.ones((), requires_grad=True); torch.autograd.backward([x*2, x*3], [torch.tensor(1.)])

# --- autograd.grad: input not used in the graph
x = torch.ones((), requires_grad=True); w = torch.ones((), requires_grad=True); torch.autograd.grad(x*2, [x, w])

# --- autograd.grad: unused input with allow_unused=True
x = torch.ones((), requires_grad=True); w = torch.ones((), requires_grad=True); R = torch.autograd.grad(x*2, [x, w], allow_unused=True)

# --- autograd.grad: unused input with materialize_grads=True
x = torch.ones((), requires_grad=True); w = torch.ones((), requires_grad=True); R = torch.autograd.grad(x*2, [x, w], materialize_grads=True)

# --- autograd.grad: materialize_grads=True with allow_unused=False
x = torch.ones((), requires_grad=True); torch.autograd.grad(x*2, x, materialize_grads=True, allow_unused=False)

# --- autograd.grad: input does not require grad
x = torch.ones((), requires_grad=True); w = torch.ones(()); torch.autograd.grad(x*2, [x, w])

# --- autograd.grad: no inputs
x = torch.ones((), requires_grad=True); torch.autograd.grad(x*2, [])

# --- backward(inputs=[])
x = torch.ones((), requires_grad=True); (x*2).backward(inputs=[])

# --- backward(inputs=[...]) with a tensor not in the graph
x = torch.ones((), requires_grad=True); w = torch.ones((), requires_grad=True); (x*2).backward(inputs=[w]); R = (x.grad, w.grad)

# --- backward(inputs=[non-leaf])
x = torch.ones((), requires_grad=True); h = x*2; (h*3).backward(inputs=[h]); R = (x.grad, h.grad)

# --- backward(inputs=[t]) with t not requiring grad
x = torch.ones((), requires_grad=True); w = torch.ones(()); (x*2).backward(inputs=[w])

# --- backward(create_graph=True): the reference-cycle warning
x = torch.tensor(3., requires_grad=True); (x**3).backward(create_graph=True); R = x.grad

# --- double backward on a gradient computed without create_graph
x = torch.tensor(3., requires_grad=True); (g,) = torch.autograd.grad(x**3, x); g.backward()

# --- backward through an integer output
x = torch.ones(3, requires_grad=True); y = (x > 0).sum(); y.backward()

# --- detect_anomaly: enable warning + nan in backward
x = torch.tensor(0., requires_grad=True)
with torch.autograd.detect_anomaly():
    y = torch.sqrt(x) * 0
    y.backward()

# --- detect_anomaly(check_nan=False) on the same
x = torch.tensor(0., requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=False):
    y = torch.sqrt(x) * 0
    y.backward()
R = x.grad

# --- is_grads_batched with a size-0 mismatch
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x*2, x, torch.ones(5,4), is_grads_batched=True)

# --- grad() with a dict of inputs
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
R = torch.autograd.grad((x * y * 3).sum(), {"x": x, "y": y}), \
    torch.autograd.grad((x * 3).sum(), {"y": y}, allow_unused=True)

# --- backward() with a dict of inputs
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
(x * y * 3).sum().backward(inputs={"y": y}); R = x.grad, y.grad

# --- grad() with an empty dict of inputs
torch.autograd.grad(torch.ones(1, requires_grad=True), {})

# --- grad() with a mapping that is no dict
import collections
x = torch.ones(1, requires_grad=True); torch.autograd.grad(x, collections.UserDict(x=x))

# --- backward() with a mapping that is no dict
import collections
x = torch.ones(1, requires_grad=True); x.backward(inputs=collections.UserDict(x=x))

# --- grad() with a number among the inputs
x = torch.ones(1, requires_grad=True); torch.autograd.grad(x * 2, [x, 3])

# --- backward() with a number among the inputs
x = torch.ones(1, requires_grad=True); (x * 2).backward(inputs=[3])

# --- grad() of a number
x = torch.ones(1, requires_grad=True); torch.autograd.grad([3], [x])

# --- grad() of None
x = torch.ones(1, requires_grad=True); torch.autograd.grad(None, [x])

# --- only_inputs=False
x = torch.ones(1, requires_grad=True); R = torch.autograd.grad(x * 2, x, only_inputs=False)

# --- grad_variables
x = torch.ones(1, requires_grad=True)
torch.autograd.backward(x * 2, grad_variables=torch.ones(1)); R = x.grad

# --- grad_variables beside grad_tensors
x = torch.ones(1, requires_grad=True)
torch.autograd.backward(x * 2, torch.ones(1), grad_variables=torch.ones(1))

# --- is_grads_batched without gradients
x = torch.ones(2, requires_grad=True); torch.autograd.grad(x * 2, x, is_grads_batched=True)
