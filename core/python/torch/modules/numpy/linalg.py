# SPDX-License-Identifier: Apache-2.0
import torch
from numpy._array import ndarray, _floats, _result


class LinAlgError(ValueError):
    pass


def _matrix(a):
    return _floats(a)


def _one(function):
    def apply(a, *args, **kwargs):
        return _result(function(_matrix(a), *args, **kwargs))
    return apply


inv, det, pinv, cholesky, matrix_rank = map(_one, (torch.linalg.inv, torch.linalg.det, torch.linalg.pinv, torch.linalg.cholesky,
                                                   torch.linalg.matrix_rank))
eigvals, eigvalsh = _one(torch.linalg.eigvals), _one(torch.linalg.eigvalsh)


def matrix_power(a, n):
    return _result(torch.linalg.matrix_power(_matrix(a), n))


def norm(x, ord=None, axis=None, keepdims=False):
    t = _matrix(x)
    if ord is None and axis is None:
        made = torch.linalg.vector_norm(t)
        return _result(made.reshape([1] * t.dim()) if keepdims else made)
    return _result(torch.linalg.norm(t, ord, dim=axis, keepdim=keepdims))


def _several(values):
    return tuple(_result(each) for each in values)


def svd(a, full_matrices=True, compute_uv=True):
    if not compute_uv:
        return _result(torch.linalg.svdvals(_matrix(a)))
    return _several(torch.linalg.svd(_matrix(a), full_matrices))


def qr(a, mode='reduced'):
    made = torch.linalg.qr(_matrix(a), mode)
    return _result(made[1]) if mode == 'r' else _several(made)


def eig(a):
    values, vectors = torch.linalg.eig(_matrix(a))
    if (values.imag == 0).all():
        values, vectors = values.real, vectors.real
    return _several((values, vectors))


def eigh(a, UPLO='L'):
    return _several(torch.linalg.eigh(_matrix(a), UPLO))


def slogdet(a):
    return _several(torch.linalg.slogdet(_matrix(a)))


def solve(a, b):
    return _result(torch.linalg.solve(_matrix(a), _matrix(b)))


def lstsq(a, b, rcond=None):
    b = _matrix(b)
    found = torch.linalg.lstsq(_matrix(a), b.unsqueeze(1) if b.dim() == 1 else b)
    solution = found.solution.squeeze(1) if b.dim() == 1 else found.solution
    return _result(solution), _result(found.residuals), int(matrix_rank(a)), _result(torch.linalg.svdvals(_matrix(a)))


def multi_dot(arrays):
    return _result(torch.linalg.multi_dot([_matrix(each) for each in arrays]))
