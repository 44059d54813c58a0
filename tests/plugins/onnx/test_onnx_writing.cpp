// SPDX-License-Identifier: Apache-2.0
// Models written as ONNX: what stands in the file, and that it gives the source's numbers when it is read again.
// ONNX Runtime checks the same by hand: onnxruntime_check.py.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/model/convert.h"
#include "core/model/input_spec.h"
#include "core/model/program.h"
#include "core/study/compare.h"
#include "plugins/onnx/proto/onnx.pb.h"

using namespace loupe;
namespace fs = std::filesystem;
namespace messages = loupe::onnx::proto;

namespace {

const fs::path kSource = fs::path(LOUPE_SOURCE_DIR) / "tests/plugins/onnx/written_models.py";

using Options = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<session::Program> opened(const std::string& name) {
    auto program = session::Program::open(kSource, {}, name + "()");
    program->module().train(false);
    return program;
}

std::vector<IValue> arguments_of(const session::Program& program, const std::string& specs) {
    std::vector<session::InputSpec> all;
    for (const std::string_view each : split(specs, ' ')) all.push_back(session::parse_input_spec(std::string(each)));
    return program.make_arguments(all, "forward");
}

// The program, traced or scripted, and its file.
struct Written {
    std::shared_ptr<session::Program> program;
    fs::path path;
    messages::ModelProto model;
};

Written write(const fs::path& folder, const std::string& name, const std::string& specs, const Options& options = {},
              bool scripted = false) {
    Written written{opened(name), folder / (name + ".onnx"), {}};
    if (scripted) written.program->script();
    session::ConvertOptions converting;
    converting.writer.options = options;
    converting.writer.inputs = [&](const session::Program& program, const std::string&) {
        return arguments_of(program, specs);
    };
    const auto open = [&] {
        if (!scripted) written.program->trace_with(arguments_of(*written.program, specs));
        return written.program;
    };
    session::convert(kSource, written.path, open, converting);
    std::ifstream file(written.path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    if (!written.model.ParseFromString(bytes.str())) throw Error(ErrorKind::File, "no message");
    return written;
}

void flatten(const IValue& value, TensorList& out) {
    if (value.is_tensor()) out.push_back(value.to_tensor());
    if (value.is_tuple()) {
        for (const IValue& each : value.to_tuple().elements) flatten(each, out);
    } else if (value.is_list()) {
        for (const IValue& each : value.to_list().elements) flatten(each, out);
    } else if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) flatten(each, out);
    }
}

TensorList outputs_of(const std::shared_ptr<session::Program>& program, const std::string& specs) {
    session::PreparedMethod method(program, "forward", "none");
    const GradModeScope no_grad(false);
    TensorList out;
    flatten(method.forward(arguments_of(*program, specs)), out);
    return out;
}

// What differs between the source and its file, run on the same inputs.
std::string difference(const Written& written, const std::string& specs) {
    const TensorList expected = outputs_of(written.program, specs);
    const TensorList actual = outputs_of(session::Program::open(written.path), specs);
    if (actual.size() != expected.size()) return concat(actual.size(), " outputs, not ", expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (actual[i].dtype() != expected[i].dtype())
            return concat("output ", i, " is ", dtype_name(actual[i].dtype()));
        const auto found = session::compare_tensors(actual[i], expected[i], 1e-4, 1e-5);
        if (!found.is_equal) return concat("output ", i, " is off by ", found.max_abs, " ", found.why);
    }
    return {};
}

std::vector<std::string> operators_of(const messages::GraphProto& graph) {
    std::vector<std::string> all;
    for (const auto& node : graph.node()) all.push_back(node.op_type());
    return all;
}

std::string metadata_of(const messages::NodeProto& node, const std::string& key) {
    for (const auto& entry : node.metadata_props()) {
        if (entry.key() == key) return entry.value();
    }
    return {};
}

const messages::NodeProto* find_node(const messages::GraphProto& graph, const std::string& op) {
    for (const auto& node : graph.node()) {
        if (node.op_type() == op) return &node;
    }
    return nullptr;
}

std::string error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class TestOnnxWriting : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    fs::path folder() const { return folder_.path().toStdString(); }

  private slots:
    void reads_as_it_was_written_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("specs");
        QTest::addColumn<bool>("scripted");
        QTest::addColumn<int>("opset");
        struct Case {
            const char* name;
            const char* specs;
            bool scripted;
        };
        for (const Case& each :
             {Case{"Network", "2x3x8x8", false}, Case{"Network", "2x3x8x8", true}, Case{"Block", "2x5x8", false},
              Case{"Recurrent", "3x4:int64", false}, Case{"Writes", "3x4", false}, Case{"Writes", "3x4", true},
              Case{"Named", "3x4", false}, Case{"Loops", "3x4", true}, Case{"Loops", "3x4", false}}) {
            for (const int opset : {11, 13, 14, 17, 18, 20}) {
                const std::string row = concat(each.name, each.scripted ? " scripted " : " ", opset);
                QTest::newRow(row.c_str()) << QString(each.name) << QString(each.specs) << each.scripted << opset;
            }
        }
    }

    void reads_as_it_was_written() {
        QFETCH(QString, name);
        QFETCH(QString, specs);
        QFETCH(bool, scripted);
        QFETCH(int, opset);
        const std::string inputs = specs.toStdString();
        const Written written =
            write(folder(), name.toStdString(), inputs, {{"opset", std::to_string(opset)}}, scripted);
        QCOMPARE(written.model.opset_import(0).version(), opset);
        QCOMPARE(difference(written, inputs), std::string());
    }

    void parameters_keep_their_names() {
        const Written written = write(folder(), "Network", "2x3x8x8");
        std::set<std::string> names;
        for (const auto& tensor : written.model.graph().initializer()) names.insert(tensor.name());
        for (const auto& [name, tensor] : written.program->module().state_dict()) {
            if (name.ends_with("num_batches_tracked")) continue;  // evaluation does not read it
            QVERIFY2(names.contains(name), name.c_str());
        }
    }

    void nodes_know_their_modules() {
        const Written written = write(folder(), "Network", "2x3x8x8");
        const messages::NodeProto* conv = find_node(written.model.graph(), "Conv");
        QVERIFY(conv != nullptr);
        QCOMPARE(conv->name(), std::string("/features/features.0/Conv"));
        const std::string scopes = metadata_of(*conv, "pkg.torch.onnx.name_scopes");
        QVERIFY2(scopes.starts_with("['', 'features', 'features.0', "), scopes.c_str());
        const std::string classes = metadata_of(*conv, "pkg.torch.onnx.class_hierarchy");
        QVERIFY2(classes.find("Conv2d'") != std::string::npos && classes.find("'aten.") != std::string::npos,
                 classes.c_str());
        QVERIFY(!metadata_of(*conv, "namespace").empty());
    }

    void sizes_that_differ_have_names() {
        const Written written =
            write(folder(), "Network", "2x3x8x8", {{"dynamic", "arg0:0=batch"}, {"output_names", "scores"}});
        const auto& graph = written.model.graph();
        QCOMPARE(graph.input(0).type().tensor_type().shape().dim(0).dim_param(), std::string("batch"));
        QCOMPARE(graph.input(0).type().tensor_type().shape().dim(1).dim_value(), 3);
        QCOMPARE(graph.output(0).name(), std::string("scores"));
        QCOMPARE(graph.output(0).type().tensor_type().shape().dim(0).dim_param(), std::string("batch"));
        QCOMPARE(difference(written, "7x3x8x8"), std::string());
    }

    void loops_run_for_other_sizes() {
        const Written written = write(folder(), "Loops", "3x4", {{"dynamic", "arg0:0=steps"}}, true);
        const auto operators = operators_of(written.model.graph());
        QVERIFY(std::ranges::count(operators, "Loop") == 1 && std::ranges::count(operators, "If") == 1);
        QCOMPARE(difference(written, "6x4"), std::string());
    }

    void operators_follow_the_opset() {
        const auto has = [&](int opset, const char* op) {
            const Written written = write(folder(), "Block", "2x5x8", {{"opset", std::to_string(opset)}});
            return find_node(written.model.graph(), op) != nullptr;
        };
        QVERIFY(!has(16, "LayerNormalization"));
        QVERIFY(has(17, "LayerNormalization"));
        QVERIFY(!has(19, "Gelu"));
        QVERIFY(has(20, "Gelu"));
    }

    // Which row goes to which expert is found by the model.
    void experts_choose_their_rows() {
        const Written written = write(folder(), "Experts", "6x4", {{"dynamic", "arg0:0=rows"}, {"opset", "18"}});
        QCOMPARE(difference(written, "6x4"), std::string());
        QCOMPARE(difference(written, "9x4"), std::string());
    }

    // PyTorch's filter ends at the edges, ONNX's where exclude_outside says so.
    void smaller_images() {
        const Written written = write(folder(), "Smaller", "1x2x9x7");
        for (const auto& node : written.model.graph().node()) {
            if (node.op_type() != "Resize") continue;
            const auto name = &messages::AttributeProto::name;
            const auto excludes = std::ranges::find(node.attribute(), "exclude_outside", name);
            QVERIFY(excludes != node.attribute().end() && excludes->i() == 1);
        }
        QVERIFY(find_node(written.model.graph(), "Resize") != nullptr);
        QCOMPARE(difference(written, "1x2x9x7"), std::string());
    }

    void names_of_a_dict_are_names_of_outputs() {
        const Written written = write(folder(), "Named", "3x4");
        QCOMPARE(written.model.graph().output(0).name(), std::string("double"));
        QCOMPARE(written.model.graph().output(1).name(), std::string("largest"));
    }

    void tensors_may_lie_beside_the_model() {
        const Written written = write(folder(), "Block", "2x5x8", {{"external_data", "true"}});
        QVERIFY(fs::exists(written.path.string() + ".data"));
        const auto& tensors = written.model.graph().initializer();
        QVERIFY(std::ranges::any_of(
            tensors, [](const auto& tensor) { return tensor.data_location() == messages::TensorProto::EXTERNAL; }));
        QCOMPARE(difference(written, "2x5x8"), std::string());
    }

    // It asserts what it wrote.
    void programs_export() {
        const fs::path source = fs::path(LOUPE_SOURCE_DIR) / "tests/plugins/onnx/export_program.py";
        QCOMPARE(error_of([&] { session::Program::open_or_run(source); }), std::string());
    }

    void options_are_checked_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("text");
        for (const auto& [option, text] : std::vector<std::pair<const char*, const char*>>{{"opset", "10"},
                                                                                           {"opset", "21"},
                                                                                           {"opset", "x"},
                                                                                           {"dynamic", "arg3:0=n"},
                                                                                           {"dynamic", "arg0:9=n"},
                                                                                           {"dynamic", "arg0:0="},
                                                                                           {"export_params", "perhaps"},
                                                                                           {"other", "1"}})
            QTest::newRow(concat(option, " ", text).c_str()) << QString(option) << QString(text);
    }
    void options_are_checked() {
        QFETCH(QString, option);
        QFETCH(QString, text);
        const std::string error = error_of([&] {
            write(folder(), "Named", "3x4", {{option.toStdString(), text.toStdString()}});
        });
        QVERIFY(!error.empty());
        QVERIFY2(error.find('\n') == std::string::npos, error.c_str());
    }
};

QTEST_GUILESS_MAIN(TestOnnxWriting)
#include "test_onnx_writing.moc"
