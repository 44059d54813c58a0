// SPDX-License-Identifier: Apache-2.0
// CUDA graphs of the plugin for NVIDIA GPUs, on a GPU that is simulated (stub/stub_gpu.h): capture, replay, memory of
// graphs, modes, what is forbidden, and what fails; torch.cuda.CUDAGraph and what is made of it.

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/plugin/plugin_loader.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"
#include "core/runtime/graphs/captured_graph.h"
#include "core/session/queries/compile.h"
#include "core/session/queries/table.h"
#include "core/session/session.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/late_copies.h"
#include "core/tensor/pinned.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

using namespace loupe;
using namespace loupe::runtime;
using namespace loupe::session;

namespace {

constexpr Device kGpu{DeviceType::Cuda, 0};
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

DeviceInterface& gpus() { return *device_interface(DeviceType::Cuda); }

Tensor vector_on(Device device, std::int64_t count, double value) {
    const Tensor t = empty(IntSpan(&count, 1), ScalarType::Float32, device);
    fn::fill_(t, Scalar(value));
    return t;
}
double first_of(const Tensor& t) { return static_cast<double>(on_host(t).data<float>()[0]); }

template <typename Call>
std::string failure_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.message();
    }
    return "nothing failed";
}

template <typename Work>
void capture(CapturedGraph& graph, Work&& work, CaptureMode mode = CaptureMode::Global,
             std::optional<MemoryPoolId> pool = {}) {
    const StreamScope scope(gpus(), kGpu, gpus().make_stream(kGpu, 0));
    graph.begin(kGpu, pool, mode);
    try {
        work();
    } catch (...) {
        graph.reset();
        throw;
    }
    graph.end();
}

constexpr const char* kNet = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1)
        self.head = nn.Linear(4 * 6 * 6, 3)

    def forward(self, x):
        y = torch.relu(self.conv(x)) * 2
        return self.head(y.flatten(1))

model = Net()
)";

// What PyTorch's notes on CUDA graphs show.
constexpr const char* kProgram = R"(import torch
import warnings

print(torch.cuda.is_current_stream_capturing(), torch.cuda.graph_pool_handle()[0])
x = torch.zeros(5, device='cuda')
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    print(torch.cuda.is_current_stream_capturing())
    y = x * 2 + 1
for value in (1.0, 4.0):
    x.fill_(value)
    g.replay()
    print(y.tolist())
print(g.pool()[0] > 0, g.pool()[1])

# a whole step
torch.manual_seed(3)
def make():
    torch.manual_seed(5)
    net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).cuda()
    return net, torch.optim.SGD(net.parameters(), lr=0.1)
net, optimizer = make()
eager, eager_optimizer = make()
static_input = torch.randn(4, 6, device='cuda')
static_target = torch.randn(4, 3, device='cuda')
loss_of = torch.nn.MSELoss()
def step(net, optimizer, input, target):
    optimizer.zero_grad(set_to_none=True)
    loss = loss_of(net(input), target)
    loss.backward()
    optimizer.step()
    return loss
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step(net, optimizer, static_input, static_target)
torch.cuda.current_stream().wait_stream(side)
for _ in range(3):
    step(eager, eager_optimizer, static_input, static_target)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    static_loss = loss_of(net(static_input), static_target)
    static_loss.backward()
    optimizer.step()
for i in range(4):
    data, target = torch.randn(4, 6, device='cuda'), torch.randn(4, 3, device='cuda')
    static_input.copy_(data)
    static_target.copy_(target)
    graph.replay()
    loss = step(eager, eager_optimizer, data, target)
    assert torch.allclose(loss, static_loss, atol=1e-6), (loss, static_loss)
print(all(torch.allclose(a, b, atol=1e-6) for a, b in zip(net.parameters(), eager.parameters())))

# a module, forward and backward
net, _ = make()
eager, _ = make()
net = torch.cuda.make_graphed_callables(net, (torch.randn(4, 6, device='cuda', requires_grad=True),))
for i in range(3):
    a = torch.randn(4, 6, device='cuda', requires_grad=True)
    b = a.detach().clone().requires_grad_()
    net.zero_grad()
    eager.zero_grad()
    net(a).pow(2).sum().backward()
    eager(b).pow(2).sum().backward()
    assert torch.allclose(a.grad, b.grad, atol=1e-5)
    assert all(torch.allclose(p.grad, q.grad, atol=1e-5) for p, q in zip(net.parameters(), eager.parameters()))
net.eval()
print(torch.allclose(net(a), eager(b)))

# torch.compile
net, _ = make()
eager, _ = make()
fast = torch.compile(net, mode='reduce-overhead')
for i in range(6):
    a = torch.randn(4, 6, device='cuda')
    assert torch.allclose(fast(a), eager(a), atol=1e-6)
    fast(a).sum().backward()
    eager(a).sum().backward()
assert all(torch.allclose(p.grad, q.grad, atol=1e-4) for p, q in zip(net.parameters(), eager.parameters()))
with torch.no_grad():
    for i in range(6):
        a = torch.randn(4, 6, device='cuda')
        assert torch.allclose(fast(a), eager(a), atol=1e-6)
print(fast._graphed.is_captured, fast._graphed.why_not_captured)

@torch.compile(mode='reduce-overhead')
def reads(x):
    return x * x.sum().item()
for _ in range(5):
    reads(torch.ones(3, device='cuda'))
print(reads.graphed.why_not_captured)

handle = net.register_forward_hook(lambda *args: None)
fast(a)
print(fast._graphed.why_not_captured)
handle.remove()

# streams
f = torch.cuda.CUDAGraph()
with torch.cuda.graph(f):
    s = torch.cuda.Stream()
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        first = x.exp()
    second = -x
    torch.cuda.current_stream().wait_stream(s)
    both = first + second
for value in (0.0, 2.0):
    x.fill_(value)
    f.replay()
    assert torch.allclose(both, x.exp() - x)
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        s.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(s):
            x.exp()
except RuntimeError as error:
    print(str(error).split('\n')[0])

# random numbers
torch.manual_seed(9)
drawn = torch.empty(300, device='cuda')
own = torch.Generator(device='cuda')
own.manual_seed(4)
r = torch.cuda.CUDAGraph()
with torch.cuda.graph(r):
    drawn.normal_()
    other = torch.rand(10, device='cuda', generator=own)
torch.manual_seed(9)
own.manual_seed(4)
got = []
for _ in range(3):
    r.replay()
    got.append((drawn.clone(), other.clone()))
torch.manual_seed(9)
own.manual_seed(4)
want = [(torch.empty(300, device='cuda').normal_(), torch.rand(10, device='cuda', generator=own)) for _ in range(3)]
print([torch.equal(a, c) and torch.equal(b, d) for (a, b), (c, d) in zip(got, want)])

# what is kept
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('always')
    d = torch.cuda.CUDAGraph()
    d.enable_debug_mode()
    with torch.cuda.graph(d):
        z = x + 1
    d.debug_dump(FOLDER + '/graph.dot')
    e = torch.cuda.CUDAGraph()
    e.debug_dump(FOLDER + '/none.dot')
    with torch.cuda.graph(e):
        pass
print([str(w.message).split(' with ')[0].split('.')[0] for w in said])
print(open(FOLDER + '/graph.dot').read().strip())
k = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(k, capture_error_mode='relaxed'):
    z = x + 1
print(k.raw_cuda_graph() != 0)
k.instantiate()
print(k.raw_cuda_graph_exec() != 0)
try:
    g.raw_cuda_graph()
except RuntimeError as error:
    print(str(error).split(':')[0])
try:
    torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode='some').__enter__()
except RuntimeError as error:
    print(error)
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            pass
except RuntimeError as error:
    print(str(error).split('\n')[0])
print(torch.cuda.is_current_stream_capturing(), torch.cuda.current_stream() == torch.cuda.default_stream())
print(sorted({s['segment_pool_id'][0] > 0 for s in torch.cuda.memory_snapshot()}))
own = torch.cuda.memory_snapshot(g.pool())
print(len(own) > 0, {s['segment_pool_id'] == g.pool() for s in own}, sum(s['active_size'] for s in own))
)";
constexpr const char* kPrinted = R"(False 0
True
[3.0, 3.0, 3.0, 3.0, 3.0]
[9.0, 9.0, 9.0, 9.0, 9.0]
True 0
True
True
True None
torch.AcceleratorError: CUDA error: operation not permitted when stream is capturing (reading a number)
the module has hooks
CUDA error: capturing stream has unjoined work (ending a capture)
[True, True, True]
['DEBUG: calling debug_dump()', 'DEBUG: calling cudaGraphDebugDotPrint()', 'CUDA Graphs debug not enabled, set', 'The CUDA Graph is empty']
digraph dot { /* 1 nodes */ }
True
True
No cudaGraph_t is available
Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got some
CUDA error: operation failed due to a previous error during capture (ending a capture)
False True
[False, True]
True {True} 512
)";

}  // namespace

class TestStubGraphs : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        stub_gpu::set_machine({});
        const PluginStatus status = load_plugin(LOUPE_STUB_CUDA, true);
        QVERIFY2(status.loaded, status.reason.c_str());
        QVERIFY(gpus().graphs() != nullptr);
    }
    void cleanup() { stub_gpu::mend(); }

    void oneLaunchRunsAll() {
        const Tensor x = vector_on(kGpu, 100, 1);
        Tensor y;
        CapturedGraph graph;
        capture(graph, [&] {
            y = x;
            for (int i = 0; i < 10; ++i) y = fn::exp(fn::neg(y));
        });
        QCOMPARE(graph.nodes(), std::size_t{20});
        const Tensor plain = [&] {
            Tensor t = vector_on(kGpu, 100, 0.5);
            for (int i = 0; i < 10; ++i) t = fn::exp(fn::neg(t));
            return t;
        }();
        fn::fill_(x, Scalar(0.5));
        gpus().synchronize(kGpu);
        stub_gpu::clear_counts();
        graph.replay();
        QCOMPARE(stub_gpu::counts().graphs, std::size_t{1});
        QCOMPARE(stub_gpu::counts().launches, std::size_t{0});
        QCOMPARE(stub_gpu::counts().waits, std::size_t{0});
        QVERIFY(stub_gpu::pending() > 0);
        QCOMPARE(first_of(y), first_of(plain));
    }

    // --- memory

    void memoryIsKeptWhileTheGraphLives() {
        const Tensor x = vector_on(kGpu, 1 << 20, 1);
        gpus().synchronize(kGpu);
        gpus().allocator().trim();
        const auto before = gpus().memory_statistics(kGpu).reserved_bytes[0].current;
        CapturedGraph graph;
        Tensor y;
        capture(graph, [&] { y = fn::exp(fn::exp(x)); });
        const auto of_graph = [&] {
            std::size_t bytes = 0;
            for (const DeviceSegment& segment : gpus().memory_segments(kGpu))
                bytes += segment.pool.is_private() ? segment.bytes : 0;
            return bytes;
        };
        const std::size_t bytes = of_graph();
        QVERIFY(bytes >= 8 * kMebibyte);
        QVERIFY(gpus().memory_statistics(kGpu).reserved_bytes[0].current >= before + static_cast<std::int64_t>(bytes));
        Session session;
        QueryTable table;
        session.ask("memory", TableQuery{"cuda.memory"}, [&](QueryTable found) { table = std::move(found); });
        session.wait_idle();
        QVERIFY(std::ranges::any_of(table.rows, [](const auto& row) { return row[2].starts_with("graph "); }));
        // Its results are gone, its memory is not: replays write there.
        y = Tensor();
        gpus().allocator().trim();
        QCOMPARE(of_graph(), bytes);
        graph.replay();
        gpus().synchronize(kGpu);
        graph.reset();
        gpus().allocator().trim();
        QCOMPARE(of_graph(), std::size_t{0});
        QCOMPARE(gpus().memory_statistics(kGpu).reserved_bytes[0].current, before);
    }

    void blocksThatOtherStreamsUseWaitForTheEnd() {
        const StreamId side = gpus().make_stream(kGpu, 0);
        Tensor x = vector_on(kGpu, 600000, 1);
        const void* const address = x.storage()->address();
        gpus().synchronize(kGpu);
        CapturedGraph graph;
        Tensor y;
        capture(graph, [&] {
            y = fn::neg(vector_on(kGpu, 8, 1));
            gpus().note_use(address, kGpu, side);
            x = Tensor();  // events are not recorded now
        });
        gpus().synchronize(kGpu);
        const auto address_of_new = [] { return vector_on(kGpu, 600000, 1).storage()->address(); };
        address_of_new();  // now they are
        gpus().synchronize(kGpu);
        const Tensor first = vector_on(kGpu, 600000, 1), second = vector_on(kGpu, 600000, 1);
        QVERIFY(first.storage()->address() == address || second.storage()->address() == address);
    }

    // cuBLAS works in memory of the capture; a product gives what it gave.
    void productsAreCaptured() {
        const std::int64_t sizes[] = {3, 3};
        const Tensor a = empty(IntSpan(sizes, 2), ScalarType::Float32, kGpu);
        fn::fill_(a, Scalar(1));
        Tensor product;
        CapturedGraph graph;
        capture(graph, [&] { product = fn::mm(a, a); });
        for (const double value : {1.0, 2.0}) {
            fn::fill_(a, Scalar(value));
            graph.replay();
            QCOMPARE(first_of(product), 3 * value * value);
        }
        QCOMPARE(first_of(fn::mm(a, a)), 12.0);
    }

    // Of streams that fork too, whose library begins while they capture.
    void productsOfOtherStreamsAreCaptured() {
        const std::int64_t sizes[] = {3, 3};
        const Tensor a = empty(IntSpan(sizes, 2), ScalarType::Float32, kGpu);
        fn::fill_(a, Scalar(1));
        const StreamId side = gpus().make_stream(kGpu, -1);
        Tensor product, sum;
        CapturedGraph graph;
        capture(graph, [&] {
            const auto begun = gpus().make_event(kGpu), done = gpus().make_event(kGpu);
            begun->record();
            {
                const StreamScope scope(gpus(), kGpu, side);
                begun->hold_stream();
                product = fn::mm(a, a);
                done->record();
            }
            done->hold_stream();
            sum = fn::add(product, a, 1);
        });
        fn::fill_(a, Scalar(2));
        graph.replay();
        QCOMPARE(first_of(sum), 14.0);
    }

    void pinnedMemoryIsHeldByGraphs() {
        const std::int64_t size = 2000;
        const Tensor there = vector_on(kGpu, size, 0);
        const auto pinned_vector = [&] {
            const PinnedMemoryScope pinned(pinning_devices());
            return empty(IntSpan(&size, 1), ScalarType::Float32);
        };
        Tensor host = pinned_vector();
        fn::fill_(host, Scalar(3));
        const void* const address = host.storage()->address();
        gpus().synchronize(kGpu);
        CapturedGraph graph;
        capture(graph, [&] { fn::copy_(there, host, true); });
        fn::fill_(host, Scalar(4));
        graph.replay();
        QCOMPARE(first_of(there), 4.0);
        host = Tensor();
        std::vector<Tensor> others;
        for (int i = 0; i < 4; ++i) others.push_back(pinned_vector());
        QVERIFY(std::ranges::none_of(others, [&](const Tensor& t) { return t.storage()->address() == address; }));
        graph.replay();
        QCOMPARE(first_of(there), 4.0);
        graph.reset();
        gpus().synchronize(kGpu);
        bool is_given_again = false;
        for (int i = 0; i < 4; ++i) {
            others.push_back(pinned_vector());
            is_given_again = is_given_again || others.back().storage()->address() == address;
        }
        QVERIFY(is_given_again);
    }

    // --- what other threads may do

    void modesSayWhatOtherThreadsMayDo_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("fails");
        QTest::newRow("global") << static_cast<int>(CaptureMode::Global) << true;
        QTest::newRow("thread_local") << static_cast<int>(CaptureMode::ThreadLocal) << false;
        QTest::newRow("relaxed") << static_cast<int>(CaptureMode::Relaxed) << false;
    }
    // Memory that another part of the program takes from the driver by itself.
    void modesSayWhatOtherThreadsMayDo() {
        QFETCH(int, mode);
        QFETCH(bool, fails);
        const Tensor x = vector_on(kGpu, 8, 1);
        gpus().synchronize(kGpu);
        CapturedGraph graph;
        const std::string failure = failure_of([&] {
            capture(
                graph,
                [&] {
                    const Tensor y = fn::neg(x);
                    std::thread([] {
                        void* memory = nullptr;
                        if (cudaMalloc(&memory, 512) == cudaSuccess) cudaFree(memory);
                    }).join();
                },
                static_cast<CaptureMode>(mode));
        });
        QCOMPARE(failure,
                 fails ? std::string("CUDA error: operation failed due to a previous error during capture (ending a "
                                     "capture)")
                       : std::string("nothing failed"));
    }
    // The engine's own memory may be taken by any thread.
    void tensorsOfOtherThreadsAreMade() {
        const Tensor x = vector_on(kGpu, 8, 1);
        CapturedGraph graph;
        Tensor other;
        capture(graph, [&] {
            const Tensor y = fn::neg(x);
            std::thread([&] { other = vector_on(kGpu, 3 << 20, 2); }).join();
        });
        QCOMPARE(first_of(other), 2.0);
    }

    // --- what fails

    void aCaptureThatFailsLeavesTheProgramUsable() {
        const Tensor x = vector_on(kGpu, 8, 1);
        CapturedGraph graph;
        stub_gpu::fail(stub_gpu::Call::Capture, cudaErrorStreamCaptureInvalidated);
        QCOMPARE(failure_of([&] { capture(graph, [&] { fn::neg(x); }); }),
                 std::string("CUDA error: operation failed due to a previous error during capture (ending a capture)"));
        QVERIFY(!is_capturing(kGpu));
        Tensor y;
        capture(graph, [&] { y = fn::neg(x); });
        graph.replay();
        QCOMPARE(first_of(y), -1.0);
    }
    void aGraphThatCannotBeInstantiatedIsGivenUp() {
        const Tensor x = vector_on(kGpu, 8, 1);
        CapturedGraph graph;
        stub_gpu::fail(stub_gpu::Call::Instantiate, cudaErrorMemoryAllocation);
        QCOMPARE(failure_of([&] { capture(graph, [&] { fn::neg(x); }); }),
                 std::string("CUDA error: out of memory (instantiating a graph)"));
        QCOMPARE(failure_of([&] { graph.replay(); }),
                 std::string("Called CUDAGraph::replay without a preceding successful capture."));
        gpus().synchronize(kGpu);
        gpus().allocator().trim();
        QVERIFY(std::ranges::none_of(gpus().memory_segments(kGpu),
                                     [](const auto& each) { return each.pool.is_private(); }));
    }
    void aLaunchThatFailsInACaptureIsSaid() {
        const Tensor x = vector_on(kGpu, 8, 1);
        CapturedGraph graph;
        stub_gpu::fail(stub_gpu::Call::Launch, cudaErrorInvalidConfiguration);
        QCOMPARE(failure_of([&] { capture(graph, [&] { fn::neg(x); }); }),
                 std::string("CUDA error: invalid configuration argument (a loop)"));
        QCOMPARE(first_of(fn::neg(x)), -1.0);
    }
    void memoryThatRunsOutInACaptureIsSaidAsSuch() {
        const Tensor x = vector_on(kGpu, 8, 1);
        gpus().synchronize(kGpu);
        gpus().allocator().trim();
        CapturedGraph graph;
        const std::string failure = failure_of([&] { capture(graph, [&] { vector_on(kGpu, 100 << 20, 1); }); });
        QVERIFY2(failure.starts_with("CUDA out of memory. Tried to allocate 400.00 MiB."), failure.c_str());
        QCOMPARE(first_of(x), 1.0);
    }
    // Found by a replay, named by the operator.
    void faultsOfReplaysAreSaid() {
        const std::int64_t sizes[] = {4, 2}, count = 3;
        const Tensor table = empty(IntSpan(sizes, 2), ScalarType::Float32, kGpu);
        fn::fill_(table, Scalar(1));
        const Tensor index = empty(IntSpan(&count, 1), ScalarType::Int64, kGpu);
        fn::fill_(index, Scalar(1));
        gpus().synchronize(kGpu);
        CapturedGraph graph;
        Tensor y;
        capture(graph, [&] { y = fn::index_select(table, 0, index); });
        graph.replay();
        QCOMPARE(first_of(y), 1.0);
        fn::fill_(index, Scalar(9));
        graph.replay();
        const std::string failure = failure_of([&] { on_host(y); });
        QVERIFY2(failure.find("9") != std::string::npos && failure.find("aten::index_select") != std::string::npos,
                 failure.c_str());
        fn::fill_(index, Scalar(2));
        graph.replay();
        QCOMPARE(first_of(y), 1.0);
    }

    // --- torch.cuda

    void programsHaveGraphs() {
        const std::string program = folder_.filePath("program.py").toStdString();
        write_file_atomically(FileTarget(program), concat("FOLDER = '", folder_.path().toStdString(), "'\n", kProgram));
        std::string output;
        const auto evaluator = python::make_evaluator(
            python::EvaluatorOptions{.output = [&](std::string_view text) { output += text; },
                                     .error_output = [](std::string_view) {},
                                     .permissions = {.read = {}, .write = {folder_.path().toStdString()}}});
        try {
            evaluator->run_file(program);
        } catch (const python::PythonError& error) {
            output += error.traceback();
        }
        // Line by line, so that a difference is seen.
        const QStringList got = QString::fromStdString(output).split('\n'), want = QString(kPrinted).split('\n');
        for (qsizetype i = 0; i < std::min(got.size(), want.size()); ++i) QCOMPARE(got[i], want[i]);
        QCOMPARE(got.size(), want.size());
    }

    // --- the engine's compile modes

    void compilingCapturesForwardAndBackward_data() {
        QTest::addColumn<bool>("backward");
        QTest::newRow("forward") << false;
        QTest::newRow("backward") << true;
    }
    void compilingCapturesForwardAndBackward() {
        QFETCH(bool, backward);
        const std::string path = folder_.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path), kNet);
        Session session;
        session.open(path);
        session.wait_idle();
        RunOptions options;
        options.device = "cuda";
        options.backward = backward;
        InputSpec input;
        input.shape = {2, 2, 6, 6};
        options.inputs = {input};
        session.run(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        CompileReport report;
        session.ask("compile", CompileQuery{{.mode = "reduce-overhead", .pipeline = "inline", .backward = backward}},
                    [&](CompileReport got) { report = std::move(got); });
        session.wait_idle();
        QVERIFY2(report.error.empty() && report.not_timed.empty(), (report.error + report.not_timed).c_str());
        QVERIFY2(report.captured_nodes > 3, report.not_captured.c_str());
        QCOMPARE(report.captured_backward_nodes > 3, backward);
    }

  private:
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestStubGraphs)
#include "test_stub_graphs.moc"
