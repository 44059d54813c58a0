// SPDX-License-Identifier: Apache-2.0
// _scaled_mm: products of matrices of eight-bit floats, each with one scale, or with one for each row and column.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/matrix/family.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/matrix/products.h"
#include "core/ops/samples.h"

namespace loupe::matrix {
namespace {

// How a matrix is scaled, as PyTorch numbers it; the CPU has no others.
enum Recipe : std::int64_t { kTensorWise = 0, kRowWise = 1 };

std::string list_text(IntSpan values) { return concat("[", join(values, ", "), "]"); }

Tensor in_float(const Tensor& t) { return fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)); }

Tensor product(const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b, const Tensor& bias,
               std::optional<ScalarType> out_dtype) {
    Tensor out = fn::mm(fn::mul(in_float(self), scale_a), fn::mul(in_float(mat2), scale_b));
    if (bias.defined()) out = fn::add(out, in_float(bias), Scalar(1));
    return fn::to_dtype(out, static_cast<std::int64_t>(out_dtype.value_or(self.dtype())));
}

void check_sizes(const Tensor& self, const Tensor& mat2) {
    require(self.dim() == 2, "mat1 must be a matrix");
    require(mat2.dim() == 2, "mat2 must be a matrix");
    require(self.size(1) == mat2.size(0), "mat_a and mat_b shapes cannot be multiplied (", self.size(0), "x",
            self.size(1), " and ", mat2.size(0), "x", mat2.size(1), ")");
}

bool is_one_number(const Tensor& scale) { return scale.dtype() == ScalarType::Float32 && scale.numel() == 1; }
bool is_vector(const Tensor& scale, std::int64_t rows, std::int64_t columns) {
    return scale.dtype() == ScalarType::Float32 && scale.dim() == 2 && scale.size(0) == rows &&
           scale.size(1) == columns && scale.is_contiguous();
}

// scale_result: read by no kernel of the CPU.
Tensor scaled_mm(const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
                 const Tensor& bias, const Tensor&, std::optional<ScalarType> out_dtype, bool) {
    check_sizes(self, mat2);
    const std::int64_t rows = self.size(0), columns = mat2.size(1);
    const bool is_known = is_float8(self.dtype()) && is_float8(mat2.dtype()) &&
                          ((is_one_number(scale_a) && is_one_number(scale_b)) ||
                           (is_vector(scale_a, rows, 1) && is_vector(scale_b, 1, columns)));
    const auto described = [](const char* matrix, const char* name, const Tensor& t, const Tensor& scale) {
        return concat(matrix, ".dtype()=", dtype_graph_name(t.dtype()), ", ", name,
                      ".dtype()=", dtype_graph_name(scale.dtype()), ", ", name, ".size()=", list_text(scale.sizes()));
    };
    require(is_known,
            "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, scales should be "
            "float and singletons.\n- For RowWise scaling, a and b should be float8, scales should be float, scale_a "
            "should be (",
            rows, ", 1) and scale_b should be (1, ", columns, "), and both should be contiguous.\nGot ",
            described("mat_a", "scale_a", self, scale_a), ", scale_a.stride()=", list_text(scale_a.strides()), ", ",
            described("mat_b", "scale_b", mat2, scale_b), " and scale_b.stride()=", list_text(scale_b.strides()));
    require(!bias.defined() || bias.numel() == columns, "Bias must be size ", columns, " but got ",
            bias.defined() ? bias.numel() : 0);
    const bool is_row_wise = scale_a.numel() != 1 || scale_b.numel() != 1;
    const auto scale = [&](const Tensor& t) { return is_row_wise ? t : fn::reshape(t, Dims()); };
    return product(self, mat2, scale(scale_a), scale(scale_b), bias, out_dtype);
}

// One matrix's scale of a recipe, checked.
Tensor scale_of(const TensorList& scales, std::int64_t recipe, const char* name, std::int64_t count, bool is_left) {
    const Tensor& scale = scales[0];
    if (recipe == kTensorWise) {
        require(is_one_number(scale), name, " must have 1 Float element");
        return fn::reshape(scale, Dims());
    }
    require(scale.numel() == count && scale.dtype() == ScalarType::Float32, name, " must have ", count,
            " Float elements, got ", scale.numel());
    const Dims shape = is_left ? Dims{count, 1} : Dims{1, count};
    require(scale.dim() == 2, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    require(std::ranges::equal(scale.sizes(), shape), name, " must have shape ", list_text(span_of(shape)), ", got [",
            list_text(scale.sizes()), "]");
    return scale;
}

Tensor scaled_mm_v2(const Tensor& self, const Tensor& mat2, const TensorList& scale_a, const Dims& recipe_a,
                    const Dims& swizzle_a, const TensorList& scale_b, const Dims& recipe_b, const Dims& swizzle_b,
                    const Tensor& bias, std::optional<ScalarType> out_dtype, const Dims& contraction_dim, bool) {
    check_sizes(self, mat2);
    require(contraction_dim.empty() || (contraction_dim == Dims{1, 0}),
            "torch._scaled_mm_v2 only supports contraction_dim=(1, 0)");
    const std::int64_t rows = self.size(0), columns = mat2.size(1);
    require(!bias.defined() || bias.numel() == columns, "Bias must be size ", columns, " but got ",
            bias.defined() ? bias.numel() : 0);
    require(is_float8(self.dtype()) && is_float8(mat2.dtype()),
            "Expected both inputs to be fp8 or fp4 types but got mat_a.dtype=", dtype_graph_name(self.dtype()),
            " and mat_b.dtype=", dtype_graph_name(mat2.dtype()));
    const bool is_known = recipe_a.size() == 1 && recipe_a == recipe_b && scale_a.size() == 1 && scale_b.size() == 1 &&
                          (recipe_a[0] == kTensorWise || recipe_a[0] == kRowWise);
    require(is_known, "Invalid scaling configuration for _scaled_mm_v2: unsupported recipe(s). Got mat_a.dtype=",
            dtype_graph_name(self.dtype()), ", mat_b.dtype=", dtype_graph_name(mat2.dtype()),
            ", recipe_a.size()=", recipe_a.size(), ", recipe_b.size()=", recipe_b.size());
    const auto swizzles = [](const Dims& how) { return std::ranges::any_of(how, [](auto s) { return s != 0; }); };
    require(!swizzles(swizzle_a) && !swizzles(swizzle_b), "CPU does not support swizzle.");
    return product(self, mat2, scale_of(scale_a, recipe_a[0], "scale_a", rows, true),
                   scale_of(scale_b, recipe_b[0], "scale_b", columns, false), bias, out_dtype);
}

Tensor draw(Random& random, Dims sizes) {
    return fn::to_dtype(random_tensor(random, span_of(sizes), ScalarType::Float32),
                        static_cast<std::int64_t>(ScalarType::Float8E4M3FN));
}
std::vector<Sample> scaled_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32) return {};
    const Tensor a = draw(random, {4, 16}), b = draw(random, {16, 3});
    const auto scales = [&](Dims sizes) { return random_tensor(random, span_of(sizes), ScalarType::Float32); };
    const auto to = static_cast<std::int64_t>(ScalarType::Float32);
    // Scales of rows and columns must be contiguous, which other layouts are not.
    return {{{a, b, scales({}), scales({}), IValue(), IValue(), to, false}, "one scale"},
            {{a, b, scales({}), scales({}), scales({3}), IValue(), to, false}, "a bias"}};
}
std::vector<Sample> scaled_v2_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32) return {};
    const Tensor a = draw(random, {4, 16}), b = draw(random, {16, 3});
    const auto scales = [&](Dims sizes) {
        return TensorList{random_tensor(random, span_of(sizes), ScalarType::Float32)};
    };
    const auto to = static_cast<std::int64_t>(ScalarType::Float32);
    return {
        {{a, b, scales({}), Dims{0}, Dims{0}, scales({}), Dims{0}, Dims{0}, IValue(), to, Dims{}, false}, "one scale"},
        {{a, b, scales({4, 1}), Dims{1}, Dims{0}, scales({1, 3}), Dims{1}, Dims{0}, IValue(), to, Dims{}, false},
         "by rows and columns"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_scaled_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? "
               "scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor",
     .summary = "The product of two matrices of eight-bit floats, times their scales: one number each, or one for each "
                "row and column.",
     .formula = "out = (scale_a self) (scale_b mat2) + bias",
     .composite = boxed<scaled_mm>,
     .samples = scaled_samples,
     .variants = kOut,
     .is_gradient_stop = true},
    {.schema = "aten::_scaled_mm_v2(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, "
               "Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] "
               "contraction_dim=[], bool use_fast_accum=False) -> Tensor",
     .summary = "As _scaled_mm, with the kinds of scales by number: 0 one number, 1 one for each row and column.",
     .formula = "out = (scale_a self) (scale_b mat2) + bias",
     .composite = boxed<scaled_mm_v2>,
     .samples = scaled_v2_samples,
     .variants = kOut,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> scaled_product_records() { return kRecords; }

}  // namespace loupe::matrix
