// SPDX-License-Identifier: Apache-2.0
// Inputs of script files that say nothing of them: a guess that is changed until forward accepts its shape.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/model/convert.h"
#include "core/model/program.h"

using namespace loupe;
using namespace loupe::session;

namespace {

Shape guessed(const std::shared_ptr<Program>& program) {
    const std::vector<InputSpec> inputs = program->default_inputs("forward");
    return inputs.empty() ? Shape() : inputs[0].shape;
}

std::shared_ptr<Program> scripted(const QTemporaryDir& folder, const std::string& body) {
    const std::string file = folder.filePath("net.py").toStdString();
    write_file_atomically(file, "import torch\nimport torch.nn as nn\n" + body);
    const std::string script = folder.filePath("net.pt").toStdString();
    const auto source = Program::open(file);
    source->script();
    convert(file, script, [&] { return source; });
    QFile::remove(QString::fromStdString(file));
    return Program::open(script);
}

}  // namespace

class TestFittingInputs : public QObject {
    Q_OBJECT

  private slots:
    void images_have_the_side_that_flattening_wants_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<int>("side");
        QTest::newRow("of MNIST")
            << "nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Conv2d(2, 2, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(288, 5)"
            << 28;
        QTest::newRow("smaller") << "nn.Conv2d(3, 2, 3, padding=1), nn.MaxPool2d(4), nn.Flatten(), nn.Linear(8, 5)"
                                 << 8;
        QTest::newRow("larger") << "nn.Conv2d(3, 2, 3, padding=1), nn.MaxPool2d(4), nn.Flatten(), nn.Linear(512, 5)"
                                << 64;
        QTest::newRow("any") << "nn.Conv2d(3, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 5)" << 32;
    }
    void images_have_the_side_that_flattening_wants() {
        QFETCH(QString, layers);
        QFETCH(int, side);
        const QTemporaryDir folder;
        const auto program = scripted(folder, "model = nn.Sequential(" + layers.toStdString() + ")\n");
        const Shape shape = guessed(program);
        QCOMPARE(shape.size(), std::size_t{4});
        QCOMPARE(shape[2], std::int64_t{side});
        QCOMPARE(shape[3], std::int64_t{side});
        const PreparedMethod method(program, "forward", "none");
        QCOMPARE(
            method.forward(program->make_arguments(program->default_inputs("forward"), "forward")).to_tensor().dim(),
            std::int64_t{2});
    }
    // A run on fakes changes nothing, and where it cannot go on the guess is as far as it came: batch norm wants two
    // rows.
    void the_model_stays_as_it_was() {
        const QTemporaryDir folder;
        const auto program = scripted(folder,
                                      "class Net(nn.Module):\n"
                                      "    def __init__(self):\n"
                                      "        super().__init__()\n"
                                      "        self.fc = nn.Linear(4, 4)\n"
                                      "        self.norm = nn.BatchNorm1d(4)\n"
                                      "        self.register_buffer('lying', torch.ones(1).expand(3))\n"
                                      "        self.calls = 0\n"
                                      "    def forward(self, x):\n"
                                      "        self.calls += 1\n"
                                      "        y = self.norm(self.fc(x))\n"
                                      "        if bool((y > 0).any()):\n"
                                      "            return y + self.lying.sum()\n"
                                      "        return y\n"
                                      "model = Net()\n");
        const auto mean = program->module().get_buffer("norm.running_mean");
        QCOMPARE(guessed(program), (Shape{2, 4}));
        QCOMPARE(item(mean.view_as_strided({}, {}, 0)).to_double(), 0.0);
        QCOMPARE(program->module().attribute("calls").to_int(), std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestFittingInputs)
#include "test_fitting_inputs.moc"
