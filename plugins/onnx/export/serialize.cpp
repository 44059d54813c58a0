// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/serialize.h"

#include <array>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "plugins/onnx/proto/data_types.h"
#include "plugins/onnx/proto/onnx.pb.h"
#include "plugins/onnx/proto/tensors.h"

namespace loupe::onnx_export {
namespace {

using namespace onnx::proto;

// Tensors of fewer bytes stay in the model, as the format recommends; larger ones begin on a page, to be mapped.
constexpr std::size_t kFewBytes = 256;
constexpr std::uint64_t kPage = 4096;

// The first IR version whose operators reach the opset.
int ir_version_of(int opset) {
    if (opset <= 11) return 6;
    if (opset <= 14) return 7;
    if (opset <= 18) return 8;
    return opset == 19 ? 9 : 10;
}

class DataFile {
  public:
    DataFile(std::string name, FileTarget target) : name_(std::move(name)), file_(std::move(target)) {}

    void add(const Tensor& tensor, TensorProto& proto) {
        static constexpr std::array<std::byte, kPage> kZeros{};
        if (const std::uint64_t rest = size_ % kPage; rest != 0) write(std::span(kZeros).first(kPage - rest));
        const Tensor packed = fn::contiguous(fn::detach(tensor));
        const auto* bytes = static_cast<const std::byte*>(packed.raw_data());
        const auto entry = [&](const char* key, const std::string& value) {
            auto* added = proto.add_external_data();
            added->set_key(key);
            added->set_value(value);
        };
        entry("location", name_);
        entry("offset", std::to_string(size_));
        entry("length", std::to_string(packed.bytes()));
        proto.set_data_location(TensorProto::EXTERNAL);
        write({bytes, packed.bytes()});
    }
    void commit() { file_.commit(); }

  private:
    void write(std::span<const std::byte> bytes) {
        file_.write(bytes);
        size_ += bytes.size();
    }

    std::string name_;
    AtomicFile file_;
    std::uint64_t size_ = 0;
};

void put_type(const ValueDef& value, TypeProto& type) {
    TypeProto& element = value.is_sequence ? *type.mutable_sequence_type()->mutable_elem_type() : type;
    TypeProto::Tensor& tensor = *element.mutable_tensor_type();
    tensor.set_elem_type(onnx::data_type_of(value.dtype));
    if (!value.dims) return;
    TensorShapeProto& shape = *tensor.mutable_shape();
    for (const DimDef& dim : *value.dims) {
        auto* added = shape.add_dim();
        if (dim.size >= 0)
            added->set_dim_value(dim.size);
        else if (!dim.symbol.empty())
            added->set_dim_param(dim.symbol);
    }
}

void put_value(const ValueDef& value, ValueInfoProto& proto) {
    proto.set_name(value.name);
    put_type(value, *proto.mutable_type());
}

void put_graph(const GraphDef& graph, GraphProto& proto);

struct PutAttribute {
    AttributeProto& proto;

    void operator()(std::int64_t value) const {
        proto.set_type(AttributeProto::INT);
        proto.set_i(value);
    }
    void operator()(double value) const {
        proto.set_type(AttributeProto::FLOAT);
        proto.set_f(static_cast<float>(value));
    }
    void operator()(const std::string& value) const {
        proto.set_type(AttributeProto::STRING);
        proto.set_s(value);
    }
    void operator()(const std::vector<std::int64_t>& values) const {
        proto.set_type(AttributeProto::INTS);
        for (const std::int64_t value : values) proto.add_ints(value);
    }
    void operator()(const std::vector<double>& values) const {
        proto.set_type(AttributeProto::FLOATS);
        for (const double value : values) proto.add_floats(static_cast<float>(value));
    }
    void operator()(const std::vector<std::string>& values) const {
        proto.set_type(AttributeProto::STRINGS);
        for (const std::string& value : values) proto.add_strings(value);
    }
    void operator()(const Tensor& tensor) const {
        proto.set_type(AttributeProto::TENSOR);
        onnx::put_tensor(tensor, "", *proto.mutable_t());
    }
    void operator()(const std::shared_ptr<GraphDef>& graph) const {
        proto.set_type(AttributeProto::GRAPH);
        put_graph(*graph, *proto.mutable_g());
    }
};

void put_node(const NodeDef& node, NodeProto& proto) {
    proto.set_name(node.name);
    proto.set_op_type(node.op_type);
    if (!node.domain.empty()) proto.set_domain(node.domain);
    for (const std::string& input : node.inputs) proto.add_input(input);
    for (const std::string& output : node.outputs) proto.add_output(output);
    for (const Attribute& attribute : node.attributes) {
        AttributeProto& added = *proto.add_attribute();
        added.set_name(attribute.name);
        std::visit(PutAttribute{added}, attribute.value);
    }
    if (!node.metadata) return;
    for (const auto& [key, value] : *node.metadata) {
        auto* added = proto.add_metadata_props();
        added->set_key(key);
        added->set_value(value);
    }
}

void put_graph(const GraphDef& graph, GraphProto& proto) {
    proto.set_name(graph.name);
    for (const ValueDef& input : graph.inputs) put_value(input, *proto.add_input());
    for (const ValueDef& output : graph.outputs) put_value(output, *proto.add_output());
    for (const ValueDef& value : graph.values) put_value(value, *proto.add_value_info());
    for (const NodeDef& node : graph.nodes) put_node(node, *proto.add_node());
}

void put_initializer(const InitializerDef& initializer, TensorProto& proto, DataFile* data) {
    const Tensor& tensor = initializer.tensor;
    if (data == nullptr || tensor.bytes() <= kFewBytes) return onnx::put_tensor(tensor, initializer.name, proto);
    proto.set_name(initializer.name);
    proto.set_data_type(onnx::data_type_of(tensor.dtype()));
    for (const std::int64_t size : tensor.sizes()) proto.add_dims(size);
    data->add(tensor, proto);
}

}  // namespace

void write_model(const ModelDef& model, const WrittenFiles& to, const SerializeOptions& options) {
    ModelProto proto;
    proto.set_ir_version(ir_version_of(model.opset));
    proto.set_producer_name("tensorloupe");
    auto* opset = proto.add_opset_import();
    opset->set_domain("");
    opset->set_version(model.opset);
    put_graph(model.graph, *proto.mutable_graph());
    std::uint64_t total = 0;
    for (const InitializerDef& initializer : model.graph.initializers) total += initializer.tensor.bytes();
    std::optional<DataFile> data;
    const std::string name = to.file.path.filename().string() + ".data";
    if (total > options.most_inline) data.emplace(name, to.beside(name));
    for (const InitializerDef& initializer : model.graph.initializers)
        put_initializer(initializer, *proto.mutable_graph()->add_initializer(), data ? &*data : nullptr);
    std::string bytes;
    if (!proto.SerializeToString(&bytes))
        throw Error(ErrorKind::Unsupported, "a graph of more than 2 GiB", {.file = to.file.path.string()});
    if (data) data->commit();
    AtomicFile file(to.file);
    file.write(bytes);
    file.commit();
}

}  // namespace loupe::onnx_export
