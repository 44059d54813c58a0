// SPDX-License-Identifier: Apache-2.0
#pragma once
// An ONNX model as values, before it becomes protobuf: rules and the exporter need no generated header.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::onnx_export {

struct GraphDef;

struct Attribute {
    std::string name;
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<std::string>, Tensor, std::shared_ptr<GraphDef>>
        value;
};
using Attributes = std::vector<Attribute>;

// A size, or the name of one that differs between runs; neither: unknown.
struct DimDef {
    std::int64_t size = -1;
    std::string symbol = {};
};

struct ValueDef {
    std::string name;
    ScalarType dtype = ScalarType::Float32;
    std::optional<std::vector<DimDef>> dims = {};
    bool is_sequence = false;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct NodeDef {
    std::string op_type;
    std::string domain;
    std::string name;
    std::vector<std::string> inputs;  // "": an optional input that is left out
    std::vector<std::string> outputs;
    Attributes attributes;
    std::shared_ptr<const Metadata> metadata;
};

struct InitializerDef {
    std::string name;
    Tensor tensor;
};

struct GraphDef {
    std::string name;
    std::vector<ValueDef> inputs;
    std::vector<ValueDef> outputs;
    std::vector<NodeDef> nodes;
    std::vector<ValueDef> values;              // of the nodes between
    std::vector<InitializerDef> initializers;  // of the outermost graph alone
};

struct ModelDef {
    GraphDef graph;
    int opset = 0;
    std::string producer_version;
    std::vector<std::string> domains;  // others than ONNX's own
};

}  // namespace loupe::onnx_export
