// SPDX-License-Identifier: Apache-2.0
// Layers of recurrent networks, one ONNX node a layer.
#include <array>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

// The order of the gates' rows: of PyTorch's, which stands at each place of ONNX's.
struct Kind {
    std::string_view op;
    Ints gates;
};

// Rows of [gates * hidden, ...] in another order.
OnnxValue reordered(Call& c, const OnnxValue& weight, const Ints& gates) {
    if (gates.size() < 2) return weight;
    const std::int64_t rows = (*weight.sizes)[0] / static_cast<std::int64_t>(gates.size());
    OnnxValues parts;
    for (const std::int64_t gate : gates) {
        OnnxValue part = c.b.slice(weight, 0, gate * rows, (gate + 1) * rows);
        part.sizes = weight.sizes;
        (*part.sizes)[0] = rows;
        parts.push_back(part);
    }
    return c.b.joined(parts, 0);
}

struct Layer {
    OnnxValues input;  // one a direction
    OnnxValues recurrent;
    OnnxValues bias;  // of both, one after the other; empty without
};

OnnxValue joined(Call& c, OnnxValues directions) {
    for (OnnxValue& each : directions) each = c.b.unsqueeze(each, {0});
    return c.b.joined(directions, 0);
}

struct Shape {
    std::int64_t directions = 1;
    std::int64_t layers = 1;
    std::int64_t hidden = 0;
    bool has_biases = true;
};

Layer layer_of(Call& c, const OnnxValues& parameters, const Shape& shape, const Kind& kind, std::int64_t index) {
    Layer layer;
    const std::int64_t each = shape.has_biases ? 4 : 2;
    for (std::int64_t direction = 0; direction < shape.directions; ++direction) {
        const auto at = static_cast<std::size_t>((index * shape.directions + direction) * each);
        layer.input.push_back(reordered(c, parameters.at(at), kind.gates));
        layer.recurrent.push_back(reordered(c, parameters.at(at + 1), kind.gates));
        if (!shape.has_biases) continue;
        layer.bias.push_back(c.b.joined(
            {reordered(c, parameters.at(at + 2), kind.gates), reordered(c, parameters.at(at + 3), kind.gates)}, 0));
    }
    return layer;
}

OnnxValue rows_of(Call& c, const OnnxValue& state, std::int64_t from, std::int64_t to) {
    OnnxValue part = c.b.slice(state, 0, from, to);
    part.sizes = state.sizes;
    if (part.sizes) (*part.sizes)[0] = to - from;
    return part;
}

RuleResults recurrent(Call& c, const Kind& kind, const OnnxValues& states, Attributes extra) {
    Builder& b = c.b;
    const OnnxValues parameters = c.tensors("params");
    Shape shape;
    shape.directions = c.flag("bidirectional") ? 2 : 1;
    shape.layers = c.integer("num_layers");
    shape.has_biases = c.flag("has_biases");
    const auto wanted = static_cast<std::size_t>(shape.layers * shape.directions * (shape.has_biases ? 4 : 2));
    if (parameters.size() != wanted) unsupported("a recurrent layer with projections");
    if (c.flag("train") && c.real("dropout") > 0 && shape.layers > 1) unsupported("dropout between recurrent layers");
    shape.hidden = (*parameters[1].sizes)[1];
    OnnxValue x = c.tensor("input");
    if (c.flag("batch_first")) x = b.swap(x, 0, 1);
    std::vector<OnnxValues> last(states.size());
    for (std::int64_t n = 0; n < shape.layers; ++n) {
        const Layer layer = layer_of(c, parameters, shape, kind, n);
        OnnxValues inputs{x, joined(c, layer.input), joined(c, layer.recurrent),
                          layer.bias.empty() ? OnnxValue{} : joined(c, layer.bias), OnnxValue{}};
        for (const OnnxValue& state : states)
            inputs.push_back(shape.layers == 1 ? state
                                               : rows_of(c, state, n * shape.directions, (n + 1) * shape.directions));
        Attributes attributes{{"hidden_size", shape.hidden},
                              {"direction", std::string(shape.directions == 2 ? "bidirectional" : "forward")}};
        attributes.insert(attributes.end(), extra.begin(), extra.end());
        if (shape.directions == 2) {
            for (Attribute& attribute : attributes) {
                if (auto* names = std::get_if<std::vector<std::string>>(&attribute.value))
                    names->resize(2, names->front());
            }
        }
        OnnxValues made =
            b.emit_many(kind.op, inputs, std::move(attributes), std::vector<ScalarType>(states.size() + 1, x.dtype));
        // [steps, directions, batch, hidden]
        const Dims sizes = x.sizes ? Dims{(*x.sizes)[0], shape.directions, (*x.sizes)[1], shape.hidden} : Dims(4, -1);
        made[0].sizes = sizes;
        if (shape.directions == 1) {
            x = b.squeeze(made[0], std::array<std::int64_t, 1>{1});
        } else {
            const OnnxValue beside = b.transpose(made[0], std::array<std::int64_t, 4>{0, 2, 1, 3});
            const Ints flat{0, 0, -1};
            x = b.reshape_keeping(beside, flat, Dims{sizes[0], sizes[2], 2 * shape.hidden});
        }
        for (std::size_t s = 0; s < states.size(); ++s) {
            made[s + 1].sizes = Dims{shape.directions, sizes[2], shape.hidden};
            last[s].push_back(made[s + 1]);
        }
    }
    OnnxValues results{c.flag("batch_first") ? b.swap(x, 0, 1) : x};
    for (const OnnxValues& each : last) results.push_back(b.joined(each, 0));
    return RuleResults::several(results);
}

RuleResults lstm(Call& c) {
    // PyTorch: input, forget, cell, output; ONNX: input, output, forget, cell.
    return recurrent(c, {"LSTM", {0, 3, 1, 2}}, c.tensors("hx"), {});
}

RuleResults gru(Call& c) {
    // PyTorch: reset, update, new; ONNX: update, reset, new.
    return recurrent(c, {"GRU", {1, 0, 2}}, {c.tensor("hx")}, {{"linear_before_reset", std::int64_t{1}}});
}

RuleResults rnn_tanh(Call& c) {
    return recurrent(c, {"RNN", {0}}, {c.tensor("hx")}, {{"activations", std::vector<std::string>{"Tanh"}}});
}
RuleResults rnn_relu(Call& c) {
    return recurrent(c, {"RNN", {0}}, {c.tensor("hx")}, {{"activations", std::vector<std::string>{"Relu"}}});
}

const Rule kRules[] = {
    {"aten::lstm.input", lstm},
    {"aten::gru.input", gru},
    {"aten::rnn_tanh.input", rnn_tanh},
    {"aten::rnn_relu.input", rnn_relu},
};

}  // namespace

std::span<const Rule> recurrent_rules() { return kRules; }

}  // namespace loupe::onnx_export
