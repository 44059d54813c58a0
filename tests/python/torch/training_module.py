import torch
import torch.nn as nn

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.rand(32, 2)
y = (x[:, :1] * x[:, 1:]) * 3
criterion = nn.MSELoss()
for epoch in range(30):
    net.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p.sub_(p.grad, alpha=0.2)
    if epoch % 10 == 0:
        print('epoch', epoch, 'loss %.4f' % loss)
print(net[0].weight)
print(net(x[:2]))
