// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace loupe::views {

// Qt counts in int, vectors in size_t: v[at(row)].
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace loupe::views
