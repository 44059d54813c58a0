// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorProto to tensors and back.

#include <filesystem>
#include <map>
#include <string>

#include "core/base/file.h"
#include "core/tensor/tensor.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

// The files beside a model that hold its tensors. A path that leaves the model's folder is refused.
class ExternalFiles {
  public:
    // model: the file that names them. Empty: there are none.
    explicit ExternalFiles(std::filesystem::path model) : model_(std::move(model)) {}

    // The bytes that the tensor's external_data names; what owns them. Throws Error (File).
    struct Part {
        std::span<std::byte> bytes;
        Ptr<MappedFile> file;
    };
    Part part(const proto::TensorProto& tensor);
    bool is_used() const { return !files_.empty(); }

  private:
    const Ptr<MappedFile>& open(const std::string& location);

    std::filesystem::path model_;
    std::map<std::string, Ptr<MappedFile>> files_;
};

// The tensor's values, in the current memory category. Types that the engine lacks are held in wider ones
// (data_types.h). Large raw data moves out of the message and is not copied. Throws Error (File) for a count or size
// that does not fit, Error (Unsupported) for strings and unknown types.
Tensor take_tensor(proto::TensorProto& tensor, ExternalFiles& files);
// Strings, of any shape.
bool is_string_tensor(const proto::TensorProto& tensor);
// A sparse tensor's values, dense.
Tensor take_sparse_tensor(proto::SparseTensorProto& tensor, ExternalFiles& files);

// As raw data. The dtype must be one of ONNX's: data_type_of.
void put_tensor(const Tensor& tensor, const std::string& name, proto::TensorProto& into);

}  // namespace loupe::onnx
