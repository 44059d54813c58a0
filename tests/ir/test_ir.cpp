// SPDX-License-Identifier: Apache-2.0
// The graph, its text form, and the places it comes from.
#include <QtTest>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/graph.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"

using namespace loupe;
using namespace loupe::ir;

namespace {

QString first_difference(const std::string& got, const std::string& expected) {
    const auto a = QString::fromStdString(got).split('\n');
    const auto b = QString::fromStdString(expected).split('\n');
    for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i) {
        const QString x = i < a.size() ? a[i] : "<end>";
        const QString y = i < b.size() ? b[i] : "<end>";
        if (x != y) return QString("line %1:\n  got      %2\n  expected %3").arg(i + 1).arg(x.left(300), y.left(300));
    }
    return "the same";
}

}  // namespace

class TestIr : public QObject {
    Q_OBJECT

  private slots:
    void printsWhatItParsed_data() {
        QTest::addColumn<QString>("path");
        const auto folder = std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/fixtures/graphs";
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            QTest::addRow("%s", entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
        }
    }
    void printsWhatItParsed() {
        QFETCH(QString, path);
        std::string text = read_text_file(path.toStdString());
        while (text.ends_with("\n\n")) text.pop_back();
        try {
            const Ptr<Graph> graph = parse_graph(text);
            graph->lint();
            const std::string printed = print_graph(*graph);
            QVERIFY2(printed == text, qPrintable(first_difference(printed, text)));
            const Ptr<Graph> copy = graph->copy();
            copy->lint();
            QVERIFY2(print_graph(*copy) == text, qPrintable("copy, " + first_difference(print_graph(*copy), text)));
            QCOMPARE(copy->structural_hash(), graph->structural_hash());
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    void complexTensorsAreReadBack() {
        const std::string text =
            "graph(%x : Tensor):\n  %a : Tensor = prim::Constant[value=1.+2.j 3.-4.5j [ CPUComplexFloatType{2} ]]()\n"
            "  %b : complex = prim::Constant[value=-1.5-2.5j]()\n  %c : Tensor = prim::Constant[value={(1,2)}]()\n"
            "  return (%a)\n";
        const Ptr<Graph> graph = parse_graph(text);
        QCOMPARE(QString::fromStdString(print_graph(*graph)), QString::fromStdString(text));
        const auto value = constant_of(graph->outputs()[0]);
        QVERIFY(value && value->is_tensor());
        QVERIFY(value->to_tensor().data<std::complex<float>>()[1] == std::complex<float>(3, -4.5F));
        // PyTorch prints the real parts: nobody knows the value.
        QVERIFY(!constant_of(
            parse_graph(
                "graph():\n  %a : Tensor = prim::Constant[value= 1  3 [ CPUComplexFloatType{2} ]]()\n  return (%a)\n")
                ->outputs()[0]));
    }

    void namesGetSuffixes() {
        Graph graph;
        Value* a = graph.add_input("x");
        Value* b = graph.add_input("x");
        Value* c = graph.add_input("x.1");
        Value* d = graph.add_input("x");
        QCOMPARE(QString::fromStdString(a->debug_name()), "x.3");
        QCOMPARE(QString::fromStdString(b->debug_name()), "x.5");
        QCOMPARE(QString::fromStdString(c->debug_name()), "x.1");
        QCOMPARE(QString::fromStdString(d->debug_name()), "x");
    }

    void ordersNodes() {
        const auto graph = parse_graph(R"(graph(%c : bool, %x : Tensor):
  %a : Tensor = aten::relu(%x)
  %r : Tensor = prim::If(%c)
    block0():
      %b : Tensor = aten::relu(%a)
      -> (%b)
    block1():
      %d : Tensor = aten::relu(%x)
      -> (%d)
  %e : Tensor = aten::relu(%r)
  return (%e)
)");
        const auto node = [&](const char* name) { return graph->value_by_name(name)->node(); };
        QVERIFY(node("a")->is_before(node("b")));
        QVERIFY(node("b")->is_before(node("d")));
        QVERIFY(node("r")->is_before(node("b")));
        QVERIFY(!node("b")->is_before(node("r")));
        QVERIFY(node("b")->is_before(node("e")));
        QVERIFY(node("b")->is_dominated_by(node("a")));
        QVERIFY(!node("e")->is_dominated_by(node("b")));
        node("e")->move_before(graph->return_node());
        QVERIFY(node("b")->is_before(node("e")));
    }

    void keepsOrderUnderManyInsertions() {
        Graph graph;
        Value* x = graph.add_input("x");
        ir::Node* last = graph.insert(graph.create(Symbol::intern("aten::relu"), {x}));
        ir::Node* first = graph.create(Symbol::intern("aten::relu"), {x});
        first->insert_before(last);
        for (int i = 0; i < 200; ++i) {
            ir::Node* middle = graph.create(Symbol::intern("aten::relu"), {x});
            middle->insert_after(first);
            QVERIFY(first->is_before(middle) && middle->is_before(last));
        }
        graph.lint();
    }

    void lintFindsUseBeforeDefinition() {
        const auto graph = parse_graph(
            "graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::relu(%a)\n  return (%b)\n");
        graph->value_by_name("b")->node()->move_before(graph->value_by_name("a")->node());
        QVERIFY_THROWS_EXCEPTION(Error, graph->lint());
    }

    void replacesAndDestroys() {
        const auto graph = parse_graph(
            "graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::add(%a, %a)\n  return (%b)\n");
        Value* a = graph->value_by_name("a");
        QCOMPARE(a->uses().size(), std::size_t(2));
        a->replace_all_uses_with(graph->inputs()[0]);
        a->node()->destroy();
        graph->lint();
        QCOMPARE(QString::fromStdString(graph->str()),
                 "graph(%x : Tensor):\n  %b : Tensor = aten::add(%x, %x)\n  return (%b)\n");
    }

    void copiesWhatBlocksUseFromOutside() {
        const auto graph = parse_graph(
            "graph(%x : Tensor, %y : Tensor, %c : bool):\n"
            "  %a : Tensor = prim::If(%c)\n"
            "    block0():\n"
            "      %b : Tensor = prim::If(%c)\n"
            "        block0():\n"
            "          %r : Tensor = aten::relu(%x)\n"
            "          -> (%r)\n"
            "        block1():\n"
            "          -> (%x)\n"
            "      -> (%b)\n"
            "    block1():\n"
            "      -> (%x)\n"
            "  return (%a)\n");
        Value* x = graph->value_by_name("x");
        Value* y = graph->value_by_name("y");
        ir::Node* given = graph->value_by_name("a")->node();
        ir::Node* copied = graph->create_copy(*given, [&](Value* v) { return v == x ? y : v; })->insert_after(given);
        graph->lint();
        QCOMPARE(copied->block_at(1)->outputs()[0], y);
        const ir::Node* inner = copied->block_at(0)->outputs()[0]->node();
        QCOMPARE(inner->block_at(0)->outputs()[0]->node()->input(), y);
        QCOMPARE(inner->block_at(1)->outputs()[0], y);
        QCOMPARE(y->uses().size(), std::size_t(3));
    }

    void remembersWhereNodesCameFrom() {
        const auto graph =
            parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x) # m.py:3:4\n  return (%a)\n");
        ir::Node* relu = graph->value_by_name("a")->node();
        const OriginScope scope(*graph, {relu}, "Pass", "rule");
        const ir::Node* made = graph->create(Symbol::intern("aten::tanh"), {relu->output()});
        QCOMPARE(made->provenance().nodes, std::vector<std::uint32_t>{relu->id()});
        QCOMPARE(QString::fromStdString(made->range().short_text()), "m.py:3");
    }

    void saysWhereParsingFailed() {
        try {
            parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%y)\n  return (%a)\n");
            QFAIL("parsed");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("line 2"), error.what());
        }
    }

    void quotesSource() {
        const auto source = std::make_shared<Source>("def f(x):\n    return x + y\n", "f.py");
        const SourceRange range{source, 21, 26};
        QCOMPARE(QString::fromStdString(std::string(range.text())), "x + y");
        QCOMPARE(range.position()->line, std::size_t(2));
        QCOMPARE(QString::fromStdString(range.highlight()),
                 "  File \"f.py\", line 2\ndef f(x):\n    return x + y\n           ~~~~~ <--- HERE\n");
    }

    void compilesWhenWanted() {
        CompilationUnit unit;
        int compiled = 0;
        ScriptFunction& function = unit.add_function(make_ptr<ScriptFunction>("__torch__.f", [&](ScriptFunction& f) {
            ++compiled;
            f.set_graph(parse_graph("graph(%x.1 : Tensor):\n  return (%x.1)\n"));
        }));
        QCOMPARE(compiled, 0);
        QCOMPARE(QString::fromStdString(function.schema().arguments[0].name), "x");
        function.graph();
        QCOMPARE(compiled, 1);
        QCOMPARE(QString::fromStdString(unit.mangle("__torch__.f")), "__torch__.___torch_mangle_0.f");
        ScriptFunction& loop =
            unit.add_function(make_ptr<ScriptFunction>("__torch__.loop", [](ScriptFunction& f) { f.graph(); }));
        QVERIFY_THROWS_EXCEPTION(Error, loop.graph());
    }
};

QTEST_APPLESS_MAIN(TestIr)
#include "test_ir.moc"
