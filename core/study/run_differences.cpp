// SPDX-License-Identifier: Apache-2.0
#include "core/study/run_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/study/align_modules.h"

namespace loupe::session {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double seconds_of(const Event& event, const OperatorTimes* times) {
    const OperatorTime* time = times != nullptr ? times->of(event.id) : nullptr;
    return time != nullptr ? time->median : event.duration;
}

const GradientRow* find_row(const std::vector<GradientRow>& rows, const std::string& parameter) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const GradientRow& row) { return row.parameter == parameter; });
    return found != rows.end() && found->has_gradient ? &*found : nullptr;
}

// Values that are there before the run, by name.
std::unordered_map<std::string, ValueId> given_values(const Recording& recording) {
    std::unordered_map<std::string, ValueId> out;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (value.producer == 0 && !value.name.empty()) out.emplace(value.name, id);
    }
    return out;
}

class Comparison {
  public:
    Comparison(const ComparedRun& own, const ComparedRun& reference, const CompareOptions& options)
        : own_(own),
          reference_(reference),
          options_(options),
          a_(*own.recording),
          b_(*reference.recording),
          alignment_(align_runs({a_, own.model.get()}, {b_, reference.model.get()}, options.mends)) {
        for (const AlignmentMend& mend : options.mends) {
            if (mend.kind == AlignmentMend::Kind::Event) mended_.insert(mend.here);
        }
    }

    RunDifferences compare() {
        out_.label = reference_.label;
        out_.notes = reference_.notes;
        compare_events();
        part_false_pairs();
        list_reference();
        order_events();
        compare_parameters();
        compare_modules();
        conclude();
        return std::move(out_);
    }
    RunAlignment take_alignment() { return std::move(alignment_); }

  private:
    Tolerance tolerance_for(const Tensor& x, const Tensor& y) const {
        const Tolerance usual = tolerance_of(x.dtype(), y.dtype());
        return {options_.rtol.value_or(usual.rtol), options_.atol.value_or(usual.atol)};
    }

    // Nullopt, and why, where nothing can be compared.
    std::optional<Difference> measure(ValueId here, ValueId there, Said& why) const {
        const Value& mine = a_.value(here);
        const Value& theirs = b_.value(there);
        if (mine.shape != theirs.shape) {
            why = engine::said("shape %1, there %2", shape_text(mine.shape), shape_text(theirs.shape));
            return std::nullopt;
        }
        const Tensor x = elements_of(own_, here);
        const Tensor y = x.defined() ? elements_of(reference_, there) : Tensor();
        if (!x.defined() || !y.defined()) {
            why = x.defined() ? engine::said("the reference kept no elements") : engine::said("no elements were kept");
            return std::nullopt;
        }
        if (x.numel() != y.numel()) {
            why = engine::said("elements of another number");
            return std::nullopt;
        }
        return measure_difference(x, y, tolerance_for(x, y));
    }

    // What cannot be had again is not compared.
    static Tensor elements_of(const ComparedRun& run, ValueId id) {
        check_cancelled();
        try {
            return run.elements ? run.elements(id) : Tensor();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            return {};
        }
    }

    static bool is_worse(const Difference& a, const Difference& b) {
        if (a.is_close() != b.is_close()) return !a.is_close();
        return a.not_finite != b.not_finite ? a.not_finite > b.not_finite : a.snr_db < b.snr_db;
    }

    EventDifference compare_pair(EventId here, EventId there) const {
        EventDifference out;
        out.here = here;
        out.there = there;
        const Event& mine = a_.event(here);
        const Event& theirs = b_.event(there);
        const std::size_t outputs = std::min(mine.outputs.size(), theirs.outputs.size());
        for (std::size_t i = 0; i < outputs; ++i) {
            if (mine.outputs[i] == 0 || theirs.outputs[i] == 0) continue;
            Said why;
            const auto found = measure(mine.outputs[i], theirs.outputs[i], why);
            if (!why.empty() && out.why.empty()) {
                out.why = why;
                out.diverges = out.diverges || why.text().starts_with("shape");
            }
            if (!found || (out.numbers && !is_worse(*found, *out.numbers))) continue;
            out.numbers = found;
            out.output = static_cast<int>(i);
        }
        if (mine.failed != theirs.failed && out.why.empty()) {
            out.why = mine.failed ? engine::said("it failed here") : engine::said("it failed in the reference");
            out.diverges = true;
        }
        out.diverges = out.diverges || (out.numbers && !out.numbers->is_close());
        return out;
    }

    static double closeness(const EventDifference& pair) {
        if (!pair.numbers) return -kInfinity;
        return pair.numbers->not_finite > 0 ? -kInfinity : pair.numbers->snr_db;
    }

    // A pair that diverges, and the unpaired events right behind it on one side: the best of them.
    EventDifference find_better(EventDifference pair) {
        constexpr EventId kAhead = 4;
        constexpr double kBetter = 6;  // dB
        if (!mended_.empty() && mended_.contains(event_place(a_, pair.here))) return pair;
        EventDifference best = pair;
        const auto try_pair = [&](EventId here, EventId there) {
            const EventDifference other = compare_pair(here, there);
            if (!other.numbers) return;
            if (!other.diverges || closeness(other) > closeness(best) + kBetter) best = other;
        };
        const auto is_open_here = [&](EventId id) {
            return id <= a_.event_count() && alignment_.there[id - 1] == 0 &&
                   a_.event(id).phase == a_.event(pair.here).phase;
        };
        const auto is_open_there = [&](EventId id) {
            return id <= b_.event_count() && alignment_.here[id - 1] == 0 &&
                   b_.event(id).phase == b_.event(pair.there).phase;
        };
        for (EventId id = pair.here + 1; best.diverges && id <= pair.here + kAhead && is_open_here(id); ++id)
            try_pair(id, pair.there);
        for (EventId id = pair.there + 1; best.diverges && id <= pair.there + kAhead && is_open_there(id); ++id)
            try_pair(pair.here, id);
        if (best.here == pair.here && best.there == pair.there) return pair;
        alignment_.there[pair.here - 1] = 0;
        alignment_.here[pair.there - 1] = 0;
        alignment_.there[best.here - 1] = best.there;
        alignment_.here[best.there - 1] = best.here;
        return best;
    }

    void compare_events() {
        for (EventId id = 1; id <= a_.event_count(); ++id) {
            const EventId there = alignment_.partner(id);
            if (there == 0 || by_event_.contains(id)) continue;
            EventDifference pair = compare_pair(id, there);
            if (pair.diverges && pair.why.empty() && !reference_.is_arrays) pair = find_better(std::move(pair));
            const EventId at = pair.here;
            by_event_[at] = std::move(pair);
        }
    }

    // Events of different operators are paired by where they stand and by their shape: attention in one operator here,
    // in five there. One that differs, and whose difference reaches nothing that was paired too, was no pair.
    void part_false_pairs() {
        if (reference_.is_arrays) return;
        std::vector<EventId> doubtful;
        for (const auto& [id, pair] : by_event_) {
            if (pair.diverges && pair.why.empty() && !mended_.contains(event_place(a_, id)) && !is_sure(id, pair.there))
                doubtful.push_back(id);
        }
        if (doubtful.empty()) return;
        std::unordered_map<ValueId, std::vector<EventId>> readers;
        for (EventId id = 1; id <= a_.event_count(); ++id) {
            for (const ValueId input : a_.event(id).inputs) readers[input].push_back(id);
        }
        std::vector<EventId> apart;
        for (const EventId id : doubtful) {
            if (is_refuted(id, readers)) apart.push_back(id);
        }
        for (const EventId id : apart) {
            alignment_.here[by_event_.at(id).there - 1] = 0;
            alignment_.there[id - 1] = 0;
            by_event_.erase(id);
        }
    }

    // The same operator, or the backward of one.
    bool is_sure(EventId here, EventId there) const {
        const Event& mine = a_.event(here);
        const Event& theirs = b_.event(there);
        if (is_same_operator(mine.op, theirs.op)) return true;
        return mine.phase == RunPhase::Backward && mine.peer != 0 && theirs.peer != 0 &&
               alignment_.partner(mine.peer) == theirs.peer &&
               is_same_operator(a_.event(mine.peer).op, b_.event(theirs.peer).op);
    }

    // Whether the first pairs on every way from the event on agree, and there is one.
    bool is_refuted(EventId start, const std::unordered_map<ValueId, std::vector<EventId>>& readers) const {
        std::set<EventId> seen{start};
        std::vector<EventId> next{start};
        bool has_agreed = false;
        while (!next.empty()) {
            const EventId id = next.back();
            next.pop_back();
            for (const ValueId output : a_.event(id).outputs) {
                const auto found = readers.find(output);
                if (output == 0 || found == readers.end()) continue;
                for (const EventId reader : found->second) {
                    if (a_.event(reader).phase != a_.event(start).phase || !seen.insert(reader).second) continue;
                    const auto pair = by_event_.find(reader);
                    const bool is_measured = pair != by_event_.end() && pair->second.numbers;
                    if (is_measured && !pair->second.diverges) {
                        has_agreed = true;
                    } else if (is_measured && is_sure(reader, pair->second.there)) {
                        return false;
                    } else {
                        next.push_back(reader);
                    }
                }
            }
        }
        return has_agreed;
    }

    void list_reference() {
        const auto times = b_.warm_times();
        for (EventId id = 1; id <= b_.event_count(); ++id) {
            const Event& event = b_.event(id);
            ReferenceEvent row;
            row.phase = event.phase;
            row.op = event.op;
            row.scope = event.scope;
            if (!event.outputs.empty() && event.outputs.front() != 0) {
                const Value& value = b_.value(event.outputs.front());
                row.shape = value.shape;
                row.dtype = value.dtype;
            }
            for (const ValueId output : event.outputs) row.bytes += output != 0 ? b_.value(output).bytes : 0;
            row.start = event.start;
            row.seconds = seconds_of(event, times.get());
            row.memory_after = event.memory_after;
            row.graph_node = event.graph_node;
            row.source = {std::string(event.source_file), event.source_line, 0};
            out_.reference_events.push_back(std::move(row));
        }
    }

    // Those of the reference alone stand behind what precedes them there.
    void order_events() {
        std::map<EventId, std::vector<EventId>> behind;
        EventId last = 0;
        for (EventId id = 1; id <= b_.event_count(); ++id) {
            if (const EventId own = alignment_.own_of(id); own != 0)
                last = own;
            else
                behind[last].push_back(id);
        }
        const auto add_behind = [&](EventId own) {
            const auto found = behind.find(own);
            if (found == behind.end()) return;
            for (const EventId id : found->second) {
                EventDifference row;
                row.there = id;
                out_.events.push_back(std::move(row));
                ++out_.only_there;
            }
        };
        add_behind(0);
        for (EventId id = 1; id <= a_.event_count(); ++id) {
            const auto found = by_event_.find(id);
            EventDifference row;
            row.here = id;
            out_.events.push_back(found != by_event_.end() ? found->second : std::move(row));
            add_behind(id);
        }
        for (const EventDifference& row : out_.events) {
            if (row.here != 0 && row.there == 0) ++out_.only_here;
            out_.aligned += row.here != 0 && row.there != 0 ? 1 : 0;
            out_.compared += row.numbers ? 1 : 0;
            out_.diverging += row.diverges ? 1 : 0;
        }
    }

    void compare_parameters() {
        const auto own_outline = outline_modules({a_, own_.model.get()});
        const auto other_outline = outline_modules({b_, reference_.model.get()});
        const auto here = given_values(a_);
        const auto there = given_values(b_);
        std::set<std::string> used;
        for (const ModuleOutline& module : own_outline) {
            for (const TensorInfo& tensor : module.tensors) {
                ParameterDifference row;
                row.here = tensor.name;
                const auto partner = alignment_.parameters.find(tensor.name);
                row.there = partner != alignment_.parameters.end() ? partner->second : std::string();
                row.presence = row.there.empty() ? Presence::OnlyHere : Presence::Both;
                used.insert(row.there);
                const auto a = here.find(row.here);
                const auto b = there.find(row.there);
                if (a != here.end() && b != there.end()) row.numbers = measure(a->second, b->second, row.why);
                const GradientRow* mine = find_row(own_.gradients, row.here);
                const GradientRow* theirs = find_row(reference_.gradients, row.there);
                if (theirs != nullptr) row.gradient_there = *theirs;
                if (mine != nullptr && theirs != nullptr && mine->value != 0 && theirs->value != 0) {
                    Said ignored;
                    row.gradient = measure(mine->value, theirs->value, ignored);
                }
                out_.parameters.push_back(std::move(row));
            }
        }
        if (reference_.is_arrays) return;
        for (const ModuleOutline& module : other_outline) {
            for (const TensorInfo& tensor : module.tensors) {
                if (used.contains(tensor.name)) continue;
                ParameterDifference row;
                row.there = tensor.name;
                row.presence = Presence::OnlyThere;
                out_.parameters.push_back(std::move(row));
            }
        }
    }

    // Calls work with the index of the module and of all around it.
    template <typename Work>
    static void for_each_around(const std::unordered_map<std::string, std::size_t>& by_path, std::string_view scope,
                                const Work& work) {
        std::string path(scope);
        while (true) {
            if (const auto found = by_path.find(path); found != by_path.end()) work(found->second);
            if (path.empty()) return;
            const auto dot = path.rfind('.');
            path.resize(dot == std::string::npos ? 0 : dot);
        }
    }

    void compare_modules() {
        std::unordered_map<std::string, std::size_t> by_own;
        std::unordered_map<std::string, std::size_t> by_other;
        std::set<std::string> used;
        for (const ModuleOutline& module : outline_modules({a_, own_.model.get()})) {
            ModuleDifference row;
            row.here = module.path;
            row.class_name = module.class_name;
            row.worst_snr = kInfinity;
            const auto partner = alignment_.modules.find(module.path);
            row.presence = partner != alignment_.modules.end() ? Presence::Both : Presence::OnlyHere;
            if (partner != alignment_.modules.end()) {
                row.there = partner->second;
                by_other[row.there] = out_.modules.size();
                used.insert(row.there);
            }
            by_own[row.here] = out_.modules.size();
            out_.modules.push_back(std::move(row));
        }
        if (!reference_.is_arrays) {
            for (const ModuleOutline& module : outline_modules({b_, reference_.model.get()})) {
                if (used.contains(module.path)) continue;
                ModuleDifference row;
                row.there = module.path;
                row.class_name = module.class_name;
                row.presence = Presence::OnlyThere;
                row.worst_snr = kInfinity;
                by_other[row.there] = out_.modules.size();
                out_.modules.push_back(std::move(row));
            }
        }
        add_events(by_own, by_other);
    }

    void add_events(const std::unordered_map<std::string, std::size_t>& by_own,
                    const std::unordered_map<std::string, std::size_t>& by_other) {
        const auto own_times = a_.warm_times();
        for (const EventDifference& row : out_.events) {
            if (row.here == 0) {
                const ReferenceEvent& event = out_.reference_events[row.there - 1];
                for_each_around(by_other, event.scope, [&](std::size_t at) { out_.modules[at].changed = true; });
                continue;
            }
            const Event& event = a_.event(row.here);
            const double seconds = seconds_of(event, own_times.get());
            out_.seconds_here += seconds;
            bool is_own = true;
            for_each_around(by_own, event.scope, [&](std::size_t at) {
                ModuleDifference& module = out_.modules[at];
                module.seconds_here += seconds;
                for (const ValueId value : event.outputs) module.bytes_here += value != 0 ? a_.value(value).bytes : 0;
                if (event.phase == RunPhase::Forward && is_own) module.has_events = true;
                is_own = false;
                module.changed = module.changed || (row.there == 0 && !reference_.is_arrays);
                const bool is_forward = event.phase == RunPhase::Forward;
                bool& diverges = is_forward ? module.diverges : module.backward_diverges;
                diverges = diverges || row.diverges;
                if ((row.numbers || !row.why.empty()) && row.there != 0) {
                    if (is_forward) module.output = row.here;
                    (is_forward ? module.numbers : module.backward) = row.numbers;
                }
                if (!row.numbers) return;
                const double snr = row.numbers->not_finite > 0 ? -kInfinity : row.numbers->snr_db;
                if (module.worst != 0 && snr >= module.worst_snr) return;
                module.worst = row.here;
                module.worst_snr = snr;
            });
        }
        for (const ReferenceEvent& event : out_.reference_events) {
            out_.seconds_there += event.seconds;
            for_each_around(by_other, event.scope, [&](std::size_t at) {
                out_.modules[at].seconds_there += event.seconds;
                out_.modules[at].bytes_there += event.bytes;
            });
        }
        out_.is_warm_here = own_times != nullptr;
        out_.is_warm_there = b_.warm_times() != nullptr;
        out_.peak_here = a_.peak_bytes();
        out_.peak_there = b_.peak_bytes();
    }

    Said text_of(const EventDifference& row) const {
        const Event& event = a_.event(row.here);
        const ReferenceEvent& other = out_.reference_events[row.there - 1];
        Said out = event.scope.empty() ? engine::said("the model itself") : Said(event.scope);
        out += concat(", ", event.op, " #", row.here);
        if (other.op != event.op && other.op != kReferenceArray) out += engine::said(" (there %1)", other.op);
        if (!row.numbers || row.numbers->is_close()) return said_in_row(out, ": ", row.why);
        out = said_in_row(out, ": ", difference_text(*row.numbers));
        if (row.numbers->not_finite == 0)
            out += engine::said("; %2 of %1 elements beyond tolerance", "; %2 of %1 element beyond tolerance",
                                row.numbers->count, row.numbers->beyond);
        return out;
    }

    void conclude() {
        for (const EventDifference& row : out_.events) {
            if (!row.diverges || row.here == 0) continue;
            auto& first = a_.event(row.here).phase == RunPhase::Forward ? out_.forward : out_.backward;
            if (!first) first = Divergence{row.here, row.there, row.output, text_of(row)};
        }
        const bool has_ended = reference_.is_arrays || b_.is_complete();
        out_.are_complete = a_.is_complete() && has_ended;
        if (!a_.is_complete()) out_.notes.push_back(engine::said("this run has not ended"));
        if (!has_ended)
            out_.notes.push_back(engine::said("the reference did not run further than #%1", b_.event_count()));
        note_uncompared();
        if (out_.aligned == 0) out_.notes.push_back(engine::said("the runs have no event in common"));
    }

    // Why not all that is aligned was compared, by the reason that most have.
    void note_uncompared() {
        std::map<std::string, std::pair<std::int64_t, Said>> reasons;
        for (const EventDifference& row : out_.events) {
            if (row.here != 0 && row.there != 0 && !row.numbers && !row.diverges) {
                auto& reason = reasons[row.why.text()];
                ++reason.first;
                reason.second = row.why;
            }
        }
        const auto most = std::ranges::max_element(reasons, {}, [](const auto& each) { return each.second.first; });
        if (most == reasons.end() || out_.compared == 0) return;
        const auto& [count, why] = most->second;
        out_.notes.push_back(engine::said("%1 aligned events not compared: %2", "%1 aligned event not compared: %2",
                                          count, why.empty() ? engine::said("they made no tensors") : why));
    }

    const ComparedRun& own_;
    const ComparedRun& reference_;
    const CompareOptions& options_;
    const Recording& a_;
    const Recording& b_;
    RunAlignment alignment_;
    std::set<std::string> mended_;
    std::map<EventId, EventDifference> by_event_;
    RunDifferences out_;
};

}  // namespace

Said RunDifferences::headline() const {
    if (forward) return engine::said("first divergence: %1", forward->text);
    if (backward) return engine::said("first divergence, in backward: %1", backward->text);
    if (aligned == 0) return engine::said("nothing could be compared: the runs have no event in common");
    if (compared == 0)
        return engine::said("nothing could be compared: no elements of the %1 aligned events were kept",
                            "nothing could be compared: no elements of the %1 aligned event were kept", aligned);
    return engine::said("no divergence: %2 of %1 events compared, all within tolerance",
                        "no divergence: %2 of %1 event compared, all within tolerance", aligned + only_here, compared);
}

RunDifferences compare_runs_by_value(const ComparedRun& own, const ComparedRun& reference,
                                     const CompareOptions& options, RunAlignment* alignment) {
    Comparison comparison(own, reference, options);
    RunDifferences out = comparison.compare();
    if (alignment != nullptr) *alignment = comparison.take_alignment();
    return out;
}

}  // namespace loupe::session
