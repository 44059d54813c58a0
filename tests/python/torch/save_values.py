import torch
from collections import OrderedDict

path = '/tmp/loupe_test_values.pt'
base = torch.arange(6.)
shared = [1, 'a']
values = {'dtype': torch.float16, 'size': torch.Size([2, 3]), 'ordered': OrderedDict(b=1, a=2), 'tuple': (1, (2.5,), None, True),
          'complex': 1 - 2j, 'numbers': {0: 'x'}, 'shared': [shared, shared], 'base': base, 'view': base[2:4],
          'bytes': b'\x00\xff', 'set': {3}, 'parameter': torch.nn.Parameter(torch.ones(2))}
for zipped in (True, False):
    torch.save(values, path, _use_new_zipfile_serialization=zipped)
    read = torch.load(path)
    for key in values:
        print(key, read[key])
    read['base'][2] = 50.
    print(read['view'], read['shared'][0] is read['shared'][1], type(read['parameter']), type(read['ordered']))

net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
torch.manual_seed(0)
net(torch.ones(3, 2)).sum().backward()
optimizer.step()
torch.save({'model': net.state_dict(), 'optimizer': optimizer.state_dict(), 'epoch': 2}, path)
read = torch.load(path)
print(read['epoch'], list(read['model']), read['optimizer']['param_groups'][0]['params'])
print(read['optimizer']['state'][0]['exp_avg'].shape)
torch.save([base, 3], path)
print(torch.load(path))
