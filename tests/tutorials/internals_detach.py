import torch
import torch.nn as nn
encoder = nn.Linear(10, 5)
decoder = nn.Linear(5, 10)
x = torch.randn(4, 10)
encoded = encoder(x)
# Detach: decoder receives the values but not the gradient
encoded_detached = encoded.detach()
reconstructed = decoder(encoded_detached)
loss = ((reconstructed - x) ** 2).mean()
loss.backward()
print(f"decoder bias grad: {decoder.bias.grad is not None}")
print(f"encoder bias grad: {encoder.bias.grad}") # None — gradient was cut
