// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.optim.lr_scheduler: rules by which options of an optimiser's groups, mostly the learning rate, change from
// epoch to epoch. A scheduler class is one record.
//
//     const Ptr<Scheduler> halving = make_scheduler("StepLR", sgd, {10}, {{"gamma", 0.5}});
//     sgd->step(); halving->step();

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/optim/optimizer.h"

namespace loupe::optim {

class Scheduler : public RefCounted {
  public:
    const Ptr<Optimizer>& optimizer() const { return optimizer_; }
    std::int64_t last_epoch() const { return last_epoch_; }
    std::int64_t step_count() const { return step_count_; }
    // Rates that the last step set, one per group.
    const std::vector<double>& last_rates() const { return last_rates_; }

    // Rates at the start, one per group.
    const std::vector<double>& base_rates() const { return base_rates_; }
    bool is_verbose() const { return verbose_; }

    // The next epoch, or the one given (deprecated in PyTorch, with a warning).
    virtual void step(std::optional<double> epoch = {});
    // For schedulers of a metric (ReduceLROnPlateau); others throw Error (Run).
    virtual void step_on(double metric);
    virtual bool takes_metric() const { return false; }

    // By PyTorch's names; without the optimiser and functions.
    virtual IValue state_dict() const;
    virtual void load_state_dict(const IValue& state);

  protected:
    friend class SequentialLR;
    using Field = std::variant<std::int64_t*, double*, std::vector<double>*, bool*, Scalar*>;

    explicit Scheduler(Ptr<Optimizer> optimizer) : optimizer_(std::move(optimizer)) {}
    // Stores the initial rates and sets those of the first epoch. Called at the end of construction.
    // verbose: prints each rate that it sets.
    void begin(std::int64_t last_epoch, const IValue& verbose);
    void first_step();

    // The rate of each group at last_epoch_, from the current ones (chainable), or from base_rates_ only.
    virtual std::vector<double> rates() = 0;
    virtual std::vector<double> closed_form() { return rates(); }
    // The saved state, by name.
    virtual std::vector<std::pair<std::string, Field>> fields();

    // last_epoch_, for comparison with lengths, which may be any number (StepLR(optimizer, 1.0)).
    double epoch() const { return static_cast<double>(last_epoch_); }
    std::size_t group_count() const { return optimizer_->param_groups()->elements.size(); }
    DictObject& group(std::size_t i) const { return optimizer_->param_groups()->elements[i].to_dict(); }
    double rate(std::size_t i) const { return Options(group(i)).number("lr"); }
    // With `verbose`: "Adjusting learning rate of group 0 to 1.0000e-01.", with the epoch when one was given.
    void print_rate(std::size_t group, double rate, const IValue& epoch) const;
    std::vector<double> current_rates() const;
    void set_rates(const std::vector<double>& rates);
    // rule(i) for each group.
    template <typename Rule>
    std::vector<double> each_group(Rule&& rule) const {
        std::vector<double> all;
        for (std::size_t i = 0; i < group_count(); ++i) all.push_back(rule(i));
        return all;
    }
    // A number for all groups, or a list with one for each. Throws Error (Run) for another count.
    std::vector<double> one_a_group(const IValue& value, std::string_view name) const;

    Ptr<Optimizer> optimizer_;
    std::vector<double> base_rates_;
    std::vector<double> last_rates_;
    std::int64_t last_epoch_ = -1;
    std::int64_t step_count_ = 0;
    bool verbose_ = false;
};

// Where the lines of verbose schedulers go, on every thread; null, the default: nowhere.
void set_schedule_printer(void (*print)(std::string_view line));
void print_schedule_line(std::string_view line);

// A scheduler or optimiser as a value of a program.
inline IValue as_value(Ptr<RefCounted> object) { return IValue::other(std::move(object)); }

struct SchedulerRecord {
    std::string_view name;     // "StepLR"
    std::string_view summary;  // one sentence
    // In schema syntax; the first argument is the optimiser (of ChainedScheduler: the schedulers).
    std::string_view constructor;
    Ptr<Scheduler> (*make)(std::span<const IValue> arguments);
};

std::span<const SchedulerRecord* const> scheduler_records();
// Null for a name that is no scheduler's.
const SchedulerRecord* find_scheduler(std::string_view name);
// Throws Error (Run) with PyTorch's messages for arguments that do not fit.
Ptr<Scheduler> make_scheduler(const SchedulerRecord& record, CallArguments arguments);
Ptr<Scheduler> make_scheduler(std::string_view name, const Ptr<Optimizer>& optimizer,
                              std::vector<IValue> arguments = {},
                              std::vector<std::pair<std::string, IValue>> keywords = {});

// The optimiser in a value. Throws Error (Run) "int is not an Optimizer".
Ptr<Optimizer> optimizer_in(const IValue& value);
[[noreturn]] void refuse(std::string message);

}  // namespace loupe::optim
