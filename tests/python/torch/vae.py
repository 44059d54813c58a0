import torch
from torch import nn
from torch.nn import functional as F

class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(12, 6)
        self.fc21 = nn.Linear(6, 2)
        self.fc22 = nn.Linear(6, 2)
        self.fc3 = nn.Linear(2, 6)
        self.fc4 = nn.Linear(6, 12)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 12))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar

def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 12), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD

torch.manual_seed(1)
model = VAE()
x = torch.rand(4, 3, 4)
recon, mu, logvar = model(x)
loss = loss_function(recon, x, mu, logvar)
print('%.2f' % loss.item(), mu)
loss.backward()
print(model.fc22.bias.grad)
lr = 0.01
for i in range(5):
    for p in model.parameters():
        p.data -= lr * p.grad
        p.grad = None
    loss = loss_function(*((lambda r: (r[0], x, r[1], r[2]))(model(x))))
    loss.backward()
    print(f'{i}: {loss.item():.3f}')
