import io, os, tempfile, copy, pickle
import torch
from torch import nn
d = tempfile.mkdtemp()
torch.manual_seed(0)
m = nn.Linear(2, 2)
b = io.BytesIO()
torch.save(m.state_dict(), b)
b.seek(0)
sd = torch.load(b)
print(sd)
m2 = nn.Linear(2, 2)
print(m2.load_state_dict(sd))
b = io.BytesIO(); torch.save({'model': m.state_dict(), 'epoch': 3, 'opt': torch.optim.SGD(m.parameters(), lr=.1).state_dict()}, b)
ck = torch.load(io.BytesIO(b.getvalue()), map_location='cpu')
print(ck['epoch'], ck['opt'])
p = os.path.join(d, 'm.pt')
with open(p, 'wb') as f: torch.save([torch.arange(3), 'x', (1, 2.5, None), {'k': torch.ones(2)}], f)
with open(p, 'rb') as f: print(torch.load(f))
from pathlib import Path
torch.save({'a': torch.zeros(1)}, Path(d) / 'q.pth')
print(torch.load(Path(d) / 'q.pth', map_location=torch.device('cpu')))
class Net(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.l = nn.Linear(n, 1)
        self.n = n
        self.hist = [1, 2]
    def forward(self, x): return self.l(x)
net = Net()
s = torch.jit.script(nn.Linear(2, 2))
bb = io.BytesIO(); torch.jit.save(s, bb); bb.seek(0)
l = torch.jit.load(bb)
print(l(torch.ones(1, 2)).shape, torch.equal(l.weight, s.weight))
try: torch.load(os.path.join(d, 'nope.pt'))
except FileNotFoundError as e: print(str(e).replace(d, 'D'))
