// SPDX-License-Identifier: Apache-2.0
// Kernels of fused groups: what is shown of them, the cache on the disk, backends that fail.
#include <QtTest>

#include "core/ops/numbers/warnings.h"
#include "core/plugin/plugin_loader.h"
#include "tests/runtime/fuser_checks.h"

using namespace loupe;
using namespace loupe::test;

class TestFuser : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        if (!qEnvironmentVariableIsSet("LOUPE_TEST_CACHE")) qputenv("XDG_CACHE_HOME", cache_.path().toLocal8Bit());
        for (const PluginStatus& plugin : plugins())
            qInfo("%s: %s", plugin.name.c_str(), plugin.loaded ? "loaded" : plugin.reason.c_str());
    }

    // Of LLVM, when it is there: vector code, shown as IR and as assembly.
    void compiled_code_is_shown() {
        if (!has_llvm()) QSKIP("without LLVM");
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::relu(%a)\n  "
            "return (%b)\n");
        Random random;
        const Fused fused = run_fused(
            graph,
            {random_tensor(random, {100}, ScalarType::Float32), random_tensor(random, {100}, ScalarType::Float32)},
            "llvm");
        QCOMPARE(fused.kernels.size(), std::size_t{1});
        const FusedKernelText& text = fused.kernels[0];
        QCOMPARE(text.backend, std::string("llvm"));
        QVERIFY2(
            text.ir.find(" x float>") != std::string::npos && text.ir.find("define void @fused") != std::string::npos,
            text.ir.c_str());
        QVERIFY(text.assembly.find("fused:") != std::string::npos);
        QVERIFY(text.compile_seconds > 0);
    }

    void what_fusing_is_worth() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %none : NoneType = prim::Constant()\n  %a : Tensor = aten::exp(%x)\n  %b : Tensor "
            "= aten::neg(%a)\n  return (%b)\n");
        Random random;
        const FusedGroupMeasure measure =
            measure_fused_group(graph, {random_tensor(random, {1000}, ScalarType::Float32)}, "portable");
        QCOMPARE(measure.reason, std::string());
        QCOMPARE(measure.kernels.size(), std::size_t{1});
        QVERIFY(measure.fused_seconds > 0 && measure.unfused_seconds > 0);
        QCOMPARE(measure.bytes, std::int64_t{8000});  // read once, written once
    }

    // A backend that fails costs nothing but its turn; of one alone it is said.
    void a_backend_that_fails() {
        add_fuser(
            {"broken", [](const FusedExpression&, const std::vector<bool>&, std::string*) -> Ptr<const FusedKernel> {
                 throw Error(ErrorKind::Plugin, "out of order");
             }});
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %a : Tensor = aten::exp(%x)\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n");
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
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor):\n  %a : Tensor = aten::abs(%x)\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n");
        Random random;
        QCOMPARE(
            measure_fused_group(graph, {random_tensor(random, {1000}, ScalarType::Float32)}, "llvm").kernels.size(),
            std::size_t{1});
    }

    void two_processes_at_once() {
        if (!has_llvm()) QSKIP("without LLVM");
        const QTemporaryDir folder;
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 3; ++i)
            processes.push_back(start_again(folder.path(), "other_shapes_of_the_same_kind", {}));
        for (const auto& process : processes) QVERIFY(has_passed(*process));
        // What they left is whole.
        QVERIFY(run_again(folder.path(), "no_warnings", {{"LOUPE_TEST_WARNINGS", "none"}}));
    }

    void damaged_kernels_are_reported() {
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
            "graph(%x : Tensor, %y : Tensor):\n  %one : int = prim::Constant[value=1]()\n  %a : Tensor = aten::mul(%x, "
            "%y)\n"
            "  %b : Tensor = aten::tanh(%a)\n  %c : Tensor = aten::add(%b, %one, %one)\n  return (%c)\n");
        Random random;
        const std::vector<IValue> inputs{random_tensor(random, {4, 5}, ScalarType::Float32),
                                         random_tensor(random, {5}, ScalarType::Float32)};
        const Fused fused = run_fused(graph, inputs, "portable");
        QCOMPARE(fused.reason, std::string());
        QCOMPARE(fused.kernels.size(), std::size_t{1});
        QCOMPARE(fused.kernels[0].expression,
                 std::string("%0: float32\n%1: float32\n%2: float32 = Mul(%0, %1)\n%3: float32 = Tanh(%2)\n"
                             "%4: float32 = Add(%3, 1 as float32)\nreturn %4"));
    }

    void other_shapes_of_the_same_kind() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  "
            "return (%b)\n");
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

    void a_tensor_given_twice() {
        const auto graph = ir::parse_graph(
            "graph(%x : Tensor, %y : Tensor):\n  %a : Tensor = aten::mul(%x, %y)\n  %b : Tensor = aten::exp(%a)\n  "
            "return (%b)\n");
        Random random;
        FusedGroup group(graph);
        const Tensor x = random_tensor(random, {9}, ScalarType::Float32),
                     y = random_tensor(random, {9}, ScalarType::Float32);
        for (const Tensor& second : {x, y, x, y}) {
            IValue result;
            const std::vector<IValue> inputs{x, second};
            group.run(inputs, &result);
            QCOMPARE(difference(result.to_tensor(), fn::exp(fn::mul(x, second))), std::string());
        }
    }

  private:
    static std::unique_ptr<QProcess> start_again(const QString& cache, const QString& test,
                                                 const std::vector<std::pair<QString, QString>>& variables) {
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
        return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit &&
               process.exitCode() == 0;
    }
    static bool run_again(const QString& cache, const QString& test,
                          const std::vector<std::pair<QString, QString>>& variables) {
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
