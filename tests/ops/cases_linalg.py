# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: results, strides, gradients and refusals. Matrices in float64, so that gradients can be held closely."""
import torch

F, C = torch.float64, torch.complex128
DTYPES = (F, C)
INF = float("inf")


def draw(*sizes, dtype=F, grad=True, seed=0):
    torch.manual_seed(1000 * seed + torch.Size(sizes).numel())
    return torch.randn(sizes, dtype=dtype).requires_grad_(grad)


def regular(*sizes, dtype=F, grad=True, seed=0):
    x = draw(*sizes, dtype=dtype, grad=False, seed=seed)
    return (x + 3 * torch.eye(sizes[-1], dtype=dtype)).requires_grad_(grad)


def hermitian(*sizes, dtype=F, grad=True, seed=0):
    x = draw(*sizes, dtype=dtype, grad=False, seed=seed)
    return (x + x.mH).contiguous().resolve_conj().requires_grad_(grad)


def positive(*sizes, dtype=F, grad=True):
    x = draw(*sizes, dtype=dtype, grad=False)
    return (x @ x.mH + torch.eye(sizes[-1], dtype=dtype)).resolve_conj().contiguous().requires_grad_(grad)


def call(c, op, *args, grads=True, strides=True, tolerance=1e-9, **more):
    try:
        c.call("aten::" + op, *args, grads=grads, strides=strides, tolerance=tolerance, **more)
    except RuntimeError as error:  # PyTorch's derivative fails: the values alone
        print(op, [tuple(a.shape) if isinstance(a, torch.Tensor) else a for a in args], str(error)[:100])
        args = [a.detach() if isinstance(a, torch.Tensor) else a for a in args]
        c.call("aten::" + op, *args, strides=strides, tolerance=tolerance, **more)


def still(c, op, *args, **more):
    call(c, op, *args, grads=False, **more)


SINGULAR = torch.zeros(3, 3, dtype=F)
HALF_SINGULAR = torch.stack([torch.eye(3, dtype=F), torch.zeros(3, 3, dtype=F)])


def lu(c):
    for dtype in DTYPES:
        for sizes in ((3, 3), (4, 2), (2, 4), (2, 3, 3), (2, 0, 3), (0, 3, 3)):
            a = draw(*sizes, dtype=dtype)
            call(c, "linalg_lu_factor", a)
            call(c, "linalg_lu", a)
            still(c, "linalg_lu_factor_ex", a.detach())
        LU, pivots = torch.linalg.lu_factor(regular(2, 3, 3, dtype=dtype, grad=False))
        for left in (True, False):
            for adjoint in (True, False):
                call(c, "linalg_lu_solve", LU.contiguous().requires_grad_(), pivots, draw(2, 3, 3, dtype=dtype), left, adjoint)
                call(c, "linalg_lu_solve", LU[0].clone().requires_grad_(), pivots[0], draw(2, 3, 3, dtype=dtype), left, adjoint)
        call(c, "lu_solve", draw(2, 3, 1, dtype=dtype), LU.contiguous().requires_grad_(), pivots)
    LU, pivots, _ = torch.linalg.lu_factor_ex(draw(2, 4, 3, grad=False))
    for data, order in ((True, True), (False, True), (True, False)):
        call(c, "lu_unpack", LU.contiguous().requires_grad_(data), pivots, data, order, grads=data)
    still(c, "linalg_lu_factor", SINGULAR)
    still(c, "linalg_lu_factor", HALF_SINGULAR)
    still(c, "linalg_lu_factor", draw(3, 3, grad=False), False)
    still(c, "linalg_lu_factor", draw(3, grad=False))
    still(c, "linalg_lu", draw(3, grad=False))
    still(c, "linalg_lu_solve", draw(3, 2, grad=False), pivots[0], draw(3, 2, grad=False))
    still(c, "linalg_lu_solve", draw(3, 3, grad=False), pivots[0], draw(2, 2, grad=False))
    still(c, "linalg_lu_solve", draw(3, 3, grad=False), pivots[0].long(), draw(3, 2, grad=False))
    still(c, "linalg_lu_solve", draw(3, 3, grad=False), pivots[0][:2].clone(), draw(3, 2, grad=False))
    still(c, "linalg_lu_solve", draw(3, 3, grad=False), pivots[0], draw(3, 2, grad=False, dtype=C))
    still(c, "lu_unpack", draw(3, 3, grad=False), pivots[0].long())
    for wrong in ([1, 2, 4], [0, 1, 2]):
        still(c, "lu_unpack", draw(3, 3, grad=False), torch.tensor(wrong, dtype=torch.int32), error="pivots passed to lu_unpack must be between 1 and")
        still(c, "linalg_lu_solve", draw(3, 3, grad=False), torch.tensor(wrong, dtype=torch.int32), draw(3, 1, grad=False),
              error="pivots must be between 1 and 3 inclusive")
    still(c, "lu_unpack", draw(2, 3, 3, grad=False), torch.tensor([1, 2, 3], dtype=torch.int32), error="do not fit LU_data of shape [2, 3, 3]")
    still(c, "_lu_with_info", draw(3, 3, grad=False))


def systems(c):
    for dtype in DTYPES:
        for left in (True, False):
            for a, b in (((3, 3), (3, 3)), ((2, 3, 3), (3, 3)), ((3, 3), (2, 3, 3)), ((2, 1, 3, 3), (4, 3, 3)), ((0, 0), (0, 0))):
                call(c, "linalg_solve", regular(*a, dtype=dtype), draw(*b, dtype=dtype), left)
            for upper in (True, False):
                for unit in (True, False):
                    call(c, "linalg_solve_triangular", regular(2, 3, 3, dtype=dtype), draw(3, 3, dtype=dtype), upper, left, unit)
        call(c, "linalg_solve", regular(3, 3, dtype=dtype), draw(3, dtype=dtype))
        call(c, "linalg_solve", regular(2, 3, 3, dtype=dtype), draw(2, 3, dtype=dtype))
        for upper in (True, False):
            for transpose in (True, False):
                call(c, "triangular_solve", draw(3, 2, dtype=dtype), regular(2, 3, 3, dtype=dtype), upper, transpose, upper == transpose)
        for op in ("linalg_inv", "inverse", "linalg_inv_ex"):
            call(c, op, regular(2, 3, 3, dtype=dtype))
        call(c, "linalg_inv", regular(0, 0, dtype=dtype))
        call(c, "linalg_tensorinv", regular(6, 6, dtype=dtype, grad=False).reshape(2, 3, 6).requires_grad_())
        call(c, "linalg_tensorinv", regular(6, 6, dtype=dtype, grad=False).reshape(6, 3, 2).requires_grad_(), 1)
        call(c, "linalg_tensorsolve", regular(6, 6, dtype=dtype, grad=False).reshape(2, 3, 6).requires_grad_(), draw(2, 3, dtype=dtype))
        call(c, "linalg_tensorsolve", regular(6, 6, dtype=dtype, grad=False).reshape(6, 2, 3).requires_grad_(), draw(2, 3, dtype=dtype), [0])
    for a in (SINGULAR, HALF_SINGULAR):
        for op in ("linalg_inv", "linalg_inv_ex", "inverse"):
            still(c, op, a)
        still(c, "linalg_inv_ex", a, True)
        still(c, "linalg_solve", a, a)
        still(c, "linalg_solve_ex", a, a, True, True)
    still(c, "linalg_solve_ex", HALF_SINGULAR, draw(3, 1, grad=False), tolerance=0)
    still(c, "linalg_solve", regular(3, 3, grad=False), draw(2, 2, grad=False))
    still(c, "linalg_solve", regular(3, 3, grad=False), draw(2, 2, grad=False), False)
    still(c, "linalg_solve", regular(3, 3, grad=False), draw(3, grad=False), False)
    still(c, "linalg_solve", regular(3, 3, grad=False), draw(3, 3, grad=False, dtype=C))
    still(c, "linalg_solve", draw(3, 2, grad=False), draw(3, 2, grad=False))
    still(c, "linalg_solve", torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64))
    still(c, "linalg_inv", draw(3, 2, grad=False))
    still(c, "linalg_inv", torch.ones(2, 2, dtype=torch.bfloat16))
    still(c, "linalg_solve_triangular", draw(3, 3, grad=False), draw(2, 2, grad=False), True)
    still(c, "linalg_solve_triangular", draw(3, grad=False), draw(3, 2, grad=False), True)
    still(c, "triangular_solve", draw(3, grad=False), draw(3, 3, grad=False))
    still(c, "triangular_solve", draw(3, 2, grad=False), draw(3, 2, grad=False))
    still(c, "triangular_solve", draw(2, 2, grad=False), draw(3, 3, grad=False))
    still(c, "linalg_tensorinv", draw(2, 3, grad=False))
    still(c, "linalg_tensorinv", draw(2, 2, grad=False), 0)
    still(c, "linalg_tensorsolve", draw(2, 3, grad=False), draw(2, grad=False))


def determinants(c):
    for dtype in DTYPES:
        for a in (draw(3, 3, dtype=dtype), draw(2, 2, 2, dtype=dtype), draw(0, 0, dtype=dtype), draw(2, 0, 0, dtype=dtype), draw(1, 1, dtype=dtype)):
            call(c, "linalg_det", a)
            call(c, "det", a)
            call(c, "linalg_slogdet", a)
            call(c, "slogdet", a)
            call(c, "logdet", a)
        rank_two = draw(3, 2, dtype=dtype, grad=False) @ draw(2, 3, dtype=dtype, grad=False)
        still(c, "linalg_slogdet", rank_two * 0)
    call(c, "linalg_det", SINGULAR.clone().requires_grad_())
    call(c, "linalg_det", HALF_SINGULAR.clone().requires_grad_())
    still(c, "logdet", HALF_SINGULAR)
    for op in ("linalg_det", "linalg_slogdet", "logdet"):
        still(c, op, draw(3, 2, grad=False))
        still(c, op, draw(3, grad=False))
        still(c, op, torch.ones(2, 2, dtype=torch.int64))
    still(c, "logdet", torch.ones(2, 2, dtype=torch.bfloat16))


def cholesky(c):
    for dtype in DTYPES:
        for upper in (True, False):
            for sizes in ((3, 3), (2, 3, 3), (0, 0), (2, 0, 0)):
                for op in ("cholesky", "linalg_cholesky", "linalg_cholesky_ex"):
                    call(c, op, positive(*sizes, dtype=dtype), upper)
            factor = torch.linalg.cholesky(positive(2, 3, 3, dtype=dtype, grad=False), upper=upper).contiguous()
            call(c, "cholesky_inverse", factor.clone().requires_grad_(), upper)
            call(c, "cholesky_inverse", factor[0].clone().requires_grad_(), upper)
            call(c, "cholesky_solve", draw(3, 2, dtype=dtype), factor.clone().requires_grad_(), upper)
            call(c, "cholesky_solve", draw(2, 2, 3, 1, dtype=dtype), factor.clone().requires_grad_(), upper)
    bad = -torch.eye(3, dtype=F)
    for a in (bad, torch.stack([torch.eye(3, dtype=F), bad])):
        still(c, "cholesky", a)
        still(c, "linalg_cholesky", a)
        still(c, "linalg_cholesky_ex", a, False, True)
    still(c, "cholesky_inverse", SINGULAR)
    for op in ("cholesky", "linalg_cholesky", "cholesky_inverse"):
        still(c, op, draw(3, 2, grad=False))
        still(c, op, draw(3, grad=False))
    still(c, "cholesky", torch.zeros(0, 3, dtype=F))
    still(c, "cholesky_solve", draw(3, grad=False), draw(3, 3, grad=False))
    still(c, "cholesky_solve", draw(3, 1, grad=False), draw(2, 2, grad=False))
    still(c, "cholesky_solve", draw(3, 1, grad=False), draw(3, 2, grad=False))


def ldl(c):
    for dtype in DTYPES:
        for is_hermitian in (False, True):
            for sizes in ((3, 3), (2, 3, 3), (0, 0)):
                a = hermitian(*sizes, dtype=dtype, grad=False)
                if not is_hermitian:
                    a = (a + a.mT).contiguous()
                still(c, "linalg_ldl_factor_ex", a, is_hermitian)
                still(c, "linalg_ldl_factor", a, is_hermitian)
            LD, pivots = torch.linalg.ldl_factor(hermitian(2, 3, 3, dtype=dtype, grad=False), hermitian=is_hermitian)
            still(c, "linalg_ldl_solve", LD.contiguous(), pivots, draw(3, 2, dtype=dtype, grad=False), is_hermitian)
    for wrong in ([1, 2, 4], [1, 2, -3], [-2, 1, 3], [-2, -9, 3]):
        still(c, "linalg_ldl_solve", draw(3, 3, grad=False), torch.tensor(wrong, dtype=torch.int32), draw(3, 1, grad=False),
              error="pivots must be between 1 and 3 inclusive, or negative in pairs")
    still(c, "linalg_ldl_factor", draw(3, 2, grad=False))
    still(c, "linalg_ldl_solve", draw(3, 3, grad=False), torch.ones(2, dtype=torch.int32), draw(3, 1, grad=False))
    still(c, "linalg_ldl_solve", draw(3, 3, grad=False), torch.ones(3, dtype=torch.int32), draw(2, 1, grad=False))


def qr(c):
    for dtype in DTYPES:
        for sizes in ((4, 3), (3, 3), (2, 4), (2, 3, 2), (0, 3), (3, 0), (2, 0, 0)):
            for mode in ("reduced", "complete", "r"):
                differentiable = mode == "reduced" or (mode == "complete" and sizes[-2] <= sizes[-1])
                call(c, "linalg_qr", draw(*sizes, dtype=dtype, grad=differentiable), mode, grads=differentiable)
            still(c, "qr", draw(*sizes, dtype=dtype, grad=False), False)
            still(c, "geqrf", draw(*sizes, dtype=dtype, grad=False))
        for sizes, k in (((4, 3), 3), ((2, 3, 3), 2), ((3, 2), 0)):
            tau = draw(*sizes[:-2], k, dtype=dtype)
            for op in ("linalg_householder_product", "orgqr"):
                call(c, op, draw(*sizes, dtype=dtype), tau)
        for left in (True, False):
            for transpose in (True, False):
                other = draw(2, 4, 2, dtype=dtype, grad=False) if left else draw(2, 2, 4, dtype=dtype, grad=False)
                still(c, "ormqr", draw(2, 4, 3, dtype=dtype, grad=False), draw(2, 3, dtype=dtype, grad=False), other, left, transpose)
    still(c, "linalg_qr", draw(3, 3, grad=False), "full")
    still(c, "linalg_qr", draw(3, grad=False))
    still(c, "geqrf", draw(3, grad=False))
    still(c, "linalg_householder_product", draw(2, 3, grad=False), draw(2, grad=False))
    still(c, "linalg_householder_product", draw(3, 2, grad=False), draw(3, grad=False))
    still(c, "linalg_householder_product", draw(2, 3, 2, grad=False), draw(2, grad=False))
    still(c, "linalg_householder_product", draw(2, 3, 2, grad=False), draw(3, 2, grad=False))
    still(c, "linalg_householder_product", draw(3, 2, grad=False), draw(2, grad=False, dtype=C))
    still(c, "ormqr", draw(3, grad=False), draw(3, grad=False), draw(3, 3, grad=False))
    still(c, "ormqr", draw(3, 2, grad=False), draw(2, grad=False), draw(2, 3, grad=False))
    still(c, "ormqr", draw(3, 2, grad=False), draw(2, grad=False), draw(2, 3, 3, grad=False))


def singular_values(c):
    for dtype in DTYPES:
        for sizes in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (0, 3), (3, 0), (0, 2, 2)):
            for full in (True, False):
                still(c, "linalg_svd", draw(*sizes, dtype=dtype, grad=False), full)
                still(c, "svd", draw(*sizes, dtype=dtype, grad=False), full)
            still(c, "svd", draw(*sizes, dtype=dtype, grad=False), True, False)
            call(c, "linalg_svdvals", draw(*sizes, dtype=dtype))
    for sizes in ((3, 3), (4, 2), (2, 4), (2, 3, 2)):
        call(c, "linalg_svd", draw(*sizes), False)
        call(c, "linalg_svd", draw(*sizes), True)
        call(c, "svd", draw(*sizes))
    still(c, "linalg_svd", torch.full((2, 2), float("nan"), dtype=F))
    still(c, "linalg_svd", draw(3, grad=False))
    still(c, "linalg_svd", torch.ones(2, 2, dtype=torch.int64))
    still(c, "linalg_svd", draw(3, 3, grad=False), True, "gesvd")


def eigen(c):
    for dtype in DTYPES:
        for sizes in ((3, 3), (2, 3, 3), (0, 0), (2, 0, 0)):
            a = hermitian(*sizes, dtype=dtype)
            for half in ("L", "U", "l"):
                still(c, "linalg_eigh", a.detach(), half)
                call(c, "linalg_eigvalsh", a, half)
            for vectors in (True, False):
                for upper in (True, False):
                    still(c, "symeig", a.detach(), vectors, upper, strides=vectors)
            still(c, "linalg_eig", draw(*sizes, dtype=dtype, grad=False))
            call(c, "linalg_eigvals", draw(*sizes, dtype=dtype))
    call(c, "linalg_eigh", hermitian(2, 3, 3), "U")
    call(c, "symeig", hermitian(2, 3, 3), True)
    still(c, "linalg_eigh", draw(3, 3, grad=False), "X")
    still(c, "linalg_eigh", draw(3, 2, grad=False))
    still(c, "linalg_eig", draw(3, 2, grad=False))
    still(c, "linalg_eig", torch.full((2, 2), INF, dtype=F))
    still(c, "linalg_eig", torch.ones(2, 2, dtype=torch.int64))
    still(c, "linalg_eigvals", draw(3, grad=False))


def least_squares(c):
    for dtype in DTYPES:
        for driver in (None, "gels", "gelsy", "gelsd", "gelss"):
            for a, b in (((4, 2), (4, 3)), ((2, 4), (2, 1)), ((2, 4, 2), (2, 4, 3)), ((3, 3), (3, 1)), ((2, 4, 3), (2, 4)), ((4, 2), (4,))):
                differentiable = driver in (None, "gels") and len(a) == len(b)
                call(c, "linalg_lstsq", draw(*a, dtype=dtype, grad=differentiable), draw(*b, dtype=dtype, grad=differentiable), None, driver,
                     grads=differentiable)
    ones = torch.ones(4, 2, dtype=F)
    for driver in ("gelsy", "gelsd", "gelss"):
        still(c, "linalg_lstsq", ones, draw(4, 1, grad=False), None, driver, strides=False)
        if driver != "gelsy":  # whose first exchanges PyTorch leaves to chance
            still(c, "linalg_lstsq", draw(4, 3, grad=False), draw(4, 1, grad=False), 0.9, driver, strides=False)
    still(c, "linalg_lstsq", draw(4, 2, grad=False), draw(3, 1, grad=False))
    still(c, "linalg_lstsq", draw(4, 2, grad=False), draw(3, grad=False))
    still(c, "linalg_lstsq", draw(4, 2, grad=False), draw(2, 4, 1, grad=False))
    still(c, "linalg_lstsq", draw(4, grad=False), draw(4, grad=False))
    still(c, "linalg_lstsq", draw(4, 2, grad=False), draw(4, 1, grad=False), None, "svd")
    still(c, "linalg_lstsq", draw(4, 2, grad=False), draw(4, 1, grad=False, dtype=C))


def by_singular_values(c):
    for dtype in DTYPES:
        for sizes in ((3, 3), (4, 2), (2, 2, 3), (0, 3), (2, 0, 0)):
            a = draw(*sizes, dtype=dtype)
            call(c, "linalg_pinv.atol_rtol_float", a)
            call(c, "linalg_pinv.atol_rtol_float", a, 0.5, None)
            call(c, "linalg_pinv.atol_rtol_tensor", a, None, torch.tensor(0.3, dtype=F))
            call(c, "linalg_pinv", a, 0.2)
            call(c, "pinverse", a)
            still(c, "linalg_matrix_rank.atol_rtol_float", a.detach())
            still(c, "linalg_matrix_rank.atol_rtol_float", a.detach(), 1.0, None)
            still(c, "linalg_matrix_rank.atol_rtol_tensor", a.detach(), torch.tensor(1.5, dtype=F), None)
            still(c, "linalg_matrix_rank", a.detach(), 1.2)
            still(c, "linalg_matrix_rank.tol_tensor", a.detach(), torch.tensor(1.2, dtype=F))
            call(c, "linalg_cond", a)
            call(c, "linalg_cond", a, -2)
        batch = draw(2, 3, 3, dtype=dtype)
        still(c, "linalg_matrix_rank.atol_rtol_tensor", batch.detach(), torch.tensor([0.5, 2.0], dtype=F), torch.tensor([0.1, 0.0], dtype=F))
        call(c, "linalg_pinv.rcond_tensor", batch, torch.tensor([0.5, 0.1], dtype=F))
        call(c, "linalg_pinv.atol_rtol_float", hermitian(2, 3, 3, dtype=dtype), None, None, True)
        still(c, "linalg_matrix_rank.atol_rtol_float", hermitian(2, 3, 3, dtype=dtype, grad=False), 2.0, 0.0, True)
        for p in (1, -1, INF, -INF):
            call(c, "linalg_cond", batch, p)
        for p in ("fro", "nuc"):
            call(c, "linalg_cond.p_str", batch, p)
    for p in (1, 2, INF):
        still(c, "linalg_cond", HALF_SINGULAR, p)
    still(c, "linalg_cond", draw(3, 2, grad=False), 1)
    still(c, "linalg_cond", draw(3, 2, grad=False), INF)
    still(c, "linalg_cond", draw(3, 3, grad=False), 3)
    still(c, "linalg_cond", draw(3, grad=False))
    still(c, "linalg_cond.p_str", draw(3, 2, grad=False), "fro")
    still(c, "linalg_cond.p_str", draw(3, 3, grad=False), "frob")
    still(c, "linalg_pinv", draw(3, grad=False), 0.1)
    still(c, "linalg_matrix_rank", draw(3, grad=False), 0.1)


def norms(c):
    for dtype in DTYPES:
        a = draw(2, 3, 4, dtype=dtype)
        for p in (1, -1, 2, -2, INF, -INF):
            for dims in ([-2, -1], [0, 1], [2, 0]):
                for keep in (True, False):
                    call(c, "linalg_matrix_norm", a, p, dims, keep)
            call(c, "linalg_norm", draw(3, 4, dtype=dtype), p)
            call(c, "linalg_norm", a, p, [1], True)
            call(c, "linalg_norm", a, p, [0, 2])
        for p in ("fro", "nuc"):
            for dims in ([-2, -1], [2, 0]):
                for keep in (True, False):
                    call(c, "linalg_matrix_norm.str_ord", a, p, dims, keep)
            call(c, "linalg_norm.ord_str", draw(3, 4, dtype=dtype), p)
        call(c, "linalg_norm", a)
        call(c, "linalg_norm", a, None, [1, 2], True)
        call(c, "nuclear_norm", draw(3, 4, dtype=dtype))
        call(c, "nuclear_norm", draw(3, 4, dtype=dtype), True)
        call(c, "nuclear_norm.dim", a, [2, 0])
        call(c, "nuclear_norm.dim", a, [0, 1], True)
    x = draw(3, 4, grad=False).float()
    still(c, "linalg_matrix_norm", x, 1, [-2, -1], False, F)
    still(c, "linalg_matrix_norm", x, 2, [-2, -1], False, F)
    still(c, "linalg_matrix_norm.str_ord", x, "nuc", [-2, -1], False, F)
    still(c, "linalg_norm", x, None, None, False, F)
    for args in ((3,), (1, [0]), (1, [0, 0]), (1, [0, 5]), (1, [-2, -1], False, torch.int64), (1, [-2, -1], False, C), (1, [-2, -1], False, torch.float16)):
        still(c, "linalg_matrix_norm", x, *args)
    still(c, "linalg_matrix_norm.str_ord", x, "max")
    still(c, "linalg_matrix_norm", x[0].clone(), 1)
    still(c, "linalg_matrix_norm", x.long(), 1)
    still(c, "linalg_matrix_norm", x.bfloat16(), 2)
    still(c, "linalg_norm", x.reshape(1, 3, 4), 2)
    still(c, "linalg_norm", x, 2, [0, 1, 1])
    still(c, "nuclear_norm", x[0].clone())
    still(c, "nuclear_norm.dim", x, [0])
    still(c, "linalg_matrix_norm", x[:0].clone(), 1)


def powers(c):
    for dtype in DTYPES:
        for n in (-3, -1, 0, 1, 2, 3, 4, 7):
            call(c, "linalg_matrix_power", regular(2, 3, 3, dtype=dtype), n)
        call(c, "matrix_power", regular(3, 3, dtype=dtype), 2)
        for scale in (1e-9, 0.1, 1.0, 10.0):
            call(c, "linalg_matrix_exp", (draw(2, 3, 3, dtype=dtype, grad=False) * scale).requires_grad_())
        call(c, "matrix_exp", draw(1, 1, dtype=dtype))
        call(c, "matrix_exp", draw(0, 0, dtype=dtype))
    still(c, "linalg_matrix_power", torch.tensor([[1, 2], [3, 4]]), 5)
    still(c, "linalg_matrix_power", SINGULAR, -1)
    for op in (lambda *a: still(c, "linalg_matrix_power", *a, 2), lambda *a: still(c, "linalg_matrix_exp", *a)):
        op(draw(3, 2, grad=False))
        op(draw(3, grad=False))
    still(c, "linalg_matrix_exp", torch.ones(2, 2, dtype=torch.int64))


def vectors(c):
    for dtype in DTYPES:
        call(c, "linalg_cross", draw(2, 3, dtype=dtype), draw(2, 3, dtype=dtype, seed=1))
        call(c, "linalg_cross", draw(3, 1, 2, dtype=dtype), draw(3, 4, 2, dtype=dtype), 0)
        call(c, "cross", draw(3, 3, dtype=dtype), draw(3, 3, dtype=dtype, seed=1))
        call(c, "cross", draw(2, 3, 3, dtype=dtype), draw(2, 3, 3, dtype=dtype, seed=1), 2)
        call(c, "linalg_vecdot", draw(2, 3, dtype=dtype), draw(2, 3, dtype=dtype, seed=1))
        call(c, "linalg_vecdot", draw(2, 3, dtype=dtype), draw(2, 3, dtype=dtype, seed=1), 0)
        call(c, "linalg_vecdot", draw(2, 1, 3, dtype=dtype), draw(4, 3, dtype=dtype, seed=1))
        call(c, "linalg_vander", draw(2, 3, dtype=dtype))
        call(c, "linalg_vander", draw(2, 3, dtype=dtype), 5)
    still(c, "linalg_vander", torch.tensor([1, 2, 3], dtype=torch.int32), 4)
    still(c, "linalg_vander", torch.tensor(2.0), 3)
    still(c, "linalg_vander", torch.tensor([1.0]))
    still(c, "linalg_vander", torch.tensor([True, False]))
    still(c, "linalg_cross", torch.tensor([1, 2, 3]), torch.tensor([4, 5, 7]))
    still(c, "linalg_cross", draw(2, 3, grad=False), draw(3, grad=False))
    still(c, "linalg_cross", draw(2, 2, grad=False), draw(2, 2, grad=False))
    still(c, "cross", draw(2, 2, grad=False), draw(2, 2, grad=False))
    still(c, "linalg_vecdot", torch.tensor([1, 2, 3]), torch.tensor([4, 5, 7]))
    still(c, "linalg_vecdot", draw(3, grad=False), draw(4, grad=False))


def distances(c):
    for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF):
        call(c, "cdist", draw(2, 3, 4), draw(5, 4), p)
        call(c, "pdist", draw(4, 3), p)
        same = torch.tensor([[0.0, 1.0], [0.0, 1.0], [2.0, 1.0]], dtype=F)
        call(c, "cdist", same.clone().requires_grad_(), same.clone().requires_grad_(), p)
        call(c, "pdist", same.clone().requires_grad_(), p)
    for mode in (0, 1, 2):
        call(c, "cdist", draw(3, 4), draw(2, 5, 4), 2.0, mode)
    call(c, "cdist", draw(30, 4), draw(2, 4))
    for a, b in (((0, 4), (2, 4)), ((3, 4), (0, 4)), ((3, 0), (2, 0)), ((0, 3, 4), (2, 4))):
        still(c, "cdist", draw(*a, grad=False), draw(*b, grad=False))
    for sizes in ((1, 3), (0, 3), (3, 0)):
        still(c, "pdist", draw(*sizes, grad=False))
    x = draw(3, 4, grad=False)
    for args in ((x[0].clone(), x), (x, x[0].clone()), (x, draw(2, 3, grad=False)), (x.long(), x), (x, x.long()), (x, x, -1.0), (x, x, 2.0, 3)):
        still(c, "cdist", *args)
    still(c, "cdist", x, x.float(), error="expected scalar type Double but found Float")
    still(c, "_cdist_backward", x, x, x, 2.0, x, error="_cdist_backward: expected Double[3, 3] but found Double[3, 4]")
    still(c, "_pdist_backward", x, x, 2.0, x, error="_pdist_backward: expected Double[3] but found Double[3, 4]")
    for args in ((x[0].clone(),), (x.long(),), (x, -1.0)):
        still(c, "pdist", *args)


def three_tensors(c):
    call(c, "bilinear", draw(2, 3), draw(2, 4), draw(5, 3, 4), draw(5))
    call(c, "bilinear", draw(2, 2, 3), draw(2, 2, 4), draw(5, 3, 4))
    call(c, "bilinear", draw(3), draw(4), draw(5, 3, 4), draw(5))
    call(c, "_trilinear", draw(2, 3), draw(5, 3, 4), draw(2, 4), [1, 3], [0], [1, 2], [2, 3])
    call(c, "_trilinear", draw(2, 3), draw(3, 4), draw(2, 4), [2], [0], [1], [1, 2], 0)
    for a, b, w, bias in (((2, 3), (2, 1, 4), (5, 3, 4), 5), ((2, 3), (3, 4), (5, 3, 4), 5), ((2, 2), (2, 4), (5, 3, 4), 5), ((2, 3), (2, 3), (5, 3, 4), 5),
                          ((2, 3), (2, 4), (5, 3, 4), 4)):
        still(c, "bilinear", draw(*a, grad=False), draw(*b, grad=False), draw(*w, grad=False), draw(bias, grad=False))


def into_tensors(c):
    def out(*sizes, dtype=F):
        return torch.zeros(sizes, dtype=dtype)

    a = regular(3, 3, grad=False)
    for op in ("linalg_inv.out", "inverse.out", "linalg_cholesky.out", "linalg_pinv.atol_rtol_float_out"):
        x = positive(3, 3, grad=False)
        extra = {"linalg_cholesky.out": (False,), "linalg_pinv.atol_rtol_float_out": (None, None, False)}.get(op, ())
        still(c, op, x, *extra, out(3, 3), strides=False)
        still(c, op, x, *extra, out(3, 3, dtype=torch.float32), strides=False)
    still(c, "linalg_solve.out", a, draw(3, 2, grad=False), True, out(3, 2))
    still(c, "linalg_det.out", a, out(), strides=False)
    still(c, "linalg_slogdet.out", a, out(), out(), strides=False)
    still(c, "linalg_svd.U", a, True, None, out(3, 3), out(3), out(3, 3))
    still(c, "linalg_eigh.eigvals", hermitian(3, 3, grad=False), "L", out(3), out(3, 3))
    still(c, "linalg_qr.out", a, "reduced", out(3, 3), out(3, 3))
    still(c, "linalg_lu_factor.out", a, True, out(3, 3), torch.zeros(3, dtype=torch.int32))
    still(c, "linalg_inv_ex.inverse", a, False, out(3, 3), torch.zeros((), dtype=torch.int32))
    still(c, "linalg_norm.out", a, None, None, False, None, out())
    still(c, "linalg_vecdot.out", a, a, -1, out(3))
    for op in ("matmul.out", "kron.out", "inner.out"):
        still(c, op, a, a, torch.zeros(0, dtype=F), strides=False)
    still(c, "trace.out", a, out())
    still(c, "linalg_lu_solve.out", *torch.linalg.lu_factor(a), draw(3, 2, grad=False), True, False, out(3, 2))


def add(c):
    for part in (lu, systems, determinants, cholesky, ldl, qr, singular_values, eigen, least_squares, by_singular_values, norms, powers, vectors,
                 distances, three_tensors, into_tensors):
        part(c)
