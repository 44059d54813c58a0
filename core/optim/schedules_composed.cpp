// SPDX-License-Identifier: Apache-2.0
// Schedules composed of others, and the one that waits for a metric to plateau.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/optim/scheduler_list.h"

namespace loupe::optim {
namespace {

using Values = std::span<const IValue>;

double number(const IValue& value) { return value.to_scalar().to_double(); }

std::vector<Ptr<Scheduler>> schedulers_in(const IValue& value, std::string_view name) {
    std::vector<Ptr<Scheduler>> all;
    for (const IValue& element : value.is_tuple() ? value.to_tuple().elements : value.to_list().elements) {
        all.push_back(element.is_other() ? element.to_other_as<Scheduler>() : nullptr);
        if (!all.back())
            throw TypedError("AttributeError",
                             concat("'", value_type_name(element), "' object has no attribute 'optimizer'"));
    }
    if (all.empty()) {
        if (is_older_torch()) fail_with_index("list index out of range");
        fail_with_value(concat(name, " expects at least one scheduler",
                               name == "SequentialLR" ? "," : " to be chained,", " but got no scheduler."));
    }
    return all;
}

IValue states_of(const std::vector<Ptr<Scheduler>>& schedulers) {
    auto list = make_ptr<ListObject>(types::any());
    for (const auto& scheduler : schedulers) list->elements.push_back(scheduler->state_dict());
    return list;
}
void load_states(const std::vector<Ptr<Scheduler>>& schedulers, const IValue& state) {
    const IValue* states = state.to_dict().find("_schedulers");
    if (states == nullptr) throw TypedError("KeyError", "_schedulers");
    for (std::size_t i = 0; i < schedulers.size() && i < states->to_list().elements.size(); ++i) {
        schedulers[i]->load_state_dict(states->to_list().elements[i]);
    }
}

// Owns others, and saves their states with its own.
class ComposedScheduler : public Scheduler {
  public:
    IValue state_dict() const override {
        const IValue out = Scheduler::state_dict();
        out.to_dict().set("_schedulers", states_of(schedulers_));
        return out;
    }
    void load_state_dict(const IValue& state) override {
        load_states(schedulers_, state);
        Scheduler::load_state_dict(state);
    }

  protected:
    ComposedScheduler(Ptr<Optimizer> optimizer, std::vector<Ptr<Scheduler>> schedulers)
        : Scheduler(std::move(optimizer)), schedulers_(std::move(schedulers)) {}
    std::vector<double> rates() override { return current_rates(); }
    std::vector<Ptr<Scheduler>> schedulers_;
};

class ChainedScheduler final : public ComposedScheduler {
  public:
    explicit ChainedScheduler(Values v) : ChainedScheduler(schedulers_in(v[0], "ChainedScheduler")) {}
    void step(std::optional<double> = {}) override {
        for (const auto& scheduler : schedulers_) scheduler->step();
        last_rates_ = current_rates();
    }

  private:
    explicit ChainedScheduler(std::vector<Ptr<Scheduler>> schedulers)
        : ComposedScheduler(schedulers.front()->optimizer(), schedulers) {
        for (std::size_t i = 1; i < schedulers_.size(); ++i) {
            if (schedulers_[i]->optimizer() != optimizer_) {
                refuse(
                    concat("ChainedScheduler expects all schedulers to belong to the same optimizer, but got "
                           "schedulers at index 0 and ",
                           i, " to be different"));
            }
        }
        last_rates_ = current_rates();
    }
    std::vector<std::pair<std::string, Field>> fields() override { return {{"_last_lr", &last_rates_}}; }
};

class ReduceLROnPlateau final : public Scheduler {
  public:
    // (optimizer, mode, factor, patience, threshold, threshold_mode, cooldown, min_lr, eps, verbose)
    explicit ReduceLROnPlateau(Values v)
        : Scheduler(optimizer_in(v[0])),
          factor_(number(v[2])),
          patience_(v[3].to_scalar()),
          threshold_(number(v[4])),
          cooldown_(v[6].to_scalar()),
          eps_(number(v[8])) {
        const std::string &mode = v[1].to_string(), &threshold_mode = v[5].to_string();
        if (factor_ >= 1) refuse("Factor should be < 1.0.");
        if (v[7].is_list() || v[7].is_tuple())
            least_ = one_a_group(v[7], "min_lrs");
        else
            least_.assign(group_count(), number(v[7]));
        if (mode != "min" && mode != "max") refuse(concat("mode ", mode, " is unknown!"));
        if (threshold_mode != "rel" && threshold_mode != "abs")
            refuse(concat("threshold mode ", threshold_mode, " is unknown!"));
        is_min_ = mode == "min";
        is_relative_ = threshold_mode == "rel";
        best_ = is_min_ ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
        last_epoch_ = 0;
        verbose_ = v[9].to_scalar().to_bool();
        last_rates_ = current_rates();
    }
    bool takes_metric() const override { return true; }
    void step(std::optional<double> = {}) override {
        fail_with_type("step() missing 1 required positional argument: 'metrics'");
    }
    void step_on(double metric) override {
        ++last_epoch_;
        if (is_better(metric)) {
            best_ = metric;
            bad_epochs_ = 0;
        } else {
            ++bad_epochs_;
        }
        if (cooling_.to_double() > 0) {
            cooling_ = cooling_.is_integral() ? Scalar(cooling_.to_int() - 1) : Scalar(cooling_.to_double() - 1);
            bad_epochs_ = 0;
        }
        if (static_cast<double>(bad_epochs_) > patience_.to_double()) {
            reduce();
            cooling_ = cooldown_;
            bad_epochs_ = 0;
        }
        last_rates_ = current_rates();
    }

  private:
    bool is_better(double metric) const {
        const double margin = is_relative_ ? threshold_ : 0;
        if (is_min_) return metric < (is_relative_ ? best_ * (1 - margin) : best_ - threshold_);
        return metric > (is_relative_ ? best_ * (margin + 1) : best_ + threshold_);
    }
    void reduce() {
        for (std::size_t i = 0; i < group_count(); ++i) {
            const double now = std::max(rate(i) * factor_, least_[i]);
            if (rate(i) - now <= eps_) continue;
            group(i).set("lr", now);
            if (!verbose_) continue;
            char text[96];
            std::snprintf(text, sizeof text, "Epoch %.5lld: reducing learning rate of group %zu to %.4e.",
                          static_cast<long long>(last_epoch_), i, now);
            print_schedule_line(text);
        }
    }
    std::vector<double> rates() override { return current_rates(); }
    std::vector<std::pair<std::string, Field>> fields() override {
        return {{"factor", &factor_},
                {"min_lrs", &least_},
                {"patience", &patience_},
                {"cooldown", &cooldown_},
                {"cooldown_counter", &cooling_},
                {"threshold", &threshold_},
                {"best", &best_},
                {"num_bad_epochs", &bad_epochs_},
                {"eps", &eps_},
                {"last_epoch", &last_epoch_},
                {"verbose", &verbose_},
                {"_last_lr", &last_rates_}};
    }
    double factor_;
    Scalar patience_;  // numbers as they were given, which state_dict keeps
    double threshold_;
    Scalar cooldown_;
    double eps_;
    std::vector<double> least_;
    double best_ = 0;
    std::int64_t bad_epochs_ = 0;
    Scalar cooling_;
    bool is_min_ = true, is_relative_ = true;
};

template <typename T>
Ptr<Scheduler> made(Values arguments) {
    return make_ptr<T>(arguments);
}

}  // namespace

// Not in the anonymous namespace: it undoes the first step of its parts, which is theirs.
class SequentialLR final : public ComposedScheduler {
  public:
    explicit SequentialLR(Values v) : ComposedScheduler(optimizer_in(v[0]), schedulers_in(v[1], "SequentialLR")) {
        milestones_ = v[2].to_doubles();
        for (std::size_t i = 0; i < schedulers_.size(); ++i) {
            if (schedulers_[i]->optimizer() == optimizer_) continue;
            refuse(
                concat("Sequential Schedulers expects all schedulers to belong to the same optimizer, but got "
                       "schedulers at index ",
                       i, " to be different than the optimizer passed in."));
        }
        if (milestones_.size() + 1 != schedulers_.size()) {
            refuse(
                concat("Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                       "milestone points, "
                       "but got number of schedulers ",
                       schedulers_.size(), " and the number of milestones to be equal to ", milestones_.size()));
        }
        last_epoch_ = v[3].to_int() + 1;
        for (std::size_t i = 0; i < group_count(); ++i) group(i).set("lr", Options(group(i))["initial_lr"]);
        for (const auto& scheduler : schedulers_) --scheduler->last_epoch_;
        schedulers_.front()->first_step();
        last_rates_ = schedulers_.front()->last_rates();
    }
    void step(std::optional<double> = {}) override {
        ++last_epoch_;
        const auto at = static_cast<std::size_t>(std::ranges::upper_bound(milestones_, epoch()) - milestones_.begin());
        if (at > 0 && milestones_[at - 1] == epoch())
            schedulers_[at]->step(0);
        else
            schedulers_[at]->step();
        last_rates_ = schedulers_[at]->last_rates();
    }

  private:
    std::vector<std::pair<std::string, Field>> fields() override {
        return {{"last_epoch", &last_epoch_}, {"_last_lr", &last_rates_}};
    }
    std::vector<double> milestones_;
};

namespace {

const SchedulerRecord kRecords[] = {
    {"ReduceLROnPlateau", "Lowers the rate when a measured number has not improved for `patience` epochs.",
     "ReduceLROnPlateau(Any optimizer, str mode='min', Scalar factor=0.1, Scalar patience=10, Scalar threshold=0.0001, "
     "str threshold_mode='rel', "
     "Scalar cooldown=0, Any min_lr=0, Scalar eps=1e-08, bool verbose=False) -> Any",
     made<ReduceLROnPlateau>},
    {"SequentialLR", "One schedule after another, from milestone to milestone.",
     "SequentialLR(Any optimizer, Any schedulers, float[] milestones, int last_epoch=-1, bool verbose=False) -> Any",
     made<SequentialLR>},
    {"ChainedScheduler", "All schedules at once: each multiplies the rate in its turn.",
     "ChainedScheduler(Any schedulers) -> Any", made<ChainedScheduler>},
};

}  // namespace

std::span<const SchedulerRecord> composed_schedules() { return kRecords; }

}  // namespace loupe::optim
