import numpy as np
import torch

a = np.arange(12).reshape(3, 4)
print(a[::-1, ::2], a.T.shape, a.sum(axis=0), a.mean(), a.dtype, (a / 2).dtype, (a.astype(np.float32) * 2.5).dtype)
print(np.sqrt(64), np.prod((3, 4)), np.log(np.array([1.0, 2.0])), np.linspace(0, 0.1, 5), np.arange(0, 1, 0.25))
print(np.float32(0.5), repr(np.float64(0.5)), np.pi, isinstance(np.sqrt(2), float), int(np.ceil(2.1)))
print(np.concatenate([np.ones((1, 2)), np.zeros((1, 2))]), np.stack(np.meshgrid(np.arange(2), np.arange(3), indexing='ij')).shape)
rng = np.random.RandomState(0)
print(rng.rand(2), rng.randn(2), rng.randint(0, 10, 4), rng.permutation(5), rng.choice(5, 2, replace=False), rng.uniform(-1, 1, (1, 2)))
np.random.seed(1)
print(np.random.rand(), np.random.normal(size=2), np.random.beta(0.4, 0.4))
print(np.linalg.norm(a), np.linalg.inv(np.array([[2.0, 1.0], [1.0, 3.0]])), np.where(a > 5, 1, 0)[1], np.pad(np.arange(3), 1, mode='reflect'))
t = torch.from_numpy(np.array([1.0, 2.0]))
print(t, torch.tensor(np.array([[1, 2]])), torch.as_tensor(np.float32(3)), torch.tensor([np.ones(2), np.zeros(2)]).dtype)
u = torch.zeros(3)
n = u.numpy()
n[1] = 5
print(u, n, type(n).__name__, torch.ones(2) * np.ones(2), torch.arange(4)[np.array([2, 0])])
print(np.array([True, False]), np.eye(2), np.array([1.5, 1e-9]), np.array([1e10, 2.5]), np.full((2,), 7), np.array(3.5).item())
for bad in (lambda: torch.from_numpy([1]), lambda: np.array([[1, 2], [3]]), lambda: bool(np.ones(2))):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
