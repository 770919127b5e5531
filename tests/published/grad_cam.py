"""Grad-CAM, guided backpropagation and saliency by hooks; features of inner layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class GradCAM:
    def __init__(self, model, layer):
        self.model, self.activations, self.gradients = model, None, None
        self.handles = [layer.register_forward_hook(self.save_activation),
                        layer.register_full_backward_hook(self.save_gradient)]

    def save_activation(self, module, args, output):
        self.activations = output.detach()

    def save_gradient(self, module, grad_input, grad_output):
        self.gradients = grad_output[0].detach()

    def __call__(self, x, index=None):
        logits = self.model(x)
        index = logits.argmax(1) if index is None else index
        self.model.zero_grad()
        logits.gather(1, index[:, None]).sum().backward()
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations).sum(1, keepdim=True))
        cam = F.interpolate(cam, size=x.shape[2:], mode="bilinear", align_corners=False)
        low, high = cam.amin((2, 3), keepdim=True), cam.amax((2, 3), keepdim=True)
        return (cam - low) / (high - low + 1e-8)

    def remove(self):
        for handle in self.handles:
            handle.remove()


model = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                      nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                      nn.Flatten(), nn.Linear(8, 5)).eval()
x = torch.randn(2, 3, 8, 8)
cam = GradCAM(model, model[3])
print(cam(x).mean((1, 2, 3)), cam(x, torch.tensor([1, 2]))[0, 0, ::3, ::3])
cam.remove()
handles = [m.register_full_backward_hook(lambda m, gi, go: (gi[0].clamp(min=0),))
           for m in model if isinstance(m, nn.ReLU)]
x.requires_grad_()
model(x)[:, 0].sum().backward()
print(f"{x.grad.abs().sum():.4f}")
for handle in handles:
    handle.remove()
x.grad = None
model(x)[:, 0].sum().backward()
print(f"{x.grad.abs().sum():.4f}")
features = {}


def keep(name):
    def hook(module, args, kwargs, output):
        features[name] = (tuple(output.shape), len(args), sorted(kwargs))
    return hook


for name, module in model.named_children():
    module.register_forward_hook(keep(name), with_kwargs=True)
model.register_forward_pre_hook(lambda m, args: (args[0] * 0,), prepend=True)
print(model(x).std(1), features)
noise = torch.stack([x.detach() + 0.1 * torch.randn_like(x) for _ in range(4)]).requires_grad_()
saliency, = torch.autograd.grad(model(noise.flatten(0, 1)).amax(1).sum(), noise)
print(saliency.abs().sum().item())
