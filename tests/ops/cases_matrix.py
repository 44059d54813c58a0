# SPDX-License-Identifier: Apache-2.0
"""Matrix products."""
import torch


def draw(*sizes, dtype=torch.float32, grad=True):
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(-4, 5, sizes, dtype=dtype)
    t = torch.randn(sizes, dtype=dtype)
    t = torch.view_as_complex((torch.view_as_real(t) * 100).round() / 100) if dtype.is_complex else (t * 100).round() / 100
    return t.requires_grad_(grad)


def add(c):
    torch.manual_seed(3)

    def call(op, *args, **more):
        c.call(op, *args, tolerance=1e-5, grads=more.pop("grads", True), spread=more.pop("spread", None), **more)

    for dtype in (torch.float32, torch.float64, torch.complex64):
        call("aten::mm", draw(2, 3, dtype=dtype), draw(3, 4, dtype=dtype))
        call("aten::addmm", draw(4, dtype=dtype), draw(2, 3, dtype=dtype), draw(3, 4, dtype=dtype))
        call("aten::bmm", draw(3, 2, 4, dtype=dtype), draw(3, 4, 2, dtype=dtype))
        call("aten::mv", draw(3, 4, dtype=dtype), draw(4, dtype=dtype))
        if dtype != torch.complex64:  # Debian's PyTorch gives 0: it calls BLAS by another convention
            call("aten::dot", draw(5, dtype=dtype), draw(5, dtype=dtype))
            call("aten::vdot", draw(5, dtype=dtype), draw(5, dtype=dtype))
    for dtype in (torch.int64, torch.int8, torch.int32):
        call("aten::mm", draw(2, 3, dtype=dtype), draw(3, 4, dtype=dtype), grads=False)
    call("aten::addmm", draw(2, 1), draw(2, 3), draw(3, 4), 0.5, 2)
    call("aten::addmm", draw(2, 4), draw(2, 3), draw(3, 4), 0, 1)
    call("aten::addmm_", draw(2, 4, grad=False), draw(2, 3, grad=False), draw(3, 4, grad=False), 0.5, 2, grads=False)
    call("aten::mm", draw(3, 2, grad=False).t().requires_grad_(), draw(4, 3, grad=False).t().requires_grad_())
    call("aten::mm", draw(2, 6, grad=False)[:, ::2].clone().requires_grad_(), draw(3, 4))
    call("aten::mm", draw(2, 0), draw(0, 3))
    call("aten::baddbmm", draw(3, 2, 2), draw(3, 2, 4), draw(3, 4, 2), 2, -1)
    call("aten::baddbmm", draw(2, 1), draw(3, 2, 4), draw(3, 4, 2))
    call("aten::addbmm", draw(2, 2), draw(3, 2, 4), draw(3, 4, 2), 0.5, 2)
    call("aten::addmv", draw(3), draw(3, 4), draw(4), 0.5, 2)
    call("aten::addr", draw(3, 4), draw(3), draw(4), 0.5, 2)
    call("aten::outer", draw(3), draw(4))
    call("aten::ger", draw(3), draw(4))
    call("aten::inner", draw(2, 3), draw(4, 3))
    for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 4)), ((2, 2, 3), (3,)), ((3,), (2, 3, 4)),
                 ((2, 3), (2, 3, 4)), ((2, 1, 2, 3), (3, 3, 2)), ((2, 2, 3), (2, 3, 2)), ((0, 2, 3), (3, 2))):
        call("aten::matmul", draw(*a), draw(*b))
    for x in ((2, 3), (2, 2, 3), (3,), (2, 1, 2, 3)):
        call("aten::linear", draw(*x), draw(4, 3), draw(4))
        call("aten::linear", draw(*x), draw(4, 3))
    call("aten::tensordot", draw(2, 3, 4), draw(4, 5, 3), [1, 2], [2, 0])
    call("aten::chain_matmul", [draw(2, 3), draw(3, 5), draw(5, 2)])
    call("aten::linalg_multi_dot", [draw(3), draw(3, 5), draw(5, 2)])
    for equation, shapes in (("ij,jk->ik", ((2, 3), (3, 4))), ("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))), ("ii->i", ((3, 3),)), ("ii", ((3, 3),)),
                             ("...ij->...ji", ((2, 3, 2),)), ("i,j,k->kij", ((2,), (3,), (2,))), ("ij,ij", ((2, 3), (2, 3))),
                             ("bhqd,bhkd->bhqk", ((1, 2, 3, 2), (1, 2, 2, 2))), ("...i,...i->...", ((2, 3), (2, 3))), ("ij->j", ((2, 3),)),
                             ("ij,j->ij", ((2, 3), (1,))), ("bn,anm,bm->ba", ((2, 3), (4, 3, 2), (2, 2)))):
        call("aten::einsum", equation, [draw(*s) for s in shapes], None)
    wrong = [("mm", draw(2, 3), draw(4, 5)), ("mm", draw(2, 3, 1), draw(4, 5)), ("mm", draw(2, 3), draw(4)),
             ("mm", draw(2, 3), draw(3, 5, dtype=torch.float64)), ("mm", draw(2, 3).detach().bool(), draw(3, 2).detach().bool()),
             ("addmm", draw(4), draw(2, 3), draw(3, 5)), ("addmm", draw(5, dtype=torch.float64), draw(2, 3), draw(3, 5)),
             ("bmm", draw(2, 3), draw(2, 3, 4)), ("bmm", draw(2, 3, 4), draw(2, 3, 4)), ("baddbmm", draw(7), draw(2, 3, 4), draw(2, 4, 4)),
             ("matmul", draw(3), draw(4)), ("matmul", draw(3), draw(4, 2)), ("matmul", draw(3, 2), draw(4)), ("matmul", draw(2, 3, 4), draw(3, 4, 5)),
             ("matmul", draw(3, 2), torch.tensor(1.0)), ("mv", draw(3, 2), draw(4)), ("dot", draw(3), draw(4)), ("dot", draw(3, 1), draw(4)),
             ("dot", draw(3), draw(3, dtype=torch.float64)), ("outer", draw(3), draw(4, 1)), ("linear", draw(2, 3), draw(4, 5), draw(4)),
             ("linear", draw(2, 5), draw(4, 5), draw(3)), ("einsum", "ij,jk->ik", [draw(3, 4), draw(5, 4)]), ("einsum", "ij,jk->ik", [draw(3, 4)]),
             ("einsum", "ij,jk->iz", [draw(3, 4), draw(4, 4)]), ("einsum", "ijk,jk->i", [draw(3, 4), draw(4, 4)])]
    for name, *args in wrong:
        c.call("aten::" + name, *args)
