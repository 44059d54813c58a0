// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::session {

// What a program can be asked for, while its training is watched.
enum class ProgramOrder { RecordStep, Every, EndWatching };
constexpr ProgramOrder last_of(ProgramOrder) { return ProgramOrder::EndWatching; }

}  // namespace loupe::session
