// SPDX-License-Identifier: Apache-2.0
#include "core/session/find_tensor.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/program.h"
#include "core/record/recorder.h"
#include "core/record/recording_file.h"
#include "core/record/reduce_tensor.h"

namespace loupe::session {
namespace {

Tensor find_in_module(nn::Module& module, const std::string& name) {
    for (const auto& [own, t] : module.named_parameters()) {
        if (own == name) return t;
    }
    for (const auto& [own, t] : module.named_buffers()) {
        if (own == name) return t;
    }
    return {};
}

// Of the model's last run, or of the one that was read from a file.
std::shared_ptr<const Recording> recording_of(const QueryContext& context) {
    if (context.recorder() != nullptr) return context.recorder()->recording();
    return context.recording_file() != nullptr ? context.recording_file()->recording() : nullptr;
}

std::string left_out_text(const Recording& recording, const Value& value) {
    const std::string_view where =
        value.producer != 0 ? recording.event(value.producer).scope : std::string_view(value.name);
    return concat("not recorded: unticked in Modules (", where.empty() ? "the model itself" : where, ")");
}

FoundTensor find_value(const QueryContext& context, ValueId id) {
    const auto recording = recording_of(context);
    if (recording == nullptr || id > recording->value_count())
        throw Error(ErrorKind::Usage, "this value is of a run that is gone");
    if (recording->value(id).is_left_out)
        throw Error(ErrorKind::Usage, left_out_text(*recording, recording->value(id)),
                    {.hint = "tick it and run again"});
    const Tensor t = context.elements(id);
    if (!t.defined() && context.shows_restored_run())
        throw Error(
            ErrorKind::Usage, "the session before kept no elements of this value",
            {.hint = context.trainer() != nullptr ? "click the step in Train to run it again"
                                                  : "Run to here runs again to this event and stops behind it"});
    if (!t.defined())
        throw Error(ErrorKind::Usage, "the elements of this value were not kept",
                    {.hint = "run again with values recorded"});
    return {t, recording->value(id).name};
}

// The parameter, buffer or gradient of that name in a recorded run; 0 when there is none.
ValueId recorded_value(const RecordingFile& file, const std::string& name) {
    if (name.starts_with("grad:")) {
        for (const GradientRow& row : file.gradients()) {
            if (row.parameter == name.substr(5)) return row.value;
        }
        return 0;
    }
    for (ValueId id = 1; id <= file.recording()->value_count(); ++id) {
        const Value& value = file.recording()->value(id);
        if (value.producer == 0 && value.name == name) return id;
    }
    return 0;
}

void add_history(const Recording& recording, TensorSlice& out) {
    std::vector<std::string> aliases;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (value.storage_id == out.storage_id && id != out.value && !value.name.empty()) aliases.push_back(value.name);
    }
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        const auto touches = [&](const std::vector<ValueId>& values) {
            for (const ValueId value : values) {
                if (value != 0 && recording.value(value).storage_id == out.storage_id) return true;
            }
            return false;
        };
        if (touches(event.inputs)) out.readers.push_back(id);
        if (touches(event.outputs)) out.writers.push_back(id);
    }
    out.aliases = std::move(aliases);
}

}  // namespace

FoundTensor find_tensor(const QueryContext& context, const TensorRequest& request) {
    if (request.value != 0) return find_value(context, request.value);
    const auto& program = context.program();
    if (!program && context.recording_file() != nullptr) {
        const ValueId id = recorded_value(*context.recording_file(), request.name);
        if (id == 0) throw Error(ErrorKind::Usage, concat("the recording has no '", request.name, "'"));
        return find_value(context, id);
    }
    if (!program) throw Error(ErrorKind::Usage, "no model is open");
    const bool is_gradient = request.name.starts_with("grad:");
    const std::string name = is_gradient ? request.name.substr(5) : request.name;
    Tensor t = find_in_module(program->module(), name);
    if (!t.defined()) throw Error(ErrorKind::Usage, concat("no parameter or buffer '", name, "'"));
    if (is_gradient) t = grad_of(t);
    if (!t.defined()) throw Error(ErrorKind::Usage, concat(name, " has no gradient"), {.hint = "run backward first"});
    return {t, is_gradient ? concat("grad of ", name) : name};
}

TensorSlice look_at_tensor(const QueryContext& context, const TensorRequest& request, const TensorDetail& detail) {
    const FoundTensor found = find_tensor(context, request);
    TensorSlice out = reduce_tensor(found.tensor, request, detail);
    out.value = request.value;
    out.name = found.name;
    const auto recording = recording_of(context);
    if (recording == nullptr) return out;
    if (out.value == 0 && context.recorder() != nullptr) out.value = context.recorder()->find_value(found.tensor);
    if (out.value == 0 && context.recorder() == nullptr)
        out.value = recorded_value(*context.recording_file(), request.name);
    // As recorded, also when the elements were copied away from their storage since.
    const bool is_recorded = request.value != 0 || context.recorder() == nullptr;
    if (is_recorded && out.value != 0) {
        out.storage_id = recording->value(out.value).storage_id;
        out.dtype = recording->value(out.value).dtype;
    }
    out.is_recomputed = request.value != 0 && context.is_recomputed(request.value);
    add_history(*recording, out);
    return out;
}

}  // namespace loupe::session
