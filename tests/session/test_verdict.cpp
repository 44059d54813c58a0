// SPDX-License-Identifier: Apache-2.0
// Where NaN and Inf come from, and what a run came to: events are made, turned, passed on or meant; F6 stops at the
// first two; the way back to the origin; the verdict.
#include <QTemporaryDir>
#include <QtTest>
#include <mutex>
#include <set>

#include "core/base/file.h"
#include "core/formats/numpy/npy.h"
#include "core/ops/notes.h"
#include "core/plugin/plugin_loader.h"
#include "core/record/not_finite.h"
#include "core/session/queries/save_recording.h"
#include "core/session/session.h"
#include "core/study/verdict.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = std::string(LOUPE_SOURCE_DIR) + "/resources/models/";
const std::string kSources = std::string(LOUPE_SOURCE_DIR) + "/tests/fixtures/sources/";
const std::string kFixtures = std::string(LOUPE_SOURCE_DIR) + "/tests/fixtures/models/";

void open(Session& session, const std::string& file) {
    session.open(file);
    session.wait_idle();
    QVERIFY2(session.status().state == RunState::Ready, session.status().error.c_str());
}

Tensor zeros_of(const std::vector<std::int64_t>& sizes) { return zeros(sizes); }

RunOptions options(bool backward) {
    RunOptions all;
    all.backward = backward;
    return all;
}

// The events of a kind, as "sqrt" or "SqrtBackward0".
std::vector<std::string> operators(const Recording& recording, NotFinite kind) {
    std::vector<std::string> all;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.not_finite == kind) all.emplace_back(short_operator_name(event.op));
    }
    return all;
}

using Names = std::vector<std::string>;

std::string text_of(const Names& names) {
    std::string text;
    for (const std::string& name : names) text += name + " ";
    return text;
}

#define COMPARE_NAMES(actual, expected) QVERIFY2((actual) == (expected), text_of(actual).c_str())
#define VERIFY_HAS(text, part) QVERIFY2((text).find(part) != std::string::npos, (text).c_str())

// A model whose forward is these lines; x is its input.
class Written {
  public:
    Written(Session& session, const std::string& body, const std::string& input, const std::string& init = "pass") {
        const std::string text =
            "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\nclass Net(nn.Module):\n    def "
            "__init__(self):\n"
            "        super().__init__()\n        " +
            init + "\n\n    def forward(self, x):\n" + body + "\n\nmodel = Net()\nexample_inputs = (" + input + ",)\n";
        file_ = folder_.filePath(QStringLiteral("net.py")).toStdString();
        write_file_atomically(file_, text);
        open(session, file_);
    }

  private:
    QTemporaryDir folder_;
    std::string file_;
};

class Log final : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        text_ += entry.text + "\n";
    }
    std::string all() {
        const std::lock_guard lock(mutex_);
        return text_;
    }
    bool has(const std::string& part) { return all().find(part) != std::string::npos; }

  private:
    std::mutex mutex_;
    std::string text_;
};

std::shared_ptr<const Recording> run(Session& session, bool backward) {
    session.run(options(backward));
    session.wait_idle();
    return session.recording();
}

}  // namespace

class TestVerdict : public QObject {
    Q_OBJECT

  private slots:
    void a_nan_of_backward_is_made_where_it_begins();
    void a_nan_of_forward_is_blamed_on_its_operator();
    void a_causal_mask_is_meant();
    void a_search_says_what_it_did_not_search();
    void search_stops_where_nan_is_made_only();
    void a_mask_by_multiplication_turns();
    void a_row_without_any_position_turns();
    void a_mask_that_reaches_the_end_is_an_error_data();
    void a_mask_that_reaches_the_end_is_an_error();
    void masks_of_no_end_are_meant_data();
    void masks_of_no_end_are_meant();
    void what_is_written_into_a_part_is_found_in_the_whole();
    void an_overflow_beside_a_mask_is_made();
    void causes_fit_the_numbers_data();
    void causes_fit_the_numbers();
    void dtypes_that_are_too_narrow_are_named_data();
    void dtypes_that_are_too_narrow_are_named();
    void a_where_behind_is_no_help_data();
    void a_where_behind_is_no_help();
    void half_overflows_by_name();
    void inf_of_backward_becomes_nan_behind_it();
    void what_turns_finite_again_is_a_warning();
    void parameters_that_are_nan_are_blamed();
    void the_way_back_crosses_into_forward();
    void recordings_keep_it();
    void older_recordings_are_classified();
    void breakpoints_that_were_not_met_are_named();
    void a_failure_is_the_verdict();
    void kinds_follow_from_numbers();
    void every_note_is_of_an_operator();
    void seven_goes_on_into_backward();
    void a_loop_at_module_level_is_explained();
    void sample_inputs_go_by_names();
};

void TestVerdict::a_nan_of_backward_is_made_where_it_begins() {
    Session session;
    open(session, kSources + "nanback.py");
    const auto recording = run(session, true);
    QCOMPARE(session.status().state, RunState::Finished);
    COMPARE_NAMES(operators(*recording, NotFinite::Made), (Names{"SqrtBackward0"}));
    COMPARE_NAMES(operators(*recording, NotFinite::Turned), Names{});
    const Names passed = operators(*recording, NotFinite::PassedOn);
    QVERIFY(std::find(passed.begin(), passed.end(), "SumBackward1") != passed.end());
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(verdict->text.starts_with("sqrt at 0 in length, nanback.py:10, makes the first NaN in backward; "),
             verdict->text.c_str());
    VERIFY_HAS(verdict->text, "pass it on");
    VERIFY_HAS(verdict->advice, "eps");
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
    QCOMPARE(verdict->module, std::string("length"));
    QCOMPARE(verdict->source.line, 10);
    QCOMPARE(recording->event(verdict->event).op, std::string_view("SqrtBackward0"));
    // Every event that passes it on leads there, also through gradients that are added up on the way.
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        if (recording->event(id).not_finite != NotFinite::PassedOn) continue;
        const auto way = trace_origin(*recording, id);
        QCOMPARE(way.back().event, verdict->event);
    }
}

void TestVerdict::a_nan_of_forward_is_blamed_on_its_operator() {
    Session session;
    open(session, kSources + "nanfwd.py");
    const auto recording = run(session, false);
    COMPARE_NAMES(operators(*recording, NotFinite::Made), (Names{"log"}));
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(
        verdict->text.starts_with("log of a negative number in scores, nanfwd.py:8, makes the first NaN in forward"),
        verdict->text.c_str());
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
}

void TestVerdict::a_causal_mask_is_meant() {
    Session session;
    open(session, kModels + "gpt.pt");
    const auto recording = run(session, true);
    COMPARE_NAMES(operators(*recording, NotFinite::Made), Names{});
    COMPARE_NAMES(operators(*recording, NotFinite::Turned), Names{});
    COMPARE_NAMES(operators(*recording, NotFinite::PassedOn), Names{});
    QVERIFY(!operators(*recording, NotFinite::Meant).empty());
    const auto verdict = session.status().verdict;
    QVERIFY2(verdict->severity == Verdict::Severity::Good, verdict->text.c_str());
    VERIFY_HAS(verdict->text, "meant");
}

void TestVerdict::a_search_says_what_it_did_not_search() {
    Session session;
    open(session, kModels + "gpt.pt");
    session.run_to(RunTarget::nan());  // begins a run
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    const auto verdict = session.status().verdict;
    QVERIFY2(verdict->text.starts_with("no NaN or Inf in forward"), verdict->text.c_str());
    VERIFY_HAS(verdict->text, "backward was not searched: Backward is off");
    QCOMPARE(verdict->severity, Verdict::Severity::Note);

    RunOptions without = options(true);
    without.statistics = false;
    session.run(without);
    session.wait_idle();
    VERIFY_HAS(session.status().verdict->text, "not looked for");
}

void TestVerdict::search_stops_where_nan_is_made_only() {
    Session session;
    open(session, kSources + "nanback.py");
    RunOptions all = options(true);
    all.pause_at_start = true;
    session.run(all);
    session.wait_idle();
    session.run_to(RunTarget::nan());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.recording()->event(session.status().reached).op, std::string_view("SqrtBackward0"));
    QCOMPARE(session.status().why, std::string("NaN made here"));
    QVERIFY(session.status().verdict != nullptr);
    VERIFY_HAS(session.status().verdict->text, "sqrt at 0 in length");
    session.run_to(RunTarget::nan());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    VERIFY_HAS(session.status().verdict->text, "no further one was met");
}

void TestVerdict::a_mask_by_multiplication_turns() {
    Session session;
    const Written model(session, "        mask = (x > 0).float()\n        return x + (1 - mask) * float('-inf')",
                        "torch.tensor([1., -1.])");
    const auto recording = run(session, false);
    COMPARE_NAMES(operators(*recording, NotFinite::Turned), (Names{"mul"}));
    VERIFY_HAS(session.status().verdict->text, "0 \u00b7 Inf");
    VERIFY_HAS(session.status().verdict->advice, "masked_fill");
}

void TestVerdict::a_row_without_any_position_turns() {
    Session session;
    const Written model(session, "        s = x.masked_fill(x < 0, float('-inf'))\n        return torch.softmax(s, 1)",
                        "torch.tensor([[1., -1.], [-1., -1.]])");
    const auto recording = run(session, false);
    COMPARE_NAMES(operators(*recording, NotFinite::Meant), (Names{"masked_fill"}));
    COMPARE_NAMES(operators(*recording, NotFinite::Turned), (Names{"softmax"}));
    VERIFY_HAS(session.status().verdict->text, "fully masked");
}

void TestVerdict::a_mask_that_reaches_the_end_is_an_error_data() {
    QTest::addColumn<std::string>("result");
    QTest::addColumn<std::string>("begins");
    QTest::addColumn<std::string>("has");
    const auto add = [](const char* result, const char* begins, const char* has) {
        QTest::newRow(result) << std::string(result) << std::string(begins) << std::string(has);
    };
    add("F.cross_entropy(s, torch.tensor([1]))", "cross_entropy", "the target's class is masked (-Inf)");
    add("F.cross_entropy(s, torch.tensor([1])) / 2", "cross_entropy", "the target's class is masked (-Inf)");
    add("F.nll_loss(F.log_softmax(s, 1), torch.tensor([1]))", "nll_loss", "the target's class is masked (-Inf)");
    add("F.cross_entropy(s, torch.tensor([0]), label_smoothing=0.1)", "cross_entropy", "label smoothing");
    add("s + 1", "add", "the masked value of masked_fill");
    add("s", "masked_fill", "a constant of the program");
}

void TestVerdict::a_mask_that_reaches_the_end_is_an_error() {
    QFETCH(std::string, result);
    QFETCH(std::string, begins);
    QFETCH(std::string, has);
    Session session;
    const Written model(session, "        s = x.masked_fill(x < 0, float('-inf'))\n        return " + result,
                        "torch.tensor([[1., -1., 2.]])");
    run(session, false);
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(verdict->text.starts_with(begins), verdict->text.c_str());
    VERIFY_HAS(verdict->text, has);
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
}

void TestVerdict::masks_of_no_end_are_meant_data() {
    QTest::addColumn<std::string>("body");
    const auto add = [](const char* body) { QTest::newRow(body) << std::string(body); };
    add("s = x.masked_fill(x < 0, float('-inf'))\n        return F.cross_entropy(s, torch.tensor([0]))");
    add("s = x.masked_fill(x < 0, float('-inf'))\n        return s.topk(3)[1]  + 0");
    // Written into a part: what reads the whole reads the constant.
    add("s = x + 0\n        s[:, 0] = float('-inf')\n        s[:, 1] = float('-inf')\n        return s.softmax(1)");
    add("s = x + 0\n        s[:, 0] = float('-inf')\n        s[:, 1] = 0\n        s = s * 2\n        return "
        "s.softmax(1)");
    add("s = x + 0\n        s[x < 0] = float('-inf')\n        return (s + 1).softmax(1)");
    add("s = x + 0\n        v = s.view(3)\n        s[:, 0].fill_(float('-inf'))\n        return (v + 1).softmax(0)");
    add("s = torch.zeros_like(x)\n        s[:, :2].copy_(torch.full((1, 2), float('-inf')))\n        return (s + "
        "x).softmax(1)");
}

void TestVerdict::masks_of_no_end_are_meant() {
    QFETCH(std::string, body);
    Session session;
    const Written model(session, "        " + body, "torch.tensor([[1., -1., 2.]])");
    run(session, false);
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(verdict->severity == Verdict::Severity::Good, verdict->text.c_str());
    VERIFY_HAS(verdict->text, "meant");
}

// A constant beside it does not excuse what is computed, and the way back leads to the write that holds it.
void TestVerdict::what_is_written_into_a_part_is_found_in_the_whole() {
    Session session;
    const Written model(session,
                        "        s = x + 0\n        s[:, 0] = torch.log(-torch.ones(1))\n        s[:, 1] = 0\n"
                        "        return s + 1",
                        "torch.tensor([[1., -1., 2.]])");
    const auto recording = run(session, false);
    COMPARE_NAMES(operators(*recording, NotFinite::Made), (Names{"log"}));
    const auto verdict = session.status().verdict;
    QVERIFY2(verdict->text.starts_with("log of a negative number"), verdict->text.c_str());
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
}

void TestVerdict::an_overflow_beside_a_mask_is_made() {
    Session session;
    const Written model(session, "        s = x.masked_fill(x < 0, float('-inf'))\n        return (s + 1).exp()",
                        "torch.tensor([1000., -1., 2.])");
    const auto recording = run(session, false);
    COMPARE_NAMES(operators(*recording, NotFinite::Meant), (Names{"masked_fill", "add"}));
    COMPARE_NAMES(operators(*recording, NotFinite::Made), (Names{"exp"}));
    VERIFY_HAS(session.status().verdict->text, "exp of a number whose exponential leaves the range");
}

// What a number could do is no cause of what it did not: an overflow is not blamed on a zero or a negative number
// beside it.
void TestVerdict::causes_fit_the_numbers_data() {
    QTest::addColumn<std::string>("result");
    QTest::addColumn<std::string>("input");
    QTest::addColumn<bool>("backward");
    QTest::addColumn<std::string>("cause");
    const auto add = [](const char* result, const char* input, bool backward, const char* cause) {
        QTest::newRow(backward ? qPrintable(QStringLiteral("%1, backward").arg(QLatin1String(result))) : result)
            << std::string(result) << std::string(input) << backward << std::string(cause);
    };
    const std::string overflow = "a power that leaves the range of its dtype";
    add("x ** 2", "torch.tensor([-1e25, 1.])", false, overflow.c_str());
    add("x ** 2.0", "torch.tensor([0., 1e25])", false, overflow.c_str());
    add("2 ** x", "torch.tensor([0., -1., 1000.])", false, overflow.c_str());
    add("torch.pow(x, torch.tensor([3., 2.]))", "torch.tensor([-1e25, 0.])", false, overflow.c_str());
    add("x ** 0.25", "torch.tensor([-1., 1.])", false, "a fractional power of a negative number");
    add("x ** -1.5", "torch.tensor([0., 1.])", false, "a power at 0");
    add("torch.pow(x, torch.tensor([-1., 2.]))", "torch.tensor([0., 1.])", false, "a power at 0");
    add("x ** 0.25", "torch.tensor([0., 1.])", true, "a power at 0");
    add("torch.pow(0.0, x)", "torch.tensor([-1., 1.])", false, "a power at 0");
    add("torch.pow(-2.0, x)", "torch.tensor([0.5, 1.])", false, "a fractional power of a negative number");
    add("torch.pow(x, torch.tensor([-1., 1 / 3]))", "torch.tensor([0., -8.])", false,
        "a fractional power of a negative number");
    // The pair of the element that failed, not the least exponent of all.
    add("torch.pow(x, torch.tensor([2., -1., 0.5]))", "torch.tensor([0., 0., 4.])", false,
        "a power at 0 (0 to the power of -1)");
    add("torch.pow(x, torch.tensor([-3., 0.5, 2.]))", "torch.tensor([2., -4., 0.])", false,
        "a fractional power of a negative number (-4 to the power of 0.5)");
    add("torch.pow(x, torch.tensor([-2., 30.]))", "torch.tensor([3., 1e25])", false,
        "a power that leaves the range of its dtype (1e+25 to the power of 30)");
    add("torch.pow(x, torch.tensor([0.25, 3., -1.]))", "torch.tensor([0., 0., 4.])", true,
        "a power at 0 (0 to the power of 0.25)");
    add("F.cross_entropy(x, torch.tensor([1]))", "torch.tensor([[3e38, -3e38]])", false,
        "a loss of numbers that leave the range of the dtype");
    add("F.cross_entropy(x, torch.tensor([-100]))", "torch.tensor([[3., 4.]])", false, "the mean over no targets");
    add("F.scaled_dot_product_attention(x, x, x)", "torch.full((1, 2, 4), 1e30)", false,
        "attention over a fully masked row, or with scores that leave the range");
}

void TestVerdict::causes_fit_the_numbers() {
    QFETCH(std::string, result);
    QFETCH(std::string, input);
    QFETCH(bool, backward);
    QFETCH(std::string, cause);
    Session session;
    const Written model(session, "        return " + result, input);
    run(session, backward);
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(verdict->text.starts_with(cause), verdict->text.c_str());
}

// The dtype that a number does not fit into is named, and what to do about it.
void TestVerdict::dtypes_that_are_too_narrow_are_named_data() {
    QTest::addColumn<std::string>("result");
    QTest::addColumn<std::string>("input");
    QTest::addColumn<std::string>("cause");
    QTest::addColumn<std::string>("advice");
    const auto add = [](const char* result, const char* input, const char* cause, const char* advice) {
        QTest::newRow(result) << std::string(result) << std::string(input) << std::string(cause) << std::string(advice);
    };
    add("x.to(torch.bfloat16)", "torch.tensor([3.4e38, 1.])",
        "a cast from float32 to bfloat16 of numbers beyond the largest bfloat16 (3.39e+38)", "keep it in float32");
    add("x.float()", "torch.tensor([1e39, 1.], dtype=torch.float64)",
        "a cast from float64 to float32 of numbers beyond the largest float32 (3.403e+38)", "keep it in float64");
    add("x.half()", "torch.tensor([1e5, 1.])",
        "a cast from float32 to float16 of numbers beyond the largest float16 (6.55e+04)", "GradScaler");
    add("x / (x + 1e-8)", "torch.tensor([0., 1.], dtype=torch.float16)", "division by 0 (1e-08 is 0 in float16",
        "such as 1e-4");
    add("1 / torch.sqrt(x + 1e-8)", "torch.tensor([0., 1.], dtype=torch.float16)", "1 / 0 (1e-08 is 0 in float16",
        "such as 1e-4");
    add("torch.rsqrt(x + 1e-8)", "torch.tensor([0., 1.], dtype=torch.float16)", "rsqrt at 0 (1e-08 is 0 in float16",
        "compute this part in float32");
    add("torch.log(x.clamp(min=1e-8))", "torch.tensor([0., 1.], dtype=torch.float16)",
        "log at 0 (1e-08 is 0 in float16", "such as 1e-4");
    add("torch.reciprocal(x + 1e-6)", "torch.tensor([0., 1.], dtype=torch.float16)",
        "reciprocal beyond the largest float16 (65504) (by an eps of 1e-06)", "such as 1e-4");
}

void TestVerdict::dtypes_that_are_too_narrow_are_named() {
    QFETCH(std::string, result);
    QFETCH(std::string, input);
    QFETCH(std::string, cause);
    QFETCH(std::string, advice);
    Session session;
    const Written model(session, "        return " + result, input);
    run(session, false);
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(verdict->text.starts_with(cause), verdict->text.c_str());
    VERIFY_HAS(verdict->advice, advice);
}

// torch.where behind an operator takes its result away, not its derivative.
void TestVerdict::a_where_behind_is_no_help_data() {
    QTest::addColumn<std::string>("result");
    QTest::addColumn<std::string>("input");
    QTest::addColumn<std::string>("has");
    const auto add = [](const char* result, const char* input, const char* has) {
        QTest::newRow(result) << std::string(result) << std::string(input) << std::string(has);
    };
    const char* zero = "torch.tensor([0., 1.])";
    add("torch.where(x > 0, torch.log(x), torch.zeros_like(x))", zero, "log at 0");
    add("torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))", zero, "sqrt at 0");
    add("torch.where(x > 0, torch.ones_like(x) / x, torch.zeros_like(x))", zero, "division by 0");
    add("torch.where(x > 0, 1 / x, torch.zeros_like(x))", zero, "1 / 0");
    add("torch.where(x > 0, x ** 0.5, torch.zeros_like(x))", zero, "a power at 0");
    add("torch.log1p(x - 1).masked_fill(x == 0, 0.)", zero, "log1p at -1");
    add("torch.where(x < 1, torch.acos(x), torch.zeros_like(x))", "torch.tensor([1., 0.5])", "acos at 1");
    add("torch.where(x < 100, torch.exp(x), x)", "torch.tensor([1000., 1.])", "exp of a number");
}

void TestVerdict::a_where_behind_is_no_help() {
    QFETCH(std::string, result);
    QFETCH(std::string, input);
    QFETCH(std::string, has);
    Session session;
    const Written model(session, "        return " + result, input);
    run(session, true);
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
    QVERIFY2(verdict->text.starts_with(has), verdict->text.c_str());
    VERIFY_HAS(verdict->text, "the gradient there is 0 (");
    VERIFY_HAS(verdict->text, "0 \u00b7 Inf is NaN");
    VERIFY_HAS(verdict->advice, "torch.where(mask, x, 1)");
}

void TestVerdict::half_overflows_by_name() {
    Session session;
    const Written model(session, "        return x.half() * 1000", "torch.tensor([100., 2.])");
    run(session, false);
    VERIFY_HAS(session.status().verdict->text, "beyond the largest float16");
    VERIFY_HAS(session.status().verdict->advice, "bfloat16");
}

void TestVerdict::inf_of_backward_becomes_nan_behind_it() {
    Session session;
    const Written model(session, "        return (x * x).sum(1).sqrt()", "torch.zeros(2, 3)");
    const auto recording = run(session, true);
    COMPARE_NAMES(operators(*recording, NotFinite::Made), (Names{"SqrtBackward0"}));
    COMPARE_NAMES(operators(*recording, NotFinite::Turned), (Names{"MulBackward0"}));
    // The cause is the Inf, not what became of it.
    const auto verdict = session.status().verdict;
    QVERIFY2(verdict->text.starts_with("sqrt at 0") &&
                 verdict->text.find("makes the first Inf in backward") != std::string::npos,
             verdict->text.c_str());
    // From the turned event the way leads on to where its Inf was made.
    EventId turned = 0;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        if (recording->event(id).not_finite == NotFinite::Turned) turned = id;
    }
    const auto way = trace_origin(*recording, turned);
    QCOMPARE(recording->event(way.back().event).op, std::string_view("SqrtBackward0"));
}

void TestVerdict::what_turns_finite_again_is_a_warning() {
    Session session;
    const Written model(session, "        return torch.softmax(torch.log(x), 0)", "torch.tensor([1., 0., 2.])");
    run(session, false);
    const auto verdict = session.status().verdict;
    QVERIFY2(verdict->severity == Verdict::Severity::Warning, verdict->text.c_str());
    QVERIFY2(verdict->text.starts_with("log at 0"), verdict->text.c_str());
    VERIFY_HAS(verdict->text, "finite again");
}

void TestVerdict::parameters_that_are_nan_are_blamed() {
    Session session;
    const Written model(session, "        return x @ self.w", "torch.ones(1, 2)",
                        "self.w = nn.Parameter(torch.tensor([[1.], [float('nan')]]))");
    const auto recording = run(session, false);
    COMPARE_NAMES(operators(*recording, NotFinite::Made), Names{});
    const auto verdict = session.status().verdict;
    QVERIFY2(verdict->text.starts_with("w holds 1 NaN of 2 elements before the run"), verdict->text.c_str());
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
}

void TestVerdict::the_way_back_crosses_into_forward() {
    Session session;
    open(session, kSources + "nanfwd.py");
    const auto recording = run(session, true);
    // The gradient of head.weight is a product with the NaN that forward gave it.
    EventId from = 0;
    for (EventId id = 1; id <= recording->event_count(); ++id) {
        const Event& event = recording->event(id);
        if (event.phase == RunPhase::Backward && event.not_finite == NotFinite::PassedOn) from = id;
    }
    QVERIFY(from != 0);
    const auto way = trace_origin(*recording, from);
    QVERIFY(way.size() >= 2);
    QCOMPARE(way.front().event, from);
    QCOMPARE(recording->event(way.back().event).op, std::string_view("aten::log"));
    QCOMPARE(recording->event(way.back().event).phase, RunPhase::Forward);
    VERIFY_HAS(origin_text(*recording, way), "(made here)");
    COMPARE_NAMES(operators(*recording, NotFinite::Made), (Names{"log"}));
    // Whether there is a way is known without going it.
    for (EventId id = 0; id <= recording->event_count() + 1; ++id) {
        const auto from_here = trace_origin(*recording, id);
        QCOMPARE(first_of_way(*recording, id), from_here.empty() ? ValueId{0} : from_here.front().value);
    }
}

void TestVerdict::recordings_keep_it() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("run.loupe")).toStdString();
    Session session;
    open(session, kSources + "nanback.py");
    const auto before = run(session, true);
    const std::string text = session.status().verdict->text;
    bool is_saved = false;
    session.ask("save", SaveRecordingQuery{file}, [&](const std::string& error) { is_saved = error.empty(); });
    session.wait_idle();
    QVERIFY(is_saved);
    Session other;
    other.open(file);
    other.wait_idle();
    const auto after = other.recording();
    QCOMPARE(after->event_count(), before->event_count());
    for (EventId id = 1; id <= after->event_count(); ++id)
        QCOMPARE(after->event(id).not_finite, before->event(id).not_finite);
    QVERIFY(other.status().verdict != nullptr);
    QCOMPARE(other.status().verdict->text, text);
}

void TestVerdict::older_recordings_are_classified() {
    for (const char* name : {"nanback.py", "nanfwd.py"}) {
        Session session;
        open(session, kSources + name);
        const auto recording = run(session, true);
        for (EventId id = 1; id <= recording->event_count(); ++id) {
            const Event& event = recording->event(id);
            QCOMPARE(classify_recorded(*recording, event), event.not_finite);
        }
    }
}

void TestVerdict::breakpoints_that_were_not_met_are_named() {
    Session session;
    open(session, kModels + "digits.pt");
    Breakpoint never;
    never.kind = Breakpoint::Kind::OperatorKind;
    never.text = "aten::conv2d";
    never.condition = "nan";
    const int id = session.add_breakpoint(never);
    run(session, false);
    VERIFY_HAS(session.status().verdict->text, "breakpoint " + std::to_string(id) + " was not met");
}

void TestVerdict::a_failure_is_the_verdict() {
    Session session;
    const Written model(session, "        y = torch.log(x)\n        return y @ torch.ones(3, 2)",
                        "torch.tensor([[-1., 1.]])");
    run(session, false);
    QCOMPARE(session.status().state, RunState::Failed);
    const auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QVERIFY2(verdict->text.starts_with(session.status().error.text()), verdict->text.c_str());
    VERIFY_HAS(verdict->text, "before it log of a negative number");
    QVERIFY(session.recording()->event(verdict->event).failed);
}

void TestVerdict::kinds_follow_from_numbers() {
    const Holding finite;
    const Holding nan{true, false, true};
    const Holding inf{false, true, false};
    const Holding mask{false, true, true};
    QCOMPARE(classify({.in = nan, .out = finite}), NotFinite::None);
    QCOMPARE(classify({.in = finite, .out = nan}), NotFinite::Made);
    QCOMPARE(classify({.in = finite, .out = inf}), NotFinite::Made);
    QCOMPARE(classify({.in = inf, .out = nan}), NotFinite::Turned);
    QCOMPARE(classify({.in = mask, .out = nan}), NotFinite::Turned);
    QCOMPARE(classify({.in = inf, .out = inf}), NotFinite::PassedOn);
    QCOMPARE(classify({.in = mask, .out = inf}), NotFinite::Meant);
    QCOMPARE(classify({.in = nan, .out = nan}), NotFinite::PassedOn);
    QCOMPARE(classify({.in = nan, .out = inf}), NotFinite::Made);
    QCOMPARE(classify({.in = finite, .out = inf, .has_infinite_constant = true}), NotFinite::Meant);
    QCOMPARE(classify({.in = finite, .out = nan, .has_infinite_constant = true}), NotFinite::Turned);
    QCOMPARE(classify({.in = finite, .out = nan, .has_nan_constant = true}), NotFinite::Meant);
    QCOMPARE(classify({.in = mask, .out = inf, .elements = ElementFlow{true, false}}), NotFinite::Made);
    QCOMPARE(classify({.in = nan, .out = nan, .elements = ElementFlow{false, true}}), NotFinite::Turned);
}

// Each says what the cause is and what helps.
void TestVerdict::every_note_is_of_an_operator() {
    plugins();
    std::size_t count = 0;
    for (const Operator* op : all_operators()) {
        for (const NotFiniteNote& note : op->record->not_finite) {
            QVERIFY2(!note.cause.empty() && !note.advice.empty(), op->full_name.c_str());
            ++count;
        }
    }
    QVERIFY(count > 100);
}

void TestVerdict::seven_goes_on_into_backward() {
    Session session;
    open(session, kModels + "digits.pt");
    RunOptions all = options(false);
    all.pause_at_start = true;
    session.run(all);
    session.wait_idle();
    session.step(StepKind::Over);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    session.run_to(RunTarget::first_of(RunPhase::Backward));
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.status().phase, RunPhase::Backward);
    QVERIFY(session.run_options().backward);
}

// A loop at module level runs while the file is opened: it is not recorded, and what it left is explained all the same.
void TestVerdict::a_loop_at_module_level_is_explained() {
    const std::string head =
        "import torch\nfrom torch import nn\n\nmodel = nn.Linear(2, 1)\nx = torch.ones(4, 2)\n"
        "opt = torch.optim.SGD(model.parameters(), lr=1e30)\n";
    const std::string step =
        "    loss = (model(x) ** 2).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n";
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("loop.py")).toStdString();
    write_file_atomically(file, head + "for _ in range(20):\n" + step + "example_inputs = (x,)\n");
    Log log;
    Session session(&log);
    open(session, file);
    auto verdict = session.status().verdict;
    QVERIFY(verdict != nullptr);
    QCOMPARE(verdict->severity, Verdict::Severity::Error);
    VERIFY_HAS(verdict->text, "weight holds 2 NaN of 2 elements");
    VERIFY_HAS(verdict->text, "its loop at module level, loop.py:7, trains while the file is opened");
    VERIFY_HAS(verdict->advice, "press Train");
    QCOMPARE(verdict->source.line, 7);
    QVERIFY2(log.has("its loop at module level"), log.all().c_str());
    run(session, true);
    verdict = session.status().verdict;
    VERIFY_HAS(verdict->text, "before the run");
    VERIFY_HAS(verdict->text, "loop.py:7");
    QCOMPARE(verdict->source.line, 7);
    // In a function it has not run, and nothing is said.
    write_file_atomically(file, head +
                                    "def train():\n    for _ in range(20):\n        loss = model(x).mean()\n"
                                    "        loss.backward()\n\nexample_inputs = (x,)\n");
    open(session, file);
    QVERIFY(session.status().verdict == nullptr);
}

// Arrays beside a model are named by place or by argument; what does not fit is said, and random values stand for it.
void TestVerdict::sample_inputs_go_by_names() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("net.py")).toStdString();
    const std::string samples = folder.filePath(QStringLiteral("net.in.npz")).toStdString();
    write_file_atomically(file,
                          "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n    "
                          "    super().__init__()\n"
                          "        self.fc = nn.Linear(3, 2)\n\n    def forward(self, x, y, scale: float = 2.0):\n     "
                          "   return self.fc(x) * scale + y\n\nmodel = Net()\n");
    Log log;
    {
        write_npz(
            samples,
            {{"x", zeros_of({4, 3})}, {"y", zeros_of({4, 2})}, {"scale", scalar_tensor(3.0, ScalarType::Float64)}});
        Session session(&log);
        open(session, file);
        QCOMPARE(session.inputs().size(), std::size_t{3});
        QCOMPARE(session.inputs()[0].key, std::string("x"));
        QCOMPARE(session.inputs()[1].shape, (Shape{4, 2}));
        run(session, false);
        QVERIFY2(session.status().state == RunState::Finished, session.status().error.c_str());
        QVERIFY2(!log.has("net.in.npz"), log.all().c_str());
    }
    {
        write_npz(samples, {{"arg0", zeros_of({4, 3})}, {"z", zeros_of({1})}});
        Session session(&log);
        open(session, file);
        QCOMPARE(session.inputs().size(), std::size_t{2});
        QCOMPARE(session.inputs()[0].key, std::string("arg0"));
        QCOMPARE(session.inputs()[1].source, InputSpec::Source::Normal);
        QVERIFY2(log.has("net.in.npz has no array for 'y' (arg1): random values stand for it"), log.all().c_str());
        QVERIFY2(log.has("net.in.npz has arrays that are of no argument of forward: z"), log.all().c_str());
    }
    write_file_atomically(samples, "nothing");
    Session session(&log);
    open(session, file);
    QCOMPARE(session.inputs().size(), std::size_t{2});
    QVERIFY2(log.has("net.in.npz cannot be read, random values stand for it"), log.all().c_str());
}

QTEST_GUILESS_MAIN(TestVerdict)
#include "test_verdict.moc"
