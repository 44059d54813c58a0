// SPDX-License-Identifier: Apache-2.0
// The pass UndoExporter on files of both of PyTorch's exporters: what it makes of them, and that numbers stay.
#include <QTest>
#include <map>
#include <set>

#include "core/base/strings.h"
#include "core/formats/numpy/npy.h"
#include "core/ir/graph.h"
#include "core/model/inputs.h"
#include "core/model/pipelines.h"
#include "core/model/program.h"
#include "core/record/run_phases.h"
#include "core/study/compare.h"

using namespace loupe;
namespace fs = std::filesystem;

namespace {

constexpr const char* kPipeline = "UndoExporter, DCE";
const fs::path kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/onnx";
const fs::path kModels = LOUPE_SOURCE_DIR "/tests/conformance/exported_models";

fs::path file_of(const std::string& name) {
    const fs::path fixture = kFixtures / (name + ".onnx");
    return fs::exists(fixture) ? fixture : kModels / (name + ".onnx");
}

std::vector<IValue> arguments_of(const fs::path& path) {
    fs::path values = path;
    const NamedTensors inputs = read_npz(values.replace_extension(".in.npz"));
    std::vector<IValue> arguments;
    for (std::size_t i = 0;; ++i) {
        const auto found = std::ranges::find(inputs, concat("arg", i), [](const auto& each) { return each.first; });
        if (found == inputs.end()) return arguments;
        arguments.emplace_back(found->second);
    }
}

}  // namespace

class TestUndoExporter : public QObject {
    Q_OBJECT

    static std::map<std::string, int> kinds_of(const ir::Graph& graph) {
        std::map<std::string, int> kinds;
        for (const ir::Node* node : graph.nodes()) ++kinds[node->kind().str()];
        return kinds;
    }

  private slots:
    void numbers_stay_data() {
        QTest::addColumn<QString>("name");
        std::set<std::string> names;
        for (const fs::path& folder : {kFixtures, kModels}) {
            for (const auto& entry : fs::directory_iterator(folder)) {
                if (entry.path().extension() == ".onnx") names.insert(entry.path().stem().string());
            }
        }
        names.erase("unknown");  // cannot run
        for (const std::string& name : names) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void numbers_stay() {
        QFETCH(QString, name);
        const fs::path path = file_of(name.toStdString());
        const auto program = session::Program::open(path);
        const std::vector<IValue> arguments = arguments_of(path);
        const auto run = [&](const char* pipeline) {
            return session::flatten_tensors(session::PreparedMethod(program, "forward", pipeline).forward(arguments));
        };
        const TensorList expected = run("none"), actual = run(kPipeline);
        QCOMPARE(actual.size(), expected.size());
        for (std::size_t i = 0; i < actual.size(); ++i) {
            const auto difference = session::compare_tensors(actual[i], expected[i], 1e-4, 1e-5);
            QVERIFY2(difference.is_equal, concat("output ", i, " is off by ", difference.max_abs).c_str());
        }
    }

    void operators_are_what_they_were_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("made");
        QTest::addColumn<QStringList>("gone");
        using L = QStringList;
        const L attention{"aten::linear", "aten::layer_norm", "aten::gelu", "aten::scaled_dot_product_attention",
                          "aten::embedding"};
        QTest::newRow("nested_old") << "nested_old" << attention << L{"onnx::MatMul", "onnx::Softmax", "onnx::Erf"};
        QTest::newRow("nested_new") << "nested_new" << attention << L{"onnx::MatMul", "onnx::Softmax", "onnx::Erf"};
        const L images{"aten::conv2d",     "aten::silu",   "aten::hardswish",
                       "aten::max_pool2d", "aten::linear", "aten::upsample_bilinear2d"};
        QTest::newRow("images_old") << "images_old" << images << L{"onnx::Conv", "onnx::Gemm", "onnx::Resize"};
        QTest::newRow("images_new") << "images_new" << images << L{"onnx::Conv", "onnx::Gemm", "onnx::Resize"};
        QTest::newRow("recurrent_old") << "recurrent_old" << L{"onnx::LSTM", "aten::reshape"}
                                       << L{"onnx::Reshape", "onnx::Concat"};
        QTest::newRow("hf_bert") << "hf_bert" << attention << L{"onnx::MatMul", "onnx::Reshape", "onnx::Erf"};
    }
    void operators_are_what_they_were() {
        QFETCH(QString, name);
        QFETCH(QStringList, made);
        QFETCH(QStringList, gone);
        const auto program = session::Program::open(file_of(name.toStdString()));
        const auto graph =
            session::run_pipeline(kPipeline, *program->method("forward").graph(), program->script_module());
        const auto kinds = kinds_of(*graph);
        const std::string text = graph->str();
        for (const QString& kind : made)
            QVERIFY2(kinds.contains(kind.toStdString()), (kind.toStdString() + " is missing in\n" + text).c_str());
        for (const QString& kind : gone)
            QVERIFY2(!kinds.contains(kind.toStdString()), (kind.toStdString() + " is left in\n" + text).c_str());
    }

    // A view of the pass shows all that one operator was made of.
    void origins_are_all_that_was_joined() {
        const auto program = session::Program::open(file_of("nested_new"));
        const ir::Graph& before = *program->method("forward").graph();
        std::map<std::uint32_t, std::string> kinds;
        for (const ir::Node* node : before.nodes()) kinds[node->id()] = node->kind().str();
        const auto graph = session::run_pipeline(kPipeline, before, program->script_module());
        bool found = false;
        for (const ir::Node* node : graph->nodes()) {
            if (node->kind().str() != "aten::gelu") continue;
            found = true;
            std::set<std::string> sources;
            for (const std::uint32_t id : node->provenance().nodes) sources.insert(kinds.at(id));
            for (const char* kind : {"onnx::Div", "onnx::Erf", "onnx::Add", "onnx::Mul"})
                QVERIFY2(sources.contains(kind), kind);
        }
        QVERIFY(found);
    }
};

QTEST_GUILESS_MAIN(TestUndoExporter)
#include "test_undo_exporter.moc"
