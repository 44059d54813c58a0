// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values as PyTorch pickles them, protocol 2, in TorchScript archives and files of torch.save.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/numpy/npy.h"
#include "core/tensor/packed.h"
#include "core/value/ivalue.h"

namespace loupe {

// One pickle and the storages that it refers to by number. Shared values are written once.
class PickleWriter {
  public:
    PickleWriter();
    PickleWriter(const PickleWriter&) = delete;
    PickleWriter& operator=(const PickleWriter&) = delete;
    virtual ~PickleWriter() = default;

    // Containers have types, as in TorchScript archives. Throws Error (Unsupported) for values that cannot be pickled.
    void value(const IValue& value);
    // An OrderedDict, as Python's state_dict() is.
    void state_dict(const NamedTensors& tensors);
    // Ends the pickle; no more values may be added.
    const std::string& finish();

    // Entry "N" of the folder beside the pickle.
    const std::vector<Ptr<Storage>>& storages() const { return storages_; }
    std::uint64_t storage_bytes() const;

  protected:
    // How values are written that differ between archives of programs and checkpoints.
    virtual void storage(const Tensor& tensor);
    virtual void tensor(const Tensor& tensor);
    virtual void list(const ListObject& list);
    virtual void dict(const DictObject& dict);
    virtual void tuple_object(const TupleObject& tuple);
    virtual void object(const Object& object);
    // Throws Error (Unsupported).
    virtual void other(const IValue& value);

    void op(char code) { out_ += code; }
    void ops(std::string_view codes) { out_ += codes; }
    void global(std::string_view module, std::string_view name);
    void string(std::string_view text);
    void integer(std::int64_t value);
    void floating(double value);
    void boolean(bool value) { op(value ? '\x88' : '\x89'); }
    void dims(IntSpan values);
    void elements(const std::vector<IValue>& values);
    void tuple(const std::vector<IValue>& values);
    void items(const DictObject& dict);  // (key value key value u
    void named(std::string_view qualified_name);
    // Has the reader a class for a storage of these elements? Otherwise the tensor names its dtype.
    virtual bool has_typed_storage(ScalarType dtype) const;
    // _rebuild_tensor_v2, or _v3, and its arguments.
    void plain_tensor(const Tensor& tensor, bool requires_grad);
    // The number of the storage, which is kept alive.
    std::size_t number_of(const Ptr<Storage>& storage);
    UnpackedOnce unpacked_;
    // Memoises the last value under that address, for values that refer to themselves.
    void memoize(const void* address);
    // Writes a reference to the memoised value; false when there is none.
    bool recall(const void* address);

  private:
    void counted(const IValue& value);

    std::string out_;
    bool is_state_dict_ = false;  // torch.load reads it, not torch.jit.load
    int depth_ = 0;
    std::unordered_map<const void*, std::uint32_t> memo_;
    std::vector<Ptr<Storage>> storages_;
    std::unordered_map<const Storage*, std::size_t> storage_numbers_;
    std::vector<IValue> kept_;  // results of __getstate__: an address in the memo must not be used again
};

}  // namespace loupe
