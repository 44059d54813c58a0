import torch
from torch import nn
from typing import List
torch.manual_seed(1)
class Old(torch.jit.ScriptModule):
    __constants__ = ['n', 'flag']
    def __init__(self, n, flag=True):
        super(Old, self).__init__()
        self.n = n
        self.flag = flag
        self.weight = nn.Parameter(torch.ones(2, 3))
        self.fc = nn.Linear(3, 3)
        self.register_buffer('count', torch.zeros(1))
    @torch.jit.script_method
    def helper(self, x):
        for i in range(self.n):
            x = x + float(i)
        return x
    @torch.jit.script_method
    def forward(self, x):
        if self.flag:
            x = self.helper(x)
        self.count += 1
        return self.weight.mm(self.fc(x).t())
    def python_method(self):
        return 'py ' + str(self.n)
o = Old(3)
print(o(torch.ones(1, 3)), o.count)
print(isinstance(o, torch.jit.ScriptModule), isinstance(o, nn.Module), [n for n, _ in o.named_parameters()])
print(o.code)
o.save('/tmp/old_module.pt')
l = torch.jit.load('/tmp/old_module.pt')
print(l(torch.ones(1, 3)), l.count, isinstance(l, torch.jit.ScriptModule))
print(o.python_method())
o.eval(); print(o.training)
print(sorted(o.state_dict()))
class Wrap(nn.Module):
    def __init__(self):
        super().__init__()
        self.o = Old(1)
    def forward(self, x): return self.o(x) * 2
w = Wrap(); print(w(torch.ones(1, 3))); print(torch.jit.script(w)(torch.ones(1, 3)))
for f in ('2**64', '9223372036854775808', '-9223372036854775808', '1 << 63', '9223372036854775807 + 1'):
    src = f'''
def g(x: int) -> int:
    return {f}
'''
    try:
        print(f, torch.jit.CompilationUnit(src).g(1))
    except Exception as e:
        print(f, type(e).__name__, str(e).strip().split('\n')[0])
@torch.jit.script
def pw(a: int, b: int):
    return a ** b, a * b, a << b
print(pw(2, 10), pw(3, 2))
