from torch import nn


class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(2, 2)


Net()
