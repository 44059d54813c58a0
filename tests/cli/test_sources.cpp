// SPDX-License-Identifier: Apache-2.0
// Model sources on the command line: opened without Python, with PyTorch's numbers.
#include <sys/stat.h>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/cli/run_program.h"

namespace {

const QString kSources = LOUPE_SOURCE_DIR "/tests/fixtures/sources/";

// In a folder, with a home and a place for temporary files of its own.
Outcome run_cli_in(const QString& folder, const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", folder + "/home");
    environment.insert("TMPDIR", folder + "/tmp");
    environment.insert("SECRET_TOKEN", "abc");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder + "/work");
    process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", arguments);
    return outcome_of(process);
}

// Every file in a folder with its contents.
QStringList tree_of(const QString& folder) {
    QStringList all;
    QDirIterator at(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (at.hasNext()) {
        const QString path = at.next();
        QFile file(path);
        const bool is_file = QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly);
        all << path + (is_file ? ": " + QString::fromUtf8(file.readAll()) : QString());
    }
    all.sort();
    return all;
}

// A home with a file in it, a source, an empty folder to work in.
struct Place {
    Place() {
        for (const char* name : {"home/.ssh", "home/data", "source", "work", "tmp"}) QDir(dir.path()).mkpath(name);
        write("home/.bashrc", "alias ll='ls -l'\n");
        write("home/data/model.pt", "precious");
        write("work/notes.txt", "mine");
    }
    void write(const QString& name, const QByteArray& text) const {
        QFile file(dir.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(text);
    }
    QTemporaryDir dir;
};

}  // namespace

class TestSources : public QObject {
    Q_OBJECT

  private slots:
    void aProgramRuns() {
        const Outcome outcome = run_cli({"run", kSources + "program.py"});
        QCOMPARE(outcome.err, QString());
        QCOMPARE(outcome.out, "shape (1, 3)\nLinear(in_features=2, out_features=3, bias=True)\ntensor([1., 1., 1.])\n");
        QCOMPARE(outcome.status, 0);
    }

    // Numbers that the program does not seed begin with the run's seed: what random.seed(7) gives.
    void aRunCanBeRepeated() {
        const Place place;
        place.write("source/draws.py", "import random\nprint(random.random())\n");
        for (int i = 0; i < 2; ++i) {
            const Outcome outcome = run_cli({"run", place.dir.filePath("source/draws.py"), "--seed", "7"});
            QCOMPARE(outcome.out, QString("0.32383276483316237\n"));
        }
    }

    // sys.exit(main()), as programs end.
    void aProgramEnds() {
        const Place place;
        const auto run_text = [&](const QByteArray& text) {
            place.write("source/ends.py", text);
            return run_cli({"run", place.dir.filePath("source/ends.py")});
        };
        for (const char* status : {"0", "", "None", "False"}) {
            const Outcome outcome = run_text(
                "import sys\ndef main():\n    print('done')\nif __name__ == '__main__':\n"
                "    main()\n    sys.exit(" +
                QByteArray(status) + ")\n");
            QCOMPARE(outcome.out, QString("done\n"));
            QCOMPARE(outcome.err, QString());
            QCOMPARE(outcome.status, 0);
        }
        QCOMPARE(run_text("import sys\nprint('first')\nsys.exit()\n").status, 0);
        const Outcome failed = run_text("import sys\nsys.exit(7)\n");
        QVERIFY(failed.err.endsWith("SystemExit: 7 (ends.py:2)\n"));
        QCOMPARE(failed.status, 3);
    }

    // `if __name__ == "__main__":` is for programs: a model that is opened is not trained by the way.
    void whatStartsAProgram() {
        const Outcome program = run_cli({"run", kSources + "started.py"});
        QCOMPARE(program.out, QString("defined in __main__\nsum tensor(3.)\n"));
        QCOMPARE(program.status, 0);
        const Outcome model = run_cli({"info", kSources + "guarded.py"});
        QVERIFY2(!model.out.contains("step 0"), qPrintable(model.out));
        QCOMPARE(model.status, 0);
    }

    // A source's own loss is what it is trained by, unless another is asked for; weights are written in every form.
    void aSourceIsTrainedByItsLoss() {
        const Place place;
        place.write("source/own.py",
                    "import torch\nmodel = torch.nn.Linear(2, 3)\nexample_inputs = (torch.ones(1, 2),)\n"
                    "def loss(output, target):\n    return output.sum() * 0 + 7\n");
        const QStringList train{
            "train", place.dir.filePath("source/own.py"), "--classes", "3", "--epochs", "1", "--steps", "1", "--shape",
            "2"};
        const Outcome own = run_cli(train);
        QVERIFY2(own.out.contains("loss 7.0000"), qPrintable(own.out + own.err));
        const Outcome named = run_cli(train + QStringList{"--loss", "own"});
        QVERIFY2(named.out.contains("loss 7.0000"), qPrintable(named.out + named.err));
        const Outcome other = run_cli(train + QStringList{"--loss", "CrossEntropyLoss()"});
        QVERIFY2(other.status == 0 && !other.out.contains("loss 7.0000"), qPrintable(other.out + other.err));
        for (const char* name : {"w.pt", "w.pth", "w.safetensors", "w.npz"}) {
            const Outcome saved = run_cli(train + QStringList{"--save", place.dir.filePath(name)});
            QVERIFY2(saved.status == 0 && QFileInfo(place.dir.filePath(name)).size() > 30, qPrintable(saved.err));
        }
        const Outcome refused = run_cli(train + QStringList{"--save", place.dir.filePath("w.txt")});
        QVERIFY2(refused.status != 0 && refused.err.contains(".pt, .pth, .safetensors, .npz, .npy"),
                 qPrintable(refused.err));
    }

    // Whatever a source does, a file that it did not make is as it was.
    void lookingAtASourceHarmsNothing() {
        const Place place;
        place.write("source/net.py", R"py(import glob, io, logging, os, pathlib, pickle, shutil, tempfile
import torch
from torch import nn

home = os.path.expanduser('~')
bashrc, keys, model = home + '/.bashrc', home + '/.ssh/authorized_keys', home + '/data/model.pt'
net = nn.Linear(2, 2)

def appends():
    with open(bashrc, 'a') as f:
        f.write('x')

def empties():
    open(model, 'w')

attacks = [
    appends, empties,
    lambda: open(bashrc, 'r+'), lambda: open(keys, 'x'), lambda: open(bashrc).read(), lambda: os.listdir(home),
    lambda: pathlib.Path(keys).write_text('ssh-rsa'), lambda: pathlib.Path(keys).touch(), lambda: pathlib.Path(model).write_bytes(b''),
    lambda: torch.save(net.state_dict(), model), lambda: torch.save(net, keys), lambda: torch.jit.save(torch.jit.script(net), model),
    lambda: torch.jit.script(net).save(model), lambda: torch.load(model), lambda: pickle.dump(1, open(model, 'wb')),
    lambda: shutil.copy(__file__, model), lambda: shutil.copyfile(__file__, keys), lambda: shutil.move(model, 'stolen'), lambda: shutil.rmtree(home),
    lambda: os.remove(model), lambda: os.rename(model, model + '2'), lambda: os.replace(model, bashrc), lambda: os.makedirs(home + '/a/b'),
    lambda: os.mkdir(home + '/a'), lambda: os.rmdir(home + '/data'), lambda: pathlib.Path(model).unlink(),
    lambda: logging.FileHandler(bashrc, 'w'), lambda: tempfile.mkdtemp(dir=home), lambda: io.open(bashrc, 'w'),
    lambda: open('../home/.bashrc', 'w'), lambda: open('/proc/self/environ').read(), lambda: open('/etc/passwd').read(),
]
for attack in attacks:
    try:
        attack()
        print('went through', attack)
    except OSError as e:
        pass
print(sorted(os.environ), glob.glob(home + '/*'), os.path.exists(model))
model = net
)py");
        const QStringList before = tree_of(place.dir.filePath("home"));
        const QStringList work = tree_of(place.dir.filePath("work"));
        const QString source = place.dir.filePath("source/net.py");
        const QList<QStringList> commands{{"info", source},
                                          {"ir", source, "--input", "2x2"},
                                          {"plan", source, "--input", "2x2"},
                                          {"ops", "--missing", source},
                                          {"run", source, "--input", "2x2"},
                                          {"trace", source, "--input", "2x2"},
                                          {"info", source, "--build", "nn.Linear(2, 2)"}};
        for (const QStringList& arguments : commands) {
            const Outcome outcome = run_cli_in(place.dir.path(), arguments);
            QVERIFY2(!outcome.out.contains("went through") && !outcome.err.contains("Traceback"),
                     qPrintable(outcome.out + outcome.err));
            QVERIFY2(
                outcome.out.contains("['HOME'") && outcome.out.contains("[] False") && !outcome.out.contains("SECRET"),
                qPrintable(outcome.out + outcome.err));
            QCOMPARE(outcome.status, 0);
            QCOMPARE(tree_of(place.dir.filePath("home")), before);
            QCOMPARE(tree_of(place.dir.filePath("work")), work);
            QCOMPARE(tree_of(place.dir.filePath("tmp")), QStringList());
        }
    }

    // Once, with the line and what permits it.
    void whatIsRefusedIsSaid() {
        const Place place;
        place.write("source/net.py",
                    "import os, torch\nhome = os.path.expanduser('~')\nfor i in range(3):\n    try:\n        open(home "
                    "+ '/data/log.txt', 'w')\n"
                    "    except PermissionError as e:\n        print(e.errno, type(e).__name__)\nmodel = "
                    "torch.nn.Linear(2, 2)\n");
        const QString source = place.dir.filePath("source/net.py");
        const Outcome outcome = run_cli_in(place.dir.path(), {"info", source});
        QCOMPARE(outcome.status, 0);
        QCOMPARE(outcome.out.count("13 PermissionError"), 3);
        QCOMPARE(outcome.err.count("may not write"), 1);
        QVERIFY2(outcome.err.contains("net.py:5: may not write " + place.dir.filePath("home/data/log.txt")),
                 qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains("--allow-write " + place.dir.filePath("home/data")), qPrintable(outcome.err));
        const Outcome allowed =
            run_cli_in(place.dir.path(), {"info", source, "--allow-write", place.dir.filePath("home/data")});
        QCOMPARE(allowed.err, QString());
        QVERIFY(QFile::exists(place.dir.filePath("home/data/log.txt")));
        QCOMPARE(run_cli_in(place.dir.path(), {"info", source, "--allow-write", "none/such"}).status, 2);
        QCOMPARE(run_cli_in(place.dir.path(), {"info", source, "--allow-read", "none"}).status, 2);
        // Not caught, it ends the source; the line says how to permit it.
        place.write("source/net.py", "open('/etc/passwd').read()\n");
        const Outcome failed = run_cli_in(place.dir.path(), {"run", source});
        QCOMPARE(failed.status, 3);
        QVERIFY2(failed.err.contains("--allow-read") && failed.err.contains("net.py:1"), qPrintable(failed.err));
        const Outcome read = run_cli_in(place.dir.path(), {"run", source, "--allow-read", "/etc"});
        QVERIFY2(read.status == 0, qPrintable(read.err));
    }

    // What the line says can be given as it stands, also of what does not exist yet.
    void whatPermitsItCanBeGiven() {
        const Place place;
        const QString source = place.dir.filePath("source/net.py");
        place.write("source/net.py",
                    "import os, torch\nlogs = os.path.expanduser('~/logs/first')\nos.makedirs(logs, exist_ok=True)\n"
                    "open(logs + '/run.txt', 'w').write('text')\nprint(os.listdir(logs))\n"
                    "model = torch.nn.Linear(2, 2)\n");
        const QString logs = place.dir.filePath("home/logs");
        const QString said = run_cli_in(place.dir.path(), {"info", source}).err;
        QVERIFY2(said.contains("net.py:3: may not write " + logs + "/first: its folder does not exist; --allow-write " +
                               logs + " permits to make it"),
                 qPrintable(said));
        const Outcome made = run_cli_in(place.dir.path(), {"info", source, "--allow-write", logs});
        QCOMPARE(made.err, QString());
        QVERIFY(made.out.startsWith("['run.txt']\n"));
        QVERIFY(QFile::exists(logs + "/first/run.txt"));
        // A file in the home itself.
        place.write("source/net.py",
                    "import os, torch\nopen(os.path.expanduser('~/run.txt'), 'w').write('text')\n"
                    "model = torch.nn.Linear(2, 2)\n");
        const QString file = place.dir.filePath("home/run.txt");
        QVERIFY(run_cli_in(place.dir.path(), {"info", source}).err.contains("--allow-write " + file + " permits it"));
        QCOMPARE(run_cli_in(place.dir.path(), {"info", source, "--allow-write", file}).err, QString());
        QVERIFY(QFile::exists(file));
    }

    // Devices are refused whatever is permitted; that is said, and no option is offered for it.
    void aRefusedDeviceIsSaid() {
        const Place place;
        const QString source = place.dir.filePath("source/net.py");
        place.write("source/net.py",
                    "import torch\nfor mode in 'rw':\n    try:\n        open('/dev/full', mode)\n"
                    "    except OSError as e:\n        print(e.errno)\nopen('/dev/null', 'w').write('x')\n"
                    "model = torch.nn.Linear(2, 2)\n");
        for (const QStringList& options :
             {QStringList{}, QStringList{"--allow-read", "/dev", "--allow-write", "/dev"}}) {
            const Outcome outcome = run_cli_in(place.dir.path(), QStringList{"info", source} + options);
            QCOMPARE(outcome.status, 0);
            for (const char* what :
                 {"net.py:4: may not read /dev/full: devices", "net.py:4: may not write /dev/full: devices"})
                QVERIFY2(outcome.err.contains(what), qPrintable(outcome.err));
            QVERIFY2(!outcome.err.contains("--allow"), qPrintable(outcome.err));
        }
    }

    // What a source writes by a relative path is its own, and shown; where it is permitted it goes where the user
    // stands.
    void aSourceWritesIntoAFolderOfItsOwn() {
        const Place place;
        place.write("source/net.py",
                    "import os, torch, logging\nlogging.basicConfig(filename='log.txt', "
                    "level=logging.INFO)\nlogging.info('began')\n"
                    "os.makedirs('runs/1', exist_ok=True)\nmodel = torch.nn.Linear(2, "
                    "2)\ntorch.save(model.state_dict(), 'runs/1/model.pt')\n"
                    "model.load_state_dict(torch.load('runs/1/model.pt'))\nprint(os.listdir('runs'), "
                    "open('log.txt').read(), end='')\n");
        const QString source = place.dir.filePath("source/net.py");
        const QStringList work = tree_of(place.dir.filePath("work"));
        const Outcome outcome = run_cli_in(place.dir.path(), {"run", source, "--input", "1x2"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.startsWith("['1'] INFO:root:began\n"), qPrintable(outcome.out));
        QCOMPARE(tree_of(place.dir.filePath("work")), work);
        QVERIFY2(outcome.err.contains("net.py wrote 2 files (") &&
                     outcome.err.contains(place.dir.filePath("tmp/tensorloupe-net-")),
                 qPrintable(outcome.err));
        const QString folder = outcome.err.section(" into ", 1).section('\n', 0, 0).trimmed();
        QVERIFY(QFile::exists(folder + "/runs/1/model.pt") && QFile::exists(folder + "/log.txt"));
        const Outcome permitted = run_cli_in(place.dir.path(), {"run", source, "--input", "1x2", "--allow-write", "."});
        QVERIFY2(!permitted.err.contains(" wrote "), qPrintable(permitted.err));
        QVERIFY(QFile::exists(place.dir.filePath("work/runs/1/model.pt")) &&
                QFile::exists(place.dir.filePath("work/log.txt")));
    }

    void whatTheUserChoseIsRead() {
        const Place place;
        place.write("home/data/words.txt", "a b");
        place.write("source/net.py",
                    "import os, torch\nprint(open(os.path.expanduser('~/data/words.txt')).read())\nmodel = "
                    "torch.nn.Linear(2, 2)\n");
        const QString source = place.dir.filePath("source/net.py");
        QCOMPARE(run_cli_in(place.dir.path(), {"info", source}).status, 3);
        QVERIFY(
            run_cli_in(place.dir.path(), {"info", source, "--allow-read", place.dir.filePath("home/data/words.txt")})
                .out.startsWith("a b\n"));
        // A FIFO in place of a module beside the source is refused, not waited for.
        QCOMPARE(::mkfifo(qPrintable(place.dir.filePath("source/layers.py")), 0600), 0);
        place.write("source/net.py", "import layers\n\n\ndef f():\n    layers.f()\n\n\nf()\n");
        QVERIFY(run_cli_in(place.dir.path(), {"info", source}).err.contains("No module named 'layers'"));
    }

    // What a run came to stands on standard error, cause first, whether it was watched or not.
    void theVerdict() {
        const QString cause =
            QStringLiteral("verdict: sqrt at 0 in length, nanback.py:10, makes the first NaN in backward; ");
        const Outcome plain = run_cli({"run", kSources + "nanback.py", "--backward"});
        QCOMPARE(plain.status, 0);
        QVERIFY2(plain.err.startsWith(cause), qPrintable(plain.err));
        QVERIFY2(plain.err.contains("eps"), qPrintable(plain.err));
        QCOMPARE(plain.err.count('\n'), 1);
        const Outcome watched = run_cli({"run", kSources + "nanback.py", "--backward", "--stats"});
        QCOMPARE(watched.err, plain.err);
        QVERIFY(QRegularExpression("SqrtBackward0 .* made here( |\n)").match(watched.out).hasMatch());
        QVERIFY(QRegularExpression("SumBackward1 .* passed on( |\n)").match(watched.out).hasMatch());
        const Outcome finite = run_cli({"run", kSources + "nanback.py"});
        QCOMPARE(finite.err, QString("verdict: finished: 1 output without NaN or Inf\n"));
        const Outcome forward = run_cli({"run", kSources + "nanfwd.py"});
        QVERIFY2(forward.err.startsWith(
                     "verdict: log of a negative number in scores, nanfwd.py:8, makes the first NaN in forward"),
                 qPrintable(forward.err));
    }

    // The cause is looked for in a second run, which says nothing of its own and cannot fail the first.
    void theSecondRunIsSilent() {
        const Place place;
        place.write("source/net.py", R"py(import warnings
import torch
from torch import nn

open('log.txt', 'w').write('x')

class Net(nn.Module):
    def forward(self, x):
        warnings.warn('careful')
        print('forward')
        return 1 / (x - x)

model = Net()
)py");
        const QString source = place.dir.filePath("source/net.py");
        const Outcome outcome = run_cli_in(place.dir.path(), {"run", source, "--input", "2x2"});
        QCOMPARE(outcome.status, 0);
        QCOMPARE(outcome.out.count("forward"), 1);
        QCOMPARE(outcome.err.count("careful"), 1);
        QVERIFY2(outcome.err.contains("verdict: 1 / 0") || outcome.err.contains("verdict: division by 0"),
                 qPrintable(outcome.err));
        QCOMPARE(outcome.err.count("net.py wrote 1 file"), 1);
        QCOMPARE(QDir(place.dir.filePath("tmp")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);

        place.write("source/net.py", R"py(import os
import torch
from torch import nn

if os.path.exists('seen.txt'):
    raise RuntimeError('opened again')
open('seen.txt', 'w').write('x')

class Net(nn.Module):
    def forward(self, x):
        return 1 / (x - x)

model = Net()
)py");
        const Outcome again = run_cli_in(place.dir.path(), {"run", source, "--input", "2x2", "--allow-write", "."});
        QVERIFY2(again.status == 0 && again.out.contains("out0"), qPrintable(again.out + again.err));
        QVERIFY2(again.err.startsWith("verdict: finished: 1 of 1 results hold NaN or Inf; the cause was not found: "),
                 qPrintable(again.err));
        QVERIFY2(again.err.contains("opened again") && again.err.count('\n') == 1, qPrintable(again.err));
    }

    void aCheckNeedsAModel() {
        const Outcome outcome = run_cli({"check", kSources + "program.py", "--expected", kSources + "mlp.out.npz"});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(outcome.err.contains("holds no model"), qPrintable(outcome.err));
    }

    void info() {
        const Outcome outcome = run_cli({"info", kSources + "mlp.py"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.contains("Python model source"), qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("(2) Linear"));
        QVERIFY(outcome.out.contains("forward("));
    }

    // Initial weights for the seed, results, and gradients of the source's own loss; weights from the file beside.
    void numbers_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("drawn weights, loss") << "convnet";
        QTest::newRow("weights beside") << "mlp";
    }
    void numbers() {
        QFETCH(QString, name);
        const Outcome outcome = run_cli({"check", kSources + name + ".py", "--inputs", kSources + name + ".in.npz",
                                         "--expected", kSources + name + ".out.npz"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.out + outcome.err));
    }

    // A layer's own record says what its forward takes.
    void layerOfTwoInputs() {
        const QTemporaryDir folder;
        QFile source(folder.filePath("distance.py"));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write("import torch\n\nmodel = torch.nn.PairwiseDistance()\n");
        source.close();
        const Outcome outcome = run_cli({"run", source.fileName(), "--input", "2x3", "--input", "2x3"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const Outcome written =
            run_cli({"convert", source.fileName(), folder.filePath("distance.pt"), "--input", "2x3", "--input", "2x3"});
        QVERIFY2(written.status == 0, qPrintable(written.err));
    }

    // Scripted, a branch on a value stays a branch; traced, it does not.
    void scripted() {
        const QTemporaryDir folder;
        QFile source(folder.filePath("branch.py"));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write(
            "import torch\n\nclass Branch(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.fc = torch.nn.Linear(2, 2)\n\n    def forward(self, x):\n        if bool(x.sum() > 0):\n"
            "            return self.fc(x)\n        return x\n\nexample_inputs = (torch.ones(1, 2),)\n");
        source.close();
        const Outcome graph = run_cli({"ir", source.fileName(), "--script"});
        QCOMPARE(graph.status, 0);
        QVERIFY2(graph.out.contains("prim::If"), qPrintable(graph.out));
        QVERIFY(!run_cli({"ir", source.fileName()}).out.contains("prim::If"));
        const Outcome converted = run_cli({"convert", "--script", source.fileName(), folder.filePath("branch.pt")});
        QVERIFY2(converted.status == 0, qPrintable(converted.err));
        const Outcome read = run_cli({"ir", folder.filePath("branch.pt")});
        QVERIFY2(read.out.contains("prim::If") && read.out.contains("branch.py:9"), qPrintable(read.out + read.err));
        QCOMPARE(run_cli({"run", folder.filePath("branch.pt"), "--input", "3x2"}).status, 0);
    }
    void scriptedErrors() {
        const QTemporaryDir folder;
        QFile source(folder.filePath("wrong.py"));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write(
            "import torch\n\nclass Wrong(torch.nn.Module):\n    def forward(self, x):\n        return x.missing()\n");
        source.close();
        const Outcome outcome = run_cli({"convert", "--script", source.fileName(), folder.filePath("wrong.pt")});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(outcome.err.contains("missing") && outcome.err.contains("wrong.py:5"), qPrintable(outcome.err));
        QVERIFY(!QFile::exists(folder.filePath("wrong.pt")));
    }

    // A link beside a source hands it nothing that it may not read.
    void whatLiesBesideIsNoWayOut() {
        const Place place;
        QVERIFY(QFile::copy(kSources + "mlp.py", place.dir.filePath("source/mlp.py")));
        const QString source = place.dir.filePath("source/mlp.py");
        QVERIFY(QFile::copy(kSources + "mlp.npz", place.dir.filePath("home/data/mlp.npz")));
        QVERIFY(QFile::copy(kSources + "mlp.in.npz", place.dir.filePath("home/data/mlp.in.npz")));
        const QString weights = place.dir.filePath("source/mlp.npz");
        QVERIFY(QFile::link(place.dir.filePath("home/data/mlp.npz"), weights));
        const Outcome refused = run_cli_in(place.dir.path(), {"info", source});
        QCOMPARE(refused.status, 3);
        QVERIFY2(refused.err.contains("is a link to ") && refused.err.contains("--weights"), qPrintable(refused.err));
        QCOMPARE(run_cli_in(place.dir.path(), {"run", source, "--weights", weights}).status, 0);
        const QString data = place.dir.filePath("home/data");
        QCOMPARE(run_cli_in(place.dir.path(), {"info", source, "--allow-read", data}).status, 0);
        // Inside the folder a link is as good as a file.
        QVERIFY(QFile::remove(weights) && QFile::copy(kSources + "mlp.npz", place.dir.filePath("source/first.npz")));
        QVERIFY(QFile::link("first.npz", weights));
        QCOMPARE(run_cli_in(place.dir.path(), {"info", source}).status, 0);
        // Inputs beside it are left out, with a line that says so.
        const QString inputs = place.dir.filePath("source/mlp.in.npz");
        QVERIFY(QFile::link(place.dir.filePath("home/data/mlp.in.npz"), inputs));
        const Outcome run = run_cli_in(place.dir.path(), {"run", source});
        QVERIFY2(run.err.contains("mlp.in.npz is a link to ") && run.err.contains("--inputs"), qPrintable(run.err));
        const Outcome given = run_cli_in(place.dir.path(), {"run", source, "--inputs", inputs});
        QVERIFY2(!given.err.contains("is a link to"), qPrintable(given.err));
        const Outcome allowed = run_cli_in(place.dir.path(), {"run", source, "--allow-read", data});
        QVERIFY2(!allowed.err.contains("is a link to"), qPrintable(allowed.err));
    }

    void weightsFromAFile() {
        const QTemporaryDir folder;
        const QString copy = folder.filePath("copy.py");
        QVERIFY(QFile::copy(kSources + "mlp.py", copy));
        const QStringList inputs{"--inputs", kSources + "mlp.in.npz", "--expected", kSources + "mlp.out.npz"};
        QCOMPARE(run_cli(QStringList{"check", copy} + inputs).status, 1);
        QCOMPARE(run_cli(QStringList{"check", copy, "--weights", kSources + "mlp.npz"} + inputs).status, 0);
        const Outcome wrong = run_cli({"run", kSources + "convnet.py", "--weights", kSources + "mlp.npz"});
        QCOMPARE(wrong.status, 3);
        QVERIFY2(wrong.err.contains("Missing key(s) in state_dict") || wrong.err.contains("Missing key(s)"),
                 qPrintable(wrong.err));
    }

    void statistics() {
        const Outcome outcome = run_cli({"run", kSources + "convnet.py", "--stats", "--backward"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.contains(QRegularExpression("aten::conv2d\\s+blocks\\.1\\.conv")),
                 qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("ConvolutionBackward0"));
    }

    void graph() {
        const Outcome outcome = run_cli({"ir", kSources + "convnet.py", "--mode", "eval"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.contains("prim::CallMethod[name=\"forward\"]"), qPrintable(outcome.out));
        QVERIFY(outcome.out.contains(QRegularExpression("aten::mean.*convnet.py:27")));
        const Outcome inlined = run_cli({"ir", kSources + "convnet.py", "--mode", "eval", "--pipeline", "inference"});
        QVERIFY2(inlined.status == 0, qPrintable(inlined.err));
        QVERIFY(!inlined.out.contains("batch_norm"));
        // A source without example_inputs is traced on what is given.
        QCOMPARE(run_cli({"ir", kSources + "mlp.py", "--input", "5x4"}).status, 0);
    }

    void warnings() {
        const Outcome outcome = run_cli({"ir", kSources + "warns.py"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(
            outcome.err.contains("warns.py:11: TracerWarning: Converting a tensor to a Python boolean might cause"),
            qPrintable(outcome.err));
        QVERIFY(outcome.err.contains("warns.py:13: TracerWarning: Converting a tensor to a Python number might cause"));
    }

    // Written as an archive, it gives the same numbers, in PyTorch too.
    void archive() {
        const QTemporaryDir folder;
        const QString archive = folder.filePath("convnet.pt");
        const Outcome converted = run_cli({"convert", kSources + "convnet.py", archive});
        QVERIFY2(converted.status == 0, qPrintable(converted.err));
        const QStringList inputs{"--inputs", kSources + "convnet.in.npz", "--outputs"};
        QCOMPARE(run_cli(QStringList{"run", kSources + "convnet.py"} + inputs + QStringList{folder.filePath("a.npz")})
                     .status,
                 0);
        const Outcome checked = run_cli(
            {"check", archive, "--inputs", kSources + "convnet.in.npz", "--expected", folder.filePath("a.npz")});
        QVERIFY2(checked.status == 0, qPrintable(checked.out + checked.err));
        const char* const script =
            "import sys, numpy, torch\n"
            "m = torch.jit.load(sys.argv[1])\n"
            "x = torch.from_numpy(numpy.load(sys.argv[2])['arg0'])\n"
            "y = torch.from_numpy(numpy.load(sys.argv[3])['out0'])\n"
            "torch.testing.assert_close(m(x).detach(), y, rtol=1e-4, atol=1e-5)\n";
        const Outcome python = run_program(
            "/usr/bin/python3", {"-c", script, archive, kSources + "convnet.in.npz", folder.filePath("a.npz")});
        if (python.err == "did not start" || python.err.contains("No module named")) return;
        QVERIFY2(python.status == 0, qPrintable(python.err));
    }

    void tracedSizesStayTheInputs() {
        const QTemporaryDir folder;
        const QString archive = folder.filePath("sizes.pt");
        const Outcome converted = run_cli({"convert", kSources + "sizes.py", archive});
        QVERIFY2(converted.status == 0 && !converted.err.contains("TracerWarning"), qPrintable(converted.err));
        // Others than the example's, in every dimension that the program leaves open.
        const QStringList inputs = {"--input", "3x7x6", "--seed", "5"};
        QCOMPARE(
            run_cli(QStringList{"run", kSources + "sizes.py", "--outputs", folder.filePath("a.npz")} + inputs).status,
            0);
        const Outcome checked = run_cli(QStringList{"check", archive, "--expected", folder.filePath("a.npz")} + inputs);
        QVERIFY2(checked.status == 0, qPrintable(checked.out + checked.err));
    }

    void writtenModelsKnowTheLinesOfTheSource() {
        const QTemporaryDir folder;
        const QString archive = folder.filePath("convnet.pt");
        const Outcome converted = run_cli({"convert", kSources + "convnet.py", archive});
        QVERIFY2(converted.status == 0 && converted.out.contains("traced in training mode"),
                 qPrintable(converted.err + converted.out));
        const Outcome graph = run_cli({"ir", archive, "--pipeline", "inline"});
        QVERIFY2(graph.out.contains(QRegularExpression("aten::mean.*convnet.py:27")), qPrintable(graph.out));
        const Outcome eval = run_cli({"convert", kSources + "convnet.py", archive, "--mode", "eval"});
        QVERIFY2(eval.status == 0 && eval.out.contains("traced in eval mode"), qPrintable(eval.err + eval.out));
    }

    void modelsAreWrittenAfterPasses() {
        const QTemporaryDir folder;
        for (const char* pipeline : {"inline", "optimize", "freeze", "inference", "Inline,DCE,CSE"}) {
            const QString archive = folder.filePath("after.pt");
            const Outcome converted =
                run_cli({"convert", kSources + "convnet.py", archive, "--mode", "eval", "--pipeline", pipeline});
            QVERIFY2(converted.status == 0, qPrintable(pipeline + converted.err));
            const QStringList inputs = {"--inputs", kSources + "convnet.in.npz"};
            const Outcome run = run_cli(
                QStringList{"run", kSources + "convnet.py", "--mode", "eval", "--outputs", folder.filePath("a.npz")} +
                inputs);
            QCOMPARE(run.status, 0);
            const Outcome checked =
                run_cli(QStringList{"check", archive, "--expected", folder.filePath("a.npz")} + inputs);
            QVERIFY2(checked.status == 0, qPrintable(pipeline + checked.err + checked.out));
        }
    }

    void pytorchLoadsWhatIsWritten() {
        const Outcome found = run_program("/usr/bin/python3", {"-c", "import torch, numpy"});
        if (found.status != 0) QSKIP("python3-torch is not installed");
        const Outcome checked = run_program(
            "/usr/bin/python3", {LOUPE_SOURCE_DIR "/tests/cli/check_written.py",
                                 LOUPE_BINARY_DIR "/bin/tensorloupe-cli", LOUPE_SOURCE_DIR "/tests/fixtures"});
        QVERIFY2(checked.status == 0, qPrintable(checked.out + checked.err));
    }

    void errorsNameTheLayer() {
        const Outcome outcome = run_cli({"run", kSources + "mlp.py", "--input", "2x7"});
        QCOMPARE(outcome.status, 4);
        QVERIFY2(outcome.err.contains(QRegularExpression("at [a-z0-9_.]+ ")) &&
                     outcome.err.contains("Linear(in_features=4, out_features=8"),
                 qPrintable(outcome.err));
    }

    void anExpressionBuildsTheModel() {
        const QString source = kSources + "needs_arguments.py";
        const Outcome built = run_cli({"run", source, "--build", "Net(5, depth=3)", "--input", "2x5"});
        QVERIFY2(built.status == 0 && built.out.contains("out0  float32 2x5"), qPrintable(built.err + built.out));
        const Outcome info = run_cli({"info", source, "--build", "nn.Sequential(Net(4), nn.ReLU())"});
        QVERIFY2(info.status == 0 && info.out.contains("(1) ReLU"), qPrintable(info.err + info.out));

        const Outcome missing = run_cli({"run", source, "--build", "Net()"});
        QCOMPARE(missing.status, 3);
        QVERIFY2(missing.err.contains("missing 1 required positional argument: 'width'"), qPrintable(missing.err));
        const Outcome number = run_cli({"run", source, "--build", "3"});
        QVERIFY2(number.status == 3 && number.err.contains("3 is a int"), qPrintable(number.err));
        const Outcome statement = run_cli({"run", source, "--build", "1)\nx = (2"});
        QVERIFY2(statement.status == 3 && statement.err.contains("not one expression"), qPrintable(statement.err));
        const Outcome archive = run_cli({"run", LOUPE_SOURCE_DIR "/resources/models/digits.pt", "--build", "Net()"});
        QCOMPARE(archive.status, 2);
    }

    // Arguments that nobody gives are guessed, and said.
    void argumentsAreGuessed() {
        const QString source = kSources + "needs_arguments.py";
        const Outcome info = run_cli({"info", source});
        QVERIFY2(info.status == 0 &&
                     info.out.contains("Python model source, built as Net(width=64) (guessed: names and uses)") &&
                     info.out.contains("can be built (--build)\n  Net(width, depth=2)\n"),
                 qPrintable(info.err + info.out));
        const Outcome run = run_cli({"run", source});
        QVERIFY2(run.status == 0 && run.out.contains("out0  float32 1x64"), qPrintable(run.err + run.out));
        QCOMPARE(run.err.section('\n', 0, 0),
                 QString("built as Net(width=64): guessed (names and uses); --arg name=value or --build changes it"));
        QCOMPARE(run.err.section('\n', 1, 1),
                 QString("inputs: x = 1x64:float32:normal: guessed; --input or --inputs changes them"));
        const Outcome given = run_cli({"run", source, "--arg", "width=6"});
        QVERIFY2(given.status == 0 && given.out.contains("out0  float32 1x6"), qPrintable(given.err + given.out));
        const Outcome both = run_cli({"info", source, "--model", "Net(5)", "--arg", "depth=3"});
        QVERIFY2(both.status == 0 && both.out.contains("weight: float32 5x5"), qPrintable(both.err + both.out));
        const Outcome bad = run_cli({"run", source, "--arg", "width"});
        QVERIFY2(bad.status == 2 && bad.err.contains("--arg width has no value"), qPrintable(bad.err));
        const Outcome unknown = run_cli({"run", source, "--arg", "colour=3"});
        QVERIFY2(unknown.status == 3 && unknown.err.contains("unexpected keyword argument 'colour'"),
                 qPrintable(unknown.err));
    }

    // The last one is taken, and the others are offered.
    void severalModels() {
        const Outcome info = run_cli({"info", kSources + "two_classes.py"});
        QVERIFY2(info.status == 0 && info.out.contains("Python model source, built as Second()"),
                 qPrintable(info.err + info.out));
        QVERIFY2(info.out.contains("can be built (--build)\n  Second()\n  First()\n"), qPrintable(info.out));
        const Outcome other = run_cli({"info", kSources + "two_classes.py", "--build", "First()"});
        QVERIFY2(other.status == 0 && other.out.contains("First "), qPrintable(other.err + other.out));
    }

    void refusals_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("line");
        QTest::newRow("arguments") << "needs_recipe"
                                   << "); write model = Net(recipe, depth=...), or say so when opening it (--build)\n";
        QTest::newRow("why") << "needs_recipe"
                             << "needs_recipe.py: Net needs constructor arguments (ValueError: no such recipe (";
        QTest::newRow("exception") << "raises"
                                   << "missing 1 required positional argument: 'out_features'";
        QTest::newRow("missing library")
            << "missing_library"
            << "ModuleNotFoundError: No module named 'pandas' (imported at missing_library.py:2); pandas.read_csv is "
               "used here: pandas is not available here; give the data as tensors (missing_library.py:6)\n";
    }
    void refusals() {
        QFETCH(QString, name);
        QFETCH(QString, line);
        const Outcome outcome = run_cli({"run", kSources + name + ".py"});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(outcome.err.contains(line) && outcome.err.count('\n') == 1, qPrintable(outcome.err));
    }
};

QTEST_APPLESS_MAIN(TestSources)
#include "test_sources.moc"
