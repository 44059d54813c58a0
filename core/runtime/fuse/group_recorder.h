// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who takes the runs of this thread's fused groups, in place of their operators.

#include <span>

#include "core/runtime/fuse/fuser.h"

namespace loupe::runtime {

class GroupRecorder {
  public:
    virtual ~GroupRecorder() = default;
    // False: the operators are wanted.
    virtual bool run_group(const Ptr<FusedGroup>& group, std::span<const IValue> inputs, IValue* outputs) = 0;
};
GroupRecorder* group_recorder();  // this thread's; null for none

class GroupRecorderScope {
  public:
    explicit GroupRecorderScope(GroupRecorder* recorder);
    GroupRecorderScope(const GroupRecorderScope&) = delete;
    GroupRecorderScope& operator=(const GroupRecorderScope&) = delete;
    ~GroupRecorderScope();

  private:
    GroupRecorder* before_;
};

}  // namespace loupe::runtime
