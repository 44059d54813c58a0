// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model source has come to by being opened: its statements have run then, where nothing is recorded.

#include <optional>

#include "core/model/program.h"
#include "core/study/verdict.h"

namespace loupe::session {

// The loop at module level, in no function, that calls backward; line 0: there is none.
SourcePlace training_at_module_level(const SourceFile& source);
// A source whose model holds NaN or Inf once it is open; nullopt for all others, and for files without a source.
std::optional<Verdict> conclude_opening(const Program& program);

}  // namespace loupe::session
