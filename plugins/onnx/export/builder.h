// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes nodes of an ONNX graph, each in the form that the opset asks for. Rules write with it.

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugins/onnx/export/onnx_graph.h"

namespace loupe::onnx_export {

// A value of the ONNX graph.
struct OnnxValue {
    std::string name = {};  // empty: a constant that no node has read yet, or an optional input that is left out
    ScalarType dtype = ScalarType::Float32;
    std::optional<Dims> sizes = {};  // -1: not the same in every run; nullopt: not even their number is known
    Tensor constant = {};            // its elements, where they are known
    bool is_sequence = false;

    bool is_absent() const { return name.empty() && !constant.defined(); }
    bool is_static() const;  // every size is known
};
using OnnxValues = std::vector<OnnxValue>;

[[noreturn]] void unsupported(const std::string& what);

class Builder {
  public:
    explicit Builder(int opset) : opset_(opset) {}

    int opset() const { return opset_; }

    // ---- graphs: one is open at a time, those around it wait
    void open_graph(std::string name);
    GraphDef close_graph();
    std::size_t depth() const { return graphs_.size(); }
    GraphDef& graph() { return graphs_.back(); }

    // ---- names
    // Module path and metadata of the nodes from now on.
    void set_place(std::string scope, std::shared_ptr<const Metadata> metadata);
    std::string unique(const std::string& wanted);
    // Parameters and buffers keep their names: constants that are these elements get them.
    void name_tensor(const Tensor& tensor, const std::string& name);
    // The name under which nodes read it: of a constant its initializer's.
    std::string read(const OnnxValue& value);
    std::vector<InitializerDef> take_initializers() { return std::move(initializers_); }

    // ---- nodes
    // The result has the dtype and sizes that are given.
    OnnxValue emit(std::string_view op_type, std::initializer_list<OnnxValue> inputs, Attributes attributes,
                   ScalarType dtype, std::optional<Dims> sizes = std::nullopt);
    OnnxValue emit(std::string_view op_type, const OnnxValues& inputs, Attributes attributes, ScalarType dtype,
                   std::optional<Dims> sizes = std::nullopt);
    // The result has the first input's dtype and sizes.
    OnnxValue map(std::string_view op_type, std::initializer_list<OnnxValue> inputs, Attributes attributes = {});
    OnnxValues emit_many(std::string_view op_type, const OnnxValues& inputs, Attributes attributes,
                         const std::vector<ScalarType>& dtypes, std::string_view domain = {});

    // ---- constants
    OnnxValue constant(const Tensor& tensor) const;
    OnnxValue ints(IntSpan values) const;  // one dimension
    OnnxValue ints(std::initializer_list<std::int64_t> values) const {
        return ints(IntSpan(values.begin(), values.size()));
    }
    OnnxValue number(const Scalar& value, ScalarType dtype) const;  // no dimension

    // ---- what most rules need; constants are computed at once
    OnnxValue cast(const OnnxValue& x, ScalarType dtype);
    OnnxValue reshape(const OnnxValue& x, IntSpan sizes);
    OnnxValue reshape(const OnnxValue& x, const OnnxValue& sizes, std::optional<Dims> known = std::nullopt);
    // 0 stands for the size that x has there.
    OnnxValue reshape_keeping(const OnnxValue& x, IntSpan sizes, Dims known);
    OnnxValue transpose(const OnnxValue& x, IntSpan order);
    OnnxValue swap(const OnnxValue& x, std::int64_t a, std::int64_t b);
    OnnxValue unsqueeze(const OnnxValue& x, std::initializer_list<std::int64_t> axes);
    OnnxValue unsqueeze(const OnnxValue& x, IntSpan axes);
    OnnxValue squeeze(const OnnxValue& x, IntSpan axes);
    OnnxValue expand(const OnnxValue& x, const OnnxValue& sizes, std::optional<Dims> known = std::nullopt);
    OnnxValue joined(const OnnxValues& parts, std::int64_t axis);
    OnnxValue slice(const OnnxValue& x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step = 1);
    OnnxValue slice(const OnnxValue& x, const OnnxValue& starts, const OnnxValue& ends, const OnnxValue& axes,
                    const OnnxValue& steps);
    OnnxValue gather(const OnnxValue& x, const OnnxValue& indices, std::int64_t axis);
    OnnxValue shape(const OnnxValue& x);                   // int64, one dimension
    OnnxValue size(const OnnxValue& x, std::int64_t dim);  // int64, one dimension of one element
    OnnxValue where(const OnnxValue& condition, const OnnxValue& a, const OnnxValue& b);
    // Both of the dtype of a, with the sizes that broadcasting gives.
    OnnxValue binary(std::string_view op_type, const OnnxValue& a, const OnnxValue& b);
    OnnxValue compare(std::string_view op_type, const OnnxValue& a, const OnnxValue& b);
    // axes empty: all. op_type: "ReduceSum", "ReduceMean", ...
    OnnxValue reduce(std::string_view op_type, const OnnxValue& x, IntSpan axes, bool keeps);
    // int64 0, 1, ... of one dimension up to a number of one element.
    OnnxValue range(const OnnxValue& count);

    std::int64_t rank(const OnnxValue& x) const;  // throws Error (Unsupported) when it is not known
    std::int64_t axis(const OnnxValue& x, std::int64_t dim) const { return wrap_dim(dim, rank(x)); }

  private:
    std::string node_name(std::string_view op_type);
    std::string initializer(const Tensor& tensor);

    int opset_;
    std::vector<GraphDef> graphs_;
    std::string scope_;
    std::shared_ptr<const Metadata> metadata_;
    std::unordered_set<std::string> names_;
    std::unordered_map<std::string, std::size_t> next_suffix_;
    std::map<std::string, std::string> tensor_names_;  // by what place_key says of the elements
    std::map<std::string, std::string> initializer_names_;
    std::vector<InitializerDef> initializers_;
};

// Broadcast sizes; -1 where they are not known.
std::optional<Dims> broadcast_sizes(const std::optional<Dims>& a, const std::optional<Dims>& b);

}  // namespace loupe::onnx_export
