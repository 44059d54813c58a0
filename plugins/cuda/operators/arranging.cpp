// SPDX-License-Identifier: Apache-2.0
// Operators whose kernels move elements by loops alone, and those that keep a part of a matrix.
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// 0, 1, 2, ... along the last dimension but `behind`.
Tensor places(std::int64_t count, std::int64_t behind, Device device) {
    const Tensor line = fn::arange(Scalar(count), static_cast<std::int64_t>(ScalarType::Int64), IValue(), device);
    return behind == 0 ? line : fn::unsqueeze(line, -1);
}

// The numbers are (end), (start, end) or (start, end, step).
template <std::size_t kNumbers>
void arange(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const Room room(out);
    const auto both = [](const Scalar& value) {
        Numbers numbers;
        numbers.real[0] = value.to_double();
        numbers.whole[0] = value.to<std::int64_t>();
        return numbers;
    };
    run_range(queue_of(out.device()), element_of(out.dtype()),
              both(kNumbers == 1 ? Scalar(0) : arguments[0].to_scalar()),
              both(kNumbers == 3 ? arguments[2].to_scalar() : Scalar(1)), out.numel(), address_of(room.tensor()));
    room.put_back();
}
bool takes_known_dtype(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    // Where it is said; else it is one of those that loops know.
    const IValue& given = a[a.size() - 4];
    const bool is_taken = given.is_none() || is_known(static_cast<ScalarType>(given.to_int()));
    if (!is_taken && why != nullptr) *why = "a dtype that loops have not";
    return is_taken;
}

template <bool kLower>
void triangle(const Tensor& out, const Tensor& self, std::int64_t diagonal) {
    if (out.numel() == 0) return;
    const Tensor above =
        fn::sub(places(self.size(-1), 0, self.device()), places(self.size(-2), 1, self.device()), Scalar(1));
    const Tensor keeps = kLower ? fn::le_scalar(above, Scalar(diagonal)) : fn::ge_scalar(above, Scalar(diagonal));
    const Tensor none = empty(std::array{std::int64_t{1}}, self.dtype(), self.device());
    fill_with(none, 0);
    copy_into(out, fn::where(keeps, self, none));
}

// The rows of triangle_indices: places of the mask's elements, by rows.
template <bool kLower>
void triangle_indices(Arguments a, IValue* results) {
    const std::int64_t rows = a[0].to_int(), columns = a[1].to_int(), offset = a[2].to_int();
    const Device device = a[5].to_device();
    const Tensor beyond = fn::sub(places(columns, 0, device), places(rows, 1, device), Scalar(1));
    const Tensor keeps = kLower ? fn::le_scalar(beyond, Scalar(offset)) : fn::ge_scalar(beyond, Scalar(offset));
    const ScalarType dtype = a[3].is_none() ? ScalarType::Int64 : static_cast<ScalarType>(a[3].to_int());
    results[0] = dense(fn::t(fn::nonzero(keeps)), dtype);
}
// A mask of the whole matrix is worth it where the triangle is a good part of it.
bool takes_triangle(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    const std::int64_t rows = a[0].to_int(), columns = a[1].to_int();
    const bool is_small = rows > 0 && columns > 0 && rows <= kMost / columns &&
                          (a[3].is_none() || is_known(static_cast<ScalarType>(a[3].to_int())));
    if (!is_small && why != nullptr) *why = "a matrix of no or many elements";
    return is_small;
}

bool takes_known_image(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    if (!is_known(dtype) && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_known(dtype);
}
bool takes_matrix(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    const bool is_taken = (is_known(dtype) || is_complex_element(dtype)) && a[0].to_tensor().dim() >= 2;
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_taken;
}

// The CPU's kernels of these touch no element.
constexpr std::string_view kAnywhere[] = {"aten::_unsafe_view",   "aten::as_strided_",
                                          "aten::detach_",        "aten::empty.memory_format",
                                          "aten::empty_like",     "aten::empty_strided",
                                          "aten::new_empty",      "aten::new_empty_strided",
                                          "aten::requires_grad_", "aten::squeeze_",
                                          "aten::squeeze_.dim",   "aten::swapaxes_",
                                          "aten::swapdims_",      "aten::t_",
                                          "aten::transpose_",     "aten::unsqueeze_"};
// The CPU's kernels of these are copies, fills and elementwise loops, which go where the tensors are.
constexpr std::string_view kByLoops[] = {
    "aten::_stack",
    "aten::as_strided_scatter",
    "aten::cat",
    "aten::constant_pad_nd",
    "aten::diag_embed",
    "aten::diagonal_backward",
    "aten::diagonal_scatter",
    "aten::fill_diagonal_",
    "aten::full",
    "aten::full_like",
    "aten::flip",
    "aten::huber_loss",
    "aten::huber_loss_backward",
    "aten::mse_loss",
    "aten::mse_loss_backward",
    "aten::new_full",
    "aten::new_ones",
    "aten::new_zeros",
    "aten::ones",
    "aten::ones_like",
    "aten::pixel_shuffle",
    "aten::pixel_unshuffle",
    "aten::repeat",
    "aten::roll",
    "aten::scalar_tensor",
    "aten::select_backward",
    "aten::select_scatter",
    "aten::slice_backward",
    "aten::slice_scatter",
    "aten::smooth_l1_loss",
    "aten::smooth_l1_loss_backward",
    "aten::stack",
    "aten::unfold_backward",
    "aten::zeros",
    "aten::zeros_like",
    "aten::_trilinear",
    "aten::_euclidean_dist",
    "aten::_dyn_quant_pack_4bit_weight",
    "aten::_int_mm",
    "aten::_weight_int8pack_mm",
    "aten::addr",
    "aten::cholesky",
    "aten::eye",
    "aten::eye.m",
    "aten::embedding_sparse_backward",
    "aten::histogram.bin_ct",
    "aten::histogram.bins_tensor",
    "aten::_linalg_det",
    "aten::_linalg_slogdet",
    "aten::_linalg_solve_ex",
    "aten::linalg_cross",
    "aten::linalg_inv_ex",
    "aten::linalg_lu",
    "aten::linalg_matrix_exp",
    "aten::linalg_matrix_sqrth",
    "aten::linalg_polar",
    "aten::one_hot",
    "aten::repeat_interleave.Tensor",
    "aten::sparse_coo_tensor.indices",
    "aten::sparse_coo_tensor.indices_size",
    "aten::sparse_mask",
    "aten::symeig",
    "aten::to_dense",
    "aten::to_sparse",
    "aten::unsafe_split.Tensor",
    "aten::unsafe_split_with_sizes",
    "aten::binary_cross_entropy_with_logits",
};
// By taps.
constexpr std::string_view kByTaps[] = {"reflection_pad1d",  "reflection_pad2d",  "reflection_pad3d",
                                        "replication_pad1d", "replication_pad2d", "replication_pad3d"};
constexpr std::string_view kResampled[] = {
    "upsample_nearest1d",        "upsample_nearest2d",        "upsample_nearest3d",      "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "upsample_linear1d",       "upsample_bilinear2d",
    "upsample_trilinear3d",      "upsample_bicubic2d",        "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"};

}  // namespace

void register_arranging(const Registration& to) {
    const auto as_it_is = [&](const std::string& name, AcceptFunction accepts) {
        if (const Operator* const op = find_operator(name); op != nullptr && op->record->kernel.function != nullptr)
            to.add(name, op->record->kernel.function, accepts);
    };
    for (const std::string_view name : kAnywhere) as_it_is(std::string(name), takes);
    for (const std::string_view name : kByLoops) as_it_is(std::string(name), takes);
    for (const std::string_view name : kByTaps) {
        as_it_is(concat("aten::", name), takes);
        as_it_is(concat("aten::", name, "_backward"), takes_floating<0, 1>);
    }
    for (const std::string_view name : kResampled) {
        for (const std::string_view overload : {"", ".vec"}) {
            as_it_is(concat("aten::", name, overload), takes_known_image);
            as_it_is(concat("aten::", name, "_backward", overload), takes_known_image);
        }
    }
    to.add("aten::arange", &arange<1>, takes_known_dtype);
    to.add("aten::arange.start", &arange<2>, takes_known_dtype);
    to.add("aten::arange.start_step", &arange<3>, takes_known_dtype);
    to.add("aten::tril_indices", &triangle_indices<true>, takes_triangle);
    to.add("aten::triu_indices", &triangle_indices<false>, takes_triangle);
    to.add("aten::tril", filling<triangle<true>>, takes_matrix);
    to.add("aten::triu", filling<triangle<false>>, takes_matrix);
}

}  // namespace loupe::cuda
