// SPDX-License-Identifier: Apache-2.0
// Programs as graph text, run; the operators are this test's own.
#include <QtTest>

#include "core/autograd/observer.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/registry.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/parser.h"
#include "core/nn/module.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/interpreter/print.h"

using namespace loupe;
using namespace loupe::runtime;

namespace {

std::int64_t add(std::int64_t a, std::int64_t b) { return a + b; }
std::int64_t mul(std::int64_t a, std::int64_t b) { return a * b; }
bool less(std::int64_t a, std::int64_t b) { return a < b; }
Tensor twice(const Tensor& t) {
    if (t.dim() > 3) throw Error(ErrorKind::Run, "too many dimensions");
    const Tensor out = zeros(t.sizes());
    for (std::int64_t i = 0; i < t.numel(); ++i) out.data<float>()[i] = 2 * t.data<float>()[i];
    return out;
}
IValue append_to(const IValue& list, const IValue& element) {
    list.to_list().elements.push_back(element);
    return list;
}
std::int64_t length(const IValue& list) { return static_cast<std::int64_t>(list.to_list().elements.size()); }
std::int64_t users(const IValue& list) { return static_cast<std::int64_t>(list.to_list().use_count()); }

const OperatorRecord kAdd{.schema = "loupe_test::add(int a, int b) -> int", .summary = "", .kernel = boxed<add>};
const OperatorRecord kMul{.schema = "loupe_test::mul(int a, int b) -> int", .summary = "", .kernel = boxed<mul>};
const OperatorRecord kLess{.schema = "loupe_test::lt(int a, int b) -> bool", .summary = "", .kernel = boxed<less>};
const OperatorRecord kTwice{
    .schema = "loupe_test::twice(Tensor self) -> Tensor", .summary = "", .kernel = boxed<twice>};
const OperatorRecord kAppend{
    .schema = "loupe_test::append(t[](a!) self, t(c -> *) el) -> t[](a!)", .summary = "", .kernel = boxed<append_to>};
const OperatorRecord kLength{.schema = "loupe_test::len(t[] a) -> int", .summary = "", .kernel = boxed<length>};
const OperatorRecord kUsers{.schema = "loupe_test::users(t[] a) -> int", .summary = "", .kernel = boxed<users>};
const OperatorRecord* const kRecords[] = {&kAdd, &kMul, &kLess, &kTwice, &kAppend, &kLength, &kUsers};

IValue run(const char* text, std::vector<IValue> inputs) {
    const auto code = Code::make(ir::parse_graph(text), "");
    auto results = run_code(*code, std::move(inputs));
    return results.size() == 1 ? results[0] : IValue(make_ptr<TupleObject>(std::move(results)));
}

QString error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

struct Recorder : ExecutionObserver {
    QStringList lines;
    int depth = 0;
    void enter_frame(const FrameInfo& info) override {
        lines << QString("%1enter %2 '%3'")
                     .arg(QString(depth++ * 2, ' '), QString::fromStdString(std::string(info.function)),
                          QString::fromStdString(std::string(info.scope)));
    }
    void leave_frame() override { lines << QString("%1leave").arg(QString(--depth * 2, ' ')); }
    void before_operator(const OperatorCall& call) override {
        lines << QString("%1%2 %3")
                     .arg(QString(depth * 2, ' '), QString::fromStdString(std::string(call.name)))
                     .arg(call.inputs.size());
    }
    void after_operator(const OperatorCall& call) override {
        lines << QString("%1-> %2").arg(QString(depth * 2, ' ')).arg(call.outputs.size());
    }
    void on_exception(const Error&) override { lines << QString("%1exception").arg(QString(depth * 2, ' ')); }
};

// A module with two children of one class: forward calls both, one of them twice.
struct Program {
    Ptr<ir::CompilationUnit> unit = make_ptr<ir::CompilationUnit>();
    Ptr<nn::Module> root;

    Program() {
        auto leaf_type = make_ptr<ClassType>("__torch__.Leaf", true);
        auto root_type = make_ptr<ClassType>("__torch__.Root", true);
        leaf_type->add_attribute("factor", types::integer());
        for (const char* name : {"first", "second"}) root_type->add_attribute(name, leaf_type, AttributeKind::Module);
        unit->add_type(leaf_type);
        unit->add_type(root_type);
        const auto method = [&](ClassType& type, const char* name, const char* text) {
            unit->add_method(
                type, make_ptr<ir::ScriptFunction>(type.name() + "." + name, ir::parse_graph(text, unit->resolver())));
        };
        method(*leaf_type, "forward", R"(graph(%self : __torch__.Leaf, %x : Tensor):
  %y : Tensor = loupe_test::twice(%x) # leaf.py:3:8
  return (%y)
)");
        method(*root_type, "forward", R"(graph(%self : __torch__.Root, %x : Tensor):
  %first : __torch__.Leaf = prim::GetAttr[name="first"](%self)
  %a : Tensor = prim::CallMethod[name="forward"](%first, %x) # root.py:7:8
  %second : __torch__.Leaf = prim::GetAttr[name="second"](%self)
  %b : Tensor = prim::CallMethod[name="forward"](%second, %a) # root.py:8:8
  %c : Tensor = prim::CallMethod[name="forward"](%second, %b) # root.py:9:8
  return (%c)
)");
        root = make_ptr<nn::Module>(root_type);
        for (const char* name : {"first", "second"})
            root->set_attribute(name, IValue(Ptr<Object>(make_ptr<nn::Module>(leaf_type))));
    }
};

}  // namespace

class TestInterpreter : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { register_family({"loupe_test", kRecords}); }

    void adds() {
        QCOMPARE(
            run("graph(%a : int, %b : int):\n  %c : int = loupe_test::add(%a, %b)\n  return (%c)\n", {3, 4}).to_int(),
            7);
    }

    void branches() {
        const char* text = R"(graph(%a : int, %b : int):
  %ten : int = prim::Constant[value=10]()
  %c : bool = loupe_test::lt(%a, %b)
  %r : int, %s : int = prim::If(%c)
    block0():
      %d : int = loupe_test::add(%b, %ten)
      -> (%d, %a)
    block1():
      %e : int = loupe_test::mul(%a, %ten)
      -> (%b, %e)
  %t : int = loupe_test::add(%r, %s)
  return (%t)
)";
        QCOMPARE(run(text, {1, 2}).to_int(), 13);
        QCOMPARE(run(text, {2, 1}).to_int(), 21);
    }

    // Fibonacci: carried values are exchanged all at once.
    void loops() {
        const char* text = R"(graph(%n : int):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %true : bool = prim::Constant[value=1]()
  %x : int, %y : int = prim::Loop(%n, %true, %zero, %one)
    block0(%i : int, %a : int, %b : int):
      %c : int = loupe_test::add(%a, %b)
      -> (%true, %b, %c)
  return (%x)
)";
        QCOMPARE(run(text, {10}).to_int(), 55);
        QCOMPARE(run(text, {0}).to_int(), 0);
    }

    void loopsWhile() {
        const char* text = R"(graph(%n : int):
  %zero : int = prim::Constant[value=0]()
  %two : int = prim::Constant[value=2]()
  %most : int = prim::Constant[value=9223372036854775807]()
  %go : bool = loupe_test::lt(%two, %n)
  %x : int = prim::Loop(%most, %go, %two)
    block0(%i : int, %a : int):
      %b : int = loupe_test::mul(%a, %a)
      %more : bool = loupe_test::lt(%b, %n)
      -> (%more, %b)
  return (%x)
)";
        QCOMPARE(run(text, {100}).to_int(), 256);
        QCOMPARE(run(text, {1}).to_int(), 2);
    }

    void nestsLoopsAndBranches() {
        // sum over i < 4, j < i of (j if j < 1 else 10 * i)
        const char* text = R"(graph(%n : int):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %ten : int = prim::Constant[value=10]()
  %true : bool = prim::Constant[value=1]()
  %sum : int = prim::Loop(%n, %true, %zero)
    block0(%i : int, %s : int):
      %t : int = prim::Loop(%i, %true, %s)
        block0(%j : int, %u : int):
          %c : bool = loupe_test::lt(%j, %one)
          %d : int = prim::If(%c)
            block0():
              -> (%j)
            block1():
              %e : int = loupe_test::mul(%ten, %i)
              -> (%e)
          %v : int = loupe_test::add(%u, %d)
          -> (%true, %v)
      -> (%true, %t)
  return (%sum)
)";
        QCOMPARE(run(text, {4}).to_int(), 80);
    }

    void buildsContainers() {
        const char* text = R"(graph(%a : int, %b : int):
  %name : str = prim::Constant[value="k"]()
  %list : int[] = prim::ListConstruct(%a, %b)
  %x : int, %y : int = prim::ListUnpack(%list)
  %tuple : (int, str) = prim::TupleConstruct(%y, %name)
  %p : int, %q : str = prim::TupleUnpack(%tuple)
  %dict : Dict(str, int) = prim::DictConstruct(%q, %p)
  %both : (Dict(str, int), int[]) = prim::TupleConstruct(%dict, %list)
  return (%both)
)";
        QCOMPARE(QString::fromStdString(python_repr(run(text, {1, 2}))), "({'k': 2}, [1, 2])");
    }

    // The last use moves: nobody else holds the list then.
    void movesAtLastUse() {
        const char* text = R"(graph(%a : int):
  %list : int[] = prim::ListConstruct(%a)
  %n : int = loupe_test::users(%list)
  return (%n)
)";
        QCOMPARE(run(text, {1}).to_int(), 1);
    }

    void doesNotMoveOutOfLoops() {
        const char* text = R"(graph(%n : int):
  %true : bool = prim::Constant[value=1]()
  %list : int[] = prim::ListConstruct()
   = prim::Loop(%n, %true)
    block0(%i : int):
      %same : int[] = loupe_test::append(%list, %i)
      -> (%true)
  %k : int = loupe_test::len(%list)
  return (%k)
)";
        QCOMPARE(run(text, {5}).to_int(), 5);
    }

    void tellsFramesAndOperators() {
        Program program;
        Recorder recorder;
        const ObserverScope scope(&recorder);
        const IValue x = tensor_of<float>({1, 2}, {2});
        const IValue y = run_method(program.root, "forward", {x});
        QCOMPARE(y.to_tensor().data<float>()[1], 16.0F);
        const QStringList expected{"enter __torch__.Root.forward ''",
                                   "  enter __torch__.Leaf.forward 'first'",
                                   "    loupe_test::twice 1",
                                   "    -> 1",
                                   "  leave",
                                   "  enter __torch__.Leaf.forward 'second'",
                                   "    loupe_test::twice 1",
                                   "    -> 1",
                                   "  leave",
                                   "  enter __torch__.Leaf.forward 'second'",
                                   "    loupe_test::twice 1",
                                   "    -> 1",
                                   "  leave",
                                   "leave"};
        QCOMPARE(recorder.lines, expected);
    }

    void errorsSayWhere() {
        Program program;
        Recorder recorder;
        const ObserverScope scope(&recorder);
        const Dims sizes{1, 1, 1, 1};
        const IValue x = zeros(span_of(sizes));
        QCOMPARE(error_of([&] { run_method(program.root, "forward", {x}); }),
                 "too many dimensions, in loupe_test::twice, at first (leaf.py:3), inputs: [float32 1x1x1x1]");
        QCOMPARE(recorder.depth, 0);
        QVERIFY(recorder.lines.contains("    exception"));
    }

    void runsHooks() {
        Program program;
        auto* leaf = nn::as_module(program.root->attribute("second")).get();
        int calls = 0;
        leaf->register_forward_hook(
            [&](nn::Module&, const std::vector<IValue>&, const IValue& output) -> std::optional<IValue> {
                return ++calls == 1 ? std::optional(output) : std::nullopt;
            });
        Recorder recorder;
        const ObserverScope scope(&recorder);
        run_method(program.root, "forward", {IValue(tensor_of<float>({1}, {1}))});
        QCOMPARE(calls, 2);
        QCOMPARE(recorder.lines.filter("'second'").size(), 2);
    }

    void raises() {
        const char* text = R"(graph(%m : str):
  %cls : str = prim::Constant[value="builtins.ValueError"]()
   = prim::RaiseException(%m, %cls) # f.py:1:0
  return ()
)";
        QVERIFY(error_of([&] {
                    run(text, {IValue("too many")});
                }).startsWith("builtins.ValueError: too many, in prim::RaiseException"));
    }

    void printsToTheHandler() {
        std::string printed;
        const PrintScope scope([&](std::string_view text) { printed += text; });
        run("graph(%a : int, %b : str):\n   = prim::Print(%a, %b)\n  return (%a)\n", {1, IValue("x")});
        QCOMPARE(QString::fromStdString(printed), "1 x\n");
    }

    void forksRunAtOnce() {
        const char* text = R"(graph(%a : int):
  %f : Future(int) = prim::fork_0(%a)
  %b : int = aten::wait(%f)
  return (%b)
with prim::fork_0 = graph(%a : int):
  %c : int = loupe_test::add(%a, %a)
  return (%c)
)";
        QCOMPARE(run(text, {4}).to_int(), 8);
    }

    void checksArguments() {
        const auto function =
            make_ptr<ir::ScriptFunction>("f", ir::parse_graph("graph(%x : Tensor):\n  return (%x)\n"));
        QVERIFY(error_of([&] { run_function(*function, {}); }).contains("f() is missing value for argument 'x'"));
        QVERIFY(error_of([&] {
                    run_function(*function, {IValue("s")});
                }).contains("f() Expected a value of type 'Tensor' for argument 'x' but instead found type 'str'"));
    }

    void endlessRecursionStops() {
        auto unit = make_ptr<ir::CompilationUnit>();
        auto type = make_ptr<ClassType>("__torch__.R", true);
        unit->add_type(type);
        unit->add_method(*type, make_ptr<ir::ScriptFunction>("__torch__.R.forward",
                                                             ir::parse_graph(R"(graph(%self : __torch__.R, %x : int):
  %y : int = prim::CallMethod[name="forward"](%self, %x)
  return (%y)
)",
                                                                             unit->resolver())));
        const Ptr<Object> object = make_ptr<nn::Module>(type);
        QVERIFY(error_of([&] { run_method(object, "forward", {1}); }).startsWith("maximum recursion depth exceeded"));
    }

    void cancels() {
        CancelFlag flag{true};
        const CancelScope scope(&flag);
        QVERIFY_THROWS_EXCEPTION(Error, run("graph(%a : int):\n  return (%a)\n", {1}));
    }

    void unknownOperatorsAreNamed() {
        QVERIFY(error_of([&] {
                    run("graph(%a : int):\n  %b : int = some::op(%a)\n  return (%b)\n", {1});
                }).contains("unsupported operator some::op(int a) -> int"));
    }

    void benchmarkCall() {
        const auto code = Code::make(
            ir::parse_graph("graph(%a : int, %b : int):\n  %c : int = loupe_test::add(%a, %b)\n  return (%c)\n"), "");
        QBENCHMARK { run_code(*code, {3, 4}); }
    }
};

QTEST_APPLESS_MAIN(TestInterpreter)
#include "test_interpreter.moc"
