// SPDX-License-Identifier: Apache-2.0
// Studies of models, against what PyTorch, torchvision and transformers give: fixtures/studies (make_studies.py).
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <future>

#include "core/dispatch/plugin_list.h"
#include "core/formats/image/image.h"
#include "core/formats/numpy/npy.h"
#include "core/session/queries/list.h"
#include "core/session/queries/studies.h"
#include "core/session/queries/tokenize.h"
#include "core/session/session.h"
#include "core/study/studies/principal_axes.h"
#include "core/study/studies/study_picture.h"
#include "core/study/studies/study_record.h"
#include "core/tensor/element_walk.h"

using namespace loupe;
using namespace loupe::session;

namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures";
using Options = std::map<std::string, std::string>;

template <typename Query>
typename Query::Answer ask(Session& session, Query query) {
    std::promise<typename Query::Answer> promise;
    auto answer = promise.get_future();
    session.ask("test", std::move(query), [&](typename Query::Answer each) { promise.set_value(std::move(each)); });
    return answer.get();
}

// Numbers of any dtype as float64.
std::vector<double> numbers_of(const Tensor& t) {
    std::vector<double> out;
    const auto take = [&](const auto* elements, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) out.push_back(static_cast<double>(elements[i]));
    };
    if (t.dtype() == ScalarType::Float32) walk_elements<float>(t, true, take);
    if (t.dtype() == ScalarType::Float64) walk_elements<double>(t, true, take);
    if (t.dtype() == ScalarType::Int64) walk_elements<std::int64_t>(t, true, take);
    return out;
}

std::vector<double> array(const NamedTensors& all, const std::string& name) {
    for (const auto& [own, tensor] : all)
        if (own == name) return numbers_of(tensor);
    return {};
}
std::vector<double> expected(const char* file, const std::string& name) {
    static std::map<std::string, NamedTensors> known;
    auto& all = known[file];
    if (all.empty()) all = read_npz(kFixtures / "studies" / (std::string(file) + ".npz"));
    return array(all, name);
}

std::string difference(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance) {
    if (got.size() != wanted.size() || wanted.empty())
        return std::to_string(got.size()) + " numbers, not " + std::to_string(wanted.size());
    double greatest = 0;
    for (const double each : wanted) greatest = std::max(greatest, std::abs(each));
    for (std::size_t i = 0; i < got.size(); ++i)
        if (!(std::abs(got[i] - wanted[i]) <= tolerance * greatest))
            return "at " + std::to_string(i) + ": " + std::to_string(got[i]) + " is not " + std::to_string(wanted[i]);
    return {};
}

struct Answered {
    StudyResult result;
    NamedTensors arrays;
};
Answered study(Session& session, const std::string& name, const Options& options = {}) {
    const QTemporaryDir folder;
    const std::string file = folder.filePath("study.npz").toStdString();
    Answered out;
    out.result = ask(session, StudyQuery{name, options, file});
    if (out.result.error.empty()) out.arrays = read_npz(file);
    return out;
}

void open_pictures(Session& session) {
    session.open(kFixtures / "studies/pictures.pt");
    session.wait_idle();
}

void open_text(Session& session, const char* folder) {
    session.open(kFixtures / "generation" / folder);
    session.wait_idle();
    session.set_inputs(ask(session, TokenizeQuery{"The quick brown fox", {}}).inputs);
}

std::string why_not(Session& session, const std::string& name) {
    for (const StudyInfo& each : ask(session, StudiesQuery{}).studies)
        if (each.name == name) return each.why_not;
    return "not listed";
}

#define COMPARE_ARRAY(arrays, name, file, wanted, tolerance)                                         \
    do {                                                                                             \
        const std::string what = difference(array(arrays, name), expected(file, wanted), tolerance); \
        QVERIFY2(what.empty(), (std::string(wanted) + ": " + what).c_str());                         \
    } while (false)

class TestStudies : public QObject {
    Q_OBJECT
  private slots:
    void lists_what_fits();
    void saliency_of_pictures();
    void integrated_gradients_of_pictures();
    void grad_cam();
    void grad_cam_of_plain_graphs_data();
    void grad_cam_of_plain_graphs();
    void feature_maps();
    void principal_components();
    void groups_lie_together();
    void language_models_data();
    void language_models();
    void decoders_have_their_own_tokens();
    void nothing_stays_of_a_study();
    void a_study_is_stopped();
    void refusals_data();
    void refusals();
    void options_are_checked();
    void plugins_add_studies();
    void pictures_of_results();
};

void TestStudies::lists_what_fits() {
    Session session;
    open_pictures(session);
    const StudyList list = ask(session, StudiesQuery{});
    QCOMPARE(list.error, std::string());
    // An engine's process has those of plugins too.
    if (std::getenv("LOUPE_TEST_ENGINE") == nullptr) QCOMPARE(list.studies.size(), all_studies().size());
    for (const char* fits : {"saliency", "integrated-gradients", "grad-cam", "feature-maps", "pca"})
        QCOMPARE(why_not(session, fits), std::string());
    QVERIFY(why_not(session, "logit-lens").starts_with("the model takes no tokens"));
    QVERIFY(why_not(session, "attention").find("softmax") != std::string::npos);
    // Two pictures: one is chosen.
    const auto& saliency = list.studies.front();
    QVERIFY(std::ranges::find(saliency.options, "sample", &StudyOption::name) != saliency.options.end());
    open_text(session, "llama");
    QCOMPARE(why_not(session, "logit-lens"), std::string());
    QCOMPARE(why_not(session, "attention"), std::string());
    QVERIFY(why_not(session, "grad-cam").starts_with("no convolution"));
}

void TestStudies::saliency_of_pictures() {
    Session session;
    open_pictures(session);
    const Answered plain = study(session, "saliency");
    QVERIFY2(plain.result.error.empty(), plain.result.error.c_str());
    const auto target = static_cast<int>(expected("pictures", "class").front());
    QCOMPARE(plain.result.title, "|gradient| of out[0, " + std::to_string(target) + "]");
    QVERIFY(!plain.result.maps.front().is_signed && plain.result.maps.front().under.rgb.size() == 20 * 24 * 3);
    COMPARE_ARRAY(plain.arrays, "map", "pictures", "saliency", 1e-5);
    COMPARE_ARRAY(study(session, "saliency", {{"channels", "max"}}).arrays, "map", "pictures", "saliency_max", 1e-5);
    const Answered times = study(session, "saliency", {{"method", "gradient x input"}});
    COMPARE_ARRAY(times.arrays, "map", "pictures", "times_input", 1e-5);
    QVERIFY(times.result.maps.front().is_signed);
    const Options smooth{{"method", "smoothgrad"}, {"samples", "5"}, {"noise", "0.2"}, {"seed", "3"}};
    COMPARE_ARRAY(study(session, "saliency", smooth).arrays, "map", "pictures", "smooth", 1e-5);
    // The same seed, the same noise.
    QCOMPARE(array(study(session, "saliency", smooth).arrays, "map"),
             array(study(session, "saliency", smooth).arrays, "map"));
}

void TestStudies::integrated_gradients_of_pictures() {
    Session session;
    open_pictures(session);
    const std::vector<std::pair<std::string, Options>> cases{
        {"ig_zero", {{"baseline", "zero"}, {"steps", "20"}, {"rule", "midpoint"}}},
        {"ig_mean", {{"baseline", "mean"}, {"steps", "20"}}},
        {"ig_blur", {{"baseline", "blur"}, {"steps", "20"}, {"blur", "2"}}}};
    for (const auto& [name, options] : cases) {
        const Answered made = study(session, "integrated-gradients", options);
        QCOMPARE(made.result.error, std::string());
        COMPARE_ARRAY(made.arrays, "map", "pictures", name, 2e-5);
        COMPARE_ARRAY(made.arrays, "completeness", "pictures", name + "_sum", 2e-5);
        QVERIFY2(made.result.facts[1].starts_with("Completeness: sum "), made.result.facts[1].c_str());
    }
    // More steps, nearer to the difference.
    const auto gap = [&](const char* steps) {
        const auto sums = array(study(session, "integrated-gradients", {{"steps", steps}}).arrays, "completeness");
        return std::abs(sums[0] - (sums[1] - sums[2]));
    };
    QVERIFY(gap("200") < gap("2"));
}

void TestStudies::grad_cam() {
    Session session;
    open_pictures(session);
    const Answered made = study(session, "grad-cam");
    QCOMPARE(made.result.error, std::string());
    // The stage of convolutions before pooling.
    QVERIFY2(made.result.title.ends_with(" at features"), made.result.title.c_str());
    COMPARE_ARRAY(made.arrays, "cam", "pictures", "cam", 1e-5);
    COMPARE_ARRAY(made.arrays, "map", "pictures", "cam_large", 1e-5);
    QCOMPARE(made.result.maps.front().rows, 20);
    const Answered plus = study(session, "grad-cam", {{"method", "grad-cam++"}});
    COMPARE_ARRAY(plus.arrays, "cam", "pictures", "cam_plus", 1e-4);
    COMPARE_ARRAY(study(session, "grad-cam", {{"module", "features.0"}}).arrays, "cam", "pictures", "cam_first", 1e-5);
    const auto other = std::to_string(static_cast<int>(expected("pictures", "other").front()));
    COMPARE_ARRAY(study(session, "grad-cam", {{"target", other}}).arrays, "cam", "pictures", "other_cam", 1e-5);
    COMPARE_ARRAY(study(session, "grad-cam", {{"target", "[0, " + other + "]"}}).arrays, "cam", "pictures", "other_cam",
                  1e-5);
}

// Convolutions that no module names are named by what they give.
void TestStudies::grad_cam_of_plain_graphs_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("frozen") << "plain.pt";
    QTest::newRow("onnx") << "plain.onnx";
}
void TestStudies::grad_cam_of_plain_graphs() {
    QFETCH(QString, file);
    plugins();
    Session session;
    session.open(kFixtures / "studies" / file.toStdString());
    session.wait_idle();
    if (file.endsWith(".onnx") && session.status().state != RunState::Ready) QSKIP("without the plugin for ONNX");
    InputSpec input;
    input.source = InputSpec::Source::File;
    input.file = (kFixtures / "studies/pictures.in.npz").string();
    input.key = "arg0";
    session.set_inputs({input});
    QCOMPARE(why_not(session, "grad-cam"), std::string());
    const Answered made = study(session, "grad-cam");
    QCOMPARE(made.result.error, std::string());
    COMPARE_ARRAY(made.arrays, "cam", "plain", "last", 1e-5);
    COMPARE_ARRAY(study(session, "grad-cam", {{"method", "grad-cam++"}}).arrays, "cam", "plain", "last_plus", 1e-4);
    // The first one, by name.
    std::vector<std::string> stages;
    for (const StudyInfo& each : ask(session, StudiesQuery{}).studies)
        if (each.name == "grad-cam") stages = each.options.front().choices;
    QCOMPARE(stages.size(), 2u);
    QVERIFY2(made.result.title.ends_with(" at " + stages.back()), made.result.title.c_str());
    COMPARE_ARRAY(study(session, "grad-cam", {{"module", stages.front()}}).arrays, "cam", "plain", "first", 1e-5);
    const Answered none = study(session, "grad-cam", {{"module", "%none"}});
    QCOMPARE(none.result.error, std::string("no convolution %none in the graph"));
}

void TestStudies::feature_maps() {
    Session session;
    open_pictures(session);
    const Answered made = study(session, "feature-maps");
    QCOMPARE(made.result.error, std::string());
    const StudyTiles& tiles = made.result.tiles.front();
    QCOMPARE(tiles.module, std::string("features.0"));
    QCOMPARE(tiles.tiles.size(), 6u);
    COMPARE_ARRAY(made.arrays, "maps", "pictures", "maps", 1e-6);
    COMPARE_ARRAY(made.arrays, "order", "pictures", "order", 0);
    QCOMPARE(tiles.tiles.front().channel, static_cast<std::int64_t>(expected("pictures", "order").front()));
    QVERIFY(tiles.is_signed && tiles.tiles[0].low == -tiles.tiles[0].high);
    const Answered shared = study(session, "feature-maps", {{"scale", "shared"}, {"order", "channel"}, {"most", "4"}});
    const auto& few = shared.result.tiles.front().tiles;
    QCOMPARE(few.size(), 4u);
    QVERIFY(few[0].channel == 0 && few[3].channel == 3 && few[0].high == few[3].high);
    QVERIFY2(shared.result.facts.front().starts_with("4 of 6 channels"), shared.result.facts.front().c_str());
}

void TestStudies::principal_components() {
    Session session;
    open_pictures(session);
    const Answered weights = study(session, "pca");
    QCOMPARE(weights.result.error, std::string());
    QCOMPARE(weights.result.title, std::string("Principal components of fc.weight"));
    COMPARE_ARRAY(weights.arrays, "scores", "pictures", "pca", 1e-9);
    COMPARE_ARRAY(weights.arrays, "components", "pictures", "pca_components", 1e-9);
    COMPARE_ARRAY(weights.arrays, "explained", "pictures", "pca_explained", 1e-12);
    // One picture has places; two are too few samples for a plane.
    const Answered places = study(session, "pca", {{"of", "features.0"}, {"colour", "cluster"}});
    COMPARE_ARRAY(places.arrays, "scores", "pictures", "pca_places", 1e-5);
    QVERIFY(places.result.points.front().is_grouped);
    // Rows that do not differ have no direction.
    const Tensor same = tensor_of<double>({1, 2, 1, 2, 1, 2}, {3, 2});
    const PrincipalAxes none = principal_axes(same);
    QCOMPARE(numbers_of(none.scores), std::vector<double>(6, 0.0));
    QCOMPARE(none.share[0], 0.0);
}

void TestStudies::groups_lie_together() {
    const Tensor rows = tensor_of<double>({0, 0, 0.1, 0, 9, 9, 9.1, 9, 0, 0.1}, {5, 2});
    QCOMPARE(groups_of(rows, 2), (std::vector<int>{0, 0, 1, 1, 0}));
    QCOMPARE(groups_of(rows, 50).size(), 5u);
}

void TestStudies::language_models_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("last");
    QTest::newRow("llama") << "llama"
                           << "model.layers.1";
    QTest::newRow("gpt2") << "gpt2"
                          << "transformer.h.1";
}
void TestStudies::language_models() {
    QFETCH(QString, folder);
    QFETCH(QString, last);
    const QByteArray name = folder.toUtf8();
    const char* file = name.constData();
    Session session;
    open_text(session, file);
    const Answered plain = study(session, "saliency");
    QCOMPARE(plain.result.error, std::string());
    COMPARE_ARRAY(plain.arrays, "scores", file, "saliency", 2e-5);
    QCOMPARE(plain.result.tokens.front().tokens.size(), expected(file, "ids").size());
    const auto token = std::to_string(static_cast<int>(expected(file, "token").front()));
    const Options options{{"steps", "16"}, {"rule", "midpoint"}, {"token", "0"}, {"target", token}};
    const Answered parts = study(session, "integrated-gradients", options);
    COMPARE_ARRAY(parts.arrays, "scores", file, "ig", 5e-5);
    COMPARE_ARRAY(parts.arrays, "completeness", file, "ig_sum", 5e-5);
    const Answered lens = study(session, "logit-lens");
    QCOMPARE(lens.result.error, std::string());
    COMPARE_ARRAY(lens.arrays, "logits", file, "lens", 1e-5);
    const StudyWords& words = lens.result.words.front();
    QCOMPARE(words.rows.size(), 3u);
    QCOMPARE(words.rows.back().module, last.toStdString());
    QCOMPARE(words.cells.size(), 3 * words.columns.size());
    QCOMPARE(words.cells.back().top.front().token.id, static_cast<std::int64_t>(expected(file, "token").front()));
    QVERIFY2(lens.result.facts.back().ends_with("they differ by 0"), lens.result.facts.back().c_str());
    const Answered plane = study(session, "pca");
    COMPARE_ARRAY(plane.arrays, "scores", file, "pca", 1e-6);
    COMPARE_ARRAY(plane.arrays, "explained", file, "pca_explained", 1e-9);
    // What a layer gives for each token.
    const Answered tokens = study(session, "pca", {{"of", last.toStdString()}});
    QCOMPARE(tokens.result.error, std::string());
    QCOMPARE(tokens.result.points.front().x.size(), words.columns.size());
    QCOMPARE(tokens.result.points.front().labels.front(), words.columns.front().text);
}

void TestStudies::decoders_have_their_own_tokens() {
    Session session;
    open_text(session, "t5");
    const Answered lens = study(session, "logit-lens");
    QCOMPARE(lens.result.error, std::string());
    const StudyWords& words = lens.result.words.front();
    QCOMPARE(words.rows.back().module, std::string("decoder.block.1"));
    QCOMPARE(words.columns.size(), 1u);
    QCOMPARE(words.columns.front().token, std::string("<pad>"));
    QVERIFY2(lens.result.facts.back().ends_with("they differ by 0"), lens.result.facts.back().c_str());
}

void TestStudies::nothing_stays_of_a_study() {
    Session session;
    open_pictures(session);
    session.run({});
    session.wait_idle();
    const auto events = session.recording()->event_count();
    const auto before = array(study(session, "saliency").arrays, "map");
    study(session, "grad-cam");
    study(session, "feature-maps");
    QCOMPARE(array(study(session, "saliency").arrays, "map"), before);
    QCOMPARE(session.recording()->event_count(), events);
    // Hooks are gone, and with them what they did.
    session.run({});
    session.wait_idle();
    QCOMPARE(session.status().error, std::string());
}

void TestStudies::a_study_is_stopped() {
    Session session;
    open_pictures(session);
    std::promise<StudyResult> promise;
    auto answer = promise.get_future();
    std::atomic<int> steps{0};
    session.ask(
        "study", StudyQuery{"integrated-gradients", {{"steps", "2000"}}, {}},
        [&](StudyResult each) { promise.set_value(std::move(each)); },
        [&](StudyProgress step) {
            QCOMPARE(step.of, 2000);
            if (++steps == 3) session.stop();
        });
    const StudyResult result = answer.get();
    QVERIFY2(result.error.find("stopped") != std::string::npos, result.error.c_str());
    QVERIFY(steps < 2000);
    QVERIFY(ask(session, StudyQuery{"saliency", {}, {}}).error.empty());
}

void TestStudies::refusals_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<Options>("options");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* title, const char* name, const Options& options, const char* wanted) {
        QTest::newRow(title) << QString(name) << options << QString(wanted);
    };
    row("no study", "divination", {}, "no study \"divination\"");
    row("does not fit", "logit-lens", {}, "Logit lens: the model takes no tokens");
    row("a panel", "attention", {}, "is shown by the panel attention");
    row("no such class", "saliency", {{"target", "7"}}, "no element [0, 7]: the output is float32 2x7");
    row("no such element", "saliency", {{"target", "[0, 1, 2]"}}, "no element [0, 1, 2]");
    row("no such result", "saliency", {{"target", "out1[0]"}}, "the model gives no such result");
    row("no target", "saliency", {{"target", "dog"}}, "is no index");
    row("no module", "grad-cam", {{"module", "fc2"}}, "no module \"fc2\"");
    row("no maps", "grad-cam", {{"module", "fc"}}, "fc gives float32 2x7, not N x C x H x W");
    row("no tiles", "feature-maps", {{"module", "fc"}}, "fc gives float32 2x7, not N x C x H x W");
    row("no sample", "feature-maps", {{"sample", "2"}}, "no sample 2: there are 2");
    row("no sample of inputs", "saliency", {{"sample", "2"}}, "sample 2 is not from");
    row("too few rows", "pca", {{"of", "fc"}}, "fc has 2 samples: a plane needs three");
    row("no rows", "pca", {{"of", "fc.bias"}}, "fc.bias is float32 7, which has no rows");
    row("nothing of that name", "pca", {{"of", "fc.scale"}}, "no module \"fc.scale\"");
}
void TestStudies::refusals() {
    QFETCH(QString, name);
    QFETCH(Options, options);
    QFETCH(QString, wanted);
    Session session;
    open_pictures(session);
    const StudyResult result = ask(session, StudyQuery{name.toStdString(), options, {}});
    QVERIFY2(QString::fromStdString(result.error).contains(wanted), result.error.c_str());
}

void TestStudies::options_are_checked() {
    Session session;
    open_pictures(session);
    const auto error = [&](const Options& options) {
        return ask(session, StudyQuery{"integrated-gradients", options, {}}).error;
    };
    QVERIFY(error({{"step", "5"}}).find("no option \"step\"; there are target, sample, baseline") != std::string::npos);
    QVERIFY(error({{"steps", "0"}}).find("steps 0 is not from 1") != std::string::npos);
    QVERIFY(error({{"steps", "many"}}).find("is no number") != std::string::npos);
    QVERIFY(error({{"steps", "2.5"}}).find("is no whole number") != std::string::npos);
    QVERIFY(error({{"baseline", "black"}}).find("is none of zero, mean, blur") != std::string::npos);
    // No encoder without a head is a language model.
    session.open(kFixtures / "pretrained/bert_base");
    session.wait_idle();
    QVERIFY(ask(session, StudyQuery{"logit-lens", {}, {}}).error.find("no language head") != std::string::npos);
    session.open(LOUPE_SOURCE_DIR "/resources/models/lstm.pt");
    session.wait_idle();
    QVERIFY(!ask(session, StudyQuery{"logit-lens", {}, {}}).error.empty());
}

void TestStudies::plugins_add_studies() {
    if (std::getenv("LOUPE_TEST_ENGINE") != nullptr) QSKIP("the study is one of this process");
    static const StudyRecord kCount{.name = "test.count",
                                    .title = "Count",
                                    .what = "Parameters.",
                                    .paper = {},
                                    .results = "facts",
                                    .panel = {},
                                    .why_not = [](const StudySubject&) { return std::string(); },
                                    .options = nullptr,
                                    .answer =
                                        [](const StudySubject& subject, const StudyChoices&, const StudyReport&) {
                                            StudyOutcome out;
                                            out.result.title = std::to_string(subject.info().parameter_count);
                                            return out;
                                        }};
    add_study(kCount);
    QVERIFY_THROWS_EXCEPTION(Error, add_study(kCount));
    Session session;
    open_pictures(session);
    QCOMPARE(why_not(session, "test.count"), std::string());
    QCOMPARE(ask(session, StudyQuery{"test.count", {}, {}}).title, std::string("851"));
}

void TestStudies::pictures_of_results() {
    StudyMap map{"m", 2, 2, {0, 1, 2, std::nanf("")}, false, {}};
    QCOMPARE(full_colour_of(map), 1.0);  // the 99.5th percentile, of three
    const StudyPicture alone = picture_of(map);
    QCOMPARE(alone.rgb.size(), 12u);
    QVERIFY(alone.rgb[9] == 255 && alone.rgb[10] == 0 && alone.rgb[11] == 255);  // NaN
    map.under = {2, 2, std::vector<std::uint8_t>(12, 100)};
    QVERIFY(picture_of(map, 0).rgb == map.under.rgb);
    QVERIFY(picture_of(map, 1).rgb == alone.rgb);
    QCOMPARE(enlarged(alone, 8).rows, 8);
    const QTemporaryDir folder;
    const std::string file = folder.filePath("map.png").toStdString();
    write_png(file, alone.rgb, 2, 2);
    const Tensor read = read_image(file);
    QCOMPARE(read.numel(), 12);
    QCOMPARE(static_cast<int>(read.data<std::uint8_t>()[3]), 255);  // red of the last
    QVERIFY_THROWS_EXCEPTION(Error, write_png(file, alone.rgb, 3, 2));
    QVERIFY(!picture_of(StudyResult{}));
}

}  // namespace

QTEST_GUILESS_MAIN(TestStudies)
#include "test_studies.moc"
