// SPDX-License-Identifier: Apache-2.0
#include "core/study/compared_run.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/record/compute_statistics.h"
#include "core/record/recording_writer.h"
#include "core/study/align_runs.h"

namespace loupe::session {
namespace {

// What an array of a file is.
struct ArrayRole {
    enum class Kind { Output, Tensor, Gradient } kind = Kind::Output;
    std::string name;  // of the module or tensor
};

class ArrayNames {
  public:
    explicit ArrayNames(const ModelInfo& model) {
        for (const ModuleInfo& module : model.modules) {
            modules_.insert(module.path);
            for (const auto* tensors : {&module.parameters, &module.buffers}) {
                for (const TensorInfo& tensor : *tensors) tensors_.insert(tensor.name);
            }
        }
    }

    std::optional<ArrayRole> role_of(const std::string& name) const {
        if (tensors_.contains(name)) return ArrayRole{ArrayRole::Kind::Tensor, name};
        for (const char* prefix : {"grad.param.", "grad.", "grad:"}) {
            if (!name.starts_with(prefix)) continue;
            if (const std::string of = name.substr(std::string_view(prefix).size()); tensors_.contains(of))
                return ArrayRole{ArrayRole::Kind::Gradient, of};
        }
        if (name == "out0" || name == "out" || name == "output") return ArrayRole{ArrayRole::Kind::Output, ""};
        if (modules_.contains(name)) return ArrayRole{ArrayRole::Kind::Output, name};
        for (const char* suffix : {".out", ".output", ".out0"}) {
            if (!name.ends_with(suffix)) continue;
            const std::string module = name.substr(0, name.size() - std::string_view(suffix).size());
            if (modules_.contains(module)) return ArrayRole{ArrayRole::Kind::Output, module};
        }
        return std::nullopt;
    }

  private:
    std::set<std::string> modules_;
    std::set<std::string> tensors_;
};

Value value_of(const Tensor& t, const std::string& name, EventId producer) {
    Value value;
    value.producer = producer;
    value.name = name;
    value.dtype = dtype_name(t.dtype());
    value.shape.assign(t.sizes().begin(), t.sizes().end());
    value.strides.assign(t.strides().begin(), t.strides().end());
    value.bytes = static_cast<std::int64_t>(t.bytes());
    value.statistics = compute_statistics(t);
    return value;
}

std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 5;
    const std::vector<std::string> some(names.begin(),
                                        names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())));
    return concat(join(some, ", "), names.size() > kMost ? concat(" and ", names.size() - kMost, " more") : "");
}

}  // namespace

ComparedRun compared_file(std::shared_ptr<const RecordingFile> file, std::string label) {
    ComparedRun run;
    run.label = std::move(label);
    run.recording = file->recording();
    run.gradients = file->gradients();
    run.opened = file->opened();
    if (file->model() != nullptr) {
        auto model = std::make_shared<ModelInfo>(*file->model());
        if (file->graph() != nullptr) model->graph = file->graph();
        run.model = std::move(model);
    }
    if (!run.recording->is_complete()) run.notes.push_back(engine::said("%1 ends before its run did", run.label));
    run.elements = [file = std::move(file)](ValueId id) { return file->elements(id); };
    return run;
}

ComparedRun compared_arrays(const NamedTensors& arrays, std::shared_ptr<const ModelInfo> model, std::string label) {
    const ArrayNames names(*model);
    RecordingWriter writer;
    auto tensors = std::make_shared<std::vector<Tensor>>();
    ComparedRun run;
    run.label = std::move(label);
    run.is_arrays = true;
    std::vector<std::string> unknown;
    for (const auto& [name, tensor] : arrays) {
        const auto role = names.role_of(name);
        if (!role) {
            unknown.push_back(name);
            continue;
        }
        const bool is_output = role->kind == ArrayRole::Kind::Output;
        const bool is_gradient = role->kind == ArrayRole::Kind::Gradient;
        const EventId event = is_output ? writer.next_event() : 0;
        const ValueId value =
            writer.add_value(value_of(tensor, is_gradient ? concat("grad of ", role->name) : role->name, event));
        tensors->push_back(tensor);
        if (is_output) {
            Event made;
            made.op = writer.intern(kReferenceArray);
            made.scope = writer.intern(role->name);
            made.outputs = {value};
            writer.add_event(std::move(made));
        } else if (is_gradient) {
            GradientRow row;
            row.parameter = role->name;
            row.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
            row.has_gradient = true;
            row.set_gradient(compute_statistics(tensor));
            row.value = value;
            run.gradients.push_back(std::move(row));
        }
    }
    if (arrays.empty()) throw Error(ErrorKind::Usage, concat(run.label, " holds no arrays"));
    if (tensors->empty())
        throw Error(ErrorKind::Usage,
                    concat(run.label, ": none of its ", arrays.size(),
                           " arrays has the name of a module or parameter of this model: ", list_of(unknown)));
    if (!unknown.empty())
        run.notes.push_back(engine::said("%1 has names that the model lacks: %2", run.label, list_of(unknown)));
    writer.finish();
    run.recording = writer.recording();
    run.model = std::move(model);
    run.elements = [tensors](ValueId id) { return id <= tensors->size() ? (*tensors)[id - 1] : Tensor(); };
    return run;
}

NamedTensors read_reference_arrays(const std::filesystem::path& file) {
    if (file.extension() == ".npz") return read_npz(file);
    const IValue saved = read_checkpoint(file);
    NamedTensors out;
    if (saved.is_dict()) {
        for (const auto& [key, value] : saved.to_dict().entries()) {
            if (key.is_string() && value.is_tensor() && value.to_tensor().defined())
                out.emplace_back(key.to_string(), value.to_tensor());
        }
    }
    if (out.empty())
        throw Error(ErrorKind::File, "holds no tensors by name",
                    {.file = file.string(), .hint = "save a dict of activations: {'layer1.0.conv1': tensor, ...}"});
    return out;
}

}  // namespace loupe::session
