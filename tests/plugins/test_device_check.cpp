// SPDX-License-Identifier: Apache-2.0
// Each operator of a run held against the same one on the test device: kernels that are right are found so, whatever
// the roundings before them; one that is wrong on purpose is named, forward or backward.

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/model/program.h"
#include "core/plugin/plugin_loader.h"
#include "core/session/session.h"
#include "core/study/device_check.h"
#include "core/study/reference_run.h"
#include "core/tensor/device_copy.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr Device kTest{DeviceType::PrivateUse1, 1};

constexpr const char* kSource = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 32)
        self.norm = nn.LayerNorm(32)
        self.last = nn.Linear(32, 8)

    def forward(self, x):
        y = torch.tanh(self.norm(self.first(x)))
        return torch.log_softmax(self.last(torch.sin(y)), -1)

model = Net()
)";

// What is wrong of the kernel.
enum class Wrong { Nothing, OneElement, ItThrows };
Wrong wrong = Wrong::Nothing;

void wrong_sin(const Tensor& out, const Tensor& self) {
    if (wrong == Wrong::ItThrows) throw Error(ErrorKind::Run, "this kernel does not work");
    const Tensor host = fn::sin(on_host(self));
    if (wrong == Wrong::OneElement) host.data<float>()[5] += 0.25F;
    copy_memory(out, on_device(host, out.device()));
}
bool is_wrong(Arguments arguments, std::string*) {
    return wrong != Wrong::Nothing && arguments[0].to_tensor().device() == kTest;
}
// Of tanh's derivative, which is an operator of its own.
bool is_gradient_wrong = false;
void wrong_tanh_backward(const Tensor& out, const Tensor& grad, const Tensor& output) {
    const Tensor host = fn::mul(on_host(grad), on_host(output));
    copy_memory(out, on_device(host, out.device()));
}
bool has_wrong_gradient(Arguments arguments, std::string*) {
    return is_gradient_wrong && arguments[0].to_tensor().device() == kTest;
}

}  // namespace

class TestDeviceCheck : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins");
        register_kernel("aten::sin", DeviceType::PrivateUse1, {"wrong", filling<wrong_sin>.function, is_wrong});
        register_kernel("aten::tanh_backward", DeviceType::PrivateUse1,
                        {"wrong", filling<wrong_tanh_backward>.function, has_wrong_gradient});
        const std::string path = folder_.filePath("net.py").toStdString();
        write_file_atomically(FileTarget(path), kSource);
        const auto program = Program::open(path);
        ReferenceRequest request;
        request.program = program;
        request.options.seed = 7;
        InputSpec input;
        input.shape = {16, 64};
        request.options.inputs = {input};
        request.arguments = [program, inputs = request.options.inputs] {
            return program->make_arguments(inputs, "forward");
        };
        run_ = record_reference(request);
        QVERIFY(run_.recording->event_count() > 0);
    }
    void init() {
        wrong = Wrong::Nothing;
        is_gradient_wrong = false;
    }

    void kernelsThatAreRightAgree() {
        const DeviceCheck check = check_device(*run_.recording, run_.elements, kTest);
        QVERIFY2(check.first() == nullptr, check.headline().c_str());
        QVERIFY(check.compared >= 5);
        QVERIFY2(check.headline().starts_with("each operator alone gives on test:1 what it gives on the CPU: "),
                 check.headline().c_str());
    }

    // The operators behind it read what the CPU has made: they are right.
    void oneThatIsWrongIsNamedAlone() {
        wrong = Wrong::OneElement;
        const DeviceCheck check = check_device(*run_.recording, run_.elements, kTest);
        QVERIFY(check.first() != nullptr);
        QCOMPARE(std::string(check.first()->op), std::string("aten::sin"));
        QCOMPARE(check.differing, std::size_t{1});
        QVERIFY(qAbs(check.first()->output->max_abs - 0.25) < 1e-6);
        QCOMPARE(check.first()->output->worst, std::int64_t{5});
        QCOMPARE(check.first()->output->beyond, std::int64_t{1});
        QVERIFY2(check.headline().starts_with("first operator that differs on test:1: #"), check.headline().c_str());
    }

    void oneThatFailsIsNamed() {
        wrong = Wrong::ItThrows;
        const DeviceCheck check = check_device(*run_.recording, run_.elements, kTest);
        QVERIFY(check.first() != nullptr);
        QCOMPARE(std::string(check.first()->op), std::string("aten::sin"));
        QCOMPARE(check.first()->why, std::string("this kernel does not work"));
    }

    void aWrongDerivativeIsNamed() {
        is_gradient_wrong = true;
        const DeviceCheck check = check_device(*run_.recording, run_.elements, kTest);
        QVERIFY(check.first() != nullptr);
        QCOMPARE(std::string(check.first()->op), std::string("aten::tanh"));
        QCOMPARE(check.first()->gradient_of, std::string("self"));
        QVERIFY(check.first()->output && check.first()->output->is_close());
        QVERIFY(check.headline().find("gradient of self") != std::string::npos);
    }

  private:
    QTemporaryDir folder_;
    ComparedRun run_;
};

QTEST_GUILESS_MAIN(TestDeviceCheck)
#include "test_device_check.moc"
