// SPDX-License-Identifier: Apache-2.0
// The kernels of plugins/onednn: each gives what the portable kernel gives, or declines and says why.

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/dispatch/functions.h"
#include "core/ops/nn/common.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/kernel_cache.h"

using namespace loupe;

namespace {

using Values = std::vector<IValue>;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor draw(const Dims& sizes) {
    static Random random(7);
    return random_tensor(random, span_of(sizes), ScalarType::Float32);
}

const Operator& operator_of(const char* name) {
    const Operator* op = find_operator(name);
    if (op == nullptr) throw std::runtime_error(name);
    return *op;
}

std::string choice(const char* op, const Values& arguments) {
    return explain_kernel_choice(operator_of(op), arguments).front();
}

Values call(const Operator& op, const Values& arguments) {
    Values results(op.result_count());
    call_operator(op, arguments, results.data());
    return results;
}

// The same call without the plugins' candidates.
Values call_portable(const Operator& op, const Values& arguments) {
    auto& candidates = op.kernels->candidates[0];
    const auto all = candidates;
    candidates = {all.back()};
    Values results = call(op, arguments);
    candidates = all;
    return results;
}

// Empty when they are equal up to rounding; NaN equals NaN, indices must be the same.
std::string difference(const IValue& a, const IValue& b) {
    const Tensor got = a.to_tensor();
    const Tensor want = b.to_tensor();
    if (got.defined() != want.defined()) return "one is undefined";
    if (!got.defined()) return {};
    if (describe(got) != describe(want)) return concat("is ", describe(got), ", should be ", describe(want));
    if (!std::ranges::equal(got.strides(), want.strides())) return "strides differ";
    const Tensor x = packed_as(got, ScalarType::Float64);
    const Tensor y = packed_as(want, ScalarType::Float64);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double p = x.data<double>()[i];
        const double q = y.data<double>()[i];
        if ((std::isnan(p) && std::isnan(q)) || p == q) continue;
        if (!(std::fabs(p - q) <= 1e-4 * (1 + std::fabs(q))))
            return concat("element ", i, " is ", p, ", should be ", q);
    }
    return {};
}

// Empty when oneDNN takes the call and gives what the portable kernel gives.
std::string compare(const char* name, const Values& arguments) {
    if (choice(name, arguments) != "onednn: runs") return choice(name, arguments);
    const Operator& op = operator_of(name);
    const Values got = call(op, arguments);
    const Values want = call_portable(op, arguments);
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::string text = difference(got[i], want[i]);
        if (!text.empty()) return concat("result ", i, ": ", text);
    }
    return {};
}

// The same against float64: the portable float32 products are oneDNN's too.
std::string compare_with_double(const char* name, const Values& arguments) {
    if (choice(name, arguments) != "onednn: runs") return choice(name, arguments);
    const Operator& op = operator_of(name);
    Values doubles = arguments;
    for (IValue& value : doubles) {
        if (value.is_tensor()) value = packed_as(value.to_tensor(), ScalarType::Float64);
    }
    const IValue want = packed_as(call(op, doubles)[0].to_tensor(), ScalarType::Float32);
    return difference(call(op, arguments)[0], want);
}

Tensor channels_last(const Tensor& t) {
    const Tensor out = empty_strided(t.sizes(), span_of(nn_ops::channels_last_strides(t.sizes())), t.dtype());
    copy_strided(out, t);
    return out;
}

// A weight as a module owns it, seen as a linear layer sees it.
Tensor weight_seen(const Tensor& weight) {
    weight.storage()->set_category(MemoryCategory::Parameter);
    return fn::t(weight);
}

}  // namespace

// The text must be empty, and is shown when it is not.
#define EXPECT_NOTHING(...)                   \
    do {                                      \
        const std::string text = __VA_ARGS__; \
        QVERIFY2(text.empty(), text.c_str()); \
    } while (false)
#define COMPARE_WITH_DOUBLE(op, ...) EXPECT_NOTHING(compare_with_double(op, Values{__VA_ARGS__}))

class TestOnednn : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        set_thread_count(1);  // what is accepted depends on it
        const auto plugins = load_plugins_from(LOUPE_BINARY_DIR "/lib/plugins");
        const auto found =
            std::find_if(plugins.begin(), plugins.end(), [](const PluginStatus& s) { return s.name == "onednn"; });
        QVERIFY(found != plugins.end());
        QVERIFY2(found->loaded, found->reason.c_str());
    }

    void declinesOtherTypes() {
        const Values integers{tensor_of<std::int64_t>({1, 2, 3, 4}, {2, 2}),
                              tensor_of<std::int64_t>({1, 2, 3, 4}, {2, 2})};
        QCOMPARE(choice("aten::mm", integers), std::string("onednn: declined, int64 input"));
    }

    void samplesAgree_data() {
        QTest::addColumn<int>("op");
        for (std::size_t i = 0; i < all_operators().size(); ++i) {
            const Operator& op = *all_operators()[i];
            const auto& candidates = op.kernels->candidates[0];
            const bool has = std::any_of(candidates.begin(), candidates.end(),
                                         [](const KernelCandidate& c) { return c.backend == "onednn"; });
            if (has && op.variant == OperatorVariant::Functional && op.record->samples != nullptr) {
                QTest::newRow(op.full_name.c_str()) << static_cast<int>(i);
            }
        }
    }
    void samplesAgree() {
        QFETCH(int, op);
        const Operator& chosen = *all_operators()[static_cast<std::size_t>(op)];
        Random random(7);
        for (const Sample& sample : chosen.record->samples(random, ScalarType::Float32)) {
            const Values got = call(chosen, sample.arguments);
            const Values want = call_portable(chosen, sample.arguments);
            for (std::size_t i = 0; i < got.size(); ++i) {
                const std::string text = difference(got[i], want[i]);
                QVERIFY2(text.empty(), concat(sample.name, ": result ", i, " ", text).c_str());
            }
        }
    }

    // Odd sizes, groups, a channels-last input and a slice of one.
    void convolution() {
        const Values rest{Dims{2, 1}, Dims{1, 2}, Dims{1, 1}, false, Dims{0, 0}, 1};
        const auto with = [&](const Tensor& x, const Tensor& weight, std::int64_t groups) {
            Values arguments{x, weight, draw({weight.sizes()[0]})};
            arguments.insert(arguments.end(), rest.begin(), rest.end());
            arguments.back() = groups;
            return compare("aten::convolution", arguments);
        };
        for (const Tensor& x :
             {draw({2, 6, 9, 7}), channels_last(draw({3, 6, 9, 7})), fn::slice(draw({2, 6, 9, 14}), 3, 1, 14, 2)}) {
            EXPECT_NOTHING(with(x, draw({10, 6, 3, 3}), 1));
            EXPECT_NOTHING(with(x, draw({9, 2, 3, 1}), 3));
            EXPECT_NOTHING(with(x, draw({6, 1, 2, 3}), 6));
        }
    }

    // ---- products: sizes on both sides of where another way of multiplying is taken

    void linear_data() {
        QTest::addColumn<int>("rows");
        for (const int rows : {1, 3, 4, 15, 16, 17, 128, 129}) QTest::addRow("%d rows", rows) << rows;
    }
    void linear() {
        QFETCH(int, rows);
        const Dims sizes{rows, 150};
        for (const Tensor& right : {weight_seen(draw({131, 150})), draw({150, 131}), fn::t(draw({131, 150}))}) {
            COMPARE_WITH_DOUBLE("aten::mm", draw(sizes), right);
            COMPARE_WITH_DOUBLE("aten::addmm", draw({131}), draw(sizes), right, 1, 1);
            COMPARE_WITH_DOUBLE("aten::addmm", draw({131}), draw(sizes), right, 0.5, 2);
            COMPARE_WITH_DOUBLE("aten::addmm", draw({rows, 131}), draw(sizes), right, 1, 1);
            COMPARE_WITH_DOUBLE("aten::mm", fn::t(draw({150, rows})), right);
            COMPARE_WITH_DOUBLE("aten::mm", fn::t(draw({150, 262 + rows})), right);
        }
        COMPARE_WITH_DOUBLE("aten::addmm", draw({131}), draw(sizes), fn::t(fn::slice(draw({131, 190}), 1, 7, 157, 1)),
                            1, 1);
        COMPARE_WITH_DOUBLE("aten::bmm", draw({5, rows, 150}), fn::transpose(draw({5, 131, 150}), 1, 2));
        COMPARE_WITH_DOUBLE("aten::bmm", draw({1, rows, 150}), fn::transpose(draw({1, 131, 150}), 1, 2));
    }

    // Matrices of a batch side by side, each on one thread, by what was made for all of them.
    void productsSideBySide() {
        set_thread_count(2);
        for (int i = 0; i < 2; ++i) {
            COMPARE_WITH_DOUBLE("aten::mm", draw({128, 150}), fn::t(draw({131, 150})));
            COMPARE_WITH_DOUBLE("aten::mm", fn::t(draw({150, 300})), draw({150, 131}));
            COMPARE_WITH_DOUBLE("aten::bmm", draw({6, 128, 150}), fn::transpose(draw({6, 131, 150}), 1, 2));
            COMPARE_WITH_DOUBLE("aten::bmm", fn::transpose(draw({6, 150, 300}), 1, 2), draw({6, 150, 131}));
        }
        set_thread_count(1);
    }

    // What is packed follows the weight.
    void packedWeightIsForgotten() {
        const Tensor weight = draw({160, 130});
        const Tensor x = draw({8, 130});
        COMPARE_WITH_DOUBLE("aten::mm", x, weight_seen(weight));
        fn::copy_(weight, draw({160, 130}));
        COMPARE_WITH_DOUBLE("aten::mm", x, weight_seen(weight));
        set_requires_grad(weight, true);
        COMPARE_WITH_DOUBLE("aten::mm", x, weight_seen(weight));
    }

    // And goes with it: models that were closed held theirs.
    void packedWeightGoesWithTheWeight() {
        const auto packed_of = [](std::uint64_t storage) {
            int count = 0;
            visit_kernel_caches([&](const KernelCacheBlock& block) { count += block.of_storage == storage ? 1 : 0; });
            return count;
        };
        std::uint64_t storage = 0;
        {
            const Tensor weight = draw({160, 130});
            storage = weight.storage()->id();
            COMPARE_WITH_DOUBLE("aten::mm", draw({8, 130}), weight_seen(weight));
            QVERIFY(packed_of(storage) > 0);
            drop_dead_kernel_caches();
            QVERIFY(packed_of(storage) > 0);
        }
        drop_dead_kernel_caches();
        QCOMPARE(packed_of(storage), 0);
    }

    void productsKeepNaN() {
        const Tensor x = draw({32, 150});
        x.data<float>()[3] = kNaN;
        x.data<float>()[400] = kInfinity;
        COMPARE_WITH_DOUBLE("aten::mm", x, weight_seen(draw({131, 150})));
        COMPARE_WITH_DOUBLE("aten::mm", x, fn::t(draw({131, 150})));
    }

    // ---- pooling

    void averages() {
        for (const Tensor& x :
             {draw({2, 19, 11, 9}), channels_last(draw({2, 19, 11, 9})), draw({16, 11, 9}), draw({2, 32, 12, 8}),
              channels_last(draw({1, 3, 40, 30})), fn::slice(draw({2, 19, 11, 18}), 3, 0, 18, 2)}) {
            for (const bool count_padding : {true, false}) {
                for (const bool ceil : {true, false}) {
                    checkAverage({x, Dims{2, 2}, Dims{}, Dims{0, 0}, ceil, count_padding, IValue()});
                    checkAverage({x, Dims{3, 3}, Dims{1, 1}, Dims{1, 1}, ceil, count_padding, IValue()});
                    checkAverage(
                        {x, Dims{3, 2}, Dims{1, 2}, Dims{1, 0}, ceil && !count_padding, count_padding, IValue()});
                }
            }
            QCOMPARE(choice("aten::avg_pool2d", {x, Dims{2, 2}, Dims{2, 2}, Dims{0, 0}, false, true, 3}),
                     std::string("onednn: declined, divisor_override"));
        }
        QCOMPARE(choice("aten::avg_pool2d",
                        {draw({4, 4, 16, 16}), Dims{3, 3}, Dims{2, 2}, Dims{1, 1}, true, true, IValue()}),
                 std::string("onednn: declined, windows that reach beyond the padding (ceil_mode)"));
        QCOMPARE(
            choice("aten::avg_pool2d", {draw({1, 4, 4, 4}), Dims{2, 2}, Dims{}, Dims{0, 0}, false, true, IValue()}),
            std::string("onednn: declined, too few windows"));
        QCOMPARE(
            choice("aten::avg_pool2d", {draw({1, 2, 128, 128}), Dims{2, 2}, Dims{}, Dims{0, 0}, false, true, IValue()}),
            std::string("onednn: declined, planes that collide in the cache"));
    }
    void averagesKeepNaN() {
        const Tensor x = draw({2, 5, 16, 16});
        x.data<float>()[17] = kNaN;
        x.data<float>()[400] = kInfinity;
        checkAverage({x, Dims{3, 3}, Dims{1, 1}, Dims{1, 1}, false, true, IValue()});
        checkAverage({channels_last(x), Dims{3, 3}, Dims{2, 2}, Dims{1, 1}, false, false, IValue()});
    }
    void averagesOfVolumes() {
        const Tensor x = draw({2, 5, 8, 10, 12});
        const Values arguments{x, Dims{2, 3, 2}, Dims{2, 1, 2}, Dims{1, 1, 0}, false, true, IValue()};
        EXPECT_NOTHING(compare("aten::avg_pool3d", arguments));
        Values backward = arguments;
        backward.insert(backward.begin(),
                        draw(to_dims(call(operator_of("aten::avg_pool3d"), arguments)[0].to_tensor().sizes())));
        EXPECT_NOTHING(compare("aten::avg_pool3d_backward", backward));
    }
    void adaptiveAverages() {
        for (const Tensor& x : {draw({2, 19, 12, 8}), channels_last(draw({2, 19, 12, 8})), draw({33, 12, 8})}) {
            EXPECT_NOTHING(compare("aten::_adaptive_avg_pool2d", {x, Dims{4, 4}}));
            QCOMPARE(choice("aten::_adaptive_avg_pool2d", {x, Dims{5, 4}}),
                     std::string("onednn: declined, windows of different sizes"));
            Dims sizes = to_dims(x.sizes());
            sizes[sizes.size() - 2] = sizes[sizes.size() - 1] = 4;
            // Where windows tile planes the gradient is only copied, by the portable kernel.
            const Values backward{draw(sizes), x};
            if (x.is_contiguous())
                QCOMPARE(choice("aten::_adaptive_avg_pool2d_backward", backward), std::string(kTiles));
            else
                EXPECT_NOTHING(compare("aten::_adaptive_avg_pool2d_backward", backward));
            if (x.dim() == 4 && !x.is_contiguous())
                EXPECT_NOTHING(compare("aten::_adaptive_avg_pool2d_backward", {channels_last(draw(sizes)), x}));
        }
        EXPECT_NOTHING(compare("aten::_adaptive_avg_pool3d", {draw({2, 9, 6, 8, 4}), Dims{3, 4, 2}}));
    }

    // Values and indices; of equal elements the first counts.
    void largest() {
        for (const Tensor& drawn :
             {draw({2, 19, 11, 9}), channels_last(draw({2, 19, 11, 9})), draw({16, 11, 9}), draw({2, 32, 12, 8}),
              channels_last(draw({1, 3, 40, 30})), fn::slice(draw({2, 19, 11, 18}), 3, 0, 18, 2)}) {
            for (const Tensor& x : {drawn, fn::relu(drawn), fn::zeros_like(drawn)}) {
                for (const bool ceil : {true, false}) {
                    checkLargest({x, Dims{2, 2}, Dims{}, Dims{0, 0}, Dims{1, 1}, ceil});
                    checkLargest({x, Dims{3, 3}, Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, ceil});
                    checkLargest({x, Dims{3, 3}, Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, ceil});
                    checkLargest({x, Dims{3, 2}, Dims{1, 2}, Dims{1, 0}, Dims{1, 1}, ceil});
                }
            }
            QCOMPARE(
                choice("aten::max_pool2d_with_indices", {drawn, Dims{2, 2}, Dims{}, Dims{0, 0}, Dims{2, 2}, false}),
                std::string("onednn: declined, dilation"));
        }
        EXPECT_NOTHING(compare("aten::max_pool3d_with_indices", {draw({2, 5, 8, 10, 12}), Dims{2, 3, 2}, Dims{2, 1, 2},
                                                                 Dims{1, 1, 0}, Dims{1, 1, 1}, true}));
    }
    void largestOfExtremes() {
        const Tensor x = draw({2, 5, 16, 16});
        x.data<float>()[17] = kInfinity;
        x.data<float>()[700] = std::numeric_limits<float>::lowest();
        const Values rest{Dims{3, 3}, Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, false};
        Values arguments{x};
        arguments.insert(arguments.end(), rest.begin(), rest.end());
        checkLargest(arguments);
        for (const float bad : {kNaN, -kInfinity}) {
            x.data<float>()[400] = bad;
            QCOMPARE(choice("aten::max_pool2d_with_indices", arguments),
                     std::string("onednn: declined, NaN or -inf in the input"));
        }
    }

    // ---- normalisation

    void layerNorm() {
        for (const Dims& shape : {Dims{33}, Dims{512}, Dims{6, 7}}) {
            Dims sizes{50, 50};
            sizes.insert(sizes.end(), shape.begin(), shape.end());
            const Tensor x = fn::add_scalar(fn::mul_scalar(draw(sizes), Scalar(3)), Scalar(10));
            x.data<float>()[100] = kNaN;
            EXPECT_NOTHING(compare("aten::native_layer_norm", {x, shape, draw(shape), draw(shape), 1e-5}));
            EXPECT_NOTHING(compare("aten::native_layer_norm", {x, shape, IValue(), IValue(), 0.1}));
            EXPECT_NOTHING(
                compare("aten::native_layer_norm", {fn::transpose(x, 0, 1), shape, draw(shape), IValue(), 1e-5}));
        }
        QCOMPARE(choice("aten::native_layer_norm", {draw({4, 8}), Dims{8}, draw({8}), draw({8}), 1e-5}),
                 std::string("onednn: declined, too few elements"));
    }

    void batchNorm_data() {
        QTest::addColumn<int>("channels");
        for (const int channels : {16, 20, 24, 64}) QTest::addRow("%d channels", channels) << channels;
    }
    void batchNorm() {
        QFETCH(int, channels);
        const Dims sizes{3, channels, 5, 7};
        const Dims c{channels};
        for (const bool training : {true, false}) {
            for (const bool affine : {true, false}) {
                const Tensor x = channels_last(fn::add_scalar(draw(sizes), Scalar(2)));
                const IValue weight = affine ? IValue(draw(c)) : IValue();
                const IValue bias = affine ? IValue(draw(c)) : IValue();
                const Tensor mean = draw(c);
                const Tensor variance = fn::add_scalar(fn::abs(draw(c)), Scalar(0.5));
                const Tensor same_mean = fn::clone(mean);
                const Tensor same_variance = fn::clone(variance);
                const Values arguments{x, weight, bias, mean, variance, training, 0.3, 1e-3};
                QCOMPARE(choice("aten::native_batch_norm", arguments), std::string("onednn: runs"));
                const Operator& op = operator_of("aten::native_batch_norm");
                const Values got = call(op, arguments);
                const Values want = call_portable(op, {x, weight, bias, same_mean, same_variance, training, 0.3, 1e-3});
                for (std::size_t i = 0; i < 3; ++i) EXPECT_NOTHING(difference(got[i], want[i]));
                EXPECT_NOTHING(difference(mean, same_mean));
                EXPECT_NOTHING(difference(variance, same_variance));
                for (const Tensor& grad : {channels_last(draw(sizes)), draw(sizes)}) {
                    EXPECT_NOTHING(compare("aten::native_batch_norm_backward",
                                           {grad, x, weight, mean, variance, want[1], want[2], training, 1e-3,
                                            nn_ops::bool_list({true, affine, affine})}));
                }
            }
        }
        QVERIFY(choice("aten::native_batch_norm", {draw(sizes), draw(c), draw(c), draw(c), draw(c), true, 0.1, 1e-5})
                    .starts_with("onednn: declined, not channels last"));
    }
    void batchNormKeepsNaN() {
        const Tensor x = channels_last(draw({2, 32, 4, 4}));
        x.data<float>()[5] = kNaN;
        const Dims c{32};
        for (const bool training : {true, false}) {
            EXPECT_NOTHING(compare("aten::native_batch_norm", {x, draw(c), draw(c), IValue(fn::zeros_like(draw(c))),
                                                               IValue(fn::ones_like(draw(c))), training, 0.0, 1e-5}));
        }
    }

    // ---- recurrent layers

    void recurrent_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<bool>("reverse");
        QTest::addColumn<bool>("biased");
        for (const char* mode : {"lstm", "gru"}) {
            for (const bool reverse : {false, true}) {
                for (const bool biased : {false, true}) {
                    QTest::addRow("%s%s%s", mode, reverse ? ", reverse" : "", biased ? ", biased" : "")
                        << mode << reverse << biased;
                }
            }
        }
    }
    void recurrent() {
        QFETCH(QString, mode);
        QFETCH(bool, reverse);
        QFETCH(bool, biased);
        const std::string name = mode.toStdString();
        for (const auto& [steps, batch, inputs, hidden] :
             {std::array<std::int64_t, 4>{40, 1, 40, 50}, {7, 5, 64, 64}, {50, 3, 17, 33}}) {
            Values arguments = layerArguments(name, steps, batch, inputs, hidden, reverse);
            if (!biased) arguments[5] = arguments[6] = IValue();
            compareLayers(arguments);
            // As parameters the weights are kept packed, until they change.
            for (const std::size_t i : {3, 4})
                arguments[i].to_tensor().storage()->set_category(MemoryCategory::Parameter);
            compareLayers(arguments);
            call(operator_of("aten::mul_.Scalar"), {arguments[4], -0.5});
            compareLayers(arguments);
        }
    }
    void recurrentOverThreads() {
        set_thread_count(2);
        for (const char* mode : {"lstm", "gru"}) {
            compareLayers(layerArguments(mode, 20, 1, 40, 100, false));
            compareLayers(layerArguments(mode, 5, 8, 40, 200, true));
        }
        set_thread_count(1);
    }
    void recurrentKeepsNaN() {
        for (const char* mode : {"lstm", "gru"}) {
            const Values arguments = layerArguments(mode, 20, 4, 32, 48, false);
            arguments[0].to_tensor().data<float>()[32 * 20] = kNaN;
            compareLayers(arguments);
        }
    }
    void recurrentDeclines() {
        Values arguments = layerArguments("lstm", 10, 4, 64, 64, false);
        const auto answer = [&] { return choice("loupe::rnn_layer", arguments); };
        QCOMPARE(answer(), std::string("onednn: runs"));
        arguments[7] = Dims{4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 1};
        QCOMPARE(answer(), std::string("onednn: declined, sequences of different lengths"));
        arguments = layerArguments("lstm", 2, 1, 8, 8, false);
        QCOMPARE(answer(), std::string("onednn: declined, too little to do"));
        arguments = layerArguments("gru", 10, 4, 64, 64, false);
        set_thread_count(2);
        QCOMPARE(answer(), std::string("onednn: declined, a batch of small states"));
        set_thread_count(1);
        set_requires_grad(arguments[4].to_tensor(), true);
        QCOMPARE(answer(), std::string("onednn: declined, the gates are kept for the backward pass"));
        // A call that is recorded has its gates.
        const Values recorded = call(operator_of("loupe::rnn_layer"), arguments);
        QVERIFY(fn::sum(fn::abs(recorded[3].to_tensor())).data<float>()[0] > 0);
        const GradModeScope no_grad(false);
        QCOMPARE(answer(), std::string("onednn: runs"));
    }

    void declinesNothing() {
        QCOMPARE(choice("aten::mm", {draw({0, 3}), draw({3, 4})}), std::string("onednn: declined, empty input"));
    }

  private:
    static Values layerArguments(const std::string& mode, std::int64_t steps, std::int64_t batch, std::int64_t inputs,
                                 std::int64_t hidden, bool reverse) {
        const std::int64_t gates = (mode == "lstm" ? 4 : 3) * hidden;
        const auto weight = [&](const Dims& sizes) { return fn::mul_scalar(draw(sizes), Scalar(0.1)); };
        return {draw({steps * batch, inputs}),
                draw({batch, hidden}),
                mode == "lstm" ? IValue(draw({batch, hidden})) : IValue(),
                weight({gates, inputs}),
                weight({gates, hidden}),
                weight({gates}),
                weight({gates}),
                Dims(static_cast<std::size_t>(steps), batch),
                mode,
                reverse};
    }
    // All but the gates.
    static void compareLayers(const Values& arguments) {
        QCOMPARE(choice("loupe::rnn_layer", arguments), std::string("onednn: runs"));
        const Operator& op = operator_of("loupe::rnn_layer");
        const Values got = call(op, arguments);
        const Values want = call_portable(op, arguments);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NOTHING(difference(got[i], want[i]));
        QVERIFY(std::ranges::equal(got[3].to_tensor().sizes(), want[3].to_tensor().sizes()));
    }
    static void checkAverage(const Values& arguments) {
        EXPECT_NOTHING(compare("aten::avg_pool2d", arguments));
        Values backward = arguments;
        backward.insert(backward.begin(),
                        draw(to_dims(call(operator_of("aten::avg_pool2d"), arguments)[0].to_tensor().sizes())));
        if (tilesPlanes(arguments))
            QCOMPARE(choice("aten::avg_pool2d_backward", backward), std::string(kTiles));
        else
            EXPECT_NOTHING(compare("aten::avg_pool2d_backward", backward));
    }
    static constexpr const char* kTiles = "onednn: declined, windows that tile the input";
    static bool tilesPlanes(const Values& arguments) {
        const Tensor x = arguments[0].to_tensor();
        const Dims kernel = arguments[1].to_ints();
        return x.is_contiguous() && arguments[2].to_ints().empty() && arguments[3].to_ints() == Dims{0, 0} &&
               x.size(-2) % kernel[0] == 0 && x.size(-1) % kernel[1] == 0;
    }
    static void checkLargest(const Values& arguments) {
        EXPECT_NOTHING(compare("aten::max_pool2d_with_indices", arguments));
    }
};

QTEST_APPLESS_MAIN(TestOnednn)
#include "test_onednn.moc"
