// SPDX-License-Identifier: Apache-2.0
// Programs as PyTorch's users write them, run without Python: what they print is what PyTorch 1.13 prints. To add one,
// write torch/NAME.py and run torch/make_expected NAME where PyTorch is installed. What only PyTorch 2 has is in
// torch2.

#include <QtTest/QtTest>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/torch_release.h"
#include "core/plugin/plugin_loader.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/operations.h"
#include "core/python/make_evaluator.h"
#include "core/python/torch/torch_objects.h"

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
    const GradModeScope grad(true);  // whatever the program before left
    std::string output;
    // The programs write where they stand, or into /tmp, as PyTorch does when it is asked what they print.
    const auto evaluator = python::make_evaluator(
        python::EvaluatorOptions{.output = [&](std::string_view text) { output += text; },
                                 .error_output = [](std::string_view) {},
                                 .permissions = {.read = {}, .write = {"/tmp", QDir::currentPath().toStdString()}}});
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
  (norm): BatchNorm1d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
) tensor([1., 1.]) tensor([0., 0.]) tensor(0)
[] ReLU()
Parameter containing:
tensor([2., 2.], requires_grad=True)
no third False
[]
)out";

// Saves where it runs as the program, loads where it is given a word or imported.
const char* const kSavedModule = R"py(import collections, enum, functools, pathlib, pickle, sys
import torch
from torch import nn
import torch.nn.functional as F


class Kind(enum.Enum):
    A = 1


class Options:
    def __init__(self):
        self.kind = Kind.A
        self.path = pathlib.Path('x/y')
        self.counts = collections.Counter('aab')
        self.lists = collections.defaultdict(list, {'k': [1]})
        self.queue = collections.deque([1, 2], maxlen=3)
        self.scale = functools.partial(scaled, by=2)
        self.owner = self


def scaled(x, by):
    return x * by


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = Options()
        self.conv = nn.Conv2d(1, 4, 3, padding='same', padding_mode='circular')
        self.norm = nn.BatchNorm2d(4)
        self.bare = nn.BatchNorm2d(4, affine=False, track_running_stats=False)
        self.rnn = nn.GRU(4, 3, num_layers=2, bidirectional=True, batch_first=True)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, activation='gelu', batch_first=True), 2)
        self.decoder = nn.TransformerDecoderLayer(6, 2, 8, batch_first=True)
        self.attention = nn.MultiheadAttention(6, 2, batch_first=True)
        self.held = nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))])
        self.named = nn.ParameterDict({'w': nn.Parameter(torch.full((2,), 3.0))})
        self.lazy = nn.LazyLinear(2)
        self.act = F.gelu
        self.register_buffer('mask', torch.tensor([True, False]), persistent=False)

    def forward(self, x):
        h = self.bare(self.norm(self.conv(x))).flatten(2).transpose(1, 2)
        h = self.encoder(self.rnn(self.options.scale(self.act(h)))[0])
        return self.attention(self.decoder(h, h), h, h)[0].sum(-1) * self.held[0].sum() + self.named['w'].sum()


def report(net, optimizer, scheduler):
    torch.manual_seed(1)
    x = torch.randn(2, 1, 2, 2)
    net.eval()
    with torch.no_grad():
        print(['%.4f' % v for v in net(x).flatten().tolist()])
    net.train()
    for p in net.modules():
        if isinstance(p, nn.Dropout):
            p.p = 0.0
        if isinstance(p, nn.MultiheadAttention):
            p.dropout = 0.0
    for _ in range(2):
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(optimizer.param_groups[0]['lr'], len(optimizer.state) > 0, optimizer.param_groups[0]['params'][0] is net.conv.weight)
    o = net.options
    print(o.kind, o.path, o.counts, dict(o.lists), o.queue, o.owner is o, net.mask, 'mask' in net.state_dict(), len(net.held), list(net.named))
    print(net.lazy(torch.ones(1, 4)).shape, [n for n, _ in net.named_parameters()][:3])


if __name__ == '__main__':
    if len(sys.argv) < 2:
        torch.manual_seed(0)
        net = Net()
        trained = [p for n, p in net.named_parameters() if 'lazy' not in n]
        optimizer = torch.optim.AdamW(trained, lr=0.01)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        net(torch.ones(2, 1, 2, 2)).sum().backward()
        optimizer.step()
        scheduler.step()
        torch.save([net, optimizer, scheduler], 'saved.pt')
        with open('saved.pkl', 'wb') as f:
            pickle.dump({'w': net.conv.weight.detach(), 'o': net.options}, f)
    report(*torch.load('saved.pt'))
    with open('saved.pkl', 'rb') as f:
        plain = pickle.load(f)
    print(plain['w'].shape, '%.4f' % plain['w'].abs().sum().item(), plain['o'].kind)
)py";
const char* const kLoadingModule = R"py(import runpy, sys
sys.argv = ['net.py', 'again']
runpy.run_path('net.py', run_name='__main__')
)py";

}  // namespace

class TestTorchPrograms : public QObject {
    Q_OBJECT
  private slots:
    // torchvision's own operators.
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/plugins"); }
    void prints_what_pytorch_prints_data() {
        QTest::addColumn<QString>("name");
        for (const QString& version : {QStringLiteral("torch"), QStringLiteral("torch2")}) {
            for (const QString& file :
                 QDir(folder() + version).entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
                const QString name = version + "/" + file.chopped(3);
                QTest::newRow(qPrintable(name)) << name;
            }
        }
    }
    void prints_what_pytorch_prints() {
        QFETCH(QString, name);
        const TorchReleaseScope release(name.startsWith("torch2/") ? TorchRelease::V2_15 : TorchRelease::V1_13);
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
    // What is saved here loads there: as the class of the running file, and of a file of that name.
    void pytorch_loads_whole_modules() {
        if (!QFile::exists("/usr/bin/python3") || QProcess::execute("/usr/bin/python3", {"-c", "import torch"}) != 0)
            QSKIP("PyTorch is not there");
        const QTemporaryDir scratch;
        const auto write = [&](const char* name, const char* text) {
            QFile file(scratch.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        write("net.py", kSavedModule);
        write("load.py", kLoadingModule);
        const QString before = QDir::currentPath();
        QDir::setCurrent(scratch.path());
        const QString ours = run(scratch.filePath("net.py"));
        QDir::setCurrent(before);
        for (const QStringList& arguments : {QStringList{"net.py", "again"}, QStringList{"load.py"}}) {
            QProcess python;
            python.setWorkingDirectory(scratch.path());
            python.start("/usr/bin/python3", QStringList{"-W", "ignore"} + arguments);
            QVERIFY(python.waitForFinished(60'000));
            QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
            QCOMPARE(QString::fromUtf8(python.readAllStandardOutput()), ours);
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
