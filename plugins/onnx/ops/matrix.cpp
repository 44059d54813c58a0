// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

Tensor scaled(const Tensor& t, double by) {
    if (by == 1) return t;
    // Whole numbers stay whole.
    return is_integral(t.dtype()) ? fn::mul_scalar(t, Scalar(static_cast<std::int64_t>(by)))
                                  : fn::mul_scalar(t, Scalar(by));
}

Tensor gemm(const Tensor& a, const Tensor& b, const Tensor& c, double alpha, double beta, std::int64_t trans_a,
            std::int64_t trans_b) {
    require(a.dim() == 2 && b.dim() == 2, "expected two matrices, got ", describe(a), " and ", describe(b));
    const bool is_line = c.defined() && c.dim() == 1 && c.size(0) == (trans_b != 0 ? b.size(0) : b.size(1));
    if (trans_a == 0 && trans_b != 0 && alpha == 1 && (!c.defined() || (beta == 1 && is_line)))
        return fn::linear(a, b, c.defined() ? IValue(c) : IValue());
    const Tensor left = trans_a != 0 ? fn::t(a) : a;
    const Tensor right = trans_b != 0 ? fn::t(b) : b;
    if (alpha == 1 && beta == 1 && is_line) return fn::addmm(c, left, right);
    const Tensor product = scaled(fn::mm(left, right), alpha);
    if (!c.defined() || beta == 0) return product;
    return fn::add(product, scaled(c, beta));
}
// Opset 6: C is broadcast only where it says so.
Tensor gemm_v1(const Tensor& a, const Tensor& b, const Tensor& c, double alpha, double beta, std::int64_t,
               std::int64_t trans_a, std::int64_t trans_b) {
    return gemm(a, b, c, alpha, beta, trans_a, trans_b);
}

Tensor einsum(const TensorList& inputs, std::string_view equation) {
    std::string text;
    for (const char c : equation) {
        if (c != ' ') text += c;
    }
    return call_one("aten::einsum", {text, inputs});
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::MatMul(Tensor A, Tensor B) -> Tensor", "The product of matrices, as numpy.matmul.",
            forward<"aten::matmul">),
    made_of("onnx::Gemm(Tensor A, Tensor B, Tensor C, *, float alpha=1., float beta=1., int broadcast=0, int transA=0, "
            "int transB=0) -> Tensor",
            "alpha A B + beta C.", boxed<gemm_v1>),
    made_of("onnx::Gemm.v7(Tensor A, Tensor B, Tensor? C=None, *, float alpha=1., float beta=1., int transA=0, int "
            "transB=0) -> Tensor",
            "alpha A B + beta C; A and B transposed where that is said.", boxed<gemm>),
    made_of("onnx::Einsum(Tensor[] Inputs, *, str equation) -> Tensor", "Sums of products by Einstein's notation.",
            boxed<einsum>),
    made_of("onnx::Det(Tensor X) -> Tensor", "The determinant of each matrix.", forward<"aten::linalg_det">),
};

}  // namespace

std::span<const OperatorRecord> matrix_records() { return kRecords; }

}  // namespace loupe::onnx
