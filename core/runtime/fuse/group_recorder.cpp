// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/group_recorder.h"

namespace loupe::runtime {
namespace {
thread_local GroupRecorder* thread_group_recorder = nullptr;
}  // namespace

GroupRecorder* group_recorder() { return thread_group_recorder; }

GroupRecorderScope::GroupRecorderScope(GroupRecorder* recorder) : before_(thread_group_recorder) { thread_group_recorder = recorder; }
GroupRecorderScope::~GroupRecorderScope() { thread_group_recorder = before_; }

}  // namespace loupe::runtime
