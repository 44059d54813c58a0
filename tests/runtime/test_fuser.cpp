// SPDX-License-Identifier: Apache-2.0
// Fused groups give what their operators give one by one, bit for bit: random groups, dtypes, shapes and memory orders,
// with every fuser there is.
#include <QtTest>

#include <cstring>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/ir/parser.h"
#include "core/ops/functions.h"
#include "core/ops/numbers/warnings.h"
#include "core/ops/plugin_loader.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/runtime/fuser.h"
#include "core/runtime/interpreter.h"

using namespace loupe;
using namespace loupe::runtime;

namespace {

std::string bits_of(const Tensor& t) {
    const Tensor plain = fn::contiguous(t, 0);
    return {plain.data<char>(), plain.bytes()};
}

// NaN is NaN, whatever its sign.
bool same_elements(const Tensor& got, const Tensor& want) {
    if (bits_of(got) == bits_of(want)) return true;
    if (!is_floating(got.dtype())) return false;
    const auto wide = [](const Tensor& t) { return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)), 0); };
    const Tensor a = wide(got), b = wide(want);
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = a.data<double>()[i], y = b.data<double>()[i];
        if (std::memcmp(&x, &y, sizeof(x)) != 0 && !(x != x && y != y)) return false;
    }
    return true;
}

// "" when they are the same in dtype, shape, memory order and elements.
std::string difference(const Tensor& got, const Tensor& want) {
    if (got.dtype() != want.dtype()) return concat("dtype ", describe(got), " for ", describe(want));
    if (!std::equal(got.sizes().begin(), got.sizes().end(), want.sizes().begin(), want.sizes().end())) return concat(describe(got), " for ", describe(want));
    if (!std::equal(got.strides().begin(), got.strides().end(), want.strides().begin(), want.strides().end())) return "strides";
    return same_elements(got, want) ? "" : "elements";
}

// One by one, by the portable kernels: no plugin's answers to one operator count here.
std::vector<IValue> run_unfused(const Ptr<ir::Graph>& graph, const std::vector<IValue>& inputs) {
    std::vector<IValue> results(graph->outputs().size());
    FusedGroup(graph).run(inputs, results.data());  // the first call runs the operators
    return results;
}

std::vector<std::string> backends() {
    std::vector<std::string> names;
    for (const FuserBackend& backend : fusers()) {
        if (backend.name != "broken") names.push_back(backend.name);  // of a test
    }
    return names;
}

struct Fused {
    std::vector<IValue> results;
    std::string reason;
    std::vector<FusedKernelText> kernels;
};
// The second call: the kernel's.
Fused run_fused(const Ptr<ir::Graph>& graph, const std::vector<IValue>& inputs, const std::string& backend) {
    FusedGroup group(graph, backend);
    Fused fused;
    fused.results.resize(graph->outputs().size());
    group.run(inputs, fused.results.data());
    group.run(inputs, fused.results.data());
    fused.reason = group.reason();
    fused.kernels = group.kernels();
    return fused;
}

void check(const std::string& text, const std::vector<IValue>& inputs, bool is_fused = true) {
    const Ptr<ir::Graph> graph = ir::parse_graph(text);
    const std::vector<IValue> want = run_unfused(graph, inputs);
    for (const std::string& backend : backends()) {
        Fused fused;
        try {
            fused = run_fused(graph, inputs, backend);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Unsupported && backend != "portable") continue;
            throw;
        }
        QVERIFY2(fused.reason.empty() == is_fused, (backend + ": " + fused.reason + "\n" + text).c_str());
        for (std::size_t i = 0; i < want.size(); ++i) {
            const std::string problem = difference(fused.results[i].to_tensor(), want[i].to_tensor());
            std::string kernels;
            for (const FusedKernelText& kernel : fused.kernels) kernels += kernel.expression + "\n";
            QVERIFY2(problem.empty(), concat(backend, ": output ", i, ": ", problem, "\n", text, "\n", kernels).c_str());
        }
    }
}

// Reductions of narrow dtypes and of rows that do not lie as rows may differ in the last bit.
std::string near(const Tensor& got, const Tensor& want) {
    const std::string problem = difference(got, want);
    if (problem != "elements" || !is_floating(got.dtype())) return problem;
    const double tolerance = got.dtype() == ScalarType::Float64 ? 1e-12 : (got.dtype() == ScalarType::Float32 ? 1e-6 : 1e-2);
    const auto wide = [](const Tensor& t) { return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)), 0); };
    const Tensor a = wide(got), b = wide(want);
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = a.data<double>()[i], y = b.data<double>()[i];
        if (x != y && !(x != x && y != y) && !(std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y)))) return concat("element ", i, ": ", x, " for ", y);
    }
    return {};
}

void check_rows(const std::string& text, const std::vector<IValue>& inputs, int kernels) {
    const Ptr<ir::Graph> graph = ir::parse_graph(text);
    const std::vector<IValue> want = run_unfused(graph, inputs);
    for (const std::string& backend : backends()) {
        Fused fused;
        try {
            fused = run_fused(graph, inputs, backend);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Unsupported && backend != "portable") continue;
            throw;
        }
        QVERIFY2(fused.reason.empty(), (backend + ": " + fused.reason + "\n" + text).c_str());
        if (kernels > 0 && inputs[0].to_tensor().dim() > 1) QCOMPARE(fused.kernels.size(), static_cast<std::size_t>(kernels));
        std::string shown;
        for (const FusedKernelText& kernel : fused.kernels) shown += kernel.expression + "\n" + kernel.program + "\n";
        for (std::size_t i = 0; i < want.size(); ++i) {
            const std::string problem = near(fused.results[i].to_tensor(), want[i].to_tensor());
            QVERIFY2(problem.empty(), concat(backend, ": ", problem, " of ", describe(inputs[0].to_tensor()), "\n", text, "\n", shown).c_str());
        }
    }
}

// A group of pointwise operators in text, drawn.
class Drawing {
  public:
    explicit Drawing(std::uint32_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return random_.engine()() % n; }

    std::string draw(std::size_t inputs, std::size_t steps, bool with_rows = false) {
        std::string body = "  %last : int = prim::Constant[value=-1]()\n  %lasts : int[] = prim::Constant[value=[-1]]()\n  %yes : bool = prim::Constant[value=1]()\n"
                            "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
                           "  %half : float = prim::Constant[value=0.5]()\n  %f32 : int = prim::Constant[value=6]()\n"
                           "  %f64 : int = prim::Constant[value=7]()\n  %bf16 : int = prim::Constant[value=15]()\n"
                           "  %no : bool = prim::Constant[value=0]()\n  %none : NoneType = prim::Constant()\n"
                           "  %slope : float = prim::Constant[value=0.01]()\n  %erf : str = prim::Constant[value=\"none\"]()\n"
                           "  %low : float = prim::Constant[value=-0.75]()\n  %high : float = prim::Constant[value=1.25]()\n";
        std::vector<std::string> values;
        int count = 0;
        std::string header = "graph(";
        for (std::size_t i = 0; i < inputs; ++i) {
            values.push_back(concat("%in", i));
            header += concat(i > 0 ? ", " : "", values.back(), " : Tensor");
        }
        const auto any = [&] { return values[below(values.size())]; };
        const auto add = [&](const std::string& call) {
            values.push_back(concat("%v", count++));
            body += concat("  ", values.back(), " : Tensor = ", call, "\n");
            return values.back();
        };
        constexpr const char* kUnary[] = {"neg", "exp", "tanh", "sigmoid", "relu", "abs", "sqrt", "floor", "sin", "reciprocal", "rsqrt", "erf", "log1p", "silu", "trunc"};
        constexpr const char* kBinary[] = {"mul", "div", "maximum", "minimum"};
        constexpr const char* kCompare[] = {"gt", "le", "eq", "ne"};
        constexpr const char* kRows[] = {"softmax($, %last, %none)", "log_softmax($, %last, %none)", "sum($, %lasts, %yes, %none)", "mean($, %lasts, %yes, %none)",
                                         "amax($, %lasts, %yes)", "amin($, %lasts, %yes)", "var($, %lasts, %yes, %yes)"};
        for (std::size_t i = 0; i < steps; ++i) {
            if (with_rows && below(3) == 0) {
                std::string call = kRows[below(std::size(kRows))];
                call.replace(call.find('$'), 1, any());
                add("aten::" + call);
                continue;
            }
            switch (below(12)) {
                case 0:
                case 1:
                case 2: add(concat("aten::", kUnary[below(std::size(kUnary))], "(", any(), ")")); break;
                case 3: add(concat("aten::add(", any(), ", ", any(), below(2) == 0 ? ", %one)" : ", %two)")); break;
                case 4: add(concat("aten::sub(", any(), ", ", any(), ", %one)")); break;
                case 5: add(concat("aten::", kBinary[below(4)], "(", any(), ", ", any(), ")")); break;
                case 6: add(concat("aten::mul(", any(), ", %half)")); break;
                case 7: add(concat("aten::add(", any(), ", %two, %one)")); break;
                case 8: {
                    const std::string a = any(), b = any();
                    const std::string condition = add(concat("aten::", kCompare[below(4)], "(", any(), ", ", any(), ")"));
                    values.erase(std::find(values.begin(), values.end(), condition));
                    add(concat("aten::where(", condition, ", ", a, ", ", b, ")"));
                    break;
                }
                case 9: add(concat("aten::clamp(", any(), ", %low, %high)")); break;
                case 10: add(concat("aten::to(", any(), ", ", below(2) == 0 ? "%f32" : (below(2) == 0 ? "%f64" : "%bf16"), ", %no, %no, %none)")); break;
                default: add(concat("aten::leaky_relu(", any(), ", %slope)")); break;
            }
        }
        std::string results = values.back();
        if (below(2) == 0 && values.size() > inputs + 1) results += concat(", ", values[inputs + below(values.size() - inputs - 1)]);
        return concat(header, "):\n", body, "  return (", results, ")\n");
    }

    Tensor tensor(ScalarType dtype, std::size_t shape, std::size_t order) {
        static const Dims kShapes[][3] = {{{4, 5, 6}, {5, 6}, {4, 1, 6}}, {{3, 200}, {200}, {3, 1}}, {{2, 3, 8, 8}, {3, 1, 1}, {2, 3, 8, 8}},
                                          {{5000}, {1}, {5000}},          {{7}, {}, {7}},            {{64, 33}, {33}, {64, 33}},
                                          {{}, {}, {1}},                  {{0, 3}, {3}, {1, 3}}};
        const Dims& sizes = kShapes[shape % std::size(kShapes)][below(3)];
        const Tensor plain = random_tensor(random_, span_of(sizes), dtype);
        if (order == 0 || sizes.size() < 2) return plain;
        // The same sizes with the last two dimensions exchanged in memory, or every other element of twice as many.
        const auto rank = static_cast<std::int64_t>(sizes.size());
        if (order == 1) return fn::transpose(fn::contiguous(fn::transpose(plain, rank - 1, rank - 2), 0), rank - 1, rank - 2);
        Dims twice = sizes;
        twice.back() *= 2;
        return fn::slice(random_tensor(random_, span_of(twice), dtype), rank - 1, 0, twice.back(), 2);
    }

  private:
    Random random_;
};

// Some elements become infinite and NaN; of 2 all of the tensor is one element, expanded.
Tensor with_specials(const Tensor& t, std::size_t kind) {
    if (kind == 0 || t.numel() == 0) return t;
    if (kind == 2) {
        Tensor one = t;
        while (one.dim() > 0) one = fn::select(one, 0, 0);
        return fn::expand(one, Dims(t.sizes().begin(), t.sizes().end()));
    }
    if (!is_floating(t.dtype())) return t;
    const Tensor mask = fn::gt_scalar(t, Scalar(0.8)), other = fn::lt_scalar(t, Scalar(-0.9));
    return fn::masked_fill(fn::masked_fill(t, mask, Scalar(std::numeric_limits<double>::infinity())), other, Scalar(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace

class TestFuser : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        if (!qEnvironmentVariableIsSet("LOUPE_TEST_CACHE")) qputenv("XDG_CACHE_HOME", cache_.path().toLocal8Bit());
        for (const PluginStatus& plugin : plugins()) qInfo("%s: %s", plugin.name.c_str(), plugin.loaded ? "loaded" : plugin.reason.c_str());
    }

    // Of LLVM, when it is there: vector code, shown as IR and as assembly.
    void compiled_code_is_shown() {
        if (!has_llvm()) QSKIP("without LLVM");
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::relu(%a)\n  return (%b)\n");
        Random random;
        const Fused fused = run_fused(graph, {random_tensor(random, {100}, ScalarType::Float32), random_tensor(random, {100}, ScalarType::Float32)}, "llvm");
        QCOMPARE(fused.kernels.size(), std::size_t{1});
        const FusedKernelText& text = fused.kernels[0];
        QCOMPARE(text.backend, std::string("llvm"));
        QVERIFY2(text.ir.find(" x float>") != std::string::npos && text.ir.find("define void @fused") != std::string::npos, text.ir.c_str());
        QVERIFY(text.assembly.find("fused:") != std::string::npos);
        QVERIFY(text.compile_seconds > 0);
    }

    void what_fusing_is_worth() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %none : NoneType = prim::Constant()\n  %a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n");
        Random random;
        const FusedGroupMeasure measure = measure_fused_group(graph, {random_tensor(random, {1000}, ScalarType::Float32)}, "portable");
        QCOMPARE(measure.reason, std::string());
        QCOMPARE(measure.kernels.size(), std::size_t{1});
        QVERIFY(measure.fused_seconds > 0 && measure.unfused_seconds > 0);
    }

    // A backend that fails costs nothing but its turn; of one alone it is said.
    void a_backend_that_fails() {
        add_fuser({"broken", [](const FusedExpression&, const std::vector<bool>&, std::string*) -> Ptr<const FusedKernel> {
                       throw Error(ErrorKind::Plugin, "out of order");
                   }});
        const auto graph = ir::parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n");
        Random random;
        const Tensor x = random_tensor(random, {9}, ScalarType::Float32);
        QCOMPARE(run_fused(graph, {x}, "").reason, std::string());
        FusedGroup group(graph, "broken");
        IValue result;
        const std::vector<IValue> inputs{x};
        group.run(inputs, &result);
        try {
            group.run(inputs, &result);
            QFAIL("ran");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Unsupported);
            QVERIFY(std::string(error.what()).find("broken: out of order") != std::string::npos);
        }
        QVERIFY(group.kernels().empty());
    }

    // Another process takes the kernels from the disk; what is damaged there is compiled again.
    void kernels_on_disk() {
        if (!has_llvm()) QSKIP("without LLVM");
        const QTemporaryDir folder;
        const auto run = [&folder] { return run_again(folder.path(), "other_shapes_of_the_same_kind", {}); };
        QVERIFY(run());
        const QDir kernels(folder.path() + "/tensorloupe/kernels");
        const QStringList files = kernels.entryList(QDir::Files);
        QVERIFY(!files.isEmpty());
        const auto contents = [&](const QString& name) {
            QFile file(kernels.filePath(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto overwrite = [&](const QString& name, const QByteArray& bytes) {
            QFile file(kernels.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        };
        const QByteArray good = contents(files[0]);
        QByteArray changed = good;
        changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] ^ 1);
        for (const QByteArray& damaged : {QByteArray(), good.left(good.size() / 2), QByteArray(10, 'x'), changed}) {
            overwrite(files[0], damaged);
            QVERIFY(run());
            QVERIFY(contents(files[0]).size() == good.size());
        }
    }

    // The cache stays within its bounds; a kernel that finds no place is none the worse.
    void kernels_on_disk_are_bounded() {
        if (!has_llvm()) QSKIP("without LLVM");
        const QTemporaryDir folder;
        QVERIFY(run_again(folder.path(), "other_shapes_of_the_same_kind", {{"TENSORLOUPE_KERNEL_CACHE_MB", "1"}}));
        const QDir kernels(folder.path() + "/tensorloupe/kernels");
        const qsizetype count = kernels.entryList(QDir::Files).size();
        QVERIFY(count > 0);
        // Files of before that are older go first.
        QFile old(kernels.filePath("old.o"));
        QVERIFY(old.open(QIODevice::WriteOnly) && old.write(QByteArray(2 << 20, 'x')) == 2 << 20);
        QVERIFY(old.setFileTime(QDateTime::currentDateTime().addDays(-1), QFileDevice::FileModificationTime));
        old.close();
        QVERIFY(run_again(folder.path(), "what_fusing_is_worth_compiled", {{"TENSORLOUPE_KERNEL_CACHE_MB", "1"}}));
        QVERIFY(!old.exists());
        QVERIFY(kernels.entryList(QDir::Files).size() > count);
        QVERIFY(run_again(folder.path(), "a_tensor_given_twice", {{"TENSORLOUPE_KERNEL_CACHE_MB", "0"}}));
        QVERIFY(kernels.entryList(QDir::Files).isEmpty());
    }

    void what_fusing_is_worth_compiled() {
        if (!has_llvm()) QSKIP("without LLVM");
        const auto graph = ir::parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::abs(%x)\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n");
        Random random;
        QCOMPARE(measure_fused_group(graph, {random_tensor(random, {1000}, ScalarType::Float32)}, "llvm").kernels.size(), std::size_t{1});
    }

    void two_processes_at_once() {
        if (!has_llvm()) QSKIP("without LLVM");
        const QTemporaryDir folder;
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 3; ++i) processes.push_back(start_again(folder.path(), "other_shapes_of_the_same_kind", {}));
        for (const auto& process : processes) QVERIFY(has_passed(*process));
        // What they left is whole.
        QVERIFY(run_again(folder.path(), "no_warnings", {{"LOUPE_TEST_WARNINGS", "none"}}));
    }

    void damaged_kernels_are_told() {
        if (!has_llvm()) QSKIP("without LLVM");
        const QTemporaryDir folder;
        QVERIFY(run_again(folder.path(), "other_shapes_of_the_same_kind", {}));
        const QDir kernels(folder.path() + "/tensorloupe/kernels");
        for (const QString& name : kernels.entryList(QDir::Files)) {
            QFile file(kernels.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("damaged") == 7);
        }
        QVERIFY(run_again(folder.path(), "no_warnings", {{"LOUPE_TEST_WARNINGS", "some"}}));
        QVERIFY(run_again(folder.path(), "no_warnings", {{"LOUPE_TEST_WARNINGS", "none"}}));
    }

    // In a process of its own.
    void no_warnings() {
        const QByteArray expected = qgetenv("LOUPE_TEST_WARNINGS");
        if (expected.isEmpty()) QSKIP("run by others");
        std::vector<std::string> told;
        set_warning_handler([&](std::string_view, std::string_view message) { told.emplace_back(message); });
        other_shapes_of_the_same_kind();
        set_warning_handler(nullptr);
        QCOMPARE(told.empty(), expected == "none");
        for (const std::string& line : told) QVERIFY2(line.find("is damaged") != std::string::npos, line.c_str());
    }

    void text_of_an_expression() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %one : int = prim::Constant[value=1]()\n  %a : Tensor = aten::mul(%x, %y)\n"
            "  %b : Tensor = aten::tanh(%a)\n  %c : Tensor = aten::add(%b, %one, %one)\n  return (%c)\n");
        Random random;
        const std::vector<IValue> inputs{random_tensor(random, {4, 5}, ScalarType::Float32), random_tensor(random, {5}, ScalarType::Float32)};
        const Fused fused = run_fused(graph, inputs, "portable");
        QCOMPARE(fused.reason, std::string());
        QCOMPARE(fused.kernels.size(), std::size_t{1});
        QCOMPARE(fused.kernels[0].expression, std::string("%0: float32\n%1: float32\n%2: float32 = Mul(%0, %1)\n%3: float32 = Tanh(%2)\n"
                                                          "%4: float32 = Add(%3, 1 as float32)\nreturn %4"));
    }

    void random_groups_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 300; ++seed) QTest::addRow("%d", seed) << seed;
    }
    void random_groups() {
        QFETCH(int, seed);
        Drawing drawing(static_cast<std::uint32_t>(seed) + 1000);
        constexpr ScalarType kTypes[] = {ScalarType::Float32, ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Float16};
        const std::size_t inputs = 1 + drawing.below(3);
        const std::size_t shape = drawing.below(8);
        const std::string text = drawing.draw(inputs, 2 + drawing.below(9));
        const ScalarType dtype = kTypes[drawing.below(std::size(kTypes))];
        std::vector<IValue> tensors;
        for (std::size_t i = 0; i < inputs; ++i) {
            const bool is_other = drawing.below(5) == 0;
            tensors.emplace_back(drawing.tensor(is_other ? kTypes[drawing.below(std::size(kTypes))] : dtype, shape, drawing.below(3)));
        }
        const auto is_empty = [](const IValue& t) { return t.to_tensor().numel() == 0; };
        // A number that a comparison of 16-bit tensors rounds first, and results that stay as they were, need no kernel.
        const Ptr<ir::Graph> graph = ir::parse_graph(text);
        FusedGroup group(graph);
        std::vector<IValue> results(graph->outputs().size());
        group.run(tensors, results.data());
        group.run(tensors, results.data());
        const bool is_fused = group.reason().empty();
        if (!is_fused) QVERIFY2(std::any_of(tensors.begin(), tensors.end(), is_empty) || group.reason().find("looks at a tensor of []") != std::string::npos, group.reason().c_str());
        check(text, tensors, is_fused);
    }

    // Pointwise operators and reductions in any order; infinities, NaN, integers, truth values, empty and 0-dimensional
    // tensors, expanded and transposed ones; the operators' own errors.
    void random_rows_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 200; ++seed) QTest::addRow("%d", seed) << seed;
    }
    void random_rows() {
        QFETCH(int, seed);
        Drawing drawing(static_cast<std::uint32_t>(seed) + 5000);
        constexpr ScalarType kTypes[] = {ScalarType::Float32, ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Float16,
                                         ScalarType::Int64,   ScalarType::Int32,   ScalarType::UInt8,   ScalarType::Bool};
        const std::size_t inputs = 1 + drawing.below(3);
        const std::size_t shape = drawing.below(8);
        const std::string text = drawing.draw(inputs, 2 + drawing.below(7), true);
        const ScalarType dtype = kTypes[drawing.below(std::size(kTypes))];
        std::vector<IValue> tensors;
        for (std::size_t i = 0; i < inputs; ++i) {
            const ScalarType own = drawing.below(5) == 0 ? kTypes[drawing.below(std::size(kTypes))] : dtype;
            tensors.emplace_back(with_specials(drawing.tensor(own, shape, drawing.below(3)), drawing.below(3)));
        }
        set_thread_count(1 + static_cast<int>(drawing.below(2)));
        const Ptr<ir::Graph> graph = ir::parse_graph(text);
        std::vector<IValue> want(graph->outputs().size());
        std::string error;
        try {
            FusedGroup(graph).run(tensors, want.data());
        } catch (const Error& problem) {
            error = problem.message();
        }
        for (const std::string& backend : backends()) {
            FusedGroup group(graph, backend);
            std::vector<IValue> got(want.size());
            try {
                for (int time = 0; time < 2; ++time) group.run(tensors, got.data());
            } catch (const Error& problem) {
                if (problem.kind() == ErrorKind::Unsupported && backend != "portable") continue;
                QCOMPARE(problem.message(), error);
                continue;
            }
            QCOMPARE(error, std::string());
            std::string shown;
            for (const FusedKernelText& kernel : group.kernels()) shown += kernel.expression + "\n" + kernel.program + "\n";
            for (std::size_t i = 0; i < want.size(); ++i) {
                const std::string problem = near(got[i].to_tensor(), want[i].to_tensor());
                QVERIFY2(problem.empty(), concat(backend, ": ", problem, " of ", describe(tensors[0].to_tensor()), "\n", text, "\n", shown).c_str());
            }
        }
        set_thread_count(0);
    }

    void other_shapes_of_the_same_kind() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  return (%b)\n");
        Random random;
        for (const std::string& backend : backends()) {
            FusedGroup group(graph, backend);
            for (const std::int64_t n : {3, 40, 7, 3, 1000, 0, 1, 100000}) {
                const Tensor x = random_tensor(random, {2, n}, ScalarType::Float32);
                const Tensor y = random_tensor(random, {n}, ScalarType::Float32);
                IValue result;
                const std::vector<IValue> inputs{x, y};
                group.run(inputs, &result);
                QCOMPARE(difference(result.to_tensor(), fn::exp(fn::mul(x, y))), std::string());
            }
            QCOMPARE(group.reason(), std::string());
        }
    }

    // So many elements that kernels write past the caches, two results of them.
    void many_elements() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  %c : Tensor = aten::gt(%b, %x)\n"
            "  return (%b, %c)\n");
        Random random;
        const Tensor x = random_tensor(random, {4500001}, ScalarType::Float32), y = random_tensor(random, {4500001}, ScalarType::Float32);
        const std::vector<IValue> inputs{fn::slice(x, 0, 3, 4500001, 1), fn::slice(y, 0, 0, 4499998, 1)};
        const std::vector<IValue> want = run_unfused(graph, inputs);
        for (const std::string& backend : backends()) {
            const Fused fused = run_fused(graph, inputs, backend);
            for (std::size_t i = 0; i < 2; ++i) QCOMPARE(difference(fused.results[i].to_tensor(), want[i].to_tensor()), std::string());
        }
    }

    void a_tensor_given_twice() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  return (%b)\n");
        Random random;
        FusedGroup group(graph);
        const Tensor x = random_tensor(random, {9}, ScalarType::Float32), y = random_tensor(random, {9}, ScalarType::Float32);
        for (const Tensor& second : {x, y, x, y}) {
            IValue result;
            const std::vector<IValue> inputs{x, second};
            group.run(inputs, &result);
            QCOMPARE(difference(result.to_tensor(), fn::exp(fn::mul(x, second))), std::string());
        }
    }

    // Not computed again for each of the elements that it is broadcast to.
    void what_is_smaller_is_computed_once() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::exp(%y)\n  %b : Tensor = aten::tanh(%a)\n"
            "  %c : Tensor = aten::mul(%x, %b)\n  %d : Tensor = aten::relu(%c)\n  return (%d)\n");
        Random random;
        const Fused fused = run_fused(graph, {random_tensor(random, {30, 50}, ScalarType::Float32), random_tensor(random, {50}, ScalarType::Float32)}, "portable");
        QCOMPARE(fused.kernels.size(), std::size_t{2});
    }

    void numbers_are_part_of_the_key() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %k : float):\n  %a : Tensor = aten::mul(%x, %k)\n  %b : Tensor = aten::exp(%a)\n  return (%b)\n");
        Random random;
        FusedGroup group(graph);
        const Tensor x = random_tensor(random, {9}, ScalarType::Float32);
        for (const double k : {0.5, 2.0, 0.5, 2.0}) {
            IValue result;
            const std::vector<IValue> inputs{x, k};
            group.run(inputs, &result);
            QCOMPARE(difference(result.to_tensor(), fn::exp(fn::mul_scalar(x, Scalar(k)))), std::string());
        }
        QCOMPARE(group.reason(), std::string());
        for (int i = 0; i < 100; ++i) {
            IValue result;
            const std::vector<IValue> inputs{x, 0.01 * i};
            group.run(inputs, &result);
            QCOMPARE(difference(result.to_tensor(), fn::exp(fn::mul_scalar(x, Scalar(0.01 * i)))), std::string());
        }
    }

    void what_is_no_loop_is_declined() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %none : NoneType = prim::Constant()\n  %zero : int = prim::Constant[value=0]()\n  %a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::cumsum(%a, %zero, %none)\n  return (%b)\n");
        Random random;
        const Fused fused = run_fused(graph, {random_tensor(random, {9}, ScalarType::Float32)}, "portable");
        QCOMPARE(fused.reason, std::string("aten::cumsum is not made of elementwise loops"));
    }

    // Two results of other shapes that share a number: each has its own loop.
    void shapes_that_do_not_meet() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor, %z : Tensor):\n  %a : Tensor = aten::neg(%z)\n  %b : Tensor = aten::mul(%x, %a)\n"
            "  %c : Tensor = aten::mul(%y, %a)\n  %d : Tensor = aten::exp(%b)\n  return (%c, %d)\n");
        Random random;
        const std::vector<std::array<std::int64_t, 2>> kSizes{{5, 6}, {6, 5}, {7, 7}, {5, 6}};
        for (const std::string& backend : backends()) {
            FusedGroup group(graph, backend);
            for (const auto& [n, m] : kSizes) {
                const std::vector<IValue> inputs{random_tensor(random, {n}, ScalarType::Float32), random_tensor(random, {m}, ScalarType::Float32),
                                                 random_tensor(random, {}, ScalarType::Float32)};
                const std::vector<IValue> want = run_unfused(graph, inputs);
                std::vector<IValue> got(2);
                group.run(inputs, got.data());
                for (std::size_t i = 0; i < 2; ++i) QCOMPARE(difference(got[i].to_tensor(), want[i].to_tensor()), std::string());
            }
            QCOMPARE(group.reason(), std::string());
        }
    }

    // Rows: reductions and what goes before and after, in one loop.
    void rows_data() {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<int>("kernels");
        const auto row = [](const char* name, const char* body, int kernels = 1) { QTest::newRow(name) << std::string(body) << kernels; };
        row("softmax of scores", "  %a : Tensor = aten::mul(%x, %half)\n  %b : Tensor = aten::add(%a, %m, %one)\n  %r : Tensor = aten::softmax(%b, %last, %none)\n");
        row("log_softmax", "  %a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::log_softmax(%a, %last, %none)\n  %r : Tensor = aten::mul(%b, %half)\n");
        row("residual and layer_norm", "  %a : Tensor = aten::add(%x, %y, %one)\n  %n : Tensor = aten::layer_norm(%a, %shape, %w, %v, %eps, %yes)\n  %r : Tensor = aten::relu(%n)\n");
        row("layer_norm without weight", "  %a : Tensor = aten::add(%x, %y, %one)\n  %r : Tensor = aten::layer_norm(%a, %shape, %none, %none, %eps, %yes)\n");
        row("rms", "  %s : Tensor = aten::mul(%x, %x)\n  %q : Tensor = aten::mean(%s, %lasts, %yes, %none)\n  %e : Tensor = aten::add(%q, %eps, %one)\n"
                   "  %i : Tensor = aten::rsqrt(%e)\n  %k : Tensor = aten::mul(%x, %i)\n  %r : Tensor = aten::mul(%k, %w)\n");
        row("dropped and kept", "  %s : Tensor = aten::exp(%x)\n  %q : Tensor = aten::sum(%s, %lasts, %no, %none)\n  %r : Tensor = aten::log(%q)\n");
        row("variance", "  %s : Tensor = aten::add(%x, %y, %one)\n  %q : Tensor = aten::var(%s, %lasts, %yes, %yes)\n  %m2 : Tensor = aten::mean(%s, %lasts, %yes, %none)\n"
                        "  %c : Tensor = aten::sub(%s, %m2, %one)\n  %r : Tensor = aten::div(%c, %q)\n");
        row("extremes", "  %s : Tensor = aten::neg(%x)\n  %q : Tensor = aten::amax(%s, %lasts, %yes)\n  %p : Tensor = aten::amin(%s, %lasts, %yes)\n"
                        "  %d : Tensor = aten::sub(%q, %p, %one)\n  %r : Tensor = aten::div(%s, %d)\n");
        row("argmax", "  %s : Tensor = aten::neg(%x)\n  %r : Tensor = aten::argmax(%s, %last, %no)\n");
        row("two sums", "  %s : Tensor = aten::exp(%x)\n  %q : Tensor = aten::sum(%s, %lasts, %no, %none)\n  %k : Tensor = aten::sum(%s, %lasts, %yes, %none)\n"
                        "  %f : Tensor = aten::div(%s, %k)\n  %g : Tensor = aten::sum(%f, %lasts, %no, %none)\n  %r : Tensor = aten::sub(%g, %q, %one)\n");
        row("softmax backward", "  %d : Tensor = aten::_softmax_backward_data(%y, %x, %last, %dtype)\n  %r : Tensor = aten::mul(%d, %half)\n");
        row("log_softmax backward", "  %t : Tensor = aten::mul(%y, %half)\n  %r : Tensor = aten::_log_softmax_backward_data(%t, %x, %last, %dtype)\n");
        row("dropped row meets columns", "  %s : Tensor = aten::exp(%x)\n  %q : Tensor = aten::sum(%s, %lasts, %no, %none)\n  %r : Tensor = aten::mul(%s, %q)\n", -1);
        row("any", "  %s : Tensor = aten::gt(%x, %y)\n  %q : Tensor = aten::any(%s, %last, %yes)\n  %r : Tensor = aten::where(%q, %x, %y)\n");
    }
    void rows() {
        QFETCH(std::string, body);
        QFETCH(int, kernels);
        Random random;
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Float16}) {
            const std::string text = concat(
                "graph(%x : Tensor, %y : Tensor, %m : Tensor, %w : Tensor, %v : Tensor):\n  %one : int = prim::Constant[value=1]()\n"
                "  %half : float = prim::Constant[value=0.5]()\n  %last : int = prim::Constant[value=-1]()\n  %none : NoneType = prim::Constant()\n"
                "  %yes : bool = prim::Constant[value=1]()\n  %no : bool = prim::Constant[value=0]()\n  %eps : float = prim::Constant[value=1e-05]()\n"
                "  %shape : int[] = prim::Constant[value=[40]]()\n  %lasts : int[] = prim::Constant[value=[-1]]()\n"
                "  %dtype : int = prim::Constant[value=", static_cast<int>(dtype), "]()\n", body, "  return (%r)\n");
            const auto draw = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
            const auto turned = [&](std::int64_t a, std::int64_t b, std::int64_t c) { return fn::transpose(random_tensor(random, {a, c, b}, dtype), 1, 2); };
            const std::vector<std::vector<IValue>> kInputs{
                {draw({3, 5, 40}), draw({3, 5, 40}), draw({5, 40}), draw({40}), draw({40})},
                {draw({40, 40}), draw({40, 40}), draw({1, 40}), draw({40}), draw({40})},
                {turned(3, 5, 40), turned(3, 5, 40), draw({3, 5, 1}), draw({40}), draw({40})},
                {draw({40}), draw({40}), draw({}), draw({40}), draw({40})},
                {fn::expand(draw({3, 1, 40}), Dims{3, 5, 40}), draw({3, 5, 40}), draw({3, 1, 1}), draw({40}), draw({40})},
            };
            for (const std::vector<IValue>& inputs : kInputs) {
                if (kernels < 0 && inputs[0].to_tensor().dim() == 3) continue;
                check_rows(text, inputs, kernels);
            }
        }
    }

    void rows_of_other_lengths() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %last : int = prim::Constant[value=-1]()\n  %none : NoneType = prim::Constant()\n  %a : Tensor = aten::exp(%x)\n"
            "  %r : Tensor = aten::softmax(%a, %last, %none)\n  return (%r)\n");
        Random random;
        for (const std::string backend : {"portable", ""}) {
            FusedGroup group(graph, backend);
            for (const std::int64_t n : {3, 40, 7, 1, 1000, 20000}) {
                const std::vector<IValue> inputs{random_tensor(random, {9, n}, ScalarType::Float32)};
                IValue got;
                group.run(inputs, &got);
                QCOMPARE(difference(got.to_tensor(), run_unfused(graph, inputs)[0].to_tensor()), std::string());
            }
            QCOMPARE(group.reason(), std::string());
        }
    }

    void few_long_rows_are_left_to_the_operators() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %last : int[] = prim::Constant[value=[-1]]()\n  %none : NoneType = prim::Constant()\n  %no : bool = prim::Constant[value=0]()\n"
            "  %a : Tensor = aten::exp(%x)\n  %r : Tensor = aten::sum(%a, %last, %no, %none)\n  return (%r)\n");
        set_thread_count(2);
        Random random;
        const Fused fused = run_fused(graph, {random_tensor(random, {2, 100000}, ScalarType::Float32)}, "portable");
        set_thread_count(0);
        QCOMPARE(fused.reason, std::string("2 rows of 100000 elements are too few to share"));
    }

    void errors_are_the_operators() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  return (%b)\n");
        Random random;
        FusedGroup group(graph);
        const auto run = [&](std::int64_t n) {
            IValue result;
            const std::vector<IValue> inputs{random_tensor(random, {4}, ScalarType::Float32), random_tensor(random, {n}, ScalarType::Float32)};
            group.run(inputs, &result);
        };
        QVERIFY_THROWS_EXCEPTION(Error, run(3));
        run(4);
        run(4);
        QVERIFY_THROWS_EXCEPTION(Error, run(3));
        run(4);
        QCOMPARE(group.reason(), std::string());
    }

  private:
    static std::unique_ptr<QProcess> start_again(const QString& cache, const QString& test, const std::vector<std::pair<QString, QString>>& variables) {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_CACHE_HOME", cache);
        environment.insert("LOUPE_TEST_CACHE", "1");
        for (const auto& [name, value] : variables) environment.insert(name, value);
        process->setProcessEnvironment(environment);
        process->start(QCoreApplication::applicationFilePath(), {test});
        return process;
    }
    static bool has_passed(QProcess& process) {
        return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    }
    static bool run_again(const QString& cache, const QString& test, const std::vector<std::pair<QString, QString>>& variables) {
        return has_passed(*start_again(cache, test, variables));
    }
    static bool has_llvm() {
        const auto names = backends();
        return std::find(names.begin(), names.end(), "llvm") != names.end();
    }
    QTemporaryDir cache_;
};

QTEST_GUILESS_MAIN(TestFuser)
#include "test_fuser.moc"
