// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/releasable.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/operators.h"
#include "core/tensor/allocation_observers.h"
#include "core/tensor/device_interface.h"

namespace loupe::distributed {

ReleasableMemory::ReleasableMemory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    void* const made =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        throw Error(ErrorKind::Run, concat("out of memory: ", bytes_, " bytes of whole parameters"));
    data_ = made;
}

ReleasableMemory::~ReleasableMemory() {
    release();
    munmap(data_, bytes_);
}

void ReleasableMemory::report(bool is_free) const {
    if (auto* observer = allocation_observer())
        observer->on_allocation({storage_id_, data_, bytes_, Device{}, MemoryCategory::Parameter, is_free});
}

void ReleasableMemory::release() {
    if (!is_there_) return;
    madvise(data_, bytes_, MADV_DONTNEED);
    is_there_ = false;
    report(true);
}

void ReleasableMemory::restore() {
    if (is_there_) return;
    is_there_ = true;
    report(false);
}

Releasable make_releasable(IntSpan sizes, ScalarType dtype, Device device) {
    if (!device.is_cpu()) return {empty(sizes, dtype, device), nullptr};
    const auto bytes = static_cast<std::size_t>(checked_numel(sizes) * element_size(dtype));
    auto memory = make_ptr<ReleasableMemory>(bytes);
    Ptr<TensorImpl> impl(new TensorImpl);
    impl->storage = Storage::view_of(memory->data(), bytes, memory, MemoryCategory::Parameter);
    impl->dtype = dtype;
    impl->set_sizes_strides(sizes, span_of(contiguous_strides(sizes)));
    memory->set_storage(impl->storage->id());
    return {Tensor(std::move(impl)), std::move(memory)};
}

namespace {

// to, of n elements: `lines` times the blocks of all ranks side by side.
void copy_blocks(const Tensor& to, const Tensor& from, std::int64_t first, std::int64_t ranks, std::int64_t row,
                 std::int64_t lines, std::int64_t block) {
    const std::int64_t begin = from.storage_offset() + first;
    const auto part = [&](std::array<std::int64_t, 3> sizes, std::int64_t to_begin, std::int64_t from_begin) {
        const std::array<std::int64_t, 3> to_strides{sizes[1] * sizes[2], sizes[2], 1};
        const std::array<std::int64_t, 3> from_strides{block, row, 1};
        gradient_arithmetic().copy(to.view_as_strided(sizes, to_strides, to.storage_offset() + to_begin),
                                   from.view_as_strided(sizes, from_strides, begin + from_begin));
    };
    // Padding is behind the end of one line.
    const std::int64_t whole = lines == 1 ? std::min(ranks, to.numel() / block) : ranks;
    if (whole > 0) part({lines, whole, block}, 0, 0);
    const std::int64_t rest = lines == 1 ? to.numel() - whole * block : 0;
    if (rest > 0) part({1, 1, rest}, whole * block, whole * row);
}

}  // namespace

void split_gathered(const Tensor& gathered, const std::vector<std::int64_t>& counts, const TensorList& outs,
                    const std::vector<std::int64_t>& outer) {
    const std::int64_t row = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::int64_t ranks = row == 0 ? 0 : gathered.numel() / row;
    bool is_of_these = counts.size() == outs.size() && outer.size() == outs.size() && ranks * row == gathered.numel();
    for (std::size_t i = 0; is_of_these && i < outs.size(); ++i) {
        const bool is_cut_inside = outer[i] != 1;
        is_of_these = counts[i] >= 0 && outer[i] >= 0 && outs[i].is_contiguous() &&
                      outs[i].numel() <= ranks * counts[i] && outs[i].element_size() == gathered.element_size() &&
                      (!is_cut_inside || outs[i].numel() == ranks * counts[i]) &&
                      (outer[i] == 0 ? counts[i] == 0 : counts[i] % outer[i] == 0);
    }
    if (!is_of_these) throw Error(ErrorKind::Run, "a gathered buffer that is not of these parameters");
    run_observed("fsdp::split_with_sizes_copy", {gathered}, [&]() -> TensorList {
        if (!gathered.is_host_memory()) {
            std::int64_t first = 0;
            DeviceInterface& device = *device_interface(gathered.device().type);
            for (std::size_t i = 0; i < outs.size(); ++i) {
                const Tensor ordered = empty(outs[i].sizes(), outs[i].dtype(), gathered.device());
                if (counts[i] > 0 && outer[i] > 0)
                    copy_blocks(ordered, gathered, first, ranks, row, outer[i], counts[i] / outer[i]);
                // Not as an operator: what autograd saved is the same again, at the same version.
                device.copy(outs[i].address(), outs[i].device(), ordered.address(), ordered.device(), outs[i].bytes());
                first += counts[i];
            }
            return outs;
        }
        const auto* from = static_cast<const std::byte*>(gathered.raw_data());
        const auto size = static_cast<std::size_t>(gathered.element_size());
        std::int64_t before = 0;
        for (std::size_t i = 0; i < outs.size(); ++i) {
            auto* to = static_cast<std::byte*>(outs[i].raw_data());
            const std::int64_t block = outer[i] == 0 ? 0 : counts[i] / outer[i];
            for (std::int64_t at = 0; at < ranks * outer[i] && block > 0; ++at) {
                // The blocks of all ranks stand side by side, once for each element before them.
                const std::int64_t rank = at % ranks, line = at / ranks;
                const std::int64_t count = std::min(block, outs[i].numel() - at * block);
                if (count <= 0) break;
                std::memcpy(to + static_cast<std::size_t>(at * block) * size,
                            from + static_cast<std::size_t>(rank * row + before + line * block) * size,
                            static_cast<std::size_t>(count) * size);
            }
            before += counts[i];
        }
        return outs;
    });
}

}  // namespace loupe::distributed
