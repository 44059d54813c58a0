// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values as PyTorch pickles them, protocol 2: what TorchScript archives and torch.save's hold.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/io/npy.h"
#include "core/value/ivalue.h"

namespace loupe {

// One pickle and the storages that it refers to by number. What is shared among its values is written once.
class PickleWriter {
  public:
    PickleWriter();

    // Containers carry their types, as in TorchScript archives. Throws Error (Unsupported) for what cannot be pickled.
    void value(const IValue& value);
    // An OrderedDict, as Python's state_dict() is.
    void state_dict(const NamedTensors& tensors);
    // Ends the pickle; nothing may be added.
    const std::string& finish();

    // Entry "N" of the folder beside the pickle.
    const std::vector<Ptr<Storage>>& storages() const { return storages_; }

  private:
    void op(char code) { out_ += code; }
    void global(std::string_view module, std::string_view name);
    void string(std::string_view text);
    void integer(std::int64_t value);
    void floating(double value);
    void boolean(bool value) { op(value ? '\x88' : '\x89'); }
    void tensor(const Tensor& tensor);
    void storage(const Tensor& tensor);
    void dims(IntSpan values);
    void elements(const std::vector<IValue>& values);
    void list(const ListObject& list);
    void tuple(const std::vector<IValue>& values);
    void dict(const DictObject& dict);
    void object(const Object& object);
    void counted(const IValue& value);
    void named(std::string_view qualified_name);

    std::string out_;
    std::unordered_map<const void*, std::uint32_t> memo_;
    std::vector<Ptr<Storage>> storages_;
    std::unordered_map<const Storage*, std::size_t> storage_numbers_;
    std::vector<IValue> kept_;  // results of __getstate__: an address in the memo must not be used again
};

}  // namespace loupe
