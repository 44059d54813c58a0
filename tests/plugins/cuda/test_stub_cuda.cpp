// SPDX-License-Identifier: Apache-2.0
// The plugin for NVIDIA GPUs on a GPU that is simulated (stub/stub_gpu.h): what it says where it cannot be used,
// streams, memory of streams, copies beside the host, how exact products are, and what happens when something fails.

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/plugin/plugin_loader.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"
#include "core/session/queries/table.h"
#include "core/session/session.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/pinned.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

using namespace loupe;
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
Tensor bytes_on(Device device, std::size_t bytes) {
    const auto count = static_cast<std::int64_t>(bytes);
    return empty(IntSpan(&count, 1), ScalarType::UInt8, device);
}
Tensor matrix_on_gpu(std::int64_t rows, std::int64_t columns, double value) {
    const std::int64_t sizes[] = {rows, columns};
    const Tensor t = empty(IntSpan(sizes, 2), ScalarType::Float32, kGpu);
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

constexpr const char* kSource = R"(
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

// What torch.cuda's documentation says of it; sizes are those of its allocator.
constexpr const char* kProgram = R"(import torch
from torch.utils.data import DataLoader, TensorDataset

side = torch.cuda.Stream()
print(isinstance(side, torch.cuda.Stream), side.device, side.query(), side.cuda_stream != 0)
x = torch.ones(1000, device='cuda')
torch.cuda.synchronize()
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
with torch.cuda.stream(side):
    print(torch.cuda.current_stream() == side, torch.cuda.default_stream() == side)
    begin.record()
    y = x * 3
    end.record()
print(torch.cuda.current_stream() == torch.cuda.default_stream())
torch.cuda.current_stream().wait_stream(side)
y.record_stream(torch.cuda.current_stream())
print((y + 1).sum().item())
end.synchronize()
print(begin.elapsed_time(end) >= 0, side.query(), end.query())
try:
    torch.cuda.Event().elapsed_time(end)
except ValueError as error:
    print(error)

host = torch.arange(6.).pin_memory()
print(host.is_pinned(), torch.empty(3, pin_memory=True).is_pinned(), torch.ones(2).is_pinned())
there = host.to('cuda', non_blocking=True)
back = there.to('cpu', non_blocking=True)
torch.cuda.synchronize()
print(there.device, back.is_pinned(), back.tolist())
for batch in DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, pin_memory=True):
    print(type(batch).__name__, batch[0].is_pinned())

torch.cuda.empty_cache()
torch.cuda.reset_peak_memory_stats()
before = torch.cuda.memory_allocated()
t = torch.empty(1000, device='cuda')
print(torch.cuda.memory_allocated() - before, torch.cuda.memory_reserved() % (2 << 20))
print(torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated())
print(torch.cuda.memory_stats()['allocated_bytes.all.current'] == torch.cuda.memory_allocated())
print({len(line) for line in torch.cuda.memory_summary().split('\n')[:-1]})
free, total = torch.cuda.mem_get_info()
print(0 < free < total, total >> 20)
print(sum(s['total_size'] for s in torch.cuda.memory_snapshot()) == torch.cuda.memory_reserved())

with torch.autocast('cuda', dtype=torch.float16):
    product = torch.ones(4, 4, device='cuda') @ torch.ones(4, 4, device='cuda')
    print(product.dtype, product.sum().item(), torch.softmax(product, -1).dtype)
net = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.25)
weight = net.weight.detach().clone()
scaler = torch.amp.GradScaler('cuda', init_scale=4.0)
scaler.scale(net(torch.ones(3, 4, device='cuda')).sum()).backward()
scaler.step(optimizer)
scaler.update()
print(scaler.is_enabled(), scaler.get_scale(), torch.allclose(weight - net.weight, torch.tensor(0.75, device='cuda')))
try:
    torch.zeros(1, device='cuda:3')
except RuntimeError as error:
    print(type(error).__name__, str(error).split('\n')[0])
)";
constexpr const char* kPrinted = R"(True cuda:0 True True
True False
True
4000.0
True True True
Both events must be created with argument 'enable_timing=True'.
True True False
cuda:0 True [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
list True
list True
4096 0
True
True
{77}
True 256
True
torch.float16 64.0 torch.float32
True 4.0 True
AcceleratorError CUDA error: invalid device ordinal
)";

RunOptions options_on(const std::string& device) {
    RunOptions options;
    options.device = device;
    options.backward = true;
    options.seed = 3;
    InputSpec input;
    input.shape = {2, 2, 6, 6};
    options.inputs = {input};
    return options;
}

}  // namespace

class TestStubCuda : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        path_ = folder_.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path_), kSource);
    }

    // --- where it cannot be used

    void saysWhyItCannotBeUsed_data() {
        QTest::addColumn<stub_gpu::Machine>("machine");
        QTest::addColumn<std::string>("reason");
        const int needed = CUDART_VERSION;
        QTest::newRow("no driver") << stub_gpu::Machine{.driver = 0}
                                   << std::string("no NVIDIA driver is installed on this machine");
        QTest::newRow("old driver") << stub_gpu::Machine{.driver = 11080}
                                    << concat("the NVIDIA driver is too old: it knows CUDA 11.8, the plugin needs ",
                                              needed / 1000, ".", needed % 1000 / 10);
        QTest::newRow("no device") << stub_gpu::Machine{.devices = 0}
                                   << std::string("no CUDA device is in this machine, or none is visible to it");
        QTest::newRow("old device") << stub_gpu::Machine{.capability = 75}
                                    << std::string(
                                           "cuda:0, Stub GPU, has compute capability 7.5, the plugin is built "
                                           "for 9.0 and later (LOUPE_CUDA_ARCHITECTURES)");
        QTest::newRow("cuBLAS") << stub_gpu::Machine{.cublas = 12}
                                << concat("cuBLAS 12 was found, the plugin needs cuBLAS ", stub_gpu::Machine().cublas);
        QTest::newRow("cuDNN") << stub_gpu::Machine{.cudnn = 8907}
                               << std::string("cuDNN 8 was found, the plugin needs cuDNN 9");
    }
    void saysWhyItCannotBeUsed() {
        QFETCH(stub_gpu::Machine, machine);
        QFETCH(std::string, reason);
        stub_gpu::set_machine(machine);
        const PluginStatus status = load_plugin(LOUPE_STUB_CUDA, true);
        QVERIFY(!status.loaded);
        QCOMPARE(status.reason, reason);
        QVERIFY(device_interface(DeviceType::Cuda) == nullptr);
        QVERIFY_THROWS_EXCEPTION(Error, vector_on(kGpu, 3, 1));
    }

    void isLoaded() {
        stub_gpu::set_machine({});
        const PluginStatus status = load_plugin(LOUPE_STUB_CUDA, true);
        QVERIFY2(status.loaded, status.reason.c_str());
        QCOMPARE(gpus().count(), 1);
        QCOMPARE(gpus().properties(kGpu).name, std::string("Stub GPU"));
        QCOMPARE(gpus().properties(kGpu).major, 9);
    }

    // --- it computes

    void aModelRunsAsOnTheCpu() {
        std::shared_ptr<const Recording> recordings[2];
        for (const bool on_gpu : {false, true}) {
            Session session;
            session.open(path_);
            session.wait_idle();
            session.run(options_on(on_gpu ? "cuda" : "cpu"));
            session.wait_idle();
            QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
            recordings[on_gpu ? 1 : 0] = session.recording();
        }
        const Recording &cpu = *recordings[0], &gpu = *recordings[1];
        QCOMPARE(gpu.event_count(), cpu.event_count());
        for (ValueId id = 1; id <= cpu.value_count(); ++id) {
            const auto &want = cpu.value(id).statistics, &got = gpu.value(id).statistics;
            QCOMPARE(got.has_value(), want.has_value());
            if (!want || !want->finite) continue;
            QVERIFY(std::abs(got->finite->mean - want->finite->mean) <= 1e-5 * (1 + std::abs(want->finite->mean)));
            QVERIFY(std::abs(got->finite->max - want->finite->max) <= 1e-5 * (1 + std::abs(want->finite->max)));
        }
    }

    // --- streams

    // Each stream has its turn; without a wait what another makes is not there.
    void streamsWaitForEachOther() {
        const StreamId stream = gpus().make_stream(kGpu, 0);
        QVERIFY(stream != 0);
        const Tensor x = vector_on(kGpu, 8, 0);
        gpus().synchronize(kGpu);
        std::unique_ptr<DeviceEvent> done = gpus().make_event(kGpu);
        {
            const StreamScope scope(gpus(), kGpu, stream);
            QCOMPARE(gpus().current_stream(kGpu), stream);
            fn::fill_(x, Scalar(3));
            done->record();
        }
        QCOMPARE(gpus().current_stream(kGpu), StreamId{0});
        QVERIFY(!done->is_reached());
        const Tensor too_early = fn::add(x, scalar_tensor(1, ScalarType::Float32), Scalar(1));
        gpus().synchronize_stream(kGpu, 0);
        QVERIFY(!done->is_reached());
        done->hold_stream();
        const Tensor in_time = fn::add(x, scalar_tensor(1, ScalarType::Float32), Scalar(1));
        gpus().synchronize_stream(kGpu, 0);
        QVERIFY(done->is_reached());
        QCOMPARE(first_of(too_early), 1.0);
        QCOMPARE(first_of(in_time), 4.0);
    }

    // What is looked at is what its stream has made of it.
    void theHostSeesWhatAnyStreamHasMade() {
        const StreamId stream = gpus().make_stream(kGpu, -1);
        Tensor x;
        {
            const StreamScope scope(gpus(), kGpu, stream);
            x = vector_on(kGpu, 8, 5);
        }
        QVERIFY(stub_gpu::pending() > 0);
        QCOMPARE(first_of(x), 5.0);
    }

    void eventsTimeStreams() {
        const StreamId stream = gpus().make_stream(kGpu, 0);
        const StreamScope scope(gpus(), kGpu, stream);
        const auto begin = gpus().make_event(kGpu), end = gpus().make_event(kGpu);
        begin->record();
        const Tensor x = vector_on(kGpu, 100000, 1);
        for (int i = 0; i < 20; ++i) fn::mul_(x, scalar_tensor(1.0, ScalarType::Float32));
        end->record();
        end->wait();
        QVERIFY(begin->is_reached());
        QVERIFY(end->milliseconds_since(*begin) > 0);
    }

    // 32 of each kind, as in PyTorch, then again from the first.
    void streamsAreGivenInTurn() {
        std::vector<StreamId> first, second;
        for (int i = 0; i < 32; ++i) first.push_back(gpus().make_stream(kGpu, 0));
        for (int i = 0; i < 32; ++i) second.push_back(gpus().make_stream(kGpu, 0));
        QCOMPARE(first, second);
        std::sort(first.begin(), first.end());
        QVERIFY(std::unique(first.begin(), first.end()) == first.end());
        QVERIFY(std::ranges::find(first, gpus().make_stream(kGpu, -1)) == first.end());
    }

    // --- memory

    void figuresAreThoseOfPyTorchsAllocator() {
        gpus().synchronize(kGpu);
        gpus().allocator().trim();
        const DeviceMemoryStatistics before = gpus().memory_statistics(kGpu);
        const Tensor small = bytes_on(kGpu, 1000);            // 1024 of a segment of 2 MiB
        const Tensor middle = bytes_on(kGpu, 3 * kMebibyte);  // of a segment of 20 MiB
        Tensor large = bytes_on(kGpu, 18 * kMebibyte);        // a segment of its own
        const DeviceMemoryStatistics now = gpus().memory_statistics(kGpu);
        const auto grown = [&](PoolFigures DeviceMemoryStatistics::*figure, std::size_t pool) {
            return (now.*figure)[pool].current - (before.*figure)[pool].current;
        };
        const auto mebibytes = [](std::int64_t count) { return count * static_cast<std::int64_t>(kMebibyte); };
        QCOMPARE(grown(&DeviceMemoryStatistics::allocated_bytes, 1), std::int64_t{1024});
        QCOMPARE(grown(&DeviceMemoryStatistics::allocation, 0), std::int64_t{3});
        QCOMPARE(grown(&DeviceMemoryStatistics::requested_bytes, 0), 1000 + mebibytes(21));
        QVERIFY(grown(&DeviceMemoryStatistics::reserved_bytes, 2) >= mebibytes(18 + 20));
        // All that is reserved is either given, or free.
        std::size_t reserved = 0, free = 0;
        for (const DeviceSegment& segment : gpus().memory_segments(kGpu)) {
            reserved += segment.bytes;
            std::size_t sum = 0;
            for (const DeviceSegment::Block& block : segment.blocks) {
                sum += block.bytes;
                free += block.is_free ? block.bytes : 0;
            }
            QCOMPARE(sum, segment.bytes);
        }
        QCOMPARE(static_cast<std::int64_t>(reserved), now.reserved_bytes[0].current);
        QCOMPARE(static_cast<std::int64_t>(reserved - free), now.allocated_bytes[0].current);
        QCOMPARE(gpus().memory_room(kGpu).total, stub_gpu::machine().memory);
        // A block that is freed is kept, and given again.
        const void* const address = large.storage()->address();
        large = Tensor();
        QCOMPARE(gpus().memory_statistics(kGpu).reserved_bytes[0].current, now.reserved_bytes[0].current);
        QVERIFY(bytes_on(kGpu, 18 * kMebibyte).storage()->address() == address);
    }

    void theWindowHasATableOfSegments() {
        const Tensor held = bytes_on(kGpu, 5 * kMebibyte);
        Session session;
        QueryTable table;
        session.ask("memory", TableQuery{"cuda.memory"}, [&](QueryTable found) { table = std::move(found); });
        session.wait_idle();
        QVERIFY2(table.error.empty(), table.error.c_str());
        QCOMPARE(table.rows.size(), gpus().memory_segments(kGpu).size());
        QVERIFY2(table.note.starts_with("cuda:0: ") && table.note.find(" kept for reuse in ") != std::string::npos,
                 table.note.c_str());
    }

    // A freed block is given again to its stream alone, at once; one that another stream works with when that is done.
    void eachStreamHasBlocksOfItsOwn() {
        const StreamId stream = gpus().make_stream(kGpu, 0);
        const auto address_of_new = [] { return vector_on(kGpu, 600000, 1).storage()->address(); };
        const void* const own = address_of_new();
        QVERIFY(address_of_new() == own);
        {
            const StreamScope scope(gpus(), kGpu, stream);
            QVERIFY(address_of_new() != own);
        }
        Tensor shared = vector_on(kGpu, 600000, 1);
        QVERIFY(shared.storage()->address() == own);
        gpus().synchronize(kGpu);
        {
            const StreamScope scope(gpus(), kGpu, stream);
            fn::mul_(shared, scalar_tensor(2.0, ScalarType::Float32));
            gpus().note_use(shared.storage()->address(), kGpu, stream);
        }
        shared = Tensor();
        QVERIFY(address_of_new() != own);
        gpus().synchronize_stream(kGpu, stream);
        QVERIFY(address_of_new() == own);
    }

    void outOfMemoryFreesTheCacheAndTriesOnceMore() {
        gpus().synchronize(kGpu);
        gpus().allocator().trim();
        const std::size_t used = stub_gpu::counts().reserved;
        stub_gpu::set_memory(used + 64 * kMebibyte);
        { const Tensor kept = bytes_on(kGpu, 40 * kMebibyte); }
        const auto retries = gpus().memory_statistics(kGpu).retries;
        const Tensor other = bytes_on(kGpu, 60 * kMebibyte);  // beside the freed 40 there is no room
        QCOMPARE(gpus().memory_statistics(kGpu).retries, retries + 1);
        const std::string failure = failure_of([] { bytes_on(kGpu, 80 * kMebibyte); });
        QVERIFY2(failure.starts_with("CUDA out of memory. Tried to allocate 80.00 MiB. GPU 0 has a total capacity of "),
                 failure.c_str());
        QVERIFY(failure.find(" is reserved but unallocated.") != std::string::npos);
        QCOMPARE(gpus().memory_statistics(kGpu).out_of_memory, std::int64_t{1});
        stub_gpu::set_memory(stub_gpu::Machine().memory);
        QCOMPARE(first_of(vector_on(kGpu, 4, 2)), 2.0);
    }

    // --- memory of the host that is pinned

    void copiesFromPinnedMemoryGoBesideTheHost() {
        const std::int64_t size = 1000;
        Tensor host;
        {
            const PinnedMemoryScope pinned(pinning_devices());
            host = empty(IntSpan(&size, 1), ScalarType::Float32);
        }
        fn::fill_(host, Scalar(7));
        QVERIFY(is_pinned(host) && !is_pinned(vector_on(Device{}, size, 1)));
        const Tensor there = empty(IntSpan(&size, 1), ScalarType::Float32, kGpu);
        gpus().synchronize(kGpu);
        stub_gpu::clear_counts();
        fn::copy_(there, host, true);
        QCOMPARE(stub_gpu::counts().waits, std::size_t{0});
        QCOMPARE(stub_gpu::counts().copies.size(), std::size_t{1});
        QVERIFY(stub_gpu::counts().copies[0].is_late && stub_gpu::pending() > 0);
        // The copy reads what is there when its turn comes.
        fn::fill_(host, Scalar(8));
        QCOMPARE(first_of(there), 8.0);
        // Memory that is not pinned is taken before the call returns.
        stub_gpu::clear_counts();
        fn::copy_(there, vector_on(Device{}, size, 9), true);
        QCOMPARE(first_of(there), 9.0);
    }

    // A block that is released while it is copied is not given again before.
    void pinnedMemoryIsKeptUntilItIsCopied() {
        const std::int64_t size = 5000;
        const Tensor there = empty(IntSpan(&size, 1), ScalarType::Float32, kGpu);
        gpus().synchronize(kGpu);
        const auto pinned_vector = [&] {
            const PinnedMemoryScope pinned(pinning_devices());
            return empty(IntSpan(&size, 1), ScalarType::Float32);
        };
        const void* address = nullptr;
        {
            const Tensor host = pinned_vector();
            address = host.storage()->address();
            fn::fill_(host, Scalar(1));
            fn::copy_(there, host, true);
        }
        QVERIFY(pinned_vector().storage()->address() != address);
        gpus().synchronize(kGpu);
        std::vector<Tensor> held;
        bool is_given_again = false;
        for (int i = 0; i < 4; ++i) {
            held.push_back(pinned_vector());
            is_given_again = is_given_again || held.back().storage()->address() == address;
        }
        QVERIFY(is_given_again);
    }

    // --- torch.cuda

    void programsHaveStreamsPinnedMemoryAndFigures() {
        const std::string program = folder_.filePath("program.py").toStdString();
        write_file_atomically(FileTarget(program), kProgram);
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
        QCOMPARE(QString::fromStdString(output).split('\n'), QString(kPrinted).split('\n'));
    }

    // --- how exact products are

    void tf32IsASetting() {
        // 1 + 2^-12 needs more bits than TF32's ten.
        const double value = 1 + std::ldexp(1.0, -12);
        const Tensor a = matrix_on_gpu(1, 1, value);
        const auto product = [&] { return first_of(fn::mm(a, a)); };
        const double exact = static_cast<double>(static_cast<float>(value * value));
        QCOMPARE(product(), exact);
        set_device_math({.products_in_tf32 = true});
        QCOMPARE(product(), 1.0);
        set_device_math({});
        QCOMPARE(product(), exact);
    }

    // --- what fails

    void anIndexOutOfRangeNamesTheOperatorAndTheValue() {
        const Tensor table = matrix_on_gpu(4, 2, 1);
        const std::int64_t count = 3;
        const Tensor index = empty(IntSpan(&count, 1), ScalarType::Int64, kGpu);
        fn::fill_(index, Scalar(9));
        const std::string failure = failure_of([&] { on_host(fn::index_select(table, 0, index)); });
        QVERIFY2(failure.find("9") != std::string::npos && failure.find("aten::index_select") != std::string::npos,
                 failure.c_str());
    }

    void aLaunchThatFailsIsSaidAndTheDeviceWorksOn() {
        const Tensor x = vector_on(kGpu, 8, 1);
        stub_gpu::fail(stub_gpu::Call::Launch, cudaErrorInvalidConfiguration);
        QCOMPARE(failure_of([&] { fn::relu(x); }), std::string("CUDA error: invalid configuration argument (a loop)"));
        QCOMPARE(first_of(fn::relu(x)), 1.0);
    }

    void aRunThatIsOutOfMemoryStaysToBeSeen() {
        Session session;
        session.open(path_);
        session.wait_idle();
        session.run(options_on("cuda"));
        session.wait_idle();
        const std::size_t whole = session.recording()->event_count();
        gpus().allocator().trim();
        // Room for a segment of 20 MiB: forward fits.
        RunOptions options = options_on("cuda");
        options.inputs[0].shape = {10000, 2, 6, 6};
        stub_gpu::set_memory(stub_gpu::counts().reserved + 24 * kMebibyte);
        session.run(options);
        session.wait_idle();
        stub_gpu::set_memory(stub_gpu::Machine().memory);
        QVERIFY(session.status().state == RunState::Failed);
        QVERIFY2(session.status().error.find("CUDA out of memory. Tried to allocate") != std::string::npos,
                 session.status().error.c_str());
        const auto recording = session.recording();
        QVERIFY(recording != nullptr && recording->event_count() > 0 && recording->event_count() < whole);
        // Who holds what stands at the event.
        const Event& last = recording->event(static_cast<EventId>(recording->event_count()));
        QVERIFY2(last.failed && last.error.find("held then: ") != std::string::npos, last.error.c_str());
        session.run(options_on("cuda"));
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    }

    // The last: this process has no device any more.
    void aLostDeviceIsSaidWithTheOperatorAndTheCpuGoesOn() {
        Session session;
        session.open(path_);
        session.wait_idle();
        stub_gpu::clear_counts();
        session.run(options_on("cuda"));
        session.wait_idle();
        QVERIFY(session.status().state == RunState::Finished);
        const auto whole = session.recording();
        // In the middle of it.
        stub_gpu::fail(stub_gpu::Call::Kernel, cudaErrorIllegalAddress,
                       static_cast<int>(stub_gpu::counts().launches / 2));
        session.run(options_on("cuda"));
        session.wait_idle();
        QVERIFY(session.status().state == RunState::Failed);
        const std::string said = session.status().error;
        QVERIFY2(said.find("an illegal memory access was encountered") != std::string::npos, said.c_str());
        QVERIFY2(said.find("restart the engine, or run on the CPU") != std::string::npos, said.c_str());
        // What was recorded is kept, and says where it stopped.
        const auto recording = session.recording();
        QVERIFY(recording != nullptr && recording->event_count() > 0);
        std::string where;
        for (EventId id = 1; id <= recording->event_count(); ++id) {
            const Event& event = recording->event(id);
            if (!event.failed || !event.error.starts_with("the device stopped at this operator")) continue;
            where = event.op;
            QVERIFY(id > 1 && id < whole->event_count());
            QCOMPARE(where, std::string(whole->event(id).op));
        }
        QVERIFY(!where.empty());
        QVERIFY(!gpus().why_lost(kGpu).empty() && any_device_lost());
        // Not again; and memory that it held is let go without a word.
        session.run(options_on("cuda"));
        session.wait_idle();
        QVERIFY(session.status().state == RunState::Failed);
        QVERIFY2(session.status().error.find("was lost: CUDA error: an illegal memory access") != std::string::npos,
                 session.status().error.c_str());
        // The weights are gone with the device: it says so, and the model is there again when it is opened.
        session.run(options_on("cpu"));
        session.wait_idle();
        QVERIFY2(session.status().error.find("the model's weights were on cuda:0, which was lost") != std::string::npos,
                 session.status().error.c_str());
        session.open(path_);
        session.wait_idle();
        session.run(options_on("cpu"));
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
    }

  private:
    QTemporaryDir folder_;
    std::string path_;
};

QTEST_GUILESS_MAIN(TestStubCuda)
#include "test_stub_cuda.moc"
