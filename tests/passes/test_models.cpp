// SPDX-License-Identifier: Apache-2.0
// Pipelines on the fixture models: PyTorch's own graphs come out, numbers stay the same, a second run changes nothing.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/dispatch/functions.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"
#include "core/ir/verify.h"
#include "core/passes/pass_manager.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/passes/canonical.h"

using namespace loupe;
using namespace loupe::passes;

namespace {

const std::filesystem::path kFixtures = std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/fixtures";

struct Case {
    std::string name;
    std::string file;
    std::string method;
    bool train = false;
    double rtol = 0;
    double atol = 0;
    bool fails = false;
    bool is_random = false;
};

std::vector<Case> cases() {
    const QByteArray bytes = QByteArray::fromStdString(read_text_file(kFixtures / "models/index.json"));
    std::vector<Case> all;
    for (const QJsonValue& value : QJsonDocument::fromJson(bytes).array()) {
        const QJsonObject object = value.toObject();
        const QJsonObject tolerance = object["tolerance"].toObject();
        all.push_back({object["name"].toString().toStdString(), object["file"].toString().toStdString(),
                       object["method"].toString().toStdString(), object["mode"].toString() == "train",
                       tolerance["rtol"].toDouble(1e-5), tolerance["atol"].toDouble(1e-6), object.contains("error")});
    }
    return all;
}

// "arg0", "arg1.0", ... back into arguments.
std::vector<IValue> read_arguments(const std::string& name) {
    std::vector<IValue> arguments;
    const auto path = kFixtures / "models" / (name + ".in.npz");
    if (!std::filesystem::exists(path)) return arguments;
    for (const auto& [key, tensor] : read_npz(path)) {
        if (!key.starts_with("arg")) continue;
        const auto dot = key.find('.');
        const auto index = static_cast<std::size_t>(std::stoul(key.substr(3, dot - 3)));
        if (arguments.size() <= index) arguments.resize(index + 1);
        if (dot == std::string::npos) {
            arguments[index] = tensor;
        } else {
            if (!arguments[index].is_list()) arguments[index] = IValue(TensorList());
            arguments[index].to_list().elements.push_back(tensor);
        }
    }
    return arguments;
}

void collect(const IValue& value, std::vector<Tensor>& out) {
    visit_tensors(value, [&out](const Tensor& t) { out.push_back(t); });
}

std::vector<double> numbers(const Tensor& t) {
    std::vector<double> out;
    if (is_floating(t.dtype())) {
        const Tensor plain =
            fn::contiguous(gradient_arithmetic().cast(detach(t), ScalarType::Float64), std::int64_t{0});
        out.assign(plain.data<double>(), plain.data<double>() + plain.numel());
        return out;
    }
    Dims index(t.sizes().size(), 0);
    for (std::int64_t i = 0; i < t.numel(); ++i) {
        std::int64_t offset = t.storage_offset();
        for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * t.strides()[d];
        out.push_back(item(t.view_as_strided(IntSpan(), IntSpan(), offset)).to_double());
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < t.sizes()[d]) break;
            index[d] = 0;
        }
    }
    return out;
}

QString difference(const IValue& a, const IValue& b, double rtol, double atol) {
    std::vector<Tensor> x;
    std::vector<Tensor> y;
    collect(a, x);
    collect(b, y);
    if (x.size() != y.size()) return QString("%1 tensors, %2 before").arg(y.size()).arg(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (describe(x[i]) != describe(y[i]))
            return QString::fromStdString(describe(y[i]) + ", before " + describe(x[i]));
        const auto p = numbers(x[i]);
        const auto q = numbers(y[i]);
        for (std::size_t k = 0; k < p.size(); ++k) {
            if (p[k] == q[k] || (std::isnan(p[k]) && std::isnan(q[k]))) continue;
            if (!(std::abs(p[k] - q[k]) <= atol + rtol * std::abs(p[k]))) {
                return QString("result %1 element %2: %3, before %4")
                    .arg(i)
                    .arg(k)
                    .arg(q[k], 0, 'g', 9)
                    .arg(p[k], 0, 'g', 9);
            }
        }
    }
    return {};
}

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

struct Opened {
    ModelFile file;
    Ptr<ir::Graph> graph;  // a copy of the method's
};

Opened open(const Case& c) {
    Opened opened{open_model(kFixtures / "models" / c.file), nullptr};
    if (c.train)
        opened.file.module->train();
    else
        opened.file.module->eval();
    const auto* method = dynamic_cast<const ir::ScriptFunction*>(opened.file.module->type()->find_method(c.method));
    if (method == nullptr) throw Error(ErrorKind::Internal, "no method " + c.method);
    opened.graph = method->graph()->copy();
    return opened;
}

IValue run_graph_of(const Opened& opened, const Case& c) {
    std::vector<IValue> inputs = read_arguments(c.name);
    if (inputs.size() < opened.graph->inputs().size())
        inputs.insert(inputs.begin(), IValue(Ptr<Object>(opened.file.module)));
    const auto code = runtime::Code::make(opened.graph, "");
    auto results = runtime::run_code(*code, std::move(inputs));
    return results.size() == 1 ? results[0] : IValue(make_ptr<TupleObject>(std::move(results)));
}

struct Gradients {
    TensorList all;  // undefined where none arrives
    std::vector<std::string> names;
    IValue outputs;
};

// Of a weighted sum of all results, for the floating inputs and the parameters.
Gradients gradients_of_graph(const Opened& opened, const Case& c) {
    std::vector<IValue> inputs = read_arguments(c.name);
    TensorList leaves;
    Gradients gradients;
    for (const IValue& input : inputs) {
        if (!input.is_tensor() || !is_floating(input.to_tensor().dtype())) continue;
        set_requires_grad(input.to_tensor(), true);
        leaves.push_back(input.to_tensor());
        gradients.names.push_back("input");
    }
    for (const auto& [name, parameter] : opened.file.module->named_parameters()) {
        if (!requires_grad(parameter)) continue;
        leaves.push_back(parameter);
        gradients.names.push_back(name);
    }
    if (inputs.size() < opened.graph->inputs().size())
        inputs.insert(inputs.begin(), IValue(Ptr<Object>(opened.file.module)));
    const auto code = runtime::Code::make(opened.graph, "");
    std::vector<Tensor> results;
    for (const IValue& result : runtime::run_code(*code, std::move(inputs))) collect(result, results);
    TensorList roots;
    TensorList weights;
    for (const Tensor& result : results) {
        if (!requires_grad(result)) continue;
        roots.push_back(result);
        weights.push_back(fn::cos(detach(result)));
    }
    if (roots.empty() || leaves.empty()) return {};
    TensorList plain;
    for (const Tensor& result : results) plain.push_back(detach(result));
    gradients.outputs = IValue(std::move(plain));
    gradients.all = ::loupe::gradients_of(roots, leaves, weights, {}, true);
    return gradients;
}

bool uses_random(const ir::Block& block) {
    for (const ir::Node* node : block.nodes()) {
        if (node->is_random()) return true;
        for (std::size_t i = 0; i < node->block_count(); ++i) {
            if (uses_random(*node->block_at(i))) return true;
        }
    }
    return false;
}

}  // namespace

class TestModels : public QObject {
    Q_OBJECT

  private slots:
    // The text of every graph, as it is and after pipelines, is read back.
    void texts_are_read_back_data() {
        QTest::addColumn<QString>("file");
        std::set<std::string> files;
        for (const Case& c : cases()) files.insert(c.file);
        for (const std::string& file : files) QTest::newRow(file.c_str()) << QString::fromStdString(file);
    }
    void texts_are_read_back() {
        QFETCH(QString, file);
        const ModelFile model = open_model(kFixtures / "models" / file.toStdString());
        model.module->eval();
        const auto resolve = [&](std::string_view name) { return model.unit->find_type(name); };
        const std::vector<Ptr<ir::ScriptFunction>> functions = model.unit->functions();  // compiling adds to them
        for (const auto& function : functions) {
            for (const char* pipeline : {"", "inline", "optimize", "train_fused", "autodiff"}) {
                const Ptr<ir::Graph> graph = function->graph()->copy();
                if (*pipeline != 0) {
                    PassManager manager;
                    manager.keep_snapshots(false);
                    manager.run(*graph, pipeline_of(pipeline));
                }
                const std::string text = graph->str();
                try {
                    const std::string again = ir::parse_graph(text, resolve)->str();
                    QVERIFY2(again == text, qPrintable(QString::fromStdString(function->qualified_name() + " after " +
                                                                              pipeline + ": ") +
                                                       first_difference(again, text)));
                } catch (const Error& error) {
                    QFAIL(qPrintable(QString::fromStdString(function->qualified_name() + " after " + pipeline + ": " +
                                                            error.what())));
                }
            }
        }
    }
    // torchvision's operators, which one model calls.
    void initTestCase() { QVERIFY(!load_plugins_from(LOUPE_BINARY_DIR "/lib/plugins").empty()); }

  private:
    void add_cases(const char* suffix) {
        QTest::addColumn<int>("index");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (suffix != nullptr && !std::filesystem::exists(kFixtures / "graphs" / (all[i].name + suffix))) continue;
            QTest::addRow("%s", all[i].name.c_str()) << static_cast<int>(i);
        }
    }

  private slots:
    void inlinesAsPyTorch_data() { add_cases(".inlined.txt"); }
    void inlinesAsPyTorch() {
        QFETCH(int, index);
        const Case c = cases()[static_cast<std::size_t>(index)];
        try {
            const Opened opened = open(c);
            PassManager().run(*opened.graph, pipeline_of("inline"));
            const std::string expected =
                test::canonical(read_text_file(kFixtures / "graphs" / (c.name + ".inlined.txt")));
            const QString wrong = first_difference(test::canonical(opened.graph->str()), expected);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    void freezesAsPyTorch_data() { add_cases(".frozen.txt"); }
    void freezesAsPyTorch() {
        QFETCH(int, index);
        const Case c = cases()[static_cast<std::size_t>(index)];
        try {
            const Opened opened = open(c);
            PassManager().run(*opened.graph, pipeline_of("freeze"), {opened.file.module});
            const std::string expected =
                test::canonical(read_text_file(kFixtures / "graphs" / (c.name + ".frozen.txt")));
            const QString wrong = first_difference(test::canonical(opened.graph->str()), expected);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    void keepsNumbers_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<QString>("pipeline");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (const char* pipeline : {"inline", "optimize", "freeze", "specialize", "inference", "reduce_overhead",
                                         "autodiff", "profiled", "profiled_no_grad", "guarded"}) {
                const bool freezes = std::string_view(pipeline) == "freeze" ||
                                     std::string_view(pipeline) == "inference" ||
                                     std::string_view(pipeline) == "reduce_overhead";
                if (all[i].train && freezes) continue;
                QTest::addRow("%s %s", all[i].name.c_str(), pipeline) << static_cast<int>(i) << QString(pipeline);
            }
        }
    }
    void keepsNumbers() {
        QFETCH(int, index);
        QFETCH(QString, pipeline);
        const Case c = cases()[static_cast<std::size_t>(index)];
        if (c.fails) QSKIP("fails in PyTorch too");
        try {
            const Opened before = open(c);
            const Opened changed = open(c);
            if (uses_random(*before.graph->block())) QSKIP("random");
            IValue expected;
            try {
                expected = run_graph_of(before, c);
            } catch (const Error& error) {
                if (c.name != "language_optional") QFAIL(error.what());
                QSKIP("arguments left at their defaults are not filled in here; test_cli does");
            }
            PassManager manager;
            const PassContext context{changed.file.module};
            manager.run(*changed.graph, pipeline_of(pipeline.toStdString()), context);
            ir::verify(*changed.graph);
            const QString wrong = difference(expected, run_graph_of(changed, c), c.rtol + 1e-4, c.atol + 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    void keepsGradients_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<QString>("pipeline");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (const char* pipeline : {"optimize", "specialize", "autodiff", "train", "profiled", "guarded"}) {
                if (!all[i].fails)
                    QTest::addRow("%s %s", all[i].name.c_str(), pipeline) << static_cast<int>(i) << QString(pipeline);
            }
        }
    }
    void keepsGradients() {
        QFETCH(int, index);
        QFETCH(QString, pipeline);
        const Case c = cases()[static_cast<std::size_t>(index)];
        Gradients expected;
        try {
            const Opened before = open(c);
            if (uses_random(*before.graph->block())) QSKIP("random");
            expected = gradients_of_graph(before, c);
        } catch (const Error& error) {
            if (c.name != "language_optional") QFAIL(error.what());
            QSKIP("arguments left at their defaults are not filled in here; test_cli does");
        }
        if (expected.all.empty()) QSKIP("nothing to differentiate");
        try {
            const Opened changed = open(c);
            PassManager().run(*changed.graph, pipeline_of(pipeline.toStdString()), {changed.file.module});
            const Gradients actual = gradients_of_graph(changed, c);
            compare_gradients(expected, actual);
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    // Each pass by itself: verifier clean, the text can be read back, a second run changes nothing, and where it
    // changed the graph the numbers are what they were, forward and backward.
    void eachPass_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<QString>("pass");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (const Pass* pass : all_passes()) {
                const QString name = QString::fromUtf8(pass->name.data(), static_cast<qsizetype>(pass->name.size()));
                QTest::addRow("%s %s", all[i].name.c_str(), qPrintable(name)) << static_cast<int>(i) << name;
            }
        }
    }
    void eachPass() {
        QFETCH(int, index);
        QFETCH(QString, pass);
        const Case c = cases()[static_cast<std::size_t>(index)];
        if (c.train && pass == "FreezeAttributes") QSKIP("freezing is for evaluation");
        Reference& reference = reference_of(index, c);
        if (reference.inlined == nullptr) QSKIP("cannot be opened in PyTorch either");
        try {
            const auto graph = reference.inlined->copy();
            PassManager manager;
            manager.keep_snapshots(false);
            PassContext context{reference.module};
            if (graph->inputs().size() > reference.input_types.size()) context.input_types.push_back(nullptr);
            for (const TypePtr& type : reference.input_types) context.input_types.push_back(type);
            const Pipeline pipeline = pipeline_of(pass.toStdString());
            const PassTrace trace = manager.run(*graph, pipeline, context);
            if (!trace.records[0].changed) return;
            const std::string text = graph->str();
            const bool is_stable = !manager.run(*graph, pipeline, context).records[0].changed;
            QVERIFY2(is_stable, qPrintable(first_difference(graph->str(), text)));
            // Of complex tensors text has the real parts alone, so they are not read.
            const QString reread = first_difference(ir::parse_graph(text)->str(), text);
            QVERIFY2(reread.isEmpty() || reread.contains("[ CPUComplex"), qPrintable("read back: " + reread));
            // Passes that find nothing but dead code leave the same graph.
            if (!reference.runs || !reference.verified.insert(trace.result()->hash).second) return;
            Opened fresh = open(c);
            fresh.graph = graph;
            // What is frozen has no parameters any more.
            if (pass == "FreezeAttributes" || reference.gradients.all.empty()) {
                const QString wrong =
                    difference(reference.outputs, run_graph_of(fresh, c), c.rtol + 1e-4, c.atol + 1e-5);
                QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
                return;
            }
            const Gradients actual = gradients_of_graph(fresh, c);
            const QString wrong = difference(reference.gradients.outputs, actual.outputs, c.rtol + 1e-4, c.atol + 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            compare_gradients(reference.gradients, actual);
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

  private:
    struct Reference {
        Ptr<ir::Graph> inlined;
        nn::ModulePtr module;
        bool runs = false;                 // and gives the same every time
        std::set<std::uint64_t> verified;  // graphs whose numbers were compared
        IValue outputs;
        Gradients gradients;
        std::vector<TypePtr> input_types;
    };
    std::map<int, Reference> references_;
    std::vector<ModelFile> models_;  // their functions are kept

    Reference& reference_of(int index, const Case& c) {
        const auto [place, is_new] = references_.try_emplace(index);
        Reference& reference = place->second;
        if (!is_new) return reference;
        try {
            for (const IValue& argument : read_arguments(c.name)) {
                const bool is_tensor = argument.is_tensor() && argument.to_tensor().defined();
                reference.input_types.push_back(is_tensor ? ir::refined_type(argument.to_tensor()) : nullptr);
            }
            const Opened opened = open(c);
            reference.inlined = opened.graph->copy();
            reference.module = opened.file.module;
            PassManager().run(*reference.inlined, pipeline_of("Inline"), {reference.module});
            models_.push_back(opened.file);
            if (c.fails || uses_random(*opened.graph->block())) return reference;
            reference.outputs = run_graph_of(opened, c);
            reference.runs = true;
            reference.gradients = gradients_of_graph(open(c), c);
        } catch (const Error& error) {
            qInfo("%s: %s", c.name.c_str(), error.what());
        }
        return reference;
    }

    static void compare_gradients(const Gradients& expected, const Gradients& actual) {
        QCOMPARE(actual.all.size(), expected.all.size());
        for (std::size_t i = 0; i < expected.all.size(); ++i) {
            const QByteArray name = QString::fromStdString(expected.names[i]).toUtf8();
            QVERIFY2(actual.all[i].defined() == expected.all[i].defined(), name.constData());
            if (!expected.all[i].defined() || expected.all[i].numel() == 0) continue;
            const double size = std::max(1.0, item(fn::amax(fn::abs(expected.all[i]))).to_double());
            const QString wrong = difference(IValue(expected.all[i]), IValue(actual.all[i]), 1e-3, 1e-4 * size);
            QVERIFY2(wrong.isEmpty(), qPrintable(QString(name) + ": " + wrong));
        }
    }
};

QTEST_GUILESS_MAIN(TestModels)
#include "test_models.moc"
