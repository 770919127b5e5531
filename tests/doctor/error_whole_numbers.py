"""To give the labels requires_grad=True is no cure."""
import torch

labels = torch.randint(3, (8,))
loss = labels.float().mean()
loss.backward()
