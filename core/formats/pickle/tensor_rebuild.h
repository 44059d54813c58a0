// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors out of pickles: torch._utils._rebuild_tensor_v2 and its kin.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/formats/archive/zip_reader.h"
#include "core/formats/pickle/rebuilt_tensor.h"
#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe {

// Entries of an archive, "FOLDER/KEY": viewed in place when stored, which is usual.
class ArchiveStorages final : public StorageSource {
  public:
    // The archive must outlive this object, not the storages. folder: "resnet/data".
    ArchiveStorages(const ZipReader& archive, std::string folder) : archive_(archive), folder_(std::move(folder)) {}
    Ptr<Storage> open(const std::string& key, ScalarType dtype, std::uint64_t bytes) override;

  private:
    struct Opened {
        Ptr<Storage> storage;
        bool holds_bools = false;
    };
    Ptr<Storage> read_entry(const std::string& key) const;

    const ZipReader& archive_;
    std::string folder_;
    std::unordered_map<std::string, Opened> opened_;
};

// Is the pickle a call that makes a tensor?
bool is_tensor_call(const PickleNode& node);
// The tensor of that call, always on the CPU. Throws Error (File) when the tensor would leave its storage
// or the arguments are wrong, Error (Unsupported) for tensors without a replacement.
RebuiltTensor rebuild_tensor(const PickleNode& node, StorageSource& storages);
// The same of a function's name and its arguments.
RebuiltTensor rebuild_tensor(std::string_view function, const PickleNode::Elements& args, StorageSource& storages);
// Of (storage, offset, size, stride); dtype: of untyped storages, else null.
Tensor rebuild_dense(const PickleNode::Elements& args, const PickleNode* dtype, StorageSource& storages);

// "torch.FloatStorage": PyTorch's class of storages of the type. Python has none for complex32, for unsigned integers
// above eight bits and for floats of eight bits; TorchScript names them all.
std::string storage_type_name(ScalarType dtype);
bool has_python_storage(ScalarType dtype);
// The class of the others.
inline constexpr std::string_view kUntypedStorage = "torch.storage.UntypedStorage";
std::optional<ScalarType> storage_dtype(std::string_view type_name);

// A persistent id of a storage: ('storage', torch.FloatStorage, '0', 'cpu', 256).
struct StorageId {
    ScalarType dtype = ScalarType::Float32;
    std::string quantised{};  // "quint8" where dtype is the type of the raw elements
    bool is_typed = true;     // false: the tensor has the type, the size is in bytes
    std::string key;
    std::uint64_t numel = 0;
    PickleRef view = nullptr;  // of old files: (key, offset, numel) of a part, else null
};
StorageId parse_storage_id(const PickleNode& persistent);

}  // namespace loupe
