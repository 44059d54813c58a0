// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the model of an engine that stays was opened, in the folder that keeps what it is made again from: a session that
// never saw the engine before it can have its model again.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "core/session/verbs.h"

namespace loupe::session {

struct Opened {
    OpenVerb open = {};  // without inputs: they may be long
    FilePermissions permissions = {};
    std::optional<TorchRelease> release = {};
};
auto fields(Like<Opened> auto& it) { return std::tie(it.open, it.permissions, it.release); }

// An opening that is under way. Meanwhile nothing is kept: no model that kills its engine is opened again and again.
class KeptOpening {
  public:
    KeptOpening(std::filesystem::path folder, Opened opened);
    KeptOpening(const KeptOpening&) = delete;
    KeptOpening& operator=(const KeptOpening&) = delete;
    // Where it did not succeed, what was kept before is kept again: its model is still there.
    ~KeptOpening();
    // Throws Error (File) when it cannot be kept.
    void succeed();

  private:
    const std::filesystem::path folder_;
    const Opened opened_;
    std::string before_;
};

// The model was closed.
void forget_opening(const std::filesystem::path& folder);
// What is kept, for read_opening(); empty: nothing.
std::string kept_opening(const std::filesystem::path& folder);
// Of bytes that are not trusted; nullopt: of another version, or none.
std::optional<Opened> read_opening(std::string_view kept);

}  // namespace loupe::session
