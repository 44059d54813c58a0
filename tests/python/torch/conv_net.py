import torch
from torch import nn

class ConvNet(nn.Module):
    def __init__(self):
        super(ConvNet, self).__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, kernel_size=3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(4 * 4 * 4, 10)

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)

torch.manual_seed(1)
net = ConvNet()
print(net)
x = torch.randn(2, 1, 8, 8)
y = net(x)
print(y.shape, y)
y.sum().backward()
print(net.features[0].weight.grad.shape, net.features[1].running_mean, net.features[1].num_batches_tracked)
print([n for n, _ in net.named_modules()])
print(list(net.state_dict().keys()))
print(net.features[1])
