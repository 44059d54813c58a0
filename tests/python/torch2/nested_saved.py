# Nested tensors in checkpoints: written and read back.
import io

import torch
import torch.nested

a, b = torch.arange(8.0).view(2, 4), torch.arange(12.0).view(3, 4)
jagged = torch.nested.nested_tensor([a, b], layout=torch.jagged, requires_grad=True)
holes = torch.nested.narrow(torch.arange(24.0).view(2, 4, 3), 1, torch.tensor([0, 1]), torch.tensor([2, 3]), layout=torch.jagged)
strided = torch.nested.nested_tensor([a, b.long().float() + 1])
view = strided.transpose(1, 2)
file = io.BytesIO()
torch.save({"jagged": jagged, "holes": holes, "strided": strided, "view": view, "plain": a}, file)
file.seek(0)
back = torch.load(file, weights_only=False)
print(list(back))
print(back["jagged"].is_nested, back["jagged"].layout, back["jagged"].requires_grad, back["jagged"].is_leaf, back["jagged"].offsets())
print([each.detach() for each in back["jagged"].unbind()])
print(back["holes"].lengths(), back["holes"].offsets(), [each.tolist() for each in back["holes"].unbind()], back["holes"].is_contiguous())
print(back["strided"])
print(back["view"], back["view"].is_contiguous())
print(back["plain"])
