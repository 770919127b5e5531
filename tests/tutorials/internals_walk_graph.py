import torch
def walk_graph(tensor, depth=0):
    if tensor.grad_fn is None:
        print(" " * depth + f"Leaf: {tensor}")
        return
    print(" " * depth + f"{tensor.grad_fn.__class__.__name__}")
    for parent, _ in tensor.grad_fn.next_functions:
        if parent is not None:
            walk_graph_fn(parent, depth + 1)
def walk_graph_fn(fn, depth=0):
    print(" " * depth + f"{fn.__class__.__name__}")
    for parent, _ in fn.next_functions:
        if parent is not None:
            walk_graph_fn(parent, depth + 1)
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
z = x * y
w = z + x
out = w ** 2
walk_graph(out)
