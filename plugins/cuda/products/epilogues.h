// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrix products that end in something more: a bias, an activation, or the gradient of either, computed before the
// product's elements leave the registers (cublasLt's epilogues). What is asked of the library for which call is decided
// here, without it: a test plans products for a stand-in and computes them.

#include <cstdint>
#include <optional>
#include <string>

#include "core/tensor/tensor.h"

namespace loupe::cuda {

// As cublasLtEpilogue_t numbers them; products/lt_library.cpp holds them to that.
enum class Epilogue : std::int32_t {
    None = 1,
    Relu = 2,
    ReluAux = 130,
    Bias = 4,
    ReluBias = 6,
    ReluAuxBias = 134,
    DRelu = 136,
    DReluBiasGradient = 152,
    Gelu = 32,
    GeluAux = 160,
    GeluBias = 36,
    GeluAuxBias = 164,
    DGelu = 192,
    DGeluBiasGradient = 208,
    BiasGradientOfA = 256,
    BiasGradientOfB = 512,
};

// A matrix that the library reads by columns: `rows` x `columns` as it lies, `leading` elements from column to column.
struct LtMatrix {
    void* data = nullptr;
    std::int64_t rows = 0, columns = 0, leading = 0;
    bool is_turned = false;  // its transpose takes part
};

// d = epilogue(alpha op(a) op(b) + bias), d: rows x columns. The bias has one element for each row of d.
struct LtProduct {
    ScalarType dtype = ScalarType::Float32;
    LtMatrix a, b, d;
    double alpha = 1;
    Epilogue epilogue = Epilogue::None;
    void* bias = nullptr;  // read, or written by the gradients
    // What activations keep and their gradients read: of ReLU one bit an element, of GELU what it was applied to.
    void* aux = nullptr;
    std::int64_t aux_leading = 0;  // of bits, or elements
};

class LtLibrary {
  public:
    virtual ~LtLibrary() = default;
    // False where it has no way to compute it; throws Error (Run) when it fails.
    virtual bool multiply(const LtProduct& product) = 0;
};

enum class Activation : std::int8_t { None, Relu, GeluTanh };

// out = activation(alpha mat1 mat2 + bias): [m, n], [m, k], [k, n], [n]. The bias may be undefined. `aux` where the
// gradient will want it: aux_of() bytes. Matrices as they lie: any that has one stride of 1.
LtProduct plan_product(const Tensor& out, const Tensor& mat1, const Tensor& mat2, const Tensor& bias, double alpha,
                       Activation activation, void* aux);
// The gradient that reaches what an activation was applied to: out = activation'(aux) (mat1 mat2); with
// `bias_gradient` ([n]) also its sum over rows.
LtProduct plan_activation_gradient(const Tensor& out, const Tensor& mat1, const Tensor& mat2, Activation activation,
                                   void* aux, const Tensor& bias_gradient);
// The gradients of a layer's weight and bias: weight [n, k] = grad^T x, bias [n] = sum of grad over rows; grad [m, n],
// x [m, k].
LtProduct plan_weight_gradient(const Tensor& weight_gradient, const Tensor& bias_gradient, const Tensor& grad,
                               const Tensor& x);
// Rows of aux, as a multiple that the library asks for, and bytes of all of it.
struct AuxRoom {
    std::int64_t leading = 0;
    std::int64_t bytes = 0;
};
AuxRoom aux_of(Activation activation, ScalarType dtype, std::int64_t m, std::int64_t n);

// Why the library's epilogue does not do for addmm(self, mat1, mat2, beta, alpha); nothing when it does.
std::optional<std::string> why_no_bias_epilogue(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                                                const Scalar& beta);

}  // namespace loupe::cuda
