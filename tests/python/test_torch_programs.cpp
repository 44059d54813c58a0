// SPDX-License-Identifier: Apache-2.0
// Programs as PyTorch's users write them, run without Python: what they print is what PyTorch 1.13 prints. To add one,
// write torch/NAME.py and run torch/make_expected NAME where PyTorch is installed. What only PyTorch 2 has is in torch2.

#include <QtTest/QtTest>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "core/base/error.h"
#include "core/python/error.h"
#include "core/python/evaluator.h"
#include "core/python/operations.h"
#include "core/python/torch_objects.h"

using namespace loupe;

namespace {

QString folder() { return QStringLiteral(LOUPE_SOURCE_DIR "/tests/python/"); }

QString contents(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.readAll());
}

// What the program prints; the traceback after it when an exception ends it.
QString run(const QString& path) {
    std::string output;
    const auto evaluator =
        make_ptr<python::Evaluator>(python::EvaluatorOptions{
        .output = [&](std::string_view text) { output += text; }, .error_output = [](std::string_view) {}});
    try {
        // PyTorch writes its warnings elsewhere.
        evaluator->run([&] {
            const IValue filter = python::get_attribute(evaluator->import_module("warnings"), "simplefilter");
            return python::call(filter, std::vector<IValue>{IValue("ignore")});
        });
        evaluator->run_file(path.toStdString());
    } catch (const python::PythonError& error) {
        output += error.traceback();
    } catch (const Error& error) {
        output += error.what();
    }
    return QString::fromStdString(output);
}

// PyTorch 1.13 has no such hooks: what 2.0's Module does with them, from its source.
const char* const kRegistrationHooks = R"py(import torch
from torch import nn
from torch.nn.modules import module as m

log = []


def on_parameter(module, name, parameter):
    log.append(('parameter', type(module).__name__, name, None if parameter is None else tuple(parameter.shape)))


def on_buffer(module, name, buffer):
    log.append(('buffer', type(module).__name__, name, tuple(buffer.shape)))
    return buffer + 1


def on_module(module, name, child):
    log.append(('module', type(module).__name__, name, type(child).__name__))
    if isinstance(child, nn.ReLU):
        return nn.Tanh()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer('mean', torch.zeros(2))
        self.act = nn.ReLU()
        self.norm = nn.BatchNorm1d(2)


handles = [m.register_module_parameter_registration_hook(on_parameter), m.register_module_buffer_registration_hook(on_buffer),
           m.register_module_module_registration_hook(on_module)]
net = Net()
for entry in log:
    print(entry)
print(net, net.mean, net.norm.running_mean, net.norm.num_batches_tracked)
del log[:]
handles[2].remove()
net.other = nn.ReLU()
net.register_parameter('nothing', None)
net.add_module('named', nn.Identity())
print(log, net.other)


def replace(module, name, parameter):
    return nn.Parameter(parameter.detach() * 2)


handle = m.register_module_parameter_registration_hook(replace)
net.twice = nn.Parameter(torch.ones(2))
print(net.twice)
handle.remove()


def fail(module, name, parameter):
    raise ValueError('no ' + name)


handle = m.register_module_parameter_registration_hook(fail)
try:
    net.third = nn.Parameter(torch.ones(2))
except ValueError as e:
    print(e, hasattr(net, 'third'))
handle.remove()
for h in handles:
    h.remove()
del log[:]
Net()
print(log)
)py";
const char* const kRegistrationHooksOutput = R"out(('parameter', 'Net', 'scale', (1,))
('buffer', 'Net', 'mean', (2,))
('module', 'Net', 'act', 'ReLU')
('parameter', 'BatchNorm1d', 'weight', (2,))
('parameter', 'BatchNorm1d', 'bias', (2,))
('buffer', 'BatchNorm1d', 'running_mean', (2,))
('buffer', 'BatchNorm1d', 'running_var', (2,))
('buffer', 'BatchNorm1d', 'num_batches_tracked', ())
('module', 'Net', 'norm', 'BatchNorm1d')
Net(
  (act): Tanh()
  (norm): BatchNorm1d(2, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
) tensor([1., 1.]) tensor([0., 0.]) tensor(0)
[] ReLU()
Parameter containing:
tensor([2., 2.], requires_grad=True)
no third False
[]
)out";

}  // namespace

class TestTorchPrograms : public QObject {
    Q_OBJECT
  private slots:
    void prints_what_pytorch_prints_data() {
        QTest::addColumn<QString>("name");
        for (const QString& version : {QStringLiteral("torch"), QStringLiteral("torch2")}) {
            for (const QString& file : QDir(folder() + version).entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
                const QString name = version + "/" + file.chopped(3);
                QTest::newRow(qPrintable(name)) << name;
            }
        }
    }
    void prints_what_pytorch_prints() {
        QFETCH(QString, name);
        const QStringList expected = contents(folder() + name + ".out").split('\n');
        const QStringList actual = run(folder() + name + ".py").split('\n');
        for (qsizetype line = 0; line < std::max(expected.size(), actual.size()); ++line) {
            const QString wanted = line < expected.size() ? expected[line] : QStringLiteral("(nothing)");
            const QString got = line < actual.size() ? actual[line] : QStringLiteral("(nothing)");
            if (got == wanted) continue;
            const QString rest = actual.mid(line, 12).join('\n');
            QFAIL(qPrintable(QStringLiteral("line %1\nexpected %2\ngot      %3").arg(line + 1).arg(wanted, rest)));
        }
    }
    void calls_registration_hooks() {
        const QTemporaryDir scratch;
        const QString path = scratch.filePath("hooks.py");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kRegistrationHooks);
        file.close();
        QCOMPARE(run(path), QString(kRegistrationHooksOutput));
    }
};

QTEST_APPLESS_MAIN(TestTorchPrograms)
#include "test_torch_programs.moc"
