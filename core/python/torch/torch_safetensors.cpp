// SPDX-License-Identifier: Apache-2.0
// What the modules safetensors and safetensors.torch are made of.

#include "core/base/strings.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/formats/safetensors/safetensors_writer.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/stream.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

std::string text_argument(const IValue& value, std::string_view what) {
    if (!value.is_string())
        throw_type_error(concat("argument '", what, "': '", type_name(value), "' object is not an instance of 'str'"));
    return value.to_string();
}

// (tensors, filename, metadata)
IValue write(CallArguments arguments) {
    const BoundArguments given(arguments, "_safetensors_write", {"tensors", "filename", "metadata"});
    std::vector<SafetensorsEntry> entries;
    SafetensorsMetadata metadata;
    if (!given[2].is_none()) {
        for (const auto& [key, value] : given[2].to_dict().entries())
            metadata.emplace_back(text_argument(key, "metadata"), text_argument(value, "metadata"));
    }
    FileToWrite file(given[1]);
    with_python_errors([&] {
        for (const auto& [key, value] : given[0].to_dict().entries())
            entries.push_back(safetensors_entry(text_argument(key, "tensor_dict"), value.to_tensor()));
        write_safetensors(entries, metadata, file.target());
    });
    file.finish();
    return {};
}

// ([(name, tensor, dtype, shape)], metadata or None); the tensor of a dtype that the engine lacks is None.
IValue read(CallArguments arguments) {
    const BoundArguments given(arguments, "_safetensors_read", {"filename"});
    const Ptr<MappedFile> file = file_to_read(given[0]);
    return with_python_errors([&] {
        SafetensorsFile contents = read_safetensors(file);
        std::vector<IValue> entries;
        for (SafetensorsEntry& entry : contents.entries) {
            std::vector<IValue> shape(entry.shape.begin(), entry.shape.end());
            IValue tensor = entry.is_foreign ? IValue() : IValue(entry.tensor);
            entries.push_back(make_tuple({entry.name, std::move(tensor), entry.type, make_list(std::move(shape))}));
        }
        IValue metadata;
        if (!contents.metadata.empty()) {
            const auto dict = make_dict();
            for (const auto& [name, value] : contents.metadata) dict->set(name, value);
            metadata = dict;
        }
        return make_tuple({make_list(std::move(entries)), std::move(metadata)});
    });
}

// (storage, its bytes, first byte, byte behind the last, are the elements all of the storage)
IValue area(CallArguments arguments) {
    const BoundArguments given(arguments, "_safetensors_area", {"tensor"});
    const Tensor tensor = given[0].to_tensor();
    const MemoryArea place = tensor.is_sparse() ? MemoryArea{} : memory_area(tensor);
    return make_tuple({static_cast<std::int64_t>(place.storage), static_cast<std::int64_t>(place.storage_bytes),
                       static_cast<std::int64_t>(place.begin), static_cast<std::int64_t>(place.end),
                       place.is_complete});
}

}  // namespace

void define_safetensors(PythonModule& module) {
    module.define("_safetensors_write", NativeCallable::Body(write));
    module.define("_safetensors_read", NativeCallable::Body(read));
    module.define("_safetensors_area", NativeCallable::Body(area));
}

}  // namespace loupe::python
