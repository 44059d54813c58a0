// SPDX-License-Identifier: Apache-2.0
// Plugins: the example loads and works, a broken one is listed with its reason.

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <future>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/formats/format_registry.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"
#include "core/passes/pass_manager.h"
#include "core/passes/pipeline.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/fuse/fuser_backends.h"
#include "core/session/queries/studies.h"
#include "core/session/queries/table.h"
#include "core/session/queries/tables.h"
#include "core/session/session.h"

using namespace loupe;

namespace {

const std::filesystem::path kPlugins = LOUPE_BINARY_DIR "/lib/plugins";

const PluginStatus* find_status(const std::vector<PluginStatus>& list, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const PluginStatus& s) { return s.name == name; });
    return found == list.end() ? nullptr : &*found;
}

std::vector<double> values_of(const Tensor& t) {
    std::vector<double> values;
    const Dims index;
    for (std::int64_t n = 0; n < t.numel(); ++n) {
        std::int64_t rest = n;
        std::int64_t offset = t.storage_offset();
        for (std::size_t d = t.sizes().size(); d-- > 0;) {
            offset += rest % t.sizes()[d] * t.strides()[d];
            rest /= t.sizes()[d];
        }
        values.push_back(item(t.view_as_strided(span_of(index), span_of(index), offset)).to_double());
    }
    return values;
}

}  // namespace

class TestPlugins : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { plugins_ = load_plugins_from(kPlugins); }

    void exampleLoads() {
        const PluginStatus* status = find_status(plugins_, "example");
        QVERIFY(status != nullptr);
        QVERIFY2(status->loaded, status->reason.c_str());
        QVERIFY(!status->description.empty());
    }

    // An operator of a plugin, its gradient and its gradient's gradient.
    void exampleOperator() {
        const OperatorHandle<> square("example::scaled_square");
        const Tensor x = tensor_of<float>({1, -2, 3}, {3});
        set_requires_grad(x, true);
        const Tensor y = square(x, 1.5);
        QCOMPARE(values_of(y), (std::vector<double>{1.5, 6, 13.5}));
        const Tensor ones = tensor_of<float>({1, 1, 1}, {3});
        BackwardOptions options;
        options.create_graph = options.retain_graph = true;
        const TensorList first = gradients_of({y}, {x}, {ones}, options);
        QCOMPARE(values_of(first[0]), (std::vector<double>{3, -6, 9}));
        const TensorList second = gradients_of({first[0]}, {x}, {ones});
        QCOMPARE(values_of(second[0]), (std::vector<double>{3, 3, 3}));
    }

    // A table of the plugin's own, through the session's one door.
    void exampleTable() {
        session::Session session;
        const auto table = [&](const std::string& name) {
            std::promise<session::QueryTable> promise;
            session.ask("table", session::TableQuery{name},
                        [&](session::QueryTable made) { promise.set_value(std::move(made)); });
            return promise.get_future().get();
        };
        std::promise<std::vector<session::TableInfo>> promise;
        session.ask("tables", session::TablesQuery{},
                    [&](std::vector<session::TableInfo> all) { promise.set_value(std::move(all)); });
        const auto all = promise.get_future().get();
        QVERIFY(std::any_of(all.begin(), all.end(), [](const session::TableInfo& each) {
            return each.name == "example.parameters" && !each.title.empty() && !each.what.empty();
        }));
        QCOMPARE(table("example.parameters").error, std::string("no model is open"));
        QCOMPARE(table("example.nothing").error, std::string("no plugin makes a table 'example.nothing'"));
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        const session::QueryTable made = table("example.parameters");
        QCOMPARE(made.error, std::string());
        QCOMPARE(made.columns, (std::vector<std::string>{"parameter", "shape", "elements"}));
        QVERIFY(made.rows.size() > 3);
        QCOMPARE(made.note, concat(made.rows.size(), " parameters, the largest first"));
        for (std::size_t i = 1; i < made.rows.size(); ++i)
            QVERIFY(std::stoll(made.rows[i - 1][2]) >= std::stoll(made.rows[i][2]));
    }

    // A study of the plugin's own, beside those of the engine.
    void exampleStudy() {
        session::Session session;
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        const auto study = [&](const std::map<std::string, std::string>& options) {
            std::promise<session::StudyResult> promise;
            session.ask("study", session::StudyQuery{"example.filters", options, {}},
                        [&](session::StudyResult made) { promise.set_value(std::move(made)); });
            return promise.get_future().get();
        };
        const session::StudyResult made = study({{"most", "5"}});
        QCOMPARE(made.error, std::string());
        QCOMPARE(made.tiles.front().tiles.size(), std::size_t{5});
        QCOMPARE(made.tiles.front().of_values, std::string("5 of 16 filters"));
        QVERIFY(study({{"most", "0"}}).error.find("most 0 is not from 1") != std::string::npos);
        session.open(LOUPE_SOURCE_DIR "/resources/models/lstm.pt");
        session.wait_idle();
        QVERIFY(study({}).error.starts_with("Filters: no convolution"));
    }

    // A pass of the example's: only the second of two calls in a row goes, where nothing else reads the first's result.
    void examplePass() {
        const auto graph = ir::parse_graph(R"(graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%a)
  %c : Tensor = aten::abs(%b)
  %d : Tensor = aten::floor(%c)
  %e : Tensor = aten::floor(%d)
  %f : Tensor = aten::mul(%d, %e)
  return (%f)
)");
        passes::PassManager().run(*graph, passes::pipeline_of("ExampleRemoveRepeated"));
        QCOMPARE(ir::print_graph(*graph), ir::print_graph(*ir::parse_graph(R"(graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %c : Tensor = aten::abs(%a)
  %d : Tensor = aten::floor(%c)
  %e : Tensor = aten::floor(%d)
  %f : Tensor = aten::mul(%d, %e)
  return (%f)
)")));
    }

    // A format, a pass and a fuser are there once a plugin has given them; another of the same name is refused.
    void registriesAreFilledOnce() {
        const auto list = load_plugins_from(LOUPE_PLUGINS_OF_TESTS);
        QCOMPARE(list.size(), std::size_t{6});
        QVERIFY2(list[0].loaded, list[0].reason.c_str());
        QCOMPARE(FormatRegistry::instance().readers().front().name, std::string("greeting"));
        QVERIFY(FormatRegistry::instance().writer_for("file.hello") != nullptr);
        QVERIFY(passes::find_pass("one_of_each.Nothing") != nullptr);
        QCOMPARE(runtime::fusers().front().name, std::string("declining"));
        QTemporaryDir folder;
        const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "x.hello";
        std::ofstream(file) << "hello";
        try {
            open_model(file);
            QFAIL("a greeting was opened");
        } catch (const Error& error) {
            QCOMPARE(error.message(), std::string("a greeting holds no model"));
        }
        const auto refused = [&](std::size_t place, const std::string& why) {
            return !list[place].loaded && list[place].reason.find(why) != std::string::npos;
        };
        QVERIFY2(refused(1, "gives the format 'greeting', which is there"), list[1].reason.c_str());
        QVERIFY2(refused(2, "there is a pass 'one_of_each.Nothing' already"), list[2].reason.c_str());
        QVERIFY2(refused(3, "gives the fuser 'declining', which is there"), list[3].reason.c_str());
        QVERIFY2(refused(4, "writes .hello, for which there is a writer"), list[4].reason.c_str());
        QVERIFY2(refused(5, "was built for plugin interface"), list[5].reason.c_str());
        QVERIFY(FormatRegistry::instance().readers()[1].name != "greeting");
    }

    // The candidate says why it declines.
    void exampleKernel() {
        const Operator* relu = find_operator("aten::relu");
        QVERIFY(relu != nullptr);
        const std::vector<IValue> small{tensor_of<float>({1, -1}, {2})};
        const std::vector<std::string> lines = explain_kernel_choice(*relu, small);
        QVERIFY(lines.size() >= 2);
        QCOMPARE(lines.front(), std::string("example: declined, not 64 contiguous float32 elements"));
        Tensor x = empty(std::array<std::int64_t, 1>{64}, ScalarType::Float32);
        for (int i = 0; i < 64; ++i) x.data<float>()[i] = static_cast<float>(i - 32);
        const std::vector<IValue> fitting{x};
        QCOMPARE(explain_kernel_choice(*relu, fitting).front(), std::string("example: runs"));
        std::array<IValue, 1> result;
        call_operator(*relu, fitting, result.data());
        QCOMPARE(result[0].to_tensor().data<float>()[0], 0.0f);
        QCOMPARE(result[0].to_tensor().data<float>()[63], 31.0f);
    }

    // What cannot be loaded is listed with its reason, and harms nothing.
    void brokenIsListed() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        std::ofstream(path / "broken.so") << "no library at all";
        std::filesystem::copy_file(LOUPE_NO_PLUGIN, path / "no_plugin.so");
        const auto list = load_plugins_from(path);
        QCOMPARE(list.size(), std::size_t{2});
        QVERIFY(!list[0].loaded);
        QCOMPARE(list[0].name, std::string("broken"));
        QVERIFY2(list[0].reason.find("ELF") != std::string::npos ||
                     list[0].reason.find("file too short") != std::string::npos,
                 list[0].reason.c_str());
        QVERIFY(!list[1].loaded);
        QVERIFY2(list[1].reason.find("loupe_plugin") != std::string::npos, list[1].reason.c_str());
        QVERIFY(load_plugins_from(path / "missing").empty());
    }

  private:
    std::vector<PluginStatus> plugins_;
};

QTEST_APPLESS_MAIN(TestPlugins)
#include "test_plugins.moc"
