// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/observer.h"

namespace loupe::detail {

thread_local Watchers thread_watchers;
thread_local bool thread_is_nested_call = false;
thread_local int thread_direct_depth = 0;
thread_local std::vector<UnwoundModule> thread_unwound;

}  // namespace loupe::detail
