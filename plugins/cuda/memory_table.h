// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/table_record.h"

namespace loupe::cuda {

// "GPU memory": what is taken from the driver, segment by segment, and how much of it is free in pieces.
const session::TableRecord& memory_table();

}  // namespace loupe::cuda
