import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
D = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
bce = nn.BCELoss()
real_label, fake_label = 1., 0.
for step in range(3):
    D.zero_grad()
    real = torch.randn(4, 1) * 0.5 + 2
    real_target, fake_target = torch.full((4,), real_label), torch.full((4,), fake_label)
    out = D(real).view(-1)
    lossD = bce(out, real_target)
    noise = torch.randn(4, 2)
    fake = G(noise)
    lossD = lossD + bce(D(fake.detach()).view(-1), fake_target)
    lossD.backward()
    with torch.no_grad():
        for p in D.parameters():
            p -= 0.05 * p.grad
    G.zero_grad()
    lossG = bce(D(fake).view(-1), real_target)
    lossG.backward()
    with torch.no_grad():
        for p in G.parameters():
            p -= 0.05 * p.grad
    print('[%d] D %.4f G %.4f' % (step, lossD.item(), lossG.item()))
