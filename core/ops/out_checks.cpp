// SPDX-License-Identifier: Apache-2.0
#include "core/ops/out_checks.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

// By the words of the refusal.
enum class OutRule {
    Structured,
    Found,
    ScalarType,
    Match,
    LongOut,
    SameScalarType,
    BoolResult,
    NonBoolean,
    Quantile,
    Take,
    Dot,
    ObjectOut,
    NanToNum
};
struct StrictOut {
    std::string_view name;
    OutRule rule;
};
// In order of name.
constexpr StrictOut kStrict[] = {
    {"aten::_linalg_eigh.eigenvalues", OutRule::Structured},
    {"aten::_linalg_svd.U", OutRule::Structured},
    {"aten::_log_softmax.out", OutRule::Structured},
    {"aten::_log_softmax_backward_data.out", OutRule::Structured},
    {"aten::_softmax.out", OutRule::Structured},
    {"aten::_softmax_backward_data.out", OutRule::Structured},
    {"aten::_upsample_bicubic2d_aa.out", OutRule::Structured},
    {"aten::_upsample_bicubic2d_aa_backward.grad_input", OutRule::Structured},
    {"aten::_upsample_bilinear2d_aa.out", OutRule::Structured},
    {"aten::_upsample_bilinear2d_aa_backward.grad_input", OutRule::Structured},
    {"aten::_upsample_nearest_exact1d.out", OutRule::Structured},
    {"aten::_upsample_nearest_exact1d_backward.grad_input", OutRule::Structured},
    {"aten::_upsample_nearest_exact2d.out", OutRule::Structured},
    {"aten::_upsample_nearest_exact2d_backward.grad_input", OutRule::Structured},
    {"aten::_upsample_nearest_exact3d.out", OutRule::Structured},
    {"aten::_upsample_nearest_exact3d_backward.grad_input", OutRule::Structured},
    {"aten::abs.out", OutRule::Found},
    {"aten::adaptive_max_pool2d.out", OutRule::Structured},
    {"aten::adaptive_max_pool3d.out", OutRule::Structured},
    {"aten::addmm.out", OutRule::Structured},
    {"aten::addmv.out", OutRule::Structured},
    {"aten::all.all_out", OutRule::BoolResult},
    {"aten::all.out", OutRule::BoolResult},
    {"aten::amax.out", OutRule::Match},
    {"aten::amin.out", OutRule::Match},
    {"aten::aminmax.out", OutRule::Structured},
    {"aten::any.all_out", OutRule::BoolResult},
    {"aten::any.out", OutRule::BoolResult},
    {"aten::argmax.out", OutRule::Structured},
    {"aten::argmin.out", OutRule::Structured},
    {"aten::avg_pool2d.out", OutRule::Structured},
    {"aten::avg_pool3d.out", OutRule::Structured},
    {"aten::baddbmm.out", OutRule::Structured},
    {"aten::binary_cross_entropy.out", OutRule::Found},
    {"aten::bmm.out", OutRule::Structured},
    {"aten::ceil.out", OutRule::Found},
    {"aten::clamp.out", OutRule::Found},
    {"aten::clamp_max.out", OutRule::Found},
    {"aten::clamp_min.out", OutRule::Found},
    {"aten::col2im.out", OutRule::ScalarType},
    {"aten::complex.out", OutRule::ObjectOut},
    {"aten::conj_physical.out", OutRule::Found},
    {"aten::cummax.out", OutRule::ScalarType},
    {"aten::cummin.out", OutRule::ScalarType},
    {"aten::diag.out", OutRule::ScalarType},
    {"aten::dot.out", OutRule::Dot},
    {"aten::elu.out", OutRule::Found},
    {"aten::fft_ifft.out", OutRule::Found},
    {"aten::fft_ihfft.out", OutRule::Found},
    {"aten::floor.out", OutRule::Found},
    {"aten::frac.out", OutRule::Found},
    {"aten::fractional_max_pool2d.output", OutRule::Structured},
    {"aten::gather.out", OutRule::Structured},
    {"aten::gelu.out", OutRule::Found},
    {"aten::hardshrink.out", OutRule::Found},
    {"aten::hardsigmoid.out", OutRule::Found},
    {"aten::hardswish.out", OutRule::Found},
    {"aten::hardtanh.out", OutRule::Found},
    {"aten::huber_loss_backward.out", OutRule::Found},
    {"aten::im2col.out", OutRule::ScalarType},
    {"aten::index_add.out", OutRule::Structured},
    {"aten::index_copy.out", OutRule::Structured},
    {"aten::index_reduce.out", OutRule::Structured},
    {"aten::index_select.out", OutRule::SameScalarType},
    {"aten::isneginf.out", OutRule::NonBoolean},
    {"aten::isposinf.out", OutRule::NonBoolean},
    {"aten::leaky_relu.out", OutRule::Found},
    {"aten::lerp.Tensor_out", OutRule::Found},
    {"aten::linalg_cholesky_ex.L", OutRule::Structured},
    {"aten::linalg_cross.out", OutRule::Structured},
    {"aten::linalg_det.out", OutRule::Structured},
    {"aten::linalg_inv_ex.inverse", OutRule::Structured},
    {"aten::linalg_ldl_factor_ex.out", OutRule::Structured},
    {"aten::linalg_ldl_solve.out", OutRule::Structured},
    {"aten::linalg_lu.out", OutRule::Structured},
    {"aten::linalg_lu_factor_ex.out", OutRule::Structured},
    {"aten::linalg_lu_solve.out", OutRule::Structured},
    {"aten::linalg_matmul.out", OutRule::Structured},
    {"aten::linalg_qr.out", OutRule::Structured},
    {"aten::linalg_slogdet.out", OutRule::Structured},
    {"aten::linalg_solve_ex.out", OutRule::Structured},
    {"aten::linalg_solve_triangular.out", OutRule::ScalarType},
    {"aten::linalg_svdvals.out", OutRule::Structured},
    {"aten::linalg_vector_norm.out", OutRule::Structured},
    {"aten::linear.out", OutRule::Structured},
    {"aten::log_sigmoid.out", OutRule::ScalarType},
    {"aten::log_sigmoid_backward.grad_input", OutRule::Found},
    {"aten::log_softmax.int_out", OutRule::Structured},
    {"aten::logcumsumexp.out", OutRule::ScalarType},
    {"aten::lu_unpack.out", OutRule::Structured},
    {"aten::masked_select.out", OutRule::SameScalarType},
    {"aten::matmul.out", OutRule::Structured},
    {"aten::max.dim_max", OutRule::Structured},
    {"aten::max_pool2d_with_indices.out", OutRule::Structured},
    {"aten::max_pool3d_with_indices.out", OutRule::ScalarType},
    {"aten::max_unpool2d.out", OutRule::ScalarType},
    {"aten::max_unpool3d.out", OutRule::ScalarType},
    {"aten::min.dim_min", OutRule::Structured},
    {"aten::mish.out", OutRule::Found},
    {"aten::mm.out", OutRule::Structured},
    {"aten::mse_loss_backward.grad_input", OutRule::Found},
    {"aten::multi_margin_loss.out", OutRule::ScalarType},
    {"aten::multilabel_margin_loss.out", OutRule::ScalarType},
    {"aten::multinomial.out", OutRule::LongOut},
    {"aten::mv.out", OutRule::Structured},
    {"aten::nan_to_num.out", OutRule::NanToNum},
    {"aten::nanquantile.out", OutRule::Quantile},
    {"aten::nanquantile.scalar_out", OutRule::Quantile},
    {"aten::neg.out", OutRule::Found},
    {"aten::nll_loss.out", OutRule::Structured},
    {"aten::nll_loss2d.out", OutRule::ScalarType},
    {"aten::nll_loss2d_forward.output", OutRule::ScalarType},
    {"aten::nll_loss_forward.output", OutRule::Structured},
    {"aten::polar.out", OutRule::ObjectOut},
    {"aten::pow.Tensor_Scalar_out", OutRule::Found},
    {"aten::quantile.out", OutRule::Quantile},
    {"aten::quantile.scalar_out", OutRule::Quantile},
    {"aten::reflection_pad1d.out", OutRule::Structured},
    {"aten::reflection_pad2d.out", OutRule::ScalarType},
    {"aten::reflection_pad3d.out", OutRule::Structured},
    {"aten::replication_pad1d.out", OutRule::Structured},
    {"aten::replication_pad2d.out", OutRule::Structured},
    {"aten::replication_pad3d.out", OutRule::Structured},
    {"aten::round.out", OutRule::Found},
    {"aten::scatter.src_out", OutRule::Structured},
    {"aten::scatter.value_out", OutRule::Structured},
    {"aten::scatter_add.out", OutRule::Structured},
    {"aten::scatter_reduce.two_out", OutRule::Structured},
    {"aten::sgn.out", OutRule::Found},
    {"aten::sign.out", OutRule::Found},
    {"aten::signbit.out", OutRule::NonBoolean},
    {"aten::silu.out", OutRule::Found},
    {"aten::soft_margin_loss.out", OutRule::Found},
    {"aten::softmax.int_out", OutRule::Structured},
    {"aten::softplus.out", OutRule::Found},
    {"aten::softshrink.out", OutRule::Found},
    {"aten::sort.values", OutRule::Structured},
    {"aten::sort.values_stable", OutRule::Structured},
    {"aten::square.out", OutRule::Found},
    {"aten::take.out", OutRule::Take},
    {"aten::take_along_dim.out", OutRule::Structured},
    {"aten::topk.values", OutRule::Structured},
    {"aten::triangular_solve.X", OutRule::Structured},
    {"aten::tril.out", OutRule::Structured},
    {"aten::triu.out", OutRule::Structured},
    {"aten::trunc.out", OutRule::Found},
    {"aten::upsample_bicubic2d.out", OutRule::Structured},
    {"aten::upsample_bicubic2d_backward.grad_input", OutRule::Structured},
    {"aten::upsample_bilinear2d.out", OutRule::Structured},
    {"aten::upsample_bilinear2d_backward.grad_input", OutRule::Structured},
    {"aten::upsample_linear1d.out", OutRule::Structured},
    {"aten::upsample_linear1d_backward.grad_input", OutRule::Structured},
    {"aten::upsample_nearest1d.out", OutRule::Structured},
    {"aten::upsample_nearest1d_backward.grad_input", OutRule::Structured},
    {"aten::upsample_nearest2d.out", OutRule::Structured},
    {"aten::upsample_nearest2d_backward.grad_input", OutRule::Structured},
    {"aten::upsample_nearest3d.out", OutRule::Structured},
    {"aten::upsample_nearest3d_backward.grad_input", OutRule::Structured},
    {"aten::upsample_trilinear3d.out", OutRule::Structured},
    {"aten::upsample_trilinear3d_backward.grad_input", OutRule::Structured},
    {"aten::vdot.out", OutRule::Dot},
};

// As C++ spells it.
std::string_view type_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Bool: return "bool";
        case ScalarType::UInt8: return "unsigned char";
        case ScalarType::Int8: return "signed char";
        case ScalarType::Int16: return "short int";
        case ScalarType::Int32: return "int";
        case ScalarType::Int64: return "long int";
        case ScalarType::Float32: return "float";
        case ScalarType::Float64: return "double";
        case ScalarType::Float16: return "c10::Half";
        case ScalarType::BFloat16: return "c10::BFloat16";
        case ScalarType::Complex32: return "c10::complex<c10::Half>";
        case ScalarType::Complex64: return "c10::complex<float>";
        default: return "c10::complex<double>";
    }
}

std::string refusal(const StrictOut& form, ScalarType made, ScalarType out) {
    const std::string_view wanted = dtype_graph_name(made), given = dtype_graph_name(out);
    const std::string_view name = form.name.substr(6, form.name.find('.') - 6);
    switch (form.rule) {
        case OutRule::Structured: return concat("Expected out tensor to have dtype ", type_name(made), ", but got ", type_name(out), " instead");
        case OutRule::Found: return concat("Found dtype ", given, " but expected ", wanted);
        case OutRule::ScalarType: return concat("expected scalar type ", wanted, " but found ", given);
        case OutRule::Match:
            return concat("Expected the dtype for input and out to match, but got ", wanted, " for input's dtype and ", given, " for out's dtype.");
        case OutRule::LongOut: return concat(name, " expects Long tensor out, got: ", given);
        case OutRule::SameScalarType: return concat(name, "(): self and result must have the same scalar type");
        case OutRule::BoolResult: return concat(name, " only supports bool tensor for result, got: ", given);
        case OutRule::NonBoolean: return concat(name, " does not support non-boolean outputs.");
        case OutRule::Quantile: return "quantile() out tensor must be same dtype as the input tensor";
        case OutRule::Take: return concat("take(): self and out expected to have the same dtype, but got self.dtype = ", wanted, " and out.dtype = ", given);
        case OutRule::Dot: return concat("result dtype ", given, " does not match input dtype ", wanted);
        case OutRule::ObjectOut: return concat("Expected object of scalar type ", wanted, " but got scalar type ", given, " for argument 'out'");
        case OutRule::NanToNum: return concat("nan_to_num: dtype of out: ", given, " should be same as input: ", wanted);
    }
    return {};
}

}  // namespace

void check_out_dtype(std::string_view full_name, ScalarType made, ScalarType out) {
    if (made == out) return;
    const auto* form = std::lower_bound(std::begin(kStrict), std::end(kStrict), full_name,
                                        [](const StrictOut& entry, std::string_view name) { return entry.name < name; });
    if (form == std::end(kStrict) || form->name != full_name) return;
    // any and all of bytes give bytes.
    if (form->rule == OutRule::BoolResult && out == ScalarType::UInt8) return;
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
