// SPDX-License-Identifier: Apache-2.0
#include "app/cli/changes.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/python/language/file_notice.h"
#include "core/record/recording_file.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/print.h"
#include "core/study/difference.h"
#include "core/study/named_value.h"

namespace loupe::cli {
namespace {

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

session::ValueId find(const session::Recording& recording, const std::string& name) {
    const auto at = static_cast<session::EventId>(recording.event_count());
    auto named = session::parse_named_value(name);
    auto found = session::find_value(recording, named, at);
    if (!found && !named.is_gradient && !named.is_input) {
        named.is_output = true;
        found = session::find_value(recording, named, at);
    }
    return found.value_or(0);
}

session::ValueId value_to_change(const session::Recording& recording, const std::string& name) {
    const session::ValueId id = find(recording, name);
    if (id == 0)
        throw Error(ErrorKind::Usage, concat("--change: nothing that the run makes is called '", name, "'"),
                    {.hint = "MODULE.out, MODULE.in or NAME.grad; run --stats lists modules"});
    if (recording.value(id).producer == 0)
        throw Error(ErrorKind::Usage, concat("--change: '", name, "' is there before the run"),
                    {.hint = "inputs are given with --input or --inputs, weights with --weights"});
    return id;
}

// The value of the same name in the other run.
std::string from_other_run(const std::string& formula, const std::string& name) {
    if (!formula.ends_with(".loupe")) return formula;
    const session::RecordingFile file(formula);
    const session::ValueId id = find(*file.recording(), name);
    if (id == 0) throw Error(ErrorKind::Usage, concat("--change: ", formula, " has nothing called '", name, "'"));
    return concat(formula, "#", id);
}

// In the order in which they are made; each is an event and a value more for those behind it.
std::vector<session::ValueChange> numbered(std::vector<session::ValueChange> changes) {
    std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.behind < b.behind; });
    std::vector<session::ValueChange> out = changes;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].behind += static_cast<std::uint32_t>(i);
        const auto is_before = [&](const auto& other) { return other.behind < changes[i].behind; };
        out[i].value += static_cast<std::uint32_t>(std::count_if(changes.begin(), changes.end(), is_before));
    }
    return out;
}

}  // namespace

ChangeText parse_change(std::string_view text) {
    const auto at = text.find('=');
    if (at == std::string_view::npos || trimmed(text.substr(at + 1)).empty())
        throw Error(ErrorKind::Usage,
                    concat("--change '", text, "' has no ", at == std::string_view::npos ? "=" : "formula"),
                    {.hint = "--change \"fc.out[0, 3] = x * 2\", \"layer1 = zeros\", \"layer1 = values.npy\""});
    ChangeText change;
    std::string_view name = trimmed(text.substr(0, at));
    if (const auto open = name.find('['); name.ends_with(']') && open != std::string_view::npos) {
        change.slice = std::string(name.substr(open));
        name = trimmed(name.substr(0, open));
    }
    change.value = std::string(name);
    change.formula = std::string(trimmed(text.substr(at + 1)));
    if (change.value.empty())
        throw Error(ErrorKind::Usage, concat("--change '", text, "' does not say of what"),
                    {.hint = "a module's path: --change \"layer1.0 = zeros\""});
    return change;
}

UnchangedRun run_unchanged(const RunArguments& options) {
    std::vector<ChangeText> texts;
    for (const std::string& text : options.changes) texts.push_back(parse_change(text));
    const runtime::PrintScope silent([](std::string_view) {});
    const session::WarningScope unwarned([](const session::ScriptWarning&) {});
    const python::FileNoticeScope unnoted([](const python::FileNotice&) {});
    RunArguments again = options;
    again.notice = [](const std::string&) {};
    const PreparedRun run = prepare_model(again);
    if (run.program->file().files != nullptr) run.program->file().files->discard();
    const auto recorder = make_recorder(run, {.statistics = false, .values = false});
    UnchangedRun before;
    session::record(*run.program, *recorder, [&] { before.outputs = execute(run); });
    const session::Recording& recording = *recorder->recording();
    for (const ChangeText& text : texts) {
        session::ValueChange change;
        change.value = value_to_change(recording, text.value);
        change.behind = recording.value(change.value).producer;
        change.slice = text.slice;
        change.formula = from_other_run(text.formula, text.value);
        const session::Event& event = recording.event(change.behind);
        options.notice(concat("change: ", text.value, text.slice, " = ", text.formula, ", behind #", change.behind, " ",
                              event.op, event.scope.empty() ? "" : concat(" in ", event.scope)));
        before.changes.push_back(std::move(change));
    }
    before.changes = numbered(std::move(before.changes));
    return before;
}

void note_effects(const RunArguments& options, const UnchangedRun& before, const TensorList& after) {
    for (std::size_t i = 0; i < after.size(); ++i) {
        const bool is_alike = i < before.outputs.size() && before.outputs[i].defined() && after[i].defined() &&
                              to_dims(before.outputs[i].sizes()) == to_dims(after[i].sizes());
        const Said what =
            is_alike
                ? session::difference_text(session::measure_difference(
                      after[i], before.outputs[i], session::tolerance_of(after[i].dtype(), before.outputs[i].dtype())))
                : Said("of other sizes");
        options.notice(concat("out", i, " against the run without the change: ", what));
    }
}

}  // namespace loupe::cli
