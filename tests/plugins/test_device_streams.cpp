// SPDX-License-Identifier: Apache-2.0
// Streams, events, pinned memory and figures of memory as the device interface has them, on the test device: work of a
// stream that is not the device's own runs as late as it may, so that what forgot to wait is seen each time.

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/dispatch/functions.h"
#include "core/plugin/plugin_loader.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"
#include "core/session/session.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/pinned.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr Device kTest{DeviceType::PrivateUse1, 1};

DeviceInterface& devices() { return *device_interface(DeviceType::PrivateUse1); }

Tensor vector_of(std::int64_t count, double value) {
    const Tensor t = empty(IntSpan(&count, 1), ScalarType::Float32, kTest);
    fn::fill_(t, Scalar(value));
    return t;
}
double first_of(const Tensor& t) { return static_cast<double>(on_host(t).data<float>()[0]); }

// On a device the sine is computed on a stream of its own.
constexpr const char* kNet = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 6)
        self.last = nn.Linear(6, 2)

    def forward(self, x):
        y = self.first(x)
        if x.device.type == 'cpu':
            z = torch.sin(y)
        else:
            side = torch.Stream(device=x.device)
            ready = torch.Event(device=x.device)
            ready.record()
            side.wait_event(ready)
            with side:
                z = torch.sin(y)
                done = side.record_event()
            done.wait()
        return self.last(torch.exp(z))

model = Net()
)";

constexpr const char* kProgram = R"(import torch
x = torch.ones(4, device='test:1')
side = torch.Stream(device='test:1')
begin = torch.Event(device='test:1', enable_timing=True)
end = torch.Event(device='test:1', enable_timing=True)
with side:
    begin.record()
    y = torch.exp(x)
    end.record()
print(end.query(), side.device)
end.synchronize()
print(begin.query(), side.query(), begin.elapsed_time(end) >= 0)
print(torch.allclose(y.cpu(), torch.ones(4).exp()))
host = torch.ones(4).pin_memory()
there = host.to('test:1', non_blocking=True)
print(host.is_pinned(), there.cpu().sum().item())
a = torch.ones(4, 4, device='test:1')
with torch.autocast('test', dtype=torch.float16):
    print((a @ a).dtype)
scaler = torch.amp.GradScaler('test', init_scale=8.0)
net = torch.nn.Linear(4, 2).to('test:1')
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
weight = net.weight.detach().clone()
scaler.scale(net(torch.ones(3, 4, device='test:1')).sum()).backward()
scaler.step(optimizer)
print(scaler.get_scale(), (weight - net.weight).detach().cpu().flatten()[:2].tolist())
optimizer.zero_grad()
scaler.update()
scaler.scale(net(torch.ones(3, 4, device='test:1')).sum() * float('inf')).backward()
scaler.step(optimizer)
scaler.update()
print(scaler.get_scale())
w = torch.ones(2, requires_grad=True)
(w.pin_memory() * 3).sum().backward()
print(w.grad.tolist())
)";
constexpr const char* kPrinted = R"(False test:1
True True True
True
True 4.0
torch.float16
8.0 [1.5, 1.5]
4.0
[3.0, 3.0]
)";

}  // namespace

class TestDeviceStreams : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins"); }

    void aMissingWaitIsSeen() {
        const Tensor x = vector_of(8, 0);
        const StreamId side = devices().make_stream(kTest, 0);
        const auto done = devices().make_event(kTest);
        {
            const StreamScope scope(devices(), kTest, side);
            fn::copy_(x, fn::exp(x));  // 1
            done->record();
        }
        const Tensor too_early = fn::neg(x);
        QVERIFY(!devices().is_pinned(x.storage()->address()));
        done->hold_stream();
        const Tensor in_time = fn::neg(x);
        QCOMPARE(first_of(too_early), 0.0);
        QCOMPARE(first_of(in_time), -1.0);
        QVERIFY(done->is_reached() && devices().is_idle(kTest, side));
    }

    void memoryBelongsToStreams() {
        const StreamId side = devices().make_stream(kTest, 0);
        Tensor x = vector_of(5000, 1);
        const void* const address = x.storage()->address();
        {
            const StreamScope scope(devices(), kTest, side);
            fn::copy_(x, fn::exp(x));
            devices().note_use(address, kTest, side);
        }
        x = Tensor();
        QVERIFY(vector_of(5000, 1).storage()->address() != address);
        devices().synchronize_stream(kTest, side);
        const Tensor a = vector_of(5000, 1), b = vector_of(5000, 1);
        QVERIFY(a.storage()->address() == address || b.storage()->address() == address);
        const DeviceMemoryStatistics figures = devices().memory_statistics(kTest);
        QVERIFY(figures.allocated_bytes[0].current >= 40000);
        QCOMPARE(figures.allocated_bytes[0].allocated - figures.allocated_bytes[0].freed,
                 figures.allocated_bytes[0].current);
        QVERIFY(figures.reserved_bytes[0].current >= figures.allocated_bytes[0].peak);
    }

    void pinnedCopiesWaitForTheirTurn() {
        const std::int64_t count = 100;
        Tensor host;
        {
            const PinnedMemoryScope pinned(&devices());
            host = empty(IntSpan(&count, 1), ScalarType::Float32);
        }
        QVERIFY(is_pinned(host));
        fn::fill_(host, Scalar(1));
        const Tensor there = vector_of(count, 0);
        const StreamId side = devices().make_stream(kTest, 0);
        {
            const StreamScope scope(devices(), kTest, side);
            fn::copy_(there, host, true);
        }
        fn::fill_(host, Scalar(2));
        QCOMPARE(first_of(there), 2.0);
    }

    void programsHaveThem() {
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

    // Each stream is a row of its own in what is recorded, and the numbers are the CPU's.
    void recordingsNameStreams() {
        const std::string path = folder_.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path), kNet);
        std::shared_ptr<const Recording> recordings[2];
        for (const bool on_device : {false, true}) {
            Session session;
            session.open(path);
            session.wait_idle();
            RunOptions options;
            options.device = on_device ? "test:1" : "cpu";
            options.seed = 3;
            InputSpec input;
            input.shape = {5, 8};
            options.inputs = {input};
            session.run(options);
            session.wait_idle();
            QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
            recordings[on_device ? 1 : 0] = session.recording();
        }
        const Recording &cpu = *recordings[0], &device = *recordings[1];
        QCOMPARE(device.event_count(), cpu.event_count());
        std::string sine, others;
        for (EventId id = 1; id <= device.event_count(); ++id) {
            const Event& event = device.event(id);
            (event.op == "aten::sin" ? sine : others) = event.device.device;
            QVERIFY(event.start >= event.device.given && event.duration >= 0);
            if (event.outputs.empty() || event.outputs.front() == 0) continue;
            const auto& got = device.value(event.outputs.front()).statistics;
            const auto& want = cpu.value(cpu.event(id).outputs.front()).statistics;
            QVERIFY(got && got->finite && want && want->finite);
            QVERIFY(qAbs(got->finite->mean - want->finite->mean) < 1e-5);
        }
        QVERIFY2(sine.starts_with("test:1, stream "), sine.c_str());
        QCOMPARE(others, std::string("test:1"));
    }

  private:
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestDeviceStreams)
#include "test_device_streams.moc"
