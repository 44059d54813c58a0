// SPDX-License-Identifier: Apache-2.0
// What the kernels of devices give, on the device for tests, against the CPU's: every operator's samples in every
// dtype; functions at their edges, in particular of complex numbers at infinities, NaN and branch cuts; whole numbers
// divided.

#include <QtTest>
#include <cmath>
#include <complex>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/fallback_observer.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "tests/ops/comparison.h"
#include "tests/ops/device_comparison.h"
#include "tests/ops/edge_points.h"
#include "tests/ops/layouts.h"

using namespace loupe;

namespace {

constexpr Device kOwn{DeviceType::PrivateUse1, 1};
constexpr ScalarType kDtypes[] = {
    ScalarType::Float32,   ScalarType::Float64,    ScalarType::Float16, ScalarType::BFloat16, ScalarType::Int64,
    ScalarType::Int32,     ScalarType::Int16,      ScalarType::Int8,    ScalarType::UInt8,    ScalarType::Bool,
    ScalarType::Complex64, ScalarType::Complex128, ScalarType::UInt16,  ScalarType::UInt32,   ScalarType::UInt64};

// Which of equal elements they name is left open.
constexpr std::string_view kOpen[] = {"aten::mode"};

double tolerance_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
        case ScalarType::Complex128:
            return 1e-10;
        case ScalarType::Float16:
            return 4e-3;
        case ScalarType::BFloat16:
            return 3e-2;
        default:
            return 2e-5;
    }
}

// Operators that round otherwise, and by how much more.
struct Wider {
    std::string_view name;
    double times;
};
constexpr Wider kWider[] = {{"aten::linalg_vector_norm", 4}};  // the CPU adds 16 bits up in 16 bits, as PyTorch's does
double tolerance_of(ScalarType dtype, std::string_view op) {
    const auto* const wider = std::ranges::find(kWider, op, &Wider::name);
    return tolerance_of(dtype) * (wider != std::end(kWider) ? wider->times : 1);
}

std::vector<IValue> there(const std::vector<IValue>& arguments) {
    std::vector<IValue> moved = sweep::changed(arguments, [](const Tensor& t) {
        return t.device().is_cpu() && !t.is_sparse() ? on_device(fn::clone(t), kOwn) : t;
    });
    for (IValue& value : moved) {
        if (value.is_device()) value = kOwn;
    }
    return moved;
}
std::vector<IValue> copied(const std::vector<IValue>& arguments) {
    return sweep::changed(arguments, [](const Tensor& t) { return t.is_sparse() ? t : fn::clone(t); });
}

// The results, or the error.
struct Outcome {
    std::vector<IValue> results;
    std::string error;
};
Outcome outcome_of(const Operator& op, const std::vector<IValue>& arguments) {
    try {
        return {sweep::call(op, arguments), {}};
    } catch (const Error& error) {
        return {{}, error.message()};
    }
}

std::string difference(const std::vector<IValue>& found, const std::vector<IValue>& wanted, double tolerance) {
    const TensorList a = sweep::tensors_in(found), b = sweep::tensors_in(wanted);
    if (a.size() != b.size()) return "another number of results";
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool is_there = a[i].defined() && !a[i].device().is_cpu();
        const std::string text = sweep::difference(is_there ? on_host(a[i]) : a[i], b[i], tolerance);
        if (!text.empty()) return concat("result ", i, ": ", text);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].is_bool() && found[i].to_bool() != wanted[i].to_bool()) return "another truth";
    }
    return {};
}

std::string differs(const Operator& op, const std::vector<IValue>& arguments, double tolerance) {
    const Outcome wanted = outcome_of(op, copied(arguments)), found = outcome_of(op, there(arguments));
    if (wanted.error.empty() != found.error.empty())
        return concat("'", found.error, "' instead of '", wanted.error, "'");
    return difference(found.results, wanted.results, tolerance);
}

// What goes to the host: whole calls, and loops.
class HostWatcher : public FallbackObserver, public ExecutionObserver {
  public:
    std::set<std::string> calls;
    int loops = 0;
    void on_kernel(const KernelChoice& choice) override {
        if (choice.backend == "cpu fallback") calls.emplace(choice.op);
    }
    void on_fallback(const FallbackCost&) override { ++loops; }
};

// None where they cannot be drawn in the dtype.
std::vector<Sample> samples_in(const OperatorRecord& record, ScalarType dtype) {
    Random random;
    try {
        return record.samples(random, dtype);
    } catch (const Error&) {
        return {};
    }
}

void list_operators() {
    QTest::addColumn<QString>("name");
    for (const Operator* const op : all_operators()) {
        if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random ||
            !op->full_name.starts_with("aten::") || std::ranges::find(kOpen, op->full_name) != std::end(kOpen))
            continue;
        QTest::addRow("%s", op->full_name.c_str()) << QString::fromStdString(op->full_name);
    }
}

// Of one part; empty when they agree.
std::string part_differs(double x, double y, double tolerance) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y) ? "" : "NaN on one side";
    if (std::isinf(x) || std::isinf(y)) return x == y ? "" : "infinite on one side";
    return std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y)) ? "" : "apart";
}

}  // namespace

class TestDeviceSamples : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { load_plugins_from(LOUPE_BINARY_DIR "/lib/test_plugins"); }

    void samples_data() { list_operators(); }
    void samples() {
        QFETCH(QString, name);
        const Operator& op = *find_operator(name.toStdString());
        for (const ScalarType dtype : kDtypes) {
            for (const Sample& sample : samples_in(*op.record, dtype)) {
                const std::string text = differs(op, sample.arguments, tolerance_of(dtype, op.full_name));
                // Where the CPU's own result is as far from float64's, one order of additions is as good as another.
                if (is_complex(dtype) && !text.empty() && sweep::is_decided_by_rounding(kOwn, op, sample, text))
                    continue;
                QVERIFY2(text.empty(), concat(dtype_name(dtype), ", ", sample.name, ": ", text).c_str());
            }
        }
    }

    // Pointwise operators and reductions stay on the device in the dtypes that the list of fallbacks does not try.
    void areNative() {
        for (const OperatorFamily& family : operator_families()) {
            if (family.name != "pointwise" && family.name != "special" && family.name != "reduction") continue;
            for (const OperatorRecord* const record : family.records) {
                const std::string name(record->schema.substr(0, record->schema.find('(')));
                if (record->samples == nullptr || record->composite != nullptr) continue;
                for (const ScalarType dtype : {ScalarType::Complex128, ScalarType::Int16, ScalarType::Int8,
                                               ScalarType::UInt16, ScalarType::UInt32}) {
                    for (const Sample& sample : samples_in(*record, dtype)) {
                        HostWatcher watcher;
                        {
                            const ObserverScope watched(&watcher);
                            set_fallback_observer(&watcher);
                            outcome_of(*find_operator(name), there(sample.arguments));
                            set_fallback_observer(nullptr);
                        }
                        QVERIFY2(watcher.loops == 0 && watcher.calls.empty(),
                                 concat(name, " goes to the host for ", dtype_name(dtype)).c_str());
                    }
                }
            }
        }
    }

    void complexEdges_data() {
        QTest::addColumn<QString>("name");
        for (const std::string_view name : sweep::kComplexFunctions) QTest::addRow("%s", name.data()) << name.data();
    }
    void complexEdges() {
        QFETCH(QString, name);
        const Operator& op = *find_operator(concat("aten::", name.toStdString()));
        for (const ScalarType dtype : {ScalarType::Complex64, ScalarType::Complex128}) {
            const Tensor grid = sweep::complex_edges(dtype);
            const auto numbers = [](const IValue& v) {
                return fn::contiguous(
                    fn::to_dtype(on_host(v.to_tensor()), static_cast<std::int64_t>(ScalarType::Complex128)), 0);
            };
            const Tensor found = numbers(sweep::call(op, {on_device(grid, kOwn)})[0]),
                         wanted = numbers(sweep::call(op, {grid})[0]), given = numbers(grid);
            const double* const x = fn::view_as_real(given).data<double>();
            for (std::int64_t i = 0; i < 2 * found.numel(); ++i) {
                const double a = fn::view_as_real(found).data<double>()[i],
                             b = fn::view_as_real(wanted).data<double>()[i];
                const std::string text = part_differs(a, b, tolerance_of(dtype));
                QVERIFY2(text.empty(), concat(dtype_name(dtype), " (", x[i / 2 * 2], ", ", x[i / 2 * 2 + 1], "), part ",
                                              i % 2, ": ", a, " is not ", b, ": ", text)
                                           .c_str());
            }
        }
    }

    // Arithmetic with infinities and NaN too, powers of finite numbers.
    void complexPairs() {
        for (const ScalarType dtype : {ScalarType::Complex64, ScalarType::Complex128}) {
            const Tensor grid = sweep::complex_edges(dtype), column = fn::unsqueeze(grid, 1);
            for (const char* const name : {"aten::mul.Tensor", "aten::div.Tensor", "aten::eq.Tensor", "aten::ne.Tensor",
                                           "aten::logical_and", "aten::logical_or", "aten::logical_xor"}) {
                const std::string text = differs(*find_operator(name), {column, grid}, tolerance_of(dtype));
                QVERIFY2(text.empty(), concat(name, " ", dtype_name(dtype), ": ", text).c_str());
            }
            const Tensor moderate = fn::masked_select(
                grid, fn::logical_and(fn::lt_scalar(fn::abs(grid), Scalar(20)), fn::ne_scalar(grid, Scalar(0))));
            for (const char* const name : {"aten::pow.Tensor_Tensor", "aten::logaddexp"}) {
                const std::string text = differs(*find_operator(name), {fn::unsqueeze(moderate, 1), moderate},
                                                 dtype == ScalarType::Complex64 ? 2e-3 : 1e-10);
                QVERIFY2(text.empty(), concat(name, " ", dtype_name(dtype), ": ", text).c_str());
            }
            const Scalar turn(std::complex<double>(0.5, -2));
            for (const auto& [name, alpha] :
                 {std::pair{"aten::add.Tensor", turn}, std::pair{"aten::sub.Tensor", turn}}) {
                const std::string text = differs(*find_operator(name), {column, grid, alpha}, tolerance_of(dtype));
                QVERIFY2(text.empty(), concat(name, " ", dtype_name(dtype), ": ", text).c_str());
            }
        }
    }

    // Dense ones by packs, with an odd one at the end; and where sixteen bytes begin elsewhere.
    void complexPacks() {
        Random random;
        for (const ScalarType dtype : {ScalarType::Complex64, ScalarType::Complex128}) {
            const auto drawn = [&] { return random_tensor(random, {36}, dtype); };
            const Tensor a = drawn(), b = drawn(), c = drawn();
            const Scalar turn(std::complex<double>(0.5, -2));
            const std::vector<std::pair<const char*, std::vector<IValue>>> calls{{"aten::mul.Tensor", {a, b}},
                                                                                 {"aten::mul.Scalar", {a, turn}},
                                                                                 {"aten::div.Tensor", {a, b}},
                                                                                 {"aten::sub.Tensor", {a, b, turn}},
                                                                                 {"aten::neg", {a}},
                                                                                 {"aten::conj_physical", {a}},
                                                                                 {"aten::lerp.Tensor", {a, b, c}},
                                                                                 {"aten::addcmul", {a, b, c, turn}}};
            for (const std::int64_t begin : {0, 1}) {
                const auto part = [begin](const Tensor& t) { return fn::slice(t, 0, begin, 35, 1); };
                for (const auto& [name, arguments] : calls) {
                    const Operator& op = *find_operator(name);
                    const std::string text =
                        difference(sweep::call(op, sweep::changed(there(arguments), part)),
                                   sweep::call(op, sweep::changed(arguments, part)), tolerance_of(dtype));
                    QVERIFY2(text.empty(), concat(name, " ", dtype_name(dtype), ": ", text).c_str());
                }
            }
        }
    }

    // From every dtype to every dtype, and complex numbers where indices say.
    void complexMoves() {
        Random random;
        for (const ScalarType from : kDtypes) {
            for (const ScalarType to : kDtypes) {
                const bool is_unsigned = has_dtype(kUnsignedDtypes, from);
                const Tensor x = fn::to_dtype(random_tensor(random, {5, 7}, is_unsigned ? ScalarType::UInt8 : from),
                                              static_cast<std::int64_t>(from));
                for (const Tensor& t : {x, fn::t(x)}) {
                    const std::string text =
                        difference({fn::to_dtype(on_device(t, kOwn), static_cast<std::int64_t>(to))},
                                   {fn::to_dtype(t, static_cast<std::int64_t>(to))}, 0);
                    QVERIFY2(text.empty(), concat(dtype_name(from), " to ", dtype_name(to), ": ", text).c_str());
                }
            }
        }
        const Tensor z = random_tensor(random, {6, 4}, ScalarType::Complex64),
                     rows = tensor_of<std::int64_t>({5, 1, 5, 0}, {4}), more = fn::slice(z, 0, 0, 4, 1);
        const std::vector<std::pair<const char*, std::vector<IValue>>> calls{
            {"aten::index_add", {z, std::int64_t{0}, rows, more, Scalar(0.5)}},
            {"aten::index_put", {z, IValue(TensorList{rows}), more, true}},
            {"aten::index_fill.int_Scalar", {z, std::int64_t{0}, rows, Scalar(std::complex<double>(1, -2))}},
            {"aten::masked_fill.Scalar", {z, fn::gt_scalar(fn::abs(z), Scalar(1)), Scalar(std::complex<double>(0, 3))}},
            {"aten::scatter_add", {z, std::int64_t{0}, fn::expand(fn::unsqueeze(rows, 1), Dims{4, 4}, false), more}},
            {"aten::tril", {z, std::int64_t{0}}},
            {"aten::nonzero", {z}},
            {"aten::prod", {z, IValue()}},
            {"aten::fill.Scalar", {z, Scalar(std::complex<double>(2, -1))}}};
        for (const auto& [name, arguments] : calls) {
            const std::string text = differs(*find_operator(name), arguments, 1e-5);
            QVERIFY2(text.empty(), concat(name, ": ", text).c_str());
        }
    }

    // Ranges that move, one for all and one a channel, from nothing and onwards; scales that are learned.
    void quantisationIsImitated() {
        Random random;
        const Tensor x = random_tensor(random, {3, 8}, ScalarType::Float32), on = tensor_of<std::int64_t>({1}, {1});
        const auto none = [](double value, std::int64_t count) {
            return fn::full(Dims{count}, Scalar(value), IValue(), IValue(), IValue(), IValue());
        };
        for (const std::int64_t rows : {1, 3}) {
            for (const double known : {std::numeric_limits<double>::infinity(), 0.5}) {
                const std::string text =
                    differs(*find_operator("aten::_fused_moving_avg_obs_fq_helper"),
                            {x, on, on, none(known, rows), none(known, rows), none(1, rows),
                             fn::to_dtype(none(0, rows), static_cast<std::int64_t>(ScalarType::Int32)), 0.1,
                             std::int64_t{-128}, std::int64_t{127}, std::int64_t{0}, rows == 3, true},
                            1e-6);
                QVERIFY2(text.empty(), text.c_str());
            }
        }
        const Tensor scale = none(0.07, 3), point = none(3, 3),
                     grad = random_tensor(random, {3, 8}, ScalarType::Float32);
        const std::vector<IValue> learned{grad, x, scale, point, std::int64_t{0}, std::int64_t{-10}, std::int64_t{10},
                                          0.5};
        const std::string channels =
            differs(*find_operator("aten::_fake_quantize_learnable_per_channel_affine_backward"), learned, 1e-5);
        QVERIFY2(channels.empty(), channels.c_str());
        const std::string tensor =
            differs(*find_operator("aten::_fake_quantize_learnable_per_tensor_affine_backward"),
                    {grad, x, none(0.07, 1), none(3, 1), std::int64_t{-10}, std::int64_t{10}, 0.5}, 1e-5);
        QVERIFY2(tensor.empty(), tensor.c_str());
    }

    // Losses over classes, with weights, labels that repeat, and means.
    void marginLosses() {
        Random random;
        const Tensor x = random_tensor(random, {5, 6}, ScalarType::Float32),
                     target = tensor_of<std::int64_t>({3, 0, 5, 5, 1}, {5}),
                     weight = fn::abs(random_tensor(random, {6}, ScalarType::Float32)),
                     labels = tensor_of<std::int64_t>({2, 2, -1, 0, 0,  0, -1, 1, 2,  3, 4, 5, 0,  1,  2,
                                                       3, 4, 5,  5, -1, 1, -1, 1, -1, 4, 3, 3, -1, -1, -1},
                                                      {5, 6});
        for (const std::int64_t reduction : {0, 1, 2}) {
            const Tensor grad = reduction == 0 ? random_tensor(random, {5}, ScalarType::Float32)
                                               : random_tensor(random, IntSpan(), ScalarType::Float32);
            for (const std::int64_t p : {1, 2}) {
                const std::string text = differs(*find_operator("aten::multi_margin_loss_backward"),
                                                 {grad, x, target, Scalar(p), Scalar(0.7), weight, reduction}, 1e-5);
                QVERIFY2(text.empty(), text.c_str());
                const std::string loss = differs(*find_operator("aten::multi_margin_loss"),
                                                 {x, target, Scalar(p), Scalar(0.7), weight, reduction}, 1e-5);
                QVERIFY2(loss.empty(), loss.c_str());
            }
            const Operator& forward = *find_operator("aten::multilabel_margin_loss_forward");
            const std::string text = differs(forward, {x, labels, reduction}, 1e-5);
            QVERIFY2(text.empty(), text.c_str());
            const IValue marks = sweep::call(forward, {x, labels, reduction})[1];
            const std::string slope = differs(*find_operator("aten::multilabel_margin_loss_backward"),
                                              {grad, x, labels, reduction, marks}, 1e-5);
            QVERIFY2(slope.empty(), slope.c_str());
        }
        const Tensor bad = on_device(tensor_of<std::int64_t>({3, 0, 6, 5, 1}, {5}), kOwn);
        QCOMPARE(outcome_of(*find_operator("aten::multi_margin_loss"),
                            {on_device(x, kOwn), bad, Scalar(1), Scalar(1), IValue(), std::int64_t{1}})
                     .error,
                 std::string("Target 6 is out of bounds. (in aten::multi_margin_loss)"));
    }

    void specialEdges_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("is_pair");
        for (const auto& [op, is_pair] : sweep::special_functions())
            QTest::addRow("%s", op->full_name.c_str()) << QString::fromStdString(op->full_name) << is_pair;
    }
    void specialEdges() {
        QFETCH(QString, name);
        QFETCH(bool, is_pair);
        const Tensor line = sweep::real_edges();
        for (const ScalarType dtype : {ScalarType::Float64, ScalarType::Float32, ScalarType::BFloat16}) {
            const Tensor x = fn::to_dtype(line, static_cast<std::int64_t>(dtype));
            std::vector<IValue> arguments{x};
            if (is_pair) arguments = {fn::unsqueeze(x, 1), x};
            const std::string text = differs(*find_operator(name.toStdString()), arguments, tolerance_of(dtype));
            QVERIFY2(text.empty(), concat(dtype_name(dtype), ": ", text).c_str());
        }
    }

    void wholeDivision() {
        const std::vector<std::int64_t> dividends{
            0, 1, 7, -7, 100, -100, -128, 127, std::numeric_limits<std::int64_t>::min()},
            divisors{1, -1, 2, -2, 3, -3, 7, -128, 127};
        const Tensor a = fn::unsqueeze(tensor_of<std::int64_t>(dividends, std::array<std::int64_t, 1>{9}), 1),
                     b = tensor_of<std::int64_t>(divisors, std::array<std::int64_t, 1>{9});
        for (const ScalarType dtype :
             {ScalarType::Int64, ScalarType::Int32, ScalarType::Int16, ScalarType::Int8, ScalarType::UInt8}) {
            const auto number = static_cast<std::int64_t>(dtype);
            const std::vector<IValue> pair{fn::to_dtype(a, number), fn::to_dtype(b, number)};
            for (const char* const name : {"aten::floor_divide", "aten::fmod.Tensor", "aten::remainder.Tensor"}) {
                const std::string text = differs(*find_operator(name), pair, 0);
                QVERIFY2(text.empty(), concat(name, " ", dtype_name(dtype), ": ", text).c_str());
            }
            for (const char* const mode : {"floor", "trunc"}) {
                const std::string text =
                    differs(*find_operator("aten::div.Tensor_mode"), {pair[0], pair[1], IValue(std::string(mode))}, 0);
                QVERIFY2(text.empty(), concat(mode, " ", dtype_name(dtype), ": ", text).c_str());
            }
        }
    }

    // A zero is said with what it divided, and the next call is none the worse.
    void divisionByZero() {
        const Tensor a = on_device(tensor_of<std::int64_t>({4, -9, 5}, {3}), kOwn),
                     b = on_device(tensor_of<std::int64_t>({2, 0, 1}, {3}), kOwn);
        const auto refusal = [&](const char* name) { return outcome_of(*find_operator(name), {a, b}).error; };
        QCOMPARE(refusal("aten::floor_divide"),
                 std::string("ZeroDivisionError: -9 divided by 0 (in aten::floor_divide)"));
        QCOMPARE(refusal("aten::remainder.Tensor"),
                 std::string("ZeroDivisionError: -9 divided by 0 (in aten::remainder)"));
        QCOMPARE(refusal("aten::fmod.Tensor"), std::string("ZeroDivisionError: -9 divided by 0 (in aten::fmod)"));
        QCOMPARE(outcome_of(*find_operator("aten::floor_divide"), {b, a}).error, std::string());
    }

    void sharesOutOfRange() {
        const Tensor p = on_device(tensor_of<float>({0.25F, 1.5F}, {2}), kOwn);
        QCOMPARE(outcome_of(*find_operator("aten::binary_cross_entropy"), {p, p, IValue(), 1}).error,
                 std::string("all elements of input should be between 0 and 1 (in aten::binary_cross_entropy)"));
    }
};

QTEST_GUILESS_MAIN(TestDeviceSamples)
#include "test_device_samples.moc"
