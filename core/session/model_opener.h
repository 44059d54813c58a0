// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opens files for a session: models, model sources that were edited, models of a session before, recordings. The engine
// thread.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/session/kept_model.h"
#include "core/session/model_holder.h"

namespace loupe::session {

class ModelOpener {
  public:
    ModelOpener(Publisher& publisher, const Settings& settings, ModelHolder& model)
        : publisher_(publisher), settings_(settings), model_(model) {}

    // See Session::open and Session::open_kept. A source that gives no model is shown all the same, to be mended.
    // Throws what opening throws; the model there is stays then.
    void open(const std::filesystem::path& file, const std::string& build, const std::filesystem::path& kept);

  private:
    std::string built_before(const std::filesystem::path& file) const;
    void open_program(const std::filesystem::path& file, const std::string& build, const std::filesystem::path& kept);
    std::optional<KeptModel> read_kept(const std::filesystem::path& folder);
    void show_source_of(const std::filesystem::path& file, const std::string& build, const Error& why);
    void open_recording(const std::filesystem::path& file);
    void log_recorded(const RecordingFile& file) const;

    Publisher& publisher_;
    const Settings& settings_;
    ModelHolder& model_;
};

}  // namespace loupe::session
