// SPDX-License-Identifier: Apache-2.0
// Text token by token, against generate(do_sample=False) and the logits processors of transformers: fixtures/generation
// (make_generation.py).

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/beam_search.h"
#include "core/model/key_cache.h"

using namespace loupe;
using namespace loupe::session;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kFixtures = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures/generation";

Json read_json(const fs::path& file) { return Json::parse(read_text_file(file.string())); }

std::shared_ptr<const TextModel> open_text_model(const fs::path& folder) {
    return std::make_shared<const TextModel>(Program::open(folder), folder);
}

std::string error_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

SamplingOptions sampling_with(const Json& settings) {
    SamplingOptions out = sampling_of(OrderedJson::parse(settings.dump()));
    out.samples = true;
    return out;
}

// A copy of a folder with another file in it.
class Changed {
  public:
    Changed(const std::string& name, const std::string& file, const std::string& text) {
        fs::copy(kFixtures / name, path(), fs::copy_options::recursive);
        std::ofstream(path() / file) << text;
    }
    fs::path path() const { return fs::path(folder_.path().toStdString()) / "model"; }

  private:
    QTemporaryDir folder_;
};

class TestGeneration : public QObject {
    Q_OBJECT
  private slots:
    void greedy_tokens_equal_transformers_data();
    void greedy_tokens_equal_transformers();
    void decoders_keep_keys_and_values_data();
    void decoders_keep_keys_and_values();
    void beams_equal_transformers();
    void refuses_beams_that_are_none();
    void scores_equal_processors();
    void refuses_settings_that_are_none();
    void samples_by_probabilities();
    void chooses_nothing_of_nan();
    void the_seed_decides();
    void counts_tokens_as_asked();
    void says_what_does_not_fit();
};

void TestGeneration::greedy_tokens_equal_transformers_data() {
    QTest::addColumn<std::string>("name");
    for (const auto& entry : fs::directory_iterator(kFixtures))
        if (entry.is_directory()) {
            const std::string name = entry.path().filename().string();
            QTest::newRow(name.c_str()) << name;
        }
}

void TestGeneration::greedy_tokens_equal_transformers() {
    QFETCH(std::string, name);
    const auto model = open_text_model(kFixtures / name);
    for (const Json& each : read_json(kFixtures / name / "expected.json")) {
        GenerateOptions options = generate_options(*model);
        QVERIFY(!options.sampling.samples);
        if (options.max_tokens == 0) options.max_tokens = 24;
        TextGenerator generator(model, each["text"].get<std::string>(), options);
        std::string streamed;
        while (!generator.is_done()) {
            generator.step();
            streamed += generator.take_text();
        }
        QCOMPARE(Json(generator.generated()).dump(), each["tokens"].dump());
        const auto decoded = each["decoded"].get<std::string>();
        // The first word's space is left out where nothing stands before it.
        QVERIFY2(streamed == decoded || streamed == " " + decoded, (streamed + " is not " + decoded).c_str());
    }
}

void TestGeneration::decoders_keep_keys_and_values_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::int64_t>("heads");
    QTest::addColumn<std::int64_t>("encoded");
    // What is heard is 20 places, halved; of tokens as many as there are.
    QTest::newRow("t5") << std::string("t5") << std::int64_t{4} << std::int64_t{0};
    QTest::newRow("mt5") << std::string("mt5") << std::int64_t{3} << std::int64_t{0};
    QTest::newRow("whisper") << std::string("whisper") << std::int64_t{2} << std::int64_t{10};
    QTest::newRow("whisper_deep") << std::string("whisper_deep") << std::int64_t{2} << std::int64_t{10};
}

// A step is given one token, and the scores are those of a run on all of them.
void TestGeneration::decoders_keep_keys_and_values() {
    QFETCH(std::string, name);
    QFETCH(std::int64_t, heads);
    QFETCH(std::int64_t, encoded);
    const auto model = open_text_model(kFixtures / name);
    const GradModeScope no_grad(false);
    TextGenerator generator(model, "Hello, world!", {.sampling = {}, .max_tokens = 9, .others = {}});
    if (encoded == 0) encoded = std::ssize(generator.prompt());
    const std::size_t place = *model->place_of("decoder_input_ids");
    Tensor first_encoded;
    while (!generator.is_done()) {
        const std::vector<std::int64_t> before = generator.ids();
        const std::size_t step = generator.generated().size();
        const auto given = generator.arguments(step);
        QCOMPARE(given[place].to_tensor().size(1), step == 0 ? std::ssize(before) : 1);
        generator.step();
        std::vector<IValue> all = generator.arguments(0);
        all.resize(place + 1);
        all[place] = IValue(row_of_ids(before, {}));
        const auto wanted = last_scores(model->program().source()->forward(all).to_tensor());
        for (std::size_t i = 0; i < wanted.size(); ++i) QVERIFY(std::abs(generator.logits()[i] - wanted[i]) < 1e-4F);
        const auto layers = layers_of_cache(generator.cache());
        QVERIFY(layers.size() >= 2);
        for (const KeptLayer& layer : layers) {
            QCOMPARE(layer.key.size(1), heads);
            QCOMPARE(layer.key.size(2), std::ssize(before));
            QCOMPARE(layer.encoded_value.size(2), encoded);
        }
        // The encoder ran once.
        if (step == 0) first_encoded = layers[0].encoded_key;
        QVERIFY(layers[0].encoded_key.storage() == first_encoded.storage());
    }
    // A step that came is given what was kept then.
    const auto again = layers_of_cache(generator.arguments(3)[*model->place_of("past_key_values")]);
    QCOMPARE(again[1].key.size(2), static_cast<std::int64_t>(generator.held(3)));
    QCOMPARE(again[1].encoded_key.size(2), encoded);
}

// All beams, and their scores.
void TestGeneration::beams_equal_transformers() {
    const Json cases = read_json(kFixtures / "beams.json");
    QVERIFY(cases.size() >= 30);
    std::map<std::string, std::shared_ptr<const TextModel>> models;
    for (const Json& each : cases) {
        const auto folder = each["folder"].get<std::string>();
        auto& model = models[folder];
        if (model == nullptr) model = open_text_model(kFixtures / folder);
        const Json& settings = each["settings"];
        GenerateOptions options = generate_options(*model);
        options.max_tokens = settings.value("max_new_tokens", 16);
        options.sampling.repetition_penalty = settings.value("repetition_penalty", options.sampling.repetition_penalty);
        options.sampling.no_repeat_ngram = settings.value("no_repeat_ngram_size", 0);
        BeamOptions how;
        how.beams = settings["num_beams"].get<std::int64_t>();
        how.length_penalty = settings.value("length_penalty", 1.0);
        if (settings.contains("early_stopping"))
            how.stop =
                settings["early_stopping"].is_string() ? BeamOptions::Stop::Never : BeamOptions::Stop::FirstEnded;
        const auto beams = beam_search(*model, model->encode(each["text"].get<std::string>()), options, how);
        const std::string where = folder + settings.dump();
        QVERIFY2(!beams.empty(), where.c_str());
        for (std::size_t i = 0; i < beams.size(); ++i) {
            auto wanted = each["tokens"][i].get<std::vector<std::int64_t>>();
            // Shorter ones are padded.
            QVERIFY2(wanted.size() >= beams[i].generated.size(), where.c_str());
            wanted.resize(beams[i].generated.size());
            QVERIFY2(beams[i].generated == wanted, (where + " beam " + std::to_string(i)).c_str());
            const double score = each["scores"][i].get<double>();
            QVERIFY2(std::abs(beams[i].score - score) < 1e-4 * std::max(1.0, std::abs(score)), where.c_str());
        }
    }
}

void TestGeneration::refuses_beams_that_are_none() {
    const auto model = open_text_model(kFixtures / "llama");
    const auto refusal = [&](BeamOptions how, bool samples) {
        GenerateOptions options;
        options.sampling.samples = samples;
        return error_of([&] { beam_search(*model, model->encode("x"), options, how); });
    };
    QVERIFY(refusal({.beams = 0}, false).starts_with("beams are 1 to 1000, not 0"));
    QVERIFY(refusal({.beams = 2, .length_penalty = NAN}, false).starts_with("a length penalty is a number"));
    QVERIFY(refusal({.beams = 2}, true).starts_with("beams are searched without drawing tokens"));
    const auto odd = [](const char* text) {
        const Changed changed("llama", "generation_config.json", text);
        return error_of([&] { beam_options(*open_text_model(changed.path())); });
    };
    QCOMPARE(odd(R"({"num_beams": "two"})"), std::string("num_beams of generation_config.json is no setting of it"));
    QCOMPARE(odd(R"({"early_stopping": 3})"),
             std::string("early_stopping of generation_config.json is no setting of it"));
}

void TestGeneration::scores_equal_processors() {
    const Json cases = read_json(kFixtures / "processors.json");
    QVERIFY(cases.size() > 20);
    for (const Json& each : cases) {
        auto scores = each["logits"].get<std::vector<float>>();
        process_scores(scores, each["ids"].get<std::vector<std::int64_t>>(), sampling_with(each["settings"]));
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const Json& wanted = each["scores"][i];
            const bool is_equal = wanted.is_null() ? std::isinf(scores[i]) && scores[i] < 0
                                                   : std::abs(scores[i] - wanted.get<float>()) < 1e-5F;
            QVERIFY2(is_equal, (each["settings"].dump() + " at " + std::to_string(i)).c_str());
        }
    }
}

void TestGeneration::refuses_settings_that_are_none() {
    const auto refusal = [](const Json& settings) {
        return error_of([&] { check_sampling(sampling_with(settings)); });
    };
    QVERIFY(refusal({{"temperature", 0.0}}).starts_with("a temperature is above 0, not 0"));
    QCOMPARE(refusal({{"top_p", 1.5}}), std::string("top p is 0 to 1, not 1.5"));
    QCOMPARE(refusal({{"repetition_penalty", -1}}), std::string("a penalty is above 0, not -1"));
    QCOMPARE(refusal({{"temperature", "hot"}}), std::string("temperature of generation_config.json is no number"));
    QCOMPARE(refusal({{"top_k", -3}}), std::string("top_k of generation_config.json is no count"));
}

void TestGeneration::samples_by_probabilities() {
    const std::vector<float> scores{std::log(0.5F), std::log(0.3F), -INFINITY, std::log(0.2F)};
    MersenneTwister generator(5);
    std::array<int, 4> counts{};
    for (int i = 0; i < 20'000; ++i) ++counts[static_cast<std::size_t>(choose_token(scores, true, generator))];
    QCOMPARE(counts[2], 0);
    // Five standard deviations.
    QVERIFY(std::abs(counts[0] - 10'000) < 360 && std::abs(counts[1] - 6'000) < 330 &&
            std::abs(counts[3] - 4'000) < 290);
}

void TestGeneration::chooses_nothing_of_nan() {
    MersenneTwister generator(0);
    for (const float bad : {NAN, -INFINITY})
        QVERIFY(error_of([&] {
                    choose_token(std::vector<float>{bad, bad}, false, generator);
                }).starts_with("no next token"));
}

void TestGeneration::the_seed_decides() {
    const auto model = open_text_model(kFixtures / "gpt2");
    const auto run = [&](std::uint64_t seed) {
        TextGenerator generator(
            model, "word",
            {.sampling = {.samples = true, .temperature = 3}, .max_tokens = 12, .seed = seed, .others = {}});
        while (!generator.is_done()) generator.step();
        return generator.generated();
    };
    QVERIFY(run(1) == run(1));
    QVERIFY(run(1) != run(2));
}

void TestGeneration::counts_tokens_as_asked() {
    const auto model = open_text_model(kFixtures / "llama");
    TextGenerator generator(model, "word", {.sampling = {}, .max_tokens = 3, .others = {}});
    while (!generator.is_done()) generator.step();
    QCOMPARE(std::ssize(generator.generated()), 3);
    QCOMPARE(error_of([&] { generator.step(); }), std::string("the text has ended"));
}

void TestGeneration::says_what_does_not_fit() {
    const auto wider = read_text_file((kFixtures / "gpt2/tokenizer.json").string());
    const Changed other("gpt2", "tokenizer.json",
                        R"({"model": {"type": "WordLevel", "vocab": {"x": 900}, "unk_token": "x"}})");
    QCOMPARE(error_of([&] { open_text_model(other.path())->encode("x"); }),
             std::string("the tokenizer does not fit the model: 'x' is token 900, vocab_size is 424"));
    const Changed damaged("gpt2", "tokenizer.json", wider.substr(0, 5000));
    QVERIFY(
        error_of([&] { open_text_model(damaged.path()); }).ends_with("tokenizer.json: no JSON object, or cut short"));
    const Changed settings("gpt2", "generation_config.json", "[1");
    QVERIFY(error_of([&] {
                open_text_model(settings.path());
            }).ends_with("generation_config.json: no JSON object, or cut short"));
    const Changed none("gpt2", "other.txt", "");
    fs::remove(none.path() / "tokenizer.json");
    QVERIFY(error_of([&] { open_text_model(none.path()); }).find("no tokenizer in the folder") != std::string::npos);
    const fs::path pictures = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures/pretrained/vit";
    QVERIFY(error_of([&] { open_text_model(pictures); }).find("takes no text") != std::string::npos);
}

}  // namespace

QTEST_GUILESS_MAIN(TestGeneration)
#include "test_generation.moc"
