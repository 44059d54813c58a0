// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of parameters that are whole for a while: it is given back to the system between uses, and tensors that
// autograd saved still view it when it is filled again.

#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::distributed {

class ReleasableMemory final : public RefCounted {
  public:
    // Throws Error (Run, "out of memory: ...").
    explicit ReleasableMemory(std::size_t bytes);
    ~ReleasableMemory() override;
    void* data() const { return data_; }
    // The storage that views it, for the observers of allocations.
    void set_storage(std::uint64_t id) { storage_id_ = id; }
    // What was written is lost. Again: nothing.
    void release();
    void restore();

  private:
    void report(bool is_free) const;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t storage_id_ = 0;
    bool is_there_ = false;
};

struct Releasable {
    Tensor tensor;
    Ptr<ReleasableMemory> memory;
};

// Of host memory: not there until restore(). Of a device it is there throughout, and memory is null: its allocator
// gives no memory back that something still views.
Releasable make_releasable(IntSpan sizes, ScalarType dtype, Device device);

// gathered: [ranks * sum of counts], a rank's parts behind each other. outs[i], contiguous, of ranks * counts[i]
// elements or less, gets the parts i of all ranks; what is behind its end is padding. outer[i]: the number of elements
// before the dimension along which outs[i] was cut, 1: the first, and only then it may have padding. Versions stay as
// they are. Seen by the observer of a run as fsdp::split_with_sizes_copy.
void split_gathered(const Tensor& gathered, const std::vector<std::int64_t>& counts, const TensorList& outs,
                    const std::vector<std::int64_t>& outer);

}  // namespace loupe::distributed
