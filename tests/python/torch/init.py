import torch
import torch.nn as nn

torch.manual_seed(0)
w = torch.empty(3, 4)
print(nn.init.zeros_(w), nn.init.ones_(w), nn.init.constant_(w, 0.3))
print(nn.init.uniform_(w), nn.init.normal_(w, 0, 0.02))
print(nn.init.xavier_uniform_(w), nn.init.xavier_normal_(w, gain=2.0))
print(nn.init.kaiming_uniform_(w, a=5 ** 0.5), nn.init.kaiming_normal_(w, mode='fan_out', nonlinearity='relu'))
print(nn.init.eye_(w), nn.init.trunc_normal_(w, std=0.5))
print(nn.init.calculate_gain('relu'), nn.init.calculate_gain('tanh'))
lin = nn.Linear(2, 2)
nn.init.normal_(lin.weight, std=0.01)
print(lin.weight)
print(nn.Conv2d(1, 2, 2).weight)
print(nn.Embedding(3, 2).weight)
