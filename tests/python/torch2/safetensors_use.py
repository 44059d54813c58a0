import os
import tempfile

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

folder = tempfile.mkdtemp()
path = os.path.join(folder, 'w.safetensors')

torch.manual_seed(0)
weights = {'b': torch.arange(6.).reshape(2, 3), 'a': torch.tensor([1, 2, 3]), 'c': torch.tensor(True), 'd': torch.zeros(0, 2)}
save_file(weights, path)
loaded = load_file(path)
print(loaded)
print(all(torch.equal(loaded[name], t) for name, t in weights.items()))
print(len(save(weights)), save(weights) == open(path, 'rb').read())
print(load(save({'x': torch.ones(2, dtype=torch.bfloat16)})))

save_file(weights, path, metadata={'format': 'pt', })
with safe_open(path, framework='pt') as f:
    print(f.keys(), list(f.offset_keys()), f.metadata())
    print(f.get_tensor('b'))
    part = f.get_slice('b')
    print(part.get_shape(), part.get_dtype(), part[:, 1:], part[0])
    try:
        f.get_tensor('nothing')
    except SafetensorError as error:
        print(type(error).__name__, error)
save_file(weights, path)
with safe_open(path, framework='pt', device='cpu') as f:
    print(f.metadata())


def attempt(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error)[:90])


attempt(lambda: save_file({'a': torch.ones(3, 2).t()}, path))
attempt(lambda: save_file([1], path))
attempt(lambda: save_file({'a': 1}, path))
attempt(lambda: save_file({'a': torch.eye(2).to_sparse()}, path))
shared = torch.ones(4)
attempt(lambda: save_file({'a': shared, 'b': shared}, path))


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(4, 3)
        self.head = torch.nn.Linear(3, 4, bias=False)
        self.head.weight = self.embed.weight
        self.other = torch.nn.Linear(3, 3)


model = Tied()
save_model(model, path)
with safe_open(path, framework='pt') as f:
    print(f.keys(), f.metadata())
again = Tied()
print(load_model(again, path))
print(torch.equal(again.head.weight, model.embed.weight), again.head.weight is again.embed.weight)
print(load_model(torch.nn.Linear(3, 3), path, strict=False)[1] != [])
attempt(lambda: load_model(torch.nn.Linear(3, 3), path))


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('part', torch.ones(4)[1:])


attempt(lambda: save_model(Part(), path))

loaded = load_file(path)
loaded['embed.weight'].zero_()
print(load_file(path)['embed.weight'].abs().sum() > 0)
