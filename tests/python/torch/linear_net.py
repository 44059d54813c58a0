import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.fc1 = nn.Linear(4, hidden)
        self.fc2 = nn.Linear(hidden, 3)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.fc2(self.drop(x))

torch.manual_seed(0)
model = Net()
print(model)
model.eval()
x = torch.randn(2, 4)
out = model(x)
print(out)
loss = F.cross_entropy(out, torch.tensor([0, 2]))
print(loss, loss.item() > 0)
loss.backward()
for name, p in model.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, p.grad.norm())
print(model.fc1.bias.grad)
print(sum(p.numel() for p in model.parameters()))
print(model.training, model.drop.training)
