# --- tensor hook returns a wrong shape
x = torch.ones(3, requires_grad=True); x.register_hook(lambda g: torch.ones(4)); x.sum().backward()

# --- tensor hook returns a wrong type
x = torch.ones(3, requires_grad=True); x.register_hook(lambda g: 3.0); x.sum().backward()

# --- tensor hook returns another dtype
x = torch.ones(3, requires_grad=True); x.register_hook(lambda g: g.double()); x.sum().backward()

# --- Node post hook returns a wrong number of gradients
x = torch.ones(3, requires_grad=True); y = x.sum(); y.grad_fn.register_hook(lambda gi, go: (gi[0], gi[0])); y.backward()

# --- Node prehook returns a wrong type
x = torch.ones(3, requires_grad=True); y = x.sum(); y.grad_fn.register_prehook(lambda go: 3); y.backward()

# --- Module.register_backward_hook (deprecated) on a multi-node module
m = nn.Sequential(nn.Linear(2,2), nn.ReLU()); m.register_backward_hook(lambda m, gi, go: None); x = torch.ones(1,2,requires_grad=True); (m(x)*1).sum().backward()

# --- full_backward_hook on a module whose output is then modified in place
m = nn.Linear(2,2); m.register_full_backward_hook(lambda m, gi, go: None); y = m(torch.ones(1,2,requires_grad=True)); y += 1; y.sum().backward()

# --- mixing backward_hook and full_backward_hook
m = nn.Linear(2,2); m.register_full_backward_hook(lambda m, gi, go: None); m.register_backward_hook(lambda m, gi, go: None)

# --- full_backward_hook, no input requires grad
m = nn.Linear(2,2); m.register_full_backward_hook(lambda m, gi, go: print("gi", gi)); m(torch.ones(1,2)).sum().backward()

# --- register_multi_grad_hook with a tensor that does not require grad
torch.autograd.graph.register_multi_grad_hook([torch.ones(1)], lambda g: None)

# --- register_multi_grad_hook wrong mode
torch.autograd.graph.register_multi_grad_hook([torch.ones(1, requires_grad=True)], lambda g: None, mode="some")

# --- get_gradient_edge of a tensor that does not require grad
torch.autograd.graph.get_gradient_edge(torch.ones(1))

# --- full_backward_hook on a module returning a non-tensor
class M(nn.Module):
    def forward(self, x): return 3
m = M(); m.register_full_backward_hook(lambda *a: None); R = m(torch.ones(1, requires_grad=True))
