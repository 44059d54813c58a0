// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/device_fallback.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/each_tensor.h"
#include "core/dispatch/fallback_observer.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_graphs.h"
#include "core/value/map_tensors.h"

namespace loupe {
namespace {

constexpr std::size_t kAlignment = 16;  // of every element size

// visit(tensor) for each tensor that the call writes.
template <typename Visit>
void each_written(const Operator& op, std::span<const IValue> arguments, Visit&& visit) {
    for (std::uint64_t bits = op.written_arguments | op.unmarked_writes | op.written_elements; bits != 0;
         bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(bits));
        if (i < arguments.size()) visit_tensors(arguments[i], visit);
    }
}

thread_local Device device_of_fallback;
thread_local FallbackObserver* observer_of_fallbacks = nullptr;

bool is_number_beside(const Tensor& t) { return t.dim() == 0 && t.device().is_cpu(); }

}  // namespace

Device device_of_call(const Operator& op, std::span<const IValue> arguments) {
    Device device;
    bool any = false;
    each_tensor(op, arguments, [&](const Tensor& t) {
        any = true;
        if (device.is_cpu()) device = t.device();
    });
    if (op.device_argument >= 0) {
        const IValue& given = arguments[static_cast<std::size_t>(op.device_argument)];
        if (given.is_device() && (!any || op.record->placement == Placement::OneDevice)) return given.to_device();
    }
    return device;
}

void check_same_device(const Operator& op, std::span<const IValue> arguments) {
    if (op.works_anywhere || op.record->placement == Placement::Mixed) return;
    std::optional<Device> first;
    each_tensor(op, arguments, [&](const Tensor& t) {
        if (is_number_beside(t)) return;
        if (!first) first = t.device();
        if (*first == t.device()) return;
        throw Error(ErrorKind::Run,
                    concat("Expected all tensors to be on the same device, but found at least two devices, ",
                           device_name(*first), " and ", device_name(t.device()), "!"));
    });
}

Device fallback_device() { return device_of_fallback; }

FallbackObserver* fallback_observer() { return observer_of_fallbacks; }
void set_fallback_observer(FallbackObserver* observer) { observer_of_fallbacks = observer; }

HostArguments::~HostArguments() { device_of_fallback = device_around_; }

HostArguments::HostArguments(const Operator& op, std::span<const IValue> arguments)
    : op_(op), arguments_(arguments), device_(device_of_call(op, arguments)), device_around_(device_of_fallback) {
    if (is_capturing(device_))
        throw Error(ErrorKind::Run, concat(op.full_name, " has no kernel on ", device_name(device_),
                                           " and is not permitted when stream is capturing: it would run on the CPU"));
    const auto reserve_one = [&](const Tensor& t) { reserve(t); };
    for (const IValue& value : arguments) visit_tensors(value, reserve_one);
    for (Block& block : blocks_) {
        block.host = Storage::allocate(block.end - block.first);
        copy_bytes(*block.host, 0, *block.device, block.first, block.end - block.first);
        copied_ += block.end - block.first;
    }
    for (const IValue& value : arguments) {
        if (value.is_device())
            values_.emplace_back(Device{});
        else
            values_.push_back(map_tensors(value, [&](const Tensor& t) { return to_host(t); }));
    }
    device_of_fallback = device_;
}

void HostArguments::reserve(const Tensor& t) {
    if (t.device().is_cpu() || t.is_sparse()) return;
    const ElementRange range = range_of(t);
    const auto size = static_cast<std::size_t>(t.element_size());
    const std::size_t first = static_cast<std::size_t>(range.first) * size / kAlignment * kAlignment;
    const std::size_t end = static_cast<std::size_t>(range.first + range.count) * size;
    const auto known = std::ranges::find_if(blocks_, [&](const Block& block) { return block.device == t.storage(); });
    if (known == blocks_.end()) {
        blocks_.push_back({t.storage(), nullptr, first, std::max(first, end)});
    } else if (range.count > 0) {
        known->first = std::min(known->first, first);
        known->end = std::max(known->end, end);
    }
}

Tensor HostArguments::to_host(const Tensor& t) {
    if (!t.defined() || t.device().is_cpu() || t.is_sparse()) return t;
    const auto known = std::ranges::find_if(pairs_, [&](const Pair& pair) { return pair.device.is_same(t); });
    if (known != pairs_.end()) return known->host;
    const auto block = std::ranges::find_if(blocks_, [&](const Block& each) { return each.device == t.storage(); });
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = block->host;
    // A tensor without elements may stand before the block.
    impl->offset = t.numel() == 0 ? 0 : t.storage_offset() - static_cast<std::int64_t>(block->first) / t.element_size();
    impl->dtype = t.dtype();
    impl->set_sizes_strides(t.sizes(), t.strides());
    impl->wrapped_number = t.impl()->wrapped_number;
    pairs_.push_back({t, Tensor(std::move(impl))});
    return pairs_.back().host;
}

HostArguments::Block* HostArguments::block_of_host(const Storage* host) {
    const auto found = std::ranges::find_if(blocks_, [&](const Block& block) { return block.host.get() == host; });
    return found == blocks_.end() ? nullptr : &*found;
}

Tensor HostArguments::to_device(const Tensor& t) {
    if (!t.defined() || t.is_sparse()) return t;
    const auto known = std::ranges::find_if(pairs_, [&](const Pair& pair) { return pair.host.is_same(t); });
    if (known != pairs_.end()) return known->device;
    if (const Block* const block = block_of_host(t.storage().get())) {
        Ptr<TensorImpl> impl(new TensorImpl);
        impl->storage = block->device;
        impl->offset = t.storage_offset() + static_cast<std::int64_t>(block->first) / t.element_size();
        impl->dtype = t.dtype();
        impl->set_sizes_strides(t.sizes(), t.strides());
        return Tensor(std::move(impl));
    }
    // An argument that was on the CPU goes back as it is.
    bool is_given = false;
    each_tensor(op_, arguments_, [&](const Tensor& given) { is_given = is_given || given.storage() == t.storage(); });
    if (is_given || device_.is_cpu()) return t;
    copied_ += t.bytes();
    return on_device(t, device_);
}

void HostArguments::write_back(const Tensor& t) {
    const auto pair = std::ranges::find_if(pairs_, [&](const Pair& each) { return each.device.is_same(t); });
    if (pair == pairs_.end()) return;
    if (Block* const block = block_of_host(pair->host.storage().get())) {
        if (!block->is_written) {
            copy_bytes(*block->device, block->first, *block->host, 0, block->end - block->first);
            copied_ += block->end - block->first;
            block->is_written = true;
        }
        const TensorImpl& before = *pair->device.impl();
        const TensorImpl& after = *pair->host.impl();
        const std::int64_t shift = static_cast<std::int64_t>(block->first) / element_size(after.dtype);
        if (before.sizes == after.sizes && before.strides == after.strides && before.dtype == after.dtype) return;
        Ptr<TensorImpl> impl(new TensorImpl);
        impl->storage = block->device;
        impl->offset = after.offset + shift;
        impl->dtype = after.dtype;
        impl->set_sizes_strides(span_of(after.sizes), span_of(after.strides));
        pair->device.set_metadata_from(Tensor(std::move(impl)));
        return;
    }
    // Resized, or given other memory.
    pair->device.set_metadata_from(on_device(pair->host, pair->device.device()));
}

void HostArguments::finish(std::span<IValue> results) {
    each_written(op_, arguments_, [&](const Tensor& t) { write_back(t); });
    for (IValue& result : results) result = map_tensors(result, [&](const Tensor& t) { return to_device(t); });
}

}  // namespace loupe
