// SPDX-License-Identifier: Apache-2.0
#include "plugins/onednn/runtime.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "core/base/strings.h"
#include "core/ops/nn/simd.h"
#include "core/tensor/allocator.h"
#include "core/tensor/kernel_cache.h"

namespace loupe::onednn {
namespace {

// Packed weights, by storage id, which is unique, and version.
class PackedWeights {
  public:
    Block get(const Tensor& weight, const Layout& own, const Layout& wanted, PrepareWeight prepare) {
        drop_dead_kernel_caches();
        const std::lock_guard lock(mutex_);
        ++clock_;
        auto& entries = of(weight.storage()->id());
        auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) {
            return e.offset == weight.storage_offset() && e.wanted == wanted && e.own == own;
        });
        if (entry == entries.end()) {
            const SetupScope setup(Setup::Packing);
            make_room(wanted.get_size());
            const KernelCacheScope cache(kKernel, weight.storage()->id());
            of(weight.storage()->id())
                .push_back({weight.storage_offset(), own, wanted, ~weight.version(), 0, allocate(wanted)});
            return fill(of(weight.storage()->id()).back(), weight, prepare);
        }
        // A changed weight is packed again, which does not count as set-up: each step of a training does it.
        return entry->version == weight.version() ? use(*entry) : fill(*entry, weight, prepare);
    }
    void list(const std::function<void(const KernelCacheBlock&)>& visit) {
        const std::lock_guard lock(mutex_);
        for (const auto& [weight, entries] : entries_) {
            for (const Entry& entry : entries) {
                const Ptr<Storage>& storage = entry.block.storage.storage();
                visit({storage->id(), storage->data(), storage->bytes(), kKernel, weight});
            }
        }
    }

    void drop(std::span<const std::uint64_t> weights) {
        std::vector<std::vector<Entry>> dropped;  // freed behind the lock
        const std::lock_guard lock(mutex_);
        for (const std::uint64_t weight : weights) {
            const auto found = entries_.find(weight);
            if (found == entries_.end()) continue;
            for (const Entry& entry : found->second) bytes_ -= entry.wanted.get_size();
            dropped.push_back(std::move(found->second));
            entries_.erase(found);
            end_kernel_cache_of(weight);
        }
    }

  private:
    static constexpr std::string_view kKernel = "onednn packed weight";

    struct Entry {
        std::int64_t offset;
        Layout own;
        Layout wanted;
        std::uint32_t version;
        std::uint64_t last_use;
        Block block;
    };
    static constexpr std::size_t kMostBytes = std::size_t{512} << 20;

    std::vector<Entry>& of(std::uint64_t weight) {
        const auto [found, is_new] = entries_.try_emplace(weight);
        if (is_new) note_kernel_cache_of(weight);
        return found->second;
    }
    Block use(Entry& entry) {
        entry.last_use = clock_;
        return entry.block;
    }
    Block fill(Entry& entry, const Tensor& weight, PrepareWeight prepare) {
        const Tensor source = prepare == nullptr ? weight : prepare(weight);
        reorder(memory_at(entry.own, source.raw_data()), entry.block.memory);
        entry.version = weight.version();
        return use(entry);
    }
    // Evicts the least recently used.
    void make_room(std::size_t bytes) {
        bytes_ += bytes;
        while (bytes_ > kMostBytes && !entries_.empty()) {
            auto oldest = entries_.begin();
            for (auto it = entries_.begin(); it != entries_.end(); ++it) {
                if (last_use(it->second) < last_use(oldest->second)) oldest = it;
            }
            for (const Entry& entry : oldest->second) bytes_ -= entry.wanted.get_size();
            end_kernel_cache_of(oldest->first);
            entries_.erase(oldest);
        }
    }
    static std::uint64_t last_use(const std::vector<Entry>& entries) {
        std::uint64_t latest = 0;
        for (const Entry& entry : entries) latest = std::max(latest, entry.last_use);
        return latest;
    }

    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::vector<Entry>> entries_;
    std::size_t bytes_ = 0;
    std::uint64_t clock_ = 0;
};

LOUPE_INLINE inline bool block_within(const float* x, std::int64_t count, float least, float most) {
    int within = 0;
#pragma omp simd reduction(+ : within)
    for (std::int64_t i = 0; i < count; ++i) within += static_cast<int>(x[i] >= least) & static_cast<int>(x[i] <= most);
    return within == count;
}

}  // namespace

const dnnl::engine& engine() {
    static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
    return instance;
}

dnnl::stream& stream() {
    static thread_local dnnl::stream instance(engine());
    return instance;
}

Memory::dims dims_of(IntSpan sizes) { return {sizes.begin(), sizes.end()}; }

Layout layout_of(const Tensor& t) { return {dims_of(t.sizes()), Memory::data_type::f32, dims_of(t.strides())}; }

Layout any_layout(const Memory::dims& sizes) { return {sizes, Memory::data_type::f32, Memory::format_tag::any}; }

Block allocate(const Layout& layout) {
    const MemoryCategoryScope category(MemoryCategory::Workspace);
    const auto bytes = static_cast<std::int64_t>(layout.get_size());
    Block block{empty(IntSpan(&bytes, 1), ScalarType::UInt8), {}};
    block.memory = memory_at(layout, block.storage.raw_data());
    return block;
}

void reorder(const Memory& from, const Memory& to) {
    static thread_local std::vector<std::pair<std::pair<Layout, Layout>, dnnl::reorder>> recent;
    const auto found = std::find_if(recent.begin(), recent.end(), [&](const auto& entry) {
        return entry.first.first == from.get_desc() && entry.first.second == to.get_desc();
    });
    if (found != recent.end()) {
        found->second.execute(stream(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        stream().wait();
        return;
    }
    if (recent.size() >= 256) recent.erase(recent.begin(), recent.begin() + 128);
    {
        const SetupScope setup(Setup::Primitive);
        require_room_for_code();
        recent.push_back({{from.get_desc(), to.get_desc()}, dnnl::reorder(from, to)});
    }
    recent.back().second.execute(stream(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    stream().wait();
}

Memory reordered(const Memory& from, const Layout& layout, Block& kept) {
    if (from.get_desc() == layout) return from;
    kept = allocate(layout);
    reorder(from, kept.memory);
    return kept.memory;
}

void execute(const dnnl::primitive& primitive, std::unordered_map<int, Memory> arguments, const Layout& scratchpad) {
    Block scratch;
    if (scratchpad.get_size() != 0) {
        scratch = allocate(scratchpad);
        arguments.emplace(DNNL_ARG_SCRATCHPAD, scratch.memory);
    }
    primitive.execute(stream(), arguments);
    stream().wait();
}

namespace {

PackedWeights& packed_weights() {
    static auto* const packed = [] {  // outlives all threads
        auto* const made = new PackedWeights;
        add_kernel_cache([made](const auto& visit) { made->list(visit); },
                         [made](std::span<const std::uint64_t> weights) { made->drop(weights); });
        return made;
    }();
    return *packed;
}

}  // namespace

Memory packed_weight(const Tensor& weight, const Layout& own, const Layout& wanted, PrepareWeight prepare) {
    if (own == wanted && prepare == nullptr) return memory_at(own, weight.raw_data());
    return packed_weights().get(weight, own, wanted, prepare).memory;
}

Block packed_block(const Tensor& weight, const Layout& own, const Layout& wanted) {
    if (own == wanted) return {weight, memory_at(own, weight.raw_data())};
    return packed_weights().get(weight, own, wanted, nullptr);
}

bool all_within(const Tensor& t, float least, float most) {
    const Tensor dense = t.is_non_overlapping_and_dense() ? t : packed(t);
    const float* x = dense.data<float>();
    std::atomic<bool> all = true;
    constexpr std::int64_t kBlock = 4096;
    parallel_for(0, dense.numel(), 4 * kBlock, [&](std::int64_t begin, std::int64_t end) {
        bool within = true;
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t i = begin; i < end && within; i += kBlock)
                within = block_within(x + i, std::min(kBlock, end - i), least, most);
        });
        if (!within) all = false;
    });
    return all;
}

bool decline(std::string* why, const char* reason) {
    if (why != nullptr) *why = reason;
    return false;
}

bool accepts_float32(Arguments arguments, std::initializer_list<std::size_t> indices, std::string* why) {
    for (const std::size_t i : indices) {
        if (!arguments[i].is_tensor()) continue;
        const TensorImpl& t = *arguments[i].tensor_impl();
        if (t.dtype != ScalarType::Float32) {
            if (why != nullptr) *why = concat(dtype_name(t.dtype), " input");
            return false;
        }
        if (t.numel == 0) return decline(why, "empty input");
    }
    return true;
}

}  // namespace loupe::onednn
