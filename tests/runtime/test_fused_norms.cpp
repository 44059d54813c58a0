// SPDX-License-Identifier: Apache-2.0
// Groups with the backward pass of a normalisation: rows, and sums over the rows, with every fuser there is.
#include <QtTest>

#include "core/base/parallel.h"
#include "core/plugin/plugin_loader.h"
#include "tests/runtime/fuser_checks.h"
#include "tests/runtime/fuser_groups.h"

using namespace loupe;
using namespace loupe::test;

class TestFusedNorms : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", cache_.path().toLocal8Bit());
        plugins();
    }
    void cleanup() { set_thread_count(0); }

    void layer_norm_backward_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("normalized");
        QTest::newRow("all") << around("[40]", "[True, True, True]", true, kAll) << 1;
        QTest::newRow("two dimensions") << around("[5, 40]", "[True, True, True]", true, kAll) << 2;
        QTest::newRow("input alone") << around("[40]", "[True, False, False]", true,
                                               "  %r : Tensor = aten::add(%dx, %y, %one)\n  return (%r)\n")
                                     << 1;
        QTest::newRow("input without weight") << around("[40]", "[True, False, False]", false,
                                                        "  %r : Tensor = aten::add(%dx, %y, %one)\n  return (%r, %t)\n")
                                              << 1;
        QTest::newRow("input and bias") << around("[40]", "[True, False, True]", true, "  return (%dx, %db)\n") << 1;
        QTest::newRow("input and weight") << around("[40]", "[True, True, False]", true,
                                                    "  %k : Tensor = aten::mul(%dw, %half)\n  return (%dx, %k)\n")
                                          << 1;
        QTest::newRow("sums alone") << around("[40]", "[False, True, True]", true, "  return (%dw, %db)\n") << 1;
        QTest::newRow("one of two sums read")
            << around("[40]", "[True, True, True]", true, "  return (%dx, %db)\n") << 1;
    }
    void layer_norm_backward() {
        QFETCH(std::string, text);
        QFETCH(int, normalized);
        Random random;
        for (const ScalarType dtype :
             {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Float16}) {
            const auto draw = [&](const Dims& sizes) { return random_tensor(random, span_of(sizes), dtype); };
            const auto turned = [&] { return fn::transpose(draw({3, 40, 5}), 1, 2); };
            const Dims shape = normalized == 2 ? Dims{5, 40} : Dims{40};
            const std::vector<std::pair<Tensor, Tensor>> kInputs{
                {draw({3, 5, 40}), draw({3, 5, 40})},
                {turned(), draw({3, 5, 40})},
                {draw({3, 5, 40}), turned()},
                {fn::expand(draw({3, 1, 40}), Dims{3, 5, 40}), draw({3, 5, 40})},
                {draw({70, 5, 40}), draw({70, 5, 40})}};
            for (const auto& [g, x] : kInputs) {
                const auto [out, mean, rstd] = fn::native_layer_norm(x, shape, draw(shape), draw(shape), 1e-5);
                for (const int threads : {1, 2}) {
                    set_thread_count(threads);
                    check_rows(text, {g, x, mean, rstd, draw(shape), draw(shape), draw({5, 40})}, 0);
                }
            }
        }
    }

    // As many as two threads share, and as many as leave the caches: the sums of all parts are there.
    void many_rows() {
        Random random;
        for (const std::int64_t rows : {1, 3, 1000, 70000}) {
            const auto draw = [&](const Dims& sizes) {
                return random_tensor(random, span_of(sizes), ScalarType::Float32);
            };
            const Tensor x = draw({rows, 40}), g = draw({rows, 40});
            const auto [out, mean, rstd] = fn::native_layer_norm(x, Dims{40}, Tensor(), Tensor(), 1e-5);
            const std::vector<IValue> inputs{g, x, mean, rstd, draw({40}), draw({40}), draw({rows, 40})};
            for (const int threads : {1, 2}) {
                set_thread_count(threads);
                check(around("[40]", "[True, True, True]", true, kAll), inputs);
            }
        }
    }

    // The same for other sizes with the same kernel, and twice the same bits.
    void sums_are_the_same_each_time() {
        const auto graph = ir::parse_graph(around("[64]", "[True, True, True]", true, kAll));
        Random random;
        set_thread_count(2);
        for (const std::string& backend : backends()) {
            FusedGroup group(graph, backend);
            for (const std::int64_t rows : {900, 1200, 5}) {
                const auto draw = [&](const Dims& sizes) {
                    return random_tensor(random, span_of(sizes), ScalarType::Float32);
                };
                const Tensor x = draw({rows, 64}), g = draw({rows, 64});
                const auto [out, mean, rstd] = fn::native_layer_norm(x, Dims{64}, Tensor(), Tensor(), 1e-5);
                const std::vector<IValue> inputs{g, x, mean, rstd, draw({64}), draw({64}), draw({rows, 64})};
                std::vector<IValue> first(4), again(4);
                group.run(inputs, first.data());
                group.run(inputs, first.data());
                group.run(inputs, again.data());
                for (std::size_t i = 0; i < first.size(); ++i)
                    QCOMPARE(bits_of(first[i].to_tensor()), bits_of(again[i].to_tensor()));
            }
            QCOMPARE(group.reason(), std::string());
        }
    }

    void text_of_sums() {
        const auto graph = ir::parse_graph(around(
            "[40]", "[True, True, True]", true, "  %r : Tensor = aten::add(%dx, %y, %one)\n  return (%r, %dw, %db)\n"));
        Random random;
        const auto draw = [&](const Dims& sizes) { return random_tensor(random, span_of(sizes), ScalarType::Float32); };
        const Fused fused = run_fused(
            graph,
            {draw({30, 40}), draw({30, 40}), draw({30, 1}), draw({30, 1}), draw({40}), draw({40}), draw({30, 40})},
            "portable");
        QCOMPARE(fused.kernels.size(), 1U);
        QCOMPARE(QString::fromStdString(fused.kernels[0].expression),
                 QString("%0: float32\n%1: float32\n%2: float32 per row\n%3: float32 per row\n%4: float32 columns\n%5: "
                         "float32 columns\n%6: float32\n"
                         "%7: float32 = Mul(%0, 0.5 as float32)\n"
                         "%8: float32 = LayerNormBackward rows(%7, %1, %2, %3, %4, %5; 1; 1; 1; 1; 0)\n"
                         "%9: float32 columns = Also()\n%10: float32 columns = Also()\n%11: float32 = Add(%8, "
                         "%6)\nreturn %9 %10 %11"));
    }

  private:
    QTemporaryDir cache_;
};

QTEST_GUILESS_MAIN(TestFusedNorms)
#include "test_fused_norms.moc"
