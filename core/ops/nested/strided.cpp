// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nested/strided.h"

#include <algorithm>

#include "core/dispatch/functions.h"

namespace loupe::nested_ops {
namespace {

const OperatorHandle<> kAsStrided{"aten::as_strided"}, kView{"aten::view"}, kNarrow{"aten::narrow"},
    kReshape{"aten::reshape"}, kCat{"aten::cat"}, kStack{"aten::stack"}, kPad{"aten::constant_pad_nd"},
    kSelect{"aten::select.int"};

// What is added behind each dimension, the last first, as constant_pad_nd takes it.
Dims missing(IntSpan sizes, const Dims& wanted) {
    Dims out;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        out.push_back(0);
        out.push_back(wanted[d + 1] - sizes[d]);
    }
    return out;
}

}  // namespace

TensorList constituents(const Tensor& nested) {
    const NestedParts& parts = nested_parts(nested);
    TensorList out;
    for (std::size_t i = 0; i < parts.sizes.size(); ++i) {
        const Dims& sizes = parts.sizes[i];
        if (parts.strides[i] == contiguous_strides(span_of(sizes))) {
            const std::int64_t count = checked_numel(span_of(sizes));
            out.push_back(kView(kNarrow(parts.buffer, std::int64_t{0}, parts.offsets[i], count), sizes));
        } else {
            out.push_back(
                kAsStrided(parts.buffer, sizes, parts.strides[i], parts.buffer.storage_offset() + parts.offsets[i]));
        }
    }
    return out;
}

Tensor nested_of(const TensorList& constituents, ScalarType dtype) {
    if (constituents.empty()) return make_nested(empty(span_of(Dims{0}), dtype), {});
    std::vector<Dims> sizes;
    TensorList flat;
    for (const Tensor& each : constituents) {
        sizes.push_back(to_dims(each.sizes()));
        flat.push_back(kReshape(each, Dims{-1}));
    }
    return make_nested(kCat(flat, std::int64_t{0}), std::move(sizes));
}

Tensor mapped_constituents(const Tensor& nested, const std::function<Tensor(const Tensor& each)>& f) {
    TensorList out = constituents(nested);
    for (Tensor& each : out) each = f(each);
    return nested_of(out, nested.dtype());
}

Tensor padded_constituents(const Tensor& nested, double padding, const std::optional<Dims>& sizes) {
    const NestedParts& parts = nested_parts(nested);
    Dims wanted(static_cast<std::size_t>(nested.dim()), 0);
    wanted[0] = parts.batch();
    for (const Dims& each : parts.sizes)
        for (std::size_t d = 0; d < each.size(); ++d) wanted[d + 1] = std::max(wanted[d + 1], each[d]);
    if (sizes) {
        if (sizes->size() != wanted.size()) {
            fail("Length of output_size does not match NestedTensor dims. Broadcasting is not supported.");
        }
        for (std::size_t d = 0; d < wanted.size(); ++d) {
            if ((*sizes)[d] < wanted[d])
                fail("Value in output_size is less than NestedTensor padded size. Truncation is not supported.");
        }
        wanted = *sizes;
    }
    TensorList rows;
    for (const Tensor& each : constituents(nested)) {
        const Dims more = missing(each.sizes(), wanted);
        rows.push_back(more.empty() ? each : kPad(each, more, Scalar(padding)));
    }
    while (static_cast<std::int64_t>(rows.size()) < wanted[0] || rows.empty()) {
        if (wanted[0] == 0) return empty(span_of(wanted), nested.dtype());
        rows.push_back(fn::full_like(rows.empty() ? nested_values(nested) : rows[0], Scalar(padding)));
    }
    return kStack(rows, std::int64_t{0});
}

Tensor cropped_constituents(const Tensor& padded, const std::vector<Dims>& sizes) {
    TensorList out;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Tensor each = kSelect(padded, std::int64_t{0}, static_cast<std::int64_t>(i));
        for (std::size_t d = 0; d < sizes[i].size(); ++d)
            each = kNarrow(each, static_cast<std::int64_t>(d), std::int64_t{0}, sizes[i][d]);
        out.push_back(each);
    }
    return nested_of(out, padded.dtype());
}

}  // namespace loupe::nested_ops
