// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a folder that keeps a session holds besides the journal of its last run.

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace loupe::session {

// The model: kept_model.h.
std::filesystem::path kept_model_in(const std::filesystem::path& folder);
// The checkpoint at the end of the training.
std::filesystem::path kept_checkpoint_in(const std::filesystem::path& folder);
// A checkpoint that steps of the training began with, after so many were done.
std::filesystem::path training_start_in(const std::filesystem::path& folder, std::int64_t steps_done);
// All of those that are there, by the steps that were done.
std::vector<std::pair<std::int64_t, std::filesystem::path>> training_starts_in(const std::filesystem::path& folder);

}  // namespace loupe::session
