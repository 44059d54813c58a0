// SPDX-License-Identifier: Apache-2.0
// Capture and replay of a device's work, on the test device: replays with other contents of what is read give the
// numbers of a plain run; memory, random numbers, streams; what capture forbids, and that the program works on behind
// it.

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/plugin/plugin_loader.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"
#include "core/runtime/graphs/captured_graph.h"
#include "core/runtime/graphs/graphed_call.h"
#include "core/session/queries/compile.h"
#include "core/session/session.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

using namespace loupe;
using namespace loupe::runtime;
using namespace loupe::session;

namespace {

constexpr Device kTest{DeviceType::PrivateUse1, 1};

DeviceInterface& devices() { return *device_interface(DeviceType::PrivateUse1); }

Tensor vector_of(std::int64_t count, double value, Device device = kTest) {
    const Tensor t = empty(IntSpan(&count, 1), ScalarType::Float32, device);
    fn::fill_(t, Scalar(value));
    return t;
}
Tensor matrix_of(std::int64_t rows, std::int64_t columns, double seed, Device device = kTest) {
    const std::int64_t sizes[] = {rows, columns};
    const Tensor t = empty(IntSpan(sizes, 2), ScalarType::Float32);
    for (std::int64_t i = 0; i < t.numel(); ++i)
        t.data<float>()[i] = static_cast<float>(std::sin(seed + 0.7 * static_cast<double>(i)));
    return on_device(t, device);
}
double first_of(const Tensor& t) { return static_cast<double>(on_host(t).data<float>()[0]); }
double distance(const Tensor& a, const Tensor& b) {
    const Tensor x = on_host(fn::contiguous(a, 0)), y = on_host(fn::contiguous(b, 0));
    double most = x.numel() == y.numel() ? 0 : 1e30;
    for (std::int64_t i = 0; i < x.numel() && most < 1e30; ++i)
        most =
            std::max(most, std::abs(static_cast<double>(x.data<float>()[i]) - static_cast<double>(y.data<float>()[i])));
    return most;
}

template <typename Work>
std::string failure_of(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.message();
    }
    return "nothing failed";
}

template <typename Work>
void capture(CapturedGraph& graph, Work&& work, std::optional<MemoryPoolId> pool = {}) {
    const StreamScope scope(devices(), kTest, devices().make_stream(kTest, 0));
    graph.begin(kTest, pool, CaptureMode::Global);
    try {
        work();
    } catch (...) {
        graph.reset();
        throw;
    }
    graph.end();
}

// Two layers, mean squared error, plain descent.
struct Perceptron {
    explicit Perceptron(Device device)
        : weights{matrix_of(6, 4, 1, device), vector_of(6, 0.1, device), matrix_of(2, 6, 2, device),
                  vector_of(2, -0.1, device)} {
        for (const Tensor& each : weights) set_requires_grad(each, true);
    }
    Tensor loss(const Tensor& x, const Tensor& y) const {
        const Tensor hidden = fn::relu(fn::linear(x, weights[0], weights[1]));
        const Tensor off = fn::sub(fn::linear(hidden, weights[2], weights[3]), y, 1);
        return fn::mean(fn::mul(off, off), IValue());
    }
    Tensor step(const Tensor& x, const Tensor& y) const {
        const Tensor result = loss(x, y);
        const TensorList gradients = gradients_of({result}, weights);
        const GradModeScope no_grad(false);
        for (std::size_t i = 0; i < weights.size(); ++i)
            fn::copy_(weights[i], fn::sub(weights[i], gradients[i], 0.25), false);
        return result;
    }
    TensorList weights;
};

// What PyTorch's documentation shows of torch.accelerator.Graph, and its words for what is forbidden.
constexpr const char* kProgram = R"(import torch
x = torch.zeros(4, device='test:1')
side = torch.Stream(device='test:1')
graph = torch.accelerator.Graph()
with side, graph:
    y = (x + 1) * 2
print(y.cpu().tolist() if False else 'captured')
for value in (1.0, 5.0):
    x.fill_(value)
    graph.replay()
    print(y.cpu().tolist())
try:
    with side, graph:
        pass
except RuntimeError as error:
    print(error)
other = torch.accelerator.Graph(pool=graph.pool())
print(graph.pool()[0] > 0, graph.pool()[1])
with side, other:
    z = torch.sigmoid(y)
other.replay()
print(z.cpu()[0].item() > 0.99)


def refused(work):
    g = torch.accelerator.Graph()
    try:
        with side, g:
            work()
    except RuntimeError as error:
        print(str(error).split('\n')[0])


refused(lambda: y.sum().item())
refused(lambda: y.cpu())
refused(lambda: torch.ones(2).to('test:1'))
refused(lambda: side.synchronize())
refused(lambda: side.query())
refused(lambda: bool((y > 0).all()))
g = torch.accelerator.Graph()
for call in (g.replay, g.pool, g.instantiate, g.capture_end, g.capture_begin):
    try:
        call()
    except RuntimeError as error:
        print(str(error).split('\n')[0])
try:
    torch.accelerator.Graph(capture_error_mode='never').capture_begin()
except RuntimeError as error:
    print(error)
kept = torch.accelerator.Graph(keep_graph=True)
with side, kept:
    w = x * 3
kept.instantiate()
kept.replay()
print(w.cpu().tolist())
kept.reset()
graph.replay()
print(y.cpu()[0].item())
torch.manual_seed(7)
drawn = torch.empty(5, device='test:1')
random = torch.accelerator.Graph()
with side, random:
    drawn.uniform_()
replayed = []
for _ in range(2):
    random.replay()
    replayed.append(drawn.cpu())
torch.manual_seed(7)
plain = [torch.empty(5, device='test:1').uniform_().cpu() for _ in range(2)]
print([torch.equal(a, b) for a, b in zip(replayed, plain)], torch.equal(plain[0], plain[1]))
)";
constexpr const char* kPrinted = R"(captured
[4.0, 4.0, 4.0, 4.0]
[12.0, 12.0, 12.0, 12.0]
This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.
True 0
True
CUDA error: operation not permitted when stream is capturing (reading a number)
Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned. Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.
Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned. Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.
CUDA error: operation failed due to a previous error during capture
CUDA error: operation failed due to a previous error during capture
CUDA error: operation not permitted when stream is capturing (reading a number)
Called CUDAGraph::replay without a preceding successful capture.
Called CUDAGraph::pool() without a preceding successful capture.
capture_end() must have been called before calling instantiate
capture_end() called before capture_begin().
CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)
Unknown capture error mode. Expected `default`, `global`, `thread_local`, or `relaxed`, got never
[15.0, 15.0, 15.0, 15.0]
12.0
[True, True] False
)";

// Where no GPU is: the names, and the errors of what needs one.
constexpr const char* kWithout = R"(import torch
print(torch.cuda.is_current_stream_capturing(), len(torch.cuda.graph_pool_handle()))
for call in (lambda: torch.cuda.CUDAGraph(), lambda: torch.cuda.graph(None), lambda: torch.cuda.make_graphed_callables(
        torch.nn.Linear(2, 2), (torch.ones(1, 2),))):
    try:
        call()
    except RuntimeError as error:
        print(str(error).split('.')[0])
net = torch.compile(torch.nn.Linear(2, 2), mode='reduce-overhead')
print([net(torch.ones(1, 2)).shape for _ in range(5)][-1])
)";
constexpr const char* kPrintedWithout = R"(False 2
Found no NVIDIA driver on your system
Found no NVIDIA driver on your system
Found no NVIDIA driver on your system
torch.Size([1, 2])
)";

constexpr const char* kNet = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 6)
        self.last = nn.Linear(6, 2)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))

model = Net()
)";

// It replays a graph of its own.
constexpr const char* kReplaying = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.graph = None

    def forward(self, x):
        if x.device.type == 'cpu':
            return torch.exp(-x)
        if self.graph is None:
            self.x = x.clone()
            side = torch.Stream(device=x.device)
            self.graph = torch.accelerator.Graph()
            with side, self.graph:
                self.y = torch.exp(-self.x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()

model = Net()
)";

}  // namespace

class TestDeviceGraphs : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins"); }

    void replaysReadWhatIsThere() {
        const Tensor x = vector_of(8, 0);
        Tensor y;
        CapturedGraph graph;
        capture(graph, [&] { y = fn::mul(fn::exp(x), fn::add(x, x, 1)); });
        QVERIFY(graph.nodes() >= 3);
        for (const double value : {1.0, 0.5, -2.0}) {
            fn::fill_(x, Scalar(value));
            graph.replay();
            QVERIFY(std::abs(first_of(y) - std::exp(value) * 2 * value) < 1e-5);
        }
    }

    // Forward, backward and descent: as many steps plain and replayed.
    void aTrainingStepIsReplayed() {
        constexpr int kSteps = 6;
        const Perceptron plain(Device{}), captured(kTest);
        const Tensor x = matrix_of(5, 4, 0), y = matrix_of(5, 2, 0);
        CapturedGraph graph;
        Tensor loss;
        capture(graph, [&] { loss = captured.step(x, y); });
        double first = 0, last = 0;
        for (int i = 0; i < kSteps; ++i) {
            const Tensor own_x = matrix_of(5, 4, 0.1 * i, Device{}), own_y = matrix_of(5, 2, 0.2 * i, Device{});
            last = first_of(plain.step(own_x, own_y));
            if (i == 0) first = last;
            copy_memory(x, own_x);
            copy_memory(y, own_y);
            graph.replay();
            QVERIFY(std::abs(first_of(loss) - last) < 1e-5);
        }
        for (std::size_t i = 0; i < plain.weights.size(); ++i)
            QVERIFY(distance(plain.weights[i], captured.weights[i]) < 1e-5);
        QVERIFY(last != first);
    }

    // --- memory

    void memoryOfAGraphIsItsOwn() {
        const Tensor x = vector_of(5000, 1);
        const void* inside = nullptr;
        CapturedGraph graph;
        Tensor y;
        capture(graph, [&] {
            const Tensor between = fn::exp(x);
            inside = between.storage()->address();
            y = fn::neg(between);
        });
        const StreamId stream = devices().make_stream(kTest, 0);
        const auto is_given = [&](const void* address) {
            const StreamScope scope(devices(), kTest, stream);
            std::vector<Tensor> all;
            for (int i = 0; i < 20; ++i) all.push_back(vector_of(5000, 1));
            return std::ranges::any_of(all, [&](const Tensor& t) { return t.storage()->address() == address; });
        };
        QVERIFY(!is_given(inside));
        const auto held = [&] {
            std::int64_t blocks = 0;
            for (const DeviceSegment& segment : devices().memory_segments(kTest))
                blocks += segment.pool == graph.pool() ? 1 : 0;
            return blocks;
        };
        QVERIFY(held() >= 2);
        // A second graph may share it, and uses what the first has freed.
        CapturedGraph second;
        const void* shared = nullptr;
        {
            const StreamScope scope(devices(), kTest, stream);
            second.begin(kTest, graph.pool(), CaptureMode::Global);
            const Tensor t = fn::exp(x);
            shared = t.storage()->address();
            second.end();
        }
        QCOMPARE(second.pool(), graph.pool());
        graph.replay();
        QVERIFY(std::abs(first_of(y) + std::exp(1.0)) < 1e-5);
        const MemoryPoolId pool = graph.pool();
        graph.reset();
        const auto all = devices().memory_segments(kTest);
        QVERIFY(std::ranges::any_of(all, [&](const auto& each) { return each.pool == pool; }));
        second.reset();
        const auto then = devices().memory_segments(kTest);
        QVERIFY(std::ranges::none_of(then, [&](const auto& each) { return each.pool == pool; }));
        QVERIFY(is_given(shared));
    }

    void blocksOfACaptureAreGivenAgainInIt() {
        const Tensor x = vector_of(3000, 1);
        CapturedGraph graph;
        std::set<const void*> seen;
        capture(graph, [&] {
            for (int i = 0; i < 10; ++i) {
                const Tensor t = fn::exp(x);
                seen.insert(t.storage()->address());
            }
        });
        QVERIFY(seen.size() <= 2);
        QCOMPARE(graph.nodes(), std::size_t{10});
    }

    // --- random numbers

    void eachReplayDrawsOn() {
        const Tensor room = vector_of(1000, 0);
        seed_generators(11);
        std::vector<Tensor> plain;
        for (int i = 0; i < 3; ++i)
            plain.push_back(on_host(fn::dropout(fn::uniform_(room, 0.0, 1.0, IValue()), 0.5, true)));
        const Tensor next = on_host(fn::uniform_(room, 0.0, 1.0, IValue()));
        Tensor y;
        CapturedGraph graph;
        capture(graph, [&] { y = fn::dropout(fn::uniform_(room, 0.0, 1.0, IValue()), 0.5, true); });
        seed_generators(11);
        for (int i = 0; i < 3; ++i) {
            graph.replay();
            QCOMPARE(distance(y, plain[static_cast<std::size_t>(i)]), 0.0);
        }
        // The generator stands where it would.
        QCOMPARE(distance(fn::uniform_(room, 0.0, 1.0, IValue()), next), 0.0);
    }

    void seedsAreNotSetInACapture() {
        CapturedGraph graph;
        const std::string why = failure_of([&] { capture(graph, [] { default_generator(kTest).set_seed(5); }); });
        QVERIFY2(why.starts_with("CUDAGeneratorImpl::set_current_seed can be called during stream capture only if"),
                 why.c_str());
    }

    // --- streams

    void sideStreamsForkAndJoin() {
        const Tensor x = vector_of(100, 1);
        const StreamId side = devices().make_stream(kTest, 0);
        Tensor a, b, sum;
        CapturedGraph graph;
        capture(graph, [&] {
            const auto begun = devices().make_event(kTest), done = devices().make_event(kTest);
            a = fn::exp(x);
            begun->record();
            {
                const StreamScope scope(devices(), kTest, side);
                begun->hold_stream();
                b = fn::neg(a);
                done->record();
            }
            a = fn::mul(a, a);
            done->hold_stream();
            sum = fn::add(a, b, 1);
        });
        for (const double value : {0.0, 1.0}) {
            fn::fill_(x, Scalar(value));
            graph.replay();
            QVERIFY(std::abs(first_of(sum) - (std::exp(2 * value) - std::exp(value))) < 1e-4);
        }
    }

    void workThatIsNotJoinedFails() {
        const Tensor x = vector_of(10, 1);
        const StreamId side = devices().make_stream(kTest, 0);
        CapturedGraph graph;
        QCOMPARE(failure_of([&] {
                     capture(graph, [&] {
                         const auto begun = devices().make_event(kTest);
                         begun->record();
                         const StreamScope scope(devices(), kTest, side);
                         begun->hold_stream();
                         fn::exp(x);
                     });
                 }),
                 std::string("CUDA error: capturing stream has unjoined work"));
        // Neither stream captures any more.
        const StreamScope scope(devices(), kTest, side);
        QVERIFY(!is_capturing(kTest));
        QVERIFY(std::abs(first_of(fn::exp(x)) - std::exp(1.0)) < 1e-5);
    }

    void uncapturedWorkIsNotWaitedFor() {
        const Tensor x = vector_of(10, 1);
        const auto before = devices().make_event(kTest);
        {
            const StreamScope scope(devices(), kTest, devices().make_stream(kTest, 0));
            fn::exp(x);
            before->record();
        }
        CapturedGraph graph;
        QCOMPARE(failure_of([&] { capture(graph, [&] { before->hold_stream(); }); }),
                 std::string("CUDA error: dependency created on uncaptured work in another stream"));
    }

    // --- what capture forbids

    void isRefused_data() {
        using Work = std::function<void()>;
        QTest::addColumn<Work>("work");
        QTest::addColumn<QString>("words");
        const QString forbidden = "CUDA error: operation not permitted when stream is capturing";
        const Tensor x = vector_of(4, 1);
        QTest::newRow("device") << Work([] { devices().synchronize(kTest); }) << forbidden;
        QTest::newRow("stream") << Work([] { devices().synchronize_stream(kTest, devices().current_stream(kTest)); })
                                << forbidden;
        QTest::newRow("query") << Work([] { devices().is_idle(kTest, devices().current_stream(kTest)); }) << forbidden;
        QTest::newRow("event") << Work([] {
            const auto event = devices().make_event(kTest);
            event->record();
            event->wait();
        }) << "CUDA error: operation not permitted on an event last recorded in a capturing stream";
        QTest::newRow("item") << Work([x] { item(fn::sum(x, IValue())); }) << forbidden;
        QTest::newRow("to the host") << Work([x] { on_host(x); })
                                     << "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless";
        QTest::newRow("from the host") << Work([] { on_device(vector_of(4, 1, Device{}), kTest); })
                                       << "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless";
        QTest::newRow("fallback") << Work([] { OperatorHandle<>("aten::linalg_eigvals")(matrix_of(3, 3, 0)); })
                                  << "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless";
        const Tensor points = matrix_of(3, 3, 0);
        QTest::newRow("fallback of what is there")
            << Work([points] { OperatorHandle<>("aten::linalg_eigvals")(points); })
            << "aten::linalg_eigvals has no kernel on test:1 and is not permitted when stream is capturing: it would "
               "run on "
               "the CPU";
        QTest::newRow("nested") << Work([] {
            CapturedGraph inner;
            inner.begin(kTest, {}, CaptureMode::Global);
        }) << "CUDA error: the operation cannot be performed in the present state";
    }
    void isRefused() {
        QFETCH(std::function<void()>, work);
        QFETCH(QString, words);
        const Tensor x = vector_of(4, 2);
        CapturedGraph graph;
        const std::string why = failure_of([&] { capture(graph, work); });
        QVERIFY2(QString::fromStdString(why).startsWith(words), why.c_str());
        // The program works on, and captures.
        QVERIFY(!is_capturing(kTest));
        devices().synchronize(kTest);
        Tensor y;
        capture(graph, [&] { y = fn::neg(x); });
        graph.replay();
        QCOMPARE(first_of(y), -2.0);
    }

    // What was forbidden and caught still spoils the capture, as on CUDA.
    void aSpoiltCaptureGivesNothing() {
        CapturedGraph graph;
        QCOMPARE(failure_of([&] { capture(graph, [] { failure_of([] { devices().synchronize(kTest); }); }); }),
                 std::string("CUDA error: operation failed due to a previous error during capture"));
        QCOMPARE(failure_of([&] { graph.replay(); }),
                 std::string("Called CUDAGraph::replay without a preceding successful capture."));
    }

    void theDevicesOwnStreamIsNotCaptured() {
        CapturedGraph graph;
        QCOMPARE(
            failure_of([&] { graph.begin(kTest, {}, CaptureMode::Global); }),
            std::string("CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to "
                        "replay them on the default stream.)"));
        QCOMPARE(failure_of([&] { graph.begin(Device{}, {}, CaptureMode::Global); }),
                 std::string("Graph is not supported on device type: cpu"));
    }

    // --- programs

    void programsHaveThem_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("printed");
        QTest::newRow("torch.accelerator.Graph") << kProgram << kPrinted;
        QTest::newRow("torch.cuda without a GPU") << kWithout << kPrintedWithout;
    }
    void programsHaveThem() {
        QFETCH(QString, program);
        QFETCH(QString, printed);
        const std::string path = folder_.filePath("program.py").toStdString();
        write_file_atomically(FileTarget(path), program.toStdString());
        std::string output;
        const auto evaluator = python::make_evaluator(
            python::EvaluatorOptions{.output = [&](std::string_view text) { output += text; },
                                     .error_output = [](std::string_view) {},
                                     .permissions = {.read = {}, .write = {folder_.path().toStdString()}}});
        try {
            evaluator->run_file(path);
        } catch (const python::PythonError& error) {
            output += error.traceback();
        }
        QCOMPARE(QString::fromStdString(output), printed);
    }

    // --- calls that are captured by themselves

    void callsAreCapturedAfterTheyHaveRun() {
        const GradModeScope no_grad(false);
        const Perceptron net(kTest);
        const Tensor y = matrix_of(5, 2, 0);
        GraphedCall call([&](std::vector<IValue> given) { return IValue(net.loss(given[0].to_tensor(), y)); },
                         net.weights);
        for (int i = 0; i < 6; ++i) {
            const Tensor x = matrix_of(5, 4, i);
            const double got = first_of(call({x}).to_tensor());
            QVERIFY(std::abs(got - first_of(net.loss(x, y))) < 1e-6);
            QCOMPARE(call.is_captured(), i >= 3);
        }
        QVERIFY(call.nodes() > 3);
        QCOMPARE(call.backward_nodes(), std::size_t{0});
        // Of another size anew.
        call({matrix_of(5, 4, 1)});
        QVERIFY(call.is_captured());
        call({vector_of(4, 1)});
        QVERIFY(!call.is_captured() && call.why_not().empty());
    }

    void gradientsFlowThroughReplays() {
        const Perceptron plain(kTest), graphed(kTest);
        const Tensor y = matrix_of(5, 2, 0);
        GraphedCall call([&](std::vector<IValue> given) { return IValue(graphed.loss(given[0].to_tensor(), y)); },
                         graphed.weights);
        for (int i = 0; i < 6; ++i) {
            const Tensor x = matrix_of(5, 4, i), own = matrix_of(5, 4, i);
            set_requires_grad(x, true);
            set_requires_grad(own, true);
            backward({call({x}).to_tensor()});
            backward({plain.loss(own, y)});
            QVERIFY(distance(grad_of(x), grad_of(own)) < 1e-6);
        }
        QVERIFY(call.is_captured() && call.backward_nodes() > 3);
        // They have added up.
        for (std::size_t i = 0; i < plain.weights.size(); ++i)
            QVERIFY(distance(grad_of(plain.weights[i]), grad_of(graphed.weights[i])) < 1e-5);
        // Two forwards before their backwards: the second is not replayed over what the first needs.
        const Tensor first = call({matrix_of(5, 4, 1)}).to_tensor(), second = call({matrix_of(5, 4, 2)}).to_tensor();
        QVERIFY(!call.is_captured());
        backward({first});
        backward({second});
        backward({plain.loss(matrix_of(5, 4, 1), y)});
        backward({plain.loss(matrix_of(5, 4, 2), y)});
        QVERIFY(distance(grad_of(plain.weights[0]), grad_of(graphed.weights[0])) < 1e-5);
    }

    void whatCannotBeCapturedRunsAsItIs() {
        const GradModeScope no_grad(false);
        GraphedCall reads(
            [](std::vector<IValue> given) {
                const Tensor sum = fn::sum(given[0].to_tensor(), IValue());
                return IValue(fn::mul(given[0].to_tensor(), scalar_tensor(item(sum), ScalarType::Float32)));
            },
            {});
        for (int i = 0; i < 5; ++i) QCOMPARE(first_of(reads({vector_of(4, 2)}).to_tensor()), 16.0);
        QCOMPARE(reads.why_not(),
                 std::string("CUDA error: operation not permitted when stream is capturing (reading a number)"));
        GraphedCall falls(
            [](std::vector<IValue> given) {
                return IValue(OperatorHandle<>("aten::linalg_eigvals")(given[0].to_tensor()));
            },
            {});
        for (int i = 0; i < 5; ++i) falls({matrix_of(3, 3, i)});
        QVERIFY2(falls.why_not().starts_with("aten::linalg_eigvals has no kernel on test:1"), falls.why_not().c_str());
        GraphedCall host([](std::vector<IValue> given) { return given[0]; }, {});
        for (int i = 0; i < 5; ++i) host({vector_of(3, 1, Device{})});
        QCOMPARE(host.why_not(), std::string("inputs are on the CPU"));
    }

    void aCallInACaptureIsAPartOfIt() {
        const GradModeScope no_grad(false);
        const Tensor x = vector_of(8, 1);
        GraphedCall call([](std::vector<IValue> given) { return IValue(fn::exp(fn::neg(given[0].to_tensor()))); }, {});
        for (int i = 0; i < 5; ++i) call({x});
        QVERIFY(call.is_captured());
        CapturedGraph graph;
        Tensor y;
        capture(graph, [&] { y = call({x}).to_tensor(); });
        QCOMPARE(graph.nodes(), std::size_t{2});
        fn::fill_(x, Scalar(2));
        graph.replay();
        QVERIFY(std::abs(first_of(y) - std::exp(-2.0)) < 1e-6);
        QCOMPARE(call.note(), std::string("not captured: it is a part of another capture"));
    }

    // --- the engine's compile modes, and recordings

    void compilingSaysWhetherItWasCaptured() {
        const std::string path = folder_.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path), kNet);
        for (const bool on_device : {true, false}) {
            Session session;
            session.open(path);
            session.wait_idle();
            RunOptions options;
            options.device = on_device ? "test:1" : "cpu";
            InputSpec input;
            input.shape = {5, 8};
            options.inputs = {input};
            session.run(options);
            session.wait_idle();
            CompileReport report;
            session.ask("compile", CompileQuery{{.mode = "reduce-overhead"}},
                        [&](CompileReport got) { report = std::move(got); });
            session.wait_idle();
            QVERIFY2(report.error.empty() && report.not_timed.empty(), (report.error + report.not_timed).c_str());
            if (on_device)
                QVERIFY2(report.captured_nodes > 2 && report.not_captured.empty(), report.not_captured.c_str());
            else
                QCOMPARE(report.not_captured, std::string("inputs are on the CPU"));
        }
    }

    void aReplayIsOneRow() {
        const Tensor x = vector_of(8, 1);
        Tensor y;
        CapturedGraph graph;
        capture(graph, [&] { y = fn::exp(fn::neg(x)); });
        struct Rows final : ExecutionObserver {
            std::vector<std::string> names;
            void before_operator(const OperatorCall& call) override { names.emplace_back(call.name); }
        } rows;
        {
            const ObserverScope observed(&rows);
            graph.replay();
        }
        QCOMPARE(rows.names, (std::vector<std::string>{"graph replay (2 nodes)"}));
        // A call that is graphed is observed operator by operator.
        const GradModeScope no_grad(false);
        GraphedCall call([](std::vector<IValue> given) { return IValue(fn::exp(fn::neg(given[0].to_tensor()))); }, {});
        for (int i = 0; i < 5; ++i) call({x});
        QVERIFY(call.is_captured());
        rows.names.clear();
        {
            const ObserverScope observed(&rows);
            call({x});
        }
        QCOMPARE(rows.names, (std::vector<std::string>{"aten::neg", "aten::exp"}));
    }

    void recordingsHaveAReplayAsOneEvent() {
        const std::string path = folder_.filePath("replaying.py").toStdString();
        write_file_atomically(FileTarget(path), kReplaying);
        Session session;
        session.open(path);
        session.wait_idle();
        RunOptions options;
        options.device = "test:1";
        InputSpec input;
        input.shape = {5, 8};
        options.inputs = {input};
        session.run(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        const auto recording = session.recording();
        std::vector<std::string> names;
        for (EventId id = 1; id <= recording->event_count(); ++id) {
            names.emplace_back(recording->event(id).op);
            if (names.back().starts_with("graph"))
                QCOMPARE(std::string(recording->event(id).device.device), std::string("test:1"));
        }
        QCOMPARE(names,
                 (std::vector<std::string>{"aten::clone", "aten::copy_", "graph replay (2 nodes)", "aten::clone"}));
    }

  private:
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestDeviceGraphs)
#include "test_device_graphs.moc"
