// SPDX-License-Identifier: Apache-2.0
// What a recording calls the gradient of a value is one: it has the value's shape, and parameters have theirs.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>

#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

class TestGradientNames : public QObject {
    Q_OBJECT

  private slots:
    void have_the_shape_of_their_value_data();
    void have_the_shape_of_their_value();
    void of_values_without_a_name();
};

namespace {

const char* const kSource =
    "import torch, torch.nn as nn\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.a = nn.Linear(5, 7)\n"
    "        self.norm = nn.LayerNorm(7)\n"
    "        self.b = nn.Linear(7, 3)\n"
    "    def forward(self, x):\n"
    "        h = torch.tanh(self.a(x)) * 1.5\n"
    "        h[0] = 1\n"
    "        return self.b(self.norm(h)) + x.sum()\n"
    "model = Net()\n"
    "example_inputs = (torch.randn(4, 5),)\n";

std::shared_ptr<const Recording> record(const std::string& path) {
    Session session;
    session.open(path);
    session.wait_idle();
    RunOptions options;
    options.method = "forward";
    options.backward = true;
    session.run(options);
    session.wait_idle();
    if (session.status().state != RunState::Finished) qFatal("%s", session.status().error.c_str());
    return session.recording();
}

}  // namespace

void TestGradientNames::have_the_shape_of_their_value_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("source") << "";
    for (const char* model : {"digits.pt", "lstm.pt", "gpt.pt"}) QTest::newRow(model) << QString(LOUPE_SOURCE_DIR "/resources/models/") + model;
}
void TestGradientNames::have_the_shape_of_their_value() {
    QFETCH(QString, model);
    const QTemporaryDir folder;
    std::string path = model.toStdString();
    if (path.empty()) {
        path = folder.filePath("net.py").toStdString();
        std::ofstream(path) << kSource;
    }
    const auto recording = record(path);
    std::set<ValueId> with_gradient;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.gradient_of == 0) continue;
        const Value& of = recording->value(value.gradient_of);
        QVERIFY2(value.shape == of.shape, (value.name + ", event " + std::to_string(value.producer)).c_str());
        if (!of.name.empty()) QCOMPARE(QString::fromStdString(value.name), QString::fromStdString("grad of " + of.name));
        with_gradient.insert(value.gradient_of);
    }
    int parameters = 0;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.producer != 0 || !value.requires_grad || value.name.empty()) continue;
        ++parameters;
        QVERIFY2(with_gradient.contains(id), value.name.c_str());
    }
    QVERIFY(parameters >= 6);
}

void TestGradientNames::of_values_without_a_name() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("net.py").toStdString();
    std::ofstream(path) << kSource;
    const auto recording = record(path);
    bool found = false;
    for (ValueId id = 1; id <= recording->value_count(); ++id) {
        const Value& value = recording->value(id);
        if (value.gradient_of == 0) continue;
        QVERIFY(value.name != "grad of ");
        const Value& of = recording->value(value.gradient_of);
        if (of.producer == 0 || recording->event(of.producer).op != "aten::tanh") continue;
        QCOMPARE(QString::fromStdString(value.name), QString("grad of aten::tanh #%1").arg(of.producer));
        found = true;
    }
    QVERIFY(found);
}

QTEST_GUILESS_MAIN(TestGradientNames)
#include "test_gradient_names.moc"
