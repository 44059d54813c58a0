// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What can be asked of an element that is shown, and done with it.

#include <QMenu>

#include "core/record/tensor_slice.h"
#include "views/common/session_bridge.h"

namespace loupe::views {

// Explain it, follow it forward, change it, silence what it is in. shown: the tensor; index: in the whole of it.
void addElementActions(QMenu& menu, SessionBridge& bridge, const session::TensorSlice& shown,
                       const session::Shape& index);

}  // namespace loupe::views
