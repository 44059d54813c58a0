// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/exported_cases.h"

#include <algorithm>
#include <functional>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "core/study/compare.h"
#include "core/tensor/device_copy.h"
#include "tests/conformance/case_archive.h"
#include "tests/conformance/run_case.h"

namespace loupe::conformance {
namespace {

namespace fs = std::filesystem;

// Of the largest value: whole models are long sums of long sums.
constexpr double kCloseness = 2e-3;
// Of a model's largest gradient norm: what is smaller is rounding.
constexpr double kRounding = 3e-3;

fs::path beside(const fs::path& program, const char* ending) {
    return program.parent_path() / concat(program.stem().string(), ending);
}

// In the order in which a program gives them: torch.utils._pytree keeps a dict's own order.
void flatten(const IValue& value, TensorList& out) {
    if (value.is_tensor()) out.push_back(value.to_tensor());
    if (value.is_list()) {
        for (const IValue& each : value.to_list().elements) flatten(each, out);
    }
    if (value.is_tuple()) {
        for (const IValue& each : value.to_tuple().elements) flatten(each, out);
    }
    if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) flatten(each, out);
    }
}

double greatest(const Tensor& t) {
    if (t.numel() == 0 || !is_differentiable(t.dtype())) return 0;
    return item(fn::amax(fn::abs(t))).to_double();
}

std::string compare(const std::string& name, const Tensor& computed, const Tensor& expected) {
    if (!computed.defined()) return concat(name, " is undefined");
    const Tensor actual = on_host(detach(computed));
    if (actual.dtype() != expected.dtype())
        return concat(name, " is ", dtype_name(actual.dtype()), ", expected ", dtype_name(expected.dtype()));
    const auto difference =
        session::compare_tensors(actual, expected, 0, std::max(kCloseness * greatest(expected), 1e-6));
    if (difference.is_equal) return {};
    if (!difference.why.empty()) return concat(name, ": ", difference.why);
    return concat(name, " max abs ", difference.max_abs, " of ", greatest(expected));
}

std::string compare_outputs(const TensorList& outputs, const NamedTensors& expected) {
    std::size_t count = 0;
    while (find_array(expected, concat("out", count)).defined()) ++count;
    if (outputs.size() != count) return concat(outputs.size(), " outputs, expected ", count);
    for (std::size_t i = 0; i < count; ++i) {
        std::string found = compare(concat("out", i), outputs[i], find_array(expected, concat("out", i)));
        if (!found.empty()) return found;
    }
    return {};
}

void run_backward(const TensorList& outputs, const NamedTensors& inputs) {
    TensorList roots;
    TensorList cotangents;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor cotangent = find_array(inputs, concat("cot", i));
        if (!cotangent.defined() || !requires_grad(outputs[i])) continue;
        roots.push_back(outputs[i]);
        cotangents.push_back(on_device(cotangent, outputs[i].device()));
    }
    if (!roots.empty()) backward(roots, cotangents);
}

std::string compare_norms(const nn::Module& module, const NamedTensors& expected) {
    constexpr std::string_view kStart = "gradnorm.";
    double largest = 0;
    for (const auto& [name, norm] : expected) {
        if (name.starts_with(kStart)) largest = std::max(largest, item(norm).to_double());
    }
    const auto parameters = module.named_parameters();
    for (const auto& [name, norm] : expected) {
        if (!name.starts_with(kStart)) continue;
        const auto parameter =
            std::ranges::find(parameters, name.substr(kStart.size()), [](const auto& each) { return each.first; });
        if (parameter == parameters.end()) return concat("no parameter for ", name);
        const Tensor gradient = grad_of(parameter->second);
        const double actual =
            gradient.defined() ? item(fn::sqrt(fn::sum(fn::mul(on_host(gradient), on_host(gradient))))).to_double() : 0;
        const double wanted = item(norm).to_double();
        if (std::max(actual, wanted) < kRounding * largest) continue;
        if (!(std::abs(actual - wanted) <= kCloseness * wanted))
            return concat(name, " is ", actual, ", expected ", wanted);
    }
    return {};
}

std::string compare_gradients(const nn::Module& module, const NamedTensors& expected) {
    constexpr std::string_view kStart = "grad.param.";
    const auto parameters = module.named_parameters();
    for (const auto& [name, wanted] : expected) {
        if (!name.starts_with(kStart)) continue;
        const auto parameter =
            std::ranges::find(parameters, name.substr(kStart.size()), [](const auto& each) { return each.first; });
        if (parameter == parameters.end()) return concat("no parameter for ", name);
        std::string found = compare(name, grad_of(parameter->second), wanted);
        if (!found.empty()) return found;
    }
    return compare_norms(module, expected);
}

// The loss that a backward pass from the cotangents differentiates.
double loss_of(const TensorList& outputs, const NamedTensors& inputs) {
    double loss = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor cotangent = find_array(inputs, concat("cot", i));
        if (!cotangent.defined() || !is_floating(outputs[i].dtype())) continue;
        const auto wide = [](const Tensor& t) {
            return fn::to_dtype(on_host(detach(t)), static_cast<std::int64_t>(ScalarType::Float64));
        };
        loss += item(fn::sum(fn::mul(wide(outputs[i]), wide(cotangent)))).to_double();
    }
    return loss;
}

// Exporters to ONNX fold and merge weights, whose gradients PyTorch does not tell: they are held to the difference that
// a step along all of them makes.
std::string check_gradients(const nn::Module& module, const session::PreparedMethod& method,
                            const std::vector<IValue>& arguments, const NamedTensors& inputs) {
    constexpr double kStep = 2e-3;          // of the length of all parameters
    constexpr double kOfDifference = 0.03;  // float32, and what the loss is curved
    TensorList parameters, gradients;
    double square = 0, length = 0;
    for (const auto& [name, parameter] : module.named_parameters()) {
        const Tensor gradient = grad_of(parameter);
        if (!gradient.defined()) return concat(name, " has no gradient");
        parameters.push_back(parameter);
        gradients.push_back(gradient);
        square += item(fn::sum(fn::mul(gradient, gradient))).to_double();
        length += item(fn::sum(fn::mul(detach(parameter), detach(parameter)))).to_double();
    }
    if (!std::isfinite(square)) return "a gradient is not finite";
    if (parameters.empty() || square == 0 || !find_array(inputs, "cot0").defined()) return {};
    const GradModeScope no_grad(false);
    const double step = kStep * std::sqrt(length / square) / std::sqrt(static_cast<double>(parameters.size()));
    const auto moved = [&](double by) {
        for (std::size_t i = 0; i < parameters.size(); ++i)
            fn::add_(detach(parameters[i]), fn::mul_scalar(gradients[i], Scalar(by)), Scalar(1));
        TensorList outputs;
        flatten(method.forward(arguments), outputs);
        return loss_of(outputs, inputs);
    };
    const double above = moved(step), below = moved(-2 * step);
    const double difference = (above - below) / (2 * step);
    if (std::abs(difference - square) <= kOfDifference * square) return {};
    return concat("a step along the gradient changes the loss by ", difference, ", expected ", square);
}

}  // namespace

std::string case_name(const fs::path& path) {
    return (path.extension() == ".onnx" ? path.filename() : path.stem()).string();
}

std::vector<fs::path> list_programs(const fs::path& folder) {
    std::vector<fs::path> programs;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const fs::path extension = entry.path().extension();
        if (extension == ".pt2" || extension == ".onnx") programs.push_back(entry.path());
    }
    std::ranges::sort(programs);
    return programs;
}

std::string run_program_case(const fs::path& path, Device device) {
    return one_line([&]() -> std::string {
        seed_generators(0);
        const auto program = session::Program::open(path);
        const NamedTensors inputs = read_npz(beside(path, ".in.npz"));
        const NamedTensors expected = read_npz(beside(path, ".out.npz"));
        program->to(device);
        std::vector<IValue> arguments;
        for (std::size_t i = 0; find_array(inputs, concat("arg", i)).defined(); ++i)
            arguments.emplace_back(on_device(find_array(inputs, concat("arg", i)), device));
        const GradModeScope grad(true);
        const session::PreparedMethod method(program, program->default_method(), "none");
        TensorList outputs;
        flatten(method.forward(arguments), outputs);
        std::string found = compare_outputs(outputs, expected);
        if (!found.empty()) return found;
        run_backward(outputs, inputs);
        if (path.extension() == ".onnx" && find_array(inputs, "cot0").defined())
            return check_gradients(program->module(), method, arguments, inputs);
        return compare_gradients(program->module(), expected);
    });
}

}  // namespace loupe::conformance
