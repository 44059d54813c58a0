import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split, Subset

class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor([float(i), float(i * i)]), i % 2

ds = Squares(7)
for x, y in DataLoader(ds, batch_size=3):
    print(x, y)
torch.manual_seed(0)
loader = DataLoader(ds, batch_size=2, shuffle=True, drop_last=True)
print(len(loader), [y.tolist() for _, y in loader], [x[:, 0].tolist() for x, _ in loader])
t = TensorDataset(torch.arange(6.).reshape(3, 2), torch.tensor([1, 0, 1]))
print(t[1], len(t), [b[1] for b in DataLoader(t, batch_size=2)])
a, b = random_split(range(6), [4, 2], generator=torch.Generator().manual_seed(3))
print(list(a.indices), [b[i] for i in range(len(b))], len(Subset(ds, [1, 2])))
print(next(iter(DataLoader([{'a': 1, 'b': 2.5}, {'a': 3, 'b': 4.0}], batch_size=2))))
print([b for b in DataLoader(list(range(5)), batch_size=2, collate_fn=lambda items: sum(items))])
print(torch.rand(2))
