// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers of captured work. Its kernels read seed and offset in the device's memory, where each replay writes
// them first: every replay draws other numbers, those that the same work would have drawn at its place.

#include <memory>
#include <vector>

#include "core/ops/random/philox.h"
#include "core/tensor/tensor.h"

namespace loupe {

// Where a kernel's numbers begin. Of captured work the offset counts from that of each replay: words, in the device's
// memory, hold {seed, offset} then; null: the state is as it is.
struct PhiloxPlace {
    PhiloxState state;
    const void* words = nullptr;
};

// Of a kernel of which each thread draws up to so many numbers, and which may be captured.
PhiloxPlace take_for_kernel(Philox& generator, std::uint64_t numbers);

class GraphDraws {
  public:
    PhiloxPlace take(Philox& generator, std::uint64_t numbers);
    // In the turn of the calling thread's stream: what the kernels will read. The generators move on.
    void begin_replay();

  private:
    struct Own {
        Ptr<Philox> generator;
        Tensor words;  // int64 [2] on the device
        std::uint64_t numbers = 0;
    };
    std::vector<Own> all_;
};

// Sets the thread's while it captures; null: it does not.
void set_graph_draws(std::shared_ptr<GraphDraws> draws);

}  // namespace loupe
