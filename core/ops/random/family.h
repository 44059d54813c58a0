// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the records of this family share.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/record.h"

namespace loupe::drawing {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

std::span<const OperatorRecord> filling_records();
std::span<const OperatorRecord> making_records();
std::span<const OperatorRecord> dropout_records();
std::span<const OperatorRecord> counting_records();
std::span<const OperatorRecord> distribution_records();

}  // namespace loupe::drawing
