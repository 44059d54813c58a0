// SPDX-License-Identifier: Apache-2.0
// Where a number comes from: shares of single operators as PyTorch's derivative has them, sums over whole networks,
// causes of NaN, and changes of values by hand.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <future>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/numpy/npy.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/ops/random/generator.h"
#include "core/record/run_phases.h"
#include "core/session/queries/change_value.h"
#include "core/session/queries/explain.h"
#include "core/session/queries/pin_reference.h"
#include "core/session/queries/run_differences.h"
#include "core/session/session.h"
#include "core/study/explain.h"
#include "core/study/named_value.h"
#include "core/study/share_groups.h"
#include "core/study/verdict.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kHere = LOUPE_SOURCE_DIR "/tests/session/";
const QString kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";

template <typename Query>
typename Query::Answer ask(Session& session, const Query& query) {
    std::promise<typename Query::Answer> promise;
    auto future = promise.get_future();
    session.ask("test", query, [&](typename Query::Answer answer) { promise.set_value(std::move(answer)); });
    return future.get();
}

// A recorded run of a model.
struct Run {
    std::shared_ptr<Program> program;
    std::unique_ptr<PreparedMethod> method;
    std::vector<IValue> arguments;
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<BackwardSource> backward;

    Run(std::shared_ptr<Program> of, const std::string& name, std::vector<InputSpec> inputs) : program(std::move(of)) {
        arguments = program->make_arguments(inputs, name);
        program->trace_with(arguments);
        method = std::make_unique<PreparedMethod>(program, name, "none");
        require_input_gradients(arguments);
        seed_generators(7);
        recorder = std::make_unique<Recorder>(RecorderOptions{}, method->build_graph(), nullptr, nullptr);
        name_existing_tensors(*recorder, program->module(), arguments, method->schema());
        backward = std::make_unique<BackwardSource>(BackwardFrom{}, *method);
        try {
            const ObserverScope observed(recorder.get());
            run_phases(*method, arguments, backward.get());
        } catch (const Error&) {
            // Nothing to differentiate, or a model that is meant to fail: what ran is there.
        }
        recorder->finish();
    }
    const Recording& recording() const { return *recorder->recording(); }
    ExplainedRun explained() const {
        return {recording(), [this](ValueId id) { return recorder->values().find(id); }, 7};
    }
};

std::unique_ptr<Run> run_source(const std::string& file) {
    auto program = Program::open(kHere + file);
    auto inputs = program->default_inputs("forward");
    return std::make_unique<Run>(std::move(program), "forward", std::move(inputs));
}

// The number-th forward event of the operator; 0.
EventId event_of(const Recording& recording, std::string_view op, int number = 0) {
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.phase == RunPhase::Forward && event.op == std::string("aten::") + std::string(op) && number-- == 0)
            return id;
    }
    return 0;
}

std::vector<double> dense(const Recording& recording, const Explanation& e, ValueId value) {
    const Shape& shape = recording.value(value).shape;
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    std::vector<double> all(static_cast<std::size_t>(count), 0);
    for (const ShareGroup& group : e.groups) {
        if (group.role != ShareGroup::Role::Source || group.value != value) continue;
        for (const ElementShare& share : group.top)
            all[static_cast<std::size_t>(*flat_of(shape, share.index))] += share.share;
    }
    return all;
}

bool is_close(double a, double b, double scale = 1) { return std::abs(a - b) <= 2e-5 * (scale + std::abs(b)); }

QString describe(const Recording& recording, const Explanation& e) {
    return QStringLiteral("%1 %2[%3] = %4: %5, sources %6 constant %7 remainder %8")
               .arg(QString::fromStdString(e.op), QString::fromStdString(e.name))
               .arg(e.value)
               .arg(e.number)
               .arg(QString::fromUtf8(share_kind_name(e.kind).data()))
               .arg(e.sources)
               .arg(e.constant)
               .arg(e.remainder) +
           QStringLiteral(" of %1 events").arg(recording.event_count());
}

}  // namespace

class TestExplain : public QObject {
    Q_OBJECT

  private slots:
    void shares_are_pytorchs();
    void sums_over_networks_data();
    void sums_over_networks();
    void a_selector_is_named();
    void backward_comes_from_the_gradients_behind_it();
    void dropout_says_what_it_drew();
    void forward_reaches_what_depends_on_it();
    void causes_of_not_finite();
    void names_and_refusals();
    void formulas_have_a_copy();
    void changed_runs();
    void a_change_where_a_run_is_parked();
};

void TestExplain::shares_are_pytorchs() {
    QFile file(QString::fromStdString(kHere + "explained.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto run = run_source("explained_model.py");
    const Recording& recording = run->recording();
    ExplainedRun explained = run->explained();
    explained.most = 100000;
    int compared = 0;
    for (const QJsonValue& each : QJsonDocument::fromJson(file.readAll()).array()) {
        const QJsonObject row = each.toObject();
        const EventId id = event_of(recording, row["op"].toString().toStdString(), row["of"].toInt());
        QVERIFY2(id != 0, qPrintable(row["op"].toString()));
        Shape index;
        for (const QJsonValue& i : row["index"].toArray()) index.push_back(i.toInt());
        const Explanation e = explain_element(explained, recording.event(id).outputs.front(), index);
        QVERIFY2(is_close(e.number, row["number"].toDouble()), qPrintable(describe(recording, e)));
        QVERIFY2(QString::fromUtf8(share_kind_name(e.kind).data()) == row["kind"].toString(),
                 qPrintable(describe(recording, e)));
        // Sources come in the order of the arguments, those that are no source between them.
        std::vector<std::vector<double>> wanted;
        for (const QJsonValue& source : row["shares"].toArray()) {
            auto& all = wanted.emplace_back();
            for (const QJsonValue& share : source.toArray()) all.push_back(share.toDouble());
        }
        double sum = 0;
        std::size_t matched = 0;
        std::set<ValueId> seen;
        for (const ValueId input : recording.event(id).inputs) {
            if (!seen.insert(input).second) continue;
            const std::vector<double> own = dense(recording, e, input);
            const auto is_it = [&](const std::vector<double>& one) {
                if (one.size() != own.size()) return false;
                for (std::size_t i = 0; i < own.size(); ++i)
                    if (!is_close(own[i], one[i])) return false;
                return true;
            };
            if (std::any_of(wanted.begin(), wanted.end(), is_it)) ++matched;
            for (const double share : own) sum += share;
        }
        QVERIFY2(matched >= wanted.size(), qPrintable(describe(recording, e)));
        QVERIFY2(is_close(sum, e.sources), qPrintable(describe(recording, e)));
        QVERIFY2(is_close(e.sources + e.constant + e.remainder, e.number), qPrintable(describe(recording, e)));
        if (e.kind == ShareKind::Exact || e.kind == ShareKind::Held)
            QVERIFY2(is_close(e.remainder, 0), qPrintable(describe(recording, e)));
        ++compared;
    }
    QCOMPARE(compared, 16);
}

void TestExplain::sums_over_networks_data() {
    QTest::addColumn<QJsonObject>("entry");
    QFile file(kModels + "index.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QSet<QString> wanted{"attention",   "autoencoder", "batchnorm_train",   "gpt",       "gpt_tied", "gru",
                               "lstm",        "mlp",         "transformer",       "upsampler", "folded",   "hooked",
                               "tensor_list", "vgg_train",   "mobilenet_v3_small"};
    for (const QJsonValue& each : QJsonDocument::fromJson(file.readAll()).array()) {
        const QJsonObject entry = each.toObject();
        if (wanted.contains(entry["name"].toString())) QTest::newRow(qPrintable(entry["name"].toString())) << entry;
    }
}

// Of some elements of everything a network made: what is called exact is, and all the way back nothing is lost.
void TestExplain::sums_over_networks() {
    QFETCH(QJsonObject, entry);
    const std::string name = (kModels + entry["name"].toString()).toStdString();
    auto program = Program::open((kModels + entry["file"].toString()).toStdString());
    program->module().train(entry["mode"].toString() == "train");
    const std::string method = entry["method"].toString().toStdString();
    auto specs = input_specs_of_file(name + ".in.npz", program->schema(method), *program->info());
    const Run run(std::move(program), method, std::move(specs));
    const Recording& recording = run.recording();
    int explained = 0;
    int unknown = 0;
    std::set<std::pair<std::string, RunPhase>> seen;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.outputs.empty() || event.outputs[0] == 0) continue;
        if (!seen.insert({std::string(event.op), event.phase}).second && id % 7 != 0) continue;
        const ValueId value = event.outputs[0];
        const Tensor t = run.recorder->values().find(value);
        if (!t.defined() || t.numel() == 0 || t.is_sparse() || is_complex(t.dtype())) continue;
        const Shape index = index_of(recording.value(value).shape, (id * 7919) % t.numel());
        const Explanation e = explain_element(run.explained(), value, index);
        ++explained;
        if (e.kind == ShareKind::Unknown) {
            ++unknown;
            qInfo("%s", qPrintable(QString::fromStdString(e.op + ": " + e.text)));
        }
        if (!std::isfinite(e.number)) continue;
        double scale = std::abs(e.number);
        for (const ShareGroup& group : e.groups)
            for (const ElementShare& share : group.top) scale += std::abs(share.share);
        if (e.kind == ShareKind::Exact || e.kind == ShareKind::Held)
            QVERIFY2(std::abs(e.remainder) <= 1e-3 * scale + 1e-6, qPrintable(describe(recording, e)));
        const bool is_whole_path = event.phase == RunPhase::Forward && is_floating(t.dtype()) && id % 5 == 0;
        if (!is_whole_path) continue;
        const Explanation all = explain_to_inputs(run.explained(), value, index);
        double greatest = std::abs(all.number) + std::abs(all.sources) + std::abs(all.constant);
        for (const ShareGroup& group : all.groups) greatest += std::abs(group.share);
        QVERIFY2(std::abs(all.sources + all.constant + all.remainder - all.number) <= 1e-3 * greatest + 1e-5,
                 qPrintable(describe(recording, all)));
    }
    QVERIFY(explained > 0);
    QVERIFY2(unknown * 5 <= explained, qPrintable(QStringLiteral("%1 of %2").arg(unknown).arg(explained)));
}

void TestExplain::a_selector_is_named() {
    const auto run = run_source("explained_model.py");
    const Recording& recording = run->recording();
    const EventId id = event_of(recording, "embedding");
    const Explanation e = explain_element(run->explained(), recording.event(id).outputs[0], {0, 2, 5});
    QCOMPARE(e.groups.size(), std::size_t{2});
    QCOMPARE(e.groups[0].top[0].index, (Shape{4, 5}));
    QCOMPARE(e.groups[1].role, ShareGroup::Role::Selector);
    QCOMPARE(e.groups[1].top[0].index, (Shape{0, 2}));
    QCOMPARE(e.groups[1].top[0].element, 4.0);
    // All the way: each token has the share of its row.
    const auto out = static_cast<EventId>(event_of(recording, "log_softmax"));
    const Explanation all = explain_to_inputs(run->explained(), recording.event(out).outputs[0], {0, 1});
    const auto tokens = std::find_if(all.groups.begin(), all.groups.end(),
                                     [](const ShareGroup& g) { return g.role == ShareGroup::Role::Selector; });
    QVERIFY(tokens != all.groups.end());
    QCOMPARE(tokens->count, std::int64_t{4});
}

void TestExplain::backward_comes_from_the_gradients_behind_it() {
    const auto run = run_source("explained_model.py");
    const Recording& recording = run->recording();
    for (const char* name : {"fc.weight.grad", "conv.weight.grad", "table.weight.grad", "norm.bias.grad"}) {
        const auto value =
            find_value(recording, parse_named_value(name), static_cast<EventId>(recording.event_count()));
        QVERIFY2(value, name);
        const Tensor t = run->recorder->values().find(*value);
        const Shape index = telling_index(t);
        const Explanation e = explain_element(run->explained(), *value, index);
        QVERIFY2(e.kind == ShareKind::Exact || e.kind == ShareKind::Element, qPrintable(describe(recording, e)));
        QVERIFY(e.phase == RunPhase::Backward);
        QVERIFY2(is_close(e.sources, e.number, std::abs(e.number)), qPrintable(describe(recording, e)));
        const Explanation all = explain_to_inputs(run->explained(), *value, index);
        QVERIFY2(is_close(all.sources + all.constant + all.remainder, e.number, std::abs(e.number)),
                 qPrintable(describe(recording, all)));
    }
}

void TestExplain::dropout_says_what_it_drew() {
    auto program = Program::open(kHere + "explained_model.py");
    program->module().train(true);
    auto inputs = program->default_inputs("forward");
    const Run run(std::move(program), "forward", std::move(inputs));
    const Recording& recording = run.recording();
    const EventId id = event_of(recording, "dropout");
    int kept = 0;
    for (std::int64_t i = 0; i < 8; ++i) {
        const Explanation e = explain_element(run.explained(), recording.event(id).outputs[0], {0, i});
        QVERIFY(e.text.find("seed 7") != std::string::npos);
        QCOMPARE(e.groups[0].top[0].coefficient, e.number == 0 ? 0.0 : 2.0);
        kept += e.number == 0 ? 0 : 1;
    }
    QVERIFY(kept > 0 && kept < 8);
}

void TestExplain::forward_reaches_what_depends_on_it() {
    const auto run = run_source("explained_model.py");
    const Recording& recording = run->recording();
    const EventId conv = event_of(recording, "conv2d");
    const ValueId pixel = recording.event(conv).inputs[0];
    const Explanation e = explain_reach(run->explained(), pixel, {0, 1, 0, 3});
    QVERIFY(e.notes.empty());
    // A corner-side pixel is in six windows of each of three channels.
    QCOMPARE(e.groups.front().count, std::int64_t{18});
    QCOMPARE(e.groups.front().from, (Shape{0, 0, 0, 2}));
    QCOMPARE(e.groups.front().to, (Shape{1, 3, 2, 5}));
    // The derivative forward is the one backward.
    const EventId last = event_of(recording, "log_softmax");
    const ShareGroup& end = e.groups.back();
    QCOMPARE(end.event, last);
    const Explanation back = explain_to_inputs(run->explained(), recording.event(last).outputs[0], end.top[0].index);
    QVERIFY(back.number == end.top[0].element);
}

void TestExplain::causes_of_not_finite() {
    const auto run = run_source("explained_nan.py");
    const Recording& recording = run->recording();
    const auto cause = [&](std::string_view op, int number, const Shape& index) {
        const EventId id = event_of(recording, op, number);
        const Explanation e = explain_element(run->explained(), recording.event(id).outputs[0], index);
        return e.causes.empty() ? std::string("none of ") + std::to_string(e.number) : e.causes.front().text();
    };
    QCOMPARE(cause("matmul", 0, {0, 0}), std::string("0 \u00b7 inf: x[0, 1] = 0 times w[1, 0] = inf"));
    QCOMPARE(cause("matmul", 0, {0, 1}), std::string("inf \u2212 inf: x[0, 2] = 2 and x[0, 0] = 1"));
    QCOMPARE(cause("mul", 0, {1}), std::string("0 \u00b7 inf: b[1] = inf times a[1] = 0"));
    QVERIFY2(cause("log", 0, {2}).find("log") != std::string::npos, cause("log", 0, {2}).c_str());
    QVERIFY2(cause("softmax", 0, {0}).find("came in") != std::string::npos, cause("softmax", 0, {0}).c_str());
}

void TestExplain::names_and_refusals() {
    QCOMPARE(parse_named_element("fc.out[0, -3]").index, (Shape{0, -3}));
    QCOMPARE(parse_named_element("fc.weight.grad[1,2]").value, std::string("fc.weight.grad"));
    QVERIFY_THROWS_EXCEPTION(Error, parse_named_element("fc.out[0, a]"));
    Session session;
    QVERIFY(!ask(session, ExplainQuery{.name = "out[0, 0]"}).error.empty());
    session.open(kHere + "explained_model.py");
    session.wait_idle();
    session.run(session.run_options());
    session.wait_idle();
    const std::string unknown = ask(session, ExplainQuery{.name = "nothing.out[0]"}).error;
    QVERIFY2(unknown.find("nothing recorded is called 'nothing") != std::string::npos, unknown.c_str());
    QVERIFY(ask(session, ExplainQuery{.name = "fc.out[0, 99]"}).error.starts_with("no element [0, 99]"));
    QVERIFY(ask(session, ExplainQuery{.value = 1000000}).error.find("gone") != std::string::npos);
    const Explanation e = ask(session, ExplainQuery{.name = "fc.out[0, 5]"});
    QVERIFY2(e.error.empty(), e.error.c_str());
    QCOMPARE(e.scope, std::string("fc"));
    QVERIFY(e.source_line > 0);
    // Without an index: the element that tells most.
    QCOMPARE(ask(session, ExplainQuery{.name = "fc.out"}).index.size(), std::size_t{2});
}

namespace {

double number_of(Session& session, const std::string& name) { return ask(session, ExplainQuery{.name = name}).number; }

}  // namespace

// What a formula does to x is not done to the run, and what it puts there is told as any other number.
void TestExplain::formulas_have_a_copy() {
    Session session;
    session.open(kHere + "explained_model.py");
    session.wait_idle();
    session.run(session.run_options());
    session.wait_idle();
    const Explanation fc = ask(session, ExplainQuery{.name = "fc.out[0, 5]"});
    const auto refusal = [&](const std::string& slice, const std::string& formula) {
        return ask(session, ChangeValueQuery{{.value = fc.value, .slice = slice, .formula = formula}, true}).error;
    };
    QVERIFY(!refusal("", "x.set_()").empty());
    QVERIFY(!refusal("", "x.resize_(0)").empty());
    QCOMPARE(refusal("[:, 5]", "x.zero_() + 1"), std::string());
    QVERIFY(is_close(ask(session, ExplainQuery{.name = "fc.out[0, 5]"}).number, fc.number));
    RunOptions options = session.run_options();
    options.changes = {{.behind = fc.event, .value = fc.value, .slice = "", .formula = "x / 0 * 0"}};
    session.run(options);
    session.wait_idle();
    QVERIFY(session.status().verdict != nullptr);
    QVERIFY2(session.status().verdict->text.find("no NaN") == std::string::npos,
             session.status().verdict->text.c_str());
}

void TestExplain::changed_runs() {
    Session session;
    session.open(kHere + "explained_model.py");
    session.wait_idle();
    session.run(session.run_options());
    session.wait_idle();
    const double before = number_of(session, "out[0, 0]");
    const Explanation fc = ask(session, ExplainQuery{.name = "fc.out[0, 5]"});
    RunOptions options = session.run_options();
    options.changes = {{.behind = fc.event, .value = fc.value, .slice = "[:, 5]", .formula = "x * 2 + 1"}};
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    QVERIFY(number_of(session, "out[0, 0]") != before);
    const Explanation changed = ask(session, ExplainQuery{.name = "fc.out[0, 5]"});
    QVERIFY(is_close(changed.number, fc.number * 2 + 1));
    QVERIFY2(changed.text.starts_with("changed by hand"), changed.text.c_str());
    // Undone: as it was.
    options.changes.clear();
    session.run(options);
    session.wait_idle();
    QCOMPARE(number_of(session, "out[0, 0]"), before);
    // What does not fit is refused, in a line, before anything runs.
    const auto refusal = [&](const std::string& slice, const std::string& formula) {
        const ValueId value = ask(session, ExplainQuery{.name = "fc.out[0, 5]"}).value;
        return ask(session, ChangeValueQuery{{.value = value, .slice = slice, .formula = formula}, true}).error;
    };
    QCOMPARE(refusal("[:, 5]", "zeros"), std::string());
    QVERIFY(refusal("[:, 9]", "zeros").find("out of bounds") != std::string::npos);
    QVERIFY(refusal("", "x +").size() > 0);
    QVERIFY(refusal("", "torch.zeros([3, 3])").find("3x3") != std::string::npos);
    QVERIFY(refusal("", "nothing.npy").size() > 0);
    QVERIFY(refusal("", "").size() > 0);
    for (const std::string& each : {refusal("", "x +"), refusal("", "y"), refusal("", "x.to(torch.complex64)")}) {
        QVERIFY(!each.empty());
        QVERIFY2(each.find('\n') == std::string::npos, each.c_str());
    }
    // A file: of the shape of the slice.
    QTemporaryDir folder;
    const std::string npy = folder.filePath("row.npy").toStdString();
    write_npy(npy, tensor_of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {1, 8}));
    const Explanation again = ask(session, ExplainQuery{.name = "fc.out[0, 5]"});
    options.changes = {{.behind = again.event, .value = again.value, .slice = "", .formula = npy}};
    session.run(options);
    session.wait_idle();
    QCOMPARE(number_of(session, "fc.out[0, 5]"), 6.0);
    // What a pinned run had there, into a run on another input: the rest follows.
    options.changes.clear();
    session.run(options);
    session.wait_idle();
    const PinnedReference pinned = ask(session, PinReferenceQuery{});
    QVERIFY2(pinned.error.empty(), pinned.error.c_str());
    const Explanation theirs = ask(session, ExplainQuery{.name = "norm.out[0, 2]"});
    std::vector<InputSpec> inputs = session.inputs();
    inputs[0].source = InputSpec::Source::Ones;
    session.set_inputs(inputs);
    session.run(options);
    session.wait_idle();
    const Explanation mine = ask(session, ExplainQuery{.name = "norm.out[0, 2]"});
    QVERIFY(mine.number != theirs.number && number_of(session, "out[0, 0]") != before);
    TensorComparisonQuery partner;
    partner.reference = pinned.id;
    partner.request.value = mine.value;
    const TensorComparison found = ask(session, partner);
    QCOMPARE(found.reference.value, theirs.value);
    options.changes = {{.behind = mine.event,
                        .value = mine.value,
                        .slice = "",
                        .formula = concat("reference ", pinned.id, " ", found.reference.value)}};
    session.run(options);
    session.wait_idle();
    QCOMPARE(number_of(session, "norm.out[0, 2]"), theirs.number);
    for (const char* bad : {"reference", "reference 1", "reference 99 1", "reference 1 x", "reference 1 999999"})
        QVERIFY2(!refusal("", bad).empty(), bad);
}

void TestExplain::a_change_where_a_run_is_parked() {
    Session session;
    session.open(kHere + "explained_model.py");
    session.wait_idle();
    RunOptions options = session.run_options();
    options.backward = true;
    session.run(options);
    session.wait_idle();
    const double before = number_of(session, "out[0, 0]");
    const Explanation fc = ask(session, ExplainQuery{.name = "fc.out[0, 5]"});
    QVERIFY(!ask(session, ChangeValueQuery{{.value = fc.value, .slice = {}, .formula = "zeros"}})
                 .error.empty());  // none is parked
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    session.run_to(RunTarget::before_event(fc.event + 1));
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    // An input is not changed here.
    const ValueId input = session.recording()->event(event_of(*session.recording(), "conv2d")).inputs[0];
    QVERIFY(!ask(session, ChangeValueQuery{{.value = input, .slice = {}, .formula = "zeros"}}).error.empty());
    const ChangedValue changed =
        ask(session, ChangeValueQuery{{.value = fc.value, .slice = "[0, 5]", .formula = "x + 3"}});
    QVERIFY2(changed.error.empty(), changed.error.c_str());
    QCOMPARE(session.recording()->event(changed.event).op, std::string_view("tensorloupe::change"));
    // Undone, and done again.
    const ChangedValue undone =
        ask(session, ChangeValueQuery{{.value = changed.value, .slice = {}, .formula = "undo"}});
    QVERIFY2(undone.error.empty(), undone.error.c_str());
    QCOMPARE(ask(session, ExplainQuery{.value = undone.value, .index = {0, 5}}).number, fc.number);
    const ChangedValue again =
        ask(session, ChangeValueQuery{{.value = undone.value, .slice = "[0, 5]", .formula = "x + 3"}});
    QVERIFY2(again.error.empty(), again.error.c_str());
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const Explanation next = ask(session, ExplainQuery{.name = "norm.in[0, 5]"});
    QVERIFY2(is_close(next.number, fc.number + 3), qPrintable(QString::number(next.number)));
    QVERIFY(number_of(session, "out[0, 0]") != before);
    // The values before the change stay as they were.
    QCOMPARE(ask(session, ExplainQuery{.value = fc.value, .index = {0, 5}}).number, fc.number);
}

QTEST_GUILESS_MAIN(TestExplain)
#include "test_explain.moc"
