// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a connection starts on the engine's machine: finds the engine that runs there in the background, or starts it,
// and copies between its own stdin and stdout and the engine's socket. It ends with the connection; the engine does
// not.

#include <chrono>
#include <string>

namespace loupe::session {

// Exit statuses, which ssh passes on. The last line on stderr says more.
inline constexpr int kEngineEnded = 3;  // the engine there has ended

struct FrontOptions {
    std::string name = "main";
    std::chrono::minutes idle = std::chrono::hours(24);  // that an engine without a session stays when nothing runs
};

// tensorloupe-engine --stdio --stay. Returns the exit status. Throws Error.
int serve_front(const FrontOptions& options);
// tensorloupe-engine --list: a line an engine, to stdout.
int list_engines();
// tensorloupe-engine --end NAME.
int end_engine(const std::string& name);
// What serve_front() starts: tensorloupe-engine --background NAME, with the socket as descriptor 3. Returns when the
// engine has ended.
int serve_background(const FrontOptions& options);

}  // namespace loupe::session
