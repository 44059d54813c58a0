// SPDX-License-Identifier: Apache-2.0
// Schedules that multiply the rate: by a function, in steps, linearly, exponentially, by a power.

#include <algorithm>
#include <cmath>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/optim/scheduler_list.h"

namespace loupe::optim {
namespace {

using Values = std::span<const IValue>;

// The functions given: one for all groups, or one each.
class FunctionLR : public Scheduler {
  public:
    FunctionLR(Values v) : Scheduler(optimizer_in(v[0])) {
        const bool is_many = v[1].is_list() || v[1].is_tuple();
        if (!is_many)
            functions_.assign(group_count(), v[1]);
        else
            functions_ = v[1].is_list() ? v[1].to_list().elements : v[1].to_tuple().elements;
        if (functions_.size() != group_count())
            refuse(concat("Expected ", group_count(), " lr_lambdas, but got ", functions_.size()));
    }

  protected:
    double factor(std::size_t i) const {
        const auto function = functions_[i].is_other() ? functions_[i].to_other_as<Callable>() : nullptr;
        if (!function) fail_with_type(concat("'", value_type_name(functions_[i]), "' object is not callable"));
        return function->call({{last_epoch_}, {}}).to_scalar().to_double();
    }

  private:
    std::vector<IValue> functions_;
};

class LambdaLR final : public FunctionLR {
  public:
    explicit LambdaLR(Values v) : FunctionLR(v) { begin(v[2].to_int(), v.back()); }

  private:
    std::vector<double> rates() override {
        return each_group([&](std::size_t i) { return base_rates_[i] * factor(i); });
    }
};

class MultiplicativeLR final : public FunctionLR {
  public:
    explicit MultiplicativeLR(Values v) : FunctionLR(v) { begin(v[2].to_int(), v.back()); }

  private:
    std::vector<double> rates() override {
        return each_group([&](std::size_t i) { return last_epoch_ > 0 ? rate(i) * factor(i) : rate(i); });
    }
};

class StepLR final : public Scheduler {
  public:
    explicit StepLR(Values v)
        : Scheduler(optimizer_in(v[0])), size_(v[1].to_scalar()), gamma_(v[2].to_scalar().to_double()) {
        if (size_.equals(0))
            throw TypedError("ZeroDivisionError",
                             size_.is_integral() ? "integer division or modulo by zero" : "float modulo");
        begin(v[3].to_int(), v.back());
    }

  private:
    std::vector<double> rates() override {
        const bool is_due = last_epoch_ != 0 && std::fmod(epoch(), size_.to_double()) == 0;
        return each_group([&](std::size_t i) { return is_due ? rate(i) * gamma_ : rate(i); });
    }
    std::vector<double> closed_form() override {
        return each_group(
            [&](std::size_t i) { return base_rates_[i] * std::pow(gamma_, std::floor(epoch() / size_.to_double())); });
    }
    std::vector<std::pair<std::string, Field>> fields() override {
        auto all = Scheduler::fields();
        all.insert(all.begin(), {{"step_size", &size_}, {"gamma", &gamma_}});
        return all;
    }
    Scalar size_;  // as it was given, which state_dict keeps
    double gamma_;
};

class MultiStepLR final : public Scheduler {
  public:
    explicit MultiStepLR(Values v) : Scheduler(optimizer_in(v[0])), gamma_(v[2].to_scalar().to_double()) {
        milestones_ = v[1].to_doubles();
        std::ranges::sort(milestones_);
        begin(v[3].to_int(), v.back());
    }

  private:
    std::vector<double> rates() override {
        const auto times = std::ranges::count(milestones_, static_cast<double>(last_epoch_));
        return each_group([&](std::size_t i) { return rate(i) * std::pow(gamma_, times); });
    }
    std::vector<double> closed_form() override {
        const auto times =
            std::ranges::upper_bound(milestones_, static_cast<double>(last_epoch_)) - milestones_.begin();
        return each_group([&](std::size_t i) { return base_rates_[i] * std::pow(gamma_, times); });
    }
    std::vector<double> milestones_;
    double gamma_;
};

class ConstantLR final : public Scheduler {
  public:
    explicit ConstantLR(Values v)
        : Scheduler(optimizer_in(v[0])), factor_(v[1].to_scalar().to_double()), total_(v[2].to_scalar().to_double()) {
        if (!(factor_ >= 0 && factor_ <= 1)) refuse("Constant multiplicative factor expected to be between 0 and 1.");
        begin(v[3].to_int(), v.back());
    }

  private:
    std::vector<double> rates() override {
        const double by = last_epoch_ == 0 ? factor_ : (epoch() == total_ ? 1 / factor_ : 1);
        return each_group([&](std::size_t i) { return rate(i) * by; });
    }
    std::vector<double> closed_form() override {
        return each_group(
            [&](std::size_t i) { return base_rates_[i] * (factor_ + (epoch() >= total_ ? 1 - factor_ : 0)); });
    }
    double factor_;
    double total_;
};

class LinearLR final : public Scheduler {
  public:
    explicit LinearLR(Values v)
        : Scheduler(optimizer_in(v[0])),
          start_(v[1].to_scalar().to_double()),
          end_(v[2].to_scalar().to_double()),
          total_(v[3].to_scalar().to_double()) {
        if (!(start_ >= 0 && start_ <= 1)) refuse("Starting multiplicative factor expected to be between 0 and 1.");
        if (!(end_ >= 0 && end_ <= 1)) refuse("Ending multiplicative factor expected to be between 0 and 1.");
        begin(v[4].to_int(), v.back());
    }

  private:
    std::vector<double> rates() override {
        double by = 1;
        if (last_epoch_ == 0)
            by = start_;
        else if (epoch() <= total_) {
            by = 1 + (end_ - start_) / (total_ * start_ + static_cast<double>(last_epoch_ - 1) * (end_ - start_));
        }
        return each_group([&](std::size_t i) { return rate(i) * by; });
    }
    std::vector<double> closed_form() override {
        const double done = std::min(total_, epoch()) / total_;
        return each_group([&](std::size_t i) { return base_rates_[i] * (start_ + (end_ - start_) * done); });
    }
    double start_, end_, total_;
};

class ExponentialLR final : public Scheduler {
  public:
    explicit ExponentialLR(Values v) : Scheduler(optimizer_in(v[0])), gamma_(v[1].to_scalar().to_double()) {
        begin(v[2].to_int(), v.back());
    }

  private:
    std::vector<double> rates() override {
        return each_group([&](std::size_t i) { return last_epoch_ == 0 ? rate(i) : rate(i) * gamma_; });
    }
    std::vector<double> closed_form() override {
        return each_group([&](std::size_t i) { return base_rates_[i] * std::pow(gamma_, last_epoch_); });
    }
    double gamma_;
};

class PolynomialLR final : public Scheduler {
  public:
    explicit PolynomialLR(Values v)
        : Scheduler(optimizer_in(v[0])), total_(v[1].to_scalar().to_double()), power_(v[2].to_scalar().to_double()) {
        begin(v[3].to_int(), v.back());
    }

  private:
    double left(double at) const { return 1 - at / total_; }
    std::vector<double> rates() override {
        const bool moves = last_epoch_ != 0 && epoch() <= total_;
        const double by = moves ? std::pow(left(epoch()) / left(epoch() - 1), power_) : 1;
        return each_group([&](std::size_t i) { return rate(i) * by; });
    }
    std::vector<double> closed_form() override {
        return each_group(
            [&](std::size_t i) { return base_rates_[i] * std::pow(left(std::min(total_, epoch())), power_); });
    }
    double total_, power_;
};

template <typename T>
Ptr<Scheduler> made(Values arguments) {
    return make_ptr<T>(arguments);
}

const SchedulerRecord kRecords[] = {
    {"LambdaLR", "The first rate times a function of the epoch.",
     "LambdaLR(Any optimizer, Any lr_lambda, int last_epoch=-1, bool verbose=False) -> Any", made<LambdaLR>},
    {"MultiplicativeLR", "The rate times a function of the epoch.",
     "MultiplicativeLR(Any optimizer, Any lr_lambda, int last_epoch=-1, bool verbose=False) -> Any",
     made<MultiplicativeLR>},
    {"StepLR", "The rate times gamma every step_size epochs.",
     "StepLR(Any optimizer, Scalar step_size, Scalar gamma=0.1, int last_epoch=-1, bool verbose=False) -> Any",
     made<StepLR>},
    {"MultiStepLR", "The rate times gamma at each milestone.",
     "MultiStepLR(Any optimizer, float[] milestones, Scalar gamma=0.1, int last_epoch=-1, bool verbose=False) -> Any",
     made<MultiStepLR>},
    {"ConstantLR", "The first rate times a factor until total_iters epochs have passed.",
     "ConstantLR(Any optimizer, Scalar factor=0.3333333333333333, Scalar total_iters=5, int last_epoch=-1, bool "
     "verbose=False) -> Any",
     made<ConstantLR>},
    {"LinearLR", "From a factor to another in total_iters equal steps.",
     "LinearLR(Any optimizer, Scalar start_factor=0.3333333333333333, Scalar end_factor=1.0, Scalar total_iters=5, int "
     "last_epoch=-1, bool verbose=False) -> Any",
     made<LinearLR>},
    {"ExponentialLR", "The rate times gamma every epoch.",
     "ExponentialLR(Any optimizer, Scalar gamma, int last_epoch=-1, bool verbose=False) -> Any", made<ExponentialLR>},
    {"PolynomialLR", "Down to zero by a power of the epochs that are left.",
     "PolynomialLR(Any optimizer, Scalar total_iters=5, Scalar power=1.0, int last_epoch=-1, bool verbose=False) -> "
     "Any",
     made<PolynomialLR>},
};

}  // namespace

std::span<const SchedulerRecord> decay_schedules() { return kRecords; }

}  // namespace loupe::optim
