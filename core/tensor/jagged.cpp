// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/jagged.h"

#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// One number for each tensor of offsets (or lengths). A storage's number is never used again.
std::int64_t id_of(const Tensor& offsets) {
    static std::mutex mutex;
    static std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t> ids;
    const std::scoped_lock lock(mutex);
    const auto key = std::pair(offsets.storage()->id(), offsets.storage_offset());
    return ids.try_emplace(key, static_cast<std::int64_t>(ids.size()) + 1).first->second;
}

bool are_places(const Tensor& t) {
    return t.dim() == 1 && (t.dtype() == ScalarType::Int64 || t.dtype() == ScalarType::Int32);
}

Tensor make(std::shared_ptr<const JaggedParts> parts) {
    const Tensor& values = parts->values;
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = values.storage();
    impl->offset = values.storage_offset();
    impl->dtype = values.dtype();
    impl->sizes = to_dims(values.sizes());
    impl->sizes[static_cast<std::size_t>(parts->ragged - 1)] = ragged_size(parts->id);
    impl->sizes.insert(impl->sizes.begin(), parts->batch());
    impl->strides = to_dims(values.strides());
    impl->strides.insert(impl->strides.begin(), 0);
    impl->numel = values.numel();
    impl->contiguous = values.is_contiguous() && !parts->lengths.defined();
    impl->sparse = std::move(parts);
    return Tensor(std::move(impl));
}

}  // namespace

Tensor make_jagged(const Tensor& values, const Tensor& offsets, const Tensor& lengths, std::int64_t ragged,
                   std::shared_ptr<SequenceLengths> known) {
    if (values.is_sparse()) fail("values must not be a NestedTensor");
    if (offsets.dim() != 1) fail(concat("offsets must be 1D, but got ", offsets.dim(), "D"));
    if (!are_places(offsets) || offsets.numel() < 1) fail("offsets must be int64 or int32 of shape batch size + 1");
    if (lengths.defined() && (!are_places(lengths) || lengths.numel() != offsets.numel() - 1)) {
        fail(concat("offsets and lengths batch sizes must match: offsets.shape[0] - 1 = ", offsets.numel() - 1,
                    ", lengths.shape[0] = ", lengths.dim() == 1 ? lengths.numel() : 0));
    }
    if (ragged < 1 || ragged > values.dim()) fail(concat("the values have no dimension ", ragged - 1, " to be ragged"));
    auto parts = std::make_shared<JaggedParts>();
    parts->values = values;
    parts->offsets = offsets;
    parts->lengths = lengths;
    parts->ragged = ragged;
    parts->id = id_of(lengths.defined() ? lengths : offsets);
    parts->known = known ? std::move(known) : std::make_shared<SequenceLengths>();
    return make(std::move(parts));
}

Tensor with_jagged_values(const Tensor& t, const Tensor& values, std::int64_t ragged) {
    const JaggedParts& parts = jagged_parts(t);
    return make_jagged(values, parts.offsets, parts.lengths, ragged, parts.known);
}
Tensor with_jagged_values(const Tensor& t, const Tensor& values) {
    return with_jagged_values(t, values, jagged_parts(t).ragged);
}

}  // namespace loupe
