# SPDX-License-Identifier: Apache-2.0
# Gauss quadrature by the eigenvalues of the Jacobi matrix (Golub and Welsch 1969).
import torch
from numpy._array import ndarray


def nodes_and_weights(beside_diagonal, total):
    """beside_diagonal: what stands beside the zero diagonal; total: the integral of the weight function."""
    matrix = torch.diag(beside_diagonal, 1) + torch.diag(beside_diagonal, -1)
    nodes, vectors = torch.linalg.eigh(matrix)
    nodes = (nodes - nodes.flip(0)) / 2
    weights = vectors[0] ** 2
    weights = (weights + weights.flip(0)) / 2
    return ndarray._of(nodes), ndarray._of(weights * (total / weights.sum()))
