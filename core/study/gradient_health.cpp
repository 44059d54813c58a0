// SPDX-License-Identifier: Apache-2.0
#include "core/study/gradient_health.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

using Kind = GradientFinding::Kind;

constexpr double kVanishing = 1e-7;  // mean |gradient|, with a loss
constexpr double kGreatNorm = 1000;  // of all gradients, with a loss
constexpr double kGreatRatio = 100;  // to the weights' norm, with a loss
constexpr double kFarAbove = 1e4;    // the median of the weights' gradients
constexpr double kFarBelow = 1e-5;
constexpr std::size_t kFewestCompared = 3;  // weights that make a median
constexpr double kFarAlong = 1e4;           // between the ends of a chain of layers
constexpr std::size_t kFewestInChain = 4;
constexpr double kMostOfAFall = 0.6;  // of one step, in decades
constexpr std::size_t kMostNamed = 3;

std::string number_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", number);
    return text;
}

// "conv1.weight, conv2.weight, conv3.weight and 9 more".
Said names_of(const std::vector<GradientRow>& rows, const std::vector<int>& which) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(which.size(), kMostNamed); ++i)
        names.push_back(rows[static_cast<std::size_t>(which[i])].parameter);
    const std::string text = join(names, ", ");
    return which.size() > kMostNamed ? engine::said("%1 and %2 more", text, which.size() - kMostNamed) : Said(text);
}

std::string short_op(std::string_view op) {
    const auto colons = op.rfind("::");
    return std::string(colons == std::string_view::npos ? op : op.substr(colons + 2));
}

bool is_all_zero(const GradientRow& row) {
    return row.has_gradient && row.finite && !row.has_nan_or_inf() && row.finite->max_abs == 0;
}

bool is_zero(const Value& value) {
    return value.statistics && value.statistics->count > 0 && value.statistics->zero_count == value.statistics->count;
}
bool has_elements_not_zero(const Value& value) {
    return value.statistics && value.statistics->zero_count < value.statistics->count;
}

// Root mean square of the finite elements.
double rms_of(const GradientRow& row) {
    const auto finite = static_cast<double>(row.count() - row.nan_count - row.inf_count);
    return row.finite && finite > 0 ? row.finite->norm / std::sqrt(finite) : 0;
}

class Judge {
  public:
    Judge(const std::vector<GradientRow>& rows, const Recording* recording) : rows_(rows), recording_(recording) {}

    std::vector<GradientFinding> findings(bool is_loss) {
        find_not_finite();
        find_scale(is_loss);
        find_no_gradient();
        find_unused();
        std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
        return std::move(found_);
    }

  private:
    template <typename Test>
    std::vector<int> rows_where(Test&& test) const {
        std::vector<int> which;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (test(rows_[i])) which.push_back(static_cast<int>(i));
        }
        return which;
    }

    void add(Kind kind, Said text, std::vector<int> which, std::string module = {}, EventId event = 0) {
        found_.push_back({kind, std::move(text), std::move(which), std::move(module), event});
    }

    // Where the first NaN or Inf of the run came up: of the forward, else of the backward.
    EventId first_not_finite() const {
        if (recording_ == nullptr) return 0;
        for (EventId id = 1; id <= recording_->event_count(); ++id) {
            const Event& event = recording_->event(id);
            if (!event.has_nan && !event.has_inf) continue;
            // Gradients take it over from activations only where the forward has NaN, not a mask's Inf.
            if (event.phase == RunPhase::Backward || event.has_nan) return id;
        }
        return 0;
    }

    void find_not_finite() {
        std::vector<int> which =
            rows_where([](const GradientRow& row) { return row.has_gradient && row.has_nan_or_inf(); });
        if (which.empty()) return;
        std::int64_t bad = 0;
        std::int64_t all = 0;
        for (const int at : which) {
            const GradientRow& row = rows_[static_cast<std::size_t>(at)];
            bad += row.nan_count + row.inf_count;
            all += row.count();
        }
        const std::string share = share_text(bad, all);
        Said text = which.size() == 1
                        ? engine::said("NaN or Inf in %1: %2 of their elements", names_of(rows_, which), share)
                        : engine::said("NaN or Inf in %1 of %2 gradients (%3): %4 of their elements", which.size(),
                                       rows_.size(), names_of(rows_, which), share);
        const EventId first = first_not_finite();
        std::string module;
        if (first != 0) {
            const Event& event = recording_->event(first);
            module = std::string(event.scope);
            text += engine::said("; first at #%1 %2", first, short_op(event.op));
            if (!module.empty()) text += engine::said(" in %1", module);
        }
        add(Kind::NotFinite, std::move(text), std::move(which), std::move(module), first);
    }

    void find_scale(bool is_loss) {
        const std::vector<int> weights = rows_where([](const GradientRow& row) {
            return row.has_gradient && row.role == GradientRow::Role::Weight && row.finite && !row.has_nan_or_inf() &&
                   row.finite->max_abs > 0;
        });
        std::set<int> named = is_loss ? find_absolute(weights) : std::set<int>();
        find_chain(weights, named);
        if (weights.size() >= kFewestCompared) find_relative(weights, named);
    }

    // Against the weights themselves, which means something for the gradient of a loss.
    std::set<int> find_absolute(const std::vector<int>& weights) {
        std::set<int> named;
        double square = 0;
        for (const GradientRow& row : rows_) {
            if (row.has_gradient && row.finite && !row.has_nan_or_inf()) square += row.finite->norm * row.finite->norm;
        }
        const double norm = std::sqrt(square);
        std::vector<int> great;
        for (const int at : weights) {
            const GradientRow& row = rows_[static_cast<std::size_t>(at)];
            if (row.weight_ratio().value_or(0) > kGreatRatio && row.finite->norm > 1) great.push_back(at);
        }
        const auto ratio = [this](int at) { return rows_[static_cast<std::size_t>(at)].weight_ratio().value_or(0); };
        std::sort(great.begin(), great.end(), [&](int a, int b) { return ratio(a) > ratio(b); });
        if (norm > kGreatNorm || !great.empty()) {
            Said text = engine::said("exploding: the norm of all gradients is %1", number_text(norm));
            if (!great.empty()) {
                const Said names = names_of(rows_, great);
                const std::string times = number_text(ratio(great.front()));
                text += great.size() == 1
                            ? engine::said("; %1 has %2 times the norm of the weights", names, times)
                            : engine::said("; %1 have up to %2 times the norm of the weights", names, times);
            }
            named.insert(great.begin(), great.end());
            add(Kind::Exploding, std::move(text), great,
                great.empty() ? std::string() : rows_[static_cast<std::size_t>(great.front())].module);
        }
        const bool all_vanish = !weights.empty() && std::all_of(weights.begin(), weights.end(), [this](int at) {
            return rows_[static_cast<std::size_t>(at)].finite->mean_abs < kVanishing;
        });
        if (all_vanish) {
            add(Kind::Vanishing,
                engine::said("vanishing in every layer: the norm of all gradients is %1; the loss is at a minimum, or "
                             "flat",
                             number_text(norm)),
                weights);
            named.insert(weights.begin(), weights.end());
        }
        return named;
    }

    // From layer to layer towards the input: a steady fall or rise, where no layer is far from its neighbours.
    void find_chain(const std::vector<int>& weights, std::set<int>& named) {
        const auto rms = [this](int at) { return rms_of(rows_[static_cast<std::size_t>(at)]); };
        // The longest stretch in one direction; the rows are in the order of the layers.
        for (const bool falls : {true, false}) {
            std::size_t first = 0;
            std::size_t last = 0;
            for (std::size_t begin = 0; begin < weights.size();) {
                std::size_t end = begin;
                while (end + 1 < weights.size() && !named.contains(weights[end]) && !named.contains(weights[end + 1]) &&
                       (rms(weights[end]) < rms(weights[end + 1])) == falls)
                    ++end;
                if (end - begin > last - first) {
                    first = begin;
                    last = end;
                }
                begin = end + 1;
            }
            const double far = rms(weights.empty() ? 0 : weights[first]);
            const double near = rms(weights.empty() ? 0 : weights[last]);
            const double times = falls ? near / far : far / near;
            double greatest = 1;  // step; one that makes most of it is a layer far from its neighbours
            for (std::size_t i = first; i < last; ++i) {
                const double step = rms(weights[i + 1]) / rms(weights[i]);
                greatest = std::max(greatest, falls ? step : 1 / step);
            }
            if (last + 1 - first < kFewestInChain || !(times > kFarAlong) ||
                std::log(greatest) > kMostOfAFall * std::log(times))
                continue;
            std::vector<int> which(weights.begin() + static_cast<std::ptrdiff_t>(first),
                                   weights.begin() + static_cast<std::ptrdiff_t>(last));
            add(falls ? Kind::Vanishing : Kind::Exploding,
                chain_text(falls, weights[first], weights[last], far / near,
                           std::pow(times, 1.0 / static_cast<double>(last - first))),
                which, rows_[static_cast<std::size_t>(which.front())].module);
            named.insert(which.begin(), which.end());
        }
    }

    // far: the parameter of the first layer of the chain, near: of the last. share: of near's gradient that is far's.
    Said chain_text(bool falls, int far, int near, double share, double a_layer) const {
        const std::string& from = rows_[static_cast<std::size_t>(near)].parameter;
        const std::string& to = rows_[static_cast<std::size_t>(far)].parameter;
        return falls ? engine::said(
                           "vanishing towards the input: from %1 to %2 the gradient falls to %3 of it, by "
                           "about %4 a layer",
                           from, to, number_text(share), number_text(a_layer))
                     : engine::said(
                           "exploding towards the input: from %1 to %2 the gradient rises to %3 of it, by "
                           "about %4 a layer",
                           from, to, number_text(share), number_text(a_layer));
    }

    // times: of the median layer's gradient.
    Said relative_text(Kind kind, const std::vector<int>& which, double times) const {
        const Said names = names_of(rows_, which);
        const std::string number = number_text(times);
        if (kind == Kind::Exploding)
            return which.size() == 1
                       ? engine::said("%1 is exploding beside the other layers: %2 times the median layer's gradient",
                                      names, number)
                       : engine::said("%1 are exploding beside the other layers: %2 times the median layer's gradient",
                                      names, number);
        return which.size() == 1
                   ? engine::said("%1 is vanishing beside the other layers: %2 times the median layer's gradient",
                                  names, number)
                   : engine::said("%1 are vanishing beside the other layers: %2 times the median layer's gradient",
                                  names, number);
    }

    // Layers against each other, which holds whatever backward started from.
    void find_relative(const std::vector<int>& weights, const std::set<int>& named) {
        std::vector<double> all;
        for (const int at : weights) all.push_back(rms_of(rows_[static_cast<std::size_t>(at)]));
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
        const double median = all[all.size() / 2];
        if (!(median > 0)) return;
        const auto times = [&](int at) { return rms_of(rows_[static_cast<std::size_t>(at)]) / median; };
        std::vector<int> above;
        std::vector<int> below;
        for (const int at : weights) {
            if (named.contains(at)) continue;
            if (times(at) > kFarAbove) above.push_back(at);
            if (times(at) < kFarBelow) below.push_back(at);
        }
        std::sort(above.begin(), above.end(), [&](int a, int b) { return times(a) > times(b); });
        std::sort(below.begin(), below.end(), [&](int a, int b) { return times(a) < times(b); });
        const auto tell = [&](Kind kind, const std::vector<int>& which) {
            if (which.empty()) return;
            add(kind, relative_text(kind, which, times(which.front())), which,
                rows_[static_cast<std::size_t>(which.front())].module);
        };
        tell(Kind::Exploding, above);
        tell(Kind::Vanishing, below);
    }

    // A backward event that is given a gradient and passes none on.
    std::vector<EventId> cut_offs() const {
        std::vector<EventId> events;
        for (EventId id = 1; recording_ != nullptr && id <= recording_->event_count(); ++id) {
            const Event& event = recording_->event(id);
            if (event.phase != RunPhase::Backward || event.peer == 0 || event.outputs.empty()) continue;
            const bool is_given = std::any_of(event.inputs.begin(), event.inputs.end(), [&](ValueId v) {
                return v != 0 && has_elements_not_zero(recording_->value(v));
            });
            const bool passes_none = std::all_of(event.outputs.begin(), event.outputs.end(),
                                                 [&](ValueId v) { return v != 0 && is_zero(recording_->value(v)); });
            if (is_given && passes_none) events.push_back(id);
        }
        return events;
    }

    Said place_of_event(const Event& event) const {
        const std::string op = short_op(event.op);
        if (!event.scope.empty()) return event.scope;
        return event.source_line > 0 ? engine::said("%1 (line %2)", op, event.source_line) : Said(op);
    }

    // "relu3 is dead for 100 % of the batch", of the forward event of a cut-off.
    Said cut_off_text(EventId id) const {
        const Event& forward = recording_->event(recording_->event(id).peer);
        const bool is_silent = !forward.outputs.empty() && forward.outputs.front() != 0 &&
                               is_zero(recording_->value(forward.outputs.front()));
        const Said place = place_of_event(forward);
        const std::string op = short_op(forward.op);
        const bool is_rectifier =
            op.find("relu") != std::string::npos || op.starts_with("threshold") || op.starts_with("hardtanh");
        if (is_silent && is_rectifier) return engine::said("%1 is dead for 100 % of the batch", place);
        if (is_silent) return engine::said("%1 gives nothing but zeros (%2)", place, op);
        return engine::said("%1 passes no gradient on (%2 #%3)", place, op, forward.id);
    }

    // The first module behind the last parameter without a gradient that has one.
    std::string module_behind(const std::vector<int>& zero) const {
        for (std::size_t i = static_cast<std::size_t>(zero.back()) + 1; i < rows_.size(); ++i) {
            if (rows_[i].has_gradient && !is_all_zero(rows_[i]))
                return rows_[i].module.empty() ? rows_[i].parameter : rows_[i].module;
        }
        return {};
    }

    void find_no_gradient() {
        std::vector<int> zero = rows_where(is_all_zero);
        if (zero.empty()) return;
        const std::vector<EventId> causes = cut_offs();
        std::set<std::string> listed;
        for (const EventId id : causes) {
            const Event& event = recording_->event(id);
            const Said cause = cut_off_text(id);
            if (!listed.insert(cause.text()).second) continue;
            // Which parameters are behind which of several causes is not known: all are named with the first.
            const std::string behind = module_behind(zero);
            Said text;
            if (listed.size() > 1)
                text = engine::said("likewise %1", cause);
            else if (behind.empty())
                text = engine::said("no gradient: %2 (%1 parameters)", "no gradient: %2 (%1 parameter)", zero.size(),
                                    cause);
            else
                text = engine::said("no gradient before %2: %3 (%1 parameters)",
                                    "no gradient before %2: %3 (%1 parameter)", zero.size(), behind, cause);
            add(Kind::NoGradient, std::move(text), zero, std::string(event.scope), event.peer);
        }
        if (!causes.empty()) return;
        add(Kind::NoGradient,
            zero.size() == 1
                ? engine::said("the gradient of %1 is zero in every element", names_of(rows_, zero))
                : engine::said("%1 gradients are zero in every element: %2", zero.size(), names_of(rows_, zero)),
            zero, rows_[static_cast<std::size_t>(zero.front())].module);
    }

    void find_unused() {
        const std::vector<int> unused =
            rows_where([](const GradientRow& row) { return !row.has_gradient && !row.is_frozen; });
        if (unused.empty()) return;
        add(Kind::Unused,
            unused.size() == 1
                ? engine::said("%1 got no gradient: nothing that backward came from used it", names_of(rows_, unused))
                : engine::said("%1 got no gradient: nothing that backward came from used them",
                               names_of(rows_, unused)),
            unused, rows_[static_cast<std::size_t>(unused.front())].module);
    }

    const std::vector<GradientRow>& rows_;
    const Recording* recording_;
    std::vector<GradientFinding> found_;
};

// "fc1.weight is all zero".
Said kind_text(Kind kind, const Said& names, bool is_many) {
    switch (kind) {
        case Kind::NotFinite:
            return is_many ? engine::said("%1 have NaN or Inf", names) : engine::said("%1 has NaN or Inf", names);
        case Kind::Exploding:
            return is_many ? engine::said("%1 are exploding", names) : engine::said("%1 is exploding", names);
        case Kind::Vanishing:
            return is_many ? engine::said("%1 are vanishing", names) : engine::said("%1 is vanishing", names);
        case Kind::NoGradient:
            return is_many ? engine::said("%1 are all zero", names) : engine::said("%1 is all zero", names);
        case Kind::Unused:
            return engine::said("%1 got no gradient", names);
        case Kind::NotJudged:
            break;
    }
    return names;
}

struct SeenSteps {
    std::vector<std::size_t> steps;  // indices
    auto operator<=>(const SeenSteps&) const = default;
};

// "in 3 of the 4 steps looked at, first seen at step 111 (not yet at step 1)".
Said steps_text(const std::vector<StepGradients>& steps, const std::vector<std::size_t>& seen) {
    const std::size_t first = seen.front();
    Said text = engine::said("in %2 of the %1 steps looked at, first seen at step %3",
                             "in %2 of the %1 step looked at, first seen at step %3", steps.size(), seen.size(),
                             steps[first].step);
    if (first > 0) text += engine::said(" (not yet at step %1)", steps[first - 1].step);
    return text;
}

// A module that is silent in all of these steps, the nearest before the parameters' end.
std::string silent_module(const std::vector<StepGradients>& steps, const std::vector<std::size_t>& seen) {
    std::vector<std::string> common = steps[seen.front()].silent;
    for (const std::size_t at : seen) {
        std::erase_if(common, [&](const std::string& name) {
            return std::find(steps[at].silent.begin(), steps[at].silent.end(), name) == steps[at].silent.end();
        });
    }
    return common.empty() ? std::string() : common.front();
}

}  // namespace

std::vector<GradientFinding> judge_gradients(const std::vector<GradientRow>& rows, const Recording* recording) {
    const bool any = std::any_of(rows.begin(), rows.end(), [](const GradientRow& row) { return row.has_gradient; });
    if (!any) return {};
    const BackwardStart* start = recording != nullptr ? recording->backward_start() : nullptr;
    const bool is_loss = start != nullptr && start->is_loss;
    std::vector<GradientFinding> found = Judge(rows, recording).findings(is_loss);
    if (!is_loss) {
        Said text = engine::said("no loss chosen: scale is not judged");
        if (start != nullptr) text += engine::said(" (backward from %1)", engine::listed(start->text));
        found.push_back({Kind::NotJudged, std::move(text), {}, {}, start != nullptr ? start->event : 0});
    }
    return found;
}

std::vector<GradientFinding> judge_steps(const std::vector<StepGradients>& steps, bool is_loss) {
    // Parameters with the same trouble in the same steps are one finding.
    std::map<Kind, std::map<int, SeenSteps>> seen;
    for (std::size_t at = 0; at < steps.size(); ++at) {
        for (const GradientFinding& finding : Judge(steps[at].rows, nullptr).findings(is_loss)) {
            for (const int row : finding.rows) seen[finding.kind][row].steps.push_back(at);
        }
    }
    std::vector<GradientFinding> found;
    for (const auto& [kind, rows] : seen) {
        std::map<SeenSteps, std::vector<int>> groups;
        for (const auto& [row, in] : rows) groups[in].push_back(row);
        for (const auto& [in, which] : groups) {
            const std::vector<GradientRow>& named = steps.front().rows;
            Said text = said_in_row(kind_text(kind, names_of(named, which), which.size() > 1), " ",
                                    steps_text(steps, in.steps));
            std::string module = named[static_cast<std::size_t>(which.front())].module;
            const std::string silent = kind == Kind::NoGradient ? silent_module(steps, in.steps) : std::string();
            if (!silent.empty()) {
                text += engine::said(": %1 gives nothing but zeros there", silent);
                module = silent;
            }
            found.push_back({kind, std::move(text), which, std::move(module), 0});
        }
    }
    if (!is_loss && !steps.empty())
        found.push_back({Kind::NotJudged, engine::said("no loss chosen: scale is not judged"), {}, {}, 0});
    return found;
}

}  // namespace loupe::session
