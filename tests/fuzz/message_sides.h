// SPDX-License-Identifier: Apache-2.0
#pragma once
// What reads bytes of another process: each is given one damaged stream after another.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/message_damage.h"
#include "tests/fuzz/message_streams.h"

namespace loupe::fuzz {

class Side {
  public:
    virtual ~Side() = default;
    // One stream. Empty: it was taken, or refused in one line, and nothing was lost. Else what is wrong.
    virtual std::string try_one(Chance& chance) = 0;
};

// RemoteEngine, and what views read of it.
std::unique_ptr<Side> window_side(std::vector<Talk> talks);
// EngineServer, which goes on with the next stream. Files are written into the folder, which is the working directory.
std::unique_ptr<Side> engine_side(const std::vector<Talk>& talks, const std::filesystem::path& model);
// Link, either end of it, behind its greeting.
std::unique_ptr<Side> link_side(const std::vector<Talk>& talks);
// EngineHost: what connections say to an engine that stays.
std::unique_ptr<Side> host_side(const std::vector<Talk>& talks);
// FrontStream and GrantGiver: what a session says through the front to the process beside the engine, which writes
// files into the folder; and what the engine answers to that.
std::unique_ptr<Side> front_side(const std::vector<Talk>& talks, const std::filesystem::path& folder);
// FarEngine: what the command says that reaches an engine. The folder is its own.
std::unique_ptr<Side> far_side(const std::vector<Talk>& talks, const std::filesystem::path& folder);
// ByteMux: several channels over one pair of descriptors.
std::unique_ptr<Side> mux_side(const std::vector<Talk>& talks);
// Rows of a training that another program does: over a socket, and of a file in the folder.
std::unique_ptr<Side> rows_side(const std::filesystem::path& file, const std::filesystem::path& folder);

// All that a view may follow of what it is shown.
std::size_t walk(const session::Recording& recording);
std::size_t walk(const session::TrainingLog& log);

}  // namespace loupe::fuzz
