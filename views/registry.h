// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/common/view.h"

namespace loupe::views {

// All panels, in the order of the View menu.
const ViewRegistry& registry();

}  // namespace loupe::views
