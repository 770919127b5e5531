import torch

model = torch.nn.Linear(10,1)
model.train()
x = torch.randn(1,10)
y = torch.randn(1,1)
loss_fn = torch.nn.MSELoss()

for i in range(5): #Iterative refinement of gradients
  output = model(x)
  loss = loss_fn(output, y)
  loss.backward(retain_graph=True)

  #Simplified gradient update - replace with a more complex iterative method
  with torch.no_grad():
    for param in model.parameters():
      param -= 0.01 * param.grad

  model.zero_grad()
