// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/out_checks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/cpp_type_name.h"

namespace loupe {
namespace {

// What a refusal says. {T} is the result's dtype and {O} the other, {t} and {o} the same as C++ spells them, {n} the operator.
struct Words {
    std::string_view of_values;
    std::string_view of_indices = {};  // where they are others
};
constexpr Words kStructured{"Expected out tensor to have dtype {t}, but got {o} instead"};
constexpr Words kFound{"Found dtype {O} but expected {T}"};
constexpr Words kScalarType{"expected scalar type {T} but found {O}"};
constexpr Words kScalarTypeWord{"expected scalar_type {T} but found {O}"};
constexpr Words kMatch{"Expected the dtype for input and out to match, but got {T} for input's dtype and {O} for out's dtype."};
constexpr Words kLongOut{"{n} expects Long tensor out, got: {O}"};
constexpr Words kSameScalarType{"{n}(): self and result must have the same scalar type"};
constexpr Words kBoolResult{"{n} only supports bool tensor for result, got: {O}"};
constexpr Words kNonBoolean{"{n} does not support non-boolean outputs."};
constexpr Words kQuantile{"quantile() out tensor must be same dtype as the input tensor"};
constexpr Words kTake{"take(): self and out expected to have the same dtype, but got self.dtype = {T} and out.dtype = {O}"};
constexpr Words kDot{"result dtype {O} does not match input dtype {T}"};
constexpr Words kObjectOut{"Expected object of scalar type {T} but got scalar type {O} for argument 'out'"};
constexpr Words kNanToNum{"nan_to_num: dtype of out: {O} should be same as input: {T}"};
constexpr Words kMultiDot{"multi_dot(): expected out tensor to have dtype {t} but got {o}"};
constexpr Words kTensordot{"tensordot: Expected the output tensor to have dtype {T}, but got an output tensor with dtype {O}"};
constexpr Words kVecdot{"linalg.vecdot: Expected out of dtype{T} but found {O}"};
constexpr Words kMatrixNorm{"linalg.matrix_norm expected out tensor dtype {T} but got: {O}"};
constexpr Words kAdaptive{"expected dtype {t} for `output` but got dtype {o}"};
constexpr Words kFrexp{"torch.frexp() expects mantissa to have dtype {t} but got {o}"};
constexpr Words kOrmqr{"torch.ormqr: Expected input and result to have the same dtype, but input has dtype{T} and result has dtype {O}"};
constexpr Words kNonzero{"nonzero: Expected out tensor to have scalar type {T} but got scalar type{O}"};
constexpr Words kKthvalue{"output values must be of same type as input", "output indices must be of scalar type {T}"};
constexpr Words kMode{"expected scalar type '{T}' but got '{O}' for values output", "expected scalar type '{T}' but got '{O}' for indices output"};
constexpr Words kMedian{"Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{O}Tensor does not equal "
                        "torch.{T}Tensor (while checking arguments for median)",
                        "Expected tensor for argument #1 'indices' to have scalar type {T}; but got torch.{O}Tensor instead (while checking arguments "
                        "for median)"};

struct StrictOut {
    std::string_view name;
    Words words;
};
// In order of name.
constexpr StrictOut kStrict[] = {
    {"aten::_linalg_eigh.eigenvalues", kStructured},
    {"aten::_linalg_svd.U", kStructured},
    {"aten::_log_softmax.out", kStructured},
    {"aten::_log_softmax_backward_data.out", kStructured},
    {"aten::_softmax.out", kStructured},
    {"aten::_softmax_backward_data.out", kStructured},
    {"aten::_upsample_bicubic2d_aa.out", kStructured},
    {"aten::_upsample_bicubic2d_aa_backward.grad_input", kStructured},
    {"aten::_upsample_bilinear2d_aa.out", kStructured},
    {"aten::_upsample_bilinear2d_aa_backward.grad_input", kStructured},
    {"aten::_upsample_nearest_exact1d.out", kStructured},
    {"aten::_upsample_nearest_exact1d_backward.grad_input", kStructured},
    {"aten::_upsample_nearest_exact2d.out", kStructured},
    {"aten::_upsample_nearest_exact2d_backward.grad_input", kStructured},
    {"aten::_upsample_nearest_exact3d.out", kStructured},
    {"aten::_upsample_nearest_exact3d_backward.grad_input", kStructured},
    {"aten::abs.out", kFound},
    {"aten::adaptive_avg_pool2d.out", kAdaptive},
    {"aten::adaptive_avg_pool3d.out", kAdaptive},
    {"aten::adaptive_max_pool2d.out", kStructured},
    {"aten::adaptive_max_pool3d.out", kStructured},
    {"aten::addmm.out", kStructured},
    {"aten::addmv.out", kStructured},
    {"aten::all.all_out", kBoolResult},
    {"aten::all.out", kBoolResult},
    {"aten::amax.out", kMatch},
    {"aten::amin.out", kMatch},
    {"aten::aminmax.out", kStructured},
    {"aten::any.all_out", kBoolResult},
    {"aten::any.out", kBoolResult},
    {"aten::argmax.out", kStructured},
    {"aten::argmin.out", kStructured},
    {"aten::avg_pool2d.out", kStructured},
    {"aten::avg_pool3d.out", kStructured},
    {"aten::baddbmm.out", kStructured},
    {"aten::binary_cross_entropy.out", kFound},
    {"aten::bmm.out", kStructured},
    {"aten::ceil.out", kFound},
    {"aten::chain_matmul.out", kMultiDot},
    {"aten::clamp.out", kFound},
    {"aten::clamp_max.out", kFound},
    {"aten::clamp_min.out", kFound},
    {"aten::col2im.out", kScalarType},
    {"aten::complex.out", kObjectOut},
    {"aten::conj_physical.out", kFound},
    {"aten::cummax.out", kScalarTypeWord},
    {"aten::cummin.out", kScalarTypeWord},
    {"aten::diag.out", kScalarType},
    {"aten::dot.out", kDot},
    {"aten::elu.out", kFound},
    {"aten::floor.out", kFound},
    {"aten::frac.out", kFound},
    {"aten::fractional_max_pool2d.output", kStructured},
    {"aten::frexp.Tensor_out", kFrexp},
    {"aten::gather.out", kStructured},
    {"aten::gelu.out", kFound},
    {"aten::hardshrink.out", kFound},
    {"aten::hardsigmoid.out", kFound},
    {"aten::hardswish.out", kFound},
    {"aten::hardtanh.out", kFound},
    {"aten::huber_loss_backward.out", kFound},
    {"aten::im2col.out", kScalarType},
    {"aten::index_add.out", kStructured},
    {"aten::index_copy.out", kStructured},
    {"aten::index_reduce.out", kStructured},
    {"aten::index_select.out", kSameScalarType},
    {"aten::inner.out", kTensordot},
    {"aten::isneginf.out", kNonBoolean},
    {"aten::isposinf.out", kNonBoolean},
    {"aten::kthvalue.values", kKthvalue},
    {"aten::leaky_relu.out", kFound},
    {"aten::lerp.Tensor_out", kFound},
    {"aten::linalg_cholesky_ex.L", kStructured},
    {"aten::linalg_cross.out", kStructured},
    {"aten::linalg_det.out", kStructured},
    {"aten::linalg_inv_ex.inverse", kStructured},
    {"aten::linalg_ldl_factor_ex.out", kStructured},
    {"aten::linalg_ldl_solve.out", kStructured},
    {"aten::linalg_lu.out", kStructured},
    {"aten::linalg_lu_factor_ex.out", kStructured},
    {"aten::linalg_lu_solve.out", kStructured},
    {"aten::linalg_matrix_norm.out", kMatrixNorm},
    {"aten::linalg_multi_dot.out", kMultiDot},
    {"aten::linalg_qr.out", kStructured},
    {"aten::linalg_slogdet.out", kStructured},
    {"aten::linalg_solve_ex.out", kStructured},
    {"aten::linalg_solve_triangular.out", kScalarType},
    {"aten::linalg_svdvals.out", kStructured},
    {"aten::linalg_vecdot.out", kVecdot},
    {"aten::linalg_vector_norm.out", kStructured},
    {"aten::linear.out", kStructured},
    {"aten::log_sigmoid.out", kScalarType},
    {"aten::log_sigmoid_backward.grad_input", kFound},
    {"aten::log_softmax.int_out", kStructured},
    {"aten::logcumsumexp.out", kScalarTypeWord},
    {"aten::lu_unpack.out", kStructured},
    {"aten::masked_select.out", kSameScalarType},
    {"aten::max.dim_max", kStructured},
    {"aten::max_pool2d_with_indices.out", kStructured},
    {"aten::max_pool3d_with_indices.out", kScalarType},
    {"aten::max_unpool2d.out", kScalarType},
    {"aten::max_unpool3d.out", kScalarType},
    {"aten::median.dim_values", kMedian},
    {"aten::min.dim_min", kStructured},
    {"aten::mish.out", kFound},
    {"aten::mm.out", kStructured},
    {"aten::mode.values", kMode},
    {"aten::mse_loss_backward.grad_input", kFound},
    {"aten::multi_margin_loss.out", kScalarType},
    {"aten::multilabel_margin_loss.out", kScalarType},
    {"aten::multinomial.out", kLongOut},
    {"aten::mv.out", kStructured},
    {"aten::nan_to_num.out", kNanToNum},
    {"aten::nanmedian.dim_values", kMedian},
    {"aten::nanquantile.out", kQuantile},
    {"aten::nanquantile.scalar_out", kQuantile},
    {"aten::neg.out", kFound},
    {"aten::nll_loss.out", kStructured},
    {"aten::nll_loss2d.out", kScalarType},
    {"aten::nll_loss2d_forward.output", kScalarType},
    {"aten::nll_loss_forward.output", kStructured},
    {"aten::nonzero.out", kNonzero},
    {"aten::ormqr.out", kOrmqr},
    {"aten::polar.out", kObjectOut},
    {"aten::pow.Tensor_Scalar_out", kFound},
    {"aten::quantile.out", kQuantile},
    {"aten::quantile.scalar_out", kQuantile},
    {"aten::reflection_pad1d.out", kStructured},
    {"aten::reflection_pad2d.out", kScalarType},
    {"aten::reflection_pad3d.out", kStructured},
    {"aten::replication_pad1d.out", kStructured},
    {"aten::replication_pad2d.out", kStructured},
    {"aten::replication_pad3d.out", kStructured},
    {"aten::round.out", kFound},
    {"aten::scatter.src_out", kStructured},
    {"aten::scatter.value_out", kStructured},
    {"aten::scatter_add.out", kStructured},
    {"aten::scatter_reduce.two_out", kStructured},
    {"aten::sgn.out", kFound},
    {"aten::sign.out", kFound},
    {"aten::signbit.out", kNonBoolean},
    {"aten::silu.out", kFound},
    {"aten::soft_margin_loss.out", kFound},
    {"aten::softmax.int_out", kStructured},
    {"aten::softplus.out", kFound},
    {"aten::softshrink.out", kFound},
    {"aten::sort.values", kStructured},
    {"aten::sort.values_stable", kStructured},
    {"aten::square.out", kFound},
    {"aten::take.out", kTake},
    {"aten::take_along_dim.out", kStructured},
    {"aten::tensordot.out", kTensordot},
    {"aten::topk.values", kStructured},
    {"aten::tril.out", kStructured},
    {"aten::triu.out", kStructured},
    {"aten::trunc.out", kFound},
    {"aten::upsample_bicubic2d.out", kStructured},
    {"aten::upsample_bicubic2d_backward.grad_input", kStructured},
    {"aten::upsample_bilinear2d.out", kStructured},
    {"aten::upsample_bilinear2d_backward.grad_input", kStructured},
    {"aten::upsample_linear1d.out", kStructured},
    {"aten::upsample_linear1d_backward.grad_input", kStructured},
    {"aten::upsample_nearest1d.out", kStructured},
    {"aten::upsample_nearest1d_backward.grad_input", kStructured},
    {"aten::upsample_nearest2d.out", kStructured},
    {"aten::upsample_nearest2d_backward.grad_input", kStructured},
    {"aten::upsample_nearest3d.out", kStructured},
    {"aten::upsample_nearest3d_backward.grad_input", kStructured},
    {"aten::upsample_trilinear3d.out", kStructured},
    {"aten::upsample_trilinear3d_backward.grad_input", kStructured},
    {"aten::vdot.out", kDot},
};

std::string refusal(const StrictOut& form, ScalarType made, ScalarType out) {
    const bool is_of_indices = made == ScalarType::Int64 && !form.words.of_indices.empty();
    const std::string_view words = is_of_indices ? form.words.of_indices : form.words.of_values;
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != '{') {
            text += words[i];
            continue;
        }
        switch (words[i + 1]) {
            case 'T': text += dtype_graph_name(made); break;
            case 'O': text += dtype_graph_name(out); break;
            case 't': text += cpp_type_name(made); break;
            case 'o': text += cpp_type_name(out); break;
            default: text += form.name.substr(6, form.name.find('.') - 6); break;
        }
        i += 2;
    }
    return text;
}

}  // namespace

void check_out_dtype(std::string_view full_name, ScalarType made, ScalarType out) {
    if (made == out) return;
    const auto* form = std::lower_bound(std::begin(kStrict), std::end(kStrict), full_name,
                                        [](const StrictOut& entry, std::string_view name) { return entry.name < name; });
    if (form == std::end(kStrict) || form->name != full_name) return;
    // any and all may give bytes.
    if (form->words.of_values == kBoolResult.of_values && out == ScalarType::UInt8) return;
    throw Error(ErrorKind::Run, refusal(*form, made, out));
}

void check_out_overlap(std::string_view full_name, Arguments inputs, const Tensor& out) {
    constexpr std::string_view kByIndices[] = {"aten::gather.out", "aten::index_select.out"};
    if (std::find(std::begin(kByIndices), std::end(kByIndices), full_name) == std::end(kByIndices)) return;
    const auto refuse = [](std::string_view what) {
        throw Error(ErrorKind::Run, concat("unsupported operation: ", what, " refer", what[0] == 'm' ? "s" : "",
                                           " to a single memory location. Please clone() the tensor before performing the operation."));
    };
    for (std::size_t d = 0; d < out.sizes().size(); ++d) {
        if (out.strides()[d] == 0 && out.sizes()[d] > 1) refuse("more than one element of the written-to tensor");
    }
    if (out.numel() == 0 || !out.is_non_overlapping_and_dense()) return;
    for (const IValue& value : inputs) {
        if (!value.is_tensor()) continue;
        const Tensor input = value.to_tensor();
        if (input.numel() == 0 || !input.is_non_overlapping_and_dense() || input.storage() != out.storage()) continue;
        const auto first = [](const Tensor& t) { return t.storage_offset() * t.element_size(); };
        const auto end = [&](const Tensor& t) { return first(t) + t.numel() * t.element_size(); };
        if (first(input) < end(out) && first(out) < end(input)) {
            refuse("some elements of the input tensor and the written-to tensor");
        }
    }
}

}  // namespace loupe
