import os

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
torch.save(net.state_dict(), '/tmp/loupe_test_state.pt')
other = nn.Linear(3, 2)
print(other.load_state_dict(torch.load('/tmp/loupe_test_state.pt')))
print(torch.equal(net.weight, other.weight))
sd = torch.load('/tmp/loupe_test_state.pt', map_location='cpu')
print(list(sd), sd['bias'])
try:
    torch.load('/tmp/there_is_no_such_file.pt')
except FileNotFoundError as e:
    print(e)

# A loaded tensor does not depend on its file.
torch.save(torch.ones(3000), '/tmp/loupe_test_state.pt')
loaded = torch.load('/tmp/loupe_test_state.pt')
open('/tmp/loupe_test_state.pt', 'wb').close()
print(loaded.sum())
torch.save(loaded, os.devnull)
