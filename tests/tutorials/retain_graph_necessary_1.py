import torch

# Define a simple model
model = torch.nn.Linear(10, 1)
model.train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

# Input data
x = torch.randn(1, 10)
y = torch.randn(1, 1)

# Define two loss functions
loss_fn1 = torch.nn.MSELoss()
loss_fn2 = torch.nn.L1Loss()

# Forward pass
output = model(x)

# Calculate gradients for the first loss function
loss1 = loss_fn1(output, y)
loss1.backward(retain_graph=True)  # Retain graph for subsequent backward pass

# Update the model parameters based on the gradients of the first loss function
optimizer.step()
optimizer.zero_grad()


# Calculate gradients for the second loss function
loss2 = loss_fn2(output,y)
loss2.backward() # Graph is retained, no need for retain_graph=True here.

# Update the model parameters based on the gradients of the second loss function
optimizer.step()
optimizer.zero_grad()
