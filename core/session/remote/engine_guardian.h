// SPDX-License-Identifier: Apache-2.0
#pragma once
// An engine in the background is two processes. Its own may open no connections, start no programs (forbid_calls.h) and
// write nowhere but where its user says (restrict_writes()), and may crash. The other one, the guardian, accepts its
// connections, opens what it is granted (grant_giver.h), and says why it ended.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/session/remote/runtime_folder.h"

namespace loupe::session {

struct StayOptions {
    std::string name = "main";
    std::chrono::minutes idle = std::chrono::hours(24);  // that an engine without a session stays when nothing runs
    std::vector<std::filesystem::path> writable = {};    // folders, besides its own, of one that is started
};

// Both run in the background from then on; the caller holds the lock of the name. Throws Error (Usage).
void start_guardian(const RuntimeFolder& folder, const StayOptions& options);
// What that starts: tensorloupe-engine --background NAME, with its sockets open. Returns the exit status, when the
// engine has ended.
int serve_background(const StayOptions& options);

// Of the engine that ran last under the name.
struct EndSaid {
    std::string text;
    std::string place;  // see end_place.h; empty: it ended in order, or where is not known
};
// nullopt: none has ended, or what it said was taken.
std::optional<EndSaid> end_said_in(const RuntimeFolder& folder, const std::string& name);

}  // namespace loupe::session
