// SPDX-License-Identifier: Apache-2.0
// torch.save and torch.load: the values of programs in checkpoints, as PyTorch pickles them.

#include <span>

#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/stream.h"
#include "core/python/torch/pickling.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

IValue save(CallArguments arguments) {
    const BoundArguments given(arguments, "save",
                               {"obj", "f", "pickle_module=", "pickle_protocol=", "_use_new_zipfile_serialization="});
    FileToWrite file(given[1]);
    PythonPickler values;
    const CheckpointOptions options{.is_stream = !given.truth_or(4, true), .others = &values};
    with_python_errors([&] { write_checkpoint(given[0], file.target(), options); });
    file.finish();
    return {};
}

IValue load(CallArguments arguments) {
    const BoundArguments given(arguments, "load", {"f", "map_location=", "pickle_module=", "*", "weights_only="});
    const Ptr<MappedFile> file = file_to_read(given[0]);
    return with_python_errors([&] {
        PythonUnpickler classes;
        return read_checkpoint(file, classes);
    });
}

IValue pickle_dumps(CallArguments arguments) {
    const BoundArguments given(arguments, "dumps", {"obj"});
    PythonPickler values;
    return make_bytes(with_python_errors([&] { return pickle_value(given[0], &values); }));
}

// The value and how many bytes it took.
IValue pickle_loads(CallArguments arguments) {
    const BoundArguments given(arguments, "loads", {"data"});
    const auto* bytes = object_as<BytesObject>(given[0]);
    if (bytes == nullptr) throw_type_error(concat("a bytes-like object is required, not '", type_name(given[0]), "'"));
    return with_python_errors([&] {
        PythonUnpickler classes;
        auto [value, size] = read_pickled_value(std::as_bytes(std::span(bytes->data)), classes);
        return make_tuple({std::move(value), static_cast<std::int64_t>(size)});
    });
}

}  // namespace

void fill_torch_io(PythonModule& module) {
    module.define("save", NativeCallable::Body(save));
    module.define("load", NativeCallable::Body(load));
    module.define("_pickle_dumps", NativeCallable::Body(pickle_dumps));
    module.define("_pickle_loads", NativeCallable::Body(pickle_loads));
}

}  // namespace loupe::python
