// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/vector_targets.h"

#include "core/kernels/simd_targets.h"
// Highway reads the choice above.
#include <hwy/highway.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

void limit_vector_targets() {
    const char* const given = std::getenv("LOUPE_VECTOR_TARGET");
    if (given == nullptr || *given == '\0') return;
    std::string names;
    for (std::int64_t target = HWY_TARGETS; target != 0; target &= target - 1) {
        const std::int64_t lowest = target & -target;
        const std::string_view name = hwy::TargetName(lowest);
        if (name == given) {
            hwy::DisableTargets(lowest - 1);  // better ones have lower bits
            return;
        }
        names += names.empty() ? concat(name) : concat(", ", name);
    }
    throw Error(ErrorKind::Usage, concat("LOUPE_VECTOR_TARGET=", given, " is none of ", names));
}

}  // namespace loupe
