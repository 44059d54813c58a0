// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX that are one operator of PyTorch.
#include <algorithm>
#include <array>

#include "core/passes/graph_tools.h"
#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/passes/rewriter.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx {
namespace {

using ir::Node;
using ir::Value;

// The name of an operator as a template argument.
template <std::size_t N>
struct Name {
    char text[N]{};
    constexpr Name(const char (&given)[N]) { std::copy_n(given, N, text); }
};

template <Name kName>
Value* same(const Rewriter& r, Node* node) {
    return r.call(kName.text, Values(node->inputs().begin(), node->inputs().end()));
}

bool is_floating_value(const Rewriter& r, const Value* value) {
    const auto dtype = r.dtype_of(value);
    return dtype && is_floating(*dtype);
}
bool is_scalar(const Rewriter& r, const Value* value) { return r.rank_of(value) == 0; }

// With a constant number the form that takes one, where the dtype does not depend on it.
template <Name kTensors, Name kNumber>
Value* with_number(const Rewriter& r, Node* node) {
    Value *a = node->input(0), *b = node->input(1);
    const auto number = is_scalar(r, b) ? r.number_of(b) : std::nullopt;
    if (number && is_floating_value(r, b)) return r.call(kNumber.text, {a, r.constant(IValue(*number))});
    return r.call(kTensors.text, {a, b});
}
Value* divided(const Rewriter& r, Node* node) {
    if (!is_floating_value(r, node->input(0)) && !is_floating_value(r, node->input(1))) return nullptr;
    return with_number<"aten::div.Tensor", "aten::div.Scalar">(r, node);
}
Value* multiplied(const Rewriter& r, Node* node) {
    if (is_scalar(r, node->input(0)) && !is_scalar(r, node->input(1)) && r.number_of(node->input(0)) &&
        is_floating_value(r, node->input(0)))
        return r.call("aten::mul.Scalar", {node->input(1), r.constant(IValue(*r.number_of(node->input(0))))});
    return with_number<"aten::mul.Tensor", "aten::mul.Scalar">(r, node);
}
Value* added(const Rewriter& r, Node* node) {
    if (is_scalar(r, node->input(0)) && !is_scalar(r, node->input(1)) && r.number_of(node->input(0)) &&
        is_floating_value(r, node->input(0)))
        return r.call("aten::add.Scalar", {node->input(1), r.constant(IValue(*r.number_of(node->input(0))))});
    return with_number<"aten::add.Tensor", "aten::add.Scalar">(r, node);
}
Value* raised(const Rewriter& r, Node* node) {
    const auto number = is_scalar(r, node->input(1)) ? r.number_of(node->input(1)) : std::nullopt;
    if (!number || !is_floating_value(r, node->input(0))) return nullptr;
    return r.call("aten::pow.Tensor_Scalar", {node->input(0), r.constant(IValue(*number))});
}
template <Name kName>
Value* of_two(const Rewriter& r, Node* node) {
    const Node* list = node->input(0)->node();
    if (list->kind() != ir::prim::ListConstruct || list->inputs().size() != 2) return nullptr;
    return r.call(kName.text, {list->input(0), list->input(1)});
}

// Along one dimension; the forms before opset 13 flattened the rest.
template <Name kName>
Value* softmax(const Rewriter& r, Node* node) {
    const auto axis = Rewriter::whole_number(node, "axis");
    if (!axis) return nullptr;
    const bool is_new = node->op()->full_name.ends_with(".v13");
    const auto rank = r.rank_of(node->input(0));
    if (!is_new && !(rank && wrap_dim(*axis, *rank) == *rank - 1)) return nullptr;
    return r.call(kName.text, {node->input(0), r.constant(IValue(*axis))});
}
Value* leaky_relu(const Rewriter& r, Node* node) {
    return r.call("aten::leaky_relu", {node->input(0), node->named_input("alpha")});
}
Value* elu(const Rewriter& r, Node* node) { return r.call("aten::elu", {node->input(0), node->named_input("alpha")}); }
Value* gelu(const Rewriter& r, Node* node) {
    return r.call("aten::gelu", {node->input(0), node->named_input("approximate")});
}
Value* hard_sigmoid(const Rewriter& r, Node* node) {
    const auto alpha = passes::constant_number(node->named_input("alpha"));
    const auto beta = passes::constant_number(node->named_input("beta"));
    const bool is_torch = alpha && beta && std::abs(*alpha - 1.0 / 6) < 1e-6 && *beta == 0.5;
    return is_torch ? r.call("aten::hardsigmoid", {node->input(0)}) : nullptr;
}
Value* clip(const Rewriter& r, Node* node) {
    const auto limit = [&](const char* name) -> std::optional<Value*> {
        if (Rewriter::is_none(node, name)) return r.constant(IValue());
        const auto number = r.number_of(node->named_input(name));
        if (!number || !is_floating_value(r, node->named_input(name))) return std::nullopt;
        return r.constant(IValue(*number));
    };
    const auto low = limit("min"), high = limit("max");
    if (!low || !high) return nullptr;
    if (passes::constant_number(*low) == 0.0 && passes::constant_number(*high) == 6.0)
        return r.call("aten::relu6", {node->input(0)});
    return r.call("aten::clamp", {node->input(0), *low, *high});
}

// --- layers ---

// A weight that the exporter transposed is shown as what it was transposed from.
Value* transposed(const Rewriter& r, Value* weight) { return r.call("aten::t", {weight}); }

Value* gemm(const Rewriter& r, Node* node) {
    const auto alpha = passes::constant_number(node->named_input("alpha"));
    const auto beta = passes::constant_number(node->named_input("beta"));
    const auto turned_a = Rewriter::whole_number(node, "transA"), turned_b = Rewriter::whole_number(node, "transB");
    if (!alpha || !beta || !turned_a || !turned_b) return nullptr;
    Value *a = node->input(0), *b = node->input(1), *c = node->input(2);
    const bool has_bias = !ir::is_none_constant(c);
    const bool is_layer = *alpha == 1 && (*beta == 1 || !has_bias) && *turned_a == 0 && r.tensor_of(b) &&
                          (!has_bias || r.rank_of(c) == 1);
    if (is_layer) return r.call("aten::linear", {a, *turned_b != 0 ? b : transposed(r, b), c});
    if (!has_bias) return nullptr;
    if (*turned_a != 0) a = transposed(r, a);
    if (*turned_b != 0) b = transposed(r, b);
    return r.call("aten::addmm", {c, a, b, r.constant(IValue(*beta)), r.constant(IValue(*alpha))});
}

struct Window {
    Dims stride, padding, dilation;
};
// nullopt where the padding is another at the two ends, or is chosen by the operator.
std::optional<Window> window_of(const Rewriter& r, const Node* node, std::size_t dims) {
    const std::string chosen = Rewriter::text(node, "auto_pad");
    if (chosen != "NOTSET" && chosen != "VALID") return std::nullopt;
    Window out{or_filled(r.whole_numbers(node, "strides"), dims, 1), Dims(dims, 0),
               or_filled(r.whole_numbers(node, "dilations"), dims, 1)};
    const Dims pads = or_filled(r.whole_numbers(node, "pads"), 2 * dims, 0);
    if (pads.size() != 2 * dims || out.stride.size() != dims || out.dilation.size() != dims) return std::nullopt;
    for (std::size_t d = 0; d < dims; ++d) {
        if (pads[d] != pads[d + dims] || pads[d] < 0) return std::nullopt;
        out.padding[d] = chosen == "VALID" ? 0 : pads[d];
    }
    return out;
}
// Of images, without the two dimensions of samples and channels.
std::optional<std::size_t> image_dims(const Rewriter& r, const Value* value) {
    const auto rank = r.rank_of(value);
    return rank && *rank >= 3 && *rank <= 5 ? std::optional(static_cast<std::size_t>(*rank - 2)) : std::nullopt;
}

Value* convolution(const Rewriter& r, Node* node) {
    constexpr std::array kNames = {"aten::conv1d", "aten::conv2d", "aten::conv3d"};
    const auto dims = image_dims(r, node->named_input("W"));
    const auto window = dims ? window_of(r, node, *dims) : std::nullopt;
    if (!window) return nullptr;
    return r.call(kNames[*dims - 1],
                  {node->input(0), node->input(1), node->input(2), r.numbers(window->stride),
                   r.numbers(window->padding), r.numbers(window->dilation), node->named_input("group")});
}
Value* transposed_convolution(const Rewriter& r, Node* node) {
    constexpr std::array kNames = {"aten::conv_transpose1d", "aten::conv_transpose2d.input",
                                   "aten::conv_transpose3d.input"};
    const auto dims = image_dims(r, node->named_input("W"));
    const auto window = dims ? window_of(r, node, *dims) : std::nullopt;
    if (!window || !Rewriter::is_none(node, "output_shape")) return nullptr;
    return r.call(kNames[*dims - 1],
                  {node->input(0), node->input(1), node->input(2), r.numbers(window->stride),
                   r.numbers(window->padding), r.numbers(or_filled(r.whole_numbers(node, "output_padding"), *dims, 0)),
                   node->named_input("group"), r.numbers(window->dilation)});
}

Value* max_pool(const Rewriter& r, Node* node) {
    constexpr std::array kNames = {"aten::max_pool1d", "aten::max_pool2d", "aten::max_pool3d"};
    const auto kernel = r.whole_numbers(node, "kernel_shape");
    const auto dims = image_dims(r, node->input(0));
    if (!kernel || !dims || kernel->size() != *dims || Rewriter::whole_number(node, "ceil_mode") != 0) return nullptr;
    const auto window = window_of(r, node, *dims);
    if (!window) return nullptr;
    for (std::size_t d = 0; d < *dims; ++d) {
        if (window->padding[d] > (*kernel)[d] / 2) return nullptr;  // PyTorch refuses it
    }
    return r.call(kNames[*dims - 1], {node->input(0), r.numbers(*kernel), r.numbers(window->stride),
                                      r.numbers(window->padding), r.numbers(window->dilation)});
}
Value* average_pool(const Rewriter& r, Node* node) {
    constexpr std::array kNames = {"aten::avg_pool1d", "aten::avg_pool2d", "aten::avg_pool3d"};
    const auto kernel = r.whole_numbers(node, "kernel_shape");
    const auto dims = image_dims(r, node->input(0));
    if (!kernel || !dims || kernel->size() != *dims || Rewriter::whole_number(node, "ceil_mode") != 0) return nullptr;
    const auto window = window_of(r, node, *dims);
    if (!window || std::ranges::any_of(window->dilation, [](std::int64_t d) { return d != 1; })) return nullptr;
    for (std::size_t d = 0; d < *dims; ++d) {
        if (window->padding[d] > (*kernel)[d] / 2) return nullptr;
    }
    const bool counts = Rewriter::whole_number(node, "count_include_pad").value_or(0) != 0;
    return r.call(kNames[*dims - 1],
                  {node->input(0), r.numbers(*kernel), r.numbers(window->stride), r.numbers(window->padding),
                   r.constant(IValue(false)), r.constant(IValue(counts))});
}
Value* global_average(const Rewriter& r, Node* node) {
    constexpr std::array kNames = {"aten::adaptive_avg_pool1d", "aten::adaptive_avg_pool2d",
                                   "aten::adaptive_avg_pool3d"};
    const auto dims = image_dims(r, node->input(0));
    return dims ? r.call(kNames[*dims - 1], {node->input(0), r.numbers(Dims(*dims, 1))}) : nullptr;
}

// Of inference.
Value* batch_norm(const Rewriter& r, Node* node) {
    const bool is_inference =
        node->named_input("training_mode") != nullptr
            ? Rewriter::whole_number(node, "training_mode") == 0
            : Rewriter::whole_number(node, "spatial") != 0 && Rewriter::whole_number(node, "is_test").value_or(1) != 0;
    const auto momentum = passes::constant_number(node->named_input("momentum"));
    if (!is_inference || !momentum) return nullptr;
    return r.call("aten::batch_norm", {node->input(0), node->input(1), node->input(2), node->input(3), node->input(4),
                                       r.constant(IValue(false)), r.constant(IValue(1 - *momentum)),
                                       node->named_input("epsilon"), r.constant(IValue(true))});
}
Value* layer_norm(const Rewriter& r, Node* node) {
    const auto axis = Rewriter::whole_number(node, "axis");
    const auto rank = r.rank_of(node->input(0));
    const auto scale = r.tensor_of(node->input(1));
    if (!axis || !scale || (*axis >= 0 && !rank)) return nullptr;
    const std::int64_t count = *axis < 0 ? -*axis : *rank - *axis;
    if (scale->dim() != count) return nullptr;
    if (!ir::is_none_constant(node->input(2)) && r.rank_of(node->input(2)) != count) return nullptr;
    return r.call("aten::layer_norm", {node->input(0), r.numbers(to_dims(scale->sizes())), node->input(1),
                                       node->input(2), node->named_input("epsilon")});
}
Value* dropout(const Rewriter&, Node* node) {
    const Value* mode = node->named_input("training_mode");
    if (mode == nullptr || ir::is_none_constant(mode)) return node->input(0);
    const auto trains = passes::constant_tensor(mode);
    return trains && trains->numel() == 1 && !item(*trains).to_bool() ? node->input(0) : nullptr;
}
Value* resized(const Rewriter& r, Node* node) {
    const Value* given = node->named_input("scales");
    const auto scales = given != nullptr ? r.tensor_of(given) : std::nullopt;
    if (!scales || !scales->defined() || scales->numel() != 4 || r.rank_of(node->input(0)) != 4) return nullptr;
    if (!Rewriter::is_none(node, "sizes") || !Rewriter::is_none(node, "axes")) return nullptr;
    if (Rewriter::whole_number(node, "antialias") != 0) return nullptr;
    const std::vector<double> factors = real_numbers(*scales);
    if (factors[0] != 1 || factors[1] != 1) return nullptr;
    Value* list = r.constant(IValue(std::vector<double>{factors[2], factors[3]}));
    const std::string places = Rewriter::text(node, "coordinate_transformation_mode");
    if (Rewriter::text(node, "mode") == "linear" && (places == "half_pixel" || places == "align_corners")) {
        return r.call("aten::upsample_bilinear2d.vec",
                      {node->input(0), r.constant(IValue()), r.constant(IValue(places == "align_corners")), list});
    }
    const bool is_nearest = Rewriter::text(node, "mode") == "nearest" && places == "asymmetric" &&
                            Rewriter::text(node, "nearest_mode") == "floor";
    return is_nearest ? r.call("aten::upsample_nearest2d.vec", {node->input(0), r.constant(IValue()), list}) : nullptr;
}
Value* converted(const Rewriter& r, Node* node) {
    const auto to = Rewriter::whole_number(node, "to");
    const DataType* type = to ? find_data_type(static_cast<std::int32_t>(*to)) : nullptr;
    if (type == nullptr || !type->is_exact || is_float8(type->held)) return nullptr;
    return r.call("aten::to.dtype", {node->input(0), r.constant(IValue(static_cast<std::int64_t>(type->held)))});
}

constexpr NamedRule kRules[] = {
    {"onnx::Relu", same<"aten::relu">},
    {"onnx::Sigmoid", same<"aten::sigmoid">},
    {"onnx::Tanh", same<"aten::tanh">},
    {"onnx::Erf", same<"aten::erf">},
    {"onnx::Exp", same<"aten::exp">},
    {"onnx::Log", same<"aten::log">},
    {"onnx::Sqrt", same<"aten::sqrt">},
    {"onnx::Neg", same<"aten::neg">},
    {"onnx::Abs", same<"aten::abs">},
    {"onnx::Sin", same<"aten::sin">},
    {"onnx::Cos", same<"aten::cos">},
    {"onnx::Reciprocal", same<"aten::reciprocal">},
    {"onnx::Not", same<"aten::logical_not">},
    {"onnx::HardSwish", same<"aten::hardswish">},
    {"onnx::Where", same<"aten::where.self">},
    {"onnx::MatMul", same<"aten::matmul">},
    {"onnx::Add.v7", added},
    {"onnx::Sub.v7", with_number<"aten::sub.Tensor", "aten::sub.Scalar">},
    {"onnx::Mul.v7", multiplied},
    {"onnx::Div.v7", divided},
    {"onnx::Pow.v7", raised},
    {"onnx::Max", of_two<"aten::maximum">},
    {"onnx::Min", of_two<"aten::minimum">},
    {"onnx::Softmax", softmax<"aten::softmax.int">},
    {"onnx::Softmax.v13", softmax<"aten::softmax.int">},
    {"onnx::LogSoftmax", softmax<"aten::log_softmax.int">},
    {"onnx::LogSoftmax.v13", softmax<"aten::log_softmax.int">},
    {"onnx::LeakyRelu", leaky_relu},
    {"onnx::Elu", elu},
    {"onnx::Gelu", gelu},
    {"onnx::HardSigmoid", hard_sigmoid},
    {"onnx::Clip.v11", clip},
    {"onnx::Gemm.v7", gemm},
    {"onnx::Conv", convolution},
    {"onnx::ConvTranspose", transposed_convolution},
    {"onnx::MaxPool.one", max_pool},
    {"onnx::AveragePool", average_pool},
    {"onnx::GlobalAveragePool", global_average},
    {"onnx::BatchNormalization.one", batch_norm},
    {"onnx::BatchNormalization.v7_one", batch_norm},
    {"onnx::BatchNormalization.v14_one", batch_norm},
    {"onnx::LayerNormalization.one", layer_norm},
    {"onnx::Dropout.v7_one", dropout},
    {"onnx::Dropout.v12_one", dropout},
    {"onnx::Resize.v11", resized},
    {"onnx::Cast.v6", converted},
};

}  // namespace

std::span<const NamedRule> direct_rules() { return kRules; }

}  // namespace loupe::onnx
