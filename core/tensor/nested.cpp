// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/nested.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/allocation_observers.h"
#include "core/tensor/copy_elements.h"

namespace loupe {
namespace {

constexpr std::int64_t kMostDimensions = 63;

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// The whole's size in dimension d of the constituents.
std::int64_t common_size(const NestedParts& parts, std::size_t d) {
    const std::int64_t first = parts.sizes[0][d];
    const bool is_regular = std::ranges::all_of(parts.sizes, [&](const Dims& each) { return each[d] == first; });
    return is_regular ? first : ragged_size(0);
}

std::int64_t count_of(const Dims& sizes) { return checked_numel(span_of(sizes)); }

// One past the last element that a constituent has; its offset where it has none.
std::int64_t end_of(const NestedParts& parts, std::size_t i) {
    std::int64_t end = parts.offsets[i];
    if (count_of(parts.sizes[i]) == 0) return end;
    for (std::size_t d = 0; d < parts.sizes[i].size(); ++d) {
        std::int64_t step = 0;
        if (parts.strides[i][d] < 0 || __builtin_mul_overflow(parts.sizes[i][d] - 1, parts.strides[i][d], &step) ||
            __builtin_add_overflow(end, step, &end))
            fail("the strides of a nested tensor are out of range");
    }
    return end + 1;
}

bool are_row_major(const NestedParts& parts) {
    std::int64_t start = 0;
    for (std::size_t i = 0; i < parts.sizes.size(); ++i) {
        if (parts.offsets[i] != start || parts.strides[i] != contiguous_strides(span_of(parts.sizes[i]))) return false;
        start += count_of(parts.sizes[i]);
    }
    return start == parts.buffer.numel();
}

Tensor make(std::shared_ptr<NestedParts> parts) {
    const Tensor& buffer = parts->buffer;
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = buffer.storage();
    impl->offset = buffer.storage_offset();
    impl->dtype = buffer.dtype();
    impl->sizes.push_back(parts->batch());
    for (std::size_t d = 0; d < static_cast<std::size_t>(parts->rank); ++d)
        impl->sizes.push_back(common_size(*parts, d));
    impl->strides = Dims(impl->sizes.size(), 0);
    for (const Dims& sizes : parts->sizes) {
        if (__builtin_add_overflow(impl->numel, count_of(sizes), &impl->numel))
            fail("a nested tensor has too many elements");
    }
    impl->contiguous = parts->is_contiguous;
    impl->sparse = std::move(parts);
    return Tensor(std::move(impl));
}

}  // namespace

Tensor NestedParts::elements() const {
    if (is_contiguous) return buffer;
    const UnobservedAllocationScope unobserved;
    const Tensor here = look_at_elements(buffer);
    std::int64_t total = 0;
    for (const Dims& each : sizes) total += count_of(each);
    const Tensor out = empty(span_of(Dims{total}), here.dtype());
    auto* to = static_cast<std::byte*>(out.raw_data());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t offset = here.storage_offset() + offsets[i];
        const Tensor copy = copy_elements(here.view_as_strided(span_of(sizes[i]), span_of(strides[i]), offset));
        to = std::copy_n(static_cast<const std::byte*>(copy.raw_data()), copy.bytes(), to);
    }
    return out;
}

Tensor make_nested(const Tensor& buffer, std::vector<Dims> sizes) {
    std::vector<Dims> strides;
    Dims offsets;
    std::int64_t start = 0;
    for (const Dims& each : sizes) {
        strides.push_back(contiguous_strides(span_of(each)));
        offsets.push_back(start);
        start += count_of(each);
    }
    if (start != buffer.numel())
        fail(concat("a nested tensor of ", start, " elements needs as many, got ", buffer.numel()));
    return make_nested(buffer, std::move(sizes), std::move(strides), std::move(offsets));
}

Tensor make_nested(const Tensor& buffer, std::vector<Dims> sizes, std::vector<Dims> strides, Dims offsets) {
    if (buffer.is_sparse() || buffer.dim() != 1 || !buffer.is_contiguous())
        fail("the buffer of a nested tensor must be contiguous and of one dimension");
    if (strides.size() != sizes.size() || offsets.size() != sizes.size())
        fail("a nested tensor needs sizes, strides and an offset for each constituent");
    auto parts = std::make_shared<NestedParts>();
    parts->buffer = buffer;
    parts->rank = sizes.empty() ? 0 : static_cast<std::int64_t>(sizes[0].size());
    if (parts->rank > kMostDimensions) fail(concat("a nested tensor of ", parts->rank + 1, " dimensions"));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (static_cast<std::int64_t>(sizes[i].size()) != parts->rank || strides[i].size() != sizes[i].size())
            fail("the constituents of a nested tensor must have the same dimension");
    }
    parts->sizes = std::move(sizes);
    parts->strides = std::move(strides);
    parts->offsets = std::move(offsets);
    for (std::size_t i = 0; i < parts->sizes.size(); ++i) {
        if (parts->offsets[i] < 0 || end_of(*parts, i) > buffer.numel())
            fail(concat("constituent ", i, " of a nested tensor leaves its buffer of ", buffer.numel(), " elements"));
    }
    parts->is_contiguous = are_row_major(*parts);
    return make(std::move(parts));
}

std::int64_t regular_size(const Tensor& nested, std::int64_t dim) {
    const std::int64_t place = wrap_dim(dim, nested.dim());
    const std::int64_t size = nested.sizes()[static_cast<std::size_t>(place)];
    if (is_ragged_size(size)) fail(concat("Given dimension ", place, " is irregular and does not have a size."));
    return size;
}

const Tensor& nested_values(const Tensor& t) { return is_jagged(t) ? jagged_parts(t).values : nested_parts(t).buffer; }

Tensor nested_values_or_itself(const Tensor& t) { return t.defined() && is_nested(t) ? nested_values(t) : t; }

Tensor with_nested_values(const Tensor& t, const Tensor& values) {
    if (is_jagged(t)) return with_jagged_values(t, values);
    const NestedParts& parts = nested_parts(t);
    return make_nested(values, parts.sizes, parts.strides, parts.offsets);
}

}  // namespace loupe
