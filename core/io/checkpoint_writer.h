// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checkpoints as torch.save writes them: archives, and the stream of pickles of PyTorch before 1.6.

#include <filesystem>

#include "core/io/pickle_writer.h"

namespace loupe {

class CheckpointPickler;

// Values that are no kind of IValue: what whoever keeps them writes for them.
class OtherValues {
  public:
    virtual ~OtherValues() = default;
    // Writes the value with the pickler, or returns false when it cannot be in a checkpoint.
    virtual bool write(const IValue& value, CheckpointPickler& pickler) = 0;
    // A dict that is a collections.OrderedDict, and what it carries beside its items (None: nothing).
    virtual bool is_ordered(const DictObject& dict, IValue& state) = 0;
};

// Python's plain values: dicts, lists and tuples without TorchScript's types, parameters as such.
class CheckpointPickler final : public PickleWriter {
  public:
    enum class Layout { Archive, Stream };
    // others: may be null.
    CheckpointPickler(Layout layout, OtherValues* others) : layout_(layout), others_(others) {}

    // For OtherValues: torch.float32, torch.Size((2, 3)), OrderedDict(items) with state, b"..", {..}.
    void write_global(std::string_view module, std::string_view name) { global(module, name); }
    void write_call(std::string_view module, std::string_view name, const std::vector<IValue>& arguments);
    void write_ordered_dict(const DictObject& entries, const DictObject* state = nullptr);
    void write_bytes(std::string_view bytes);
    void write_set(const std::vector<IValue>& values);

    // Of the storage: which type its tensors have; one storage has one, as in PyTorch.
    ScalarType dtype_of(const Storage& storage) const { return dtypes_.at(&storage); }

  protected:
    void storage(const Tensor& tensor) override;
    void tensor(const Tensor& tensor) override;
    void list(const ListObject& list) override;
    void dict(const DictObject& dict) override;
    void tuple_object(const TupleObject& tuple) override;
    void object(const Object& object) override;
    void other(const IValue& value) override;

  private:
    void sparse_tensor(const Tensor& tensor);
    void size(const std::vector<IValue>& sizes);

    Layout layout_;
    OtherValues* others_;
    std::unordered_map<const Storage*, ScalarType> dtypes_;
};

struct CheckpointOptions {
    bool is_stream = false;          // _use_new_zipfile_serialization=False
    OtherValues* others = nullptr;
};

// Storages are written from where they are, each once. Nothing partial is left. Throws Error (File) when the place cannot
// be written, Error (Unsupported) for values that a checkpoint cannot hold.
void write_checkpoint(const IValue& value, const std::filesystem::path& path, const CheckpointOptions& options = {});

}  // namespace loupe
