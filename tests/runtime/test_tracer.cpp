// SPDX-License-Identifier: Apache-2.0
// Traces of modules written in C++, held against what torch.jit.trace of PyTorch 1.13.1 gives for the same modules
// (traces.txt, written by make_traces.py), and run.
#include <QtTest>

#include <map>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/program_tracer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/torch_writer.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"
#include "core/nn/module.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/trace/tracer.h"

using namespace loupe;
using namespace loupe::runtime;
using nn::Module;
using nn::ModulePtr;

namespace {

using Forward = std::function<IValue(Module&, std::vector<IValue>)>;

template <typename... Args>
Tensor op(const char* name, const Args&... args) {
    return OperatorHandle<>(name)(args...);
}

ModulePtr make(const char* name, Forward forward) {
    const auto module = make_ptr<Module>(name);
    module->set_forward(std::move(forward));
    module->eval();
    return module;
}

Tensor draw(std::initializer_list<std::int64_t> sizes) {
    const std::vector<std::int64_t> all(sizes);
    return op("aten::randn", IntSpan(all), IValue(), IValue(), IValue(), IValue());
}

void add_parameter(const ModulePtr& module, const char* name, std::initializer_list<std::int64_t> sizes) {
    const Tensor t = draw(sizes);
    set_requires_grad(t, true);
    module->register_parameter(name, t);
}

Tensor buffer(Module& self, const char* name) {
    for (const auto& [own, t] : self.own_buffers()) {
        if (own == name) return t;
    }
    return {};
}

ModulePtr linear(std::int64_t in, std::int64_t out) {
    const ModulePtr module = make("torch.nn.modules.linear.Linear", [](Module& self, std::vector<IValue> x) -> IValue {
        return op("aten::linear", x[0], self.get_parameter("weight"), self.get_parameter("bias"));
    });
    add_parameter(module, "weight", {out, in});
    add_parameter(module, "bias", {out});
    return module;
}

IValue child(Module& self, const char* name, std::vector<IValue> inputs) {
    return self.get_submodule(name)->call(std::move(inputs));
}

ModulePtr two() {
    const ModulePtr module = make("Two", [](Module& self, std::vector<IValue> x) -> IValue {
        return child(self, "fc2", {op("aten::relu", child(self, "fc1", {x[0]}))});
    });
    module->register_module("fc1", linear(3, 4));
    module->register_module("fc2", linear(4, 2));
    return module;
}

ModulePtr conv() {
    const ModulePtr convolution =
        make("torch.nn.modules.conv.Conv2d", [](Module& self, std::vector<IValue> x) -> IValue {
            return op("aten::conv2d", x[0], self.get_parameter("weight"), self.get_parameter("bias"), Dims{1, 1},
                      Dims{1, 1}, Dims{1, 1}, 1);
        });
    add_parameter(convolution, "weight", {4, 3, 3, 3});
    add_parameter(convolution, "bias", {4});
    const ModulePtr norm =
        make("torch.nn.modules.batchnorm.BatchNorm2d", [](Module& self, std::vector<IValue> x) -> IValue {
            return op("aten::batch_norm", x[0], self.get_parameter("weight"), self.get_parameter("bias"),
                      buffer(self, "running_mean"), buffer(self, "running_var"), false, 0.1, 1e-5, true);
        });
    add_parameter(norm, "weight", {4});
    add_parameter(norm, "bias", {4});
    norm->register_buffer("running_mean", draw({4}));
    norm->register_buffer("running_var", op("aten::abs", draw({4})));
    const ModulePtr module = make("Conv", [](Module& self, std::vector<IValue> inputs) -> IValue {
        const IValue y = child(self, "bn", {child(self, "conv", {inputs[0]})});
        Tensor x = op("aten::max_pool2d", op("aten::relu", y), Dims{2, 2}, Dims{}, Dims{0, 0}, Dims{1, 1}, false);
        x = op("aten::flatten.using_ints", op("aten::adaptive_avg_pool2d", x, Dims{1, 1}), 1, -1);
        return child(self, "head", {op("aten::dropout", x, 0.5, false)});
    });
    module->register_module("conv", convolution);
    module->register_module("bn", norm);
    module->register_module("head", linear(4, 2));
    return module;
}

ModulePtr writes() {
    return make("Writes", [](Module&, std::vector<IValue> x) -> IValue {
        const Tensor y = op("aten::mul.Scalar", x[0], 2);
        op("aten::fill_.Scalar", op("aten::select.int", y, 0, 0), 1.5);
        return op("aten::sub.Scalar", op("aten::relu_", y), 1, 1);
    });
}

ModulePtr escape() {
    const ModulePtr module = make("Escape", [](Module& self, std::vector<IValue> x) -> IValue {
        const std::vector<IValue> parts = child(self, "parts", {x[0]}).to_tuple().elements;
        auto named = make_ptr<DictObject>(types::string(), types::tensor());
        named->set("sum", op("aten::add.Tensor", parts[0], parts[1], 1));
        named->set("all", parts[2]);
        const TensorList both{parts[0].to_tensor(), parts[1].to_tensor()};
        return make_ptr<TupleObject>(std::vector<IValue>{named, both});
    });
    module->register_module(
        "parts", make("Parts", [](Module&, std::vector<IValue> x) -> IValue {
            const TensorList parts = OperatorHandle<TensorList>("aten::chunk")(x[0], 2, 1);
            return make_ptr<TupleObject>(std::vector<IValue>{parts[0], parts[1], op("aten::stack", parts, 0)});
        }));
    return module;
}

ModulePtr takes() {
    return make("Takes", [](Module&, std::vector<IValue> x) -> IValue {
        const auto& pair = x[1].to_tuple().elements;
        return op("aten::add.Tensor", x[0], op("aten::mul.Tensor", pair[0], pair[1]), 1);
    });
}

ModulePtr captures() {
    const Tensor offset = tensor_of<float>({0, 1, 2}, {3});
    return make("Captures",
                [offset](Module&, std::vector<IValue> x) -> IValue { return op("aten::add.Tensor", x[0], offset, 1); });
}

ModulePtr recurrent() {
    const ModulePtr lstm = make("torch.nn.modules.rnn.LSTM", [](Module& self, std::vector<IValue> x) -> IValue {
        TensorList weights;
        for (const auto& [name, t] : self.own_parameters()) weights.push_back(t);
        const auto [y, h, c] = OperatorHandle<std::tuple<Tensor, Tensor, Tensor>>("aten::lstm.input")(
            x[0], TensorList{x[1].to_tensor(), x[1].to_tensor()}, weights, true, 1, 0.0, false, false, true);
        return make_ptr<TupleObject>(std::vector<IValue>{y, h, c});
    });
    add_parameter(lstm, "weight_ih_l0", {8, 3});
    add_parameter(lstm, "weight_hh_l0", {8, 2});
    add_parameter(lstm, "bias_ih_l0", {8});
    add_parameter(lstm, "bias_hh_l0", {8});
    const ModulePtr module = make("Recurrent", [](Module& self, std::vector<IValue> x) {
        return child(self, "lstm", {x[0], op("aten::zeros", Dims{1, 2, 2}, IValue(), IValue(), Device{}, false)});
    });
    module->register_module("lstm", lstm);
    return module;
}

// What a graph does, without names: one line a node, with constants, lists and attributes where they are used.
class Canonical {
  public:
    explicit Canonical(const ir::Graph& graph) {
        for (const ir::Value* input : graph.inputs()) lines << QString("%1 : %2").arg(text(input), type(input));
        for (const ir::Node* node : graph.nodes()) {
            if (is_inline(node)) continue;
            QStringList outputs;
            QStringList inputs;
            for (const ir::Value* input : node->inputs()) inputs << text(input);
            for (const ir::Value* output : node->outputs())
                outputs << QString("%1 : %2").arg(text(output), type(output));
            const std::string name = node->has_attribute(ir::attr::name) ? "." + node->s(ir::attr::name) : "";
            lines << QString("%1 = %2%3(%4)")
                         .arg(outputs.join(", "), QString::fromStdString(node->kind().str()),
                              QString::fromStdString(name), inputs.join(", "));
        }
        for (const ir::Value* output : graph.outputs()) lines << "return " + text(output);
    }
    QStringList lines;

  private:
    static bool is_inline(const ir::Node* node) {
        return node->kind() == ir::prim::Constant || node->kind() == ir::prim::GetAttr ||
               node->kind() == ir::prim::ListConstruct;
    }
    // Names of classes and what requires grad are left out: PyTorch does not say the same of a convolution as of
    // others.
    static QString type(const ir::Value* value) {
        if (value->type()->kind() == TypeKind::Class) return "class";
        QString text = QString::fromStdString(value->type()->str());
        return text.remove(QRegularExpression(", requires_grad=[01]"));
    }
    QString text(const ir::Value* value) {
        const ir::Node* node = value->node();
        if (node->kind() == ir::prim::GetAttr)
            return text(node->input()) + "." + QString::fromStdString(node->s(ir::attr::name));
        if (node->kind() == ir::prim::Constant && value->type()->kind() == TypeKind::Tensor)
            return "<" + type(value) + ">";
        if (node->kind() == ir::prim::Constant) return QString::fromStdString(ir::print_attributes(*node));
        if (node->kind() == ir::prim::ListConstruct) {
            QStringList elements;
            for (const ir::Value* element : node->inputs()) elements << text(element);
            return "[" + elements.join(", ") + "]";
        }
        const auto [place, is_new] = numbers_.try_emplace(value, static_cast<int>(numbers_.size()));
        return QString("%%1").arg(place->second);
    }
    std::map<const ir::Value*, int> numbers_;
};

const ir::Graph& method_graph(const Trace& trace, const QString& path, const QString& method) {
    const ModulePtr module = trace.module->get_submodule(path == "." ? "" : path.toStdString());
    return *dynamic_cast<const ir::ScriptFunction*>(module->type()->find_method(method.toStdString()))->graph();
}

Trace traced(const ModulePtr& module, std::vector<IValue> inputs, std::vector<std::string> names = {}) {
    return trace_module(module, std::move(inputs),
                        {.class_name = {}, .argument_names = std::move(names), .strict = false});
}

IValue call(const Trace& trace, std::vector<IValue> inputs) {
    return run_method(Ptr<Object>(trace.module), "forward", std::move(inputs));
}

bool same(const IValue& a, const IValue& b) {
    TensorList left;
    TensorList right;
    visit_tensors(a, [&](const Tensor& t) { left.push_back(t); });
    visit_tensors(b, [&](const Tensor& t) { right.push_back(t); });
    if (left.size() != right.size() || left.empty()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!OperatorHandle<bool>("aten::allclose")(left[i], right[i], 1e-6, 1e-6, false)) return false;
    }
    return true;
}

// Runs the archive in PyTorch on the same inputs.
constexpr const char* kPythonCheck = R"(
import sys, numpy, torch
folder = sys.argv[1]
tensors = {k: torch.from_numpy(v) for k, v in numpy.load(folder + '/tensors.npz').items()}
arguments = []
for i in range(10):
    parts = [tensors[k] for k in tensors if k.startswith(f'arg{i}.')]
    if parts: arguments.append(parts[0] if len(parts) == 1 else tuple(parts))
def flat(value):
    if isinstance(value, torch.Tensor): return [value]
    if isinstance(value, dict): value = list(value.values())
    return [t for element in value for t in flat(element)]
result = flat(torch.jit.load(folder + '/traced.pt')(*arguments))
expected = [tensors[k] for k in tensors if k.startswith('out.')]
assert len(result) == len(expected)
for a, b in zip(result, expected): torch.testing.assert_close(a.detach(), b, rtol=1e-5, atol=1e-5)
print('same')
)";

QString error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return QString::fromStdString(error.message());
    }
    return "no error";
}

struct Case {
    const char* name;
    ModulePtr (*make)();
    std::vector<IValue> (*inputs)();
};

std::vector<IValue> vectors() { return {draw({2, 3})}; }
const Case kCases[] = {
    {"two", two, vectors},
    {"conv", conv,
     [] {
         return std::vector<IValue>{draw({2, 3, 8, 8})};
     }},
    {"writes", writes, vectors},
    {"escape", escape,
     [] {
         return std::vector<IValue>{draw({2, 4})};
     }},
    {"takes", takes,
     [] {
         return std::vector<IValue>{draw({2, 3}),
                                    make_ptr<TupleObject>(std::vector<IValue>{draw({2, 3}), draw({2, 3})})};
     }},
    {"captures", captures, vectors},
    {"recurrent", recurrent,
     [] {
         return std::vector<IValue>{draw({2, 5, 3})};
     }},
};

}  // namespace

class TestTracer : public QObject {
    Q_OBJECT

  private slots:
    // Graph by graph, as PyTorch prints them.
    void graphs_data() {
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("graph");
        QFile file(LOUPE_SOURCE_DIR "/tests/runtime/traces.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList parts = QString::fromUtf8(file.readAll()).split("== ", Qt::SkipEmptyParts);
        QVERIFY(parts.size() > 10);
        for (const QString& part : parts) {
            const auto end = part.indexOf('\n');
            QTest::newRow(qPrintable(part.left(end))) << part.left(end) << part.mid(end + 1);
        }
    }
    void graphs() {
        QFETCH(QString, title);
        QFETCH(QString, graph);
        const QStringList words = title.split(' ');
        const auto* found =
            std::find_if(std::begin(kCases), std::end(kCases), [&](const Case& c) { return words[0] == c.name; });
        QVERIFY(found != std::end(kCases));
        const Trace trace = traced(found->make(), found->inputs());
        const ir::Graph& own = method_graph(trace, words[1], words[2]);
        own.lint();
        const QStringList expected = Canonical(*ir::parse_graph(graph.toStdString())).lines;
        const QStringList actual = Canonical(own).lines;
        QCOMPARE(actual.join('\n'), expected.join('\n'));
    }

    // On other inputs than those it was traced with.
    void numbers_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(std::size(kCases)); ++i) QTest::newRow(kCases[i].name) << i;
    }
    void numbers() {
        QFETCH(int, index);
        const Case& c = kCases[index];
        const ModulePtr module = c.make();
        const Trace trace = traced(module, c.inputs());
        QVERIFY(trace.warnings.empty());
        const std::vector<IValue> inputs = c.inputs();
        QVERIFY(same(call(trace, inputs), module->call(inputs)));
        const Traced run = [&](std::vector<IValue> given) { return module->call(std::move(given)); };
        QVERIFY(check_trace(trace, run, inputs).empty());
    }

    // Written as an archive, read again, and read by PyTorch where there is one.
    void files_data() { numbers_data(); }
    void files() {
        QFETCH(int, index);
        const Case& c = kCases[index];
        const Trace trace = traced(c.make(), c.inputs());
        const QTemporaryDir folder;
        const std::string path = folder.filePath("traced.pt").toStdString();
        write_script_module(*trace.module, path);
        const ModelFile file = open_model(path);
        const std::vector<IValue> inputs = c.inputs();
        const IValue expected = call(trace, inputs);
        QVERIFY(same(run_method(Ptr<Object>(file.module), "forward", inputs), expected));
        QCOMPARE(file.module->state_dict().size(), trace.module->state_dict().size());
        NamedTensors tensors;
        const auto add = [&](const std::string& prefix, const IValue& value) {
            std::size_t i = 0;
            visit_tensors(value, [&](const Tensor& t) { tensors.emplace_back(concat(prefix, i++), detach(t)); });
        };
        for (std::size_t i = 0; i < inputs.size(); ++i) add(concat("arg", i, "."), inputs[i]);
        add("out.", expected);
        write_npz(folder.filePath("tensors.npz").toStdString(), tensors);
        QProcess python;
        python.start("/usr/bin/python3", {"-c", kPythonCheck, folder.path()});
        if (!python.waitForStarted()) return;
        QVERIFY(python.waitForFinished(100'000));
        const QString output = QString::fromUtf8(python.readAllStandardOutput() + python.readAllStandardError());
        if (output.contains("No module named")) return;  // torch, or the numpy that it is checked with
        QCOMPARE(output.trimmed(), QString("same"));
    }

    // Gradients arrive at the module's own parameters: they are the same tensors.
    void backward() {
        const ModulePtr module = two();
        const Trace trace = traced(module, vectors());
        const std::vector<IValue> x = vectors();
        ::loupe::backward({op("aten::sum", module->call(x))}, {});
        std::vector<Tensor> expected;
        for (const auto& [name, t] : module->named_parameters()) expected.push_back(grad_of(t));
        module->zero_grad();
        ::loupe::backward({op("aten::sum", call(trace, x))}, {});
        std::size_t i = 0;
        for (const auto& [name, t] : trace.module->named_parameters()) QVERIFY(same(grad_of(t), expected[i++]));
        QCOMPARE(i, std::size_t{4});
    }

    // A module that is called twice has two methods; a tensor that another module owns comes as an argument.
    void shared_modules() {
        const ModulePtr scale = make("Scale", [](Module& self, std::vector<IValue> x) -> IValue {
            return op("aten::mul.Tensor", x[0], self.get_parameter("weight"));
        });
        add_parameter(scale, "weight", {3});
        const ModulePtr user = make("User", [scale](Module&, std::vector<IValue> x) -> IValue {
            return op("aten::add.Tensor", x[0], scale->get_parameter("weight"), 1);
        });
        const ModulePtr module = make("Shared", [](Module& self, std::vector<IValue> x) -> IValue {
            return child(self, "user", {child(self, "scale", {child(self, "scale", {x[0]})})});
        });
        module->register_module("scale", scale);
        module->register_module("user", user);
        const Trace trace = traced(module, vectors());
        QCOMPARE(trace.module->get_submodule("scale")->type()->methods().size(), std::size_t{2});
        QCOMPARE(method_graph(trace, "user", "forward").inputs().size(), std::size_t{3});
        const std::vector<IValue> x = vectors();
        QVERIFY(same(call(trace, x), module->call(x)));
    }

    // What a hook changes is in the trace; what it puts in place of a tensor too.
    void hooks() {
        const ModulePtr module = two();
        module->get_submodule("fc1")->register_forward_hook(
            [](Module&, const std::vector<IValue>&, const IValue& output) {
                return std::optional<IValue>(op("aten::neg", output));
            });
        const Trace trace = traced(module, vectors());
        const std::vector<IValue> x = vectors();
        QVERIFY(same(call(trace, x), module->call(x)));
    }

    void warnings() {
        const ModulePtr module = make("Numbers", [](Module&, std::vector<IValue> x) -> IValue {
            const Scalar sum = OperatorHandle<Scalar>("aten::item")(op("aten::sum", x[0]));
            const std::int64_t rows = OperatorHandle<std::int64_t>("aten::size.int")(x[0], 0);
            const Tensor y = op("aten::mul.Scalar", x[0], sum);
            return op("aten::view", y, Dims{rows * 3});
        });
        const Trace trace = traced(module, vectors());
        QCOMPARE(trace.warnings.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(trace.warnings[0].text),
                 "Converting a tensor to a Python number might cause the trace to be incorrect. We can't record the "
                 "data flow of "
                 "Python values, so this value will be treated as a constant in the future. This means that the trace "
                 "might not "
                 "generalize to other inputs!");
        const Traced run = [&](std::vector<IValue> given) { return module->call(std::move(given)); };
        const auto same_shape = check_trace(trace, run, vectors());
        QCOMPARE(same_shape.size(), std::size_t{2});
        QVERIFY2(QString::fromStdString(same_shape[0]).startsWith("output differs: max abs "), same_shape[0].c_str());
        QVERIFY2(QString::fromStdString(same_shape[1])
                     .startsWith("Graphs differed across invocations! Operator 0 was aten::mul(_, "),
                 same_shape[1].c_str());
        const auto other_shape = check_trace(trace, run, {draw({4, 3})});
        QVERIFY2(QString::fromStdString(other_shape[0]).startsWith("the trace fails where the program does not: "),
                 other_shape[0].c_str());
    }

    void python_uses() {
        const ModulePtr module = make("Branch", [](Module&, std::vector<IValue> x) -> IValue {
            for (int i = 0; i < 2; ++i) notify_python_use(PythonUse::Boolean, x[0].to_tensor());
            return op("aten::relu", x[0]);
        });
        const Trace trace = traced(module, vectors());
        QCOMPARE(trace.warnings.size(), std::size_t{1});
        QVERIFY(trace.warnings[0].text.starts_with("Converting a tensor to a Python boolean might cause"));
    }

    void functions() {
        const Traced square = [](std::vector<IValue> x) -> IValue { return op("aten::mul.Tensor", x[0], x[0]); };
        const Trace trace = trace_function("__torch__.square", square, vectors());
        const std::vector<IValue> x = vectors();
        QVERIFY(same(run_function(*trace.forward, x), square(x)));
        QCOMPARE(QString::fromStdString(trace.forward->schema().str()), "__torch__.square(Tensor x) -> Tensor");
    }

    void refusals() {
        const ModulePtr counts = make("Counts", [](Module&, std::vector<IValue>) -> IValue { return 3; });
        QCOMPARE(
            error_of([&] { traced(counts, vectors()); }),
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions");
        const ModulePtr mixes = make("Mixes", [](Module&, std::vector<IValue> x) -> IValue {
            const auto dict = make_ptr<DictObject>(types::string(), types::any());
            dict->set("a", x[0]);
            dict->set("b", TensorList{x[0].to_tensor()});
            return dict;
        });
        QCOMPARE(
            error_of([&] { traced(mixes, vectors()); }),
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions");
        QVERIFY(error_of([] {
                    trace_module(escape(), {draw({2, 4})}, {.class_name = {}, .argument_names = {}, .strict = true});
                }).startsWith("Encountering a dict at the output of the tracer might cause the trace to be incorrect"));
        const Tensor foreign = draw({3});
        set_requires_grad(foreign, true);
        const ModulePtr uses = make("Uses", [foreign](Module&, std::vector<IValue> x) -> IValue {
            return op("aten::mul.Tensor", x[0], foreign);
        });
        QVERIFY(error_of([&] {
                    traced(uses, vectors());
                }).startsWith("Cannot insert a Tensor that requires grad as a constant. "));
    }

    // A traced graph can be traced again: its calls are told by the interpreter.
    void script_modules() {
        const Trace once = traced(two(), vectors());
        const Trace twice = traced(once.module, vectors());
        QCOMPARE(Canonical(method_graph(twice, ".", "forward")).lines.join('\n'),
                 Canonical(method_graph(once, ".", "forward")).lines.join('\n'));
        QCOMPARE(Canonical(method_graph(twice, "fc1", "forward")).lines.join('\n'),
                 Canonical(method_graph(once, "fc1", "forward")).lines.join('\n'));
    }
};

QTEST_APPLESS_MAIN(TestTracer)
#include "test_tracer.moc"
