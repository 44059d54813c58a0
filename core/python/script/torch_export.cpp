// SPDX-License-Identifier: Apache-2.0
// What torch.export (torch/export.py) needs of the engine: tracing a model into a program, and reading one.
#include "core/base/strings.h"
#include "core/formats/exported/exported_reader.h"
#include "core/formats/exported/program_parts.h"
#include "core/formats/exported/program_writer.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/frame.h"
#include "core/python/language/operations.h"
#include "core/python/script/script_compiler.h"
#include "core/python/script/torch_jit.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_call.h"
#include "core/runtime/trace/tracer.h"

namespace loupe::python {
namespace {

std::vector<IValue> elements_of(const IValue& value) {
    return value.is_tuple() ? value.to_tuple().elements : value.to_list().elements;
}

// What `write` leaves in a file without a name.
IValue bytes_written_by(const std::function<void(const FileTarget&)>& write) {
    const auto memory = std::make_shared<const FileHandle>(memory_file());
    with_python_errors([&] { write(FileTarget(std::filesystem::path("archive.pt2"), memory)); });
    const Ptr<MappedFile> map = MappedFile::map(*memory, "archive.pt2");
    const auto bytes = map->bytes();
    return make_bytes(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Ptr<MappedFile> file_of(const IValue& data) {
    const auto* bytes = object_as<BytesObject>(data);
    if (bytes == nullptr) throw_type_error(concat("a bytes-like object is required, not '", type_name(data), "'"));
    const FileHandle memory = memory_file();
    write_at(memory, 0, bytes->data, "archive.pt2");
    return MappedFile::map(memory, "archive.pt2");
}

// (module, values, names, how many of the last are keywords, [(option, text)]): the bytes of a .pt2 file.
IValue write_program(CallArguments arguments) {
    check_positional(arguments, "write", 5, 5);
    const IValue& model = arguments.positional[0];
    const nn::ModulePtr module = nn::as_module(model);
    WriteRequest request;
    request.examples = elements_of(arguments.positional[1]);
    for (const IValue& name : elements_of(arguments.positional[2])) request.names.push_back(str(name));
    request.keywords = static_cast<std::size_t>(arguments.positional[3].to_int());
    for (const IValue& option : elements_of(arguments.positional[4])) {
        const std::vector<IValue> parts = elements_of(option);
        request.options.emplace_back(str(parts.at(0)), str(parts.at(1)));
    }
    const runtime::Traced run = [&](std::vector<IValue> values) {
        CallArguments given;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i + request.keywords < values.size())
                given.positional.push_back(std::move(values[i]));
            else
                given.keywords.emplace_back(request.names[i], std::move(values[i]));
        }
        return call(model, std::move(given));
    };
    runtime::TraceOptions options;
    options.argument_names = request.names;
    const runtime::Trace traced =
        with_python_errors([&] { return runtime::trace_module(module, run, request.examples, options); });
    request.module = traced.module;
    request.graph = traced.forward->graph();
    return bytes_written_by([&](const FileTarget& target) { write_exported_program(request, target); });
}

// bytes -> (module, the program's JSON, (args, kwargs) or None, constants by name)
IValue read_program(CallArguments arguments) {
    check_positional(arguments, "read", 1, 1);
    const Ptr<MappedFile> file = file_of(arguments.positional[0]);
    const ModelFile model = with_python_errors([&] { return read_exported_program(file); });
    ScriptCompiler::current().keep(model.unit);
    const auto constants = make_ptr<DictObject>(types::string(), types::any());
    for (const auto& [name, buffer] : model.module->named_buffers()) constants->set(IValue(name), IValue(buffer));
    return make_tuple({IValue(Ptr<Object>(model.module)), IValue(exported::program_text(file)),
                       exported::program_parts(model)->sample_inputs, IValue(constants)});
}

// (bytes, module): the same program with the module's tensors.
IValue with_tensors(CallArguments arguments) {
    check_positional(arguments, "with_tensors", 2, 2);
    const Ptr<MappedFile> file = file_of(arguments.positional[0]);
    const ModelFile model = with_python_errors([&] { return read_exported_program(file); });
    WriteRequest request;
    request.module = nn::as_module(arguments.positional[1]);
    request.parts = model.owner;
    request.graph = dynamic_cast<const ir::ScriptFunction&>(*model.module->type()->find_method("forward")).graph();
    if (model.examples) request.examples = *model.examples;
    request.is_as_read = true;
    return bytes_written_by([&](const FileTarget& target) { write_exported_program(request, target); });
}

// Of a module's forward, without self: those that can be given by position. None for a layer of the engine.
IValue argument_names(CallArguments arguments) {
    check_positional(arguments, "argument_names", 1, 1);
    const FunctionObject* function = source_function(get_attribute(arguments.positional[0], "forward"));
    if (function == nullptr) return {};
    std::vector<IValue> names;
    for (std::size_t i = 1; i < function->code.positional_count; ++i)
        names.emplace_back(std::string(function->code.params[i].name));
    return make_list(std::move(names));
}

}  // namespace

void fill_torch_export_native(PythonModule& module) {
    using Body = NativeCallable::Body;
    module.define("write", Body(write_program));
    module.define("read", Body(read_program));
    module.define("with_tensors", Body(with_tensors));
    module.define("argument_names", Body(argument_names));
}

}  // namespace loupe::python
