// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/torch_onnx.h"

#include <functional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/formats/format_registry.h"
#include "core/ir/function.h"
#include "core/nn/module.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/stream.h"
#include "core/python/script/script_function_object.h"
#include "core/python/script/script_modules.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_call.h"
#include "core/runtime/trace/tracer.h"

namespace loupe::python {
namespace {

// Files beside the one at the path, as the program's own rules allow.
std::function<FileTarget(const std::string&)> beside(const IValue& given) {
    if (!given.is_string()) {
        return [](const std::string&) -> FileTarget {
            throw Error(ErrorKind::Usage, "tensors beside the model need a path to be written to");
        };
    }
    return [path = given.to_string()](const std::string& name) {
        const auto slash = path.rfind('/');
        const std::string folder = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
        return FileToWrite(IValue(folder + name)).target();
    };
}

struct Traced {
    Ptr<ir::CompilationUnit> unit;
    WriteRequest request;
};

Traced request_of(const IValue& model, const std::vector<IValue>& arguments) {
    Traced out;
    const nn::ModulePtr module = nn::as_module(model);
    if (const auto* function = object_as<ScriptFunctionObject>(model)) {
        out.request.graph = function->function().graph();
        out.request.examples = arguments;
        return out;
    }
    if (module && is_script_module(*module)) {
        const auto* forward = dynamic_cast<const ir::ScriptFunction*>(module->type()->find_method("forward"));
        if (forward == nullptr) throw_error("RuntimeError", "torch.onnx.export needs a module with a forward");
        out.request.module = module;
        out.request.graph = forward->graph();
        out.request.examples = arguments;
        return out;
    }
    if (!module) throw_type_error("torch.onnx.export needs a module, or a function of torch.jit");
    const runtime::Traced run = [model](std::vector<IValue> values) { return call(model, std::move(values)); };
    const runtime::Trace trace = runtime::trace_module(module, run, arguments);
    out.unit = trace.unit;
    out.request.module = trace.module;
    out.request.graph = trace.forward->graph();
    out.request.examples = arguments;
    out.request.is_traced = true;
    return out;
}

IValue write(CallArguments arguments) {
    const BoundArguments given(arguments, "write", {"model", "args", "file", "options"});
    plugins();
    const FormatWriter* writer = FormatRegistry::instance().writer_for("model.onnx");
    if (writer == nullptr)
        throw_error("RuntimeError", concat("the plugin onnx writes ONNX files, and ", plugin_absence("onnx")));
    Traced traced = with_python_errors([&] { return request_of(given[0], given[1].to_tuple().elements); });
    for (const IValue& option : given[3].to_list().elements) {
        const auto& pair = option.to_tuple().elements;
        traced.request.options.emplace_back(str(pair[0]), str(pair[1]));
    }
    FileToWrite to(given[2]);
    with_python_errors([&] { writer->write(traced.request, WrittenFiles(to.target(), beside(given[2]))); });
    to.finish();
    return {};
}

}  // namespace

void fill_onnx_writer(PythonModule& module) { module.define("write", NativeCallable::Body(write)); }

}  // namespace loupe::python
