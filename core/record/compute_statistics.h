// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/kernels/device_loops.h"
#include "core/record/statistics.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// One pass over the elements, on the threads of kernels.
Statistics compute_statistics(const Tensor& t);

// Statistics of a tensor as it was when they were asked for. What a device holds it adds up beside the host.
class LateStatistics {
  public:
    // Of nothing.
    LateStatistics() = default;
    explicit LateStatistics(const Tensor& t);
    explicit LateStatistics(const Statistics& known) : there_(known) {}

    // Does a device add them up?
    bool is_late() const { return late_ != nullptr; }
    bool is_there() const { return late_ == nullptr || late_->is_there(); }
    Statistics get() const;

  private:
    std::shared_ptr<LateTotals> late_;
    Statistics there_;
};

}  // namespace loupe::session
