// SPDX-License-Identifier: Apache-2.0
// Where values belong in sorted sequences: searchsorted and bucketize.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/promotion.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"

namespace loupe::indexing {
namespace {

// NaN is greater than all numbers.
template <typename T>
bool before(T a, T b) {
    return a < b || (a == a && b != b);
}

template <typename T>
void search_rows(const Tensor& out, const Tensor& sequence, const Tensor& values, bool right) {
    const std::int64_t length = sequence.size(-1);
    const std::int64_t rows = sequence.dim() == 1 ? 1 : sequence.numel() / std::max<std::int64_t>(length, 1);
    const std::int64_t per_row = std::max<std::int64_t>(rows == 0 ? 0 : values.numel() / rows, 1);
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        const T* begin = sequence.data<T>() + (sequence.dim() == 1 ? 0 : i / per_row * length);
        const T value = values.data<T>()[i];
        const T* found = right ? std::upper_bound(begin, begin + length, value, before<T>)
                               : std::lower_bound(begin, begin + length, value, before<T>);
        if (out.dtype() == ScalarType::Int32)
            out.data<std::int32_t>()[i] = static_cast<std::int32_t>(found - begin);
        else
            out.data<std::int64_t>()[i] = found - begin;
    }
}

void check_shapes(const Tensor& sequence, const Tensor& values) {
    if (sequence.dim() == 0)
        throw Error(ErrorKind::Run,
                    "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1");
    if (sequence.dim() == 1) return;
    if (values.dim() == sequence.dim() && std::ranges::equal(sequence.sizes().first(sequence.sizes().size() - 1),
                                                             values.sizes().first(values.sizes().size() - 1))) {
        return;
    }
    throw Error(
        ErrorKind::Run,
        concat(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            "tensor and input value tensor must match, but we got boundaries tensor ",
            shape_list_text(sequence.sizes()), " and input value tensor ", shape_list_text(values.sizes())));
}

Tensor searchsorted(const Tensor& given, const Tensor& values, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
    if (side && *side != "left" && *side != "right") {
        throw Error(ErrorKind::Run, concat("torch.searchsorted(): side can only be 'left' or 'right' but got ", *side));
    }
    if (side && right && *side == "left") {
        throw Error(
            ErrorKind::Run,
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
    }
    check_shapes(given, values);
    if (sorter.defined() && !std::ranges::equal(sorter.sizes(), given.sizes())) {
        throw Error(
            ErrorKind::Run,
            concat("torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ",
                   shape_list_text(given.sizes()), " and got sorter tensor ", shape_list_text(sorter.sizes())));
    }
    const Tensor sequence = sorter.defined() ? fn::gather(given, -1, sorter, false) : given;
    const ScalarType dtype = result_type(sequence, values);
    const Tensor out = empty(values.sizes(), out_int32 ? ScalarType::Int32 : ScalarType::Int64);
    const Tensor sorted =
        dense(sequence, dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16 ? ScalarType::Float32 : dtype);
    const Tensor wanted = dense(values, sorted.dtype());
    visit_dtype(sorted.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_arithmetic_v<T>)
            search_rows<T>(out, sorted, wanted, right || (side && *side == "right"));
        else
            throw Error(ErrorKind::Run, "torch.searchsorted(): complex numbers have no order");
    });
    return out;
}
Tensor searchsorted_number(const Tensor& sequence, const Scalar& value, bool out_int32, bool right,
                           std::optional<std::string_view> side, const Tensor& sorter) {
    return searchsorted(sequence, scalar_tensor(value, sequence.dtype()), out_int32, right, side, sorter);
}
Tensor bucketize(const Tensor& values, const Tensor& boundaries, bool out_int32, bool right) {
    if (boundaries.dim() != 1)
        throw Error(ErrorKind::Run,
                    concat("boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")"));
    return searchsorted(boundaries, values, out_int32, right, std::nullopt, {});
}
Tensor bucketize_number(const Scalar& value, const Tensor& boundaries, bool out_int32, bool right) {
    return bucketize(scalar_tensor(value, boundaries.dtype()), boundaries, out_int32, right);
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
         "str? side=None, Tensor? sorter=None) -> Tensor",
     .summary = "Where each value would go in the sorted sequence to keep it sorted.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<searchsorted>,
     .variants = kOut,
     .out = {.overload = "Tensor_out"},
     .is_gradient_stop = true,
     .dtypes = {kCommonDtypes & ~dtype_bit(ScalarType::Bool), "searchsorted_out_cpu"}},
    {.schema =
         "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, "
         "str? side=None, Tensor? sorter=None) -> Tensor",
     .summary = "Where the value would go in the sorted sequence to keep it sorted.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<searchsorted_number>,
     .variants = kOut,
     .out = {.overload = "Scalar_out"},
     .is_gradient_stop = true},
    {.schema =
         "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
     .summary = "Which bucket between the boundaries each value is in.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<bucketize>,
     .variants = kOut,
     .out = {.overload = "Tensor_out"},
     .is_gradient_stop = true,
     .dtypes = {kCommonDtypes & ~dtype_bit(ScalarType::Bool), "searchsorted_out_cpu"}},
    {.schema =
         "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
     .summary = "Which bucket between the boundaries the value is in.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<bucketize_number>,
     .variants = kOut,
     .out = {.overload = "Scalar_out"},
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> search_records() { return kRecords; }

}  // namespace loupe::indexing
