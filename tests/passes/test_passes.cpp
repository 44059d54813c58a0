// SPDX-License-Identifier: Apache-2.0
// Each pass on small graphs: what PyTorch makes of them (pages.txt, make_pages.py), and what it lets nobody run or does
// otherwise (our_pages.txt).
//
// A page: "=== Pass, Pass: what it shows", the graph before, "---", the graph after. Before the first graph may stand
// what the passes know besides it: "version 3" of its operators, "attribute weight = float 1 2 3" of its module.
#include <QtTest>

#include <map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/dispatch/functions.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"
#include "core/ir/verify.h"
#include "core/nn/module.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/passes/canonical.h"

using namespace loupe;
using namespace loupe::passes;
using test::canonical;

namespace {

Ptr<ir::Graph> after(const char* text, const char* steps, const PassContext& context = {}) {
    auto graph = ir::parse_graph(text);
    PassManager manager;
    manager.run(*graph, pipeline_of(steps), context);
    return graph;
}

QString lines(const Ptr<ir::Graph>& graph) { return QString::fromStdString(canonical(graph->str())); }

const ir::Node* find_node(const ir::Graph& graph, const char* kind) {
    for (const ir::Node* node : graph.nodes()) {
        if (node->kind().str() == kind) return node;
    }
    return nullptr;
}

struct Page {
    QString title;
    QString passes;
    QString before;
    QString after;
    PassContext context;
};

// "float 1.5 2" or "int 3" or "bool 1": a tensor of one dimension, or a number.
void add_attribute(ClassType& type, std::vector<std::pair<std::string, IValue>>& values, const QString& text) {
    const QStringList words = text.split(' ');
    const std::string name = words[0].toStdString();
    IValue value;
    if (words[2] == "bool")
        value = IValue(words[3] == "1");
    else if (words[2] == "int")
        value = IValue(std::int64_t(words[3].toLongLong()));
    else {
        const Tensor tensor = zeros(std::array<std::int64_t, 1>{words.size() - 3});
        for (qsizetype i = 3; i < words.size(); ++i) tensor.data<float>()[i - 3] = words[i].toFloat();
        value = tensor;
    }
    const bool is_tensor = value.is_tensor();
    type.add_attribute(name,
                       is_tensor         ? types::tensor()
                       : value.is_bool() ? types::boolean()
                                         : types::integer(),
                       is_tensor ? AttributeKind::Parameter : AttributeKind::Attribute);
    values.emplace_back(name, value);
}

Page read_page(const QString& text) {
    Page page;
    const qsizetype end = text.indexOf('\n');
    page.title = text.left(end);
    page.passes = page.title.section(':', 0, 0);
    const QStringList parts = text.mid(end + 1).split("---\n");
    page.before = parts[0];
    page.after = parts[1];
    auto type = make_ptr<ClassType>("__torch__.M", true);
    std::vector<std::pair<std::string, IValue>> values;
    while (!page.before.startsWith("graph(")) {
        const QString line = page.before.section('\n', 0, 0);
        page.before = page.before.section('\n', 1);
        if (line.startsWith("version "))
            page.context.operator_version = line.mid(8).toLongLong();
        else
            add_attribute(*type, values, line.mid(10));
    }
    if (values.empty()) return page;
    const auto module = make_ptr<nn::Module>(type);
    for (const auto& [name, value] : values) module->set_attribute(name, value);
    page.context.module = module;
    return page;
}

std::vector<Page> pages() {
    std::vector<Page> all;
    for (const char* file : {"pages.txt", "our_pages.txt"}) {
        const QString text =
            QString::fromStdString(read_text_file(std::string(LOUPE_SOURCE_DIR) + "/tests/passes/" + file));
        for (const QString& page : text.split("=== ", Qt::SkipEmptyParts)) all.push_back(read_page(page));
    }
    return all;
}

constexpr const char* kConvolution = R"(graph(%x : Tensor, %w : Tensor, %b : Tensor?):
  %one : int = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %stride : int[] = prim::ListConstruct(%one, %one)
  %padding : int[] = prim::ListConstruct(%zero, %zero)
  %y : Tensor = aten::conv2d(%x, %w, %b, %stride, %padding, %stride, %one)
  return (%y)
)";

}  // namespace

class TestPasses : public QObject {
    Q_OBJECT

  private slots:
    void pagesComeOut_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Page& page : pages()) QTest::addRow("%s", qPrintable(page.title)) << index++;
    }
    void pagesComeOut() {
        QFETCH(int, index);
        const Page page = pages()[static_cast<std::size_t>(index)];
        try {
            const auto graph = ir::parse_graph(page.before.toStdString());
            PassManager manager;
            manager.run(*graph, pipeline_of(page.passes.toStdString()), page.context);
            ir::verify(*graph);
            QCOMPARE(lines(graph), QString::fromStdString(canonical(page.after.toStdString())));
            if (page.passes == "ConstantPooling") {
                QCOMPARE(test::count_constants(graph->str()), test::count_constants(page.after.toStdString()));
            }
            if (page.passes == "Canonicalize") QCOMPARE(QString::fromStdString(graph->str()), page.after);
            // A second time nothing changes, but for what says of a file's version what operators mean.
            if (page.context.operator_version) return;
            for (const PassRecord& record :
                 manager.run(*graph, pipeline_of(page.passes.toStdString()), page.context).records)
                QVERIFY(!record.changed);
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    // Passes that text cannot show have a test here; the name of a test that is gone fails.
    void everyPassHasAPage() {
        const std::map<std::string, const char*> tested_here = {{"Inline", "inlinesMethodsWithTheirPlaces()"},
                                                                {"ConvertFrozenOpsToMKLDNN", "imagesAreTurnedOnce()"}};
        std::map<std::string, int> count;
        std::map<std::string, int> changing;
        for (const Page& page : pages()) {
            for (const QString& name : page.passes.split(", ")) {
                ++count[name.toStdString()];
                const std::string before = page.before.toStdString();
                const std::string after = page.after.toStdString();
                changing[name.toStdString()] += canonical(before) != canonical(after) ||
                                                test::count_constants(before) != test::count_constants(after);
            }
        }
        for (const Pass* pass : all_passes()) {
            const std::string name(pass->name);
            if (const auto found = tested_here.find(name); found != tested_here.end()) {
                QVERIFY2(metaObject()->indexOfMethod(found->second) >= 0, found->second);
                continue;
            }
            QVERIFY2(count[name] > 0, (name + " has no page").c_str());
            // CheckInplace looks and throws.
            QVERIFY2(changing[name] > 0 || name == "CheckInplace", (name + " has no page that it changes").c_str());
        }
    }

    void lowersTuples() {
        const auto graph = after(R"(graph(%x : Tensor, %y : int):
  %one : int = prim::Constant[value=1]()
  %t : (Tensor, int) = prim::TupleConstruct(%x, %y)
  %a : Tensor, %b : int = prim::TupleUnpack(%t)
  %c : int = prim::TupleIndex(%t, %one)
  %d : Tensor = aten::add(%a, %b, %c)
  return (%d)
)",
                                 "LowerSimpleTuples");
        QCOMPARE(lines(graph),
                 "graph(%0 : Tensor,\n      %1 : int):\n  %2 : Tensor = aten::add(%0, %1, %1)\n  return (%2)\n");
    }

    void inlinesMethodsWithTheirPlaces() {
        auto unit = make_ptr<ir::CompilationUnit>();
        auto inner = make_ptr<ClassType>("__torch__.Inner", true);
        auto outer = make_ptr<ClassType>("__torch__.Outer", true);
        inner->add_attribute("bias", types::tensor(), AttributeKind::Parameter);
        outer->add_attribute("child", inner, AttributeKind::Module);
        unit->add_type(inner);
        unit->add_type(outer);
        const auto method = [&](ClassType& type, const char* text) {
            unit->add_method(
                type, make_ptr<ir::ScriptFunction>(type.name() + ".forward", ir::parse_graph(text, unit->resolver())));
        };
        method(*inner, R"(graph(%self : __torch__.Inner, %x : Tensor):
  %b : Tensor = prim::GetAttr[name="bias"](%self)
  %y : Tensor = aten::mul(%x, %b) # inner.py:5:8
  return (%y)
)");
        method(*outer, R"(graph(%self : __torch__.Outer, %x : Tensor):
  %child : __torch__.Inner = prim::GetAttr[name="child"](%self)
  %z : Tensor = prim::CallMethod[name="forward"](%child, %x) # outer.py:9:8
  return (%z)
)");
        const auto graph = unit->find_function("__torch__.Outer.forward")->graph()->copy();
        const std::uint32_t call = find_node(*graph, "prim::CallMethod")->id();
        PassManager().run(*graph, pipeline_of("inline"));
        const ir::Node* mul = find_node(*graph, "aten::mul");
        QVERIFY(mul != nullptr && find_node(*graph, "prim::CallMethod") == nullptr);
        QCOMPARE(QString::fromStdString(mul->scope()), "child");
        QCOMPARE(QString::fromStdString(mul->range().short_text()), "inner.py:5");
        QCOMPARE(QString::fromStdString(mul->inlined_from()->range.short_text()), "outer.py:9");
        QCOMPARE(mul->provenance().nodes, std::vector<std::uint32_t>{call});
        QCOMPARE(QString::fromStdString(mul->provenance().pass), "Inline");
    }

    void appendsBecomeElements() {
        const auto graph = after(R"(graph(%x : Tensor, %y : Tensor):
  %l : Tensor[] = prim::ListConstruct(%x)
  %m : Tensor[] = aten::append(%l, %y)
  %n : int = aten::len(%l)
  return (%n)
)",
                                 "RemoveListMutation, PeepholeOptimize");
        QCOMPARE(lines(graph), "graph(%0 : Tensor,\n      %1 : Tensor):\n  return (<int[value=2]>)\n");
    }

    void appendsAfterAReadStay() {
        const auto graph = after(R"(graph(%x : Tensor, %y : Tensor):
  %l : Tensor[] = prim::ListConstruct(%x)
  %n : int = aten::len(%l)
  %m : Tensor[] = aten::append(%l, %y)
  %k : (int, Tensor[]) = prim::TupleConstruct(%n, %l)
  return (%k)
)",
                                 "RemoveListMutation, PeepholeOptimize");
        QVERIFY(find_node(*graph, "aten::append") != nullptr);
    }

    void freezesWhatIsNotWritten() {
        auto type = make_ptr<ClassType>("__torch__.M", true);
        type->add_attribute("weight", types::tensor(), AttributeKind::Parameter);
        type->add_attribute("steps", types::tensor(), AttributeKind::Buffer);
        type->add_attribute("count", types::integer());
        type->add_attribute("training", types::boolean());
        auto module = make_ptr<nn::Module>(type);
        module->set_attribute("weight", IValue(tensor_of<float>({1, 2}, {2})));
        module->set_attribute("steps", IValue(tensor_of<float>({0}, {1})));
        module->set_attribute("count", IValue(3));
        module->set_attribute("training", IValue(false));
        const char* text = R"(graph(%self : __torch__.M, %x : Tensor):
  %training : bool = prim::GetAttr[name="training"](%self)
  %one : int = prim::Constant[value=1]()
   = prim::If(%training)
    block0():
      %s : Tensor = prim::GetAttr[name="steps"](%self)
      %t : Tensor = aten::add_(%s, %one, %one)
      -> ()
    block1():
      -> ()
  %w : Tensor = prim::GetAttr[name="weight"](%self)
  %c : int = prim::GetAttr[name="count"](%self)
   = prim::SetAttr[name="count"](%self, %one)
  %y : Tensor = aten::mul(%x, %w)
  %z : Tensor = aten::add(%y, %c, %one)
  return (%z)
)";
        const auto graph = after(text, "FreezeAttributes, ConstantPropagation, DCE", {module});
        const QString printed = QString::fromStdString(graph->str());
        QVERIFY2(printed.contains("%self.weight : Float(2, strides=[1], requires_grad=0, device=cpu)"),
                 qPrintable(printed));
        QVERIFY(!printed.contains("prim::If"));
        QVERIFY(printed.contains("prim::GetAttr[name=\"count\"]"));
    }

    void foldsNormalisation() {
        auto graph = ir::parse_graph(kConvolution);
        ir::Value* y = graph->outputs()[0];
        graph->set_insert_point(graph->block());
        const auto constant = [&](std::initializer_list<float> values, std::initializer_list<std::int64_t> sizes) {
            ir::Node* node = graph->create_constant(IValue(tensor_of<float>(values, sizes)));
            return node->insert_before(*graph->nodes().begin())->output();
        };
        graph->inputs()[1]->replace_all_uses_with(constant({1, 2}, {2, 1, 1, 1}));
        graph->inputs()[2]->replace_all_uses_with(constant({10, 20}, {2}));
        ir::Value* scale = constant({2, 3}, {2});
        ir::Value* shift = constant({5, 6}, {2});
        ir::Value* mean = constant({1, 1}, {2});
        ir::Value* variance = constant({4, 9}, {2});
        ir::Value* no = graph->insert_constant(IValue(false));
        ir::Value* eps = graph->insert_constant(IValue(0.0));
        const ir::Symbol kind = ir::Symbol::intern("aten::batch_norm");
        ir::Node* norm = graph->insert(graph->create(kind, {y, scale, shift, mean, variance, no, eps, eps, no}));
        graph->block()->replace_output(0, norm->output());
        PassManager().run(*graph, pipeline_of("FoldConvBatchnorm"));
        const ir::Node* conv = find_node(*graph, "aten::conv2d");
        QVERIFY(find_node(*graph, "aten::batch_norm") == nullptr);
        // scale / sqrt(variance) = 1; bias (10 - 1) + 5, (20 - 1) + 6.
        const Tensor weight = ir::constant_of(conv->input(1))->to_tensor();
        const Tensor bias = ir::constant_of(conv->input(2))->to_tensor();
        QCOMPARE(weight.data<float>()[1], 2.0F);
        QCOMPARE(bias.data<float>()[0], 14.0F);
        QCOMPARE(bias.data<float>()[1], 25.0F);
    }

    // Of an image with channels last, whatever follows; of what may be no image, nothing.
    void decomposesFrozenNormalisation() {
        for (const bool is_image : {true, false}) {
            const auto graph = make_ptr<ir::Graph>();
            ir::Graph& g = *graph;
            ir::Value* x = g.add_input({}, types::tensor());
            g.set_insert_point(g.block());
            const auto constant = [&](std::initializer_list<float> values) {
                return g.insert_constant(IValue(tensor_of<float>(values, {2})));
            };
            const std::initializer_list<ir::Value*> turned{x, g.insert_constant(IValue(std::int64_t{2}))};
            ir::Value* image = is_image ? g.insert_op(ir::Symbol::intern("aten::contiguous"), turned) : x;
            ir::Value* no = g.insert_constant(IValue(false));
            ir::Value* eps = g.insert_constant(IValue(0.0));
            ir::Node* norm = g.create(
                ir::Symbol::intern("aten::batch_norm"),
                {image, constant({2, 3}), constant({5, 6}), constant({1, 2}), constant({4, 9}), no, eps, eps, no});
            g.insert(norm);
            g.block()->add_output(norm->output());
            PassManager().run(g, pipeline_of("DecomposeFrozenBatchNorm, DCE"));
            QCOMPARE(find_node(g, "aten::batch_norm") == nullptr, is_image);
            QCOMPARE(find_node(g, "aten::add") != nullptr, is_image);
            const Tensor input = tensor_of<float>({1, 2, 3, 4}, {1, 2, 1, 2});
            const Tensor result = runtime::run_code(*runtime::Code::make(graph, ""), {input})[0].to_tensor();
            // (x - 1) / 2 * 2 + 5, (x - 2) / 3 * 3 + 6
            const Tensor plain = fn::contiguous(result, 0);
            for (const auto& [place, wanted] :
                 {std::pair{0, 5.0F}, std::pair{1, 6.0F}, std::pair{2, 7.0F}, std::pair{3, 8.0F}}) {
                QCOMPARE(plain.data<float>()[place], wanted);
            }
        }
    }

    void removesDropoutInEvaluationOnly() {
        const char* text = R"(graph(%x : Tensor, %p : float):
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %a : Tensor = aten::dropout(%x, %p, %no)
  %b : Tensor = aten::dropout(%a, %p, %yes)
  return (%b)
)";
        const auto graph = after(text, "removeDropout, DCE");
        QCOMPARE(find_node(*graph, "aten::dropout")->input(0), graph->inputs()[0]);
    }

    void gradientsOfNothingAreABranch() {
        const auto graph = after(R"(graph(%x : Tensor, %dy : Tensor):
  %dx : Tensor = prim::GradOf[name="tanh"](%dy)
    block0():
      %a : Tensor = aten::mul(%dy, %x)
      -> (%a)
  return (%dx)
)",
                                 "LowerGradOf");
        QCOMPARE(lines(graph), QString(R"(graph(%0 : Tensor,
      %1 : Tensor):
  %2 : bool = prim::AutogradAnyNonZero(%1)
  %3 : Tensor = prim::If(%2)
    block0():
      %4 : Tensor = aten::mul(%1, %0)
      -> (%4)
    block1():
      %5 : Tensor = prim::AutogradZero()
      -> (%5)
  return (%3)
)"));
    }

    void forgetsWhatTensorsAre() {
        const auto graph = after(R"(graph(%x : Float(2, 3), %y : Tensor[Undefined]):
  %a : Float(2, 3) = aten::relu(%x)
  %b : Tensor = aten::mul(%a, %y)
  return (%b)
)",
                                 "ClearUndefinedness");
        QCOMPARE(lines(graph), QString("graph(%0 : Tensor,\n      %1 : Tensor):\n  %2 : Tensor = aten::relu(%0)\n"
                                       "  %3 : Tensor = aten::mul(%2, %1)\n  return (%3)\n"));
    }

    void refusesPythonThatWrites() {
        const char* text =
            "graph(%x : Tensor):\n  %a : Tensor = prim::PythonOp[name=\"f\", inplace=1](%x)\n  return (%a)\n";
        QVERIFY_THROWS_EXCEPTION(Error, after(text, "CheckInplace"));
    }

    void oldOperatorsMeanWhatTheyMeant() {
        // Until version 4 the division of integers rounded to zero.
        const char* text = "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::div(%x, %y)\n  return (%a)\n";
        PassContext old;
        old.operator_version = 3;
        QVERIFY(!lines(after(text, "ReplaceOldOperatorsWithUpgraders")).contains("prim::If"));
        const QString upgraded = lines(after(text, "ReplaceOldOperatorsWithUpgraders", old));
        QVERIFY2(upgraded.contains("prim::If") && upgraded.contains("trunc"), qPrintable(upgraded));
    }

    void emittedFormBecomesValues() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor, %c : bool):
   = prim::Store[name="y"](%x)
   = prim::If(%c)
    block0():
      %a : Tensor = aten::relu(%x)
       = prim::Store[name="y"](%a)
      -> ()
    block1():
      -> ()
  %b : Tensor = prim::Load[name="y"]()
  return (%b)
)");
        PassManager().run(*graph, pipeline_of("ConvertToSSA, NormalizeOps, CanonicalizeModifiedLoops, DCE"));
        QCOMPARE(lines(graph), QString(R"(graph(%0 : Tensor,
      %1 : bool):
  %2 : Tensor = prim::If(%1)
    block0():
      %3 : Tensor = aten::relu(%0)
      -> (%3)
    block1():
      -> (%0)
  return (%2)
)"));
    }

    void frozenLinearLayers() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %w : Tensor, %b : Tensor, %v : Tensor, %c : Tensor):\n"
            "  %y : Tensor = aten::linear(%x, %w, %b)\n  %z : Tensor = aten::linear(%x, %v, %c)\n"
            "  %l : Tensor[] = prim::ListConstruct(%y, %z)\n  return (%l)\n");
        const Tensor values[] = {tensor_of<float>({1, 2, 3, 4}, {2, 2}), tensor_of<float>({5, 6}, {2}),
                                 tensor_of<float>({7, 8}, {1, 2}), tensor_of<float>({9}, {1})};
        for (std::size_t i = 0; i < 4; ++i) {
            ir::Node* constant = graph->create_constant(IValue(values[i]))->insert_before(*graph->nodes().begin());
            graph->inputs()[i + 1]->replace_all_uses_with(constant->output());
        }
        const auto joined = graph->copy();
        PassManager().run(*joined, pipeline_of("FrozenConcatLinear"));
        const ir::Node* linear = find_node(*joined, "aten::linear");
        QCOMPARE(linear->output()->uses().size(), std::size_t(2));
        const Tensor weight = ir::constant_of(linear->input(1))->to_tensor();
        QCOMPARE(QString::fromStdString(describe(weight)), "float32 3x2");
        QCOMPARE(weight.data<float>()[5], 8.0F);
        QCOMPARE(ir::constant_of(linear->input(2))->to_tensor().data<float>()[2], 9.0F);
        PassManager().run(*graph, pipeline_of("FrozenLinearTranspose"));
        const ir::Node* product = find_node(*graph, "aten::matmul");
        QVERIFY(product != nullptr && find_node(*graph, "aten::linear") == nullptr);
        QCOMPARE(ir::constant_of(product->input(1))->to_tensor().data<float>()[1], 3.0F);
        QVERIFY(product->output()->uses()[0].user->is("aten::add.Tensor"));
    }

    void imagesAreTurnedOnce_data() {
        QTest::addColumn<QString>("call");
        QTest::newRow("script") << "aten::conv2d(%1, %w, %none, %ones, %ones, %ones, %one)";
        QTest::newRow("trace") << "aten::_convolution(%1, %w, %none, %ones, %ones, %ones, %no, %zeros, %one, %no, %no, "
                                  "%yes, %yes)";
        QTest::newRow("export") << "aten::convolution(%1, %w, %none, %ones, %ones, %ones, %no, %zeros, %one)";
    }
    void imagesAreTurnedOnce() {
        QFETCH(QString, call);
        const QString text = QString(R"(graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %minus : int = prim::Constant[value=-1]()
  %ones : int[] = prim::Constant[value=[1, 1]]()
  %zeros : int[] = prim::Constant[value=[0, 0]]()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %shape : int[] = prim::ListConstruct(%one, %minus)
  %a : Tensor = CALL_X
  %b : Tensor = aten::relu(%a)
  %c : Tensor = CALL_B
  %d : Tensor = CALL_X
  %e : Tensor = aten::add(%c, %d, %one)
  %f : Tensor = aten::view(%e, %shape)
  return (%f)
)")
                                 .replace("CALL_X", QString(call).replace("%1", "%x"))
                                 .replace("CALL_B", QString(call).replace("%1", "%b"));
        const auto graph = ir::parse_graph(text.toStdString());
        ir::Node* weight = graph->create_constant(IValue(zeros(std::array<std::int64_t, 4>{2, 2, 3, 3})))
                               ->insert_before(*graph->nodes().begin());
        graph->inputs()[1]->replace_all_uses_with(weight->output());
        PassManager manager;
        manager.run(*graph, pipeline_of("ConvertFrozenOpsToMKLDNN"));
        std::vector<std::int64_t> formats;
        for (const ir::Node* node : graph->nodes()) {
            if (node->kind().str() == "aten::contiguous") formats.push_back(ir::constant_of(node->input(1))->to_int());
        }
        QCOMPARE(formats, (std::vector<std::int64_t>{2, 0}));  // in before both, back before the view
        QCOMPARE(find_node(*graph, "aten::view")->input(0)->node()->kind().str(), std::string("aten::contiguous"));
        QVERIFY(!manager.run(*graph, pipeline_of("ConvertFrozenOpsToMKLDNN")).records[0].changed);
    }

    void managerKeepsSnapshotsAndTimes() {
        const auto graph = ir::parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  return (%x)\n");
        const PassTrace trace = PassManager().run(*graph, pipeline_of("CSE, DCE, fixpoint(DCE)"));
        QCOMPARE(trace.records.size(), std::size_t(3));
        QVERIFY(!trace.records[0].changed && trace.records[0].after == trace.before);
        QVERIFY(trace.records[1].changed);
        QCOMPARE(trace.records[1].nodes_before, std::size_t(1));
        QCOMPARE(trace.records[1].nodes_after, std::size_t(0));
        QVERIFY(QString::fromStdString(trace.before->text).contains("aten::relu"));
        QVERIFY(QString::fromStdString(trace.records[2].place).endsWith("fixpoint 1"));
    }

    void bisectStopsEarly() {
        const auto graph = ir::parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  return (%x)\n");
        BisectListener bisect(1);
        PassManager manager;
        manager.add_listener(&bisect);
        const PassTrace trace = manager.run(*graph, pipeline_of("CSE, DCE"));
        QVERIFY(trace.records[0].was_run && !trace.records[1].was_run);
        QVERIFY(find_node(*graph, "aten::relu") != nullptr);
    }

    void pipelinesAreText() {
        const char* text = "Inline, DCE, fixpoint(FoldConvBatchnorm, DCE), @cleanup";
        QCOMPARE(QString::fromStdString(steps_text(parse_steps(text))), text);
        for (const char* wrong : {"Nothing", "@nothing", "fixpoint(DCE", "DCE)", "DCE DCE"}) {
            QVERIFY_THROWS_EXCEPTION(Error, parse_steps(wrong));
        }
    }

    void verifierFindsWrongTypes() {
        const auto graph = ir::parse_graph("graph(%x : str):\n  %a : Tensor = aten::relu(%x)\n  return (%a)\n");
        QVERIFY_THROWS_EXCEPTION(Error, ir::verify(*graph));
    }
};

QTEST_APPLESS_MAIN(TestPasses)
#include "test_passes.moc"
