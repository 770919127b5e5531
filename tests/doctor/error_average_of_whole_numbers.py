import torch
from torch import nn

states = [nn.BatchNorm1d(4).state_dict() for _ in range(2)]
average = dict(states[0])
for key in average:
    average[key] = states[0][key] + states[1][key]
    average[key] /= 2
