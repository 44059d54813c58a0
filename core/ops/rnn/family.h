// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_RNN_RECORDS(FILE)  \
    FILE(layer_records)          \
    FILE(layer_backward_records) \
    FILE(network_records)        \
    FILE(cell_records)           \
    FILE(call_records)           \
    FILE(packing_records)

namespace loupe::rnn {

LOUPE_RNN_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::rnn
