// SPDX-License-Identifier: Apache-2.0
#pragma once
// Updates on a device: those of a scope that are one formula with other numbers run as one kernel over the list of
// their tensors, as PyTorch's foreach methods do.

#include <vector>

#include "core/kernels/lanes.h"
#include "core/kernels/list_runs.h"

namespace loupe::optim {

// Of optimisers that step on this thread in this scope; what they update has its new values after run().
class ListUpdates {
  public:
    ListUpdates();
    ListUpdates(const ListUpdates&) = delete;
    ListUpdates& operator=(const ListUpdates&) = delete;
    ~ListUpdates();

    void add(const TensorList& tensors, const ListRecorder& recorder, bool in_double);
    void run();

    // Null outside of a scope.
    static ListUpdates* current();

  private:
    struct Group {
        ListCall call;
        std::vector<DenseEntry> entries;
    };
    std::vector<Group> groups_;
};

// parameter, gradient, states: at once, or with the others of the scope.
void update_listed(const TensorList& tensors, const ListRecorder& recorder, bool in_double);

}  // namespace loupe::optim
