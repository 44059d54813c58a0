// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the kernels: engine and stream, layouts of tensors, reorders, scratch memory, packed weights, and the
// caches.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/setup_clock.h"
#include "core/dispatch/boxing.h"
#include "core/ops/matrix/layout.h"
#include "core/tensor/tensor.h"
#include "plugins/onednn/adapter.h"

namespace loupe::onednn {

const dnnl::engine& engine();
// One per thread.
dnnl::stream& stream();

// The layout of a float tensor; a view of the same memory in other sizes with the second form.
Layout layout_of(const Tensor& t);
Layout any_layout(const Memory::dims& sizes);
Memory::dims dims_of(IntSpan sizes);
inline Memory memory_at(const Layout& layout, void* data) { return Memory(layout, engine(), data); }
inline Memory memory_of(const Tensor& t) { return memory_at(layout_of(t), t.raw_data()); }

// A block of memory in a layout, from the engine's allocator as workspace.
struct Block {
    Tensor storage;
    Memory memory;
};
Block allocate(const Layout& layout);
// The memory in another layout: itself when it has it already (`kept` stays empty), a reordered copy otherwise.
Memory reordered(const Memory& from, const Layout& layout, Block& kept);
void reorder(const Memory& from, const Memory& to);
// Runs with scratch memory of the thread.
void execute(const dnnl::primitive& primitive, std::unordered_map<int, Memory> arguments, const Layout& scratchpad);

// weight in a primitive's layout, cached until the weight changes. `own` is its layout, or the one after
// `prepare`.
using PrepareWeight = Tensor (*)(const Tensor& weight);
Memory packed_weight(const Tensor& weight, const Layout& own, const Layout& wanted, PrepareWeight prepare = nullptr);
// The same for owning callers: the block stays valid when it is evicted.
Block packed_block(const Tensor& weight, const Layout& own, const Layout& wanted);

// A primitive's output: the tensor's memory when the layouts agree, else a block that finish() reorders into it.
class Target {
  public:
    Target(const Memory& tensor, const Layout& wanted) : tensor_(tensor) {
        if (tensor.get_desc() != wanted) block_ = allocate(wanted);
    }
    const Memory& memory() const { return block_.storage.defined() ? block_.memory : tensor_; }
    void finish() const {
        if (block_.storage.defined()) reorder(block_.memory, tensor_);
    }

  private:
    Memory tensor_;
    Block block_;
};

// t when it is contiguous or channels last, as oneDNN computes and reorders fast, else a contiguous copy.
inline Tensor readable(const Tensor& t) { return t.is_contiguous() || t.is_channels_last() ? t : packed(t); }

// Numbers that identify a primitive. The threads are among them: it shares its work out when it is made.
class Key {
  public:
    Key() { add(std::int64_t{thread_count()}); }
    Key& add(std::int64_t value) {
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Key& add(double value) {
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Key& add(IntSpan values) {
        add(static_cast<std::int64_t>(values.size()));
        for (const std::int64_t value : values) add(value);
        return *this;
    }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

// Plans by key, made once.
template <typename Plan>
class PlanCache {
  public:
    template <typename Make>
    const Plan& get(const Key& key, Make&& make) {
        const std::lock_guard lock(mutex_);
        auto found = plans_.find(key.text());
        if (found == plans_.end()) {
            const SetupScope setup(Setup::Primitive);
            require_room_for_code();
            found = plans_.emplace(key.text(), std::make_unique<Plan>(make())).first;
        }
        return *found->second;
    }

  private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::unique_ptr<Plan>> plans_;
};

// Are all elements in [least, most]? False for NaN. For primitives that differ from PyTorch on other elements.
bool all_within(const Tensor& t, float least, float most);

// Common checks of AcceptFunctions: false with the reason unless every tensor argument among `indices` is float32 (or
// None).
bool accepts_float32(Arguments arguments, std::initializer_list<std::size_t> indices, std::string* why);
bool decline(std::string* why, const char* reason);

}  // namespace loupe::onednn
