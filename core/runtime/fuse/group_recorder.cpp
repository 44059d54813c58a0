// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/group_recorder.h"

namespace loupe::runtime {
namespace {
thread_local GroupRecorder* thread_group_recorder = nullptr;
}  // namespace

GroupRecorder* group_recorder() { return thread_group_recorder; }

GroupRecorderScope::GroupRecorderScope(GroupRecorder* recorder) : ScopedValue(thread_group_recorder, recorder) {}

}  // namespace loupe::runtime
