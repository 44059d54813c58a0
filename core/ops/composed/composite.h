// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/dispatch/record.h"

namespace loupe::composed {

// An operator that is written with others and has nothing else to say.
constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function};
}

}  // namespace loupe::composed
