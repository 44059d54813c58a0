// SPDX-License-Identifier: Apache-2.0
// torch.save and torch.load.

#include "core/base/strings.h"
#include "core/io/checkpoint.h"
#include "core/io/torch_writer.h"
#include "core/python/arguments.h"
#include "core/python/error.h"
#include "core/python/torch_call.h"
#include "core/python/torch_module.h"

namespace loupe::python {
namespace {

std::string path_of(const IValue& value, const char* function) {
    if (value.is_string()) return value.to_string();
    throw_type_error(concat("torch.", function, " takes the path of a file here, not ", type_name(value)));
}

IValue save(CallArguments arguments) {
    const BoundArguments given(arguments, "save",
                               {"obj", "f", "pickle_module=", "pickle_protocol=", "_use_new_zipfile_serialization="});
    const std::string path = path_of(given[1], "save");
    if (!given[0].is_dict()) {
        throw_error("NotImplementedError",
                    concat("torch.save writes a dict of tensors here (model.state_dict()), not ", type_name(given[0])));
    }
    NamedTensors tensors;
    for (const auto& [key, value] : given[0].to_dict().entries()) {
        if (!key.is_string() || !value.is_tensor()) {
            throw_error("NotImplementedError",
                        concat("torch.save writes a dict of tensors here (model.state_dict()); the value under ",
                               repr(key), " is ", type_name(value)));
        }
        tensors.emplace_back(key.to_string(), value.to_tensor());
    }
    with_python_errors([&] { write_state_dict(tensors, path); });
    return {};
}

// Containers of a file as Python has them.
IValue as_python(const IValue& value) {
    if (value.is_list()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_list().elements) elements.push_back(as_python(element));
        return make_list(std::move(elements));
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(as_python(element));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (value.is_dict()) {
        const auto out = make_dict();
        for (const auto& [key, element] : value.to_dict().entries()) out->set(as_python(key), as_python(element));
        return out;
    }
    return value;
}

IValue load(CallArguments arguments) {
    const BoundArguments given(arguments, "load", {"f", "map_location=", "pickle_module=", "*", "weights_only="});
    const std::string path = path_of(given[0], "load");
    try {
        return as_python(read_checkpoint(path));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Usage) {
            throw_error("FileNotFoundError", concat("[Errno 2] No such file or directory: '", path, "'"));
        }
        rethrow_as_python(error);
    }
}

}  // namespace

void fill_torch_io(PythonModule& module) {
    module.define("save", NativeCallable::Body(save));
    module.define("load", NativeCallable::Body(load));
}

}  // namespace loupe::python
