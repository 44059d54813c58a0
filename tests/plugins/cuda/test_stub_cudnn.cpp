// SPDX-License-Identifier: Apache-2.0
// Kernels of cuDNN on the simulated GPU, whose cuDNN computes what its documentation defines from the descriptors that
// it is given: numbers against the CPU's kernels, which calls go there and why others do not, and what fails.

#include <QTemporaryDir>
#include <QtTest>
#include <functional>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/ops/rnn/layer.h"
#include "core/plugin/plugin_loader.h"
#include "core/session/session.h"
#include "tests/plugins/cuda/library_support.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

using namespace loupe;
using namespace loupe::test;
using rnn::Mode;

namespace {

constexpr int kNotSupported = 3000, kAllocFailed = 4003;

using Three = std::tuple<Tensor, Tensor, Tensor>;
const OperatorHandle<Three> kBatchNorm{"aten::native_batch_norm"};
const OperatorHandle<Three> kBatchNormBackward{"aten::native_batch_norm_backward"};
const OperatorHandle<Three> kLstm{"aten::lstm.input"};

const OperatorHandle<> kConvolutionRelu{"aten::cudnn_convolution_relu"};
const OperatorHandle<> kConvolutionAddRelu{"aten::cudnn_convolution_add_relu"};

std::size_t calls(const char* function) { return stub_gpu::library_calls(function).size(); }
Tensor channels_last(const Tensor& t) {
    const Dims order{0, 2, 3, 1}, back{0, 3, 1, 2};
    return fn::permute(fn::contiguous(fn::permute(t, order), 0), back);
}
IValue flags(bool a, bool b, bool c) {
    return IValue(make_ptr<ListObject>(types::boolean(), std::vector<IValue>{a, b, c}));
}
double tolerance_of(ScalarType dtype) {
    return dtype == ScalarType::Float64 ? 1e-11 : dtype == ScalarType::Float32 ? 2e-5 : 2e-2;
}
ScalarType parameters_of(ScalarType dtype) { return dtype == ScalarType::Float16 ? ScalarType::Float32 : dtype; }

constexpr const char* kSource = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(2)
        self.lstm = nn.LSTM(10, 6, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        y = self.norm(x).permute(0, 2, 1, 3).flatten(2)
        y, _ = self.lstm(y)
        return self.head(y[:, -1])

model = Net()
)";

// A network's weights in PyTorch's order.
TensorList network_weights(Mode mode, std::int64_t input, std::int64_t hidden, std::int64_t layers, bool has_biases,
                           bool bidirectional, ScalarType dtype) {
    const std::int64_t g = rnn::gate_count(mode) * hidden, directions = bidirectional ? 2 : 1;
    TensorList params;
    for (std::int64_t i = 0; i < layers * directions; ++i) {
        const std::int64_t width = i < directions ? input : hidden * directions;
        params.push_back(fn::mul_scalar(drawn({g, width}, dtype), Scalar(0.5)));
        params.push_back(fn::mul_scalar(drawn({g, hidden}, dtype), Scalar(0.5)));
        for (int b = 0; has_biases && b < 2; ++b) params.push_back(fn::mul_scalar(drawn({g}, dtype), Scalar(0.5)));
    }
    return params;
}

struct Network {
    Mode mode = Mode::Lstm;
    std::int64_t layers = 1;
    bool has_biases = true, bidirectional = false, is_packed = false, batch_first = false;
    ScalarType dtype = ScalarType::Float32;

    std::string name() const {
        return concat(rnn::mode_name(mode), " ", layers, has_biases ? "" : " no bias", bidirectional ? " both" : "",
                      is_packed ? " packed" : "", batch_first ? " batch first" : "", " ", dtype_name(dtype));
    }
};

// Output, states and the gradients of input, states and weights.
TensorList run_network(const Network& n, Device device, const TensorList& inputs, const TensorList& params,
                       double dropout = 0) {
    TensorList in, weights, leaves;
    for (const auto& [from, to] : {std::pair(&inputs, &in), std::pair(&params, &weights)}) {
        for (const Tensor& t : *from) {
            to->push_back(on_device(fn::clone(t), device));
            set_requires_grad(to->back(), true);
            leaves.push_back(to->back());
        }
    }
    const std::string name = concat("aten::", rnn::mode_name(n.mode), n.is_packed ? ".data" : ".input");
    std::vector<IValue> arguments{in[0]};
    if (n.is_packed) arguments.emplace_back(tensor_of<std::int64_t>({3, 2, 2, 1}, {4}));
    if (n.mode == Mode::Lstm)
        arguments.emplace_back(TensorList{in[1], in[2]});
    else
        arguments.emplace_back(in[1]);
    for (const IValue& v : {IValue(weights), IValue(n.has_biases), IValue(n.layers), IValue(dropout), IValue(true),
                            IValue(n.bidirectional)})
        arguments.push_back(v);
    if (!n.is_packed) arguments.emplace_back(n.batch_first);
    std::array<IValue, 3> results;
    call_operator(*find_operator(name), arguments, results.data());
    TensorList outputs;
    for (std::size_t i = 0; i < (n.mode == Mode::Lstm ? 3U : 2U); ++i) outputs.push_back(results[i].to_tensor());
    Tensor loss;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor part =
            fn::mul_scalar(fn::sum(fn::mul(outputs[i], outputs[i])), Scalar(1.0 + static_cast<double>(i)));
        loss = loss.defined() ? fn::add(loss, part, Scalar(1)) : part;
    }
    TensorList all;
    for (const Tensor& t : outputs) all.push_back(detach(t));
    for (const Tensor& t : gradients_of({loss}, leaves, {}, {}, true)) all.push_back(t);
    return all;
}
TensorList network_inputs(const Network& n) {
    const std::int64_t states = n.layers * (n.bidirectional ? 2 : 1);
    TensorList inputs{n.is_packed     ? drawn({8, 4}, n.dtype)
                      : n.batch_first ? drawn({3, 5, 4}, n.dtype)
                                      : drawn({5, 3, 4}, n.dtype),
                      drawn({states, 3, 6}, n.dtype)};
    if (n.mode == Mode::Lstm) inputs.push_back(drawn({states, 3, 6}, n.dtype));
    return inputs;
}
std::vector<Network> networks() {
    std::vector<Network> all;
    for (const Mode mode : {Mode::Lstm, Mode::Gru, Mode::Tanh, Mode::Relu}) {
        all.push_back({.mode = mode});
        all.push_back({.mode = mode, .layers = 2, .bidirectional = true});
        all.push_back({.mode = mode, .layers = 3, .has_biases = false, .dtype = ScalarType::Float64});
        all.push_back({.mode = mode, .layers = 2, .bidirectional = true, .is_packed = true});
        all.push_back({.mode = mode, .batch_first = true});
        all.push_back({.mode = mode, .layers = 2, .dtype = ScalarType::Float16});
    }
    return all;
}

}  // namespace

class TestStubCudnn : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        const PluginStatus status = load_plugin(LOUPE_STUB_CUDA, true);
        QVERIFY2(status.loaded, status.reason.c_str());
    }
    void init() {
        stub_gpu::mend();
        stub_gpu::clear_counts();
    }

    // --- batch norm

    void batchNorms_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("layout");  // 0: pictures, 1: channels last, 2: sequences, 3: volumes, 4: turned
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::Float16}) {
            for (int layout = 0; layout < 5; ++layout)
                QTest::addRow("%s %d", std::string(dtype_name(dtype)).c_str(), layout)
                    << static_cast<int>(dtype) << layout;
        }
    }
    void batchNorms() {
        QFETCH(int, dtype);
        QFETCH(int, layout);
        const auto type = static_cast<ScalarType>(dtype);
        const ScalarType wide = parameters_of(type);
        const auto input = [&] {
            if (layout == 2) return drawn({4, 3, 7}, type);
            if (layout == 3) return drawn({2, 3, 2, 3, 4}, type);
            if (layout == 4) return fn::transpose(drawn({4, 3, 5, 6}, type), 2, 3);
            return layout == 1 ? channels_last(drawn({4, 3, 5, 6}, type)) : drawn({4, 3, 5, 6}, type);
        };
        const Tensor x = input(), grad = input(), w = drawn({3}, wide), b = drawn({3}, wide), mean = drawn({3}, wide),
                     variance = fn::abs(drawn({3}, wide));
        const double tolerance = tolerance_of(type);
        for (const bool training : {true, false}) {
            for (const bool has_statistics : {true, false}) {
                if (!training && !has_statistics) continue;
                const auto own = [&](const Tensor& t) { return has_statistics ? fn::clone(t) : Tensor(); };
                const Tensor m = own(mean), v = own(variance), there_m = there(own(mean)),
                             there_v = there(own(variance));
                const auto [y, save_mean, save_invstd] = kBatchNorm(x, w, b, m, v, training, 0.3, 1e-5);
                const auto [there_y, there_mean, there_invstd] =
                    kBatchNorm(there(x), there(w), there(b), there_m, there_v, training, 0.3, 1e-5);
                QVERIFY(distance(there_y, y) <= tolerance);
                QVERIFY(distance(there_m, m) <= tolerance && distance(there_v, v) <= tolerance);
                QVERIFY(std::ranges::equal(there_y.strides(), y.strides()));
                if (!training) continue;
                QVERIFY(distance(there_mean, save_mean) <= tolerance &&
                        distance(there_invstd, save_invstd) <= tolerance);
                const auto wanted =
                    kBatchNormBackward(grad, x, w, m, v, save_mean, save_invstd, true, 1e-5, flags(true, true, true));
                const auto found = kBatchNormBackward(there(grad), there(x), there(w), there_m, there_v, there_mean,
                                                      there_invstd, true, 1e-5, flags(true, true, true));
                QVERIFY(distance(std::get<0>(found), std::get<0>(wanted)) <= tolerance);
                QVERIFY(distance(std::get<1>(found), std::get<1>(wanted)) <= tolerance * 20);
                QVERIFY(distance(std::get<2>(found), std::get<2>(wanted)) <= tolerance * 20);
            }
        }
        QCOMPARE(calls("cudnnBatchNormalizationForwardTraining"), std::size_t{2});
        QCOMPARE(calls("cudnnBatchNormalizationForwardInference"), std::size_t{1});
        QCOMPARE(calls("cudnnBatchNormalizationBackward"), std::size_t{2});
        // CUDNN_BATCHNORM_SPATIAL_PERSISTENT with channels last, CUDNN_BATCHNORM_SPATIAL for the others.
        QCOMPARE(stub_gpu::library_calls("cudnnBatchNormalizationForwardTraining")[0], layout == 1 ? 2 : 1);
    }

    void whyNoBatchNorm() {
        const auto why = [](const Tensor& x, ScalarType parameters, bool training, double eps = 1e-5) {
            const auto p = [&] { return there(drawn({3}, parameters)); };
            return first_choice("aten::native_batch_norm", {there(x), p(), p(), p(), p(), IValue(training), 0.1, eps});
        };
        constexpr ScalarType kFloat = ScalarType::Float32, kHalf = ScalarType::Float16, kBrain = ScalarType::BFloat16;
        QCOMPARE(why(drawn({4, 3, 5, 5}), kFloat, true), std::string("cudnn: runs"));
        QCOMPARE(why(drawn({4, 3}), kFloat, true), std::string("cudnn: declined, 2 dimensions"));
        QCOMPARE(why(drawn({4, 3, 5, 5}, kBrain), kBrain, true), std::string("cudnn: declined, bfloat16 input"));
        QCOMPARE(why(drawn({4, 3, 5, 5}, kHalf), kHalf, true),
                 std::string("cudnn: declined, float16 input with parameters of float16"));
        QCOMPARE(why(drawn({4, 3, 5, 5}), kFloat, true, -1),
                 std::string("cudnn: declined, eps is below cuDNN's least"));
        QCOMPARE(why(drawn({1, 3, 1, 1}), kFloat, true), std::string("cudnn: declined, one element a channel"));
        QCOMPARE(why(drawn({65536, 3, 1}), kFloat, false), std::string("cudnn: declined, a batch beyond cuDNN's"));
        const Tensor x = there(drawn({4, 3, 5, 5})), none;
        QCOMPARE(first_choice("aten::native_batch_norm",
                              {x, IValue(none), IValue(none), IValue(none), IValue(none), IValue(true), 0.1, 1e-5}),
                 std::string("cudnn: declined, no weight or no bias"));
        const auto c = [] { return there(drawn({3})); };
        const auto gradient = [&](bool training, const IValue& mask) {
            return first_choice("aten::native_batch_norm_backward",
                                {x, x, c(), c(), c(), c(), c(), IValue(training), 1e-5, mask});
        };
        QCOMPARE(gradient(true, flags(true, true, true)), std::string("cudnn: runs"));
        QCOMPARE(gradient(false, flags(true, true, true)),
                 std::string("cudnn: declined, the gradient of running statistics"));
        QCOMPARE(
            gradient(true, flags(false, true, true)),
            std::string("cudnn: declined, no gradient of the input is wanted: sums alone are a kernel of our own"));
    }

    void batchNormThatFails() {
        const Tensor x = drawn({4, 3, 5, 5}), w = drawn({3}), b = drawn({3});
        const auto run = [&] {
            return std::get<0>(kBatchNorm(there(x), there(w), there(b), Tensor(), Tensor(), true, 0.1, 1e-5));
        };
        const Tensor wanted = std::get<0>(kBatchNorm(x, w, b, Tensor(), Tensor(), true, 0.1, 1e-5));
        stub_gpu::fail_library("cudnnBatchNormalizationForwardTraining", kNotSupported);
        QVERIFY(distance(run(), wanted) <= 2e-5);  // by the kernel of our own
        stub_gpu::fail_library("cudnnBatchNormalizationForwardTraining", kAllocFailed);
        QCOMPARE(failure_of(run), std::string("cuDNN error: CUDNN_STATUS_ALLOC_FAILED (a batch norm)"));
        QVERIFY(distance(run(), wanted) <= 2e-5);
    }

    // --- recurrent networks

    void recurrentNetworks_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Network& n : networks()) QTest::addRow("%s", n.name().c_str()) << index++;
    }
    void recurrentNetworks() {
        QFETCH(int, index);
        const Network n = networks()[static_cast<std::size_t>(index)];
        const TensorList inputs = network_inputs(n),
                         params = network_weights(n.mode, 4, 6, n.layers, n.has_biases, n.bidirectional, n.dtype);
        const TensorList wanted = run_network(n, Device{}, inputs, params);
        stub_gpu::clear_counts();
        const TensorList found = run_network(n, kGpu, inputs, params);
        QCOMPARE(calls("cudnnRNNForward"), std::size_t{1});
        QCOMPARE(calls("cudnnRNNBackwardData_v8"), std::size_t{1});
        QCOMPARE(calls("cudnnRNNBackwardWeights_v8"), std::size_t{1});
        QCOMPARE(found.size(), wanted.size());
        const double tolerance = tolerance_of(n.dtype);
        for (std::size_t i = 0; i < found.size(); ++i)
            QVERIFY2(relative_distance(found[i], wanted[i]) <= tolerance,
                     concat("result ", i, ": ", relative_distance(found[i], wanted[i])).c_str());
        // Where the library has no way forward or back, the layers one after the other.
        for (const char* function : {"cudnnRNNForward", "cudnnRNNBackwardData_v8"}) {
            stub_gpu::fail_library(function, kNotSupported);
            const TensorList others = run_network(n, kGpu, inputs, params);
            for (std::size_t i = 0; i < others.size(); ++i)
                QVERIFY(relative_distance(others[i], wanted[i]) <= tolerance);
        }
    }

    // Twice over what was kept, and gradients of gradients.
    void recurrentGradientsAreTakenAgain() {
        const Network n{.mode = Mode::Gru, .dtype = ScalarType::Float64};
        const TensorList inputs = network_inputs(n), params = network_weights(n.mode, 4, 6, 1, true, false, n.dtype);
        TensorList results[2];
        for (const Device device : {Device{}, kGpu}) {
            TensorList& all = results[device.is_cpu() ? 0 : 1];
            TensorList leaves;
            for (const Tensor& t : {inputs[0], inputs[1], params[0], params[1], params[2], params[3]}) {
                leaves.push_back(on_device(fn::clone(t), device));
                set_requires_grad(leaves.back(), true);
            }
            const OperatorHandle<fn::TwoTensors> gru{"aten::gru.input"};
            const auto [y, hy] = gru(leaves[0], leaves[1], TensorList(leaves.begin() + 2, leaves.end()), true, 1, 0.0,
                                     true, false, false);
            const Tensor loss = fn::sum(fn::mul(y, y));
            const TensorList first = gradients_of({loss}, leaves, {}, {.retain_graph = true}, true);
            const TensorList again = gradients_of({loss}, leaves, {}, {.retain_graph = true}, true);
            for (std::size_t i = 0; i < first.size(); ++i) QCOMPARE(distance(first[i], again[i]), 0.0);
            const TensorList recorded =
                gradients_of({loss}, leaves, {}, {.retain_graph = true, .create_graph = true}, true);
            Tensor squares;
            for (const Tensor& grad : recorded) {
                const Tensor part = fn::sum(fn::mul(grad, grad));
                squares = squares.defined() ? fn::add(squares, part, Scalar(1)) : part;
            }
            all = gradients_of({squares}, leaves, {}, {}, true);
        }
        for (std::size_t i = 0; i < results[0].size(); ++i)
            QVERIFY(relative_distance(results[1][i], results[0][i]) <= 1e-10);
    }

    // Numbers dropped between layers are the engine's: a call a layer.
    void dropoutIsBetweenTheCalls() {
        const Network n{.layers = 3};
        const TensorList inputs = network_inputs(n), params = network_weights(n.mode, 4, 6, 3, true, false, n.dtype);
        const TensorList found = run_network(n, kGpu, inputs, params, 0.5);
        QCOMPARE(calls("cudnnRNNForward"), std::size_t{3});
        QCOMPARE(calls("cudnnRNNBackwardData_v8"), std::size_t{3});
        QVERIFY(std::ranges::equal(found[0].sizes(), Dims{5, 3, 6}) &&
                std::ranges::equal(found[1].sizes(), Dims{3, 3, 6}));
        QVERIFY(distance(found[0], run_network(n, kGpu, inputs, params)[0]) > 1e-3);
    }

    // Without a gradient nothing is kept.
    void inferenceKeepsNothing() {
        const Network n{};
        const TensorList inputs = network_inputs(n), params = network_weights(n.mode, 4, 6, 1, true, false, n.dtype);
        const auto run = [&](Device device) {
            const auto at = [&](const Tensor& t) { return on_device(t, device); };
            TensorList weights;
            for (const Tensor& p : params) weights.push_back(at(p));
            return std::get<0>(kLstm(at(inputs[0]), TensorList{at(inputs[1]), at(inputs[2])}, weights, true, 1, 0.0,
                                     false, false, false));
        };
        QVERIFY(distance(run(kGpu), run(Device{})) <= 2e-5);
        QCOMPARE(calls("cudnnRNNForward"), std::size_t{1});
    }

    void whyNoNetwork() {
        const auto why = [](const Tensor& x, const Tensor& hx, const Tensor& cx, const TensorList& params,
                            const Dims& sizes) {
            return first_choice("loupe::rnn_network", {there(x), there(hx), IValue(there(cx)), IValue(there(params)),
                                                       sizes, IValue("lstm"), 1, true, false, true});
        };
        const auto weights = [](ScalarType dtype) { return network_weights(Mode::Lstm, 4, 6, 1, true, false, dtype); };
        constexpr ScalarType kFloat = ScalarType::Float32;
        const auto x = drawn({6, 4}), h = drawn({1, 3, 6});
        QCOMPARE(why(x, h, h, weights(kFloat), Dims{3, 2, 1}), std::string("cudnn: runs"));
        QCOMPARE(why(x, h, h, weights(ScalarType::Float64), Dims{3, 2, 1}),
                 std::string("cudnn: declined, mixed dtypes"));
        QCOMPARE(why(drawn({6, 4}, ScalarType::BFloat16), h, h, weights(kFloat), Dims{3, 2, 1}),
                 std::string("cudnn: declined, bfloat16 input"));
        QCOMPARE(why(x, h, h, weights(kFloat), Dims{2, 2, 2}),
                 std::string("cudnn: declined, sequences without a step"));
        QCOMPARE(why(drawn({7, 4}), h, h, weights(kFloat), Dims{3, 1, 3}),
                 std::string("cudnn: declined, sequences that are not by falling length"));
        QCOMPARE(why(x, h, drawn({1, 3, 8}), weights(kFloat), Dims{3, 2, 1}),
                 std::string("cudnn: declined, projections"));
        QCOMPARE(why(drawn({6, 5}), h, h, weights(kFloat), Dims{3, 2, 1}),
                 std::string("cudnn: declined, sizes that do not fit"));
    }

    void networkThatFails() {
        const Network n{};
        const TensorList inputs = network_inputs(n), params = network_weights(n.mode, 4, 6, 1, true, false, n.dtype);
        stub_gpu::fail_library("cudnnRNNForward", kAllocFailed);
        QCOMPARE(failure_of([&] { run_network(n, kGpu, inputs, params); }),
                 std::string("cuDNN error: CUDNN_STATUS_ALLOC_FAILED (a recurrent network)"));
        stub_gpu::fail_library("cudnnRNNBackwardWeights_v8", kAllocFailed);
        QCOMPARE(failure_of([&] { run_network(n, kGpu, inputs, params); }),
                 std::string("cuDNN error: CUDNN_STATUS_ALLOC_FAILED (a gradient of a recurrent network)"));
        QVERIFY(distance(run_network(n, kGpu, inputs, params)[0], run_network(n, Device{}, inputs, params)[0]) <= 2e-5);
    }

    // --- a model

    // What was called is what is recorded, with who computed it; the numbers are the CPU's.
    void aModelIsRecorded() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path), kSource);
        std::shared_ptr<const session::Recording> recordings[2];
        for (const bool on_gpu : {false, true}) {
            session::Session session;
            session.open(path);
            session.wait_idle();
            session::RunOptions options;
            options.device = on_gpu ? "cuda" : "cpu";
            options.backward = true;
            options.seed = 3;
            session::InputSpec input;
            input.shape = {4, 2, 6, 5};
            options.inputs = {input};
            session.run(options);
            session.wait_idle();
            QVERIFY2(session.status().state == session::RunState::Finished, session.status().error.c_str());
            recordings[on_gpu ? 1 : 0] = session.recording();
        }
        const auto outputs_of = [](const session::Recording& r, std::string_view op) {
            std::vector<double> means;
            for (session::EventId id = 1; id <= r.event_count(); ++id) {
                if (r.event(id).op != op) continue;
                for (const session::ValueId value : r.event(id).outputs) {
                    const auto& statistics = r.value(value).statistics;
                    if (statistics && statistics->finite) means.push_back(statistics->finite->mean);
                }
            }
            return means;
        };
        const auto backend_of = [](const session::Recording& r, std::string_view op) {
            for (session::EventId id = 1; id <= r.event_count(); ++id) {
                if (r.event(id).op == op) return std::string(r.event(id).backend);
            }
            return std::string("no such event");
        };
        for (const char* op : {"aten::lstm", "aten::batch_norm", "aten::linear"}) {
            const std::vector<double> want = outputs_of(*recordings[0], op), got = outputs_of(*recordings[1], op);
            QVERIFY2(!want.empty(), op);
            QCOMPARE(got.size(), want.size());
            for (std::size_t i = 0; i < want.size(); ++i)
                QVERIFY(std::abs(got[i] - want[i]) <= 1e-5 * (1 + std::abs(want[i])));
        }
        QCOMPARE(backend_of(*recordings[1], "aten::batch_norm"), std::string("cudnn"));
        QCOMPARE(backend_of(*recordings[1], "aten::linear"), std::string("cublasLt"));
        // One autograd node of all layers and directions.
        QVERIFY(backend_of(*recordings[1], "RnnNetworkBackward0") != "no such event");
        QCOMPARE(backend_of(*recordings[1], "RnnLayerBackward0"), std::string("no such event"));
        // A call a pass, as of the norm.
        QCOMPARE(calls("cudnnRNNForward"), calls("cudnnBatchNormalizationForwardTraining"));
        QCOMPARE(calls("cudnnRNNBackwardData_v8"), std::size_t{1});
    }

    // --- averages

    void averages_data() {
        QTest::addColumn<int>("spatial");
        QTest::addColumn<int>("kernel");
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("padding");
        QTest::addColumn<bool>("counts_padding");
        QTest::addColumn<bool>("is_last");
        const auto row = [](const char* name, int spatial, int kernel, int stride, int padding, bool counts,
                            bool is_last) {
            QTest::newRow(name) << spatial << kernel << stride << padding << counts << is_last;
        };
        row("all of a plane", 2, 9, 1, 0, true, false);
        row("padding counts", 2, 8, 1, 3, true, false);
        row("padding does not", 2, 8, 1, 3, false, false);
        row("channels last", 2, 8, 1, 2, false, true);
        row("volumes", 3, 4, 1, 1, false, false);
        row("steps", 2, 8, 3, 1, true, false);
    }
    void averages() {
        QFETCH(int, spatial);
        QFETCH(int, kernel);
        QFETCH(int, stride);
        QFETCH(int, padding);
        QFETCH(bool, counts_padding);
        QFETCH(bool, is_last);
        const std::string name = concat("aten::avg_pool", spatial, "d");
        const OperatorHandle<> pool{name.c_str()};
        const std::string backward_name = name + "_backward";
        const OperatorHandle<> backward{backward_name.c_str()};
        const auto each = [&](std::int64_t value) { return Dims(static_cast<std::size_t>(spatial), value); };
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::Float16}) {
            for (const bool is_batch : {true, false}) {
                if (is_last && !is_batch) continue;
                stub_gpu::clear_counts();
                const Tensor volume = drawn({2, 3, 5, 6, 7}, dtype), plane = drawn({2, 3, 9, 11}, dtype);
                Tensor x = spatial == 3 ? volume : is_last ? channels_last(plane) : plane;
                if (!is_batch) x = fn::select(x, std::int64_t{0}, std::int64_t{1});
                const auto run = [&](const Tensor& t) {
                    return pool(t, each(kernel), each(stride), each(padding), false, counts_padding, IValue());
                };
                const Tensor wanted = run(x), found = run(there(x));
                QVERIFY(distance(found, wanted) <= tolerance_of(dtype));
                QVERIFY(std::ranges::equal(found.strides(), wanted.strides()));
                QCOMPARE(calls("cudnnPoolingForward"), std::size_t{1});
                const Tensor grad = fn::cos(wanted);
                const auto turn = [&](const Tensor& g, const Tensor& t) {
                    return backward(g, t, each(kernel), each(stride), each(padding), false, counts_padding, IValue());
                };
                QVERIFY(distance(turn(there(grad), there(x)), turn(grad, x)) <= tolerance_of(dtype));
                QCOMPARE(calls("cudnnPoolingBackward"), std::size_t{stride == 1 ? 1U : 0U});
                for (const char* function : {"cudnnPoolingForward", "cudnnPoolingBackward"})
                    stub_gpu::fail_library(function, kNotSupported);
                QVERIFY(distance(run(there(x)), wanted) <= tolerance_of(dtype));
                QVERIFY(distance(turn(there(grad), there(x)), turn(grad, x)) <= tolerance_of(dtype));
                stub_gpu::mend();
            }
        }
        stub_gpu::fail_library("cudnnPoolingForward", kAllocFailed);
        const Tensor x = spatial == 3 ? drawn({2, 3, 5, 6, 7}) : drawn({2, 3, 9, 11});
        QCOMPARE(failure_of([&] {
                     pool(there(x), each(kernel), each(stride), each(padding), false, counts_padding, IValue());
                 }),
                 std::string("cuDNN error: CUDNN_STATUS_ALLOC_FAILED (a pooling)"));
    }
    void whyNoAverage() {
        const auto why = [](std::int64_t size, const Dims& kernel, const Dims& stride, bool ceil,
                            const IValue& divisor) {
            return first_choice("aten::avg_pool2d", {there(drawn({2, 3, size, size})), kernel, stride, Dims{0, 0},
                                                     IValue(ceil), IValue(true), divisor});
        };
        QCOMPARE(why(9, Dims{8, 8}, Dims{1, 1}, false, IValue()), std::string("cudnn: runs"));
        QCOMPARE(why(9, Dims{8, 8}, Dims{1, 1}, false, IValue(3)),
                 std::string("cudnn: declined, a divisor of its own"));
        QCOMPARE(why(9, Dims{2, 2}, Dims{2, 2}, false, IValue()),
                 std::string("cudnn: declined, windows of 4 elements: a loop of our own is faster below 64"));
        QCOMPARE(why(18, Dims{8, 8}, Dims{8, 8}, true, IValue()),
                 std::string("cudnn: declined, ceil_mode: windows that go beyond the padding"));
        QCOMPARE(why(16, Dims{8, 8}, Dims{8, 8}, true, IValue()), std::string("cudnn: runs"));
    }

    // --- convolutions with relu

    void convolutionsEndInRelu_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<bool>("is_last");
        QTest::addColumn<int>("spatial");
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::Float16}) {
            for (int spatial = 1; spatial <= 3; ++spatial)
                QTest::addRow("%s %d", std::string(dtype_name(dtype)).c_str(), spatial)
                    << static_cast<int>(dtype) << false << spatial;
            QTest::addRow("%s last", std::string(dtype_name(dtype)).c_str()) << static_cast<int>(dtype) << true << 2;
        }
    }
    void convolutionsEndInRelu() {
        QFETCH(int, dtype);
        QFETCH(bool, is_last);
        QFETCH(int, spatial);
        const auto type = static_cast<ScalarType>(dtype);
        const auto sized = [&](std::int64_t batch, std::int64_t channels, std::int64_t pixels) {
            Dims sizes{batch, channels};
            for (int d = 0; d < spatial; ++d) sizes.push_back(pixels + d);
            static Random random(23);
            return random_tensor(random, span_of(sizes), type);
        };
        const Tensor plain = sized(2, 4, 5), w = fn::mul_scalar(sized(6, 2, 2), Scalar(0.5)), b = drawn({6}, type);
        const Tensor x = is_last ? channels_last(plain) : plain;
        const auto each = [&](std::int64_t value) { return Dims(static_cast<std::size_t>(spatial), value); };
        const Tensor like = fn::convolution(x, w, b, each(1), each(1), each(1), false, each(0), 2);
        const Tensor z = fn::mul_scalar(fn::cos(like), Scalar(2));
        const double tolerance = tolerance_of(type) * 4;
        for (const bool has_bias : {true, false}) {
            const Tensor bias = has_bias ? b : Tensor();
            const Tensor wanted = kConvolutionRelu(x, w, bias, each(1), each(1), each(1), 2);
            const Tensor found = kConvolutionRelu(there(x), there(w), there(bias), each(1), each(1), each(1), 2);
            QVERIFY(distance(found, wanted) <= tolerance);
            QVERIFY(std::ranges::equal(found.strides(), there(fn::convolution(there(x), there(w), there(bias), each(1),
                                                                              each(1), each(1), false, each(0), 2))
                                                            .strides()));
            const Tensor sum = kConvolutionAddRelu(x, w, z, Scalar(0.5), bias, each(1), each(1), each(1), 2);
            const Tensor there_sum = kConvolutionAddRelu(there(x), there(w), there(z), Scalar(0.5), there(bias),
                                                         each(1), each(1), each(1), 2);
            QVERIFY(distance(there_sum, sum) <= tolerance);
        }
        QCOMPARE(calls("cudnnConvolutionBiasActivationForward"), std::size_t{4});
        stub_gpu::fail_library("cudnnConvolutionBiasActivationForward", kNotSupported);
        QVERIFY(distance(kConvolutionRelu(there(x), there(w), there(b), each(1), each(1), each(1), 2),
                         kConvolutionRelu(x, w, b, each(1), each(1), each(1), 2)) <= tolerance);
        stub_gpu::fail_library("cudnnConvolutionBiasActivationForward", kAllocFailed);
        QCOMPARE(failure_of([&] { kConvolutionRelu(there(x), there(w), there(b), each(1), each(1), each(1), 2); }),
                 std::string("cuDNN error: CUDNN_STATUS_ALLOC_FAILED (a convolution with relu)"));
    }
    void whyNoConvolutionWithRelu() {
        const Dims one{1, 1};
        const auto why = [&](const Tensor& x, const Tensor& z) {
            return first_choice("aten::cudnn_convolution_add_relu", {there(x), there(drawn({4, 3, 3, 3})), there(z),
                                                                     IValue(), there(drawn({4})), one, one, one, 1});
        };
        QCOMPARE(why(drawn({2, 3, 5, 5}), drawn({2, 4, 5, 5})), std::string("cudnn: runs"));
        QCOMPARE(why(drawn({2, 3, 5, 5}), drawn({4, 1, 1})),
                 std::string("cudnn: declined, what is added has other sizes or another dtype"));
        QCOMPARE(why(drawn({3, 5, 5}), drawn({4, 5, 5})), std::string("cudnn: declined, an image without a batch"));
        QCOMPARE(why(drawn({0, 3, 5, 5}), drawn({0, 4, 5, 5})), std::string("cudnn: declined, no elements"));
    }
};

QTEST_GUILESS_MAIN(TestStubCudnn)
#include "test_stub_cudnn.moc"
