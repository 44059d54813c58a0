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

template <typename T>
struct IsRow : std::false_type {};
template <typename T>
struct IsRow<std::vector<T>> : std::true_type {};
template <typename T, std::size_t N>
struct IsRow<std::array<T, N>> : std::true_type {};

// Gives every field a value that no other has, and that is not its default.
class Filler {
  public:
    template <typename T>
    void fill(T& value) {
        if constexpr (std::is_same_v<T, bool>)
            value = !value;
        else if constexpr (std::is_enum_v<T>)
            value = last_of(T());
        else if constexpr (std::is_arithmetic_v<T>)
            value = static_cast<T>(++count_ % 100 + 1);
        else if constexpr (std::is_same_v<T, std::string>)
            value = text();
        else if constexpr (std::is_same_v<T, std::filesystem::path>)
            value = text();
        else if constexpr (std::is_same_v<T, std::string_view>)
            value = "a text that is kept";
        else if constexpr (IsRow<T>::value)
            fill_row(value);
        else if constexpr (HasFields<T>)
            fill_fields(value);
        else
            fill_other(value);
    }

  private:
    template <typename T>
    void fill_fields(T& value) {
        if (depth_ > 3) return;  // an InputSpec of InputSpecs
        ++depth_;
        std::apply([&](auto&... each) { (fill(each), ...); }, fields(value));
        --depth_;
    }
    template <typename T, std::size_t N>
    void fill_row(std::array<T, N>& row) {
        for (T& each : row) fill(each);
    }
    template <typename T>
    void fill_row(std::vector<T>& row) {
        for (int i = 0; i < 2; ++i) {
            T each{};
            fill(each);
            row.push_back(std::move(each));
        }
    }
    template <typename T>
    void fill_other(std::optional<T>& value) {
        fill(value.emplace());
    }
    template <typename A, typename B>
    void fill_other(std::pair<A, B>& value) {
        fill(value.first);
        fill(value.second);
    }
    template <typename K, typename V>
    void fill_other(std::map<K, V>& value) {
        for (int i = 0; i < 2; ++i) {
            K key{};
            fill(key);
            fill(value[key]);
        }
    }
    template <typename... Of>
    void fill_other(std::set<Of...>& value) {
        value.insert(text());
        value.insert(text());
    }
    template <typename T>
    void fill_other(std::shared_ptr<const T>& value) {
        auto made = std::make_shared<T>();
        fill(*made);
        value = std::move(made);
    }
    template <typename T>
    void fill_other(std::weak_ptr<T>&) {}
    std::string text() { return "text " + std::to_string(++count_); }

    int count_ = 0;
    int depth_ = 0;
};

template <typename T>
T filled() {
    T value{};
    Filler().fill(value);
    return value;
}

std::string_view keep(std::string_view text) {
    static std::set<std::string, std::less<>> texts;
    return *texts.emplace(text).first;
}

template <typename T>
bool is_refused(std::string_view bytes) {
    try {
        from_bytes<T>(bytes, keep);
        return false;
    } catch (const Error& error) {
        return error.kind() == ErrorKind::File;
    }
}

// Fails the test that calls it where something is lost on the way.
template <typename T>
void goes_there_and_back(const char* what) {
    const std::string bytes = to_bytes(filled<T>());
    QVERIFY2(to_bytes(from_bytes<T>(bytes, keep)) == bytes, what);
    QVERIFY2(to_bytes(from_bytes<T>(to_bytes(T{}), keep)) == to_bytes(T{}), what);
    QVERIFY2(is_refused<T>(bytes + '\0'), what);
    // Of long ones, not every place where they could be cut off.
    const std::size_t stride = bytes.size() / 500 + 1;
    for (std::size_t size = 0; size < bytes.size(); size += stride) {
        QVERIFY2(is_refused<T>(std::string_view(bytes).substr(0, size)), what);
    }
    // Damaged ones are refused or are another value, whatever they say of counts.
    std::mt19937 random(7);
    for (int i = 0; i < 300 && !bytes.empty(); ++i) {
        std::string damaged = bytes;
        for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
        try {
            from_bytes<T>(damaged, keep);
        } catch (const Error& error) {
            QVERIFY2(error.kind() == ErrorKind::File, error.what());
        }
    }
}

template <typename Query>
void query_goes_there_and_back() {
    const std::string name(Query::record().name);
    goes_there_and_back<Query>(name.c_str());
    goes_there_and_back<typename Query::Answer>(name.c_str());
    if constexpr (requires { typename Query::Progress; }) goes_there_and_back<typename Query::Progress>(name.c_str());
    // The record reads what the types write.
    const std::string bytes = to_bytes(filled<typename Query::Answer>());
    const QueryWire& wire = Query::record().answer_wire;
    QCOMPARE(wire.write(wire.read(bytes).get()), bytes);
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
    goes_there_and_back<Status>("Status");
    goes_there_and_back<ModelInfo>("ModelInfo");
    goes_there_and_back<SessionListener::LogEntry>("LogEntry");
    goes_there_and_back<Breakpoint>("Breakpoint");
    goes_there_and_back<RunOptions>("RunOptions");
    goes_there_and_back<TrainOptions>("TrainOptions");
    goes_there_and_back<TrainingStep>("TrainingStep");
    goes_there_and_back<TrainingEpoch>("TrainingEpoch");
    goes_there_and_back<TrainingSample>("TrainingSample");
    goes_there_and_back<TrainingOrigin>("TrainingOrigin");
    goes_there_and_back<TrainingFinding>("TrainingFinding");
    goes_there_and_back<TrainingVerdict>("TrainingVerdict");
    goes_there_and_back<ParameterNorms>("ParameterNorms");
    goes_there_and_back<Event>("Event");
    goes_there_and_back<Value>("Value");
    goes_there_and_back<Frame>("Frame");
    goes_there_and_back<Allocation>("Allocation");
    goes_there_and_back<Saving>("Saving");
    goes_there_and_back<BackwardStart>("BackwardStart");
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
