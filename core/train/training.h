// SPDX-License-Identifier: Apache-2.0
#pragma once
// Training as callers describe and follow it: values only.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/model/data_sources.h"
#include "core/model/model_info.h"
#include "core/record/statistics.h"
#include "core/train/reported_curves.h"
#include "core/train/training_norms.h"
#include "core/train/training_watch.h"

namespace loupe::session {

struct TrainOptions {
    DataSpec data;
    double held_out = 0;  // this part of the examples is kept aside, and measured after every epoch
    std::int64_t batch_size = 32;
    bool shuffle = true;
    bool drop_last = false;
    int workers = 0;            // threads that load ahead
    bool skip_damaged = false;  // samples that cannot be read are left out; else the training ends there
    // As Python calls them. "own": the source's own loss, of the output or of output and target; else what the model
    // gives.
    std::string loss = "CrossEntropyLoss()";
    std::string optimizer = "Adam(lr=0.001)";
    std::string schedule;              // "StepLR(1, gamma=0.5)"; empty: none
    bool schedule_every_step = false;  // else every epoch
    double clip_norm = 0;              // 0: gradients are left as they are
    // Forward and loss under torch.autocast in this: "bfloat16", or "float16" on a GPU, where a GradScaler scales the
    // loss; empty: everything as it is.
    std::string autocast;
    int epochs = 5;
    std::int64_t max_steps = 0;  // 0: as many as the epochs have
    std::uint64_t seed = 0;
    int threads = 0;
    bool stop_at_nan = true;
    // One step is recorded whole for the panels at most this often, in seconds, and never so that recording takes more
    // than a tenth of the time. Negative: none but those that somebody stops in.
    double look_every = 0.5;
    // A checkpoint of a training to go on from, as the session writes it or a script in the usual layout; empty: from
    // the beginning.
    std::string resume;
};
auto fields(Like<TrainOptions> auto& it) {
    return std::tie(it.data, it.held_out, it.batch_size, it.shuffle, it.drop_last, it.workers, it.skip_damaged, it.loss,
                    it.optimizer, it.schedule, it.schedule_every_step, it.clip_norm, it.autocast, it.epochs,
                    it.max_steps, it.seed, it.threads, it.stop_at_nan, it.look_every, it.resume);
}
// What a checkpoint of a training says of it.
struct TrainingCheckpoint {
    TrainOptions options;  // as far as they were written; the others are those asked with
    int epoch = 0;         // epochs that were whole
    std::int64_t step = 0;
    std::string error;  // not empty: nothing else is valid
};
auto fields(Like<TrainingCheckpoint> auto& it) { return std::tie(it.options, it.epoch, it.step, it.error); }

// One step: numbers that are there for every one.
struct TrainingStep {
    std::int64_t step = 0;  // from 1
    int epoch = 0;          // from 1
    double loss = 0;
    double learning_rate = 0;        // of the first group
    double gradient_norm = 0;        // of all parameters together, before clipping; negative: not measured
    std::optional<double> accuracy;  // of a classifier, over the batch
    double seconds = 0;
    bool is_recorded = false;
};
auto fields(Like<TrainingStep> auto& it) {
    return std::tie(it.step, it.epoch, it.loss, it.learning_rate, it.gradient_norm, it.accuracy, it.seconds,
                    it.is_recorded);
}
// At the end of an epoch.
struct TrainingEpoch {
    int epoch = 0;
    std::int64_t last_step = 0;
    double loss = 0;  // mean over its examples
    std::optional<double> accuracy;
    std::optional<double> held_out_loss;
    std::optional<double> held_out_accuracy;
    double seconds = 0;
};
auto fields(Like<TrainingEpoch> auto& it) {
    return std::tie(it.epoch, it.last_step, it.loss, it.accuracy, it.held_out_loss, it.held_out_accuracy, it.seconds);
}

// What tensors held at a step that was recorded.
struct TrainingSample {
    struct Row {
        std::string name;  // a parameter, or a module's path
        Statistics statistics;
    };
    std::int64_t step = 0;
    std::vector<Row> weights;  // after the step
    std::vector<Row> gradients;
    std::vector<Row> activations;     // what modules gave
    std::vector<UnitActivity> units;  // of modules that set what is negative to 0
};
auto fields(Like<TrainingSample::Row> auto& it) { return std::tie(it.name, it.statistics); }
auto fields(Like<TrainingSample> auto& it) {
    return std::tie(it.step, it.weights, it.gradients, it.activations, it.units);
}

// Options of a training as one compares them: "optimizer", "Adam(lr=0.001)".
std::vector<std::pair<std::string, std::string>> training_settings(const TrainOptions& options);

// The program that trains, of a training that is only watched (see watched_training.h), as it is now.
struct TrainingProgram {
    std::string name;  // "train.py"; empty: the engine trains
    std::string host;
    std::int64_t process = 0;
    std::string torch;      // "2.15.0"
    std::string optimizer;  // "AdamW(lr=0.001)"
    int ranks = 1;
    std::int64_t every = 0;          // steps between two that are measured whole
    bool is_live = false;            // it can be asked for more
    std::int64_t recorded_step = 0;  // the last that was recorded whole, as it was asked to; 0: none
    std::string recorded_in;         // the file, on the program's machine
};
auto fields(Like<TrainingProgram> auto& it) {
    return std::tie(it.name, it.host, it.process, it.torch, it.optimizer, it.ranks, it.every, it.is_live,
                    it.recorded_step, it.recorded_in);
}

// Where a training begins, beside its options.
struct TrainingOrigin {
    int number = 1;       // of those of the model since the program was started
    std::string weights;  // what the model had learned or loaded before: "as opened", "trained", "weights.pt"
    int branch_of = 0;    // the number of the training that it goes on from, at branch_step; 0: none
    std::int64_t branch_step = 0;
    TrainingProgram program = {};
};
auto fields(Like<TrainingOrigin> auto& it) {
    return std::tie(it.number, it.weights, it.branch_of, it.branch_step, it.program);
}

// What a log got since it was last asked, for a copy of it in another process.
struct TrainingGrowth {
    // What there is at the beginning of a copy.
    struct Beginning {
        TrainOptions options;
        std::int64_t steps_an_epoch = 0;
        NormHistory norms = NormHistory();
        std::vector<ReportedCurve> reported;
    };
    struct StepNorms {
        std::int64_t step = 0;
        std::vector<ParameterNorms> norms;
    };
    std::optional<Beginning> beginning;
    // As they are now.
    TrainingOrigin origin;
    std::int64_t first_replayable = 0;
    std::vector<TrainingFinding> findings;
    TrainingVerdict verdict;
    // More of them.
    std::vector<TrainingStep> steps;
    std::vector<StepNorms> norms;
    std::vector<TrainingEpoch> epochs;
    std::vector<std::shared_ptr<const TrainingSample>> samples;
    std::vector<runtime::CurvePoint> reports;
};
auto fields(Like<TrainingGrowth::Beginning> auto& it) {
    return std::tie(it.options, it.steps_an_epoch, it.norms, it.reported);
}
auto fields(Like<TrainingGrowth::StepNorms> auto& it) { return std::tie(it.step, it.norms); }
auto fields(Like<TrainingGrowth> auto& it) {
    return std::tie(it.beginning, it.origin, it.first_replayable, it.findings, it.verdict, it.steps, it.norms,
                    it.epochs, it.samples, it.reports);
}

// Grows while a training goes on. One writer, any number of readers.
class TrainingLog {
  public:
    // parameters: names of those that learn.
    explicit TrainingLog(TrainOptions options, std::int64_t steps_an_epoch, std::vector<std::string> parameters = {});

    const TrainOptions& options() const { return options_; }
    std::int64_t steps_an_epoch() const { return steps_an_epoch_; }
    TrainingOrigin origin() const;
    std::size_t step_count() const;
    // Those from the index on.
    std::vector<TrainingStep> steps(std::size_t from = 0) const;
    std::optional<TrainingStep> step(std::int64_t number) const;
    std::vector<TrainingEpoch> epochs() const;
    // At most kMostSamples: when there are more, every other one of the older ones goes.
    std::vector<std::shared_ptr<const TrainingSample>> samples() const;
    static constexpr std::size_t kMostSamples = 256;
    // Parameters that learn, as norms() has them.
    std::vector<std::string> parameters() const;
    // Of steps in buckets [edges[b], edges[b + 1]).
    NormMap norms(NormKind kind, std::span<const std::int64_t> edges) const;
    std::vector<ParameterNorms> norms_at(std::int64_t step) const;
    // Steps that have norms: the first and the last, and how many later ones share a row; 0, 0, 1: none.
    struct NormRange {
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::int64_t stride = 1;
    };
    NormRange norm_range() const;
    std::vector<TrainingFinding> findings() const;
    TrainingVerdict verdict() const;
    // What the program itself reports.
    std::vector<ReportedCurve> reported() const;
    // The first step that can be run again; 0: none can.
    std::int64_t first_replayable() const;

    void set_origin(TrainingOrigin origin);
    void set_first_replayable(std::int64_t step);
    // step: of a point that names none; null: behind the last one of its tag.
    void report(const runtime::CurvePoint& point, std::optional<std::int64_t> step);
    void add(const TrainingStep& step);
    // The same with the norms of its parameters. Gives what is named now.
    std::vector<TrainingFinding> add(const TrainingStep& step, std::span<const ParameterNorms> norms);
    void add(const TrainingEpoch& epoch);
    std::vector<TrainingFinding> add(std::shared_ptr<const TrainingSample> sample);
    // What a checkpoint says was found, after its steps: those that follow from them are here already.
    void add_earlier(std::span<const TrainingFinding> findings);
    // A log of the steps until this one, for a training that goes on from there in another way.
    std::shared_ptr<TrainingLog> until(std::int64_t step) const;

    // Counts its changes.
    std::uint64_t version() const;
    // For the one that keeps a copy: all there is, the first time; from then on the log keeps for it what comes.
    TrainingGrowth take_growth() const;
    // The copy's: nothing else changes it. Throws Error (File) for what no log has.
    void grow(TrainingGrowth growth);

  private:
    void keep_sample(std::shared_ptr<const TrainingSample> sample);

    TrainOptions options_;
    std::int64_t steps_an_epoch_;
    mutable std::mutex mutex_;
    TrainingOrigin origin_;
    std::vector<TrainingStep> steps_;
    std::vector<TrainingEpoch> epochs_;
    std::vector<std::shared_ptr<const TrainingSample>> samples_;
    NormHistory norms_;
    TrainingWatch watch_;
    ReportedCurves reported_;
    std::int64_t first_replayable_ = 0;
    std::uint64_t version_ = 0;
    mutable bool is_followed_ = false;
    mutable TrainingGrowth growth_;  // since take_growth()
    // Of a copy: what the watch of the log itself says.
    struct Watched {
        std::vector<TrainingFinding> findings;
        TrainingVerdict verdict;
    };
    std::optional<Watched> watched_;
};

}  // namespace loupe::session
