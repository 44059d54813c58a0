// SPDX-License-Identifier: Apache-2.0
// Our side of tests/bench/operators: reads a request a line, as JSON, and answers each with a line.
//
//     {"prepare": "torch.exp(x)", "inputs": [{"name": "x", "sizes": [4, 4], "strides": [1, 4], "dtype": "float32",
//      "fill": "normal", "grad": true}]}                    -> {"ok": true}
//     {"time": "forward" | "backward", "seconds": 0.1}      -> {"seconds": of one call}
//     {"copy": bytes}                                       -> {"seconds": of a copy of that many, by all threads}
//     {"dispatch": true}                                    -> {"aten::relu": [kernel, call, call with gradient], ...}
//
// A request that fails is answered with {"error": text}.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ir/compilation_unit.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/script/compile.h"

using namespace loupe;
using Json = nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The best of batches, of one call each or of as many as the clock can tell apart: others may be using the machine too.
double time_calls(const std::function<void()>& call, double seconds) {
    call();
    const auto once = Clock::now();
    call();
    const auto per_batch = static_cast<int>(std::clamp(10e-6 / std::max(seconds_since(once), 1e-9), 1.0, 1000.0));
    double best = std::numeric_limits<double>::infinity();
    const auto start = Clock::now();
    do {
        const auto before = Clock::now();
        for (int i = 0; i < per_batch; ++i) call();
        best = std::min(best, seconds_since(before) / per_batch);
    } while (seconds_since(start) < seconds);
    return best;
}

// ---- a program of one expression

ScalarType dtype_named(const std::string& name) {
    if (name == "int64") return ScalarType::Int64;
    if (name == "bool") return ScalarType::Bool;
    if (name == "complex64") return ScalarType::Complex64;
    if (name == "float64") return ScalarType::Float64;
    return ScalarType::Float32;
}

// fill: "normal", "positive" (from 0.5 to 1.5), "bit" (0 or 1) or a number, below which integers are drawn.
void fill(const Tensor& t, const Json& how) {
    static std::mt19937 engine(1);
    const auto count = t.storage()->bytes() / static_cast<std::size_t>(t.element_size());
    const auto each = [&]<typename T>(T* elements, auto&& draw) {
        for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(draw());
    };
    if (t.dtype() == ScalarType::Bool) return each(t.data<bool>(), [] { return (engine() & 1) != 0; });
    if (t.dtype() == ScalarType::Int64)
        return each(t.data<std::int64_t>(), [limit = how.get<std::uint32_t>()] { return engine() % limit; });
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> near_one(0.5F, 1.5F);
    if (how == "positive") return each(t.data<float>(), [&] { return near_one(engine); });
    if (how == "bit") return each(t.data<float>(), [] { return engine() & 1; });
    if (t.dtype() == ScalarType::Complex64) {
        return each(t.data<std::complex<float>>(), [&] { return std::complex<float>(normal(engine), normal(engine)); });
    }
    each(t.data<float>(), [&] { return normal(engine); });
}

class Program {
  public:
    explicit Program(const Json& request) : unit_(make_ptr<ir::CompilationUnit>()) {
        std::string parameters;
        for (const Json& input : request["inputs"]) {
            parameters += concat(parameters.empty() ? "" : ", ", input["name"].get<std::string>());
            const auto sizes = input["sizes"].get<std::vector<std::int64_t>>();
            const auto strides = input["strides"].get<std::vector<std::int64_t>>();
            const Tensor t = empty_strided(sizes, strides, dtype_named(input["dtype"]));
            fill(t, input["fill"]);
            if (input["grad"]) leaves_.push_back(t);
            inputs_.emplace_back(t);
        }
        const std::string text =
            concat("def f(", parameters, "):\n    return ", request["prepare"].get<std::string>(), "\n");
        script::define(*unit_, std::make_shared<const ir::Source>(text), {});
        code_ = &runtime::code_of(*unit_->find_function("f"));
    }

    double time_forward(double seconds) const {
        const GradModeScope no_grad(false);
        return time_calls([&] { run(); }, seconds);
    }

    double time_backward(double seconds) const {
        for (const Tensor& leaf : leaves_) set_requires_grad(leaf, true);
        const Tensor out = run().to_tensor();
        const Tensor grad = empty(out.sizes(), out.dtype());
        fill(grad, "normal");
        BackwardOptions options;
        options.retain_graph = true;
        const double time = time_calls([&] { gradients_of({out}, leaves_, {grad}, options); }, seconds);
        for (const Tensor& leaf : leaves_) set_requires_grad(leaf, false);
        return time;
    }

  private:
    IValue run() const { return runtime::run_code(*code_, inputs_).front(); }

    Ptr<ir::CompilationUnit> unit_;
    const runtime::Code* code_ = nullptr;
    std::vector<IValue> inputs_;
    TensorList leaves_;
};

// ---- what the machine gives, and what a call costs beside the kernel

double time_copy(std::size_t bytes) {
    const Tensor from = zeros(std::array{static_cast<std::int64_t>(bytes)}, ScalarType::UInt8);
    const Tensor to = zeros(from.sizes(), ScalarType::UInt8);
    return time_calls(
        [&] {
            parallel_for(0, from.numel(), 1 << 20, [&](std::int64_t begin, std::int64_t end) {
                std::memcpy(to.data<std::byte>() + begin, from.data<std::byte>() + begin,
                            static_cast<std::size_t>(end - begin));
            });
        },
        0.3);
}

// Seconds of the kernel alone on a result that is there, of a call, of a call that is recorded.
std::array<double, 3> time_dispatch(const Operator& op, std::span<const IValue> arguments) {
    std::array<IValue, 4> results;
    call_operator(op, arguments, results.data());
    const KernelFunction kernel = op.kernels->candidates[0].back().kernel;
    std::array<double, 3> times{};
    const auto call = [&] {
        std::array<IValue, 4> fresh;
        call_operator(op, arguments, fresh.data());
    };
    times[0] = time_calls([&] { kernel(arguments, results.data()); }, 0.1);
    times[1] = time_calls(call, 0.1);
    set_requires_grad(arguments[0].to_tensor(), true);
    times[2] = time_calls(call, 0.1);
    set_requires_grad(arguments[0].to_tensor(), false);
    return times;
}

Json dispatch_times() {
    const std::array<std::int64_t, 1> sizes{4};
    const Tensor a = empty(sizes, ScalarType::Float32), b = empty(sizes, ScalarType::Float32);
    fill(a, "positive");
    fill(b, "positive");
    const std::vector<std::pair<const char*, std::vector<IValue>>> calls{
        {"aten::relu", {a}}, {"aten::exp", {a}}, {"aten::add.Tensor", {a, b, 1}}, {"aten::mul.Tensor", {a, b}}};
    Json times;
    for (const auto& [name, arguments] : calls) times[name] = time_dispatch(*find_operator(name), arguments);
    return times;
}

Json answer(const Json& request, std::unique_ptr<Program>& program) {
    if (request.contains("prepare")) {
        program.reset();
        program = std::make_unique<Program>(request);
        return {{"ok", true}};
    }
    if (request.contains("copy")) return {{"seconds", time_copy(request["copy"])}};
    if (request.contains("dispatch")) return dispatch_times();
    if (program == nullptr) throw Error(ErrorKind::Usage, "nothing was prepared");
    const double seconds = request["seconds"];
    return {
        {"seconds", request["time"] == "backward" ? program->time_backward(seconds) : program->time_forward(seconds)}};
}

}  // namespace

int main() {
    plugins();
    std::unique_ptr<Program> program;
    for (std::string line; std::getline(std::cin, line);) {
        Json reply;
        try {
            reply = answer(Json::parse(line), program);
        } catch (const std::exception& error) {
            reply = {{"error", error.what()}};
        }
        std::cout << reply.dump() << std::endl;
    }
    return 0;
}
