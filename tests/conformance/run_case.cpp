// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/run_case.h"

#include <algorithm>
#include <cstdio>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/call.h"
#include "core/formats/torch_writer.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "core/record/run_phases.h"
#include "core/study/compare.h"
#include "core/tensor/device_copy.h"
#include "tests/conformance/free_factors.h"
#include "tests/conformance/tolerance.h"

namespace loupe::conformance {
namespace {

Tensor cast(const Tensor& t, ScalarType dtype) {
    static const OperatorHandle<> to_dtype{"aten::to.dtype"};
    return t.dtype() == dtype ? t : to_dtype(t, static_cast<std::int64_t>(dtype), false, true, IValue());
}

ScalarType declared_dtype(const CaseEntry& entry, std::size_t argument, ScalarType stored) {
    if (argument >= entry.dtypes_in.size()) return stored;
    const auto dtype = dtype_from_name(entry.dtypes_in[argument]);
    if (!dtype) throw Error(ErrorKind::Unsupported, concat("the engine has no dtype ", entry.dtypes_in[argument]));
    return *dtype;
}

// arg0, arg1, ... as leaves; those whose gradient is expected require it.
std::vector<IValue> make_arguments(const NamedTensors& inputs, const NamedTensors& expected, const CaseEntry& entry,
                                   Device device) {
    std::vector<IValue> arguments;
    for (std::size_t i = 0;; ++i) {
        const Tensor stored = find_array(inputs, concat("arg", i));
        if (!stored.defined()) return arguments;
        const Tensor argument = on_device(cast(stored, declared_dtype(entry, i, stored.dtype())), device);
        if (find_array(expected, concat("grad", i)).defined()) set_requires_grad(argument, true);
        arguments.emplace_back(argument);
    }
}

// The greatest finite magnitude.
double greatest(const Tensor& t) {
    static const OperatorHandle<> abs{"aten::abs"};
    static const OperatorHandle<> nan_to_num{"aten::nan_to_num"};
    static const OperatorHandle<> max{"aten::max"};
    return t.numel() == 0 || !is_differentiable(t.dtype()) ? 0
                                                           : item(max(nan_to_num(abs(t), 0.0, 0.0, 0.0))).to_double();
}

// PyTorch's database of operators seeds random ones with it (wrapper_set_seed), which an exported program does not
// show.
constexpr std::uint64_t kSeedOfDatabase = 42;

struct Strictness {
    double wider = 1;
    bool by_greatest = false;
};

std::string compare(const std::string& name, const Tensor& computed, const Tensor& expected, Strictness strictness) {
    const double wider = strictness.wider;
    if (!computed.defined()) return concat(name, " is undefined");
    const Tensor actual = on_host(computed);
    // What numpy has no dtype for is stored wider.
    const bool is_stored_wider = (actual.dtype() == ScalarType::BFloat16 && expected.dtype() == ScalarType::Float32) ||
                                 (actual.dtype() == ScalarType::Complex32 && expected.dtype() == ScalarType::Complex64);
    if (actual.dtype() != expected.dtype() && !is_stored_wider) {
        return concat(name, " is ", dtype_name(actual.dtype()), ", expected ", dtype_name(expected.dtype()));
    }
    Tolerance tolerance = tolerance_of(actual.dtype());
    if (strictness.by_greatest) tolerance.atol = std::max(tolerance.atol, tolerance.rtol * greatest(expected));
    const auto difference = session::compare_tensors(actual, expected, tolerance.rtol * wider, tolerance.atol * wider);
    if (difference.is_equal) return {};
    if (!difference.why.empty()) return concat(name, ": ", difference.why);
    char text[96];
    std::snprintf(text, sizeof text, " max abs %.1e max rel %.1e", difference.max_abs, difference.max_rel);
    return concat(name, text);
}

TensorList detached(const TensorList& outputs) {
    TensorList out;
    for (const Tensor& t : outputs) out.push_back(on_host(detach(t)));
    return out;
}

// Backward from the outputs that have a cotangent.
void run_backward(const TensorList& outputs, const NamedTensors& inputs, const FreeFactors& free) {
    TensorList roots;
    TensorList cotangents;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor cotangent = find_array(inputs, concat("cot", i));
        if (!cotangent.defined() || !requires_grad(outputs[i])) continue;
        roots.push_back(outputs[i]);
        cotangents.push_back(
            on_device(free.turned_cotangent(i, cast(cotangent, outputs[i].dtype())), outputs[i].device()));
    }
    if (!roots.empty()) backward(roots, cotangents);
}

TensorList expected_outputs(const NamedTensors& expected) {
    TensorList out;
    while (find_array(expected, concat("out", out.size())).defined())
        out.push_back(find_array(expected, concat("out", out.size())));
    return out;
}

std::string compare_outputs(const TensorList& outputs, const TensorList& expected, Strictness strictness,
                            const FreeFactors& free) {
    if (outputs.size() != expected.size()) return concat(outputs.size(), " outputs, expected ", expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        std::string found =
            compare(concat("out", i), free.turned(i, on_host(detach(outputs[i]))), expected[i], strictness);
        if (!found.empty()) return found;
    }
    return {};
}

std::string compare_gradients(const std::vector<IValue>& arguments, const NamedTensors& expected,
                              Strictness strictness) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Tensor want = find_array(expected, concat("grad", i));
        if (!want.defined()) continue;
        std::string found = compare(concat("grad", i), grad_of(arguments[i].to_tensor()), want, strictness);
        if (!found.empty()) return found;
    }
    return {};
}

// What a run of a module leaves behind, by the names of the case's files.
NamedTensors collect_gradients(const nn::Module& module, const std::vector<IValue>& arguments) {
    NamedTensors all;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].is_tensor()) all.emplace_back(concat("grad.arg", i), grad_of(arguments[i].to_tensor()));
    }
    for (const auto& [name, parameter] : module.named_parameters())
        all.emplace_back(concat("grad.param.", name), grad_of(parameter));
    return all;
}

std::string compare_named(const NamedTensors& actual, const NamedTensors& expected, std::string_view start,
                          double wider) {
    for (const auto& [name, want] : expected) {
        if (!name.starts_with(start)) continue;
        std::string found = compare(name, find_array(actual, name), want, {wider});
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace

std::string one_line(const std::function<std::string()>& run) {
    try {
        return run();
    } catch (const std::exception& error) {
        std::string line = error.what();
        std::replace(line.begin(), line.end(), '\n', ' ');
        return line.empty() ? "an error without words" : line;
    }
}

std::string run_operator_case(const CaseArchive& archive, const CaseEntry& entry, const std::string& op,
                              Device device) {
    return one_line([&]() -> std::string {
        const std::filesystem::path path = archive.program(entry);
        seed_generators(path.extension() == ".pt2" ? kSeedOfDatabase : 0);
        const NamedTensors inputs = archive.arrays(entry, "in.npz");
        const NamedTensors expected = archive.arrays(entry, "out.npz");
        const auto program = session::Program::open(path);
        const session::PreparedMethod method(program, program->default_method(), "none");
        program->module().to({.device = device});
        const std::vector<IValue> arguments = make_arguments(inputs, expected, entry, device);
        const GradModeScope grad(true);
        const TensorList outputs = session::flatten_tensors(method.forward(arguments));
        const bool by_greatest = errors_follow_greatest(op);
        const TensorList wanted = expected_outputs(expected);
        const FreeFactors free(op, detached(outputs), wanted);
        std::string found = compare_outputs(outputs, wanted, {widening(op), by_greatest}, free);
        if (!found.empty()) return found;
        run_backward(outputs, inputs, free);
        return compare_gradients(arguments, expected, {10, by_greatest});
    });
}

std::string check_module(const CaseArchive& archive, const CaseEntry& entry, nn::Module& module,
                         const ModuleForward& forward, Device device) {
    module.to({.device = device});
    module.load_state_dict(archive.arrays(entry, "state.npz"));
    module.train(entry.mode != "eval");
    seed_generators(0);
    const NamedTensors inputs = archive.arrays(entry, "in.npz");
    const NamedTensors expected = archive.arrays(entry, "out.npz");
    std::vector<IValue> arguments;
    for (std::size_t i = 0; find_array(inputs, concat("arg", i)).defined(); ++i)
        arguments.emplace_back(on_device(find_array(inputs, concat("arg", i)), device));
    session::require_input_gradients(arguments);
    const GradModeScope grad(true);
    const TensorList outputs = forward(arguments);
    const TensorList wanted = expected_outputs(expected);
    const FreeFactors none("", {}, {});
    std::string found = compare_outputs(outputs, wanted, {10}, none);
    if (!found.empty()) return found;
    run_backward(outputs, inputs, none);
    found = compare_named(collect_gradients(module, arguments), expected, "grad.", 10);
    if (!found.empty()) return found;
    return compare_named(module.state_dict(), archive.arrays(entry, "after.npz"), "", 10);
}

std::string run_module_case(const CaseArchive& archive, const CaseEntry& entry, ModuleForm form, Device device) {
    return one_line([&]() -> std::string {
        // PyTorch 1.13 wrote them.
        const TorchReleaseScope release(TorchRelease::V1_13);
        auto program = session::Program::open(archive.file(entry, "py"));
        if (form != ModuleForm::Source) program->script();
        if (const std::string text = read_text_file(archive.file(entry, "repr.txt")); program->is_eager()) {
            const std::string printed = program->file().eager->repr();
            if (printed != text) return concat("prints as ", loupe::quoted(printed), ", not ", loupe::quoted(text));
        }
        if (form == ModuleForm::Written) {
            const std::filesystem::path path = archive.file(entry, "py").replace_extension("pt");
            write_torchscript(program->file(), path);
            program = session::Program::open(path);
        }
        const auto forward = [&](const std::vector<IValue>& arguments) {
            const session::PreparedMethod method(program, "forward", "none");
            return session::flatten_tensors(method.forward(arguments));
        };
        return check_module(archive, entry, program->module(), forward, device);
    });
}

}  // namespace loupe::conformance
