// SPDX-License-Identifier: Apache-2.0
// loupe.Model: a file, opened.
#include "core/library/model.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "core/autograd/grad_mode.h"
#include "core/library/python/convert.h"
#include "core/library/python/engine_call.h"
#include "core/library/python/object.h"
#include "core/library/python/recording.h"
#include "core/library/tensors.h"
#include "core/model/inputs.h"
#include "core/python/torch/torch_objects.h"
#include "core/record/backward_roots.h"

namespace loupe::bindings {
namespace {

using Path = std::filesystem::path;

// Keywords take their places behind the positional arguments, by the method's schema.
std::vector<IValue> arguments_for(const FunctionSchema& schema, const py::args& positional,
                                  const py::kwargs& keywords) {
    CallArguments given = to_arguments(positional, keywords);
    std::vector<IValue> out = std::move(given.positional);
    if (given.keywords.empty()) return out;
    const auto& arguments = schema.arguments;
    for (std::size_t i = out.size() + 1; i < arguments.size() && !given.keywords.empty(); ++i) {
        const auto named = std::find_if(given.keywords.begin(), given.keywords.end(),
                                        [&](const auto& keyword) { return keyword.first == arguments[i].name; });
        if (named != given.keywords.end()) {
            out.push_back(std::move(named->second));
            given.keywords.erase(named);
        } else if (arguments[i].default_value) {
            out.push_back(*arguments[i].default_value);
        } else {
            break;
        }
    }
    if (!given.keywords.empty())
        throw py::type_error(schema.name + "() got an unexpected keyword argument '" + given.keywords.front().first +
                             "'");
    return out;
}

py::object run(const Model& model, const std::string& method, const py::args& positional, const py::kwargs& keywords) {
    const FunctionSchema& schema =
        in_engine([&]() -> std::reference_wrapper<const FunctionSchema> { return model.schema(method); });
    std::vector<IValue> arguments = arguments_for(schema, positional, keywords);
    return to_python(in_engine([&] { return model.run(method, std::move(arguments)); }));
}

std::string default_method(const Model& model) {
    const std::vector<std::string> methods = model.methods();
    return methods.size() == 1 ? methods.front() : "forward";
}

// What `work` does, or a forward run of the arguments, with backward from the sum of its outputs where asked.
py::object record(const Model& model, const py::args& positional, const py::object& work, bool backward) {
    const std::vector<IValue> arguments = to_arguments(positional, {}).positional;
    const Model::Recorded recorded = in_engine([&] {
        return model.record(arguments, [&] {
            if (!work.is_none()) {
                const py::gil_scoped_acquire held;
                try {
                    work();
                } catch (py::error_already_set& raised) {
                    throw_into_engine(raised);
                }
                return;
            }
            const GradModeScope grad(backward);
            const TensorList results = session::flatten_tensors(model(arguments));
            if (backward) session::run_backward(session::roots_of_outputs(results));
        });
    });
    return recording_object(recorded);
}

void move_to(const Model& model, const py::object& where) {
    const IValue target = to_engine(where);
    in_engine([&] {
        if (const auto dtype = python::dtype_of(target))
            model.to(*dtype);
        else
            model.to(python::device_of(target));
    });
}

std::vector<std::pair<std::string, py::object>> named(const nn::Named<Tensor>& tensors) {
    std::vector<std::pair<std::string, py::object>> out;
    for (const auto& [name, tensor] : tensors) out.emplace_back(name, to_python(IValue(tensor)));
    return out;
}

}  // namespace

void define_model(py::module_& module) {
    using namespace pybind11::literals;
    py::class_<Model> cls(module, "Model", "A model file of any format that the engine reads, opened.");
    cls.def("__call__", [](const Model& self, const py::args& positional, const py::kwargs& keywords) {
        return run(self, default_method(self), positional, keywords);
    });
    cls.def(
        "run",
        [](const Model& self, const std::string& method, const py::args& positional, const py::kwargs& keywords) {
            return run(self, method, positional, keywords);
        },
        "Calls a method by name.");
    cls.def_property_readonly("methods", &Model::methods);
    cls.def(
        "schema", [](const Model& self, const std::string& method) { return self.schema(method).str(); },
        "method"_a = "forward", "'forward(Tensor x) -> Tensor'");
    cls.def(
        "example_inputs",
        [](const Model& self, const std::string& method) {
            const std::vector<IValue> inputs = in_engine([&] { return self.example_inputs(method); });
            py::tuple out(inputs.size());
            for (std::size_t i = 0; i < inputs.size(); ++i) out[i] = to_python(inputs[i]);
            return out;
        },
        "method"_a = "forward", "What the file gives as arguments, or what should fit.");
    cls.def_property_readonly(
        "module", [](const Model& self) { return to_python(IValue(Ptr<loupe::Object>(self.module_pointer()))); },
        "The module, as torch.nn.Module: children, hooks, attributes.");
    cls.def("parameters", [](const Model& self) {
        py::list out;
        for (const Tensor& parameter : self.parameters()) out.append(to_python(IValue(parameter)));
        return out;
    });
    cls.def("named_parameters", [](const Model& self) { return named(self.module().named_parameters()); });
    cls.def("state_dict", [](const Model& self) {
        py::dict out;
        for (const auto& [name, tensor] : named(self.module().state_dict())) out[py::str(name)] = tensor;
        return out;
    });
    cls.def(
        "train",
        [](py::object self, bool mode) {
            self.cast<const Model&>().train(mode);
            return self;
        },
        "mode"_a = true);
    cls.def("eval", [](py::object self) {
        self.cast<const Model&>().eval();
        return self;
    });
    cls.def("to", [](py::object self, const py::object& where) {
        move_to(self.cast<const Model&>(), where);
        return self;
    });
    cls.def(
        "save", [](const Model& self, const Path& file) { in_engine([&] { self.save(file); }); }, "file"_a,
        "As the extension says: .pt, .onnx, .pt2, .safetensors, .npz.");
    cls.def("record", &record, py::kw_only(), "work"_a = py::none(), "backward"_a = false,
            "A Recording of what work() does; without it, of a run of the arguments.");
    cls.def("__repr__", [](const Model& self) { return in_engine([&] { return self.module().str(); }); });
    module.def(
        "open",
        [](const Path& file, const std::optional<Path>& weights, const std::string& build) {
            return in_engine([&] { return Model::open(file, weights.value_or(Path()), build); });
        },
        "file"_a, "weights"_a = py::none(), "build"_a = "",
        "Opens a model file or folder. weights: a checkpoint to load into it; build: of a model source, the expression "
        "that makes the model.");
}

}  // namespace loupe::bindings
