// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/layer_inputs.h"

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/nn/module.h"
#include "core/python/callables.h"
#include "core/python/guess/syntax_walk.h"
#include "core/python/language/operations.h"

namespace loupe::python {
namespace {

using script::as;
using script::Expr;

constexpr int kDeepest = 12;

std::int64_t whole(const nn::Module& module, const char* name, std::int64_t otherwise = 0) {
    const IValue* value = module.find_attribute(name);
    if (value == nullptr) return otherwise;
    if (value->is_int()) return value->to_int();
    if (value->is_tuple() && !value->to_tuple().elements.empty() && value->to_tuple().elements.front().is_int())
        return value->to_tuple().elements.front().to_int();
    return otherwise;
}

InputGuess floats(std::vector<std::int64_t> shape) {
    InputGuess out;
    out.shape = std::move(shape);
    return out;
}

// Layers of torch.nn by what their record is called.
std::vector<InputGuess> of_layer(const nn::Module& module, std::size_t argument) {
    const std::string kind = module.class_name();
    const auto channels = [&](std::size_t dimensions, std::int64_t count) {
        const std::int64_t kernel = whole(module, "kernel_size", 3);
        const std::int64_t side = dimensions == 1 ? 64 : dimensions == 3 ? 16 : kernel >= 7 ? 224 : 32;
        std::vector<InputGuess> out;
        for (const std::int64_t each :
             {side, dimensions == 2 ? std::int64_t{64} : side * 2, dimensions == 1 ? std::int64_t{16000} : side}) {
            std::vector<std::int64_t> shape{1, count};
            shape.insert(shape.end(), dimensions, std::max(each, kernel));
            out.push_back(floats(std::move(shape)));
        }
        return out;
    };
    if (kind == "Linear" || kind == "LazyLinear") {
        const std::int64_t size = whole(module, "in_features", 64);
        return {floats({1, size}), floats({1, 16, size}), floats({1, 8, 8, size})};
    }
    if (kind.starts_with("Conv")) {
        const std::size_t dimensions = kind.ends_with("1d") ? 1 : kind.ends_with("3d") ? 3 : 2;
        return channels(dimensions, whole(module, "in_channels", 3));
    }
    if (kind == "Embedding" || kind == "EmbeddingBag") {
        InputGuess tokens = floats({1, 16});
        tokens.dtype = ScalarType::Int64;
        tokens.high = std::max<std::int64_t>(1, whole(module, "num_embeddings", 10));
        InputGuess line = tokens;
        line.shape = {16};
        return {tokens, line};
    }
    if (kind == "LSTM" || kind == "GRU" || kind == "RNN")
        return argument == 0 ? std::vector{floats({1, 8, whole(module, "input_size", 64)})} : std::vector<InputGuess>();
    if (kind.ends_with("RNNCell") || kind.ends_with("LSTMCell") || kind.ends_with("GRUCell"))
        return {floats({1, whole(module, "input_size", 64)})};
    if (kind == "LayerNorm" || kind == "RMSNorm") {
        const std::int64_t size = whole(module, "normalized_shape", 64);
        return {floats({1, 16, size}), floats({1, size}), floats({1, 8, 8, size})};
    }
    if (kind == "MultiheadAttention") return {floats({16, 1, whole(module, "embed_dim", 64)})};
    if (kind.starts_with("BatchNorm") || kind.starts_with("InstanceNorm")) {
        const std::size_t dimensions = kind.ends_with("1d") ? 1 : kind.ends_with("3d") ? 3 : 2;
        auto out = channels(dimensions, whole(module, "num_features", 64));
        if (dimensions == 1) out.insert(out.begin(), floats({2, whole(module, "num_features", 64)}));
        return out;
    }
    if (kind == "GroupNorm") return channels(2, whole(module, "num_channels", 64));
    return {};
}

// through_layers: also in what another layer makes of it, as x in the argument of f in self.f(self.e(x)).
bool mentions(const Expr& e, std::string_view name, bool through_layers) {
    const auto* call = as<script::Call>(&e);
    if (!through_layers && call != nullptr && dotted_name(*call->callee).starts_with("self.")) return false;
    const auto* each = as<script::Name>(&e);
    bool found = each != nullptr && each->id == name;
    for_each_part(e, [&](const Expr& part) { found = found || mentions(part, name, through_layers); });
    return found;
}

// Reads forward as far as its argument goes.
class Reader {
  public:
    Reader(const IValue& module, const FunctionObject& forward, std::string name, int depth)
        : module_(module), forward_(forward), name_(std::move(name)), depth_(depth) {}

    ArgumentShape read() {
        walk(forward_.code.body);
        // The layers that take it as it is may say nothing: dropout, activations.
        through_layers_ = true;
        if (out_.guesses.empty()) walk(forward_.code.body);
        return std::move(out_);
    }

  private:
    void walk(script::Body body) {
        for (const script::Stmt* s : body) {
            unpacked(*s);
            for_each_expression_of(*s, [&](const Expr& e) {
                for_each_expression(e, [&](const Expr& part) {
                    if (const auto* call = as<script::Call>(&part)) called(*call);
                });
            });
            for (const script::Body& block : blocks_of(*s)) walk(block);
        }
    }

    // b, c, h, w = x.shape
    void unpacked(const script::Stmt& s) {
        const auto* assign = as<script::Assign>(&s);
        if (assign == nullptr || assign->value == nullptr || assign->targets.empty() || out_.dimensions != 0) return;
        const auto* tuple = as<script::Tuple>(assign->targets.front());
        if (tuple == nullptr) return;
        for (const Expr* each : tuple->elements) {
            if (each->kind == script::ExprKind::Starred) return;
        }
        bool is_shape = false;
        for_each_expression(*assign->value, [&](const Expr& part) {
            const auto* attribute = as<script::Attribute>(&part);
            if (attribute == nullptr || dotted_name(*attribute->object) != name_) return;
            is_shape = is_shape || attribute->name == "shape" || attribute->name == "size";
        });
        const bool is_part = assign->value->kind == script::ExprKind::Subscript;
        if (is_shape && !is_part && !is_assigned_) out_.dimensions = tuple->elements.size();
    }

    void called(const script::Call& call) {
        const std::string callee = dotted_name(*call.callee);
        std::size_t position = 0;
        bool is_argument = false;
        for (std::size_t i = 0; i < call.arguments.size() && !is_argument; ++i) {
            is_argument = mentions(*call.arguments[i], name_, through_layers_);
            position = i;
        }
        if (!is_argument) return;
        if ((callee == "rearrange" || callee == "reduce" || callee == "repeat" || callee.starts_with("einops.")) &&
            call.arguments.size() > 1 && out_.dimensions == 0) {
            if (const auto* pattern = as<script::String>(call.arguments[1]))
                out_.dimensions = dimensions_of_pattern(pattern->value);
        }
        if (!out_.guesses.empty() || !callee.starts_with("self.") || depth_ > kDeepest) return;
        IValue part = module_;
        std::string path = callee.substr(5);
        while (!path.empty()) {
            const std::size_t dot = path.find('.');
            const auto next = find_attribute(part, path.substr(0, dot));
            if (!next) return;
            part = *next;
            path = dot == std::string::npos ? std::string() : path.substr(dot + 1);
        }
        ArgumentShape inner;
        if (nn::as_module(part)) {
            inner = shape_of_argument(part, position, depth_ + 1);
        } else if (const FunctionObject* method = function_of(part);
                   method != nullptr && method != &forward_ && position + 1 < method->code.params.size()) {
            inner = Reader(module_, *method, std::string(method->code.params[position + 1].name), depth_ + 1).read();
        }
        out_.guesses = std::move(inner.guesses);
        if (out_.dimensions == 0) out_.dimensions = inner.dimensions;
    }

    const IValue& module_;
    const FunctionObject& forward_;
    std::string name_;
    int depth_;
    bool is_assigned_ = false;
    bool through_layers_ = false;
    ArgumentShape out_;
};

}  // namespace

std::size_t dimensions_of_pattern(std::string_view pattern) {
    pattern = pattern.substr(0, pattern.find("->"));
    if (pattern.find("...") != std::string_view::npos) return 0;
    std::size_t count = 0;
    int depth = 0;
    bool is_inside = false;
    for (const char c : pattern) {
        if (c == '(' && depth++ == 0) ++count;
        if (c == ')') --depth;
        const bool is_name = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (is_name && !is_inside && depth == 0) ++count;
        is_inside = is_name;
    }
    return count;
}

ArgumentShape shape_of_argument(const IValue& value, std::size_t argument, int depth) {
    const nn::ModulePtr module = nn::as_module(value);
    if (!module || depth > kDeepest) return {};
    ArgumentShape out;
    if (module->class_name() == "Rearrange") {
        const auto pattern = find_attribute(value, "pattern");
        if (pattern && pattern->is_string()) out.dimensions = dimensions_of_pattern(pattern->to_string());
        return out;
    }
    const auto forward = find_attribute(value, "forward");
    const FunctionObject* function = forward ? function_of(*forward) : nullptr;
    if (function == nullptr || module->class_name() == "Sequential") {
        out.guesses = of_layer(*module, argument);
        if (!out.guesses.empty() || argument > 0) return out;
        for (const auto& [name, child] : module->children()) {
            out = shape_of_argument(IValue(Ptr<Object>(child)), 0, depth + 1);
            if (!out.guesses.empty() || out.dimensions != 0) return out;
        }
        return out;
    }
    // A class that derives from a layer.
    if (module->layer() != nullptr) {
        out.guesses = of_layer(*module, argument);
        if (!out.guesses.empty()) return out;
    }
    if (argument + 1 >= function->code.params.size()) return out;
    return Reader(value, *function, std::string(function->code.params[argument + 1].name), depth).read();
}

}  // namespace loupe::python
