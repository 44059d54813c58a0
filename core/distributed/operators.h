// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collectives as PyTorch's dispatcher names them, seen by the observer of a run: what torch.distributed calls.

#include <functional>
#include <string_view>

#include "core/distributed/process_group.h"
#include "core/value/ivalue.h"

namespace loupe::distributed {

// As an operator of the program; inputs are seen before it runs, what run returns behind it.
void run_observed(std::string_view name, const TensorList& inputs, const std::function<TensorList()>& run);
// Launches under the name ("c10d::allreduce_"); waits for it at once unless it is asynchronous. Operators that are not
// asynchronous have their results as outputs, others when wait_observed waits for them.
WorkPtr launch_observed(std::string_view name, const TensorList& inputs, bool is_async,
                        const std::function<WorkPtr()>& launch);
// Work.wait(), an event of its own ("c10d::wait") unless that has been waited for.
void wait_observed(Work& work, std::chrono::milliseconds timeout = {});

}  // namespace loupe::distributed
