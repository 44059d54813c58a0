// SPDX-License-Identifier: Apache-2.0
// Every question and answer as bytes, there and back; bytes that are damaged; and when which question is refused, in
// which words.
#include <QtTest>

#include <future>
#include <random>

#include "core/session/queries/list.h"
#include "core/session/query_record.h"
#include "core/session/session.h"
#include "core/session/wire/wire.h"
#include "core/study/verdict.h"
#include "tests/support/filled.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";

// A question that no list names: as a plugin gives one.
struct DoubleQuery {
    using Answer = std::vector<double>;
    static const QueryRecord& record();

    std::vector<double> numbers = {};
};
auto fields(Like<DoubleQuery> auto& it) { return std::tie(it.numbers); }

std::vector<double> twice_of(const DoubleQuery& query, QueryContext&) {
    std::vector<double> doubled;
    for (const double number : query.numbers) doubled.push_back(2 * number);
    return doubled;
}

const QueryRecord& DoubleQuery::record() {
    static constexpr QueryRecord kRecord = query_record<DoubleQuery, twice_of>({.name = "test double"});
    return kRecord;
}

std::string_view keep(std::string_view text) {
    static std::set<std::string, std::less<>> texts;
    return *texts.emplace(text).first;
}

bool is_refused(const QueryWire& wire, std::string_view bytes) {
    try {
        wire.read(bytes);
        return false;
    } catch (const Error& error) {
        return error.kind() == ErrorKind::File;
    }
}
// Of what refers to texts that others keep.
template <typename T>
QueryWire kept_wire() {
    return {[](const void* value) { return to_bytes(*static_cast<const T*>(value)); },
            [](std::string_view bytes) -> QueryValue { return std::make_shared<T>(from_bytes<T>(bytes, keep)); }};
}
template <typename T>
bool is_refused(std::string_view bytes) {
    return is_refused(kept_wire<T>(), bytes);
}

// Two values of a type, and what makes bytes of them.
struct Type {
    QueryWire wire;
    QueryValue filled;
    QueryValue empty;
};
template <typename T>
Type type_of(const QueryWire& wire) {
    return {wire, std::make_shared<T>(test::filled<T>()), std::make_shared<T>()};
}

template <typename T>
Type kept() {
    return type_of<T>(kept_wire<T>());
}

// Fails the test that calls it where something is lost on the way.
void goes_there_and_back(const Type& type, const char* what) {
    const QueryWire& wire = type.wire;
    const std::string bytes = wire.write(type.filled.get());
    const std::string empty = wire.write(type.empty.get());
    QVERIFY2(wire.write(wire.read(bytes).get()) == bytes, what);
    QVERIFY2(wire.write(wire.read(empty).get()) == empty, what);
    QVERIFY2(is_refused(wire, bytes + '\0'), what);
    // Of long ones, not every place where they could be cut off.
    const std::size_t stride = bytes.size() / 500 + 1;
    for (std::size_t size = 0; size < bytes.size(); size += stride) {
        QVERIFY2(is_refused(wire, std::string_view(bytes).substr(0, size)), what);
    }
    // Damaged ones are refused or are another value, whatever they say of counts.
    std::mt19937 random(7);
    for (int i = 0; i < 300 && !bytes.empty(); ++i) {
        std::string damaged = bytes;
        for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
        try {
            wire.read(damaged);
        } catch (const Error& error) {
            QVERIFY2(error.kind() == ErrorKind::File, error.what());
        }
    }
}

// By the record's own functions: each type's bytes once more in this file would take a minute to compile. An answer
// that is checked beyond its types is not filled with what belongs together.
template <typename Query>
void query_goes_there_and_back() {
    using Answer = typename Query::Answer;
    const QueryRecord& record = Query::record();
    const std::string name(record.name);
    goes_there_and_back(type_of<Query>(record.query_wire), name.c_str());
    if constexpr (requires(const Answer& answer) { check_answer(answer); })
        goes_there_and_back(type_of<Answer>(query_wire<Answer>()), name.c_str());
    else
        goes_there_and_back(type_of<Answer>(record.answer_wire), name.c_str());
    if constexpr (requires { typename Query::Progress; })
        goes_there_and_back(type_of<typename Query::Progress>(record.progress_wire), name.c_str());
}

template <typename... Queries>
void all_go_there_and_back(QueryTypes<Queries...>) {
    (query_goes_there_and_back<Queries>(), ...);
}

template <typename Query>
typename Query::Answer answer_of(Session& session, Query query) {
    std::promise<typename Query::Answer> promise;
    session.ask("test", std::move(query), [&](typename Query::Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
}
template <typename Query>
QString refusal(Session& session, Query query = {}) {
    const auto answer = answer_of(session, std::move(query));
    if constexpr (std::is_same_v<typename Query::Answer, std::string>)
        return QString::fromStdString(answer);
    else
        return QString::fromStdString(answer.error);
}

void park(Session& session) {
    session.open(kModels + "digits.pt");
    session.wait_idle();
    RunOptions options;
    options.pause_at_start = true;
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
}

}  // namespace

class TestQueries : public QObject {
    Q_OBJECT

  private slots:
    void questions_have_names_of_their_own();
    void questions_and_answers_travel();
    void what_is_told_without_being_asked_travels();
    void damaged_numbers_are_refused();
    void as_deep_as_one_likes_is_too_deep();
    void answers_that_lie_about_sizes_are_refused();
    void without_a_model_they_say_so();
    void while_a_run_is_parked_some_are_refused();
    void what_failed_is_said_with_what_was_asked();
    void a_question_comes_as_bytes_too();
    void a_plugin_adds_a_question();
    void progress_is_told_on_the_way();
};

void TestQueries::questions_have_names_of_their_own() {
    const auto all = query_list();
    QVERIFY(all.size() >= 27);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QVERIFY(!all[i]->name.empty());
        QVERIFY(i == 0 || all[i - 1]->name < all[i]->name);
        QVERIFY(find_query(all[i]->name) == all[i]);
    }
    QVERIFY(find_query("no such question") == nullptr);
}

void TestQueries::questions_and_answers_travel() { all_go_there_and_back(AllQueries()); }

void TestQueries::what_is_told_without_being_asked_travels() {
    goes_there_and_back(kept<Status>(), "Status");
    goes_there_and_back(kept<ModelInfo>(), "ModelInfo");
    goes_there_and_back(kept<SessionListener::LogEntry>(), "LogEntry");
    goes_there_and_back(kept<Breakpoint>(), "Breakpoint");
    goes_there_and_back(kept<RunOptions>(), "RunOptions");
    goes_there_and_back(kept<TrainOptions>(), "TrainOptions");
    goes_there_and_back(kept<TrainingStep>(), "TrainingStep");
    goes_there_and_back(kept<TrainingEpoch>(), "TrainingEpoch");
    goes_there_and_back(kept<TrainingSample>(), "TrainingSample");
    goes_there_and_back(kept<TrainingOrigin>(), "TrainingOrigin");
    goes_there_and_back(kept<TrainingFinding>(), "TrainingFinding");
    goes_there_and_back(kept<TrainingVerdict>(), "TrainingVerdict");
    goes_there_and_back(kept<ParameterNorms>(), "ParameterNorms");
    goes_there_and_back(kept<Event>(), "Event");
    goes_there_and_back(kept<Value>(), "Value");
    goes_there_and_back(kept<Frame>(), "Frame");
    goes_there_and_back(kept<Allocation>(), "Allocation");
    goes_there_and_back(kept<Saving>(), "Saving");
    goes_there_and_back(kept<BackwardStart>(), "BackwardStart");
}

void TestQueries::damaged_numbers_are_refused() {
    QCOMPARE(to_bytes(std::uint32_t{0x01020304}), std::string("\4\3\2\1"));
    QCOMPARE(from_bytes<double>(to_bytes(-0.5)), -0.5);
    QVERIFY(std::isnan(from_bytes<double>(to_bytes(std::nan("")))));
    QCOMPARE(from_bytes<std::int64_t>(to_bytes(std::int64_t{-7})), std::int64_t{-7});
    QVERIFY(is_refused<bool>("\2"));
    QVERIFY(is_refused<RunState>(to_bytes(std::uint32_t{7})));
    QVERIFY(!is_refused<RunState>(to_bytes(std::uint32_t{6})));
    // Counts that no message can hold, also where count times size is small again.
    for (const std::uint64_t count : {std::uint64_t{1} << 40, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
        const std::string bytes = to_bytes(count) + std::string(64, '\0');
        QVERIFY(is_refused<std::string>(bytes));
        QVERIFY(is_refused<std::vector<double>>(bytes));
        QVERIFY(is_refused<std::vector<std::string>>(bytes));
        QVERIFY((is_refused<std::map<std::string, std::string>>(bytes)));
        QVERIFY(is_refused<std::set<std::string>>(bytes));
    }
    std::string twice = to_bytes(std::vector<std::string>{"a", "b"});
    QVERIFY(!is_refused<std::set<std::string>>(twice));
    twice.back() = 'a';
    QVERIFY(is_refused<std::set<std::string>>(twice));
}

void TestQueries::as_deep_as_one_likes_is_too_deep() {
    InputSpec deep;
    for (int i = 0; i < 50; ++i) {
        InputSpec outer;
        outer.elements.push_back(std::move(deep));
        deep = std::move(outer);
    }
    QVERIFY(!is_refused<InputSpec>(to_bytes(deep)));
    for (int i = 0; i < 100; ++i) {
        InputSpec outer;
        outer.elements.push_back(std::move(deep));
        deep = std::move(outer);
    }
    QVERIFY(is_refused<InputSpec>(to_bytes(deep)));
}

// Views draw as many elements as rows and columns say.
void TestQueries::answers_that_lie_about_sizes_are_refused() {
    const auto refusal_of = [](const auto& query_of, const auto& answer) {
        using Query = std::remove_cvref_t<decltype(query_of)>;
        try {
            Query::record().answer_wire.read(to_bytes(answer));
            return QString();
        } catch (const Error& error) {
            return QString::fromStdString(error.message());
        }
    };
    TensorSlice slice;
    slice.data.push_back({"[0]", 2, 3, std::vector<double>(6)});
    QCOMPARE(refusal_of(TensorQuery(), slice), QString());
    slice.data[0].rows = 3;
    QCOMPARE(refusal_of(TensorQuery(), slice), QString("an answer with 6 elements in 3 rows of 3"));
    slice.data[0] = {"[0]", -1, -6, std::vector<double>(6)};
    QVERIFY(!refusal_of(TensorQuery(), slice).isEmpty());
    slice.data[0] = {"[0]", 1 << 30, 0, {}};
    QVERIFY(!refusal_of(TensorQuery(), slice).isEmpty());
    slice.data[0] = {"[0]", 1, 6, std::vector<double>(6)};
    slice.data.push_back({"[1]", 6, 1, std::vector<double>(6)});
    QCOMPARE(refusal_of(TensorQuery(), slice), QString("an answer with tiles of several sizes"));
    TensorComparison comparison;
    comparison.difference = slice;
    QVERIFY(!refusal_of(TensorComparisonQuery(), comparison).isEmpty());
    slice = {};
    slice.shape = {4};
    slice.axes = {{0, 1, 7}};
    QCOMPARE(refusal_of(TensorQuery(), slice), QString("an answer with an axis that is shown as 7 of 0"));

    StudyResult study;
    study.words.push_back({"words", {{"a", ""}}, {{}, {}}, {{}, {}}});
    QCOMPARE(refusal_of(StudyQuery(), study), QString());
    study.words[0].cells.pop_back();
    QCOMPARE(refusal_of(StudyQuery(), study), QString("an answer with 1 cells for 2"));
    study = {};
    study.maps.emplace_back().under = {2, 2, std::vector<std::uint8_t>(11)};
    QVERIFY(!refusal_of(StudyQuery(), study).isEmpty());
    study.maps[0].under.rgb.push_back(0);
    QCOMPARE(refusal_of(StudyQuery(), study), QString());

    AttentionMap map;
    map.heads.push_back({2, 2, 1, 1, std::vector<float>(3)});
    QVERIFY(!refusal_of(AttentionMapQuery(), map).isEmpty());
    Explanation explanation;
    explanation.groups.emplace_back().rows = 1;
    explanation.groups[0].columns = 2;
    explanation.groups[0].shares = {1, 2};
    QVERIFY(!refusal_of(ExplainQuery(), explanation).isEmpty());
    explanation.groups[0].elements = {1, 2};
    QCOMPARE(refusal_of(ExplainQuery(), explanation), QString());
    auto graph = std::make_shared<GraphModel>();
    graph->nodes.resize(2);
    for (int i = 0; i < 2; ++i) graph->nodes[static_cast<std::size_t>(i)].id = i;
    graph->nodes[1].parent = 0;
    graph->nodes[0].children = {1};
    PassTrace trace;
    trace.initial = graph;
    QCOMPARE(refusal_of(PassTraceQuery(), trace), QString());
    graph->edges.push_back({0, 2, 0, 0, {}, {}});
    QCOMPARE(refusal_of(PassTraceQuery(), trace), QString("an answer with an edge between nodes that the graph lacks"));
    graph->edges.clear();
    graph->nodes[0].parent = 1;  // a circle
    QCOMPARE(refusal_of(PassTraceQuery(), trace), QString("an answer with nodes that are no tree"));
    QueryTable table{{"a", "b"}, {{"1"}}, {}, {}};
    QVERIFY(!refusal_of(TableQuery(), table).isEmpty());
}

void TestQueries::without_a_model_they_say_so() {
    Session session;
    const QString none = "no model is open";
    QCOMPARE(refusal<TensorQuery>(session), none);
    QCOMPARE(refusal<PassTraceQuery>(session), none);
    QCOMPARE(refusal<PassCheckQuery>(session), none);
    QCOMPARE(refusal<PassBisectQuery>(session), none);
    QCOMPARE(refusal<TraceCheckQuery>(session), none);
    QCOMPARE(refusal<CompileQuery>(session), none);
    QCOMPARE(refusal<FusedGroupsQuery>(session), none);
    QCOMPARE(refusal<MemoryPlanQuery>(session), none);
    QCOMPARE(refusal<WhatIfQuery>(session), none);
    QCOMPARE(refusal<SaveWeightsQuery>(session), none);
    QCOMPARE(refusal<LoadWeightsQuery>(session), none);
    QCOMPARE(refusal<TrainModeQuery>(session), none);
    QCOMPARE(refusal<ResetParametersQuery>(session), none);
    QCOMPARE(refusal<WatchQuery>(session), QString("nothing was recorded"));
    QCOMPARE(refusal<SaveRecordingQuery>(session), QString("nothing was recorded; run the model first"));
    QCOMPARE(refusal<SaveCheckpointQuery>(session), QString("nothing was trained; save the weights instead"));
    QCOMPARE(refusal<OperatorTimesQuery>(session), QString("nothing was recorded; run the model first"));
    QVERIFY(answer_of(session, GradientsQuery{}).empty());
    QVERIFY(answer_of(session, LineValuesQuery{}).empty());
}

void TestQueries::while_a_run_is_parked_some_are_refused() {
    Session session;
    park(session);
    const QString parked = "a run is under way; stop it first";
    QCOMPARE(refusal<PassCheckQuery>(session), parked);
    QCOMPARE(refusal<PassBisectQuery>(session), parked);
    QCOMPARE(refusal<TraceCheckQuery>(session), parked);
    QCOMPARE(refusal<CompileQuery>(session), parked);
    QCOMPARE(refusal<FusedGroupsQuery>(session), parked);
    QCOMPARE(refusal<MemoryPlanQuery>(session), parked);
    QCOMPARE(refusal<WhatIfQuery>(session), parked);
    QCOMPARE(refusal<OperatorTimesQuery>(session), parked);
    QCOMPARE(refusal<ForecastQuery>(session), parked);
    QCOMPARE(refusal<LoadWeightsQuery>(session), parked);
    QCOMPARE(refusal<TrainModeQuery>(session), parked);
    QCOMPARE(refusal<ResetParametersQuery>(session), parked);
    // The others are answered.
    QCOMPARE(refusal(session, PassTraceQuery{"inference", "forward"}), QString());
    TensorQuery tensor;
    tensor.request.name = "features.conv1.weight";
    QCOMPARE(refusal(session, tensor), QString());
    QCOMPARE(session.status().state, RunState::Paused);
}

void TestQueries::what_failed_is_said_with_what_was_asked() {
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    const PassTrace trace = answer_of(session, PassTraceQuery{"NoSuchPass", "forward"});
    QVERIFY(trace.error.find("NoSuchPass") != std::string::npos);
    QCOMPARE(trace.pipeline, std::string("NoSuchPass"));
    PassBisectQuery bisect;
    bisect.options.pipeline = "NoSuchPass";
    const PassBisect found = answer_of(session, bisect);
    QCOMPARE(found.pipeline, std::string("NoSuchPass"));
    QCOMPARE(found.verdict, found.error);
    const WeightsReport weights = answer_of(session, LoadWeightsQuery{"/no/such/file.pt"});
    QCOMPARE(weights.file, std::string("/no/such/file.pt"));
    QVERIFY(!weights.error.empty());
    QCOMPARE(refusal(session, TrainModeQuery{"no.such"}), QString("no module 'no.such'"));
}

void TestQueries::a_question_comes_as_bytes_too() {
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    const PassTraceQuery query{"inference", "forward"};
    std::promise<std::string> promise;
    session.ask_bytes("test", "pass trace", to_bytes(query), [&](std::string bytes) { promise.set_value(bytes); });
    const auto trace = from_bytes<PassTrace>(promise.get_future().get());
    const PassTrace same = answer_of(session, query);
    QCOMPARE(trace.error, std::string());
    QCOMPARE(trace.steps.size(), same.steps.size());
    QVERIFY(!trace.steps.empty());
    QCOMPARE(trace.initial->text, same.initial->text);
    const auto kind_of_failure = [&](std::string_view name, std::string_view bytes) -> std::optional<ErrorKind> {
        try {
            session.ask_bytes("test", name, bytes, [](const std::string&) {});
            return std::nullopt;
        } catch (const Error& error) {
            return error.kind();
        }
    };
    QVERIFY(kind_of_failure("pass tracing", to_bytes(query)) == ErrorKind::Usage);
    QVERIFY(kind_of_failure("pass trace", to_bytes(query).substr(1)) == ErrorKind::File);
}

void TestQueries::a_plugin_adds_a_question() {
    if (std::getenv("LOUPE_TEST_ENGINE") != nullptr) QSKIP("the question is one of this process");
    add_query(DoubleQuery::record());
    QVERIFY_THROWS_EXCEPTION(Error, add_query(DoubleQuery::record()));
    QVERIFY_THROWS_EXCEPTION(Error, add_query(PassTraceQuery::record()));
    Session session;
    std::promise<std::string> promise;
    session.ask_bytes("test", "test double", to_bytes(DoubleQuery{{1, -2.5}}),
                      [&](std::string bytes) { promise.set_value(bytes); });
    QCOMPARE(from_bytes<std::vector<double>>(promise.get_future().get()), (std::vector<double>{2, -5}));
}

void TestQueries::progress_is_told_on_the_way() {
    Session session;
    session.open(kModels + "digits.pt");
    session.wait_idle();
    PassBisectQuery query;
    query.options.pipeline = "inference";
    std::promise<PassBisect> promise;
    std::atomic<int> told = 0;
    session.ask(
        "test", query, [&](PassBisect found) { promise.set_value(std::move(found)); },
        [&](const PassBisectProgress&) { ++told; });
    QCOMPARE(promise.get_future().get().error, std::string());
    QVERIFY(told > 0);
}

QTEST_GUILESS_MAIN(TestQueries)
#include "test_queries.moc"
