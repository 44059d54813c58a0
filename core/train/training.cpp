// SPDX-License-Identifier: Apache-2.0
#include "core/train/training.h"

#include <algorithm>
#include <utility>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {

TrainingLog::TrainingLog(TrainOptions options, std::int64_t steps_an_epoch, std::vector<std::string> parameters)
    : options_(std::move(options)),
      steps_an_epoch_(steps_an_epoch),
      norms_(parameters),
      watch_(std::move(parameters), options_.optimizer, steps_an_epoch) {}

TrainingOrigin TrainingLog::origin() const {
    const std::lock_guard lock(mutex_);
    return origin_;
}
void TrainingLog::set_origin(TrainingOrigin origin) {
    const std::lock_guard lock(mutex_);
    origin_ = std::move(origin);
    ++version_;
}
std::int64_t TrainingLog::first_replayable() const {
    const std::lock_guard lock(mutex_);
    return first_replayable_;
}
void TrainingLog::set_first_replayable(std::int64_t step) {
    const std::lock_guard lock(mutex_);
    first_replayable_ = step;
    ++version_;
}
std::size_t TrainingLog::step_count() const {
    const std::lock_guard lock(mutex_);
    return steps_.size();
}
std::vector<TrainingStep> TrainingLog::steps(std::size_t from) const {
    const std::lock_guard lock(mutex_);
    return {steps_.begin() + static_cast<std::ptrdiff_t>(std::min(from, steps_.size())), steps_.end()};
}
std::optional<TrainingStep> TrainingLog::step(std::int64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::lower_bound(steps_, number, {}, &TrainingStep::step);
    return found == steps_.end() || found->step != number ? std::nullopt : std::optional(*found);
}
std::vector<TrainingEpoch> TrainingLog::epochs() const {
    const std::lock_guard lock(mutex_);
    return epochs_;
}
std::vector<std::shared_ptr<const TrainingSample>> TrainingLog::samples() const {
    const std::lock_guard lock(mutex_);
    return samples_;
}
std::vector<std::string> TrainingLog::parameters() const {
    const std::lock_guard lock(mutex_);
    return norms_.names();
}
NormMap TrainingLog::norms(NormKind kind, std::span<const std::int64_t> edges) const {
    const std::lock_guard lock(mutex_);
    return norms_.map(kind, edges);
}
std::vector<ParameterNorms> TrainingLog::norms_at(std::int64_t step) const {
    const std::lock_guard lock(mutex_);
    return norms_.at(step);
}
TrainingLog::NormRange TrainingLog::norm_range() const {
    const std::lock_guard lock(mutex_);
    return {norms_.first_step(), norms_.last_step(), norms_.stride()};
}
std::vector<TrainingFinding> TrainingLog::findings() const {
    const std::lock_guard lock(mutex_);
    return watched_ ? watched_->findings : watch_.findings();
}
TrainingVerdict TrainingLog::verdict() const {
    const std::lock_guard lock(mutex_);
    return watched_ ? watched_->verdict : watch_.verdict();
}

std::vector<ReportedCurve> TrainingLog::reported() const {
    const std::lock_guard lock(mutex_);
    return reported_.all();
}
void TrainingLog::report(const runtime::CurvePoint& point, std::optional<std::int64_t> step) {
    const std::lock_guard lock(mutex_);
    if (step)
        reported_.add(point, *step);
    else
        reported_.add(point);
    ++version_;
    if (!is_followed_) return;
    growth_.reports.push_back(point);
    if (!point.step) growth_.reports.back().step = step;
}

void TrainingLog::add(const TrainingStep& step) { add(step, {}); }

std::vector<TrainingFinding> TrainingLog::add(const TrainingStep& step, std::span<const ParameterNorms> norms) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(step);
    norms_.add(step.step, norms);
    ++version_;
    if (is_followed_) {
        growth_.steps.push_back(step);
        if (!norms.empty()) growth_.norms.push_back({step.step, {norms.begin(), norms.end()}});
    }
    const std::size_t before = watch_.add_step(step.step, step.loss, norms);
    return {watch_.findings().begin() + static_cast<std::ptrdiff_t>(before), watch_.findings().end()};
}
void TrainingLog::add(const TrainingEpoch& epoch) {
    const std::lock_guard lock(mutex_);
    epochs_.push_back(epoch);
    ++version_;
    if (is_followed_) growth_.epochs.push_back(epoch);
}
std::vector<TrainingFinding> TrainingLog::add(std::shared_ptr<const TrainingSample> sample) {
    const std::lock_guard lock(mutex_);
    const std::size_t before = watch_.add_units(sample->step, sample->units);
    ++version_;
    if (is_followed_) growth_.samples.push_back(sample);
    keep_sample(std::move(sample));
    return {watch_.findings().begin() + static_cast<std::ptrdiff_t>(before), watch_.findings().end()};
}

// The caller locks.
void TrainingLog::keep_sample(std::shared_ptr<const TrainingSample> sample) {
    samples_.push_back(std::move(sample));
    if (samples_.size() <= kMostSamples) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        if (i % 2 == 0 || i + 1 == samples_.size()) samples_[kept++] = samples_[i];
    }
    samples_.resize(kept);
}

void TrainingLog::add_earlier(std::span<const TrainingFinding> findings) {
    const std::lock_guard lock(mutex_);
    watch_.add_earlier(findings);
    ++version_;
}

// --- a copy ---

std::uint64_t TrainingLog::version() const {
    const std::lock_guard lock(mutex_);
    return version_;
}

TrainingGrowth TrainingLog::take_growth() const {
    const std::lock_guard lock(mutex_);
    TrainingGrowth growth = std::exchange(growth_, {});
    if (!is_followed_) {
        growth.beginning = TrainingGrowth::Beginning{options_, steps_an_epoch_, norms_, reported_.all()};
        growth.steps = steps_;
        growth.epochs = epochs_;
        growth.samples = samples_;
        is_followed_ = true;
    }
    growth.origin = origin_;
    growth.first_replayable = first_replayable_;
    growth.findings = watch_.findings();
    growth.verdict = watch_.verdict();
    return growth;
}

void TrainingLog::grow(TrainingGrowth growth) {
    const std::lock_guard lock(mutex_);
    if (growth.beginning) {
        if (!growth.beginning->norms.is_sound())
            throw Error(ErrorKind::File, "a training whose norms do not belong together");
        options_ = std::move(growth.beginning->options);
        steps_an_epoch_ = growth.beginning->steps_an_epoch;
        norms_ = std::move(growth.beginning->norms);
        reported_.set(std::move(growth.beginning->reported));
    }
    origin_ = std::move(growth.origin);
    first_replayable_ = growth.first_replayable;
    watched_ = Watched{std::move(growth.findings), std::move(growth.verdict)};
    for (const TrainingStep& step : growth.steps) {
        if (!steps_.empty() && step.step <= steps_.back().step)
            throw Error(ErrorKind::File, "a training whose steps are not in their order");
        steps_.push_back(step);
    }
    for (const auto& [step, norms] : growth.norms) {
        if (!norms_.is_empty() && step < norms_.last_step())
            throw Error(ErrorKind::File, "a training whose norms are not in the order of its steps");
        norms_.add(step, norms);
    }
    for (const TrainingEpoch& epoch : growth.epochs) epochs_.push_back(epoch);
    for (auto& sample : growth.samples) {
        if (sample == nullptr) throw Error(ErrorKind::File, "a training with a step that was not recorded");
        keep_sample(std::move(sample));
    }
    for (const runtime::CurvePoint& point : growth.reports) {
        if (point.step)
            reported_.add(point, *point.step);
        else
            reported_.add(point);
    }
    ++version_;
}

std::shared_ptr<TrainingLog> TrainingLog::until(std::int64_t last) const {
    const std::lock_guard lock(mutex_);
    auto out = std::make_shared<TrainingLog>(options_, steps_an_epoch_, norms_.names());
    out->origin_ = origin_;
    out->first_replayable_ = first_replayable_;
    out->norms_ = norms_.until(last);
    for (const TrainingStep& step : steps_) {
        if (step.step > last) break;
        out->steps_.push_back(step);
        out->watch_.add_step(step.step, step.loss, norms_.at(step.step));
    }
    for (const TrainingEpoch& epoch : epochs_) {
        if (epoch.last_step <= last) out->epochs_.push_back(epoch);
    }
    for (const ReportedCurve& curve : reported_.all()) {
        for (const auto& point : curve.points) {
            if (point.step > last) continue;
            std::vector<double> values{point.value};
            if (curve.is_histogram) values = {point.low, point.high, point.value};
            out->reported_.add({curve.tag, std::move(values), point.step}, point.step);
        }
    }
    for (const auto& sample : samples_) {
        if (sample->step > last) break;
        out->samples_.push_back(sample);
        out->watch_.add_units(sample->step, sample->units);
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> training_settings(const TrainOptions& options) {
    const auto number = [](double value) { return python_repr(value); };
    const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
    std::vector<std::pair<std::string, std::string>> out;
    if (options.data.path.empty())
        out.emplace_back("data", concat("made up, ", counted(options.data.count, "example"), ", ",
                                        counted(options.data.classes, "class", "classes")));
    else
        out.emplace_back("data", options.data.path);
    for (const auto& [name, value] : options.data.options) out.emplace_back(concat("data ", name), value);
    out.emplace_back("held out", concat(number(100 * options.held_out), " %"));
    out.emplace_back("batch", std::to_string(options.batch_size));
    out.emplace_back("shuffle", yes(options.shuffle));
    out.emplace_back("drop last", yes(options.drop_last));
    out.emplace_back("workers", std::to_string(options.workers));
    out.emplace_back("loss", options.loss);
    out.emplace_back("optimizer", options.optimizer);
    out.emplace_back("schedule", options.schedule.empty()
                                     ? "none"
                                     : concat(options.schedule, options.schedule_every_step ? ", by step" : ""));
    out.emplace_back("clip", options.clip_norm > 0 ? number(options.clip_norm) : std::string("off"));
    out.emplace_back("precision", options.autocast.empty() ? "as the weights" : options.autocast);
    out.emplace_back("epochs", std::to_string(options.epochs));
    if (options.max_steps > 0) out.emplace_back("most steps", std::to_string(options.max_steps));
    out.emplace_back("seed", std::to_string(options.seed));
    if (options.threads > 0) out.emplace_back("threads", std::to_string(options.threads));
    if (!options.resume.empty()) out.emplace_back("resumed from", options.resume);
    return out;
}

}  // namespace loupe::session
