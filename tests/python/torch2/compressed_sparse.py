"""Compressed sparse layouts: made, printed, converted, multiplied, differentiated, saved."""
import io

import torch

dense = torch.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
csr = dense.to_sparse_csr()
print(csr)
print(csr.layout, csr.is_sparse_csr, csr.is_sparse, csr.shape, csr._nnz(), csr.dense_dim(), csr.sparse_dim())
print(csr.crow_indices(), csr.col_indices(), csr.values())
csc = dense.to_sparse_csc()
print(csc)
print(csc.ccol_indices(), csc.row_indices())
bsr = dense.to_sparse_bsr((2, 1))
print(bsr)
bsc = dense.to_sparse_bsc((2, 3))
print(bsc)
for x in (csr, csc, bsr, bsc):
    print(torch.equal(x.to_dense(), dense))
print(csr.to_sparse())
print(csr.to_sparse_csc().to_dense().equal(dense), csc.to_sparse_csr().to_dense().equal(dense))
print(csr.to_sparse(layout=torch.sparse_bsr, blocksize=(1, 3)))

made = torch.sparse_csr_tensor([0, 2, 4], [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0])
print(made)
print(torch.sparse_csr_tensor([0, 2, 4], [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], size=(2, 5), dtype=torch.float64))
print(torch.sparse_csc_tensor([0, 1, 2], [0, 1], torch.tensor([1, 2])))
print(torch.sparse_bsr_tensor([0, 1, 2], [0, 1], torch.arange(8.0).reshape(2, 2, 2)))
print(torch.sparse_compressed_tensor([0, 1, 2], [0, 1], [1.0, 2.0], layout=torch.sparse_csr))
batch = torch.stack([dense, dense * 2]).to_sparse_csr()
print(batch)
print(torch.equal(batch.to_dense(), torch.stack([dense, dense * 2])))

b = torch.arange(6.0).reshape(3, 2)
print(csr @ b)
print(csc @ b)
print(torch.arange(16.0).reshape(4, 4).to_sparse_bsr((2, 2)) @ torch.ones(4, 3))
print(torch.mm(csr, b), torch.mv(csr, b[:, 0]), csr.matmul(b[:, 1]))
print(torch.addmm(torch.ones(4, 2), csr, b, beta=2, alpha=0.5))
print(b.t() @ csr.t())
print(csr.t())
print((csr * 2).values(), (-csr).values(), csr.sqrt().values())
print(csr + csr)
print(csr.sum())
print(csr.to(torch.float64))
print(csr.clone().values())

weight = b.clone().requires_grad_()
out = csr @ weight
out.backward(torch.ones_like(out))
print(weight.grad)
values = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
own = torch.sparse_csr_tensor(torch.tensor([0, 2, 4]), torch.tensor([0, 1, 0, 1]), values, (2, 2))
(own @ torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
print(values.grad)
print(torch.sparse.sampled_addmm(made, torch.ones(2, 3), torch.arange(6.0).reshape(3, 2), beta=0.5, alpha=2.0))

file = io.BytesIO()
torch.save({"csr": csr, "csc": csc, "bsr": bsr, "bsc": bsc}, file)
file.seek(0)
for name, x in torch.load(file).items():
    print(name, x.layout, torch.equal(x.to_dense(), dense))

for make in (lambda: dense.to_sparse_bsr((3, 2)),
             lambda: dense.crow_indices()):
    try:
        make()
    except RuntimeError as error:
        print(str(error).split("\n")[0])
