// SPDX-License-Identifier: Apache-2.0
#pragma once
// What callers have set for runs and openings: inputs, the options of the last run, what model sources may do with
// files. Any thread.

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_sandbox.h"
#include "core/base/torch_release.h"
#include "core/model/input_spec.h"
#include "core/record/run_options.h"

namespace loupe::session {

class Settings {
  public:
    // As guessed, given or last used.
    std::vector<InputSpec> inputs() const;
    void set_inputs(std::vector<InputSpec> inputs);
    // Of the run that was ordered last.
    RunOptions options() const;
    void set_options(RunOptions options);
    // Both at once: of another model.
    void set(std::vector<InputSpec> inputs, RunOptions options);

    void permit(const std::filesystem::path& source, const FilePermissions& permissions);
    FilePermissions permissions_of(const std::filesystem::path& source) const;

    // Whose numbers and printed forms the source gets from its next opening on.
    void set_release(const std::filesystem::path& source, TorchRelease release);
    // nullopt: not set.
    std::optional<TorchRelease> release_of(const std::filesystem::path& source) const;

  private:
    mutable std::mutex mutex_;
    std::vector<InputSpec> inputs_;
    RunOptions options_;
    std::map<std::string, FilePermissions> permissions_;  // of model sources, by path
    std::map<std::string, TorchRelease> releases_;        // likewise
};

}  // namespace loupe::session
