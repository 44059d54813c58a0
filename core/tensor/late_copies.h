// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/scoped_value.h"

namespace loupe {

namespace detail {
extern thread_local bool copies_late;
}

// Copies of the calling thread between a device and pinned memory of the host return before they are done, while it
// lives: the host reads what it gets once the stream is done.
class LateCopyScope final : ScopedValue<bool> {
  public:
    explicit LateCopyScope(bool is_late) : ScopedValue(detail::copies_late, is_late) {}
};

}  // namespace loupe
