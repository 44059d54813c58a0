// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/builder.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::onnx_export {
namespace {

// Which elements a tensor is, so that one that is read twice becomes one initializer.
std::string place_key(const Tensor& t) {
    return concat(reinterpret_cast<std::uintptr_t>(t.address()), "/", static_cast<int>(t.dtype()), "/",
                  shape_text(t.sizes()), "/", shape_list_text(t.strides()));
}

// Small constants (sizes, axes, numbers) are one initializer where they are equal.
constexpr std::int64_t kFewElements = 16;

std::string content_key(const Tensor& t) {
    const Tensor dense = t.is_contiguous() ? t : fn::contiguous(t, std::int64_t{0});
    return concat("=", static_cast<int>(t.dtype()), "/", shape_text(t.sizes()), "/",
                  std::string(static_cast<const char*>(dense.raw_data()), dense.bytes()));
}

std::string path_text(const std::string& scope) {
    std::string out = "/";
    std::string before;
    for (const std::string_view part : split(scope, '.')) {
        if (part.empty()) continue;
        const bool is_index = std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
        out += is_index && !before.empty() ? concat(before, ".", part, "/") : concat(part, "/");
        before = part;
    }
    return out;
}

}  // namespace

bool OnnxValue::is_static() const {
    return sizes && std::all_of(sizes->begin(), sizes->end(), [](std::int64_t size) { return size >= 0; });
}

void unsupported(const std::string& what) { throw Error(ErrorKind::Unsupported, what); }

void Builder::open_graph(std::string name) {
    graphs_.emplace_back();
    graphs_.back().name = std::move(name);
}

GraphDef Builder::close_graph() {
    GraphDef closed = std::move(graphs_.back());
    graphs_.pop_back();
    return closed;
}

void Builder::set_place(std::string scope, std::shared_ptr<const Metadata> metadata) {
    scope_ = std::move(scope);
    metadata_ = std::move(metadata);
}

std::string Builder::unique(const std::string& wanted) {
    if (names_.insert(wanted).second) return wanted;
    for (std::size_t& next = next_suffix_[wanted];;) {
        std::string name = concat(wanted, "_", ++next);
        if (names_.insert(name).second) return name;
    }
}

std::string Builder::node_name(std::string_view op_type) { return unique(concat(path_text(scope_), op_type)); }

void Builder::name_tensor(const Tensor& tensor, const std::string& name) {
    if (tensor.numel() > 0) tensor_names_.try_emplace(place_key(tensor), name);
}

std::string Builder::initializer(const Tensor& tensor) {
    const bool has_place = tensor.numel() > 0;
    const std::string place = place_key(tensor);
    const auto named = has_place ? tensor_names_.find(place) : tensor_names_.end();
    const bool is_named = named != tensor_names_.end();
    const std::string key = is_named || tensor.numel() > kFewElements ? place : content_key(tensor);
    if (const auto known = initializer_names_.find(key); known != initializer_names_.end()) return known->second;
    const std::string name = unique(is_named ? named->second : concat(path_text(scope_), "Constant"));
    initializers_.push_back({name, tensor});
    initializer_names_.emplace(key, name);
    return name;
}

std::string Builder::read(const OnnxValue& value) {
    if (!value.name.empty() || !value.constant.defined()) return value.name;
    return initializer(value.constant);
}

OnnxValues Builder::emit_many(std::string_view op_type, const OnnxValues& inputs, Attributes attributes,
                              const std::vector<ScalarType>& dtypes, std::string_view domain) {
    NodeDef node;
    node.op_type = op_type;
    node.domain = domain;
    node.name = node_name(op_type);
    for (const OnnxValue& input : inputs) node.inputs.push_back(read(input));
    while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
    OnnxValues results;
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
        results.push_back({.name = unique(concat(node.name, "_output_", i)), .dtype = dtypes[i]});
        node.outputs.push_back(results.back().name);
    }
    node.attributes = std::move(attributes);
    node.metadata = metadata_;
    graph().nodes.push_back(std::move(node));
    return results;
}

OnnxValue Builder::emit(std::string_view op_type, const OnnxValues& inputs, Attributes attributes, ScalarType dtype,
                        std::optional<Dims> sizes) {
    OnnxValue result = emit_many(op_type, inputs, std::move(attributes), {dtype})[0];
    result.sizes = std::move(sizes);
    return result;
}

OnnxValue Builder::emit(std::string_view op_type, std::initializer_list<OnnxValue> inputs, Attributes attributes,
                        ScalarType dtype, std::optional<Dims> sizes) {
    return emit(op_type, OnnxValues(inputs), std::move(attributes), dtype, std::move(sizes));
}

OnnxValue Builder::map(std::string_view op_type, std::initializer_list<OnnxValue> inputs, Attributes attributes) {
    const OnnxValue& first = *inputs.begin();
    return emit(op_type, inputs, std::move(attributes), first.dtype, first.sizes);
}

OnnxValue Builder::constant(const Tensor& tensor) const {
    return {.dtype = tensor.dtype(), .sizes = to_dims(tensor.sizes()), .constant = tensor};
}

OnnxValue Builder::ints(IntSpan values) const {
    const std::array<std::int64_t, 1> sizes{static_cast<std::int64_t>(values.size())};
    return constant(tensor_of(values, IntSpan(sizes)));
}

OnnxValue Builder::number(const Scalar& value, ScalarType dtype) const { return constant(scalar_tensor(value, dtype)); }

std::int64_t Builder::rank(const OnnxValue& x) const {
    if (!x.sizes) unsupported("the number of dimensions of a tensor is not known");
    return static_cast<std::int64_t>(x.sizes->size());
}

std::optional<Dims> broadcast_sizes(const std::optional<Dims>& a, const std::optional<Dims>& b) {
    if (!a || !b) return std::nullopt;
    const Dims& longer = a->size() >= b->size() ? *a : *b;
    const Dims& shorter = a->size() >= b->size() ? *b : *a;
    Dims out = longer;
    const std::size_t offset = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& size = out[offset + i];
        if (size == 1)
            size = shorter[i];
        else if (size < 0 && shorter[i] > 1)
            size = shorter[i];
    }
    return out;
}

}  // namespace loupe::onnx_export
