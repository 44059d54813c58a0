// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers that a program reports over its steps: what a SummaryWriter or self.log is given.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/scoped_value.h"

namespace loupe::runtime {

struct CurvePoint {
    std::string tag;                   // "train/loss"
    std::vector<double> values;        // one; of a histogram its least, greatest and mean
    std::optional<std::int64_t> step;  // null: behind the last one of the tag
};

using CurveHandler = std::function<void(const CurvePoint& point)>;

// To the handler of this thread; without one it is dropped.
void report_curve(const CurvePoint& point);

class CurveScope {
  public:
    explicit CurveScope(CurveHandler handler);

  private:
    CurveHandler handler_;
    ScopedValue<const CurveHandler*> scope_;
};

}  // namespace loupe::runtime
