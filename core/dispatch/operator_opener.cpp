// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/operator_opener.h"

namespace loupe::detail {

thread_local OperatorOpener* thread_operator_opener = nullptr;

}  // namespace loupe::detail
