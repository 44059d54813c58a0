import torch
print(torch.zeros(2, 3), torch.zeros((2, 1)), torch.ones([2]), torch.full((2, 2), 7), torch.full((1,), 0.5))
print(torch.arange(5), torch.arange(1, 4), torch.arange(0, 1, 0.25), torch.arange(5, dtype=torch.float32), torch.arange(3.))
print(torch.linspace(0, 1, 5), torch.logspace(0, 2, 3), torch.eye(3), torch.eye(2, 3))
x = torch.ones(2, 2, dtype=torch.float64)
print(torch.zeros_like(x), torch.ones_like(x, dtype=torch.int32), torch.full_like(x, 3), x.new_zeros(2), x.new_ones((1, 2)), x.new_full((2,), 4), x.new_tensor([1, 2]))
print(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 2.5]), torch.tensor((1, 2)), torch.tensor(range(3)), torch.tensor([torch.tensor(1), torch.tensor(2)]))
print(torch.as_tensor([1, 2]), torch.tensor([1, 2], dtype=float), torch.tensor(5, dtype=torch.bool))
print(torch.Tensor([1, 2]), torch.FloatTensor([3]), torch.LongTensor([4, 5]), torch.Tensor(2, 3).shape)
print(torch.tril(torch.ones(3, 3)), torch.triu(torch.ones(2, 3), diagonal=1), torch.diag(torch.tensor([1, 2])))
print(torch.zeros(2, requires_grad=True), torch.empty(3).shape, torch.empty_like(x).dtype)
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing='ij'))
for f in (lambda: torch.tensor([[1, 2], [3]]), lambda: torch.tensor('a'), lambda: torch.tensor([None]), lambda: torch.tensor(['a']), lambda: torch.zeros(-1), lambda: torch.tensor([300], dtype=torch.uint8)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
