// SPDX-License-Identifier: Apache-2.0
// Planned programs against the interpreter: the same numbers, bit for bit, on inputs that the program has not seen; no
// allocation once it has settled; results that stay what they are.
#include <QtTest>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/ir/parser.h"
#include "core/nn/module.h"
#include "core/passes/graph_breaks.h"
#include "core/passes/pass_list.h"
#include "core/passes/pass_manager.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/planned/static_group.h"
#include "core/tensor/allocation_observers.h"
#include "tests/passes/random_graph.h"

namespace {

std::atomic<std::size_t> news{0};
thread_local bool counts_news = false;

}  // namespace

// The program's own allocations are counted too.
void* operator new(std::size_t size) {
    if (counts_news) ++news;
    if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

using namespace loupe;
using namespace loupe::runtime;

namespace {

const std::filesystem::path kFixtures = std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/fixtures";

class AllocationCounter final : public AllocationObserver {
  public:
    void on_allocation(const AllocationEvent& event) noexcept override {
        if (!event.is_free) ++count_;
    }
    std::size_t count() const { return count_; }

  private:
    std::atomic<std::size_t> count_{0};
    AllocationObserverScope observing_{*this};
};

class ByteCounter final : public AllocationObserver {
  public:
    void on_allocation(const AllocationEvent& event) noexcept override {
        now_ += event.is_free ? -static_cast<std::int64_t>(event.bytes) : static_cast<std::int64_t>(event.bytes);
    }
    std::int64_t now() const { return now_; }

  private:
    std::atomic<std::int64_t> now_{0};
    AllocationObserverScope observing_{*this};
};

struct Case {
    std::string name;
    std::string file;
    std::string method;
};

// Those that run in eval mode.
std::vector<Case> cases() {
    const QByteArray bytes = QByteArray::fromStdString(read_text_file(kFixtures / "models/index.json"));
    std::vector<Case> all;
    for (const QJsonValue& value : QJsonDocument::fromJson(bytes).array()) {
        const QJsonObject object = value.toObject();
        if (object["mode"].toString() == "train" || object.contains("error")) continue;
        all.push_back({object["name"].toString().toStdString(), object["file"].toString().toStdString(),
                       object["method"].toString().toStdString()});
    }
    return all;
}

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

// The same shapes, other numbers. Integers may be indices and stay in range.
IValue changed(const IValue& value, int round) {
    if (value.is_list()) {
        const auto list = make_ptr<ListObject>(value.to_list().element_type, std::vector<IValue>());
        for (const IValue& element : value.to_list().elements) list->elements.push_back(changed(element, round));
        return list;
    }
    if (!value.is_tensor() || !value.to_tensor().defined()) return value;
    const Tensor t = value.to_tensor();
    if (is_floating(t.dtype())) return fn::mul_scalar(t, Scalar(1.0 + 0.25 * round));
    if (t.dtype() == ScalarType::Bool || t.dim() == 0) return t;
    return round % 2 == 0 ? t : fn::flip(t, std::vector<std::int64_t>{t.dim() - 1});
}

bool same_bits(const Tensor& a, const Tensor& b) {
    if (describe(a) != describe(b)) return false;
    if (!a.defined() || a.numel() == 0) return true;
    const Tensor x = fn::contiguous(a);
    const Tensor y = fn::contiguous(b);
    return std::memcmp(x.raw_data(), y.raw_data(), x.bytes()) == 0;
}

std::vector<Tensor> tensors_of(const std::vector<IValue>& values) {
    std::vector<Tensor> all;
    for (const IValue& value : values) visit_tensors(value, [&](const Tensor& t) { all.push_back(t); });
    return all;
}

void compare(const std::vector<IValue>& actual, const std::vector<IValue>& expected, const char* what) {
    const auto x = tensors_of(actual);
    const auto y = tensors_of(expected);
    QVERIFY2(x.size() == y.size(), what);
    for (std::size_t i = 0; i < x.size(); ++i) {
        QVERIFY2(same_bits(x[i], y[i]), qPrintable(QString("%1: result %2, %3 for %4")
                                                       .arg(what)
                                                       .arg(i)
                                                       .arg(describe(x[i]).c_str(), describe(y[i]).c_str())));
    }
}

Ptr<ir::Graph> parsed(const std::string& text) { return ir::parse_graph(text); }

Ptr<ir::Graph> planned(const Ptr<ir::Graph>& graph) {
    const Ptr<ir::Graph> copy = graph->copy();
    passes::kFuseStaticSubgraphs.run(*copy, {});
    return copy;
}

Tensor drawn(std::initializer_list<std::int64_t> sizes, double from = -1) {
    Tensor t = fn::arange(Scalar(static_cast<double>(checked_numel(IntSpan(sizes.begin(), sizes.size())))));
    t = fn::sin(fn::add_scalar(fn::mul_scalar(t, Scalar(0.7)), Scalar(from)));
    return fn::reshape(t, std::vector<std::int64_t>(sizes));
}

// No two buffers that are needed at the same step share a byte.
void check_plan(const ProgramPlan& plan) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const PlannedBuffer& a = plan.buffers[i];
        if (a.use == PlannedBuffer::Use::Result) continue;
        QVERIFY(a.offset + a.bytes <= plan.arena_bytes);
        for (std::size_t j = 0; j < i; ++j) {
            const PlannedBuffer& b = plan.buffers[j];
            if (b.use == PlannedBuffer::Use::Result || a.first > b.last || b.first > a.last) continue;
            if (a.takes_over == j) continue;  // in place: they meet at the step that reads one and writes the other
            const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
            QVERIFY2(apart, qPrintable(QString("buffers %1 and %2").arg(i).arg(j)));
        }
    }
}

constexpr const char* kChain =
    "graph(%x : Tensor, %w : Tensor):\n"
    "  %one : int = prim::Constant[value=1]()\n"
    "  %y : Tensor = aten::mul(%x, %w)\n"
    "  %z : Tensor = aten::relu(%y)\n"
    "  %a : Tensor = aten::add(%z, %x, %one)\n"
    "  %b : Tensor = aten::sigmoid(%a)\n"
    "  %c : Tensor = aten::mm(%b, %w)\n"
    "  return (%c)\n";

}  // namespace

class TestStaticProgram : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(!load_plugins_from(LOUPE_BINARY_DIR "/lib/plugins").empty()); }

    void modelsGiveTheSame_data() {
        QTest::addColumn<int>("index");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i) QTest::addRow("%s", all[i].name.c_str()) << static_cast<int>(i);
    }
    void modelsGiveTheSame() {
        QFETCH(int, index);
        const Case c = cases()[static_cast<std::size_t>(index)];
        try {
            const GradModeScope no_grad(false);
            // Two of them, for some change themselves.
            const ModelFile files[] = {open_model(kFixtures / "models" / c.file),
                                       open_model(kFixtures / "models" / c.file)};
            Ptr<ir::Graph> graphs[2];
            for (int k = 0; k < 2; ++k) {
                files[k].module->eval();
                const auto* method =
                    dynamic_cast<const ir::ScriptFunction*>(files[k].module->type()->find_method(c.method));
                graphs[k] = method->graph()->copy();
                passes::PassManager().run(*graphs[k], passes::pipeline_of("inference"), {files[k].module});
            }
            const Ptr<ir::Graph> graph = graphs[0];
            const auto plain = Code::make(graph, "");
            const auto code = Code::make(planned(graphs[1]), "");
            std::vector<IValue> given = read_arguments(c.name);
            const bool takes_self = given.size() < graph->inputs().size();
            const auto with_self = [&](std::vector<IValue> inputs, int k) {
                if (takes_self) inputs.insert(inputs.begin(), IValue(Ptr<Object>(files[k].module)));
                return inputs;
            };
            bool is_random = false;
            for (const ir::Node* node : graph->nodes()) is_random = is_random || node->is_random();
            if (is_random) QSKIP("random");
            for (int round = 0; round < 7; ++round) {
                std::vector<IValue> inputs;
                for (const IValue& value : given) inputs.push_back(changed(value, round));
                std::vector<IValue> expected;
                try {
                    expected = run_code(*plain, with_self(inputs, 0));
                } catch (const Error&) {
                    QVERIFY_THROWS_EXCEPTION(Error, run_code(*code, with_self(inputs, 1)));
                    continue;
                }
                compare(run_code(*code, with_self(inputs, 1)), expected, qPrintable(QString("round %1").arg(round)));
                if (QTest::currentTestFailed()) return;
            }
            std::size_t programs = 0;
            for (const StaticGroupPlace& place : static_groups(*code)) {
                if (!place.group->refusal().empty()) qInfo("runs as before: %s", place.group->refusal().c_str());
                if (place.group->program() == nullptr) continue;
                ++programs;
                check_plan(place.group->program()->plan());
            }
            if (programs == 0) QSKIP("no program");
            std::vector<IValue> inputs;
            for (const IValue& value : given) inputs.push_back(changed(value, 1));
            for (int i = 0; i < 3; ++i) run_code(*code, with_self(inputs, 1));
            if (!passes::find_graph_breaks(*graph).empty()) return;
            for (const StaticGroupPlace& place : static_groups(*code)) {
                if (place.group->program() == nullptr) return;
            }
            const AllocationCounter counter;
            for (int i = 0; i < 5; ++i) run_code(*code, with_self(inputs, 1));
            QCOMPARE(counter.count(), std::size_t{0});
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }

    void randomGraphsGiveTheSame() {
        const GradModeScope no_grad(false);
        std::size_t programs = 0;
        for (std::uint32_t seed = 1; seed <= 150; ++seed) {
            const test::RandomGraph random(seed);
            const Ptr<ir::Graph> graph = parsed(random.text());
            const auto plain = Code::make(graph, "");
            const auto code = Code::make(planned(graph), "");
            for (int round = 0; round < 7; ++round) {
                const auto inputs = [&] {
                    return std::vector<IValue>{drawn({4, 4}, round), drawn({4, 4}, 3 - round), drawn({4}, round),
                                               round % 2 == 0, 2};
                };
                std::vector<IValue> expected;
                try {
                    expected = run_code(*plain, inputs());
                } catch (const Error&) {
                    continue;
                }
                const std::vector<IValue> actual = run_code(*code, inputs());
                compare(actual, expected,
                        qPrintable(QString("seed %1 round %2\n%3").arg(seed).arg(round).arg(random.text().c_str())));
                if (QTest::currentTestFailed()) return;
            }
            for (const StaticGroupPlace& place : static_groups(*code)) {
                if (place.group->program() == nullptr) continue;
                ++programs;
                check_plan(place.group->program()->plan());
                if (QTest::currentTestFailed()) return;
            }
        }
        QVERIFY2(programs > 100, qPrintable(QString::number(programs)));
    }

    // Not one, of tensors or anything else, when the caller keeps no result.
    void steadyStateAllocatesNothing() {
        const GradModeScope no_grad(false);
        set_thread_count(1);
        const StaticGroup group(Code::make(parsed(kChain), ""));
        auto& run = const_cast<StaticGroup&>(group);
        const std::vector<IValue> inputs{drawn({16, 16}), drawn({16, 16}, 2)};
        std::vector<IValue> outputs(1);
        for (int i = 0; i < 5; ++i) {
            outputs[0] = IValue();
            run.run(inputs, outputs.data());
        }
        QVERIFY(group.program() != nullptr);
        QCOMPARE(group.program()->unplanned(), std::size_t{0});
        outputs[0] = IValue();
        news = 0;
        {
            const AllocationCounter counter;
            counts_news = true;
            for (int i = 0; i < 10; ++i) {
                outputs[0] = IValue();
                run.run(inputs, outputs.data());
            }
            counts_news = false;
            QCOMPARE(counter.count(), std::size_t{0});
        }
        QCOMPARE(news.load(), std::size_t{0});
        const std::vector<IValue> expected = run_code(group.code(), inputs);
        compare(outputs, expected, "after");
        set_thread_count(0);
    }

    // A caller's result is its own, however often the program runs.
    void resultsStay() {
        const GradModeScope no_grad(false);
        StaticGroup group(Code::make(parsed(kChain), ""));
        std::vector<std::vector<IValue>> kept;
        std::vector<std::vector<IValue>> expected;
        for (int i = 0; i < 12; ++i) {
            const std::vector<IValue> inputs{drawn({8, 8}, i), drawn({8, 8}, 2 * i)};
            kept.emplace_back(1);
            group.run(inputs, kept.back().data());
            expected.push_back(run_code(group.code(), inputs));
        }
        for (std::size_t i = 0; i < kept.size(); ++i) compare(kept[i], expected[i], "kept");
    }

    void everyShapeHasItsProgram() {
        const GradModeScope no_grad(false);
        StaticGroup group(Code::make(parsed(kChain), ""));
        for (int round = 0; round < 4; ++round) {
            for (const std::int64_t n : {4, 7, 16}) {
                const std::vector<IValue> inputs{drawn({n, n}, round), drawn({n, n}, n)};
                std::vector<IValue> outputs(1);
                group.run(inputs, outputs.data());
                compare(outputs, run_code(group.code(), inputs), "shape");
            }
        }
        QCOMPARE(group.program_count(), std::size_t{3});
    }

    // An operator whose input dies writes where that lies.
    void writesInPlace() {
        const GradModeScope no_grad(false);
        const Ptr<ir::Graph> graph = parsed(
            "graph(%x : Tensor, %w : Tensor):\n"
            "  %a : Tensor = aten::mm(%x, %w)\n  %b : Tensor = aten::relu(%a)\n  %c : Tensor = aten::sigmoid(%b)\n"
            "  %d : Tensor = aten::mm(%c, %w)\n  return (%d)\n");
        StaticGroup group(Code::make(graph, ""));
        const std::vector<IValue> inputs{drawn({32, 32}), drawn({32, 32}, 2)};
        std::vector<IValue> outputs(1);
        for (int i = 0; i < 5; ++i) group.run(inputs, outputs.data());
        QVERIFY(group.program() != nullptr);
        const ProgramPlan& plan = group.program()->plan();
        QCOMPARE(plan.steps.size(), std::size_t{4});
        QCOMPARE(plan.buffers[1].takes_over, std::size_t{0});
        QCOMPARE(plan.buffers[2].takes_over, std::size_t{1});
        QCOMPARE(plan.buffers[1].offset, plan.buffers[0].offset);
        QCOMPARE(plan.result_bytes, std::size_t{32 * 32 * 4});
        compare(outputs, run_code(group.code(), inputs), "in place");
    }

    // What leads to a result in place is written where the result lies: no other memory.
    void resultsAreWrittenInPlace() {
        const GradModeScope no_grad(false);
        const Ptr<ir::Graph> graph = parsed(
            "graph(%x : Tensor, %w : Tensor):\n"
            "  %a : Tensor = aten::mm(%x, %w)\n  %b : Tensor = aten::relu(%a)\n  %c : Tensor = aten::sigmoid(%b)\n  "
            "return (%c)\n");
        StaticGroup group(Code::make(graph, ""));
        std::vector<std::vector<IValue>> kept;
        std::vector<std::vector<IValue>> expected;
        for (int i = 0; i < 8; ++i) {
            const std::vector<IValue> inputs{drawn({32, 32}, i), drawn({32, 32}, 2)};
            kept.emplace_back(1);
            group.run(inputs, kept.back().data());
            expected.push_back(run_code(group.code(), inputs));
        }
        QVERIFY(group.program() != nullptr);
        const ProgramPlan& plan = group.program()->plan();
        QCOMPARE(plan.result_bytes, std::size_t{32 * 32 * 4});
        QVERIFY2(plan.peak_bytes < 2 * plan.result_bytes, qPrintable(QString::number(plan.peak_bytes)));
        for (std::size_t i = 0; i < kept.size(); ++i) compare(kept[i], expected[i], "kept");
    }

    // Programs of a thread run one after another in one block: the largest one's.
    void programsShareTheirBlock() {
        const GradModeScope no_grad(false);
        std::vector<std::unique_ptr<StaticGroup>> groups;
        for (int i = 0; i < 6; ++i) groups.push_back(std::make_unique<StaticGroup>(Code::make(parsed(kChain), "")));
        const auto run = [&](std::size_t g, int round) {
            const auto n = static_cast<std::int64_t>(32 + 8 * g);
            const std::vector<IValue> inputs{drawn({n, n}, round), drawn({n, n}, 2)};
            std::vector<IValue> outputs(1);
            groups[g]->run(inputs, outputs.data());
            compare(outputs, run_code(groups[g]->code(), inputs), "shared");
        };
        for (int round = 0; round < 5; ++round) {
            for (std::size_t g = 0; g < groups.size(); ++g) run(g, round);
        }
        std::size_t largest = 0;
        std::size_t all = 0;
        std::size_t results = 0;
        for (const auto& group : groups) {
            QVERIFY(group->program() != nullptr);
            largest = std::max(largest, group->program()->plan().arena_bytes);
            all += group->program()->plan().arena_bytes;
            results += group->program()->plan().result_bytes;  // kept to be used again
        }
        QVERIFY(all > 3 * largest);
        const ByteCounter bytes;
        for (std::size_t g = 0; g + 1 < groups.size(); ++g) groups[g].reset();
        run(5, 7);
        groups.clear();
        QVERIFY2(-bytes.now() >= static_cast<std::int64_t>(largest), qPrintable(QString::number(bytes.now())));
        QVERIFY2(-bytes.now() < static_cast<std::int64_t>(2 * largest + results),
                 qPrintable(QString::number(bytes.now())));
        // Another thread's runs have another block.
        auto group = std::make_unique<StaticGroup>(Code::make(parsed(kChain), ""));
        const std::vector<IValue> inputs{drawn({16, 16}), drawn({16, 16}, 2)};
        const std::vector<IValue> expected = run_code(group->code(), inputs);
        for (int i = 0; i < 4; ++i) {
            const std::unique_ptr<QThread> thread(QThread::create([&] {
                const GradModeScope off(false);
                std::vector<IValue> outputs(1);
                for (int k = 0; k < 3; ++k) group->run(inputs, outputs.data());
                compare(outputs, expected, "thread");
            }));
            thread->start();
            thread->wait();
        }
    }

    // Parameters, numbers and submodules that were replaced are what the next run takes.
    void replacedAttributesAreSeen() {
        const GradModeScope no_grad(false);
        const ModelFile file = open_model(kFixtures / "models/autoencoder.pt");
        file.module->eval();
        const auto* method = dynamic_cast<const ir::ScriptFunction*>(file.module->type()->find_method("forward"));
        const Ptr<ir::Graph> graph = method->graph()->copy();
        passes::PassManager().run(*graph, passes::pipeline_of("Inline"), {file.module});
        const auto plain = Code::make(graph, "");
        const auto code = Code::make(planned(graph), "");
        const std::vector<IValue> given = read_arguments("autoencoder");
        const auto check = [&](const char* what) {
            for (int round = 0; round < 5; ++round) {
                std::vector<IValue> inputs{IValue(Ptr<Object>(file.module))};
                for (const IValue& value : given) inputs.push_back(changed(value, round));
                compare(run_code(*code, inputs), run_code(*plain, inputs), what);
            }
            std::size_t programs = 0;
            for (const StaticGroupPlace& place : static_groups(*code)) programs += place.group->program() != nullptr;
            QVERIFY2(programs > 0, what);
        };
        check("as read");
        const nn::ModulePtr first = file.module->get_submodule("encoder.0");
        const Tensor weight = first->get_parameter("weight");
        first->set_attribute("weight", fn::mul_scalar(weight, Scalar(-2.0)));
        check("a parameter");
        // In place: no other tensor, other elements.
        fn::copy_(first->get_parameter("weight"), weight);
        check("elements");
        const ModelFile other = open_model(kFixtures / "models/autoencoder.pt");
        other.module->eval();
        const nn::ModulePtr replacement = other.module->get_submodule("encoder.0");
        replacement->set_attribute("weight", fn::mul_scalar(weight, Scalar(3.0)));
        file.module->get_submodule("encoder")->set_attribute("0", IValue(Ptr<Object>(replacement)));
        check("a module");
    }

    // Of a dict the keys are part of what a program is for, and the tensors what it is given.
    void dictsAreTakenApart() {
        const GradModeScope no_grad(false);
        const Ptr<ir::Graph> graph = parsed(
            "graph(%d : Dict(str, Tensor)):\n"
            "  %a : str = prim::Constant[value=\"a\"]()\n  %b : str = prim::Constant[value=\"b\"]()\n"
            "  %x : Tensor = aten::__getitem__(%d, %a)\n  %y : Tensor = aten::__getitem__(%d, %b)\n"
            "  %m : Tensor = aten::mul(%x, %y)\n  %r : Tensor = aten::relu(%m)\n  %z : Tensor = aten::mul(%r, %x)\n  "
            "return (%z)\n");
        StaticGroup group(Code::make(graph, ""));
        const auto dict = [](std::initializer_list<const char*> keys, int round) -> IValue {
            const auto made = make_ptr<DictObject>(types::string(), types::tensor());
            int i = 0;
            for (const char* key : keys) made->set(IValue(std::string(key)), IValue(drawn({4, 4}, round + 3 * i++)));
            return made;
        };
        for (int round = 0; round < 6; ++round) {
            for (const auto keys :
                 {std::initializer_list<const char*>{"a", "b"}, std::initializer_list<const char*>{"b", "a"},
                  std::initializer_list<const char*>{"b", "c", "a"}}) {
                const std::vector<IValue> inputs{dict(keys, round)};
                std::vector<IValue> outputs(1);
                group.run(inputs, outputs.data());
                compare(outputs, run_code(group.code(), inputs), "dict");
            }
        }
        QCOMPARE(group.program_count(), std::size_t{3});
        QVERIFY2(group.refusal().empty(), group.refusal().c_str());
    }

    // Shapes alone predict the plan that a run leads to.
    void shapesPredictThePlan() {
        const GradModeScope no_grad(false);
        const auto code = Code::make(parsed(kChain), "");
        const std::vector<IValue> inputs{drawn({64, 64}), drawn({64, 64}, 2)};
        const ProgramPlan real = plan_program(capture_run(*code, inputs, CaptureElements::Real));
        const ProgramPlan fake = plan_program(capture_run(*code, inputs, CaptureElements::Fake));
        QCOMPARE(fake.arena_bytes, real.arena_bytes);
        QCOMPARE(fake.peak_bytes, real.peak_bytes);
        QCOMPARE(fake.buffers.size(), real.buffers.size());
    }

    // What elements decide is no part of a program: before and behind it there are others.
    void elementsBreakTheGraph() {
        const GradModeScope no_grad(false);
        const Ptr<ir::Graph> graph = parsed(
            "graph(%x : Tensor):\n"
            "  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::neg(%a)\n"
            "  %i : Tensor = aten::nonzero(%b)\n"
            "  %c : Tensor = aten::sigmoid(%b)\n  %d : Tensor = aten::neg(%c)\n"
            "  return (%d, %i)\n");
        const auto breaks = passes::find_graph_breaks(*graph);
        QCOMPARE(breaks.size(), std::size_t{1});
        QCOMPARE(breaks[0].node->kind().str(), std::string("aten::nonzero"));
        QCOMPARE(breaks[0].reason, std::string("what aten::nonzero gives depends on elements"));
        const auto plain = Code::make(graph, "");
        const auto code = Code::make(planned(graph), "");
        for (int i = 0; i < 6; ++i) {
            const std::vector<IValue> inputs{drawn({4, 4}, i)};
            compare(run_code(*code, inputs), run_code(*plain, inputs), "broken");
        }
        QCOMPARE(static_groups(*code).size(), std::size_t{2});
        for (const StaticGroupPlace& place : static_groups(*code)) QVERIFY(place.group->program() != nullptr);
        // The same as one group refuses, and says why.
        StaticGroup whole(plain);
        std::vector<IValue> outputs(2);
        for (int i = 0; i < 4; ++i) {
            const std::vector<IValue> inputs{drawn({4, 4}, i)};
            whole.run(inputs, outputs.data());
            compare(outputs, run_code(*plain, inputs), "refused");
        }
        QVERIFY(whole.program() == nullptr);
        QCOMPARE(whole.refusal(), std::string("what aten::nonzero gives depends on elements"));
        QVERIFY(whole.refused_at() != nullptr && whole.refused_at()->kind().str() == "aten::nonzero");
    }

    // A number from elements decides nothing that is kept: the branch is taken anew for each.
    void numbersFromElementsAreLookedAt() {
        const GradModeScope no_grad(false);
        const Ptr<ir::Graph> graph = parsed(
            "graph(%x : Tensor):\n"
            "  %none : NoneType = prim::Constant()\n  %one : int = prim::Constant[value=1]()\n"
            "  %s : Tensor = aten::sum(%x, %none)\n  %n : bool = aten::Bool(%s)\n"
            "  %y : Tensor = prim::If(%n)\n"
            "    block0():\n      %p : Tensor = aten::relu(%x)\n      %q : Tensor = aten::neg(%p)\n      -> (%q)\n"
            "    block1():\n      %r : Tensor = aten::add(%x, %x, %one)\n      -> (%r)\n"
            "  %z : Tensor = aten::neg(%y)\n"
            "  return (%z)\n");
        const auto plain = Code::make(graph, "");
        const auto code = Code::make(planned(graph), "");
        for (int i = 0; i < 12; ++i) {
            const Tensor x = drawn({4, 4}, i);
            const std::vector<IValue> inputs{i % 3 == 0 ? fn::sub(x, x) : x};
            compare(run_code(*code, inputs), run_code(*plain, inputs), "branch");
        }
    }
};

QTEST_APPLESS_MAIN(TestStaticProgram)
#include "test_static_program.moc"
