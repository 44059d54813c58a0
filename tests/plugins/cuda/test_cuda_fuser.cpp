// SPDX-License-Identifier: Apache-2.0
// Fused groups on CUDA without a GPU: the kernels' text is compiled by NVRTC for two architectures, and by the system's
// compiler for the host, where fibers stand for threads and the numbers are held against the device's operators one by
// one.
#include <QtTest>

#include <dlfcn.h>

#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "plugins/cuda/fuser/code.h"
#include "tests/plugins/cuda/host_fuser.h"
#include "tests/runtime/fuser_checks.h"
#include "tests/runtime/fuser_groups.h"

using namespace loupe;
using namespace loupe::test;

namespace {

constexpr Device kDevice{DeviceType::PrivateUse1, 1};
constexpr ScalarType kFloats[] = {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Float16};

struct Case {
    std::string name;
    std::string text;
    std::vector<IValue> inputs;
    bool is_exact = true;  // the same bits as the device's operators; else what reductions in another order may give
    std::vector<IValue> want;
    std::shared_ptr<FusedGroup> on_host, on_device;
    std::string reason;
};

std::vector<IValue> there(const std::vector<IValue>& inputs) {
    std::vector<IValue> moved;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::size_t same = 0;
        while (same < i && inputs[same].tensor_impl() != inputs[i].tensor_impl()) ++same;
        if (same < i) {
            moved.push_back(moved[same]);
            continue;
        }
        const Tensor t = inputs[i].to_tensor();
        // In the same order, with the same gaps.
        const std::int64_t span = static_cast<std::int64_t>(t.storage()->bytes()) / t.element_size();
        const Tensor all = fn::as_strided(t, Dims{span}, Dims{1}, std::int64_t{0});
        const auto stride = Dims(t.strides().begin(), t.strides().end());
        moved.emplace_back(fn::as_strided(on_device(all, kDevice), Dims(t.sizes().begin(), t.sizes().end()), stride,
                                          t.storage_offset()));
    }
    return moved;
}
Tensor back(const IValue& value) { return on_device(value.to_tensor(), Device{}); }

// The largest distance of two tensors' elements, in float64.
double distance(const Tensor& a, const Tensor& b) {
    const auto wide = [](const Tensor& t) { return fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)); };
    return item(fn::amax(fn::abs(fn::sub(wide(a), wide(b), Scalar(1))), Dims{}, false)).to<double>();
}
// Sums in another order of terms that cancel differ by more than bits of the result: then a kernel is as good as the
// operators if it is not much further from what these give in float64.
bool is_as_good(const Case& c, std::size_t i, const Tensor& got, const Tensor& want) {
    std::vector<IValue> inputs;
    for (const IValue& input : c.inputs) {
        const Tensor t = input.to_tensor();
        inputs.emplace_back(is_floating(t.dtype()) ? fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64))
                                                   : t);
    }
    const Tensor exact = run_unfused(ir::parse_graph(c.text), inputs)[i].to_tensor();
    return distance(got, exact) <= 2 * distance(want, exact);
}

std::vector<IValue> results_of(const Case& c) { return std::vector<IValue>(ir::parse_graph(c.text)->outputs().size()); }

// ---- every formula: a group of a family has one result each

std::string group_of(const std::string& inputs, const std::string& constants, const std::vector<std::string>& calls) {
    std::string text = concat("graph(", inputs, "):\n", constants), results;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        text += concat("  %r", i, " : Tensor = aten::", calls[i], "\n");
        results += concat(i > 0 ? ", " : "", "%r", i);
    }
    return concat(text, "  return (", results, ")\n");
}
constexpr const char* kConstants =
    "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
    "  %half : float = prim::Constant[value=0.5]()\n  %low : float = prim::Constant[value=-0.75]()\n"
    "  %high : float = prim::Constant[value=1.25]()\n  %small : float = prim::Constant[value=0.01]()\n  %no : bool = "
    "prim::Constant[value=0]()\n"
    "  %yes : bool = prim::Constant[value=1]()\n  %none : NoneType = prim::Constant()\n"
    "  %erf : str = prim::Constant[value=\"none\"]()\n  %tanh : str = prim::Constant[value=\"tanh\"]()\n"
    "  %floor : str = prim::Constant[value=\"floor\"]()\n  %trunc : str = prim::Constant[value=\"trunc\"]()\n";

std::vector<std::string> calls_of(const char* names, const char* arguments) {
    std::vector<std::string> calls;
    for (const QString& name : QString(names).split(' '))
        calls.push_back(concat(name.toStdString(), "(", arguments, ")"));
    return calls;
}
void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> real_functions() {
    std::vector<std::string> calls = calls_of(
        "abs neg sign reciprocal sqrt rsqrt square floor ceil round trunc frac exp exp2 expm1 log log2 log10 "
        "log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc lgamma sinc isnan "
        "isinf isfinite isposinf isneginf signbit logical_not relu silu mish hardsigmoid hardswish",
        "%x");
    append(calls, {"nan_to_num(%x, %half, %high, %low)", "hardtanh(%x, %low, %high)", "leaky_relu(%x, %half)",
                   "elu(%x, %high, %half, %one)", "gelu(%x, %erf)", "gelu(%x, %tanh)", "softplus(%x, %two, %one)",
                   "softshrink(%x, %half)", "hardshrink(%x, %half)", "threshold(%x, %half, %low)",
                   "clamp(%x, %low, %high)", "logit(%x, %small)", "logit(%x, %none)"});
    return calls;
}
std::vector<std::string> real_pairs() {
    std::vector<std::string> calls = calls_of(
        "mul div maximum minimum fmax fmin hypot copysign xlogy logaddexp logaddexp2 nextafter heaviside fmod "
        "remainder "
        "pow atan2 eq ne lt le gt ge logical_and logical_or logical_xor",
        "%x, %y");
    append(calls, {"add(%x, %y, %one)", "add(%x, %y, %half)", "sub(%x, %y, %one)", "sub(%x, %y, %two)",
                   "div(%x, %y, %floor)", "div(%x, %y, %trunc)"});
    return calls;
}
std::vector<std::string> real_gradients() {
    std::vector<std::string> calls = calls_of(
        "silu_backward mish_backward hardsigmoid_backward hardswish_backward sigmoid_backward tanh_backward", "%x, %y");
    append(calls, {"hardtanh_backward(%x, %y, %low, %high)", "leaky_relu_backward(%x, %y, %half, %no)",
                   "elu_backward(%x, %high, %half, %one, %no, %y)", "elu_backward(%x, %high, %half, %one, %yes, %y)",
                   "gelu_backward(%x, %y, %erf)", "gelu_backward(%x, %y, %tanh)",
                   "softplus_backward(%x, %y, %two, %one)", "softshrink_backward(%x, %y, %half)",
                   "hardshrink_backward(%x, %y, %half)", "threshold_backward(%x, %y, %half)"});
    return calls;
}
std::vector<std::string> real_triples() {
    return {"addcmul(%x, %y, %z, %half)", "addcdiv(%x, %y, %z, %half)", "lerp(%x, %y, %z)",
            "where(%c, %x, %y)",          "clamp(%x, %y, %z)",          "where(%c, %y, %z)"};
}
std::vector<std::string> integer_functions() {
    std::vector<std::string> calls = calls_of(
        "mul maximum minimum bitwise_and bitwise_or bitwise_xor gcd lcm eq ne lt le gt ge logical_and logical_or "
        "logical_xor",
        "%x, %y");
    append(calls, calls_of("neg abs sign square bitwise_not logical_not relu exp", "%x"));
    append(calls,
           {"add(%x, %y, %two)", "sub(%x, %y, %one)", "pow(%x, %two)", "where(%c, %x, %y)", "clamp(%x, %one, %two)"});
    return calls;
}

class CaseList {
  public:
    std::vector<Case> cases;

    void add_formulas() {
        for (const ScalarType dtype : kFloats) {
            // Numbers of all sizes, and those that are none.
            const auto draw = [&] { return with_specials(random_tensor(random_, {1037}, dtype), 1); };
            const Tensor x = draw(), y = draw(), z = draw(), c = random_tensor(random_, {1037}, ScalarType::Bool);
            const std::string of = concat(" ", dtype_name(dtype));
            add("functions" + of, group_of("%x : Tensor", kConstants, real_functions()), {x});
            add("pairs" + of, group_of("%x : Tensor, %y : Tensor", kConstants, real_pairs()), {x, y});
            add("gradients" + of, group_of("%x : Tensor, %y : Tensor", kConstants, real_gradients()), {x, y});
            add("triples" + of,
                group_of("%x : Tensor, %y : Tensor, %z : Tensor, %c : Tensor", kConstants, real_triples()),
                {x, y, z, c});
        }
        for (const ScalarType dtype :
             {ScalarType::Int64, ScalarType::Int32, ScalarType::Int16, ScalarType::Int8, ScalarType::UInt8}) {
            add(concat("integers ", dtype_name(dtype)),
                group_of("%x : Tensor, %y : Tensor, %c : Tensor", kConstants, integer_functions()),
                {random_tensor(random_, {1037}, dtype), random_tensor(random_, {1037}, dtype),
                 random_tensor(random_, {1037}, ScalarType::Bool)});
        }
    }

    // Any operators in any order, of all dtypes, shapes and memory orders.
    void add_drawn(int count, bool with_rows) {
        constexpr ScalarType kTypes[] = {ScalarType::Float32,  ScalarType::Float32, ScalarType::Float64,
                                         ScalarType::BFloat16, ScalarType::Float16, ScalarType::Int64,
                                         ScalarType::Int32,    ScalarType::UInt8,   ScalarType::Bool};
        for (int seed = 0; seed < count; ++seed) {
            Drawing drawing(static_cast<std::uint32_t>(seed) + (with_rows ? 9000 : 8000));
            const std::size_t inputs = 1 + drawing.below(3), shape = drawing.below(7);
            const std::string text = drawing.draw(inputs, 2 + drawing.below(7), with_rows);
            const ScalarType dtype = kTypes[drawing.below(std::size(kTypes))];
            std::vector<IValue> tensors;
            for (std::size_t i = 0; i < inputs; ++i) {
                const ScalarType own = drawing.below(5) == 0 ? kTypes[drawing.below(std::size(kTypes))] : dtype;
                tensors.emplace_back(with_specials(drawing.tensor(own, shape, drawing.below(3)), drawing.below(3)));
            }
            add(concat(with_rows ? "drawn rows " : "drawn ", seed), text, std::move(tensors), !with_rows);
        }
    }

    void add_rows() {
        for (const RowBody& row : row_bodies()) {
            for (const ScalarType dtype : kFloats) {
                const std::string text = row_group(row.body, dtype);
                int layout = 0;
                for (std::vector<IValue>& inputs : row_inputs(random_, dtype)) {
                    const bool is_left_out = row.kernels < 0 && inputs[0].to_tensor().dim() == 3;
                    const bool is_of_all = dtype == ScalarType::Float32 || layout == 0;
                    if (!is_left_out && is_of_all)
                        add(concat(row.name, " ", dtype_name(dtype), " ", layout), text, std::move(inputs), false);
                    ++layout;
                }
            }
        }
    }

    void add_norm_gradients() {
        const std::vector<std::pair<const char*, std::string>> kTexts{
            {"all", around("[40]", "[True, True, True]", true, kAll)},
            {"two dimensions", around("[5, 40]", "[True, True, True]", true, kAll)},
            {"input alone", around("[40]", "[True, False, False]", false, "  return (%dx)\n")},
            {"input and bias", around("[40]", "[True, False, True]", true, "  return (%dx, %db)\n")},
            {"sums alone", around("[40]", "[False, True, True]", true, "  return (%dw, %db)\n")}};
        for (const auto& [name, text] : kTexts) {
            for (const ScalarType dtype : kFloats) {
                const Dims shape = std::string(name) == "two dimensions" ? Dims{5, 40} : Dims{40};
                add_norm_gradient(concat("norm gradient: ", name, " ", dtype_name(dtype)), text, dtype, Dims{70, 5, 40},
                                  shape, false);
            }
        }
        add_norm_gradient("norm gradient: turned", kTexts[0].second, ScalarType::Float32, Dims{3, 5, 40}, Dims{40},
                          true);
        // Rows that a block holds, and rows that none holds.
        for (const std::int64_t length : {3000, 40000}) {
            const std::string text =
                around(concat("[", length, "]"), "[True, True, True]", true, "  return (%dx, %dw, %db)\n");
            add_norm_gradient(concat("norm gradient: ", length), text, ScalarType::Float32, Dims{19, length},
                              Dims{length}, false);
        }
    }

    // Lengths that a warp, a block, a larger block, and none of them holds; whole packs and others.
    void add_long_rows() {
        for (const std::int64_t length : {1, 7, 33, 1024, 1025, 5000, 20000, 80000}) {
            for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) {
                const std::int64_t rows = length < 100 ? 300 : 70000 / length + 2;
                const auto draw = [&] { return random_tensor(random_, {rows, length}, dtype); };
                const Tensor w = random_tensor(random_, {length}, dtype);
                std::string text = row_group(
                    "  %a : Tensor = aten::add(%x, %y, %one)\n  %n : Tensor = aten::layer_norm(%a, %shape, %w, %v, "
                    "%eps, "
                    "%yes)\n  %r : Tensor = aten::softmax(%n, %last, %none)\n",
                    dtype);
                text.replace(text.find("[40]"), 4, concat("[", length, "]"));
                add(concat("rows of ", length, " ", dtype_name(dtype)), text, {draw(), draw(), w, w, w}, false);
            }
        }
    }

    // First elements that do not begin where sixteen bytes do; dimensions that do not join.
    void add_layouts() {
        const std::string text =
            "graph(%x : Tensor, %y : Tensor):\n  %one : int = prim::Constant[value=1]()\n  %a : Tensor = aten::add(%x, "
            "%y, "
            "%one)\n  %r : Tensor = aten::mul(%a, %x)\n  return (%r)\n";
        for (const ScalarType dtype :
             {ScalarType::Float32, ScalarType::BFloat16, ScalarType::Bool, ScalarType::Int64}) {
            const std::string of = concat(" ", dtype_name(dtype));
            const auto draw = [&](std::initializer_list<std::int64_t> sizes) {
                return random_tensor(random_, sizes, dtype);
            };
            add("shifted" + of, text, {fn::slice(draw({1001}), 0, 1, 1001, 1), draw({1000})});
            add("bias" + of, text, {draw({6, 64}), draw({64})});
            add("column" + of, text, {draw({6, 64}), draw({6, 1})});
            add("channels" + of, text, {draw({2, 3, 8, 8}), draw({3, 1, 1})});
            add("sliced" + of, text, {fn::slice(draw({6, 5, 64}), 1, 1, 4, 1), draw({3, 64})});
            add("turned" + of, text, {fn::transpose(draw({7, 9}), 0, 1), draw({9, 7})});
            add("number" + of, text, {draw({500}), draw({})});
            add("one" + of, text, {draw({}), draw({})});
            add("many" + of, text, {draw({3, 50000}), draw({50000})});
        }
    }

  private:
    void add(std::string name, std::string text, std::vector<IValue> inputs, bool is_exact = true) {
        cases.push_back({std::move(name), std::move(text), std::move(inputs), is_exact, {}, {}, {}, {}});
    }
    void add_norm_gradient(const std::string& name, const std::string& text, ScalarType dtype, const Dims& sizes,
                           const Dims& shape, bool is_turned) {
        const auto draw = [&](const Dims& of) { return random_tensor(random_, span_of(of), dtype); };
        Tensor g = draw(sizes);
        if (is_turned) g = fn::transpose(fn::contiguous(fn::transpose(g, 1, 2), 0), 1, 2);
        const Tensor x = draw(sizes);
        const auto [out, mean, rstd] = fn::native_layer_norm(x, shape, draw(shape), draw(shape), 1e-5);
        add(name, text,
            {g, x, mean, rstd, draw(shape), draw(shape),
             draw(Dims(sizes.begin() + (sizes.size() > 2 ? 1 : 0), sizes.end()))},
            false);
    }

    Random random_;
};

void run(FusedGroup& group, const std::vector<IValue>& inputs, std::vector<IValue>& results) {
    group.run(inputs, results.data());
}

}  // namespace

class TestCudaFuser : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", folder_.path().toLocal8Bit());
        load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins");
        QVERIFY(device_interface(DeviceType::PrivateUse1) != nullptr);
        void* const plugin = dlopen(LOUPE_BINARY_DIR "/lib/test_plugins/loupe_test_device.so", RTLD_NOW | RTLD_NOLOAD);
        QVERIFY(plugin != nullptr);
        HostFuser& fuser = HostFuser::instance();
        // loupe::cuda::address_on_device()
        fuser.device_view = reinterpret_cast<void* (*)(void*)>(dlsym(plugin, "_ZN5loupe4cuda17address_on_deviceEPv"));
        QVERIFY(fuser.device_view != nullptr);
        fuser.add_fusers();
        list_.add_formulas();
        list_.add_layouts();
        list_.add_drawn(60, false);
        list_.add_drawn(60, true);
        list_.add_rows();
        list_.add_norm_gradients();
        list_.add_long_rows();
        // What the device's operators give, and which kernels the groups ask for.
        std::erase_if(list_.cases, [&](Case& c) {
            try {
                c.want = run_unfused(ir::parse_graph(c.text), there(c.inputs));
                return false;
            } catch (const Error&) {
                return true;  // drawn ones may ask for what the operators refuse, as negation of booleans
            }
        });
        for (Case& c : list_.cases) prepare(c);
        QVERIFY(list_.cases.size() >= 280);
        qInfo("%zu groups, %zu kernels", list_.cases.size(), fuser.sources().size());
        if (host_compiler().empty()) return;
        QElapsedTimer timer;
        timer.start();
        const std::string problem = fuser.build(folder_.path().toStdString());
        QVERIFY2(problem.empty(), problem.c_str());
        qInfo("compiled for the host in %.1f s", static_cast<double>(timer.elapsed()) / 1000);
        is_built_ = true;
    }

    void numbers_data() { add_rows_of_cases(); }
    void numbers() {
        if (!is_built_) QSKIP("no C++ compiler is here");
        QFETCH(int, index);
        const Case& c = list_.cases[static_cast<std::size_t>(index)];
        if (!c.reason.empty()) QSKIP(c.reason.c_str());
        std::vector<IValue> got = results_of(c);
        run(*c.on_host, c.inputs, got);
        QCOMPARE(c.on_host->reason(), std::string());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const Tensor want = back(c.want[i]);
            const std::string problem =
                c.is_exact ? difference(got[i].to_tensor(), want) : near(got[i].to_tensor(), want);
            const bool holds = problem.empty() || (!c.is_exact && is_as_good(c, i, got[i].to_tensor(), want));
            QVERIFY2(holds, concat("result ", i, ": ", problem, "\n", c.text).c_str());
        }
    }

    // A group whose tensors are a device's: it is recorded dry, its results are made there, its kernel gets them.
    void on_a_device_data() { add_rows_of_cases(); }
    void on_a_device() {
        QFETCH(int, index);
        const Case& c = list_.cases[static_cast<std::size_t>(index)];
        if (!c.reason.empty()) QSKIP(c.reason.c_str());
        const auto kernels = c.on_host->kernels(), there_too = c.on_device->kernels();
        QCOMPARE(there_too.size(), kernels.size());
        for (std::size_t i = 0; i < kernels.size(); ++i) QCOMPARE(there_too[i].expression, kernels[i].expression);
        if (!is_built_) QSKIP("no C++ compiler is here");
        std::vector<IValue> got = results_of(c), on_host = results_of(c);
        run(*c.on_device, there(c.inputs), got);
        run(*c.on_host, c.inputs, on_host);
        QCOMPARE(c.on_device->reason(), std::string());
        for (std::size_t i = 0; i < got.size(); ++i) {
            QVERIFY(got[i].to_tensor().device() == kDevice);
            QCOMPARE(difference(back(got[i]), on_host[i].to_tensor()), std::string());
        }
    }

    // Groups that have no kernel on a device, and why. All others have one.
    void reasons() {
        std::map<std::string, int> reasons;
        for (const Case& c : list_.cases) {
            if (!c.reason.empty()) ++reasons[c.reason];
        }
        for (const auto& [reason, count] : reasons) {
            qInfo("%d: %s", count, reason.c_str());
            const bool is_known = reason.find("looks at a tensor of []") != std::string::npos ||
                                  reason.find("no elements") != std::string::npos ||
                                  reason.find("along a dimension that is not the last") != std::string::npos;
            QVERIFY2(is_known, reason.c_str());
        }
    }

    void machine_code_data() {
        QTest::addColumn<int>("architecture");
        QTest::newRow("sm_90") << 90;
        QTest::newRow("sm_75") << 75;
    }
    void machine_code() {
        if (!cuda::nvrtc_problem().empty()) QSKIP(cuda::nvrtc_problem().c_str());
        QFETCH(int, architecture);
        int kernels = 0;
        for (const auto& [text, source] : HostFuser::instance().sources()) {
            // Every fourth for the architecture of the day, a few for the oldest: each takes a fifth of a second.
            if (kernels++ % (architecture == 75 ? 20 : 4) != 0) continue;
            const cuda::CompiledCode code = cuda::compile_source(text, architecture);
            QVERIFY2(code.ptx.find(".entry fused_loop(") != std::string::npos, text.c_str());
            QVERIFY(code.ptx.find(concat(".target sm_", architecture)) != std::string::npos);
            QVERIFY(
                code.cubin.starts_with("\x7f"
                                       "ELF"));
            // No sum is in an order that may change: nothing is added to memory by several threads.
            for (const char* word : {"atom.", "\tred.", " red."})
                QVERIFY2(code.ptx.find(word) == std::string::npos, text.c_str());
            if (text.find("load<Element::Float32, 4>") != std::string::npos)
                QVERIFY2(code.ptx.find("ld.global.v4") != std::string::npos, text.c_str());
            QVERIFY(code.log.find("registers") != std::string::npos);
        }
    }

    // Of the source's lines each knows its line of the expression, and so do those of PTX; nothing of debuggers is
    // left.
    void what_is_shown() {
        if (!cuda::nvrtc_problem().empty()) QSKIP(cuda::nvrtc_problem().c_str());
        const auto& [text, source] = *HostFuser::instance().sources().begin();
        QCOMPARE(source.line_of.size(), static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
        bool from_disk = false;
        const cuda::CompiledCode first = cuda::compiled_code(text, 90, &from_disk);
        QVERIFY(!from_disk);
        const cuda::CompiledCode again = cuda::compiled_code(text, 90, &from_disk);
        QVERIFY(from_disk && again.ptx == first.ptx && again.cubin == first.cubin && again.log == first.log);
        const cuda::PtxListing listing = cuda::list_ptx(first.ptx, source.line_of);
        QVERIFY(listing.text.find(".entry fused_loop(") != std::string::npos);
        for (const char* word : {".loc ", ".loc\t", ".debug"})
            QVERIFY2(listing.text.find(word) == std::string::npos, listing.text.c_str());
        QCOMPARE(listing.line_of.size(),
                 static_cast<std::size_t>(std::count(listing.text.begin(), listing.text.end(), '\n')));
        QVERIFY(std::any_of(listing.line_of.begin(), listing.line_of.end(), [](int line) { return line >= 0; }));
        const cuda::KernelResources resources = cuda::resources_in(first.log, "fused_loop");
        QVERIFY(resources.registers > 0 && resources.registers <= 255);
    }

    // By the CUDA programming guide's occupancy: 65536 registers, 2048 threads and 32 blocks a processor of sm_90.
    void how_many_blocks_run_at_once() {
        QCOMPARE(cuda::blocks_at_once(90, {32, 0, 0}, 256), 8);
        QCOMPARE(cuda::blocks_at_once(90, {64, 0, 0}, 256), 4);
        QCOMPARE(cuda::blocks_at_once(90, {33, 0, 0}, 256), 6);  // registers are given in eights
        QCOMPARE(cuda::blocks_at_once(75, {32, 0, 0}, 256), 4);
        QCOMPARE(cuda::blocks_at_once(90, {16, 40 * 1024, 0}, 128), 5);
        QCOMPARE(
            cuda::resources_text(90, {32, 128, 0}, 256, 8),
            std::string("sm_90: 32 registers a thread, 128 bytes of shared memory a block; 8 blocks of 256 threads "
                        "at once: 100 % of a processor"));
    }

    void an_error_is_one_line() {
        if (!cuda::nvrtc_problem().empty()) QSKIP(cuda::nvrtc_problem().c_str());
        try {
            cuda::compile_source("extern \"C\" __global__ void fused_loop() { nothing(); }\n", 90);
            QFAIL("compiled");
        } catch (const Error& error) {
            QVERIFY2(error.message().find("NVRTC: fused.cu(1): error") == 0, error.message().c_str());
            QVERIFY(error.message().find('\n') == std::string::npos);
        }
    }

  private:
    void prepare(Case& c) {
        const auto graph = ir::parse_graph(c.text);
        const std::vector<IValue> moved = there(c.inputs);
        c.on_host = std::make_shared<FusedGroup>(graph, HostFuser::kOnHost);
        c.on_device = std::make_shared<FusedGroup>(graph, HostFuser::kOnDevice);
        std::vector<IValue> results = results_of(c);
        for (int time = 0; time < 2; ++time) {
            run(*c.on_host, c.inputs, results);
            run(*c.on_device, moved, results);
        }
        c.reason = c.on_device->reason();
        if (c.on_host->reason() != c.reason) c.reason = concat(c.reason, " | ", c.on_host->reason());
    }

    void add_rows_of_cases() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < list_.cases.size(); ++i)
            QTest::addRow("%s", list_.cases[i].name.c_str()) << static_cast<int>(i);
    }

    QTemporaryDir folder_;
    CaseList list_;
    bool is_built_ = false;
};

QTEST_GUILESS_MAIN(TestCudaFuser)
#include "test_cuda_fuser.moc"
