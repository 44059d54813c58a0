// SPDX-License-Identifier: Apache-2.0
// The library reads by columns, so a matrix [m, n] that lies by rows is its n x m: what it computes is the transposed
// product, mat2^T mat1^T, and a bias of n elements is one for each of its rows.
#include "plugins/cuda/products/epilogues.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::cuda {
namespace {

// Does the matrix lie by rows, or by columns?
bool lies_by_rows(const Tensor& t) {
    const std::int64_t rows = t.sizes()[0], columns = t.sizes()[1];
    return (t.strides()[1] == 1 || columns == 1) && (t.strides()[0] >= columns || rows == 1);
}
bool lies_by_columns(const Tensor& t) {
    const std::int64_t rows = t.sizes()[0], columns = t.sizes()[1];
    return (t.strides()[0] == 1 || rows == 1) && (t.strides()[1] >= rows || columns == 1);
}

// The transpose of a matrix, as the library reads it.
LtMatrix transposed(const Tensor& t) {
    LtMatrix matrix;
    matrix.data = t.address();
    const std::int64_t rows = t.sizes()[0], columns = t.sizes()[1];
    if (lies_by_rows(t)) {
        matrix.rows = columns;
        matrix.columns = rows;
        matrix.leading = std::max(t.strides()[0], columns);
        return matrix;
    }
    if (!lies_by_columns(t)) throw Error(ErrorKind::Internal, "a matrix without a stride of 1 reached a product");
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.leading = std::max(t.strides()[1], rows);
    matrix.is_turned = true;
    return matrix;
}

LtProduct plain(const Tensor& out, const Tensor& mat1, const Tensor& mat2, double alpha) {
    LtProduct product;
    product.dtype = out.dtype();
    product.a = transposed(mat2);
    product.b = transposed(mat1);
    product.d = transposed(out);
    if (product.d.is_turned) throw Error(ErrorKind::Internal, "the result of an epilogue lies by columns");
    product.alpha = alpha;
    return product;
}

void add_aux(LtProduct& product, Activation activation, void* aux) {
    product.aux = aux;
    product.aux_leading = aux_of(activation, product.dtype, product.d.columns, product.d.rows).leading;
}

bool is_vector_of(const Tensor& t, std::int64_t n) {
    const bool is_row = t.dim() == 1 || (t.dim() == 2 && t.sizes()[0] == 1);
    return is_row && t.sizes().back() == n && (t.strides().back() == 1 || n == 1);
}

}  // namespace

AuxRoom aux_of(Activation activation, ScalarType dtype, std::int64_t m, std::int64_t n) {
    // The leading dimension of a mask is a multiple of 128 bits, that of elements one of 8.
    const std::int64_t step = activation == Activation::Relu ? 128 : 8;
    const std::int64_t leading = (n + step - 1) / step * step;
    return {leading, activation == Activation::Relu ? leading / 8 * m : leading * m * element_size(dtype)};
}

LtProduct plan_product(const Tensor& out, const Tensor& mat1, const Tensor& mat2, const Tensor& bias, double alpha,
                       Activation activation, void* aux) {
    LtProduct product = plain(out, mat1, mat2, alpha);
    const bool has_bias = bias.defined(), keeps = aux != nullptr;
    product.bias = has_bias ? bias.address() : nullptr;
    switch (activation) {
        case Activation::None:
            product.epilogue = has_bias ? Epilogue::Bias : Epilogue::None;
            return product;
        case Activation::Relu:
            product.epilogue = keeps ? (has_bias ? Epilogue::ReluAuxBias : Epilogue::ReluAux)
                                     : (has_bias ? Epilogue::ReluBias : Epilogue::Relu);
            break;
        case Activation::GeluTanh:
            product.epilogue = keeps ? (has_bias ? Epilogue::GeluAuxBias : Epilogue::GeluAux)
                                     : (has_bias ? Epilogue::GeluBias : Epilogue::Gelu);
            break;
    }
    if (keeps) add_aux(product, activation, aux);
    return product;
}

LtProduct plan_activation_gradient(const Tensor& out, const Tensor& mat1, const Tensor& mat2, Activation activation,
                                   void* aux, const Tensor& bias_gradient) {
    LtProduct product = plain(out, mat1, mat2, 1);
    const bool has_bias = bias_gradient.defined();
    product.bias = has_bias ? bias_gradient.address() : nullptr;
    if (activation == Activation::Relu)
        product.epilogue = has_bias ? Epilogue::DReluBiasGradient : Epilogue::DRelu;
    else
        product.epilogue = has_bias ? Epilogue::DGeluBiasGradient : Epilogue::DGelu;
    add_aux(product, activation, aux);
    return product;
}

LtProduct plan_weight_gradient(const Tensor& weight_gradient, const Tensor& bias_gradient, const Tensor& grad,
                               const Tensor& x) {
    const Tensor turned = grad.view_as_strided(std::array{grad.sizes()[1], grad.sizes()[0]},
                                               std::array{grad.strides()[1], grad.strides()[0]}, grad.storage_offset());
    // grad^T is the library's b: the sum over what is added up in the product is BGRADB's.
    LtProduct product = plain(weight_gradient, turned, x, 1);
    product.bias = bias_gradient.defined() ? bias_gradient.address() : nullptr;
    product.epilogue = bias_gradient.defined() ? Epilogue::BiasGradientOfB : Epilogue::None;
    return product;
}

std::optional<std::string> why_no_bias_epilogue(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                                                const Scalar& beta) {
    const std::int64_t n = mat2.sizes()[1];
    if (!is_vector_of(self, n)) return "what is added is no vector of the columns";
    if (!beta.equals(1)) return concat("beta is ", beta.to<double>(), ", a bias is added as it is");
    if (mat1.sizes()[0] == 1 || n == 1) return "one row or one column: cuBLAS's product of a vector is faster";
    for (const Tensor& t : {mat1, mat2}) {
        if (!lies_by_rows(t) && !lies_by_columns(t)) return "a matrix without a stride of 1";
    }
    return std::nullopt;
}

}  // namespace loupe::cuda
