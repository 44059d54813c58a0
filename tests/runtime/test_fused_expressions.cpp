// SPDX-License-Identifier: Apache-2.0
// Fused groups give what their operators give one by one, bit for bit: random groups, dtypes, shapes and memory orders,
// with every fuser there is.
#include <QtTest>

#include "core/base/parallel.h"
#include "core/plugin/plugin_loader.h"
#include "tests/runtime/fuser_checks.h"
#include "tests/runtime/fuser_groups.h"

using namespace loupe;
using namespace loupe::test;

class TestFusedExpressions : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", cache_.path().toLocal8Bit());
        plugins();
    }

    void random_groups_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 150; ++seed) QTest::addRow("%d", seed) << seed;
    }
    void random_groups() {
        QFETCH(int, seed);
        Drawing drawing(static_cast<std::uint32_t>(seed) + 1000);
        constexpr ScalarType kTypes[] = {ScalarType::Float32, ScalarType::Float32, ScalarType::Float64,
                                         ScalarType::BFloat16, ScalarType::Float16};
        const std::size_t inputs = 1 + drawing.below(3);
        const std::size_t shape = drawing.below(8);
        const std::string text = drawing.draw(inputs, 2 + drawing.below(9));
        const ScalarType dtype = kTypes[drawing.below(std::size(kTypes))];
        std::vector<IValue> tensors;
        for (std::size_t i = 0; i < inputs; ++i) {
            const bool is_other = drawing.below(5) == 0;
            tensors.emplace_back(
                drawing.tensor(is_other ? kTypes[drawing.below(std::size(kTypes))] : dtype, shape, drawing.below(3)));
        }
        const auto is_empty = [](const IValue& t) { return t.to_tensor().numel() == 0; };
        // A number that a comparison of 16-bit tensors rounds first, and results that stay as they were, need no
        // kernel.
        const Ptr<ir::Graph> graph = ir::parse_graph(text);
        FusedGroup group(graph);
        std::vector<IValue> results(graph->outputs().size());
        group.run(tensors, results.data());
        group.run(tensors, results.data());
        const bool is_fused = group.reason().empty();
        if (!is_fused)
            QVERIFY2(std::any_of(tensors.begin(), tensors.end(), is_empty) ||
                         group.reason().find("looks at a tensor of []") != std::string::npos,
                     group.reason().c_str());
        check(text, tensors, is_fused);
    }

    // Pointwise operators and reductions in any order; infinities, NaN, integers, truth values, empty and 0-dimensional
    // tensors, expanded and transposed ones; the operators' own errors.
    void random_rows_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 100; ++seed) QTest::addRow("%d", seed) << seed;
    }
    void random_rows() {
        QFETCH(int, seed);
        Drawing drawing(static_cast<std::uint32_t>(seed) + 5000);
        constexpr ScalarType kTypes[] = {ScalarType::Float32,  ScalarType::Float32, ScalarType::Float64,
                                         ScalarType::BFloat16, ScalarType::Float16, ScalarType::Int64,
                                         ScalarType::Int32,    ScalarType::UInt8,   ScalarType::Bool};
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
            for (const FusedKernelText& kernel : group.kernels())
                shown += kernel.expression + "\n" + kernel.program + "\n";
            for (std::size_t i = 0; i < want.size(); ++i) {
                const std::string problem = near(got[i].to_tensor(), want[i].to_tensor());
                QVERIFY2(problem.empty(), concat(backend, ": ", problem, " of ", describe(tensors[0].to_tensor()), "\n",
                                                 text, "\n", shown)
                                              .c_str());
            }
        }
        set_thread_count(0);
    }

    // So many elements that kernels write past the caches, two results of them.
    void many_elements() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  %c "
            ": Tensor = aten::gt(%b, %x)\n"
            "  return (%b, %c)\n");
        Random random;
        const Tensor x = random_tensor(random, {4500001}, ScalarType::Float32),
                     y = random_tensor(random, {4500001}, ScalarType::Float32);
        const std::vector<IValue> inputs{fn::slice(x, 0, 3, 4500001, 1), fn::slice(y, 0, 0, 4499998, 1)};
        const std::vector<IValue> want = run_unfused(graph, inputs);
        for (const std::string& backend : backends()) {
            const Fused fused = run_fused(graph, inputs, backend);
            for (std::size_t i = 0; i < 2; ++i)
                QCOMPARE(difference(fused.results[i].to_tensor(), want[i].to_tensor()), std::string());
        }
    }

    // Not computed again for each of the elements that it is broadcast to.
    void what_is_smaller_is_computed_once() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::exp(%y)\n  %b : Tensor = aten::tanh(%a)\n"
            "  %c : Tensor = aten::mul(%x, %b)\n  %d : Tensor = aten::relu(%c)\n  return (%d)\n");
        Random random;
        const Fused fused = run_fused(
            graph,
            {random_tensor(random, {30, 50}, ScalarType::Float32), random_tensor(random, {50}, ScalarType::Float32)},
            "portable");
        QCOMPARE(fused.kernels.size(), std::size_t{2});
    }

    void numbers_are_part_of_the_key() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %k : float):\n  %a : Tensor = aten::mul(%x, %k)\n  %b : Tensor = aten::exp(%a)\n  "
            "return (%b)\n");
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
            "graph(%x : Tensor):\n  %none : NoneType = prim::Constant()\n  %zero : int = prim::Constant[value=0]()\n  "
            "%a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::cumsum(%a, %zero, %none)\n  return (%b)\n");
        Random random;
        const Fused fused = run_fused(graph, {random_tensor(random, {9}, ScalarType::Float32)}, "portable");
        QCOMPARE(fused.reason, std::string("aten::cumsum is not made of elementwise loops"));
    }

    // Two results of other shapes that share a number: each has its own loop.
    void shapes_that_do_not_meet() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor, %z : Tensor):\n  %a : Tensor = aten::neg(%z)\n  %b : Tensor = "
            "aten::mul(%x, %a)\n"
            "  %c : Tensor = aten::mul(%y, %a)\n  %d : Tensor = aten::exp(%b)\n  return (%c, %d)\n");
        Random random;
        const std::vector<std::array<std::int64_t, 2>> kSizes{{5, 6}, {6, 5}, {7, 7}, {5, 6}};
        for (const std::string& backend : backends()) {
            FusedGroup group(graph, backend);
            for (const auto& [n, m] : kSizes) {
                const std::vector<IValue> inputs{random_tensor(random, {n}, ScalarType::Float32),
                                                 random_tensor(random, {m}, ScalarType::Float32),
                                                 random_tensor(random, {}, ScalarType::Float32)};
                const std::vector<IValue> want = run_unfused(graph, inputs);
                std::vector<IValue> got(2);
                group.run(inputs, got.data());
                for (std::size_t i = 0; i < 2; ++i)
                    QCOMPARE(difference(got[i].to_tensor(), want[i].to_tensor()), std::string());
            }
            QCOMPARE(group.reason(), std::string());
        }
    }

    // Rows: reductions and what goes before and after, in one loop.
    void rows_data() {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<int>("kernels");
        for (const RowBody& row : row_bodies()) QTest::newRow(row.name) << std::string(row.body) << row.kernels;
    }
    void rows() {
        QFETCH(std::string, body);
        QFETCH(int, kernels);
        Random random;
        for (const ScalarType dtype :
             {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16, ScalarType::Float16}) {
            const std::string text = row_group(body, dtype);
            for (const std::vector<IValue>& inputs : row_inputs(random, dtype)) {
                if (kernels < 0 && inputs[0].to_tensor().dim() == 3) continue;
                check_rows(text, inputs, kernels);
            }
        }
    }

    void rows_of_other_lengths() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %last : int = prim::Constant[value=-1]()\n  %none : NoneType = prim::Constant()\n  "
            "%a : Tensor = aten::exp(%x)\n"
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
            "graph(%x : Tensor):\n  %last : int[] = prim::Constant[value=[-1]]()\n  %none : NoneType = "
            "prim::Constant()\n  %no : bool = prim::Constant[value=0]()\n"
            "  %a : Tensor = aten::exp(%x)\n  %r : Tensor = aten::sum(%a, %last, %no, %none)\n  return (%r)\n");
        set_thread_count(2);
        Random random;
        const Fused fused = run_fused(graph, {random_tensor(random, {2, 100000}, ScalarType::Float32)}, "portable");
        set_thread_count(0);
        QCOMPARE(fused.reason, std::string("2 rows of 100000 elements are too few to share"));
    }

    void errors_are_the_operators() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  "
            "return (%b)\n");
        Random random;
        FusedGroup group(graph);
        const auto run = [&](std::int64_t n) {
            IValue result;
            const std::vector<IValue> inputs{random_tensor(random, {4}, ScalarType::Float32),
                                             random_tensor(random, {n}, ScalarType::Float32)};
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
    QTemporaryDir cache_;
};

QTEST_GUILESS_MAIN(TestFusedExpressions)
#include "test_fused_expressions.moc"
