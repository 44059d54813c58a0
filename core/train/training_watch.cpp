// SPDX-License-Identifier: Apache-2.0
#include "core/train/training_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

using Kind = TrainingFinding::Kind;

// Four digits, an exponent only where it is needed.
std::string number(double value) {
    char out[32];
    const double size = std::abs(value);
    const bool is_plain = size == 0 || (size >= 1e-3 && size < 1e7);
    if (is_plain && size >= 1000)
        std::snprintf(out, sizeof out, "%.0f", value);
    else
        std::snprintf(out, sizeof out, "%.4g", value);
    return out;
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}
double median_of(const std::deque<double>& values) {
    return median_of(std::vector<double>(values.begin(), values.end()));
}

// Of the noise around a trend, from one value to the next, as the standard deviation of normal numbers.
double noise_of(const std::deque<double>& values) {
    std::vector<double> changes;
    for (std::size_t i = 1; i < values.size(); ++i) changes.push_back(std::abs(values[i] - values[i - 1]));
    return 1.4826 / std::sqrt(2.0) * median_of(std::move(changes));
}

// The change from one value to the next that one in ten exceeds: where noise has long tails, far above its median.
double wide_change_of(const std::deque<double>& values) {
    std::vector<double> changes;
    for (std::size_t i = 1; i < values.size(); ++i) changes.push_back(std::abs(values[i] - values[i - 1]));
    const auto at = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() * 9 / 10);
    std::nth_element(changes.begin(), at, changes.end());
    return *at;
}

// Near 0 a loss has ups and downs of several times its size that mean nothing.
bool is_news(double rise, double usual) {
    constexpr double kNearZero = 1e-3;
    return rise > kNearZero || rise > 10 * std::abs(usual);
}

std::string not_finite(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

Said jump_text(double loss, double usual, std::int64_t step) {
    return usual > 0 ? engine::said("the loss jumps to %1 at step %2: it was about %3 before, %4 times as much",
                                    number(loss), step, number(usual), number(loss / usual))
                     : engine::said("the loss jumps to %1 at step %2: it was about %3 before, higher by %4",
                                    number(loss), step, number(usual), number(loss - usual));
}

// Parameters without a gradient, or with one of zeros: the first by its name.
Said missing_text(bool is_missing, const std::string& first, std::size_t found, std::size_t all, std::int64_t since) {
    if (found == all)
        return is_missing ? engine::said("backward gives no parameter a gradient since step %1", since)
                          : engine::said("the gradient of every parameter is exactly 0 since step %1", since);
    if (found == 1)
        return is_missing ? engine::said("backward gives no gradient to %1 since step %2", first, since)
                          : engine::said("the gradient of %1 is exactly 0 since step %2", first, since);
    return is_missing ? engine::said("backward gives no gradient to %2 and %1 other parameters since step %3",
                                     "backward gives no gradient to %2 and %1 other parameter since step %3", found - 1,
                                     first, since)
                      : engine::said("the gradients of %2 and %1 other parameters are exactly 0 since step %3",
                                     "the gradients of %2 and %1 other parameter are exactly 0 since step %3",
                                     found - 1, first, since);
}

}  // namespace

std::string loss_text(double loss) { return std::isfinite(loss) ? number(loss) : not_finite(loss); }

TrainingWatch::TrainingWatch(std::vector<std::string> names, std::string optimizer, std::int64_t steps_an_epoch)
    : names_(std::move(names)),
      optimizer_(std::move(optimizer)),
      window_(std::clamp<std::int64_t>(steps_an_epoch, 50, 500)),
      parameters_(names_.size()) {}

std::size_t TrainingWatch::open(Kind kind, std::int64_t step, Said text, std::string name) {
    findings_.push_back({kind, step, 0, std::move(text), std::move(name), 1});
    return findings_.size() - 1;
}

void TrainingWatch::close(std::size_t& finding, std::int64_t last_step) {
    if (finding == kNone) return;
    findings_[finding].last_step = std::max(last_step, findings_[finding].step);
    finding = kNone;
}

std::size_t TrainingWatch::add_step(std::int64_t step, double loss, std::span<const ParameterNorms> norms) {
    const std::size_t before = findings_.size();
    if (norms.size() == names_.size()) watch_gradients(step, norms);
    if (first_step_ == 0) first_step_ = step;
    last_step_ = step;
    last_loss_ = loss;
    if (!std::isfinite(loss)) {
        if (nan_ == kNone) nan_ = open(Kind::NotANumber, step, engine::said("the loss is %1", not_finite(loss)));
        return before;
    }
    close(nan_, step - 1);
    watch_numbers(step, loss);
    return before;
}

void TrainingWatch::watch_numbers(std::int64_t step, double loss) {
    const bool is_first = best_step_ == 0;
    if (is_first) {
        first_loss_ = best_ = lowest_ = loss;
        best_step_ = lowest_step_ = step;
    }
    if (loss < lowest_) {
        lowest_ = loss;
        lowest_step_ = step;
    }
    smoothing_.push_back(loss);
    if (smoothing_.size() > 10) smoothing_.pop_front();
    const bool diverges = watch_divergence(step, loss);
    if (smoothing_.size() >= 5) {
        if (const double now = median_of(smoothing_); now < best_) {
            best_ = now;
            best_step_ = step;
        }
    }
    if (diverges) return;
    watch_spike(step, loss);
    watch_plateau(step, loss);
}

double TrainingWatch::scale() const { return std::max({std::abs(first_loss_), std::abs(best_), 6 * noise_, 1e-12}); }

// The optimiser's steps were as great as the weights: "; the step before moved the weights by 14 times their norm".
Said TrainingWatch::great_update() const {
    const auto greatest = std::max_element(moved_.begin(), moved_.end(),
                                           [](const Moved& a, const Moved& b) { return a.ratio < b.ratio; });
    if (!(greatest->ratio > 0.3)) return {};
    return greatest->ratio >= 1
               ? engine::said("; %1 moved the weights by %2 times their norm at step %3: lower the learning rate",
                              optimizer_, number(greatest->ratio), greatest->step)
               : engine::said("; %1 moved the weights by %2 % of their norm at step %3: lower the learning rate",
                              optimizer_, number(100 * greatest->ratio), greatest->step);
}

// Far above the beginning, back at the beginning after it had learned, or higher than it was for long.
bool TrainingWatch::watch_divergence(std::int64_t step, double loss) {
    const bool is_risen = is_news(loss - best_, std::max(std::abs(first_loss_), std::abs(best_)));
    far_.note(is_risen && loss > best_ + 4 * scale(), step);
    const double learned = first_loss_ - best_;
    lost_.note(learned > std::max(0.5 * std::max(std::abs(first_loss_), std::abs(best_)), 10 * noise_) && is_risen &&
                   loss > best_ + 0.9 * learned,
               step);
    rising_.note(is_risen && loss > best_ + std::max(0.5 * scale(), 6 * noise_), step);
    back_.note(loss < best_ + 0.25 * scale(), step);
    if (divergence_ != kNone) {
        if (back_.count >= 5) close(divergence_, back_.first - 1);
        return divergence_ != kNone;
    }
    Said text;
    std::int64_t since = 0;
    if (far_.count >= 4) {
        since = far_.first;
        text = engine::said("the loss diverges: %1 at step %2, %3 at step %4", number(best_), best_step_, number(loss),
                            step);
    } else if (lost_.count >= 20) {
        since = lost_.first;
        text = engine::said("what was learned is lost: the loss is back at %1, it was %2 at step %3", number(loss),
                            number(best_), best_step_);
    } else if (rising_.count >= 30) {
        since = rising_.first;
        text =
            engine::said("the loss rises: %1 at step %2, %3 at step %4", number(best_), best_step_, number(loss), step);
    } else {
        return false;
    }
    text += great_update();
    close(plateau_, since - 1);
    if (spike_ == kNone) {
        divergence_ = open(Kind::Divergence, since, std::move(text));
        return true;
    }
    // What looked like a spike did not go back. It is named again, as what it has become.
    const std::int64_t began = std::min(since, findings_[spike_].step);
    close(spike_, step);
    divergence_ = open(Kind::Divergence, began, std::move(text));
    return true;
}

void TrainingWatch::watch_spike(std::int64_t step, double loss) {
    constexpr std::size_t kUsual = 32;
    constexpr std::int64_t kLongest = 32;
    if (usual_.size() >= 12) {
        const double usual = median_of(std::vector<double>(usual_.end() - 9, usual_.end()));
        noise_ = noise_of(usual_);
        // Beyond the noise of late, and a share of what there was to learn.
        const double jump = loss - usual;
        const bool is_high =
            is_news(jump, usual) && jump > std::max({8 * noise_, 3.5 * wide_change_of(usual_), 0.5 * std::abs(usual),
                                                     0.1 * std::abs(first_loss_)});
        if (is_high && ++spike_steps_ <= kLongest) {
            if (spike_ == kNone && spikes_ < kMostSpikes && spike_steps_ == 1) {
                ++spikes_;
                spike_ = open(Kind::Spike, step, jump_text(loss, usual, step));
            }
            return;
        }
        if (!is_high) {
            close(spike_, step - 1);
            spike_steps_ = 0;
        }
    }
    usual_.push_back(loss);
    if (usual_.size() > kUsual) usual_.pop_front();
}

// Two windows of steps, one after the other, whose means do not differ by more than a hundredth.
void TrainingWatch::watch_plateau(std::int64_t step, double loss) {
    spread_.push_back(loss);
    const auto window = static_cast<std::size_t>(window_);
    if (spread_.size() > 2 * window) spread_.pop_front();
    if (spread_.size() < 2 * window || --until_check_ > 0) return;
    until_check_ = window_ / 5;
    const auto mean = [](auto begin, auto end) {
        double sum = 0;
        for (auto at = begin; at != end; ++at) sum += *at;
        return sum / static_cast<double>(end - begin);
    };
    const auto middle = spread_.begin() + static_cast<std::ptrdiff_t>(window);
    const double before = mean(spread_.begin(), middle), now = mean(middle, spread_.end());
    double square = 0;
    for (const double each : spread_) square += (each - (before + now) / 2) * (each - (before + now) / 2);
    const double error = std::sqrt(2 * square) / static_cast<double>(2 * window);  // of the difference of the means
    const double size = std::max(std::abs(before), 0.05 * std::abs(first_loss_));
    if (plateau_ != kNone) {
        if (plateau_loss_ - now > std::max(0.03 * size, 3 * error)) close(plateau_, step - window_);
        return;
    }
    const bool is_learned = first_loss_ > 0 && now >= 0 && now < 0.05 * first_loss_;
    const double gain = before - now;
    if (error > 0.02 * size) return;  // too noisy to tell
    if (is_learned || gain > 0.01 * size || gain > 2 * error + 0.003 * size || gain < -0.05 * size) return;
    plateau_loss_ = now;
    const std::int64_t since = step - 2 * window_ + 1;
    plateau_ =
        open(Kind::Plateau, since,
             gain > 0 ? engine::said("the loss stays at about %1: %2 % lower over %3 steps", number(now),
                                     number(100 * gain / size), window_)
                      : engine::said("the loss stays at about %1: no lower over %2 steps", number(now), window_));
}

void TrainingWatch::watch_gradients(std::int64_t step, std::span<const ParameterNorms> norms) {
    double update = 0, weight = 0;
    bool is_due = false;
    for (std::size_t i = 0; i < norms.size(); ++i) {
        update += static_cast<double>(norms[i].update) * static_cast<double>(norms[i].update);
        weight += static_cast<double>(norms[i].weight) * static_cast<double>(norms[i].weight);
        Parameter& parameter = parameters_[i];
        const bool is_missing = norms[i].gradient < 0;
        if (norms[i].gradient == 0 || is_missing) {
            if (parameter.count == 0) parameter.since = step;
            parameter.is_missing = is_missing;
            if (++parameter.count == kStepsWithoutGradient) is_due = true;
            continue;
        }
        parameter.count = 0;
        if (parameter.finding == kNone) continue;
        // It ends when the first of those that it names has a gradient again.
        const std::size_t ended = parameter.finding;
        findings_[ended].last_step = step - 1;
        for (Parameter& other : parameters_) {
            if (other.finding == ended) other.finding = kNone;
        }
    }
    const double ratio = weight > 0 ? std::sqrt(update / weight) : 0;
    moved_[static_cast<std::size_t>(step) % moved_.size()] = {step, std::isfinite(ratio) ? ratio : 0};
    if (is_due) name_missing(step);
}

// All that have had none for long, in one sentence for those that began together.
void TrainingWatch::name_missing(std::int64_t step) {
    for (const bool is_missing : {false, true}) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const Parameter& parameter = parameters_[i];
            if (parameter.finding == kNone && parameter.count >= kStepsWithoutGradient &&
                parameter.is_missing == is_missing)
                found.push_back(i);
        }
        if (found.empty()) continue;
        std::int64_t since = step;
        for (const std::size_t i : found) since = std::min(since, parameters_[i].since);
        const Said text = missing_text(is_missing, names_[found.front()], found.size(), names_.size(), since);
        const std::size_t finding = open(Kind::NoGradient, since, text, names_[found.front()]);
        findings_[finding].share = static_cast<double>(found.size()) / static_cast<double>(names_.size());
        for (const std::size_t i : found) parameters_[i].finding = finding;
    }
}

void TrainingWatch::add_earlier(std::span<const TrainingFinding> findings) {
    for (const TrainingFinding& each : findings) {
        const auto is_same = [&](const TrainingFinding& known) {
            return known.kind == each.kind && known.step == each.step && known.name == each.name;
        };
        if (std::ranges::none_of(findings_, is_same)) findings_.push_back(each);
    }
}

std::size_t TrainingWatch::add_units(std::int64_t step, const std::vector<UnitActivity>& activity) {
    const std::size_t before = findings_.size();
    for (const UnitActivity& each : activity) {
        Units& units = units_[each.scope];
        if (units.looks.size() != each.is_zero.size()) {
            units = {std::vector<int>(each.is_zero.size()), std::vector<bool>(each.is_zero.size()), {}};
        }
        units.steps.push_back(step);
        if (units.steps.size() > static_cast<std::size_t>(kLooksWithoutOutput)) units.steps.erase(units.steps.begin());
        std::size_t dead = 0;
        bool is_new = false;
        for (std::size_t i = 0; i < each.is_zero.size(); ++i) {
            units.looks[i] = each.is_zero[i] ? units.looks[i] + 1 : 0;
            if (!each.is_zero[i]) units.is_named[i] = false;
            if (units.looks[i] < kLooksWithoutOutput) continue;
            ++dead;
            is_new = is_new || !units.is_named[i];
        }
        if (!is_new) continue;
        // A few more of many are no news.
        const auto named = static_cast<std::size_t>(std::count(units.is_named.begin(), units.is_named.end(), true));
        if (named > 0 && dead < named + std::max<std::size_t>(1, named / 4)) continue;
        for (std::size_t i = 0; i < each.is_zero.size(); ++i) {
            if (units.looks[i] >= kLooksWithoutOutput) units.is_named[i] = true;
        }
        std::vector<std::string> at;
        for (const std::int64_t one : units.steps) at.push_back(std::to_string(one));
        open(Kind::DeadUnits, units.steps.front(),
             engine::said("%1: %2 of %3 units gave only 0 at the last %4 steps recorded (%5)", each.scope, dead,
                          each.is_zero.size(), units.steps.size(), join(at, ", ")),
             each.scope);
        findings_.back().share = static_cast<double>(dead) / static_cast<double>(each.is_zero.size());
    }
    return before;
}

TrainingVerdict TrainingWatch::verdict() const {
    TrainingVerdict out;
    if (first_step_ == 0) return out;
    const std::int64_t count = last_step_ - first_step_ + 1;
    Said numbers = engine::said("loss %2 \u2192 %3 in %1 steps", "loss %2 \u2192 %3 in %1 step", count,
                                number(first_loss_), loss_text(last_loss_));
    if (lowest_step_ != 0 && lowest_step_ != last_step_)
        numbers += engine::said(", lowest %1 at step %2", number(lowest_), lowest_step_);
    const TrainingFinding* worst = nullptr;
    for (const TrainingFinding& finding : findings_) {
        const bool lasts = finding.last_step == 0 && finding.kind != Kind::Spike && finding.share >= 0.5;
        if (lasts && (worst == nullptr || finding.kind < worst->kind)) worst = &finding;
    }
    if (worst == nullptr) {
        out.text = numbers;
        return out;
    }
    out.is_good = false;
    out.step = worst->step;
    out.text = worst->text;
    if (worst->text.text().find("step") == std::string::npos) out.text += engine::said(" (step %1)", worst->step);
    out.text = said_in_row(out.text, "; ", numbers);
    return out;
}

}  // namespace loupe::session
