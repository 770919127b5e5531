import torch
import torch_helpers_of_mine

print(torch.ones(2), torch_helpers_of_mine)
