import torch
a = torch.tensor([[4., 1.], [2., 3.]])
print(torch.linalg.det(a), torch.linalg.inv(a), torch.linalg.norm(a), torch.linalg.solve(a, torch.tensor([1., 2.])))
print(torch.linalg.eigvalsh(a @ a.T), torch.inverse(a), torch.det(a), torch.trace(a), a.diagonal(), torch.linalg.matrix_power(a, 2))
q, r = torch.linalg.qr(a)
print(torch.allclose(q @ r, a), torch.linalg.cholesky(a @ a.T))
print(torch.fft.fft(torch.tensor([1., 0., 0., 0.])).real, torch.fft.rfft(torch.arange(4.)).shape, torch.special.expit(torch.zeros(1)))
print(torch.tensor([3 + 4j]).abs(), torch.tensor([3 + 4j]).real, torch.tensor([3 + 4j]).imag, torch.view_as_real(torch.tensor([1 + 2j])), torch.complex(torch.ones(1), torch.zeros(1)))
print(torch.cdist(torch.zeros(1, 2), torch.ones(2, 2)), torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3])), torch.block_diag(torch.ones(1, 1), torch.ones(1, 2)), torch.atleast_2d(torch.tensor(1)), torch.nonzero(torch.tensor([0, 1, 1]), as_tuple=True))
