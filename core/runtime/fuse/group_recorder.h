// SPDX-License-Identifier: Apache-2.0
#pragma once
// Records runs of this thread's fused groups as a whole, instead of their operators.

#include <span>

#include "core/base/scoped_value.h"
#include "core/runtime/fuse/fuser.h"

namespace loupe::runtime {

class GroupRecorder {
  public:
    virtual ~GroupRecorder() = default;
    // False: run the operators.
    virtual bool run_group(const Ptr<FusedGroup>& group, std::span<const IValue> inputs, IValue* outputs) = 0;
};
GroupRecorder* group_recorder();  // this thread's; null for none

class GroupRecorderScope final : ScopedValue<GroupRecorder*> {
  public:
    explicit GroupRecorderScope(GroupRecorder* recorder);
};

}  // namespace loupe::runtime
