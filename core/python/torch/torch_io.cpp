// SPDX-License-Identifier: Apache-2.0
// torch.save and torch.load: the values of programs in checkpoints, as PyTorch pickles them.

#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/nn/module.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/stream.h"
#include "core/python/torch/pickling.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

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

// Everything is read onto the CPU, and stays there where a function or a dict of places says what goes where.
Device mapped_device(const IValue& map_location) {
    const bool is_device = map_location.is_device() || map_location.is_string() || map_location.is_int();
    const Device device = is_device ? device_of(map_location) : Device{};
    if (device.type == DeviceType::Cuda && device_interface(DeviceType::Cuda) == nullptr)
        throw_error("RuntimeError",
                    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you "
                    "are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to "
                    "map your storages to the CPU.");
    return device_interface(device.type) != nullptr ? device : Device{};
}

// In place; tensors that share memory share it there.
class Loaded {
  public:
    explicit Loaded(Device device) : device_(device) {}

    void move(const Tensor& t) {
        if (!t.defined() || t.is_sparse() || !t.device().is_cpu()) return;
        Ptr<Storage>& there = storages_[t.storage().get()];
        if (there == nullptr) {
            there = Storage::allocate(t.storage()->bytes(), device_);
            copy_bytes(*there, 0, *t.storage(), 0, t.storage()->bytes());
            kept_.push_back(t.storage());
        }
        Ptr<TensorImpl> impl(new TensorImpl);
        impl->storage = there;
        impl->offset = t.storage_offset();
        impl->dtype = t.dtype();
        impl->set_sizes_strides(t.sizes(), t.strides());
        t.set_metadata_from(Tensor(std::move(impl)));
    }

  private:
    Device device_;
    std::unordered_map<const Storage*, Ptr<Storage>> storages_;
    std::vector<Ptr<Storage>> kept_;  // their addresses name them
};

void move_loaded(const IValue& value, Device device) {
    Loaded loaded(device);
    visit_tensors(value, [&](const Tensor& t) { loaded.move(t); });
    if (auto* module = value.is_object() ? dynamic_cast<nn::Module*>(value.object_pointer()) : nullptr)
        module->to({.device = device});
}

IValue load(CallArguments arguments) {
    const BoundArguments given(arguments, "load", {"f", "map_location=", "pickle_module=", "*", "weights_only="});
    const Ptr<MappedFile> file = file_to_read(given[0]);
    return with_python_errors([&] {
        PythonUnpickler classes;
        IValue value = read_checkpoint(file, classes);
        if (const Device device = mapped_device(given.has(1) ? given[1] : IValue()); !device.is_cpu())
            move_loaded(value, device);
        return value;
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
