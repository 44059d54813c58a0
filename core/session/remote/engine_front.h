// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a connection starts on the engine's machine: finds the engine that runs there in the background, or starts it,
// and passes on what goes between its own stdin and stdout and the engine's socket. It ends with the connection; the
// engine does not.

#include <string>

#include "core/session/remote/engine_guardian.h"

namespace loupe::session {

// Exit statuses, which ssh passes on. The last line on stderr says more.
inline constexpr int kEngineEnded = 3;  // the engine there has ended

// tensorloupe-engine --stdio --stay. Returns the exit status. Throws Error.
int serve_front(const StayOptions& options);
// tensorloupe-engine --list: a line an engine, to stdout.
int list_engines();
// tensorloupe-engine --end NAME.
int end_engine(const std::string& name);

}  // namespace loupe::session
