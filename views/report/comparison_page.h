// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The part of the report's page that says how the run differs from what it is compared with.

#include <QString>

#include "core/record/recording.h"
#include "views/common/comparison.h"

namespace loupe::views {

// Of one reference: where the runs diverge first, what each module gave, what only one of them has, what they cost.
QString comparisonSection(const Comparison& comparison, const session::PinnedReference& reference,
                          const session::RunDifferences& found, const session::Recording& recording);

}  // namespace loupe::views
