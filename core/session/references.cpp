// SPDX-License-Identifier: Apache-2.0
#include "core/session/references.h"

#include "core/study/device_check.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/record/gradients.h"
#include "core/record/reduce_tensor.h"
#include "core/session/kept_model.h"
#include "core/study/reference_run.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

// What a run beside the shown one changes of the engine's state comes back.
class Beside {
  public:
    Beside() : random_(random_state()), threads_(thread_count()) {}
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    ~Beside() {
        set_random_state(random_);
        set_thread_count(threads_);
    }

  private:
    RandomState random_;
    int threads_;
};

std::string variant_text(const ReferenceSource& source) {
    std::vector<std::string> parts;
    if (!source.pipeline.empty()) parts.push_back(concat("pipeline ", source.pipeline));
    if (!source.device.empty()) parts.push_back(source.device);
    if (!source.dtype.empty()) parts.push_back(source.dtype);
    return join(parts, ", ");
}

thread_local References* thread_references = nullptr;

}  // namespace

ReferencesScope::ReferencesScope(References& references) : ScopedValue(thread_references, &references) {}

References& current_references() {
    if (thread_references == nullptr) throw Error(ErrorKind::Internal, "this thread has no references");
    return *thread_references;
}

const ComparedRun& References::find(int id) const {
    const auto found = pinned_.find(id);
    if (found == pinned_.end())
        throw Error(ErrorKind::Usage, "no reference is pinned", {.hint = "pin a run, a recording or a model first"});
    return found->second;
}

Tensor References::elements(int id, ValueId value) const {
    const ComparedRun& run = find(id);
    const bool has_it = run.recording != nullptr && value != 0 && value <= run.recording->value_count();
    return has_it ? run.elements(value) : Tensor();
}

ComparedRun References::shown_run(std::string label) const {
    const ShownRun& shown = recorder_.shown();
    if (shown.recorder == nullptr && repeater_.recording_file() == nullptr)
        throw Error(ErrorKind::Usage, "nothing was recorded", {.hint = "run the model first"});
    ComparedRun run;
    if (shown.recorder != nullptr) {
        std::vector<GradientRow> gradients;
        if (model_.program() != nullptr) gradients = gradient_rows(model_.program()->module(), shown.recorder.get());
        const auto info = model_.program() != nullptr ? model_.program()->info() : std::make_shared<ModelInfo>();
        run = compared_recording(shown.recorder, info, std::move(gradients), std::move(label));
    } else {
        const RecordingFile& file = *repeater_.recording_file();
        run.label = std::move(label);
        run.recording = file.recording();
        run.gradients = file.gradients();
        run.opened = file.opened();
        run.model = model_.program() != nullptr ? model_.program()->info() : file.model();
    }
    // Dropped elements are computed again.
    run.elements = [this](ValueId id) { return repeater_.elements(id, std::size_t{64} << 20); };
    return run;
}

ComparedRun References::pin_shown() {
    const ShownRun& shown = recorder_.shown();
    const std::string title = model_.program() != nullptr ? model_.program()->info()->title
                              : model_.file() != nullptr
                                  ? std::filesystem::path(model_.file()->model()->path).filename().string()
                                  : std::string();
    const std::string label = concat("run ", ++runs_[title], title.empty() ? "" : " of ", title);
    ComparedRun run = shown_run(label);
    if (shown.recorder != nullptr) {
        shown.recorder->protect_existing();
        if (model_.program() != nullptr)
            run.opened = std::make_shared<const OpenedGraph>(
                open_graph(*model_.program(), *shown.method, shown.recorder->shared_graph()));
        run.elements = [recorder = std::shared_ptr<const Recorder>(shown.recorder)](ValueId id) {
            return recorder->values().find(id);
        };
        return run;
    }
    if (shown.restored != nullptr && model_.file() == nullptr) {
        run.elements = [file = shown.restored](ValueId id) { return file->elements(id); };
        return run;
    }
    const auto file = std::make_shared<RecordingFile>(model_.file()->model()->recorded_in);
    return compared_file(file, label);
}

// The model whose inputs both run on. Of a recording whose model is not here it is the other one.
std::shared_ptr<Program> References::takes_inputs(const std::shared_ptr<Program>& other) {
    if (model_.file() == nullptr) return model_.program_or_recorded();
    try {
        return model_.program_or_recorded();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return other;
    }
}

ComparedRun References::run_model(std::shared_ptr<Program> program, const ReferenceSource& source, std::string label) {
    const std::shared_ptr<Program> own = takes_inputs(program);
    const ShownRun& shown = recorder_.shown();
    ReferenceRequest request;
    request.options = shown.recording() != nullptr && shown.recorder != nullptr ? shown.ran : settings_.options();
    if (model_.file() != nullptr) request.options = model_.file()->run();
    const std::string own_method = request.options.method.empty() ? own->default_method() : request.options.method;
    if (program != own && request.options.method != "forward") request.options.method = program->default_method();
    request.options.pipeline = source.pipeline.empty() ? "none" : source.pipeline;
    request.options.compile_mode.clear();
    if (!source.device.empty()) request.options.device = source.device;
    request.dtype = source.dtype;
    request.label = std::move(label);
    request.program = std::move(program);
    std::vector<InputSpec> inputs = settings_.inputs();
    if (inputs.empty() && model_.file() != nullptr) inputs = request.options.inputs;
    request.arguments = [own, inputs, own_method] { return own->make_arguments(inputs, own_method); };
    if (source.is_timed) request.timed = OperatorTimesRequest();
    request.cancel = &cancel_;
    const Beside beside;
    return record_reference(request);
}

ComparedRun References::pin_file(const ReferenceSource& source) {
    const std::filesystem::path path = source.file;
    const std::string label = path.filename().string();
    if (is_recording(path)) return compared_file(std::make_shared<RecordingFile>(path), label);
    const auto arrays = [&] {
        std::shared_ptr<const ModelInfo> model;
        if (model_.program() != nullptr) model = model_.program()->info();
        if (model == nullptr && model_.file() != nullptr) model = model_.file()->model();
        if (model == nullptr) throw Error(ErrorKind::Usage, "no model is open", {.hint = "open the model first"});
        return compared_arrays(read_reference_arrays(path), model, label);
    };
    if (path.extension() == ".npz") return arrays();
    const bool may_be_arrays = path.extension() == ".pt" || path.extension() == ".pth";
    const Beside beside;
    std::shared_ptr<Program> program;
    try {
        program = Program::open(path, source.weights, source.build, settings_.permissions_of(path));
        if (source.is_scripted && program->is_eager()) program->script();
        if (may_be_arrays && !program->info()->cannot_run.empty()) return arrays();  // a tree of tensors by name
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || !may_be_arrays) throw;
        try {
            return arrays();
        } catch (const Error&) {
        }
        throw;
    }
    const std::string how = variant_text(source);
    return run_model(std::move(program), source, how.empty() ? label : concat(label, ", ", how));
}

ComparedRun References::pin_variant(const ReferenceSource& source) {
    const std::shared_ptr<Program> own = model_.program_or_recorded();
    const std::filesystem::path path = own->info()->path;
    const Beside beside;
    const auto program = Program::open(path, {}, own->info()->built_with, settings_.permissions_of(path));
    if (own->form() == ModelForm::Scripted) model_.change_form(*program, own->form());
    give_back(*program, keep_model(*own, model_.origin().random, model_.origin().weights_from, true));
    const std::string how = variant_text(source);
    return run_model(program, source, concat(own->info()->title, how.empty() ? ", run again" : ", ", how));
}

PinnedReference References::pin(const ReferenceSource& source) {
    ComparedRun run = source.kind == ReferenceSource::Kind::ThisRun ? pin_shown()
                      : source.kind == ReferenceSource::Kind::File  ? pin_file(source)
                                                                    : pin_variant(source);
    PinnedReference out;
    out.id = ++last_id_;
    out.label = run.label;
    out.events = static_cast<std::int64_t>(run.recording->event_count());
    // Arrays are named by the model that is open: it is not theirs.
    out.is_arrays = run.is_arrays;
    if (!run.is_arrays) out.model = run.model;
    out.notes = run.notes;
    pinned_[out.id] = std::move(run);
    return out;
}

void References::unpin(int id) {
    aligned_ = {};
    if (id == 0)
        pinned_.clear();
    else
        pinned_.erase(id);
}

OpenedGraphs References::open_graphs(int id) const {
    const ComparedRun& reference = find(id);
    const ComparedRun own = shown_run("this run");
    const auto graph_of = [](const ComparedRun& run) { return run.model != nullptr ? run.model->graph : nullptr; };
    const ShownRun& shown = recorder_.shown();
    std::shared_ptr<const OpenedGraph> here = own.opened;
    if (reference.opened != nullptr && shown.recorder != nullptr && model_.program() != nullptr)
        here = std::make_shared<const OpenedGraph>(
            open_graph(*model_.program(), *shown.method, shown.recorder->shared_graph()));
    if (here == nullptr || reference.opened == nullptr)
        return {.error = {}, .here = {graph_of(own), {}}, .there = {graph_of(reference), {}}};
    return {.error = {}, .here = *here, .there = *reference.opened};
}

namespace {

// Where the run's operators ran, if that was not the CPU.
std::string device_of(const ComparedRun& run) {
    for (EventId id = 1; id <= run.recording->event_count(); ++id) {
        const std::string_view device = run.recording->event(id).device.device;
        if (!device.empty()) return std::string(device.substr(0, device.find(',')));
    }
    return {};
}

// Of two runs that differ, one on the CPU and one on a device: is there a kernel that is wrong, or do roundings add up?
void note_device(RunDifferences& out, const ComparedRun& own, const ComparedRun& reference) {
    const std::string here = device_of(own), there = device_of(reference);
    if (here.empty() == there.empty()) return;
    const ComparedRun& on_cpu = here.empty() ? own : reference;
    out.notes.push_back(
        check_device(*on_cpu.recording, on_cpu.elements, parse_device(here.empty() ? there : here)).headline());
}

}  // namespace

RunDifferences References::compare(int id, const CompareOptions& options) {
    const ComparedRun& reference = find(id);
    const ComparedRun own = shown_run("this run");
    const std::size_t events = own.recording->event_count();
    RunAlignment aligned;
    RunDifferences out = compare_runs_by_value(own, reference, options, &aligned);
    if (out.diverges()) note_device(out, own, reference);
    out.reference = id;
    aligned_ = {id, own.recording, events, options.mends, std::move(aligned)};
    return out;
}

const RunAlignment& References::alignment(int id, const CompareOptions& options) {
    const auto recording = recorder_.shown().recording() != nullptr ? recorder_.shown().recording()
                           : repeater_.recording_file() != nullptr  ? repeater_.recording_file()->recording()
                                                                    : nullptr;
    const bool is_known = aligned_.id == id && aligned_.own == recording && recording != nullptr &&
                          aligned_.events == recording->event_count() && aligned_.mends == options.mends;
    if (!is_known) compare(id, options);
    return aligned_.alignment;
}

// Nullopt: it has none.
std::optional<ValueId> References::partner_of(const RunAlignment& aligned, const ComparedRun& own,
                                              const ComparedRun& other, const TensorRequest& request) const {
    const auto given = [&](const std::string& name) -> std::optional<ValueId> {
        const auto found = aligned.parameters.find(name);
        const std::string& theirs = found != aligned.parameters.end() ? found->second : name;
        for (ValueId id = 1; id <= other.recording->value_count(); ++id) {
            const Value& value = other.recording->value(id);
            if (value.producer == 0 && value.name == theirs) return id;
        }
        return std::nullopt;
    };
    const auto gradient = [&](const std::string& name) -> std::optional<ValueId> {
        const auto found = aligned.parameters.find(name);
        for (const GradientRow& row : other.gradients) {
            if (row.parameter == (found != aligned.parameters.end() ? found->second : name) && row.value != 0)
                return row.value;
        }
        return std::nullopt;
    };
    if (request.value == 0)
        return request.name.starts_with("grad:") ? gradient(request.name.substr(5)) : given(request.name);
    if (request.value > own.recording->value_count()) return std::nullopt;
    const Value& value = own.recording->value(request.value);
    if (value.producer == 0) return given(value.name);
    const EventId partner = aligned.partner(value.producer);
    if (partner == 0) return std::nullopt;
    const auto& mine = own.recording->event(value.producer).outputs;
    const auto& theirs = other.recording->event(partner).outputs;
    for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
        if (mine[i] == request.value && theirs[i] != 0) return theirs[i];
    }
    return std::nullopt;
}

namespace {

TensorSlice slice_of(const Recording& recording, ValueId value, const Tensor& elements, const TensorRequest& request) {
    TensorSlice slice = reduce_tensor(elements, request);
    slice.value = value;
    slice.name = recording.value(value).name;
    slice.dtype = recording.value(value).dtype;
    return slice;
}

}  // namespace

TensorComparison References::tensor(int id, EventId event, int output, const TensorRequest& request) const {
    const ComparedRun& reference = find(id);
    const Recording& recording = *reference.recording;
    const bool is_there = event != 0 && event <= recording.event_count() && output >= 0 &&
                          static_cast<std::size_t>(output) < recording.event(event).outputs.size();
    const ValueId value = is_there ? recording.event(event).outputs[static_cast<std::size_t>(output)] : 0;
    if (value == 0) throw Error(ErrorKind::Usage, concat(reference.label, " has no such tensor"));
    const Tensor elements = this->elements(id, value);
    if (!elements.defined()) throw Error(ErrorKind::Usage, concat(reference.label, " kept no elements of this tensor"));
    const ObserverScope unobserved(nullptr);
    const GradModeScope no_grad(false);
    TensorComparison out;
    out.label = reference.label;
    out.reference = slice_of(recording, value, elements, request);
    return out;
}

TensorComparison References::compare_tensor(int id, const TensorRequest& request, const CompareOptions& options,
                                            const Tensor& own) {
    const ComparedRun& reference = find(id);
    const RunAlignment& aligned = alignment(id, options);
    const ComparedRun run = shown_run("this run");
    const auto partner = partner_of(aligned, run, reference, request);
    if (!partner)
        throw Error(ErrorKind::Usage, concat(reference.label, " has nothing that is aligned with this tensor"),
                    {.hint = "align it by hand in Compare"});
    const Tensor other = reference.elements(*partner);
    if (!other.defined()) throw Error(ErrorKind::Usage, concat(reference.label, " kept no elements of this tensor"));
    TensorComparison out;
    out.label = reference.label;
    const auto mine = own.sizes();
    const auto theirs = other.sizes();
    if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end()))
        throw Error(ErrorKind::Usage, concat("the shape is ", loupe::shape_text(mine), " here and ",
                                             loupe::shape_text(theirs), " in ", reference.label));
    const ObserverScope unobserved(nullptr);
    const GradModeScope no_grad(false);
    const bool is_complex_pair = is_complex(own.dtype()) || is_complex(other.dtype());
    const auto wide = static_cast<std::int64_t>(is_complex_pair ? ScalarType::Complex128 : ScalarType::Float64);
    const auto widened = [&](const Tensor& t) { return fn::to_dtype(on_host(t), wide, false, false, IValue()); };
    out.reference = slice_of(*reference.recording, *partner, other, request);
    out.difference = reduce_tensor(fn::sub(widened(own), widened(other), Scalar(1)), request);
    const Tolerance usual = tolerance_of(own.dtype(), other.dtype());
    out.tolerance = {options.rtol.value_or(usual.rtol), options.atol.value_or(usual.atol)};
    out.numbers = measure_difference(own, other, out.tolerance);
    return out;
}

}  // namespace loupe::session
