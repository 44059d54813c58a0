// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which text stands for an operator when its source is shown.

#include "core/ir/source.h"
#include "core/model/model_info.h"

namespace loupe::session {

// Tracing records no source but the calls that led to an operator: "model.py(101): forward", a line a call.
bool is_call_stack(const ir::Source& source);

// The user's own range where its text is recorded; the archive's code where it is not.
ir::SourceRange shown_range(const ir::SourceRange& range);

// Where a range starts; empty when unknown.
SourcePlace place_of(const ir::SourceRange& range);

}  // namespace loupe::session
