// SPDX-License-Identifier: Apache-2.0
// What a source imports: files of its own package, names that are not here; which model it means.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/nn/module.h"
#include "core/python/language/error.h"
#include "core/python/model_source.h"

using namespace loupe;

namespace {

class Folder {
  public:
    QString write(const QString& path, const char* text) const {
        const QString full = folder_.filePath(path);
        QDir().mkpath(QFileInfo(full).path());
        QFile file(full);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(text);
        return full;
    }

  private:
    QTemporaryDir folder_;
};

// The class of the model and how it was built; the error's line when it does not open.
QString opened(const QString& path) {
    try {
        const ModelFile file = python::open_model_source(path.toStdString());
        if (!file.module) return "no model";
        return QString::fromStdString(file.module->class_name() + " | " + file.format);
    } catch (const Error& error) {
        return QString::fromStdString(error.message());
    }
}

QString opened_text(const char* text) { return opened(Folder().write("net.py", text)); }

}  // namespace

class TestImports : public QObject {
    Q_OBJECT
  private slots:
    // timm, kornia: a file deep in a package, whose __init__.py would import much else.
    void ownPackage() {
        const Folder folder;
        folder.write("pkg/__init__.py",
                     "from .broken import Broken\nfrom .layers import Scale\nfrom . import tools\nNAME = 'x'\n");
        folder.write("pkg/broken.py", "raise RuntimeError('not wanted')\n");
        folder.write("pkg/tools.py", "def double(x):\n    return 2 * x\n");
        folder.write("pkg/layers/__init__.py", "from .scale import Scale\nfrom .missing_part import Gone\n");
        folder.write("pkg/layers/scale.py",
                     "from torch import nn\nfrom ..tools import double\nimport pkg.tools\n\n\nclass Scale(nn.Module):\n"
                     "    def forward(self, x):\n        return pkg.tools.double(double(x))\n");
        const QString model =
            folder.write("pkg/models/net.py",
                         "from torch import nn\nfrom pkg.layers import Scale\nfrom .. import tools\n"
                         "from ..layers.scale import Scale as Same\nassert Scale is Same\n\n\n"
                         "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                         "        self.scale = Scale()\n\n    def forward(self, x):\n"
                         "        return tools.double(self.scale(x))\n");
        folder.write("pkg/models/__init__.py", "from .net import Net\n");
        QCOMPARE(opened(model), "Net | Python model source, built as Net()");
        // A module that imports the opened one gets the same class.
        folder.write("pkg/other.py", "from .models.net import Net\n");
        const QString round = folder.write("pkg/models/round.py",
                                           "from torch import nn\n\n\nclass Round(nn.Module):\n"
                                           "    def forward(self, x):\n        return x\n\n\nfrom ..uses import made\n"
                                           "assert type(made) is Round\n");
        folder.write("pkg/uses.py", "from .models.round import Round\nmade = Round()\n");
        QCOMPARE(opened(round), "Round | Python model source");  // the value `made`
    }

    // gpytorch: `from . import settings` in the package itself.
    void packageThatImportsItsModulesByName() {
        const Folder folder;
        folder.write("pkg/__init__.py", "from . import settings, beta_features\n");
        folder.write("pkg/settings.py", "value = 3\n");
        const QString model = folder.write("pkg/net.py",
                                           "from torch import nn\nfrom . import settings\n\n\nclass Net(nn.Module):\n"
                                           "    def forward(self, x):\n        return x * settings.value\n");
        QCOMPARE(opened(model), "Net | Python model source, built as Net()");
    }

    // Packages that pip put beside the one of the source are found as Python finds them; elsewhere nothing is beside
    // it.
    void installedPackages() {
        for (const QString& place : {QString("env/site-packages/"), QString("env/sources/")}) {
            const Folder folder;
            folder.write(place + "other/__init__.py", "from .layers import Scale\n");
            folder.write(place + "other/layers.py",
                         "from torch import nn\nimport third\n\n\nclass Scale(nn.Module):\n"
                         "    def forward(self, x):\n        return third.double(x)\n");
            folder.write(place + "third.py", "def double(x):\n    return 2 * x\n");
            folder.write(place + "binary/__init__.py", "from . import _native_part\nraise OSError('no library')\n");
            folder.write(place + "pkg/__init__.py", "");
            const QString model =
                folder.write(place + "pkg/net.py",
                             "from torch import nn\nfrom other import Scale\nimport binary\ntry:\n    from binary "
                             "import thing\n    HAS = True\nexcept ImportError:\n    HAS = False\nassert not HAS\n"
                             "\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                             "        self.scale = Scale()\n\n    def forward(self, x):\n"
                             "        return self.scale(x)\n");
            if (place.contains("site-packages"))
                QCOMPARE(opened(model), "Net | Python model source, built as Net()");
            else
                QVERIFY2(opened(model).startsWith("ModuleNotFoundError: No module named 'other'"),
                         qPrintable(opened(model)));
        }
    }

    void missingName_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("result");
        const auto row = [](const char* name, const char* text, const char* result) {
            QTest::newRow(name) << text << result;
        };
        const char* const net =
            "from torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n";
        const QString built = "Net | Python model source, built as Net()";
        QTest::newRow("unused") << QString("import nothing_here.deep as n\nfrom nothing_else import a, b as c\n") + net
                                << built;
        QTest::newRow("annotation") << QString("import nothing_here as n\nX: n.A[int] = 3\nY = n.B | None\n") + net
                                    << built;
        QTest::newRow("set up") << QString("import nothing_here as n\nn.use('Agg')\nlogger = n.get().child()\n") + net
                                << built;
        QTest::newRow("decorator")
            << QString("import nothing_here as n\n\n\n@n.jit(fast=True)\ndef f():\n    pass\n\n\n") + net << built;
        QTest::newRow("base") << QString("import nothing_here as n\n\n\nclass D(n.Base):\n    pass\n\n\n") + net
                              << built;
        QTest::newRow("instance check") << QString("import nothing_here as n\nassert not isinstance(1, (n.A, str))\n") +
                                               net
                                        << built;
        QTest::newRow("guarded")
            << QString(
                   "try:\n    import nothing_here\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
                   "assert not HAS\n") +
                   net
            << built;
        QTest::newRow("guarded inside")
            << QString(
                   "def load():\n    import nothing_here\n\n\ntry:\n    load()\nexcept Exception:\n"
                   "    HAS = False\nassert not HAS\n") +
                   net
            << built;
        row("used",
            "import nothing_here as n\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.x = n.deep.f(3)\n\n    def forward(self, x):\n        return x\n",
            "ModuleNotFoundError: No module named 'nothing_here' (imported at net.py:1); nothing_here.deep.f is used "
            "here");
        row("unknown name",
            "from torch.nn import NoSuchLayer\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def "
            "__init__(self):\n"
            "        super().__init__()\n        self.x = NoSuchLayer(3)\n\n    def forward(self, x):\n        return "
            "x\n",
            "ImportError: cannot import name 'NoSuchLayer' from 'torch.nn' (imported at net.py:1); "
            "torch.nn.NoSuchLayer is "
            "used here");
        row("only a missing base", "import nothing_here as n\n\n\nclass Net(n.Module):\n    pass\n",
            "No module named 'nothing_here' (imported at net.py:1); Net, derived from nothing_here.Module, is used");
    }
    void missingName() {
        QFETCH(QString, text);
        QFETCH(QString, result);
        QCOMPARE(opened_text(text.toUtf8().constData()), result);
    }

    void model_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("result");
        const QString head = "import torch\nfrom torch import nn\n\n\n";
        const QString two =
            "class Part(nn.Module):\n    def forward(self, x):\n        return x\n\n\nclass Whole(nn.Module):\n"
            "    def __init__(self, width=2):\n        super().__init__()\n        self.part = Part()\n\n"
            "    def forward(self, x):\n        return self.part(x)\n\n\n";
        QTest::newRow("a part is no model") << head + two << "Whole | Python model source, built as Whole()";
        const QString wide = QString(two).replace("width=2", "width");
        QTest::newRow("a function that makes it")
            << head + wide + "def whole_small(pretrained=True):\n    assert not pretrained\n    return Whole(3)\n"
            << "Whole | Python model source, built as whole_small(pretrained=False)";
        QTest::newRow("needs arguments")
            << head + wide << "Whole | Python model source, built as Whole(width=64) (guessed: names and uses)";
        QTest::newRow("a value") << head + wide + "net = Whole(3)\nloss = nn.MSELoss()\n"
                                 << "Whole | Python model source";
        QTest::newRow("in the postponed block")
            << head + wide + "if __name__ == '__main__':\n    net = Whole(4)\n    raise RuntimeError('training')\n"
            << "Whole | Python model source";
        QTest::newRow("defaults that do not do")
            << head +
                   "class Net(nn.Module):\n    def __init__(self, width=None):\n        super().__init__()\n"
                   "        assert width is not None, 'width is needed'\n\n    def forward(self, x):\n        return "
                   "x\n"
            << "Net | Python model source, built as Net(width=64) (guessed: names and uses)";
        QTest::newRow("called as the file")
            << head +
                   "class Net(nn.Module):\n    def forward(self, x):\n        return x\n\n\nclass Other(nn.Module):\n"
                   "    def forward(self, x):\n        return x\n"
            << "Net | Python model source, built as Net()";
    }
    void model() {
        QFETCH(QString, text);
        QFETCH(QString, result);
        QCOMPARE(opened_text(text.toUtf8().constData()), result);
    }
};

QTEST_GUILESS_MAIN(TestImports)
#include "test_imports.moc"
