// SPDX-License-Identifier: Apache-2.0
#pragma once
// A training that another program does: rows of JSON lines, as tensorloupe.watch() of the Python package writes them
// and resources/docs/watch.md says, become a TrainingLog and recordings of what modules gave. No row is trusted; kinds
// and fields that are not known are passed over, so that an older reader takes what a newer program says.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/record/recording_file.h"
#include "core/train/training.h"

namespace loupe::session {

class WatchedTraining {
  public:
    static constexpr std::size_t kLongestLine = std::size_t{64} << 20;
    static constexpr std::size_t kMostParameters = std::size_t{1} << 20;
    static constexpr int kMostRanks = 1 << 16;
    static constexpr int kMostDamaged = 100;

    // The first row, hello. Throws Error (File) for what begins no such rows, Error (Unsupported) for those of a later
    // format.
    explicit WatchedTraining(std::string_view hello);
    WatchedTraining(const WatchedTraining&) = delete;
    WatchedTraining& operator=(const WatchedTraining&) = delete;

    // A line without its end. One that is no row is counted. Throws Error (File) when there were too many of them.
    void add(std::string_view line);

    const TrainingProgram& program() const { return program_; }
    // Can the program be asked for more?
    void set_live(bool is_live);
    const std::shared_ptr<TrainingLog>& log() const { return log_; }
    // Null until the program has said it.
    const std::shared_ptr<ModelInfo>& model() const { return model_; }
    // What modules gave at the last step that was measured, and gradients of the parameters; null: nothing new since it
    // was taken.
    std::unique_ptr<RecordingFile> take_recording() { return std::move(recording_); }
    // Lines for the log.
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
    // What is found in the rows since: see TrainingWatch.
    std::vector<TrainingFinding> take_findings() { return std::exchange(findings_, {}); }
    std::int64_t step() const { return step_; }  // the last that is known
    bool is_parked() const { return !parked_.empty(); }
    bool has_ended() const { return has_ended_; }
    int damaged() const { return damaged_; }

  private:
    using Row = nlohmann::json;

    void add_row(const Row& row);
    void read_hello(const Row& row);
    void add_model(const Row& row);
    void add_steps(const Row& row, int rank);
    void add_sample(const Row& row, int rank);
    void add_tensors(const Row& row);
    void add_values(const Row& row);
    void add_curves(const Row& row, int rank);
    void add_memory(const Row& row, int rank);
    void report(std::string tag, int rank, std::int64_t step, double value);
    void publish_program();

    TrainingProgram program_;
    std::vector<std::string> parameters_;
    std::shared_ptr<TrainingLog> log_;
    std::shared_ptr<ModelInfo> model_;
    std::unique_ptr<RecordingFile> recording_;
    std::vector<std::string> notes_;
    std::vector<TrainingFinding> findings_;
    // Of the first rank: norms that stand before the steps they belong to.
    struct Norms {
        std::vector<ParameterNorms> parameters;
        double all = 0;
    };
    std::map<std::int64_t, Norms> norms_;
    std::map<int, std::int64_t> parked_;  // by rank: the step
    double rate_ = 0;                     // the last that was said
    std::int64_t step_ = 0;
    std::int64_t step_logged_ = 0;
    std::int64_t sampled_ = 0;
    bool has_ended_ = false;
    int damaged_ = 0;
};

// Does the file begin as such rows do? Does not throw.
bool is_watched_file(const std::filesystem::path& path);
// All of a file; a last line that is cut off is passed over. Throws Error (File, Usage).
std::unique_ptr<WatchedTraining> read_watched_file(const std::filesystem::path& path);

}  // namespace loupe::session
