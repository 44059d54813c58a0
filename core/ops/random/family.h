// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family. And what their records share.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_RANDOM_RECORDS(FILE) \
    FILE(filling_records)          \
    FILE(making_records)           \
    FILE(dropout_records)          \
    FILE(counting_records)         \
    FILE(distribution_records)

namespace loupe::drawing {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

LOUPE_RANDOM_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::drawing
