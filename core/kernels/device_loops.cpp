// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/device_loops.h"

#include <algorithm>
#include <deque>

#include "core/dispatch/fallback_observer.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

namespace loupe {

DeviceLoops* device_loops(Device device) {
    DeviceInterface* const interface = device_interface(device.type);
    return interface == nullptr ? nullptr : interface->loops();
}

namespace {

bool counts_up(const std::vector<std::int64_t>& map, std::int64_t size) {
    if (static_cast<std::int64_t>(map.size()) != size) return false;
    for (std::size_t i = 0; i < map.size(); ++i) {
        if (map[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
}

// The transpose of a map to `size` places.
struct Turned {
    std::vector<std::int64_t> index;
    std::int64_t depth = 0;
    Turned(const std::vector<std::int64_t>& map, std::int64_t size) {
        std::vector<std::int64_t> count(static_cast<std::size_t>(size), 0);
        for (const std::int64_t to : map) depth = std::max(depth, ++count[static_cast<std::size_t>(to)]);
        index.assign(static_cast<std::size_t>(size * depth), -1);
        std::ranges::fill(count, 0);
        for (std::size_t i = 0; i < map.size(); ++i) {
            const std::int64_t k = count[static_cast<std::size_t>(map[i])]++;
            index[static_cast<std::size_t>(k * size + map[i])] = static_cast<std::int64_t>(i);
        }
    }
};

}  // namespace

bool copy_by_taps(const Tensor& to, const Tensor& from, std::span<const std::vector<std::int64_t>> maps) {
    DeviceLoops* const loops = device_loops(to.device());
    if (loops == nullptr || !(to.device() == from.device())) return false;
    std::vector<DimTaps> dims;
    for (std::size_t d = 0; d < maps.size(); ++d) {
        const bool is_own = counts_up(maps[d], from.sizes()[d]);
        dims.push_back(is_own ? DimTaps{} : DimTaps{static_cast<std::int64_t>(maps[d].size()), 1, maps[d]});
    }
    return loops->apply_taps(to, from, dims);
}

bool add_by_taps(const Tensor& to, const Tensor& from, std::span<const std::vector<std::int64_t>> maps) {
    DeviceLoops* const loops = device_loops(to.device());
    if (loops == nullptr || !(to.device() == from.device())) return false;
    std::deque<Turned> turned;
    std::vector<DimTaps> dims;
    for (std::size_t d = 0; d < maps.size(); ++d) {
        const std::int64_t size = to.sizes()[d];
        if (counts_up(maps[d], size)) {
            dims.emplace_back();
            continue;
        }
        turned.emplace_back(maps[d], size);
        dims.push_back({size, turned.back().depth, turned.back().index});
    }
    return loops->apply_taps(to, from, dims);
}

Tensor HostCopies::of(const Tensor& t) {
    const Clock::time_point began = Clock::now();
    Tensor host = on_host(t);
    count(t, began);
    return host;
}

void HostCopies::put_back(const Tensor& to, const Tensor& host) {
    const Clock::time_point began = Clock::now();
    copy_memory(to, host);
    count(to, began);
}

void HostCopies::tell(Device device) const {
    if (FallbackObserver* const observer = fallback_observer()) observer->on_fallback({device, bytes_, seconds_});
}

void HostCopies::count(const Tensor& t, Clock::time_point began) {
    bytes_ += t.bytes();
    seconds_ += std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace loupe
