import torch
from torch import nn


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.inner = nn.Linear(1, 1)
        self.calls = 0
        self.names = []

    def get_extra_state(self):
        return {'calls': self.calls, 'names': list(self.names)}

    def set_extra_state(self, state):
        print('set', state, self.weight.tolist())
        self.calls = state['calls']
        self.names = state['names']

    def forward(self, x):
        self.calls += 1
        return x * self.weight


class OnlyGets(nn.Module):
    def get_extra_state(self):
        return torch.arange(3)


class OnlySets(nn.Module):
    def set_extra_state(self, state):
        print('never', state)


net = nn.Sequential(Counter(), nn.Linear(2, 2))
net(torch.ones(2))
net[0].names.append('run')
with torch.no_grad():
    net[0].weight.fill_(7.)
state = net.state_dict()
print(list(state), state['0._extra_state'])
other = nn.Sequential(Counter(), nn.Linear(2, 2))
print(other.load_state_dict(state), other[0].calls, other[0].names, other[0].weight)
path = '/tmp/loupe_test_extra.pt'
torch.save(state, path)
other = nn.Sequential(Counter(), nn.Linear(2, 2))
print(other.load_state_dict(torch.load(path)), other[0].calls)

lacking = {k: v for k, v in state.items() if k != '0._extra_state'}
try:
    other.load_state_dict(lacking)
except RuntimeError as e:
    print(e)
print(other.load_state_dict(lacking, strict=False))
try:
    nn.Sequential(nn.Linear(2, 2)).load_state_dict({'0.weight': torch.ones(2, 2), '0.bias': torch.ones(2), '0._extra_state': 5})
except RuntimeError as e:
    print(e)
try:
    nn.Sequential(nn.Linear(2, 2)).load_state_dict({'0.weight': [1], '0.bias': 3})
except RuntimeError as e:
    print(e)

gets = OnlyGets()
print(gets.state_dict())
try:
    gets.load_state_dict(gets.state_dict())
except RuntimeError as e:
    print(e)
sets = OnlySets()
print(sets.state_dict())
try:
    sets.load_state_dict({})
except RuntimeError as e:
    print(e)
for method in (lambda: nn.Linear(1, 1).get_extra_state(), lambda: nn.Linear(1, 1).set_extra_state(1)):
    try:
        method()
    except RuntimeError as e:
        print(str(e)[:90])
