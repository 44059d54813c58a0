// SPDX-License-Identifier: Apache-2.0
// Recordings are read while they are written; values are kept, protected and spilled.

#include <QtTest>
#include <atomic>
#include <thread>

#include "core/base/error.h"
#include "core/record/memory_account.h"
#include "core/record/recording_writer.h"
#include "core/record/running_place.h"
#include "core/record/value_store.h"
#include "core/session/run_control.h"
#include "core/session/watch.h"

using namespace loupe;
using namespace loupe::session;

class TestRecording : public QObject {
    Q_OBJECT

  private slots:
    void readers_see_whole_events();
    void what_runs_is_seen_whole();
    void text_is_kept_once();
    void memory_is_freed_on_any_thread();
    void values_are_protected_from_writes();
    void values_over_the_budget_come_back_from_the_file();
    void values_over_both_budgets_are_dropped();
    void conditions_data();
    void conditions();
    void bad_conditions_are_refused();
    void numbers_of_nothing_finite_are_none();
    void problems_have_their_place();
    void conditions_over_shapes_and_variables();
    void globs();
};

void TestRecording::readers_see_whole_events() {
    RecordingWriter writer;
    const auto recording = writer.recording();
    constexpr EventId kEvents = 50'000;
    std::thread reader([&] {
        std::size_t seen = 0;
        while (seen < kEvents) {
            seen = recording->event_count();
            if (seen == 0) continue;
            const Event& last = recording->event(static_cast<EventId>(seen));
            if (last.id != seen || last.inputs.size() != 1 || last.inputs[0] != seen) qFatal("torn event");
        }
    });
    for (EventId i = 1; i <= kEvents; ++i) {
        Event event;
        event.inputs = {i};
        QCOMPARE(writer.add_event(std::move(event)), i);
    }
    reader.join();
    writer.set_backward_peer(3, 40);
    writer.set_backward_peer(3, 41);
    QCOMPARE(recording->backward_peer(3), EventId{40});
    QCOMPARE(recording->backward_peer(4), EventId{0});
}

// The place is shared with another process, which no tool for races sees: here its reader is a thread of this one.
void TestRecording::what_runs_is_seen_whole() {
    RunningPlace place{};
    std::atomic<bool> is_over{false};
    std::thread writer([&] {
        for (std::uint32_t event = 1; event <= 20'000; ++event) {
            const std::string text(event % 120, static_cast<char>('a' + event % 26));
            place.begin(event, text, text, text, static_cast<int>(event));
            if (event % 3 == 0) place.end();
        }
        is_over = true;
    });
    std::size_t torn = 0;
    while (!is_over) {
        const auto facts = place.read();
        if (!facts || facts->event == 0) continue;
        const std::string text(facts->event % 120, static_cast<char>('a' + facts->event % 26));
        if (facts->op != text.substr(0, 95) || facts->scope != text || facts->file != text ||
            facts->line != static_cast<int>(facts->event))
            ++torn;
    }
    writer.join();
    QCOMPARE(torn, std::size_t{0});
    // Texts are cut off: the beginning of names, the end of paths.
    const std::string path = std::string(600, '/') + "model.py";
    place.begin(7, std::string(200, 'x'), "", path, 3);
    const auto cut = place.read();
    QVERIFY(cut && cut->is_under_way && cut->scope.empty());
    QCOMPARE(cut->op, std::string(95, 'x'));
    QCOMPARE(cut->file, path.substr(path.size() - 511));
    place.clear();
    QVERIFY(place.read() && place.read()->event == 0 && !place.read()->is_under_way);
}

void TestRecording::text_is_kept_once() {
    RecordingWriter writer;
    const auto first = writer.intern("layer1.0");
    for (int i = 0; i < 1000; ++i) writer.intern(std::to_string(i));
    QCOMPARE(writer.intern("layer1.0").data(), first.data());
    // Names of devices come from threads that free their memory.
    std::thread other([&writer] {
        for (int i = 0; i < 5000; ++i) writer.intern(std::to_string(i));
    });
    bool are_whole = true;
    for (int i = 5000; i > 0; --i) are_whole = writer.intern(std::to_string(i)) == std::to_string(i) && are_whole;
    other.join();
    QVERIFY(are_whole);
    QCOMPARE(writer.intern("layer1.0").data(), first.data());
}

void TestRecording::memory_is_freed_on_any_thread() {
    RecordingWriter writer;
    const ValueStore store;
    MemoryAccount account(writer, store);
    account.begin_event(1, "");
    std::vector<Tensor> tensors;
    for (int i = 0; i < 2000; ++i) tensors.push_back(tensor_of<float>({1, 2, 3, 4}, {4}));
    const std::int64_t all = account.current_bytes();
    std::thread other([&tensors] {
        while (!tensors.empty()) tensors.pop_back();
    });
    // They become fewer.
    bool is_between = true;
    for (int i = 0; i < 2000; ++i)
        is_between = account.current_bytes() >= 0 && account.current_bytes() <= all && is_between;
    other.join();
    account.end_event();
    QVERIFY(is_between);
    QVERIFY(all >= 2000 * 16);
    QVERIFY(account.current_bytes() <= all - 2000 * 16);
    QCOMPARE(account.event_peak(), all);
}

void TestRecording::values_are_protected_from_writes() {
    ValueStore store;
    const Tensor t = tensor_of<float>({1, 2, 3, 4}, {4});
    store.keep(1, t);
    QCOMPARE(store.find(1).data<float>(), t.data<float>());
    QCOMPARE(store.holds(t.storage()->id()), 1u);
    QCOMPARE(store.protect(t.storage()->id()), std::size_t{16});
    t.data<float>()[0] = 9;
    QCOMPARE(store.find(1).data<float>()[0], 1.0f);
    QCOMPARE(store.holds(t.storage()->id()), 0u);
}

void TestRecording::values_over_the_budget_come_back_from_the_file() {
    ValueStore store({.memory = 4096, .file = 1 << 20});
    for (ValueId id = 1; id <= 10; ++id) {
        const Tensor t = empty(std::vector<std::int64_t>{512}, ScalarType::Float32);
        for (int i = 0; i < 512; ++i) t.data<float>()[i] = static_cast<float>(id * 1000 + static_cast<ValueId>(i));
        store.keep(id, t);
    }
    QVERIFY(store.bytes_in_memory() <= 4096);
    QVERIFY(store.bytes_in_file() >= 8 * 2048);
    for (ValueId id = 1; id <= 10; ++id) {
        const Tensor t = store.find(id);
        QVERIFY(t.defined());
        QCOMPARE(t.data<float>()[511], static_cast<float>(id * 1000 + 511));
    }
}

void TestRecording::values_over_both_budgets_are_dropped() {
    ValueStore store({.memory = 4096, .file = 4096});
    const auto numbers = [](ValueId id) {
        const Tensor t = empty(std::vector<std::int64_t>{512}, ScalarType::Float32);
        for (int i = 0; i < 512; ++i) t.data<float>()[i] = static_cast<float>(id * 1000 + static_cast<ValueId>(i));
        return t;
    };
    store.keep_for_good(20, numbers(20));
    for (ValueId id = 1; id <= 10; ++id) store.keep(id, numbers(id));
    QVERIFY(store.bytes_in_file() <= 4096);
    int dropped = 0;
    for (ValueId id = 1; id <= 10; ++id) {
        if (!store.was_dropped(id)) continue;
        ++dropped;
        QVERIFY(!store.find(id).defined());
        QVERIFY(!store.restore(id, numbers(id + 1)));
        QVERIFY(!store.find(id).defined() && !store.is_recomputed(id));
        QVERIFY(store.restore(id, numbers(id)));
        QVERIFY(store.is_recomputed(id));
        QCOMPARE(store.find(id).data<float>()[3], static_cast<float>(id * 1000 + 3));
    }
    QVERIFY(dropped >= 6);
    QCOMPARE(store.find(20).data<float>()[3], 20003.0f);
}

void TestRecording::conditions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("holds");
    QTest::newRow("nan") << "nan" << true;
    QTest::newRow("inf") << "inf" << false;
    QTest::newRow("greater") << "absmax > 10" << true;
    QTest::newRow("not greater") << "absmax>12.5" << false;
    QTest::newRow("at most") << "norm <= 1e2" << true;
    QTest::newRow("bytes") << "bytes > 1e6" << false;
    QTest::newRow("equal") << "count == 4" << true;
}

void TestRecording::conditions() {
    QFETCH(QString, text);
    QFETCH(bool, holds);
    Value value;
    value.bytes = 16;
    value.statistics = Statistics{};
    value.statistics->count = 4;
    value.statistics->nan_count = 1;
    value.statistics->finite.emplace();
    value.statistics->finite->abs_max = 12.5;
    value.statistics->finite->norm = 20;
    QCOMPARE(Condition(text.toStdString()).holds({.output = &value}), holds);
}

void TestRecording::bad_conditions_are_refused() {
    for (const char* text :
         {"absmax >", "absmax ~ 3", "absmax > x", "> 3", "shape", "shape == wide", "dtype == float17",
          "dtype < float16", "nan and", "(nan", "shape[x] == 1", "absmax = 3", "i =="}) {
        QVERIFY_THROWS_EXCEPTION(Error, Condition{text});
    }
}

// A condition on a number that there is not does not hold, and a watch says so.
void TestRecording::numbers_of_nothing_finite_are_none() {
    RecordingWriter writer;
    Value value;
    value.name = "x";
    value.dtype = writer.intern("float32");
    value.shape = {4};
    value.statistics = Statistics{};
    value.statistics->count = 4;
    value.statistics->nan_count = 4;
    QVERIFY(!Condition("absmax < 1").holds({.output = &value}));
    QVERIFY(!Condition("mean == 0").holds({.output = &value}));
    QVERIFY(Condition("nan").holds({.output = &value}));
    QVERIFY(!value_field(value, "min").has_value());
    writer.add_value(value);
    writer.add_event({});
    QCOMPARE(evaluate_watch(*writer.recording(), "x.max", 1), std::string("no finite values"));
    QCOMPARE(evaluate_watch(*writer.recording(), "x.nan", 1), std::string("4"));
    value.name = "y";
    value.statistics->nan_count = 1;
    value.statistics->finite.emplace().max = 2.5;
    writer.add_value(value);
    QCOMPARE(evaluate_watch(*writer.recording(), "y.max", 1), std::string("2.5, of the finite 75 %"));
}

// What an editor shows: what is wrong, and where.
void TestRecording::problems_have_their_place() {
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::OperatorKind;
    const auto problem = [&](const char* text) {
        breakpoint.condition = text;
        return check_condition(breakpoint, nullptr);
    };
    QCOMPARE(problem("nan or absmax > 1e3").text, std::string());
    const ConditionProblem wrong = problem("nan or absmax > x");
    QCOMPARE(wrong.text, std::string("'x' is no number; write one like 10, 1e-6 or 1MiB"));
    QCOMPARE(wrong.begin, std::size_t{16});
    QCOMPARE(wrong.end, std::size_t{17});
    QVERIFY(problem("absmaxx > 1").text.starts_with("'absmaxx' is no quantity"));
    QVERIFY(problem("i == 1").text.find("at its lines") != std::string::npos);
    breakpoint.kind = Breakpoint::Kind::Phase;
    QVERIFY(!problem("absmax > 1").text.empty());

    ModelInfo model;
    model.form = ModelForm::Evaluated;
    model.sources.push_back({"/net.py", "for i in range(3):\n    x = self.conv(x)\n", true, true});
    breakpoint.kind = Breakpoint::Kind::Line;
    breakpoint.text = "/net.py";
    breakpoint.condition = "i == 1 and x.shape[0] > 2";
    QCOMPARE(check_condition(breakpoint, &model).text, std::string());
    breakpoint.condition = "absmax > 2 and ii == 1";
    const ConditionProblem unknown = check_condition(breakpoint, &model);
    QVERIFY2(unknown.text.starts_with("'ii' is neither a name in net.py"), unknown.text.c_str());
    QCOMPARE(unknown.begin, std::size_t{15});
    breakpoint.condition = "i = = 1";  // the parser's own words are about a parenthesis
    const ConditionProblem misread = check_condition(breakpoint, &model);
    QCOMPARE(misread.text, std::string("'=' is not expected here; == compares"));
    QCOMPARE(misread.begin, std::size_t{2});
    breakpoint.condition = "(i 1)";
    QCOMPARE(check_condition(breakpoint, &model).text.substr(0, 10), std::string("expected )"));
    model.form = ModelForm::Traced;
    breakpoint.condition = "i == 1";
    QVERIFY(check_condition(breakpoint, &model).text.find("runs scripted or traced") != std::string::npos);
    const std::vector<std::string> names = variable_names(model.sources[0].text);
    QCOMPARE(names, (std::vector<std::string>{"i", "self", "x"}));
}

void TestRecording::conditions_over_shapes_and_variables() {
    Value value;
    value.shape = {2, 3};
    value.dtype = "float16";
    const Shape other{4, 3};
    std::vector<std::string> asked;
    ConditionFacts facts{.output = &value, .shape_before = &other, .holds = [&](const std::string& expression) {
                             asked.push_back(expression);
                             return expression == "i == 1";
                         }};
    const std::pair<const char*, bool> kCases[] = {{"shape == 2x3", true},
                                                   {"shape == [2, 3]", true},
                                                   {"shape != (2, 3)", false},
                                                   {"shape[0] == 2", true},
                                                   {"shape[-1] < 3", false},
                                                   {"shape[5] == 1", false},
                                                   {"ndim == 2", true},
                                                   {"dtype == float16", true},
                                                   {"dtype != 'torch.float16'", false},
                                                   {"shape differs", true},
                                                   {"i == 1 and ndim == 2", true},
                                                   {"not (i == 1) or ndim > 3", false},
                                                   {"(i == 2 or ndim == 2) and i == 1", true}};
    for (const auto& [text, holds] : kCases) QVERIFY2(Condition(text).holds(facts) == holds, text);
    facts.shape_before = nullptr;
    QVERIFY(!Condition("shape differs").holds(facts));  // there is nothing that it could differ from
    asked.clear();
    Condition("a if i == 1 or j else b").holds(facts);
    QCOMPARE(asked, (std::vector<std::string>{"a if i == 1 or j else b"}));  // Python's own
    QVERIFY(Condition("i == 1").needs_variables() && !Condition("i == 1").needs_output());
    QVERIFY(Condition("mean > 1").needs_output() && Condition("mean.item() > 1").needs_variables());
    // Without a finite element there is no greatest one.
    value.statistics = Statistics{};
    value.statistics->count = value.statistics->nan_count = 3;
    QVERIFY(!Condition("absmax < 1").holds({.output = &value}));
    QVERIFY(Condition("nan").holds({.output = &value}));
}

void TestRecording::globs() {
    QVERIFY(matches_operator("conv*", "aten::conv2d"));
    QVERIFY(matches_operator("aten::conv2d", "aten::conv2d"));
    QVERIFY(matches_operator("*Backward0", "MulBackward0"));
    QVERIFY(!matches_operator("conv", "aten::conv2d"));
    QVERIFY(matches_glob("a*b*c", "axxbyybzc"));
    QVERIFY(!matches_glob("a?c", "ac"));
}

QTEST_GUILESS_MAIN(TestRecording)
#include "test_recording.moc"
