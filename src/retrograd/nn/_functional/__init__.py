"""The functions of nn.functional, a file a family; each works on Tensors by declared operators."""
