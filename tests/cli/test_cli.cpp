// SPDX-License-Identifier: Apache-2.0
// The contract of the command line: every fixture model against PyTorch's numbers, exit statuses and their one line.

#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/cli/tagged_output.h"
#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/numpy/npy.h"
#include "core/record/recording_file.h"

#include "tests/cli/run_program.h"
#include "tests/cli/test_cli.h"

using namespace loupe;

namespace {

const QString kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";
const QString kForms = LOUPE_SOURCE_DIR "/tests/fixtures/io/";
const QString kShipped = LOUPE_SOURCE_DIR "/resources/models/";
const QString kSources = LOUPE_SOURCE_DIR "/tests/fixtures/sources/";

}  // namespace

void TestCli::fixtures_data() {
    QTest::addColumn<QJsonObject>("entry");
    QFile index(kModels + "index.json");
    QVERIFY(index.open(QIODevice::ReadOnly));
    const QJsonArray cases = QJsonDocument::fromJson(index.readAll()).array();
    QVERIFY(cases.size() >= 50);
    for (const QJsonValue& entry : cases) QTest::newRow(qPrintable(entry["name"].toString())) << entry.toObject();
}

void TestCli::fixtures() {
    QFETCH(QJsonObject, entry);
    const QString name = entry["name"].toString();
    const QStringList common{kModels + entry["file"].toString(), "--method", entry["method"].toString(), "--mode",
                             entry["mode"].toString(),           "--inputs", kModels + name + ".in.npz"};
    if (entry.contains("error")) {
        const Outcome outcome = run_cli(QStringList{"run"} + common);
        QCOMPARE(outcome.status, 4);
        QVERIFY2(is_one_line(outcome.err), qPrintable(outcome.err));
        // PyTorch's line begins with the class of the exception.
        const QString message = entry["error"].toString().section(": ", 1);
        QVERIFY2(outcome.err.contains(message), qPrintable(outcome.err + " lacks " + message));
        return;
    }
    // Results and gradients have tolerances of their own; the file of expectations holds both, so the wider one counts.
    const QJsonObject tolerance = entry["grad_tolerance"].toObject();
    const Outcome outcome = run_cli(QStringList{"check"} + common +
                                    QStringList{"--expected", kModels + name + ".out.npz", "--rtol",
                                                QString::number(tolerance["rtol"].toDouble()), "--atol",
                                                QString::number(tolerance["atol"].toDouble())});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.out + outcome.err));
    QVERIFY(outcome.out.contains("out0"));
}

// All that arguments and results may be, from NumPy's files and from pickles.
void TestCli::forms_data() {
    QTest::addColumn<QJsonObject>("entry");
    QTest::addColumn<QString>("extension");
    QFile index(kForms + "index.json");
    QVERIFY(index.open(QIODevice::ReadOnly));
    for (const QJsonValue& entry : QJsonDocument::fromJson(index.readAll()).array()) {
        const QString name = entry["name"].toString();
        QTest::newRow(qPrintable(name + " pt")) << entry.toObject() << "pt";
        if (entry["npz"].toBool()) QTest::newRow(qPrintable(name + " npz")) << entry.toObject() << "npz";
    }
}

void TestCli::forms() {
    QFETCH(QJsonObject, entry);
    QFETCH(QString, extension);
    const QString name = kForms + entry["name"].toString();
    const Outcome outcome = run_cli({"check", kForms + entry["file"].toString(), "--method", entry["method"].toString(),
                                     "--inputs", name + ".in." + extension, "--expected", name + ".out.npz"});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.out + outcome.err));
    QVERIFY(outcome.out.count("ok ") >= entry["results"].toArray().size());
}

void TestCli::narrow_types_are_widened() {
    QTemporaryDir folder;
    const QString file = folder.filePath("out.npz");
    const QString inputs = kForms + "forms_gives_types.in.npz";
    const Outcome outcome =
        run_cli({"run", kForms + "forms.pt", "--method", "gives_types", "--inputs", inputs, "--outputs", file});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
    QVERIFY(outcome.out.contains("out0  bfloat16 4x3"));
    const auto written = read_npz(file.toStdString());
    const auto expected = read_npz((kForms + "forms_gives_types.out.npz").toStdString());
    QCOMPARE(written.size(), expected.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        QCOMPARE(written[i].first, expected[i].first);
        QCOMPARE(dtype_name(written[i].second.dtype()), dtype_name(expected[i].second.dtype()));
    }
}

// A tuple for an argument without annotation, as elements of an .npz and as a pickle has it.
void TestCli::tuples_are_inputs() {
    QTemporaryDir folder;
    const QString source = folder.filePath("net.py");
    QFile file(source);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.rnn = torch.nn.LSTM(3, 4)\n\n    def forward(self, x, state):\n        h, c = state\n"
        "        y, _ = self.rnn(x, state)\n        return y + h.sum() - c.sum()\n");
    file.close();
    const auto filled = [](std::vector<std::int64_t> sizes) {
        return fn::full(sizes, Scalar(0.5), static_cast<std::int64_t>(ScalarType::Float32));
    };
    const NamedTensors arrays{
        {"arg0", filled({2, 1, 3})}, {"arg1.0", filled({1, 1, 4})}, {"arg1.1", filled({1, 1, 4})}};
    write_npz(folder.filePath("in.npz").toStdString(), arrays);
    const auto state = make_ptr<TupleObject>(std::vector<IValue>{arrays[1].second, arrays[2].second});
    write_checkpoint(IValue(make_ptr<TupleObject>(std::vector<IValue>{arrays[0].second, IValue(state)})),
                     folder.filePath("in.pt").toStdString());
    for (const char* inputs : {"in.npz", "in.pt"}) {
        const Outcome outcome = run_cli({"run", source, "--inputs", folder.filePath(inputs), "--backward"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QVERIFY2(outcome.out.contains("float32 2x1x4"), qPrintable(outcome.out));
    }
}

void TestCli::writes_gradient_norms() {
    QTemporaryDir folder;
    for (const QString& name : {QString("forms"), QString("brain")}) {
        const QString file = folder.filePath(name + ".npz");
        const QString inputs = kForms + name + "_forward.in.pt";
        const Outcome outcome = run_cli(
            {"run", kForms + name + ".pt", "--inputs", inputs, "--backward", "--outputs", file, "--grad-norms"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        auto written = read_npz(file.toStdString());
        const auto expected = read_npz((kForms + name + "_forward.norms.npz").toStdString());
        // Results and gradients of arguments stay as they are without norms.
        QVERIFY(std::ranges::any_of(written, [](const auto& each) { return each.first == "out0"; }));
        QVERIFY(std::ranges::none_of(written, [](const auto& each) { return each.first.starts_with("grad.param."); }));
        std::erase_if(written, [](const auto& each) { return !each.first.starts_with("gradnorm."); });
        QCOMPARE(written.size(), expected.size());
        for (std::size_t i = 0; i < written.size(); ++i) {
            QCOMPARE(written[i].first, expected[i].first);
            QVERIFY(written[i].second.sizes().empty());
            const double want = item(expected[i].second).to_double();
            QVERIFY(std::abs(item(written[i].second).to_double() - want) <= 1e-5 * want);
        }
    }
    const QStringList forms{kForms + "forms.pt", "--inputs", kForms + "forms_forward.in.npz"};
    QCOMPARE(
        run_cli(QStringList{"check"} + forms + QStringList{"--expected", kForms + "forms_forward.norms.npz"}).status,
        0);
    const Outcome implied =
        run_cli(QStringList{"run"} + forms + QStringList{"--grad-norms", "--outputs", folder.filePath("implied.npz")});
    QVERIFY2(implied.status == 0, qPrintable(implied.err));
    const auto kept = read_npz(folder.filePath("implied.npz").toStdString());
    QCOMPARE(std::ranges::count_if(kept, [](const auto& each) { return each.first.starts_with("gradnorm."); }), 2);
    const Outcome nowhere = run_cli({"run", kForms + "forms.pt", "--grad-norms"});
    QCOMPARE(nowhere.status, 2);
    QVERIFY2(nowhere.err.contains("--outputs") && is_one_line(nowhere.err), qPrintable(nowhere.err));
}

// The digit that the picture shows is the greatest logit; the same numbers in other files give the same.
void TestCli::reads_pictures_and_arrays() {
    QTemporaryDir folder;
    const QString digits = kShipped + "digits.pt";
    const QString out = folder.filePath("out.npz");
    for (const char* digit : {"0", "3", "7"}) {
        const QString picture = kShipped + "digits_samples/" + digit + ".png";
        QVERIFY2(QFile::exists(picture), qPrintable(picture));
        QCOMPARE(run_cli({"run", digits, "--inputs", picture, "--outputs", out}).status, 0);
        const Tensor logits = read_npz(out.toStdString()).front().second;
        const auto* const first = logits.data<float>();
        QCOMPARE(std::max_element(first, first + logits.numel()) - first, QByteArray(digit).toLong());
    }
    const Tensor input = read_npz((kShipped + "digits.in.npz").toStdString()).front().second;
    const std::string npy = folder.filePath("input.npy").toStdString();
    write_npy(npy, input);
    QCOMPARE(run_cli({"run", digits, "--inputs", kShipped + "digits.in.npz", "--outputs", out}).status, 0);
    QCOMPARE(run_cli({"check", digits, "--inputs", QString::fromStdString(npy), "--expected", out, "--rtol", "0",
                      "--atol", "0"})
                 .status,
             0);
    const Outcome list = run_cli({"run", kForms + "forms.pt", "--method", "takes_list", "--input", "2x3"});
    QCOMPARE(list.status, 2);
    QVERIFY2(list.err.contains("arg0.0") && is_one_line(list.err), qPrintable(list.err));
    const Outcome both = run_cli({"run", digits, "--inputs", QString::fromStdString(npy), "--input", "1x1x8x8"});
    QCOMPARE(both.status, 2);
}

void TestCli::statuses_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    const QString digits = kShipped + "digits.pt";
    QTest::newRow("no command") << QStringList{} << 2;
    QTest::newRow("unknown option") << QStringList{"run", digits, "--colour"} << 2;
    QTest::newRow("no such file") << QStringList{"info", "no/such/file.pt"} << 2;
    QTest::newRow("no such inputs") << QStringList{"run", digits, "--inputs", "no.npz"} << 2;
    QTest::newRow("bad input text") << QStringList{"run", digits, "--input", "1x1xeight"} << 2;
    QTest::newRow("no such method") << QStringList{"run", digits, "--method", "backward"} << 2;
    QTest::newRow("no such device") << QStringList{"run", digits, "--device", "tpu"} << 2;
    QTest::newRow("threads below zero") << QStringList{"run", digits, "--threads", "-3"} << 2;
    QTest::newRow("no such expectation") << QStringList{"check", digits, "--expected", "no.npz"} << 2;
    QTest::newRow("no such weights") << QStringList{"run", digits, "--weights", "no.npz"} << 2;
    QTest::newRow("no repetition") << QStringList{"bench", digits, "--repeat", "0"} << 2;
    QTest::newRow("outputs nowhere") << QStringList{"run", digits, "--outputs", "/no/such/folder/out.npz"} << 3;
    QTest::newRow("no such pipeline") << QStringList{"run", digits, "--pipeline", "nonsense"} << 2;
    QTest::newRow("no model") << QStringList{"info", LOUPE_SOURCE_DIR "/README.md"} << 3;
    QTest::newRow("a checkpoint") << QStringList{"run",
                                                 LOUPE_SOURCE_DIR "/tests/fixtures/checkpoints/autoencoder_weights.pt"}
                                  << 3;
    QTest::newRow("wrong shape") << QStringList{"run", digits, "--input", "1x3x8x8"} << 4;
    QTest::newRow("wrong dtype") << QStringList{"run", digits, "--input", "1x1x8x8:int64"} << 4;
    QTest::newRow("a tebibyte") << QStringList{"run", kModels + "allocates.pt", "--input", "1"} << 4;
    QTest::newRow("an operator that is missing")
        << QStringList{"run", kModels + "needs_operator.pt", "--input", "4", "--input", "False"} << 3;
    QTest::newRow("done") << QStringList{"run", digits, "--input", "2x1x8x8"} << 0;
}

void TestCli::statuses() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    const Outcome outcome = run_cli(arguments);
    QVERIFY2(outcome.status == status, qPrintable(QString("%1: %2").arg(outcome.status).arg(outcome.err)));
    if (status != 0) QVERIFY2(is_one_line(outcome.err), qPrintable(outcome.err));
}

void TestCli::writes_outputs_and_gradients() {
    QTemporaryDir folder;
    const QString file = folder.filePath("out.npz");
    const Outcome outcome = run_cli({"run", kShipped + "digits.pt", "--backward", "--outputs", file});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
    // What was written is what check compares with: the same run agrees with itself.
    QCOMPARE(run_cli({"check", kShipped + "digits.pt", "--expected", file}).status, 0);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray bytes = written.readAll();
    for (const char* name : {"out0.npy", "grad.arg0.npy", "grad.param.features.conv1.weight.npy"})
        QVERIFY(bytes.contains(name));
}

void TestCli::prints_a_row_an_event() {
    const Outcome outcome = run_cli({"run", kShipped + "digits.pt", "--backward", "--stats"});
    QCOMPARE(outcome.status, 0);
    QCOMPARE(outcome.out.count("aten::conv2d"), 3);
    QCOMPARE(outcome.out.count("ConvolutionBackward0"), 3);
    QVERIFY(outcome.out.contains("features.conv1"));
}

// A tensor full of NaN has no minimum, and none is made up.
void TestCli::prints_no_numbers_of_nothing_finite() {
    const Outcome outcome = run_cli({"run", kSources + "nanfwd.py", "--stats"});
    QCOMPARE(outcome.status, 0);
    const QStringList lines = outcome.out.split('\n').filter("aten::log ");
    QCOMPARE(lines.size(), 1);
    QVERIFY2(lines.front().contains("no finite values"), qPrintable(lines.front()));
    const Outcome backward = run_cli({"run", kSources + "nanback.py", "--backward", "--stats"});
    QCOMPARE(backward.status, 0);
    QVERIFY2(backward.out.contains("of the finite "), qPrintable(backward.out));
}

void TestCli::backward_starts_where_chosen() {
    const QString digits = kShipped + "digits.pt";
    const auto first = [&](const QStringList& more) { return run_cli(QStringList{"run", digits, "--stats"} + more); };
    const Outcome sum = first({"--backward"});
    QVERIFY2(sum.out.contains("backward from: sum of outputs"), qPrintable(sum.out));
    // A loss implies backward.
    const Outcome loss = first({"--loss", "cross_entropy", "--target", "[3]"});
    QVERIFY2(loss.status == 0 && loss.out.contains("backward from: CrossEntropyLoss(), target [3]"),
             qPrintable(loss.out + loss.err));
    const Outcome element = first({"--loss", "out0[0,3]"});
    QVERIFY2(element.status == 0 && element.out.contains("backward from: out0[0, 3]"),
             qPrintable(element.out + element.err));
    const Outcome labels =
        first({"--loss", "cross_entropy", "--target", "labels", "--data", kShipped + "digits_data.npz"});
    QVERIFY2(labels.status == 0 && labels.out.contains("labels of digits_data.npz"),
             qPrintable(labels.out + labels.err));
    const Outcome outside = first({"--loss", "cross_entropy", "--target", "[10]"});
    QCOMPARE(outside.status, 4);
    QVERIFY2(is_one_line(outside.err) && outside.err.contains("Target 10 is out of bounds."), qPrintable(outside.err));
    const Outcome none = first({"--loss", "own"});
    QCOMPARE(none.status, 2);
    QVERIFY2(none.err.contains("name 'loss' is not defined"), qPrintable(none.err));
    QCOMPARE(first({"--loss", "cross_entrpy", "--target", "1"}).status, 2);
    QCOMPARE(first({"--loss", "cross_entropy"}).status, 2);
    // The source's own loss gets a number as it is.
    const Outcome one = run_cli({"run", kSources + "deadrelu.py", "--loss", "own", "--target", "1"});
    QCOMPARE(one.status, 4);
    QVERIFY2(is_one_line(one.err) && one.err.contains("give a number for each"), qPrintable(one.err));
}

// However mpirun cuts what ranks write, and however that is read.
void TestCli::lines_of_ranks_come_whole() {
    const std::string given =
        "mpirun says\n[1,0]<stdout>:r0: grads 3.16139 0[1,1]<stdout>:[rank 1] r1: grads\n[1,0]<stdout>:.5\n"
        "[1,1]<stdout>:[rank 1] [1,x]<st [2\n[1,12]<stderr>:bad\n[1,0]<stdout>:prompt> ";
    const std::vector<std::pair<int, std::string>> wanted{{-1, "mpirun says\n"},
                                                          {1, "[rank 1] r1: grads\n"},
                                                          {0, "r0: grads 3.16139 0.5\n"},
                                                          {1, "[rank 1] [1,x]<st [2\n"},
                                                          {12, "bad\n"},
                                                          {0, "prompt> "}};
    for (std::size_t step = 1; step <= given.size(); ++step) {
        std::vector<std::pair<int, std::string>> lines;
        cli::TaggedOutput output([&](int rank, const std::string& line) { lines.emplace_back(rank, line); });
        for (std::size_t at = 0; at < given.size(); at += step) output.add(std::string_view(given).substr(at, step));
        output.flush(0);
        QCOMPARE(lines, wanted);
        output.finish();
        QCOMPARE(lines, wanted);
    }
}

// A model of finite numbers that does not train.
void TestCli::a_dead_layer_is_told() {
    const QStringList run{"run", kSources + "deadrelu.py", "--loss", "own", "--target", "[0, 1, 2, 0, 1]"};
    const Outcome plain = run_cli(run);
    QVERIFY2(plain.status == 0 && plain.err.contains("3 parameters have a gradient of zeros only"),
             qPrintable(plain.err));
    const Outcome watched = run_cli(run + QStringList{"--stats"});
    QVERIFY2(watched.status == 0 && watched.err.contains("verdict: no gradient before logits: act is dead for 100 %"),
             qPrintable(watched.err));
}

void TestCli::writes_a_trace() {
    QTemporaryDir folder;
    const QString file = folder.filePath("trace.json");
    QCOMPARE(run_cli({"run", kShipped + "digits.pt", "--trace", file}).status, 0);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QJsonArray events = QJsonDocument::fromJson(written.readAll())["traceEvents"].toArray();
    QVERIFY(events.size() > 10);
    bool has_convolution = false;
    for (const QJsonValue& event : events) has_convolution |= event["name"].toString() == "aten::conv2d";
    QVERIFY(has_convolution);
}

void TestCli::lists() {
    QVERIFY(run_cli({"ops"}).out.contains("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"));
    // TEXT is looked for in schemas and sentences, --json tells all of each.
    QCOMPARE(run_cli({"ops", "aten::hypot("}).out, QString("aten::hypot(Tensor self, Tensor other) -> Tensor\n"));
    QVERIFY(run_cli({"ops", "HYPOTENUSE"}).out.startsWith("aten::hypot("));
    const QJsonArray found = QJsonDocument::fromJson(run_cli({"ops", "aten::hypot(", "--json"}).out.toUtf8()).array();
    QCOMPARE(found.size(), 1);
    QCOMPARE(found[0]["formula"].toString(), QString("sqrt(self^2 + other^2)"));
    QCOMPARE(found[0]["backward"].toString(), QString("HypotBackward0"));
    QCOMPARE(found[0]["arguments"][0]["gradient"].toString(), QString("grad self / out"));
    QCOMPARE(run_cli({"ops", "no such words anywhere", "--json"}).out, QString("[]\n"));
    QVERIFY(run_cli({"passes"}).out.contains("Inline"));
    const Outcome info = run_cli({"info", kShipped + "digits.pt"});
    QVERIFY(info.out.contains("20810 parameters"));
    QVERIFY(run_cli({"ir", kShipped + "digits.pt"}).out.startsWith("graph(%self"));
    const Outcome frozen = run_cli({"ir", kShipped + "digits.pt", "--pipeline", "freeze"});
    QCOMPARE(frozen.status, 0);
    QVERIFY(!frozen.out.contains("aten::batch_norm"));
}

void TestCli::trace_says_what_differs() {
    QTemporaryDir folder;
    const QString source = folder.filePath("net.py");
    QFile file(source);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x * "
        "float(x.sum())\n\nmodel = Net().eval()\n");
    file.close();
    const Outcome found = run_cli({"trace", source, "--input", "2x3"});
    QCOMPARE(found.status, 1);
    QVERIFY2(found.err.contains("net.py:6: TracerWarning: Converting a tensor to a Python "), qPrintable(found.err));
    QVERIFY2(found.out.contains("same     the inputs themselves: float32 2x3"), qPrintable(found.out));
    QVERIFY2(found.out.contains("DIFFERS  other numbers: float32 2x3"), qPrintable(found.out));
    QVERIFY(found.out.contains("net.py:6: Graphs differed across invocations!"));
    QCOMPARE(run_cli({"trace", LOUPE_SOURCE_DIR "/resources/models/digits.pt"}).status, 2);
}

void TestCli::bisect_names_the_pass() {
    // Folding rounds otherwise: with no tolerance at all that is a change of the result.
    const QString model = kModels + "resnet18.pt";
    const Outcome same = run_cli({"bisect", model, "--pipeline", "freeze"});
    QCOMPARE(same.status, 0);
    QVERIFY2(same.out.contains("no pass changed the result"), qPrintable(same.out));
    QTemporaryDir folder;
    const Outcome found =
        run_cli({"bisect", model, "--pipeline", "freeze", "--rtol", "0", "--atol", "0", "-o", folder.path()});
    QCOMPARE(found.status, 1);
    QVERIFY2(found.out.contains("FoldConvBatchnorm (freeze/fold/fixpoint 1, pass "), qPrintable(found.out));
    const QStringList files = QDir(folder.path()).entryList(QDir::Files, QDir::Name);
    QCOMPARE(files, (QStringList{"00_before_FoldConvBatchnorm.txt", "01_after_FoldConvBatchnorm.txt"}));
    QCOMPARE(run_cli({"bisect", model, "--pipeline", "nosuch"}).status, 2);
}

void TestCli::explain_prints_where_a_number_comes_from() {
    const QString digits = kShipped + "digits.pt";
    const Outcome step = run_cli({"explain", digits, "--value", "out0[0, 3]", "--depth", "2"});
    QCOMPARE(step.status, 0);
    QVERIFY2(step.out.contains("aten::linear in classifier.logits"), qPrintable(step.out));
    QVERIFY2(step.out.contains("[exact]") && step.out.contains("sum: shares"), qPrintable(step.out));
    const Outcome all = run_cli({"explain", digits, "--value", "out0[0, 3]", "--to", "inputs"});
    QVERIFY2(all.out.contains("input x"), qPrintable(all.out));
    QVERIFY2(run_cli({"explain", digits, "--value", "x[0, 0, 4, 4]", "--reach"}).out.contains("aten::conv2d"), "reach");
    QCOMPARE(run_cli({"explain", digits, "--value", "fc.weight.grad", "--backward"}).status, 2);  // no such module
    QCOMPARE(run_cli({"explain", digits, "--value", "out0[0, 99]"}).status, 2);
    QCOMPARE(run_cli({"explain", digits, "--value", "out0[0, x]"}).status, 2);
    QCOMPARE(run_cli({"explain", digits, "--value", "out0", "--to", "outputs"}).status, 2);
}

void TestCli::a_run_goes_on_with_changed_values() {
    QTemporaryDir folder;
    const QString digits = kShipped + "digits.pt";
    const QString plain = folder.filePath("plain.loupe");
    const QString other = folder.filePath("other.loupe");
    const QString logits = QStringLiteral("classifier.logits");
    const Outcome before = run_cli({"run", digits, "--record", plain});
    QCOMPARE(before.status, 0);
    const auto changed = [&](const QStringList& changes, const QStringList& more = {}) {
        QStringList arguments{"run", digits};
        for (const QString& change : changes) arguments << "--change" << change;
        return run_cli(arguments + more);
    };
    const Outcome same = changed({logits + " = x"});
    QCOMPARE(same.status, 0);
    QVERIFY2(same.err.contains("change: classifier.logits = x, behind #"), qPrintable(same.err));
    QVERIFY2(same.err.contains("out0 against the run without the change: equal"), qPrintable(same.err));
    QCOMPARE(same.out, before.out);
    // Two of one value, and one behind them.
    const QString npz = folder.filePath("out.npz");
    const QStringList three{logits + ".out = zeros", logits + "[0, 3] = x + 7", "classifier = x"};
    const Outcome set = changed(three, {"--outputs", npz});
    QVERIFY2(set.status == 0 && set.err.contains("max abs"), qPrintable(set.err));
    const NamedTensors arrays = read_npz(npz.toStdString());
    const Tensor& out = arrays.front().second;
    for (std::int64_t i = 0; i < out.numel(); ++i) QCOMPARE(out.data<float>()[i], i == 3 ? 7.0F : 0.0F);
    // Activation patching: another input's run, with what this one had there.
    const QStringList input{"--input", "1x1x8x8:float32:ones"};
    QCOMPARE(run_cli(QStringList{"run", digits, "--record", other} + input).status, 0);
    const Outcome patched = changed({logits + " = " + plain}, input);
    QCOMPARE(patched.status, 0);
    QCOMPARE(patched.out, before.out);
    for (const QString& bad :
         {logits, logits + " =", QStringLiteral("= 3"), QStringLiteral("nowhere = 0"), logits + "[99] = 0",
          logits + " = torch.ones(3, 5)", logits + " = nothing.npy", QStringLiteral("x = zeros")}) {
        const Outcome refused = changed({bad});
        QVERIFY2(refused.status != 0 && refused.err.count('\n') <= 2, qPrintable(bad + ": " + refused.err));
    }
}

void TestCli::graphs_as_text_are_models() {
    QTemporaryDir folder;
    const QString function = kModels + "function_horner.pt";
    const QString text = folder.filePath("graph.txt");
    const QString out = folder.filePath("out.npz");
    const Outcome printed = run_cli({"ir", function, "--pipeline", "optimize"});
    QCOMPARE(printed.status, 0);
    const auto write = [&](const QString& what) {
        QFile file(text);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(what.toUtf8());
    };
    write(printed.out);
    const QString inputs = kModels + "function_horner.in.npz";
    const Outcome same =
        run_cli({"check", text, "--inputs", inputs, "--expected", kModels + "function_horner.out.npz"});
    QVERIFY2(same.status == 0, qPrintable(same.err + printed.out));
    // Edited by hand it does what it says now.
    write(QString(printed.out).replace("  return (", "  %negative : Tensor = aten::neg(%x.1)\n  return (%negative, "));
    const Outcome edited = run_cli({"run", text, "--inputs", inputs, "--outputs", out});
    QVERIFY2(edited.status == 0, qPrintable(edited.err + printed.out));
    // What text leaves out, and what is no graph, is said with its place.
    const Outcome large = run_cli({"ir", kModels + "mlp.pt", "--pipeline", "freeze"});
    write(large.out);
    const Outcome without = run_cli({"run", text});
    QCOMPARE(without.status, 3);
    QVERIFY2(without.err.contains("the text leaves out what is in %"), qPrintable(without.err));
    write(run_cli({"ir", kModels + "mlp.pt"}).out);
    QVERIFY(run_cli({"run", text}).err.contains("reads a module, which the text does not hold"));
    for (const char* wrong : {"graph(%x : Tensor):\n  %a : Tensor = aten::relu(%b)\n  return (%a)\n",
                              "graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n",
                              "graph(%x : Tensor):\n  %a : Tensor = aten::mm(%x)\n  return (%a)\n", "graph("}) {
        write(wrong);
        const Outcome outcome = run_cli({"run", text});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(is_one_line(outcome.err), qPrintable(outcome.err));
    }
}

void TestCli::check_tells_a_difference() {
    QTemporaryDir folder;
    const QString file = folder.filePath("out.npz");
    QCOMPARE(run_cli({"run", kShipped + "digits.pt", "--outputs", file}).status, 0);
    const Outcome outcome = run_cli({"check", kShipped + "digits.pt", "--expected", file, "--input", "1x1x8x8:zeros"});
    QCOMPARE(outcome.status, 1);
    QVERIFY2(outcome.err.startsWith("check: 1 of 1 tensors differ, worst out0 max abs "), qPrintable(outcome.err));
    QVERIFY(is_one_line(outcome.err));
}

void TestCli::missing_operators() {
    const QString model = kModels + "needs_operator.pt";
    const Outcome fails = run_cli({"run", model, "--input", "4", "--input", "1:bool:zeros"});
    QCOMPARE(fails.status, 3);
    QCOMPARE(
        fails.err,
        model +
            ": unsupported operator demo::split_bands(Tensor self, int) -> (Tensor, Tensor), used in layer1.0.conv "
            "(make_misbehaving.py:50)\n");
    // Where the branch that needs it is not taken, nothing is missing.
    const Outcome runs = run_cli({"run", model, "--input", "4", "--input", "True"});
    QVERIFY2(runs.status == 0, qPrintable(runs.err));
    QCOMPARE(run_cli({"run", model, "--input", "4", "--input", "True", "--pipeline", "freeze"}).status, 0);
    QCOMPARE(run_cli({"ops", "--missing", model}).out,
             QString("demo::split_bands(Tensor self, int) -> (Tensor, Tensor)\n"
                     "demo::blur(Tensor self, int) -> Tensor\n"
                     "demo::count(Tensor self) -> int\n"));
    QCOMPARE(run_cli({"info", model}).status, 0);
    QVERIFY(run_cli({"ir", model, "--passes", "Inline"}).out.contains("demo::blur("));
    QCOMPARE(run_cli({"run", model, "--method", "count", "--input", "4"}).status, 3);
    QCOMPARE(run_cli({"ops", "--missing", kShipped + "digits.pt"}).out, QString());
}

void TestCli::records_a_run() {
    QTemporaryDir folder;
    const QString file = folder.filePath("run.loupe");
    const Outcome outcome = run_cli({"run", kShipped + "digits.pt", "--backward", "--record", file});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
    const Outcome info = run_cli({"info", file});
    QVERIFY2(info.out.contains("a recorded run: ") && info.out.contains("20810 parameters"),
             qPrintable(info.out + info.err));
    const session::RecordingFile recording(file.toStdString());
    QCOMPARE(recording.run().backward, true);
    QCOMPARE(recording.run().inputs.size(), std::size_t{1});
    std::set<session::Category> categories;
    for (std::size_t i = 0; i < recording.recording()->allocation_count(); ++i)
        categories.insert(recording.recording()->allocation(i).category);
    QVERIFY(categories.contains(session::Category::Activation) && categories.contains(session::Category::Gradient));
    QVERIFY(recording.has_elements(1));
    // Without values it has their statistics all the same.
    const QString lean = folder.filePath("lean.loupe");
    QCOMPARE(run_cli({"run", kShipped + "digits.pt", "--record", lean, "--no-values"}).status, 0);
    const session::RecordingFile without(lean.toStdString());
    const std::size_t values = without.recording()->value_count();
    QVERIFY(values > 0);
    for (session::ValueId id = 1; id <= values; ++id) QVERIFY(!without.has_elements(id));
    QVERIFY(without.recording()->value(static_cast<session::ValueId>(values)).statistics);
    QCOMPARE(run_cli({"run", kShipped + "digits.pt", "--no-values"}).status, 2);
    // A recording is no model, and the line says what it is.
    const Outcome run = run_cli({"run", file});
    QCOMPARE(run.status, 3);
    QVERIFY2(run.err.contains("a recorded run") && is_one_line(run.err), qPrintable(run.err));
    // What failed is there up to the failure.
    QCOMPARE(run_cli({"run", kShipped + "digits.pt", "--input", "1x3x8x8", "--record", file}).status, 4);
    QVERIFY(run_cli({"info", file}).out.contains(", failed"));
    QCOMPARE(run_cli({"run", kShipped + "digits.pt", "--record", folder.filePath("no/such/run.loupe")}).status, 3);
}

// As Python shows them.
void TestCli::tells_warnings() {
    const Outcome outcome = run_cli({"run", kModels + "warns.pt", "--input", "3"});
    QCOMPARE(outcome.status, 0);
    QVERIFY2(QRegularExpression("^make_misbehaving.py:\\d+: UserWarning: more than one: 3\nverdict: [^\n]*\n$")
                 .match(outcome.err)
                 .hasMatch(),
             qPrintable(outcome.err));
    QVERIFY(outcome.out.contains("seen 1\n"));
    QCOMPARE(run_cli({"run", kModels + "warns.pt", "--input", "1"}).err,
             QString("verdict: finished: 1 output without NaN or Inf\n"));
}

void TestCli::numbers_that_are_none_are_refused() {
    const QString digits = kShipped + "digits.pt", data = kShipped + "digits_data.npz";
    QList<QStringList> all{{"train", digits, "--data", data, "--epochs", "1", "--held-out", "nan"}};
    for (const char* option : {"--rtol", "--atol"}) {
        for (const char* number : {"nan", "inf", "-1"})
            all.append({"check", digits, "--expected", data, QString("%1=%2").arg(option, number)});
    }
    for (const QStringList& arguments : all) {
        const Outcome outcome = run_cli(arguments);
        QVERIFY2(outcome.status == 2 && is_one_line(outcome.err) && outcome.err.contains("finite"),
                 qPrintable(arguments.join(' ') + ": " + outcome.err));
    }
    // Whole numbers that do not fit, or are none, are not taken for others.
    const QString great = "18446744073709551616";
    all = {{"run", digits, "--seed", great},
           {"run", digits, "--seed", "-9223372036854775809"},
           {"data", data, "--seed", great},
           {"data", data, "--batch", "9223372036854775808"},
           {"train", digits, "--data", data, "--seed", great},
           {"train", digits, "--data", data, "--steps", "9223372036854775808"},
           {"train", digits, "--data", data, "--epochs", "2147483648"},
           {"train", digits, "--data", data, "--batch", "9223372036854775808"},
           {"train", digits, "--shape", "1", "9223372036854775808"},
           {"train", digits, "--classes", "-2147483649"},
           {"train", digits, "--data", data, "--clip", "1e400"},
           {"bench", digits, "--repeat", "2147483648"},
           {"bench", digits, "--warmup", "-2147483649"}};
    for (const QStringList& arguments : all) {
        const Outcome outcome = run_cli(arguments);
        QVERIFY2(outcome.status == 2 && is_one_line(outcome.err) && outcome.err.contains("range") &&
                     outcome.err.contains(arguments.last()),
                 qPrintable(arguments.join(' ') + ": " + outcome.err));
    }
    for (const char* number : {"1.5", "seven", "", "7 ", "0x"}) {
        const Outcome outcome = run_cli({"run", digits, QString("--seed=%1").arg(number)});
        QVERIFY2(outcome.status == 2 && is_one_line(outcome.err), qPrintable(outcome.err));
    }
    // The ends of the range, as torch.manual_seed has it.
    for (const char* number : {"18446744073709551615", "-9223372036854775808", "-1", "010", "0x1F"}) {
        const Outcome outcome = run_cli({"run", digits, "--seed", number});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
    }
}

void TestCli::check_says_what_it_did_not_compare() {
    QTemporaryDir folder;
    const QString digits = kShipped + "digits.pt", expected = folder.filePath("expected.npz");
    QCOMPARE(run_cli({"run", digits, "--outputs", expected}).status, 0);
    Outcome outcome = run_cli({"check", digits, "--backward", "--expected", expected});
    QVERIFY2(outcome.status == 0 && outcome.err.contains("no gradients were compared"), qPrintable(outcome.err));
    outcome = run_cli({"check", digits, "--expected", expected});
    QVERIFY2(outcome.status == 0 && !outcome.err.contains("compared"), qPrintable(outcome.err));
    QCOMPARE(run_cli({"run", digits, "--backward", "--outputs", expected}).status, 0);
    outcome = run_cli({"check", digits, "--backward", "--expected", expected});
    QVERIFY2(outcome.status == 0 && !outcome.err.contains("compared"), qPrintable(outcome.err));
    write_npz(expected.toStdString(), {});
    outcome = run_cli({"check", digits, "--expected", expected});
    QVERIFY2(outcome.status == 3 && is_one_line(outcome.err), qPrintable(outcome.err));
}

void TestCli::nothing_is_waited_for() {
    QTemporaryDir folder;
    const QString fifo = folder.filePath("q.pt");
    const QString npz = folder.filePath("q.npz");
    const QString digits = kShipped + "digits.pt";
    QVERIFY(::mkfifo(qPrintable(fifo), 0600) == 0 && ::mkfifo(qPrintable(npz), 0600) == 0);
    for (const QStringList& arguments : {QStringList{"info", fifo},
                                         {"run", digits, "--inputs", fifo},
                                         {"run", digits, "--inputs", npz},
                                         {"run", digits, "--weights", fifo},
                                         {"run", digits, "--weights", npz},
                                         {"check", digits, "--expected", npz},
                                         {"info", "/dev/zero"},
                                         {"data", npz},
                                         {"train", digits, "--data", npz},
                                         {"train", digits, "--resume", fifo},
                                         {"convert", fifo, folder.filePath("o.pt")}}) {
        const Outcome outcome = run_cli(arguments);
        QVERIFY2((outcome.status == 2 || outcome.status == 3) && is_one_line(outcome.err),
                 qPrintable(arguments.join(' ') + ": " + outcome.err));
    }
    // Written to, a FIFO without a reader is not waited for either.
    QCOMPARE(run_cli({"run", digits, "--outputs", npz}).status, 3);
}

QTEST_GUILESS_MAIN(TestCli)
