// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/tolerance.h"

#include <algorithm>
#include <array>

namespace loupe::conformance {
namespace {

// Results of long sums: matrix products and what is made of them, convolutions, decompositions.
constexpr std::array kLongSums = std::to_array<std::string_view>({
    "__rmatmul__",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "cdist",
    "cholesky",
    "corrcoef",
    "cov",
    "dot",
    "einsum",
    "geqrf",
    "inner",
    "istft",
    "logdet",
    "lu",
    "lu_solve",
    "lu_unpack",
    "matmul",
    "matrix_exp",
    "mm",
    "mv",
    "nn.functional._scaled_dot_product_attention",
    "nn.functional.bilinear",
    "nn.functional.linear",
    "nn.functional.pdist",
    "ormqr",
    "pinverse",
    "qr",
    "stft",
    "svd",
    "svd_lowrank",
    "pca_lowrank",
    "symeig",
    "tensordot",
    "triangular_solve",
    "vdot",
});

// Families by how their names begin; the special functions are computed by series and continued fractions that differ.
constexpr std::array kFamilies = std::to_array<std::string_view>({
    "cholesky_",
    "fft.",
    "igamma",
    "linalg.",
    "mvlgamma.",
    "nn.functional.conv",
    "norm",
    "polygamma.",
    "special.",
});

constexpr std::array kSpecialFunctions = std::to_array<std::string_view>({"digamma", "erfinv", "i0", "lgamma"});

// Exponentials, and gradients through inverses, in which large terms cancel: PyTorch's own small elements are that far
// from the exact ones.
constexpr std::array kErrorsFollowGreatest =
    std::to_array<std::string_view>({"linalg.householder_product", "linalg.pinv", "matrix_exp"});

template <typename Names>
bool contains(const Names& names, std::string_view op) {
    // "addmm.decomposed": the variant of an operator is compared as the operator.
    return std::any_of(names.begin(), names.end(), [op](std::string_view name) {
        return op == name || (op.starts_with(name) && op[name.size()] == '.');
    });
}

}  // namespace

Tolerance tolerance_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float32:
        case ScalarType::Complex64:
            return {1.3e-6, 1e-5};
        case ScalarType::Float64:
        case ScalarType::Complex128:
            return {1e-7, 1e-7};
        case ScalarType::Float16:
        case ScalarType::Complex32:
            return {1e-3, 1e-5};
        case ScalarType::BFloat16:
            return {1.6e-2, 1e-5};
        default:
            return {};
    }
}

bool errors_follow_greatest(std::string_view op) { return contains(kErrorsFollowGreatest, op); }

double widening(std::string_view op) {
    const bool in_family =
        std::any_of(kFamilies.begin(), kFamilies.end(), [op](std::string_view start) { return op.starts_with(start); });
    return in_family || contains(kLongSums, op) || contains(kSpecialFunctions, op) ? 10 : 1;
}

}  // namespace loupe::conformance
