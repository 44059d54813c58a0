// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor out of a pickle, and where its elements are.
#include <cstdint>
#include <string>

#include "core/formats/pickle/pickle_reader.h"
#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe {

// Source of a pickle's storages. Equal keys give the same Storage, so that aliasing is preserved.
class StorageSource {
  public:
    virtual ~StorageSource() = default;
    // At least `bytes` bytes, aligned for elements of the type. Throws Error (File) when the file has less.
    virtual Ptr<Storage> open(const std::string& key, ScalarType dtype, std::uint64_t bytes) = 0;
    // The storage in a stream of torch.save (as in Tensor's own pickle), by the offset of its bytes. Throws Error
    // (Unsupported) where these are not expected.
    virtual Ptr<Storage> open_bytes(PickleRef call, ScalarType& dtype);
    // The value of a persistent id where a value is expected. Throws Error (Unsupported): a bare storage is no value.
    virtual IValue load(const PickleNode& persistent);
};

struct RebuiltTensor {
    Tensor tensor;
    bool requires_grad = false;
    // Not empty: the kind in the file, "sparse_csr tensor of 3 entries", which `tensor` replaces for readers of plain
    // weights.
    std::string kind;
    std::string hint;   // how to save it in a plain form
    Tensor exact = {};  // what is in the file, where the engine has that kind
};

}  // namespace loupe
