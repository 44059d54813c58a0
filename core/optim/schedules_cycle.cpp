// SPDX-License-Identifier: Apache-2.0
// Schedules that go up and down: cosine annealing (Loshchilov and Hutter 2016), cyclical rates (Smith 2015), one cycle
// (Smith and Topin 2017).

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/optim/scheduler_list.h"

namespace loupe::optim {
namespace {

using Values = std::span<const IValue>;
using std::numbers::pi;

double number(const IValue& value) { return value.to_scalar().to_double(); }
double whole(std::int64_t n) { return static_cast<double>(n); }
std::int64_t integer(const IValue& value, const char* expected) {
    if (!value.is_int()) refuse(concat("Expected ", expected, " but got ", python_str(value)));
    return value.to_int();
}

class CosineAnnealingLR final : public Scheduler {
  public:
    explicit CosineAnnealingLR(Values v)
        : Scheduler(optimizer_in(v[0])), half_period_(number(v[1])), least_(number(v[2])) {
        if (half_period_ == 0) throw TypedError("ZeroDivisionError", "float division by zero");
        begin(v[3].to_int(), v.back());
    }

  private:
    double cosine(std::int64_t epoch) const { return 1 + std::cos(pi * whole(epoch) / half_period_); }
    std::vector<double> rates() override {
        if (last_epoch_ == 0) return current_rates();
        if (step_count_ == 1) return closed_form();
        const double period = 2 * half_period_;
        // At the turning point the recurrence from the previous rate is undefined.
        const bool is_turning = std::fmod(epoch() - 1 - half_period_, period) == 0;
        return each_group([&](std::size_t i) {
            if (is_turning) return rate(i) + (base_rates_[i] - least_) * (1 - std::cos(pi / half_period_)) / 2;
            return cosine(last_epoch_) / cosine(last_epoch_ - 1) * (rate(i) - least_) + least_;
        });
    }
    std::vector<double> closed_form() override {
        return each_group([&](std::size_t i) { return least_ + (base_rates_[i] - least_) * cosine(last_epoch_) / 2; });
    }
    double half_period_, least_;
};

class CosineAnnealingWarmRestarts final : public Scheduler {
  public:
    explicit CosineAnnealingWarmRestarts(Values v)
        : Scheduler(optimizer_in(v[0])),
          first_(integer(v[1], "positive integer T_0,")),
          growth_(integer(v[2], "integer T_mult >= 1,")),
          least_(number(v[3])),
          length_(whole(first_)) {
        if (first_ <= 0) refuse(concat("Expected positive integer T_0, but got ", first_));
        if (growth_ < 1) refuse(concat("Expected integer T_mult >= 1, but got ", growth_));
        at_ = whole(v[4].to_int());
        begin(v[4].to_int(), v.back());
    }
    void step(std::optional<double> epoch = {}) override {
        if (!epoch && last_epoch_ < 0) epoch = 0;
        if (!epoch) {
            epoch = whole(last_epoch_ + 1);
            at_ += 1;
            if (at_ >= length_) {
                at_ -= length_;
                length_ *= whole(growth_);
            }
        } else {
            go_to(*epoch);
        }
        last_epoch_ = static_cast<std::int64_t>(std::floor(*epoch));
        set_rates(rates());
    }

  private:
    void go_to(double epoch) {
        if (!(epoch >= 0)) refuse(concat("Expected non-negative epoch, but got ", python_repr(epoch)));
        const double first = whole(first_), growth = whole(growth_);
        if (epoch < first) {
            length_ = first;
            at_ = epoch;
        } else if (growth_ == 1) {
            at_ = std::fmod(epoch, first);
        } else {
            const double n = std::trunc(std::log(epoch / first * (growth - 1) + 1) / std::log(growth));
            at_ = epoch - first * (std::pow(growth, n) - 1) / (growth - 1);
            length_ = first * std::pow(growth, n);
        }
    }
    std::vector<double> rates() override {
        return each_group(
            [&](std::size_t i) { return least_ + (base_rates_[i] - least_) * (1 + std::cos(pi * at_ / length_)) / 2; });
    }
    std::vector<std::pair<std::string, Field>> fields() override {
        auto all = Scheduler::fields();
        all.insert(all.begin(),
                   {{"T_0", &first_}, {"T_i", &length_}, {"T_mult", &growth_}, {"eta_min", &least_}, {"T_cur", &at_}});
        return all;
    }
    std::int64_t first_, growth_;
    double least_, length_, at_ = 0;
};

class CyclicLR final : public Scheduler {
  public:
    // (optimizer, base_lr, max_lr, step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode, cycle_momentum,
    //  base_momentum, max_momentum, last_epoch, verbose)
    explicit CyclicLR(Values v)
        : Scheduler(optimizer_in(v[0])), mode_(v[5].to_string()), gamma_(number(v[6])), scale_(v[7]) {
        const std::int64_t last_epoch = v[12].to_int();
        const std::vector<double> low = one_a_group(v[1], "base_lr");
        if (last_epoch == -1) set_option("lr", low);
        highest_ = one_a_group(v[2], "max_lr");
        const double up = number(v[3]), down = v[4].is_none() ? up : number(v[4]);
        total_ = up + down;
        up_share_ = up / total_;
        by_cycle_ = scale_.is_none() ? mode_ != "exp_range" : v[8].to_string() == "cycle";
        if (scale_.is_none() && mode_ != "triangular" && mode_ != "triangular2" && mode_ != "exp_range") {
            refuse("mode is invalid and scale_fn is None");
        }
        moves_momentum_ = v[9].to_bool();
        if (moves_momentum_) {
            if (optimizer_->defaults()->find("momentum") == nullptr) {
                refuse("optimizer must support momentum with `cycle_momentum` option enabled");
            }
            if (last_epoch == -1) set_option("momentum", one_a_group(v[10], "base_momentum"));
            low_momentum_ = each_group([&](std::size_t i) { return Options(group(i)).number("momentum"); });
            high_momentum_ = one_a_group(v[11], "max_momentum");
        }
        begin(last_epoch, v.back());
        base_rates_ = low;
    }

  private:
    void set_option(const char* name, const std::vector<double>& values) {
        for (std::size_t i = 0; i < group_count(); ++i) group(i).set(name, values[i]);
    }
    double scale(double x) const {
        if (!scale_.is_none()) {
            const auto function = scale_.is_other() ? scale_.to_other_as<Callable>() : nullptr;
            if (!function) fail_with_type(concat("'", value_type_name(scale_), "' object is not callable"));
            return number(function->call({{static_cast<std::int64_t>(x)}, {}}));
        }
        if (mode_ == "triangular2") return 1 / std::pow(2.0, x - 1);
        return mode_ == "exp_range" ? std::pow(gamma_, x) : 1;
    }
    std::vector<double> rates() override {
        const double cycle = std::floor(1 + whole(last_epoch_) / total_);
        const double x = 1 + whole(last_epoch_) / total_ - cycle;
        const double height = x <= up_share_ ? x / up_share_ : (x - 1) / (up_share_ - 1);
        const double by = scale(by_cycle_ ? cycle : whole(last_epoch_));
        if (moves_momentum_) {
            for (std::size_t i = 0; i < group_count(); ++i) {
                group(i).set("momentum", high_momentum_[i] - (high_momentum_[i] - low_momentum_[i]) * height * by);
            }
        }
        return each_group([&](std::size_t i) { return base_rates_[i] + (highest_[i] - base_rates_[i]) * height * by; });
    }
    std::string mode_;
    double gamma_;
    IValue scale_;
    std::vector<double> highest_, low_momentum_, high_momentum_;
    double total_ = 0, up_share_ = 0;
    bool by_cycle_ = true, moves_momentum_ = false;
};

class OneCycleLR final : public Scheduler {
  public:
    // (optimizer, max_lr, total_steps, epochs, steps_per_epoch, pct_start, anneal_strategy, cycle_momentum,
    // base_momentum,
    //  max_momentum, div_factor, final_div_factor, three_phase, last_epoch, verbose)
    explicit OneCycleLR(Values v) : Scheduler(optimizer_in(v[0])) {
        total_ = total_steps(v[2], v[3], v[4]);
        const double start = number(v[5]);
        if (!(start >= 0 && start <= 1))
            refuse(concat("Expected float between 0 and 1 pct_start, but got ", python_str(v[5])));
        const std::string& strategy = v[6].to_string();
        if (strategy != "cos" && strategy != "linear") {
            refuse(concat("anneal_strategy must by one of 'cos' or 'linear', instead got ", strategy));
        }
        is_cosine_ = strategy == "cos";
        set_phases(start * whole(total_), v[12].to_bool());
        const std::int64_t last_epoch = v[13].to_int();
        if (last_epoch == -1) set_rate_limits(one_a_group(v[1], "max_lr"), number(v[10]), number(v[11]));
        if (v[7].to_bool())
            set_momentum(one_a_group(v[8], "base_momentum"), one_a_group(v[9], "max_momentum"), last_epoch == -1);
        begin(last_epoch, v.back());
    }

  private:
    struct Phase {
        double end;
        const char *from, *to, *momentum_from, *momentum_to;
    };
    static std::int64_t total_steps(const IValue& total, const IValue& epochs, const IValue& per_epoch) {
        const auto positive = [](const IValue& value, const char* name) {
            if (!value.is_int() || value.to_int() <= 0)
                refuse(concat("Expected positive integer ", name, ", but got ", python_str(value)));
            return value.to_int();
        };
        if (!total.is_none()) return positive(total, "total_steps");
        if (epochs.is_none() && per_epoch.is_none())
            refuse("You must define either total_steps OR (epochs AND steps_per_epoch)");
        return positive(epochs, "epochs") * positive(per_epoch, "steps_per_epoch");
    }
    void set_phases(double rise, bool has_three) {
        const double end = whole(total_ - 1);
        phases_.push_back({rise - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"});
        if (has_three) {
            phases_.push_back({2 * rise - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"});
            phases_.push_back({end, "initial_lr", "min_lr", "max_momentum", "max_momentum"});
        } else {
            phases_.push_back({end, "max_lr", "min_lr", "base_momentum", "max_momentum"});
        }
    }
    void set_rate_limits(const std::vector<double>& highest, double divisor, double last_divisor) {
        for (std::size_t i = 0; i < group_count(); ++i) {
            const double first = highest[i] / divisor;
            group(i).set("initial_lr", first);
            group(i).set("max_lr", highest[i]);
            group(i).set("min_lr", first / last_divisor);
        }
    }
    void set_momentum(const std::vector<double>& low, const std::vector<double>& high, bool is_new) {
        moves_momentum_ = true;
        uses_beta_ = optimizer_->defaults()->find("betas") != nullptr;
        if (!uses_beta_ && optimizer_->defaults()->find("momentum") == nullptr) {
            refuse("optimizer must support momentum with `cycle_momentum` option enabled");
        }
        for (std::size_t i = 0; is_new && i < group_count(); ++i) {
            put_momentum(group(i), high[i]);
            group(i).set("max_momentum", high[i]);
            group(i).set("base_momentum", low[i]);
        }
    }
    void put_momentum(DictObject& options, double momentum) const {
        if (!uses_beta_) return options.set("momentum", momentum);
        options.set("betas", make_ptr<TupleObject>(std::vector<IValue>{momentum, Options(options).number("betas", 1)}));
    }
    double between(double from, double to, double share) const {
        if (!is_cosine_) return (to - from) * share + from;
        return to + (from - to) / 2 * (std::cos(pi * share) + 1);
    }
    std::vector<double> rates() override {
        if (last_epoch_ > total_) {
            refuse(
                concat("Tried to step ", last_epoch_ + 1, " times. The specified number of total steps is ", total_));
        }
        double begins = 0;
        std::size_t at = 0;
        for (; at + 1 < phases_.size() && whole(last_epoch_) > phases_[at].end; ++at) begins = phases_[at].end;
        const Phase& phase = phases_[at];
        const double share = (whole(last_epoch_) - begins) / (phase.end - begins);
        return each_group([&](std::size_t i) {
            const Options options(group(i));
            if (moves_momentum_) {
                put_momentum(group(i),
                             between(options.number(phase.momentum_from), options.number(phase.momentum_to), share));
            }
            return between(options.number(phase.from), options.number(phase.to), share);
        });
    }
    std::vector<Phase> phases_;
    std::int64_t total_ = 0;
    bool is_cosine_ = true, moves_momentum_ = false, uses_beta_ = false;
};

template <typename T>
Ptr<Scheduler> made(Values arguments) {
    return make_ptr<T>(arguments);
}

const SchedulerRecord kRecords[] = {
    {"CosineAnnealingLR", "Half a cosine from the first rate to eta_min in T_max epochs, and back.",
     "CosineAnnealingLR(Any optimizer, Scalar T_max, Scalar eta_min=0, int last_epoch=-1, bool verbose=False) -> Any",
     made<CosineAnnealingLR>},
    {"CosineAnnealingWarmRestarts", "Half a cosine again and again, each T_mult times as long as the one before.",
     "CosineAnnealingWarmRestarts(Any optimizer, Scalar T_0, Scalar T_mult=1, Scalar eta_min=0, int last_epoch=-1, "
     "bool "
     "verbose=False) -> Any",
     made<CosineAnnealingWarmRestarts>},
    {"CyclicLR", "Up and down between two rates (Smith 2015).",
     "CyclicLR(Any optimizer, Any base_lr, Any max_lr, Scalar step_size_up=2000, Scalar? "
     "step_size_down=None, str mode='triangular', Scalar "
     "gamma=1.0, Any scale_fn=None, str scale_mode='cycle', bool cycle_momentum=True, "
     "Any base_momentum=0.8, Any max_momentum=0.9, int "
     "last_epoch=-1, bool verbose=False) -> Any",
     made<CyclicLR>},
    {"OneCycleLR", "Once up and down, to far below the first rate (Smith and Topin 2017).",
     "OneCycleLR(Any optimizer, Any max_lr, Any total_steps=None, Any epochs=None, Any steps_per_epoch=None, Scalar "
     "pct_start=0.3, str "
     "anneal_strategy='cos', bool cycle_momentum=True, Any base_momentum=0.85, Any max_momentum=0.95, Scalar "
     "div_factor=25.0, Scalar "
     "final_div_factor=10000.0, bool three_phase=False, int last_epoch=-1, bool verbose=False) -> Any",
     made<OneCycleLR>},
};

}  // namespace

std::span<const SchedulerRecord> cycle_schedules() { return kRecords; }

}  // namespace loupe::optim
