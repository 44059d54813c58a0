// SPDX-License-Identifier: Apache-2.0
#include "core/model/check_build.h"

#include <algorithm>
#include <array>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/call_text.h"
#include "core/model/inputs.h"
#include "core/nn/layer.h"
#include "core/ops/random/generator.h"

namespace loupe::session {
namespace {

constexpr int kMaxDepth = 16;
// Elements of one layer's parameters that are still made for a check: 1 GiB.
constexpr double kMostElements = 268'435'456;

// What a layer's attribute says of its input: which dimension has that size.
struct Expectation {
    const char* attribute;
    const char* words;
    int dimension;  // -1: the last
};
constexpr std::array<Expectation, 6> kExpectations = {{{"in_features", "features in the last dimension", -1},
                                                       {"in_channels", "channels in dimension 1", 1},
                                                       {"num_features", "channels in dimension 1", 1},
                                                       {"num_channels", "channels in dimension 1", 1},
                                                       {"input_size", "features in the last dimension", -1},
                                                       {"embed_dim", "features in the last dimension", -1}}};

void refuse_giants(const CallText& call) {
    std::vector<double> sizes;
    for (const CallText::Argument& argument : call.arguments) {
        const double size = std::strtod(argument.text.c_str(), nullptr);
        if (size > 1) sizes.push_back(size);
    }
    std::sort(sizes.rbegin(), sizes.rend());
    const double most = sizes.size() < 2 ? 0 : sizes[0] * sizes[1];
    if (most > kMostElements)
        throw Error(ErrorKind::Usage, concat(call_text(call), " is too large to be tried here"),
                    {.hint = "open the model to see whether it runs"});
}

nn::ModulePtr make(const std::string& text, int depth) {
    const CallText call = parse_call(text);
    const nn::LayerRecord* record = nn::find_layer(call.name);
    if (record == nullptr)
        throw Error(ErrorKind::Usage, concat("no layer is called '", call.name, "'"),
                    {.hint = "choose one from the palette"});
    if (call.name == "Sequential") {
        if (depth > kMaxDepth) throw Error(ErrorKind::Usage, "nested too deeply");
        std::vector<IValue> children;
        for (const CallText::Argument& argument : call.arguments)
            children.emplace_back(Ptr<Object>(make(argument.text, depth + 1)));
        return nn::make_layer("Sequential", std::move(children));
    }
    refuse_giants(call);
    const FunctionSchema& schema = nn::constructor_schema(*record);
    const std::size_t skip = !schema.arguments.empty() && schema.arguments.front().name == "self" ? 1 : 0;
    CallArguments arguments = call_arguments(call, schema, skip);
    return nn::make_layer(call.name, std::move(arguments.positional), std::move(arguments.keywords));
}

std::string value_text(const IValue& value) {
    if (value.is_tensor()) return describe(value.to_tensor());
    if (!value.is_tuple() && !value.is_list()) return value_type_name(value);
    std::vector<std::string> parts;
    for (const IValue& element : value.is_tuple() ? value.to_tuple().elements : value.to_list().elements)
        parts.push_back(value_text(element));
    return concat("(", join(parts, ", "), ")");
}

void explain(const nn::Module& layer, const IValue& input, BuildStep& step) {
    for (const Expectation& expectation : kExpectations) {
        const IValue* wanted = layer.find_attribute(expectation.attribute);
        if (wanted == nullptr || !wanted->is_int()) continue;
        step.expects = concat(wanted->to_int(), " ", expectation.words);
        if (!input.is_tensor()) return;
        const Tensor t = input.to_tensor();
        const std::int64_t dimension = expectation.dimension < 0 ? t.dim() - 1 : expectation.dimension;
        if (dimension < 0 || dimension >= t.dim() || t.size(dimension) == wanted->to_int()) return;
        step.expects += concat(", gets ", t.size(dimension));
        if (!step.error.empty()) step.mend = {expectation.attribute, std::to_string(t.size(dimension))};
        return;
    }
}

class RandomUntouched {
  public:
    RandomUntouched() : before_(random_state()) {}
    RandomUntouched(const RandomUntouched&) = delete;
    RandomUntouched& operator=(const RandomUntouched&) = delete;
    ~RandomUntouched() { set_random_state(before_); }

  private:
    RandomState before_;
};

// Gives what the layer makes of the value; None when it fails.
IValue try_layer(const std::string& text, const IValue& input, BuildStep& step) {
    nn::ModulePtr layer;
    IValue output;
    try {
        layer = make(text, 0);
        layer->eval();
        if (!input.is_none()) output = layer->call({input});
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        step.error = error.message();
    } catch (const std::bad_alloc&) {
        step.error = "out of memory";
    }
    if (!layer) return {};
    explain(*layer, input, step);
    for (const auto& [name, t] : layer->named_parameters()) step.parameters += t.numel();
    if (!step.error.empty() || output.is_none()) return {};
    step.output = value_text(output);
    visit_tensors(output, [&](const Tensor& t) { step.bytes += static_cast<std::int64_t>(t.bytes()); });
    return output;
}

}  // namespace

BuildCheck check_build(const BuildRequest& request) {
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const RandomUntouched random;
    BuildCheck check;
    IValue value;
    try {
        InputSpec spec = parse_input_spec(request.input);
        spec.source = InputSpec::Source::Zeros;
        Argument argument;
        argument.name = "input";
        argument.type = types::tensor();
        value = make_input(spec, argument);
    } catch (const Error& error) {
        check.error = error.what();
    }
    for (const std::string& layer : request.layers) {
        value = try_layer(layer, value, check.steps.emplace_back());
        check.parameters += check.steps.back().parameters;
    }
    return check;
}

}  // namespace loupe::session
