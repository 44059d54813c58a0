// SPDX-License-Identifier: Apache-2.0
// Graphs written as TorchScript source, read again and run.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/format_registry.h"
#include "core/formats/torch_writer.h"
#include "core/formats/torchscript/code_writer.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/parser.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

struct Written {
    Ptr<ir::CompilationUnit> unit = make_ptr<ir::CompilationUnit>();
    nn::ModulePtr module;

    Written(const char* graph, const char* schema) {
        const auto type = make_ptr<ClassType>("__torch__.M", true);
        type->add_attribute("training", types::boolean());
        type->add_attribute("0", types::integer());
        unit->add_type(type);
        FunctionSchema declared = parse_schema(schema);
        declared.arguments[0].type = type;
        unit->add_method(*type, make_ptr<ir::ScriptFunction>("__torch__.M.forward", ir::parse_graph(graph), declared));
        module = make_ptr<nn::Module>(type);
        module->set_slot(0, true);
        module->set_slot(1, 7);
    }
};

}  // namespace

class TestCodeWriter : public QObject {
    Q_OBJECT

  private slots:
    void control_flow_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<int>("expected");
        QTest::newRow("if") << R"(graph(%self : __torch__.M, %n : int):
  %one : int = prim::Constant[value=1]()
  %ten : int = prim::Constant[value=10]()
  %big : bool = aten::gt(%n, %ten)
  %r : int = prim::If(%big)
    block0():
      %a : int = aten::add(%n, %one)
      -> (%a)
    block1():
      %b : int = aten::mul(%n, %ten)
      -> (%b)
  return (%r)
)" << 50;
        // Both carried values change at once: 5 steps of Fibonacci from (0, 1).
        QTest::newRow("for") << R"(graph(%self : __torch__.M, %n : int):
  %true : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %a : int, %b : int = prim::Loop(%n, %true, %zero, %one)
    block0(%i : int, %x : int, %y : int):
      %sum : int = aten::add(%x, %y)
      -> (%true, %y, %sum)
  return (%a)
)" << 5;
        QTest::newRow("while") << R"(graph(%self : __torch__.M, %n : int):
  %most : int = prim::Constant[value=9223372036854775807]()
  %one : int = prim::Constant[value=1]()
  %limit : int = prim::Constant[value=100]()
  %first : bool = aten::lt(%n, %limit)
  %r : int = prim::Loop(%most, %first, %n)
    block0(%i : int, %x : int):
      %next : int = aten::mul(%x, %n)
      %again : bool = aten::lt(%next, %limit)
      -> (%again, %next)
  return (%r)
)" << 125;
        QTest::newRow("what is not used overwrites nothing") << R"(graph(%self : __torch__.M, %n : int):
  %one : int = prim::Constant[value=1]()
  %3 : int = aten::add(%n, %one)
  %4 : int = aten::mul(%n, %n)
  %5 : int = aten::add(%3, %one)
  return (%5)
)" << 7;
        QTest::newRow("attribute and containers") << R"(graph(%self : __torch__.M, %n : int):
  %zero : int = prim::Constant[value=0]()
  %key : str = prim::Constant[value="a b"]()
  %seven : int = prim::GetAttr[name="0"](%self)
  %list : int[] = prim::ListConstruct(%seven, %n)
  %dict : Dict(str, int[]) = prim::DictConstruct(%key, %list)
  %found : int[] = aten::__getitem__(%dict, %key)
  %pair : (int[], int) = prim::TupleConstruct(%found, %n)
  %p : int[], %q : int = prim::TupleUnpack(%pair)
  %x : int = aten::__getitem__(%p, %zero)
  %r : int = aten::add(%x, %q)
  return (%r)
)" << 12;
    }
    void control_flow() {
        QFETCH(QString, graph);
        QFETCH(int, expected);
        const Written written(qPrintable(graph), "forward(Any self, int n) -> int");
        QCOMPARE(runtime::run_method(Ptr<Object>(written.module), "forward", {5}).to_int(), expected);
        const QTemporaryDir folder;
        const std::string path = folder.filePath("m.pt").toStdString();
        write_script_module(*written.module, path);
        const ModelFile again = open_model(path);
        QCOMPARE(runtime::run_method(Ptr<Object>(again.module), "forward", {5}).to_int(), expected);
    }

    // The version is the least that reads the calls as they are meant.
    void versions() {
        const auto version = [](const char* op) {
            const std::string graph = std::string(
                                          "graph(%self : __torch__.M, %x : Tensor):\n  %none : str = "
                                          "prim::Constant[value=\"none\"]()\n  %r : Tensor = ") +
                                      op + "\n  return (%r)\n";
            return write_code(*Written(graph.c_str(), "forward(Any self, Tensor x) -> Tensor").module).version;
        };
        QCOMPARE(version("aten::relu(%x)"), 3);
        QCOMPARE(version("aten::div(%x, %x)"), 4);
        QCOMPARE(version("aten::gelu(%x, %none)"), 10);
    }

    // A variable is annotated where it is made, not where the loop changes it: PyTorch refuses that.
    void annotates_once() {
        const char* const graph = R"(graph(%self : __torch__.M, %n : int):
  %true : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %a : int? = prim::Loop(%n, %true, %none)
    block0(%i : int, %x : int?):
      -> (%true, %n)
  %r : int = prim::unchecked_cast(%a)
  return (%r)
)";
        const Written written(graph, "forward(Any self, int n) -> int");
        QCOMPARE(QString::fromStdString(write_code(*written.module).files.at(0).second).count("Optional[int]"), 1);
    }

    // Constants of classes stand in the code as PyTorch writes them, also after they were read.
    void final_constants() {
        const auto finals_of = [](const std::string& code) {
            std::vector<std::string> lines;
            for (const auto line : split(code, '\n')) {
                if (line.find(" : Final[") != std::string::npos) lines.emplace_back(line);
            }
            return lines;
        };
        const ModelFile model = open_model(fixture("lite/restored.pt"));
        std::string theirs, ours;
        for (const auto& source : model.sources) theirs += source->text();
        for (const auto& [name, text] : write_code(*model.module).files) ours += text;
        QCOMPARE(finals_of(theirs).size(), 6U);
        QCOMPARE(finals_of(ours), finals_of(theirs));
        const Ptr<ClassType> type = model.unit->find_class("__torch__.lite_models.Scale");
        QVERIFY(type);
        QCOMPARE(model.unit->constants_of(*type).size(), 6U);
        QVERIFY(model.unit->constants_of(*model.module->type()).empty());
        const QTemporaryDir folder;
        const std::string path = folder.filePath("m.pt").toStdString();
        write_script_module(*model.module, path);
        std::string again;
        for (const auto& source : open_model(path).sources) again += source->text();
        QCOMPARE(finals_of(again), finals_of(theirs));
    }

    void refusals() {
        const char* const graph =
            "graph(%self : __torch__.M, %x : Tensor):\n  %r : Tensor = prim::FusionGroup(%x)\n    block0():\n      -> "
            "(%x)\n  return (%r)\n";
        const Written written(graph, "forward(Any self, Tensor x) -> Tensor");
        const QTemporaryDir folder;
        QVERIFY_THROWS_EXCEPTION(Error, write_script_module(*written.module, folder.filePath("m.pt").toStdString()));
        QVERIFY(QDir(folder.path()).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestCodeWriter)
#include "test_code_writer.moc"
