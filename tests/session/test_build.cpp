// SPDX-License-Identifier: Apache-2.0
// Models built from layers: what fits where, sources both ways, templates; edits of a model's modules.
#include <QTemporaryDir>
#include <QtTest>

#include <future>

#include "core/base/file.h"
#include "core/model/build.h"
#include "core/session/queries/build_check.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/train_mode.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

template <typename T, typename Ask>
T answer(Ask&& ask) {
    std::promise<T> promise;
    ask([&promise](T value) { promise.set_value(std::move(value)); });
    return promise.get_future().get();
}

BuildCheck check(const BuildRequest& request) {
    Session session;
    return answer<BuildCheck>([&](auto reply) { session.ask("build", BuildCheckQuery{request}, reply); });
}

double element(Session& session, const std::string& name) {
    TensorRequest request;
    request.name = name;
    return answer<TensorSlice>([&](auto reply) { session.ask("test", TensorQuery{request}, reply); })
        .data.front()
        .elements.front();
}

}  // namespace

class TestBuild : public QObject {
    Q_OBJECT

  private slots:
    void shapes_go_from_layer_to_layer() {
        const BuildCheck found =
            check({{"Conv2d(1, 16, 3)", "MaxPool2d(2)", "Flatten()", "Linear(144, 10)"}, "2x1x8x8"});
        QCOMPARE(found.error, std::string());
        QCOMPARE(found.steps[0].output, std::string("float32 2x16x6x6"));
        QCOMPARE(found.steps[1].output, std::string("float32 2x16x3x3"));
        QCOMPARE(found.steps[3].output, std::string("float32 2x10"));
        QCOMPARE(found.steps[3].parameters, std::int64_t{1450});
        QCOMPARE(found.parameters, std::int64_t{1610});
    }

    void says_what_a_layer_expects_and_gets() {
        const BuildCheck found = check({{"Flatten()", "Linear(100, 10)", "ReLU()"}, "2x1x8x8"});
        QVERIFY(QString::fromStdString(found.steps[1].error)
                    .contains("mat1 and mat2 shapes cannot be multiplied (2x64 and 100x10)"));
        QCOMPARE(found.steps[1].expects, std::string("100 features in the last dimension, gets 64"));
        QCOMPARE(found.steps[1].mend->first, std::string("in_features"));
        QCOMPARE(found.steps[1].mend->second, std::string("64"));
        QVERIFY(found.steps[2].error.empty() && found.steps[2].output.empty());  // nothing came there
        const BuildCheck channels = check({{"Conv2d(3, 8, 3)"}, "1x1x8x8"});
        QCOMPARE(channels.steps[0].expects, std::string("3 channels in dimension 1, gets 1"));
    }

    void bad_layers_are_reported() {
        const BuildCheck found =
            check({{"Conv2d()", "Nothing(3)", "Linear(4, 4", "Linear(1000000, 1000000)", "Linear('a', 3)"}, "1x4"});
        for (const BuildStep& step : found.steps) QVERIFY(!step.error.empty());
        QVERIFY(QString::fromStdString(found.steps[1].error).contains("no layer is called 'Nothing'"));
        QVERIFY(QString::fromStdString(found.steps[3].error).contains("too large"));
        QVERIFY(!check({{"ReLU()"}, "2xx"}).error.empty());
    }

    // As Python and PyTorch would read the text.
    void source_both_ways() {
        const BuildRequest request{
            {"Conv2d(1, 16, 3, padding='same')", "Sequential(ReLU(), Dropout(0.1))", "Flatten()"}, "1x1x8x8"};
        const std::string source = build_source(request);
        QVERIFY(QString::fromStdString(source).contains("nn.Sequential(\n    nn.Conv2d(1, 16, 3, padding='same'),\n"));
        const auto back = read_build(source);
        QVERIFY(back.has_value());
        QCOMPARE(back->layers, request.layers);
        QCOMPARE(back->input, request.input);
        const auto own = read_build(
            "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Linear(4, # wide\n 8), nn.ReLU())");
        QVERIFY(own.has_value());
        QCOMPARE(own->layers, (std::vector<std::string>{"Linear(4, 8)", "ReLU()"}));
        QVERIFY(!read_build("class Net:\n    pass\nmodel = Net()"));
        QVERIFY(!read_build("model = nn.Sequential(OrderedDict(a=1)"));
        QVERIFY(!read_build(""));
    }

    // Each opens, runs, and those that are a Sequential fit.
    void templates_run_data() {
        QTest::addColumn<QString>("source");
        for (const BuildTemplate& one : list_templates())
            QTest::newRow(one.name.c_str()) << QString::fromStdString(one.source);
    }
    void templates_run() {
        QFETCH(QString, source);
        const std::string file = dir_.filePath("template.py").toStdString();
        write_file_atomically(file, source.toStdString());
        Session session;
        session.open(file);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
        RunOptions options;
        options.backward = true;
        session.run(options);
        session.wait_idle();
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        if (const auto build = read_build(source.toStdString())) {
            for (const BuildStep& step : check(*build).steps)
                QVERIFY2(step.error.empty() && !step.output.empty(), step.error.c_str());
        }
    }

    // What the palette puts in fits most inputs, and is accepted as it stands.
    void palette_suggests_calls_that_can_be_made() {
        const std::vector<LayerInfo> layers = list_layers();
        QVERIFY(layers.size() > 80);
        QString failures;
        for (const LayerInfo& layer : layers) {
            if (QByteArray(layer.name.c_str()).startsWith("Lazy")) continue;
            QString errors;
            for (const char* input : {"2x16x8x8", "2x16x8", "2x16x8x8x8", "2x16", "2x16:int64"}) {
                const std::string call = suggest_layer(layer, input);
                const BuildStep step = check({{call}, input}).steps.front();
                if (step.error.empty()) errors.clear();
                if (step.error.empty()) break;
                errors += QString::fromStdString(call + " on " + input + ": " + step.error + "\n");
            }
            // A fold takes columns of patches, which none of these are.
            if (layer.name != "Fold") failures += errors;
        }
        QVERIFY2(failures.isEmpty(), failures.toUtf8());
    }

    void modules_are_reset_and_set_to_train() {
        Session session;
        session.open(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        session.wait_idle();
        const double before = element(session, "classifier.hidden.weight");
        const double other = element(session, "features.conv1.weight");
        const auto reset = [&](const std::string& module) {
            return answer<std::string>([&](auto reply) {
                session.ask("reset", ResetParametersQuery{module, 1}, reply);
            });
        };
        QCOMPARE(reset("classifier"), std::string());
        const double after = element(session, "classifier.hidden.weight");
        QVERIFY(after != before && std::abs(after) <= 1 / std::sqrt(128.0));  // PyTorch's bound for 128 inputs
        QCOMPARE(element(session, "features.conv1.weight"), other);
        QVERIFY(!reset("classifier.relu").empty());
        QVERIFY(!reset("nowhere").empty());
        QCOMPARE(reset(""), std::string());
        QCOMPARE(element(session, "features.norm1.running_mean"), 0.0);
        const auto mode = [&](const std::string& module) {
            return answer<std::string>([&](auto reply) { session.ask("mode", TrainModeQuery{module, true}, reply); });
        };
        QCOMPARE(mode("features"), std::string());
        session.run({});
        session.wait_idle();
        QVERIFY(element(session, "features.norm1.running_mean") != 0);  // it counted
    }

  private:
    QTemporaryDir dir_;
};

QTEST_GUILESS_MAIN(TestBuild)
#include "test_build.moc"
