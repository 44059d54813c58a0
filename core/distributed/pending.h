// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors whose elements a collective still writes.

#include "core/distributed/process_group.h"

namespace loupe::distributed {

void remember_pending(const Tensor& tensor, const WorkPtr& work);
// Waits for what writes the tensor's storage; at once where nothing does.
void wait_pending(const Tensor& tensor);

}  // namespace loupe::distributed
