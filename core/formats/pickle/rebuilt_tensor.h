// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor out of a pickle, and where its elements are.
#include <cstdint>
#include <string>

#include "core/formats/pickle/pickle_reader.h"
#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe {

// Where a pickle's storages are. The same key gives the same Storage, so that aliases stay aliases.
class StorageSource {
  public:
    virtual ~StorageSource() = default;
    // At least `bytes` bytes, aligned for elements of the type. Throws Error (File) when the file has less.
    virtual Ptr<Storage> open(const std::string& key, ScalarType dtype, std::uint64_t bytes) = 0;
    // The storage in a stream of torch.save (Tensor's own pickle holds it so), by the place of its bytes. Throws Error
    // (Unsupported) where such are not expected.
    virtual Ptr<Storage> open_bytes(PickleRef call, ScalarType& dtype);
    // What a persistent id stands for where a value is expected. Throws Error (Unsupported): a bare storage is no value.
    virtual IValue load(const PickleNode& persistent);
};

struct RebuiltTensor {
    Tensor tensor;
    bool requires_grad = false;
    // Not empty: what the file has and the engine does not hold, "sparse_csr tensor of 3 entries"; `tensor` stands for it.
    std::string kind;
    std::string hint;  // how to save it so that it can be read as what it is
};

}  // namespace loupe
