// SPDX-License-Identifier: Apache-2.0
// Our passes and PyTorch's on the same graphs: every program of programs.zip, text for text, and the model fixtures,
// kinds of nodes, dead code removed (tests/fixtures/make_graphs.py writes what is expected).
#include <QtTest>

#include <QRegularExpression>
#include <map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/formats/archive/zip_reader.h"
#include "core/ir/parser.h"
#include "core/passes/pass_manager.h"
#include "tests/passes/canonical.h"

using namespace loupe;
using namespace loupe::passes;

namespace {

std::string reduced(const Ptr<ir::Graph>& graph) { return test::canonical(graph->str()); }

QString first_difference(const std::string& got, const std::string& expected) {
    const auto a = QString::fromStdString(got).split('\n');
    const auto b = QString::fromStdString(expected).split('\n');
    for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i) {
        const QString x = i < a.size() ? a[i] : "<end>";
        const QString y = i < b.size() ? b[i] : "<end>";
        if (x != y) return QString("line %1:\n  got      %2\n  expected %3").arg(i + 1).arg(x.left(300), y.left(300));
    }
    return {};
}

// Where ours does otherwise, and why. What is listed and comes out alike after all fails, so that the list stays true.
struct Difference {
    const char* where;   // of programs and models, a pattern
    const char* passes;  // a pattern
    const char* why;
};

constexpr const char* kSeen = "what leaves the graph, or goes to what may write, is no constant";
constexpr const char* kShared =
    "memory that several parts of a container share counts as one, so a write to one counts for all";
constexpr const char* kNoBool =
    "x + 0 and x * 1 stay unless the tensor is known to be of numbers: of a bool tensor they are numbers";
constexpr Difference kDifferences[] = {
    {"Containers|keyword_only|tensor_operators", "PeepholeOptimize", kNoBool},
    {"SmallModule|augmented_assignment|index_assignment|attention|batchnorm_train|densenet|googlenet.*|language_"
     "indexing|mobilenet_v3_small|resnet18(_train)?",
     "RemoveInplaceOps",
     "PyTorch's pass, made for ONNX, loses what is written to parameters, buffers and inputs; ours leaves those "
     "writes"},
    {"resnet18(_train)?", "RemoveListMutation, RemoveTensorMutation", "three more: sums with what a branch gave"},
    {"attention", "RemoveListMutation, RemoveTensorMutation", kShared},
    {"mobilenet_v3_small", "RemoveListMutation, RemoveTensorMutation", "what draws numbers stays in place"},
    {"augmented_assignment", "RemoveListMutation, RemoveTensorMutation",
     "PyTorch moves a list to where it is written, though the write stays"},
    {"class_instances|shared_lists", "PeepholeOptimize.*", kShared},
    {"upsampler", "PeepholeOptimizeListIdioms", kShared},
    {"attention|detection|upsampler|list_functions|loops_over_dicts|tensor_indices|language", "CSE", kShared},
    {"lstm.*", "CSE", "two more reads of what nobody writes are one"},
    {"dict_keys|dict_methods|empty_containers|forks|list_methods|text_searches",
     "(UnrollConstantLoops, )?ConstantPropagation", kSeen},
    {"upsampler", ".*ConstantPropagation", "one more branch is decided, and what it made goes"},
    {"attention|gru|loops_over_dicts|membership", "LowerAllTuples",
     "PyTorch flattens tuples among the arguments of operators that take them whole, which its own interpreter then "
     "cannot run"},
};

const char* known_difference(const QString& where, const QString& passes) {
    for (const Difference& difference : kDifferences) {
        const QRegularExpression place(QRegularExpression::anchoredPattern(difference.where));
        const QRegularExpression list(QRegularExpression::anchoredPattern(difference.passes));
        if (place.match(where).hasMatch() && list.match(passes).hasMatch()) return difference.why;
    }
    return nullptr;
}

void count(const ir::Block& block, std::map<std::string, int>& kinds) {
    for (const ir::Node* node : block.nodes()) {
        const bool has_number = node->has_attribute(ir::attr::Subgraph);
        if (!has_number) ++kinds[node->kind().str()];
        for (std::size_t i = 0; i < node->block_count(); ++i) count(*node->block_at(i), kinds);
    }
}

}  // namespace

class TestAgainstPyTorch : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void textsAreReadAndWritten_data();
    void textsAreReadAndWritten();
    void programs_data();
    void programs();
    void models_data();
    void models();

  private:
    std::string text_of(const std::string& name) const {
        constexpr std::uint64_t kLargest = 1 << 26;
        return zip_->read(*zip_->find(name), kLargest);
    }
    std::unique_ptr<ZipReader> zip_;
};

void TestAgainstPyTorch::initTestCase() {
    zip_ = std::make_unique<ZipReader>(MappedFile::open(LOUPE_SOURCE_DIR "/tests/fixtures/graphs.zip"));
}

// Everything that PyTorch prints, also graphs that its executor made, and models in groups and with guards.
void TestAgainstPyTorch::textsAreReadAndWritten_data() {
    QTest::addColumn<QString>("name");
    for (const auto& entry : zip_->entries()) {
        if (entry.name.ends_with(".txt")) QTest::addRow("%s", entry.name.c_str()) << QString::fromStdString(entry.name);
    }
}
void TestAgainstPyTorch::textsAreReadAndWritten() {
    QFETCH(QString, name);
    const std::string text = text_of(name.toStdString());
    if (text == "error\n") return;
    try {
        const auto graph = ir::parse_graph(text);
        const QString wrong = first_difference(graph->str(), text);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        graph->lint();
    } catch (const Error& error) {
        QFAIL(error.what());
    }
}

void TestAgainstPyTorch::programs_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("passes");
    QTest::addColumn<bool>("changes");
    const QByteArray index = QByteArray::fromStdString(text_of("index.json"));
    const QJsonObject all = QJsonDocument::fromJson(index).object();
    for (const QJsonValue& program : all["programs"].toArray()) {
        for (const QJsonValue& passes : all["passes"].toArray()) {
            const std::string file = program.toString().toStdString() + "." + passes.toString().toStdString() + ".txt";
            QTest::addRow("%s", file.c_str())
                << program.toString() << passes.toString() << (zip_->find(file) != nullptr);
        }
    }
}
void TestAgainstPyTorch::programs() {
    QFETCH(QString, program);
    QFETCH(QString, passes);
    QFETCH(bool, changes);
    const std::string before = text_of(program.toStdString() + ".before.txt");
    const std::string after = changes ? text_of((program + "." + passes + ".txt").toStdString()) : before;
    if (after == "error\n") return;
    try {
        const auto graph = ir::parse_graph(before);
        PassManager manager;
        manager.verify_each(false);
        manager.run(*graph, pipeline_of(passes.toStdString() + ", DCE"));
        graph->lint();
        const QString wrong = first_difference(reduced(graph), test::canonical(after));
        if (const char* why = known_difference(program, passes)) QEXPECT_FAIL("", why, Continue);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    } catch (const Error& error) {
        QFAIL(error.what());
    }
}

void TestAgainstPyTorch::models_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("passes");
    QTest::addColumn<QJsonObject>("expected");
    QTest::addColumn<QJsonObject>("before");
    const QJsonObject all = QJsonDocument::fromJson(QByteArray::fromStdString(text_of("index.json"))).object();
    const QJsonObject counts = QJsonDocument::fromJson(QByteArray::fromStdString(text_of("counts.json"))).object();
    for (const QString& model : counts.keys()) {
        const QJsonObject of_model = counts[model].toObject();
        if (!QFile::exists(LOUPE_SOURCE_DIR "/tests/fixtures/graphs/" + model + ".inlined.txt")) continue;
        for (const QJsonValue& passes : all["passes"].toArray()) {
            const QString name = passes.toString();
            const QJsonObject expected = of_model[of_model.contains(name) ? name : "DCE"].toObject();
            if (!of_model[name].isString())
                QTest::addRow("%s %s", qPrintable(model), qPrintable(name))
                    << model << name << expected << of_model["before"].toObject();
        }
    }
}
void TestAgainstPyTorch::models() {
    QFETCH(QString, model);
    QFETCH(QString, passes);
    QFETCH(QJsonObject, expected);
    QFETCH(QJsonObject, before);
    const std::string text =
        read_text_file((LOUPE_SOURCE_DIR "/tests/fixtures/graphs/" + model + ".inlined.txt").toStdString());
    try {
        const auto graph = ir::parse_graph(text);
        std::map<std::string, int> kinds;
        count(*graph->block(), kinds);
        if (kinds["prim::CallFunction"] != before["prim::CallFunction"].toInt())
            QSKIP("a recursion, inlined otherwise in the text");
        kinds.clear();
        PassManager manager;
        manager.verify_each(false);
        manager.run(*graph, pipeline_of(passes.toStdString() + ", DCE"));
        graph->lint();
        count(*graph->block(), kinds);
        QStringList wrong;
        for (const QString& kind : expected.keys()) {
            if (!kind.endsWith("Constant") && kinds[kind.toStdString()] != expected[kind].toInt() &&
                !kind.back().isDigit()) {
                wrong << QString("%1 %2, expected %3")
                             .arg(kind)
                             .arg(kinds[kind.toStdString()])
                             .arg(expected[kind].toInt());
            }
        }
        for (const auto& [kind, number] : kinds) {
            const QString name = QString::fromStdString(kind);
            if (number > 0 && !expected.contains(name) && kind != "prim::Constant")
                wrong << QString("%1 %2, expected none").arg(name).arg(number);
        }
        if (const char* why = known_difference(model, passes)) QEXPECT_FAIL("", why, Continue);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("; ")));
    } catch (const Error& error) {
        QFAIL(error.what());
    }
}

QTEST_APPLESS_MAIN(TestAgainstPyTorch)
#include "test_against_pytorch.moc"
