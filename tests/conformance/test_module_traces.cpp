// SPDX-License-Identifier: Apache-2.0
// Traces of the module cases have the operators of PyTorch's traces, in their order, with their constants, in their
// modules: module_traces.txt, by make_module_traces.py. What differs stands in known_traces.txt with its reason.
#include <QtTest/QtTest>

#include <map>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/ir/graph.h"
#include "core/model/program.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/trace/tracer.h"
#include "tests/conformance/case_archive.h"
#include "tests/conformance/known_exceptions.h"

using namespace loupe;
using namespace loupe::conformance;

namespace {

const std::string kFolder = LOUPE_SOURCE_DIR "/tests/conformance/";

std::string constant(const IValue& value) {
    if (value.is_tensor()) {
        const Tensor t = value.to_tensor();
        if (t.dim() > 0) {
            std::vector<std::string> sizes;
            for (const std::int64_t size : t.sizes()) sizes.push_back(std::to_string(size));
            return concat("{", join(sizes, "x"), "}");
        }
        static const OperatorHandle<Scalar> item{"aten::item"};
        return constant(IValue(item(t)));
    }
    if (value.is_string()) return concat("\"", value.to_string(), "\"");
    if (value.is_device()) return concat("\"", python_str(value), "\"");
    return python_repr(value);
}

// The graph as make_module_traces.py writes PyTorch's.
class Lines {
  public:
    explicit Lines(const ir::Graph& graph) {
        names_[graph.inputs()[0]] = "self";
        for (std::size_t i = 1; i < graph.inputs().size(); ++i) fresh(graph.inputs()[i]);
        for (const ir::Node* node : graph.nodes()) add(*node);
        std::vector<std::string> results;
        for (const ir::Value* output : graph.outputs()) results.push_back(argument(output));
        text += concat("return ", join(results, ", "), "\n");
    }
    std::string text;

  private:
    void fresh(const ir::Value* value) { names_[value] = concat("%", next_++); }

    std::string argument(const ir::Value* value) {
        if (const auto known = names_.find(value); known != names_.end()) return known->second;
        const ir::Node& node = *value->node();
        if (node.kind() == ir::prim::Constant) return constant(*ir::constant_of(value));
        if (node.kind() == ir::prim::GetAttr) return concat(argument(node.input()), ".", node.s(ir::attr::name));
        std::vector<std::string> elements;
        for (const ir::Value* input : node.inputs()) elements.push_back(argument(input));
        return concat("[", join(elements, ", "), "]");
    }

    void add(const ir::Node& node) {
        const bool is_hidden = node.kind() == ir::prim::Constant || node.kind() == ir::prim::GetAttr ||
                               node.kind() == ir::prim::ListConstruct;
        if (is_hidden) return;
        std::vector<std::string> arguments;
        for (const ir::Value* input : node.inputs()) arguments.push_back(argument(input));
        std::vector<std::string> outputs;
        for (const ir::Value* output : node.outputs()) {
            fresh(output);
            outputs.push_back(names_.at(output));
        }
        text += concat(join(outputs, ", "), " = ", node.kind().str(), "(", join(arguments, ", "), ") | ", node.scope(),
                       "\n");
    }

    std::map<const ir::Value*, std::string> names_;
    std::size_t next_ = 0;
};

std::string traced(const CaseArchive& archive, const CaseEntry& entry) {
    try {
        const auto program = session::Program::open(archive.file(entry, "py"));
        nn::Module& module = program->module();
        module.load_state_dict(archive.arrays(entry, "state.npz"));
        module.train(entry.mode != "eval");
        const NamedTensors inputs = archive.arrays(entry, "in.npz");
        std::vector<IValue> arguments;
        for (std::size_t i = 0; find_array(inputs, concat("arg", i)).defined(); ++i)
            arguments.emplace_back(find_array(inputs, concat("arg", i)));
        const auto run = [&](std::vector<IValue> given) { return program->file().eager->forward(std::move(given)); };
        const GradModeScope grad(true);
        const runtime::Trace trace = runtime::trace_module(nn::ModulePtr(&module), run, arguments);
        const Ptr<ir::Graph> graph = trace.forward->graph()->copy();
        passes::PassManager manager;
        manager.keep_snapshots(false);
        manager.run(*graph, passes::pipeline_of("Inline"));
        return Lines(*graph).text;
    } catch (const Error& error) {
        return concat("error ", error.message(), "\n");
    }
}

std::map<std::string, std::string> read_expected() {
    std::map<std::string, std::string> all;
    std::string* section = nullptr;
    const std::string text = read_text_file(kFolder + "module_traces.txt");
    for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with("== "))
            section = &all[std::string(line.substr(3))];
        else if (section != nullptr && !line.empty())
            *section += concat(line, "\n");
    }
    return all;
}

}  // namespace

class TestModuleTraces : public QObject {
    Q_OBJECT

  private slots:
    void tracesArePyTorchs_data() {
        QTest::addColumn<QString>("name");
        for (const QString& zip :
             QDir(QString::fromStdString(kFolder + "modules")).entryList({"*.zip"}, QDir::Files, QDir::Name)) {
            QTest::newRow(qPrintable(zip)) << zip.chopped(4);
        }
    }
    void tracesArePyTorchs() {
        QFETCH(QString, name);
        static const auto expected = read_expected();
        static auto excused = read_known_exceptions(kFolder + "known_traces.txt");
        const CaseArchive archive(kFolder + "modules/" + name.toStdString() + ".zip");
        for (const CaseEntry& entry : archive.cases()) {
            const auto want = expected.find(concat(name.toStdString(), " ", entry.k));
            QVERIFY2(want != expected.end(), "module_traces.txt has no such case: run make_module_traces.py");
            const std::string have = traced(archive, entry);
            const bool is_excused = find_exception(excused, name.toStdString(), entry.k, "") != nullptr;
            if (have == want->second)
                QVERIFY2(!is_excused, "an excuse that is not needed any more");
            else if (!is_excused)
                QFAIL(qPrintable(QString::fromStdString(
                    concat(name.toStdString(), " ", entry.k, "\nPyTorch:\n", want->second, "here:\n", have))));
        }
    }
};

QTEST_GUILESS_MAIN(TestModuleTraces)
#include "test_module_traces.moc"
