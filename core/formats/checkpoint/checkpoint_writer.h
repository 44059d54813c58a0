// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints as torch.save writes them: archives, and the stream of pickles of PyTorch before 1.6.

#include <filesystem>

#include "core/base/file.h"
#include "core/formats/pickle/pickle_writer.h"

namespace loupe {

class CheckpointPickler;

// The result of Python's __reduce_ex__: callable(*arguments), or an object of the class `callable` without
// __init__, and its state.
struct ReducedObject {
    IValue callable;
    std::vector<IValue> arguments;
    bool is_new = false;  // callable.__new__(callable, *arguments)
    IValue state;         // None: there is none
    std::vector<IValue> elements;
    std::vector<DictObject::Entry> items;
};

// Writer of values that IValue has no type for, and of containers and objects with other classes, by the
// code that owns them.
class OtherValues {
  public:
    virtual ~OtherValues() = default;
    // Writes the value with the pickler; false for ordinary values and for values that cannot be in a checkpoint.
    virtual bool write(const IValue& value, CheckpointPickler& pickler) = 0;
    // A dict that is a collections.OrderedDict, and its state beside its items (None: none).
    virtual bool is_ordered(const DictObject& dict, IValue& state) = 0;
};

// Python's plain values: dicts, lists and tuples without TorchScript's types, and parameters.
class CheckpointPickler final : public PickleWriter {
  public:
    // Plain: a pickle by itself, where each storage is bytes that hold a stream.
    enum class Layout { Archive, Stream, Plain };
    // others: may be null.
    CheckpointPickler(Layout layout, OtherValues* others) : layout_(layout), others_(others) {}

    // For OtherValues: torch.float32, torch.Size((2, 3)), OrderedDict(items) with state, b"..", {..}.
    void write_global(std::string_view module, std::string_view name) { global(module, name); }
    void write_call(std::string_view module, std::string_view name, const std::vector<IValue>& arguments);
    // An object of that class with a state.
    void write_new(std::string_view module, std::string_view name, const IValue& state);
    void write_ordered_dict(const DictObject& entries, const DictObject* state = nullptr);
    void write_bytes(std::string_view bytes);
    void write_set(const std::vector<IValue>& values);
    // The object may refer to itself. Its parts must live until the pickle is finished.
    void write_object(const IValue& object, const ReducedObject& parts);
    // A tensor without a shape yet: torch.nn.parameter.UninitializedParameter.
    void write_uninitialized(const Tensor& tensor);

    // The element type of a storage's tensors; one per storage, as in PyTorch.
    ScalarType dtype_of(const Storage& storage) const { return dtypes_.at(&storage); }

  protected:
    void storage(const Tensor& tensor) override;
    bool has_typed_storage(ScalarType dtype) const override;
    void tensor(const Tensor& tensor) override;
    void list(const ListObject& list) override;
    void dict(const DictObject& dict) override;
    void tuple_object(const TupleObject& tuple) override;
    void object(const Object& object) override;
    void other(const IValue& value) override;

  private:
    bool is_other(const IValue& value);
    void storage_bytes_of(const Tensor& tensor);
    void storage_id(const Tensor& tensor, std::size_t number);
    void sparse_tensor(const Tensor& tensor);
    void compressed_tensor(const Tensor& tensor);
    void size(const std::vector<IValue>& sizes);

    Layout layout_;
    OtherValues* others_;
    std::unordered_map<const Storage*, ScalarType> dtypes_;
};

struct CheckpointOptions {
    bool is_stream = false;  // _use_new_zipfile_serialization=False
    OtherValues* others = nullptr;
};

// Each storage is written once, without a copy. No partial file is left. Throws Error (File) when the path cannot be
// written, Error (Unsupported) for values that a checkpoint cannot hold.
void write_checkpoint(const IValue& value, const FileTarget& target, const CheckpointOptions& options = {});

// The value as pickle.dumps writes it, with tensors in it.
std::string pickle_value(const IValue& value, OtherValues* others);

}  // namespace loupe
