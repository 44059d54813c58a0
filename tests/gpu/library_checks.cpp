// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/library_checks.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ir/parser.h"
#include "core/ops/random/random.h"
#include "core/ops/rnn/layer.h"
#include "core/ops/samples.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/tensor/device_copy.h"

namespace loupe::gpu {
namespace {

constexpr Device kGpu{DeviceType::Cuda, 0};
constexpr ScalarType kFloat = ScalarType::Float32, kHalf = ScalarType::Float16, kBrain = ScalarType::BFloat16,
                     kDouble = ScalarType::Float64;

Tensor drawn(std::initializer_list<std::int64_t> sizes, ScalarType dtype, double scale = 1) {
    static Random random(3);
    return fn::mul_scalar(random_tensor(random, sizes, dtype), Scalar(scale));
}
Tensor channels_last(const Tensor& t) {
    const Dims order{0, 2, 3, 1}, back{0, 3, 1, 2};
    return fn::permute(fn::contiguous(fn::permute(t, order), 0), back);
}
Tensor there(const Tensor& t) { return t.defined() ? on_device(t, kGpu) : t; }

// The largest difference, of the largest number there is to be.
double worst(const Tensor& found, const Tensor& wanted) {
    const auto wide = [](const Tensor& t) {
        const Tensor host = on_host(detach(t));
        return is_complex(host.dtype())
                   ? fn::view_as_real(fn::to_dtype(host, static_cast<std::int64_t>(ScalarType::Complex128)))
                   : fn::to_dtype(host, static_cast<std::int64_t>(kDouble));
    };
    const Tensor a = wide(found), b = wide(wanted);
    const auto largest = [](const Tensor& t) { return item(fn::amax(fn::abs(t), Dims{}, false)).to_double(); };
    return largest(fn::sub(a, b, Scalar(1))) / std::max(1e-30, largest(b));
}
int said(const std::string& name, const std::string& who, double difference, double most) {
    const bool differs = !(difference <= most);
    std::printf("%-52s %-40s %9.1e%s\n", name.c_str(), who.c_str(), difference, differs ? "  DIFFERS" : "");
    return differs ? 1 : 0;
}

// Results of a call, and the gradients of the sum of their sines: of squares a norm has none. Numbers that are no
// floats (lengths) stay on the CPU.
TensorList outcome(const Operator& op, const std::vector<IValue>& arguments, Device device, std::string* who) {
    TensorList leaves;
    const auto moved = [&](const Tensor& t) {
        if (!t.defined() || !is_differentiable(t.dtype())) return t;
        leaves.push_back(on_device(fn::clone(t), device));
        set_requires_grad(leaves.back(), true);
        return leaves.back();
    };
    std::vector<IValue> all;
    for (const IValue& value : arguments) {
        const bool is_list =
            value.is_list() && !value.to_list().elements.empty() && value.to_list().elements.front().is_tensor();
        if (is_list) {
            TensorList list;
            for (const Tensor& t : value.to_tensors()) list.push_back(moved(t));
            all.emplace_back(list);
        } else {
            all.push_back(value.is_tensor() ? IValue(moved(value.to_tensor())) : value);
        }
    }
    if (who != nullptr) *who = explain_kernel_choice(op, all).front();
    std::vector<IValue> results(op.result_count());
    call_operator(op, all, results.data());
    TensorList found;
    Tensor loss;
    for (const IValue& result : results) {
        if (!result.is_tensor() || !result.to_tensor().defined() || !is_floating(result.to_tensor().dtype())) continue;
        found.push_back(result.to_tensor());
        if (!requires_grad(found.back()) || found.back().numel() == 0) continue;
        const Tensor part = fn::sum(fn::sin(fn::mul_scalar(found.back(), Scalar(0.5))));
        loss = loss.defined() ? fn::add(loss, part, Scalar(1)) : part;
    }
    for (const Tensor& grad : gradients_of({loss}, leaves, {}, {}, true)) found.push_back(grad);
    return found;
}
// Sums of thousands of numbers are rounded as their dtype is.
double tolerance_of(ScalarType dtype) {
    return dtype == kDouble ? 1e-11 : dtype == kFloat ? 1e-4 : dtype == kHalf ? 1e-2 : 6e-2;
}
struct Pair {
    TensorList wanted, found;
    std::string who;
};
Pair pair_of(const char* op_name, const std::vector<IValue>& arguments) {
    const Operator& op = *find_operator(op_name);
    Pair pair;
    pair.wanted = outcome(op, arguments, Device{}, nullptr);
    pair.found = outcome(op, arguments, kGpu, &pair.who);
    return pair;
}
double worst_of_first(const Pair& pair, std::size_t count) {
    if (pair.found.size() != pair.wanted.size()) return 1e9;
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (pair.found[i].defined() != pair.wanted[i].defined()) return 1e9;
        const bool has_numbers = pair.found[i].defined() && pair.wanted[i].numel() > 0;
        if (has_numbers) largest = std::max(largest, worst(pair.found[i], pair.wanted[i]));
    }
    return largest;
}
int check_call(const std::string& name, const char* op_name, const std::vector<IValue>& arguments) {
    const Pair pair = pair_of(op_name, arguments);
    return said(name, pair.who, worst_of_first(pair, pair.wanted.size()),
                tolerance_of(arguments[0].to_tensor().dtype()));
}
// The result alone: in 16 bits rounding decides which elements of a relu are open.
int check_result(const std::string& name, const char* op_name, const std::vector<IValue>& arguments) {
    const Pair pair = pair_of(op_name, arguments);
    return said(name, pair.who, worst_of_first(pair, 1), tolerance_of(arguments[0].to_tensor().dtype()));
}

int check_layers() {
    int failed = 0;
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBrain}) {
        const std::string end = concat(" ", dtype_name(dtype));
        for (const char* activation : {"none", "relu", "gelu_tanh"}) {
            for (const bool has_bias : {true, false})
                failed +=
                    check_call(concat("linear ", activation, has_bias ? " bias" : "", end), "loupe::linear_activation",
                               {drawn({96, 64}, dtype), drawn({256, 64}, dtype, 0.1),
                                has_bias ? IValue(drawn({256}, dtype)) : IValue(), IValue(activation), true});
        }
        failed += check_call("gradients of weight and bias" + end, "loupe::linear_weight_gradient",
                             {drawn({96, 64}, dtype, 0.3), drawn({96, 128}, dtype, 0.3), true});
    }
    return failed;
}

constexpr const char* kNetwork =
    R"(graph(%x : Tensor, %w1 : Tensor, %b1 : Tensor, %w2 : Tensor, %b2 : Tensor, %w3 : Tensor, %b3 : Tensor):
  %tanh : str = prim::Constant[value="tanh"]()
  %a : Tensor = aten::linear(%x, %w1, %b1)
  %h : Tensor = aten::relu(%a)
  %c : Tensor = aten::linear(%h, %w2, %b2)
  %g : Tensor = aten::gelu(%c, %tanh)
  %y : Tensor = aten::linear(%g, %w3, %b3)
  return (%y)
)";

// Layers whose backward pass ends in the gradients of activations and biases, against the CPU's.
int check_trained_layers() {
    int failed = 0;
    for (const ScalarType dtype : {kFloat, kHalf, kBrain}) {
        const TensorList values{
            drawn({128, 64}, dtype), drawn({256, 64}, dtype, 0.1), drawn({256}, dtype), drawn({192, 256}, dtype, 0.1),
            drawn({192}, dtype),     drawn({64, 192}, dtype, 0.1), drawn({64}, dtype)};
        TensorList grads[2];
        for (const Device device : {Device{}, kGpu}) {
            TensorList leaves;
            std::vector<IValue> arguments;
            for (const Tensor& value : values) {
                leaves.push_back(on_device(fn::clone(value), device));
                set_requires_grad(leaves.back(), true);
                arguments.emplace_back(leaves.back());
            }
            const auto graph = ir::parse_graph(kNetwork);
            passes::PassManager manager;
            manager.run(*graph, passes::pipeline_of("CreateAutodiffSubgraphs"), {});
            const Tensor y = runtime::run_code(*runtime::Code::make(graph, ""), arguments)[0].to_tensor();
            grads[device.is_cpu() ? 0 : 1] = gradients_of({fn::mean(fn::mul(y, y))}, leaves, {}, {}, true);
        }
        double largest = 0;
        for (std::size_t i = 0; i < values.size(); ++i) largest = std::max(largest, worst(grads[1][i], grads[0][i]));
        failed += said(concat("trained layers ", dtype_name(dtype)), "", largest, tolerance_of(dtype));
    }
    return failed;
}

int check_pictures() {
    int failed = 0;
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBrain}) {
        const std::string end = concat(" ", dtype_name(dtype));
        const ScalarType wide = dtype == kHalf || dtype == kBrain ? kFloat : dtype;
        for (const bool last : {false, true}) {
            const auto picture = [&](std::initializer_list<std::int64_t> sizes) {
                return last ? channels_last(drawn(sizes, dtype)) : drawn(sizes, dtype);
            };
            const std::string name = end + (last ? ", channels last" : "");
            for (const bool training : {true, false})
                failed += check_call(concat("batch norm", training ? " trained" : "", name), "aten::native_batch_norm",
                                     {picture({8, 32, 14, 14}), drawn({32}, wide), drawn({32}, wide), drawn({32}, wide),
                                      fn::abs(drawn({32}, wide)), training, 0.1, 1e-5});
            const Dims one{1, 1};
            const auto check = dtype == kHalf || dtype == kBrain ? check_result : check_call;
            failed += check(
                "convolution with relu" + name, "aten::cudnn_convolution_relu",
                {picture({4, 16, 20, 20}), drawn({32, 16, 3, 3}, dtype, 0.2), drawn({32}, dtype), one, one, one, 1});
            failed += check("convolution, sum, relu" + name, "aten::cudnn_convolution_add_relu",
                            {picture({4, 16, 20, 20}), drawn({32, 16, 3, 3}, dtype, 0.2), picture({4, 32, 20, 20}), 0.5,
                             drawn({32}, dtype), one, one, one, 1});
            for (const bool counts : {true, false})
                failed +=
                    check_call("average of 8x8" + name, "aten::avg_pool2d",
                               {picture({2, 16, 14, 14}), Dims{8, 8}, Dims{1, 1}, Dims{2, 2}, false, counts, IValue()});
        }
    }
    return failed;
}

int check_networks() {
    int failed = 0;
    for (const rnn::Mode mode : {rnn::Mode::Lstm, rnn::Mode::Gru, rnn::Mode::Tanh, rnn::Mode::Relu}) {
        for (const ScalarType dtype : {kFloat, kDouble, kHalf}) {
            for (const bool is_packed : {false, true}) {
                const std::int64_t g = rnn::gate_count(mode) * 32;
                TensorList params;
                for (const std::int64_t width : {16, 16, 64, 64}) {
                    for (const Tensor& p : {drawn({g, width}, dtype, 0.1), drawn({g, 32}, dtype, 0.1),
                                            drawn({g}, dtype, 0.1), drawn({g}, dtype, 0.1)})
                        params.push_back(p);
                }
                const auto state = [&] { return drawn({4, 4, 32}, dtype); };
                const IValue hx = mode == rnn::Mode::Lstm ? IValue(TensorList{state(), state()}) : IValue(state());
                const std::string name = concat(rnn::mode_name(mode), is_packed ? " packed " : " ", dtype_name(dtype));
                const std::string op = concat("aten::", rnn::mode_name(mode), is_packed ? ".data" : ".input");
                std::vector<IValue> arguments{is_packed ? drawn({22, 16}, dtype) : drawn({7, 4, 16}, dtype)};
                if (is_packed) arguments.emplace_back(tensor_of<std::int64_t>({4, 4, 4, 3, 3, 3, 1}, {7}));
                for (const IValue& v :
                     {hx, IValue(params), IValue(true), IValue(2), IValue(0.0), IValue(true), IValue(true)})
                    arguments.push_back(v);
                if (!is_packed) arguments.emplace_back(false);
                failed += check_call(name, op.c_str(), arguments);
            }
        }
    }
    return failed;
}

Tensor adjoint(const Tensor& t) {
    const Tensor turned = fn::transpose(t, std::int64_t{-2}, std::int64_t{-1});
    return is_complex(t.dtype()) ? fn::conj_physical(turned) : turned;
}

// Vectors have signs of their own: what factors give again.
int check_factors() {
    int failed = 0;
    const OperatorHandle<fn::ThreeTensors> svd{"aten::_linalg_svd"};
    const OperatorHandle<fn::TwoTensors> eigh{"aten::_linalg_eigh"}, qr{"aten::linalg_qr"};
    for (const ScalarType dtype : {kFloat, kDouble, ScalarType::Complex64, ScalarType::Complex128}) {
        const double most = dtype == kFloat || dtype == ScalarType::Complex64 ? 1e-4 : 1e-11;
        const std::string end = concat(" ", dtype_name(dtype));
        for (const auto& [rows, columns] : {std::pair(48, 20), std::pair(20, 48), std::pair(32, 32)}) {
            const Tensor A = drawn({3, rows, columns}, dtype);
            const auto [U, S, Vh] = svd(there(A), false, true, IValue());
            const Tensor again =
                fn::matmul(fn::mul(on_host(U), fn::unsqueeze(on_host(S), std::int64_t{-2})), on_host(Vh));
            failed += said(concat("svd ", rows, "x", columns, end), "", worst(again, A), most);
            const auto [Q, R] = qr(there(A), "reduced");
            failed +=
                said(concat("qr ", rows, "x", columns, end), "", worst(fn::matmul(on_host(Q), on_host(R)), A), most);
        }
        const Tensor t = drawn({3, 24, 24}, dtype), H = fn::add(t, adjoint(t), Scalar(1));
        const auto [values, vectors] = eigh(there(H), "L", true);
        const Tensor v = on_host(vectors);
        failed +=
            said("eigh 24" + end, "",
                 worst(fn::matmul(fn::mul(v, fn::unsqueeze(on_host(values), std::int64_t{-2})), adjoint(v)), H), most);
    }
    return failed;
}

}  // namespace

int check_libraries() {
    int failed = 0;
    for (const auto check : {check_layers, check_trained_layers, check_pictures, check_networks, check_factors}) {
        try {
            failed += check();
        } catch (const Error& error) {
            std::printf("FAILED: %s\n", error.what());
            ++failed;
        }
    }
    std::printf("calls of libraries that differ: %d\n", failed);
    return failed;
}

}  // namespace loupe::gpu
