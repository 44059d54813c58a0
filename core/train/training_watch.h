// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names what goes wrong in a training while it happens: from the loss and the norms of every step, and the units of
// those that were recorded.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/train/training_norms.h"

namespace loupe::session {

// A loss as findings and the log write it: four digits, "nan", "inf".
std::string loss_text(double loss);

struct TrainingFinding {
    enum class Kind { NotANumber, Divergence, NoGradient, DeadUnits, Spike, Plateau };
    Kind kind = Kind::Spike;
    std::int64_t step = 0;       // where it began: what a link leads to
    std::int64_t last_step = 0;  // where it ended; 0: it lasts
    Said text;                   // "the loss jumps to 12.4 at step 40: it was about 0.31 before, 40 times as much"
    std::string name;            // of the parameter or module it is about; empty: the loss
    double share = 1;            // of the parameters, or of the module's units
};
constexpr TrainingFinding::Kind last_of(TrainingFinding::Kind) { return TrainingFinding::Kind::Plateau; }
auto fields(Like<TrainingFinding> auto& it) {
    return std::tie(it.kind, it.step, it.last_step, it.text, it.name, it.share);
}

// What a training came to, in one sentence.
struct TrainingVerdict {
    bool is_good = true;
    std::int64_t step = 0;  // where the cause is; 0: no one step
    Said text;
};
auto fields(Like<TrainingVerdict> auto& it) { return std::tie(it.is_good, it.step, it.text); }

// Units of a module (channels, or features) whose outputs were all 0 at a step that was recorded.
struct UnitActivity {
    std::string scope;
    std::vector<bool> is_zero;  // by unit
};
auto fields(Like<UnitActivity> auto& it) { return std::tie(it.scope, it.is_zero); }

class TrainingWatch {
  public:
    // names: of the parameters, in the order of their norms. optimizer: as it was called, for the verdict's advice.
    TrainingWatch(std::vector<std::string> names, std::string optimizer, std::int64_t steps_an_epoch);

    // Both return how many findings there were before: those behind are new.
    std::size_t add_step(std::int64_t step, double loss, std::span<const ParameterNorms> norms);
    std::size_t add_units(std::int64_t step, const std::vector<UnitActivity>& units);
    // Of a training that goes on: those that its losses do not show are not there without.
    void add_earlier(std::span<const TrainingFinding> findings);
    // By their beginning; an older one changes when it ends.
    const std::vector<TrainingFinding>& findings() const { return findings_; }
    TrainingVerdict verdict() const;

    static constexpr std::size_t kMostSpikes = 50;
    static constexpr int kStepsWithoutGradient = 10;  // in a row, before it is named
    static constexpr int kLooksWithoutOutput = 3;

  private:
    struct Parameter {
        std::int64_t since =
            0;  // first step of those in a row without a gradient, or with one that is exactly 0; 0: none
        std::int64_t count = 0;   // of them
        bool is_missing = false;  // no gradient at all
        std::size_t finding = kNone;
    };
    struct Units {
        std::vector<int> looks;  // in a row without output, by unit
        std::vector<bool> is_named;
        std::vector<std::int64_t> steps;  // of the last looks
    };
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t open(TrainingFinding::Kind kind, std::int64_t step, Said text, std::string name = {});
    void close(std::size_t& finding, std::int64_t last_step);
    void watch_numbers(std::int64_t step, double loss);
    bool watch_divergence(std::int64_t step, double loss);
    void watch_spike(std::int64_t step, double loss);
    void watch_plateau(std::int64_t step, double loss);
    void watch_gradients(std::int64_t step, std::span<const ParameterNorms> norms);
    void name_missing(std::int64_t step);
    Said great_update() const;
    double scale() const;

    std::vector<std::string> names_;
    std::string optimizer_;
    std::int64_t window_;  // of a plateau
    std::vector<TrainingFinding> findings_;

    // The loss.
    std::int64_t first_step_ = 0;
    std::int64_t last_step_ = 0;
    double first_loss_ = 0;
    double last_loss_ = 0;
    double lowest_ = 0;
    std::int64_t lowest_step_ = 0;
    std::deque<double> smoothing_;  // the last ten
    double best_ = 0;               // lowest median of ten
    std::int64_t best_step_ = 0;
    double noise_ = 0;           // of the steps before a spike
    std::deque<double> usual_;   // losses before a spike
    std::deque<double> spread_;  // two windows of a plateau
    std::int64_t until_check_ = 0;
    double plateau_loss_ = 0;
    std::size_t nan_ = kNone;
    std::size_t spike_ = kNone;
    std::size_t divergence_ = kNone;
    std::size_t plateau_ = kNone;
    std::int64_t spike_steps_ = 0;
    std::size_t spikes_ = 0;
    // Steps in a row above what counts as far, back where it began, and rising; and below again.
    struct Run {
        std::int64_t first = 0;
        int count = 0;
        void note(bool holds, std::int64_t step) {
            if (!holds)
                count = 0;
            else if (count++ == 0)
                first = step;
        }
    };
    Run far_, lost_, rising_, back_;

    std::vector<Parameter> parameters_;
    // The greatest step beside the weights lately: update of all to weights of all.
    struct Moved {
        std::int64_t step = 0;
        double ratio = 0;
    };
    std::array<Moved, 32> moved_{};
    std::map<std::string, Units, std::less<>> units_;
};

}  // namespace loupe::session
