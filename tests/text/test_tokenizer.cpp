// SPDX-License-Identifier: Apache-2.0
// Tokenizers of each kind against Hugging Face's `tokenizers`: fixtures/tokenizers (make_tokenizers.py) hold what it
// makes of texts in many scripts.

#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/text/tokenizer_folder.h"

using namespace loupe;
using text::Tokenizer;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kFixtures = fs::path(LOUPE_SOURCE_DIR) / "tests/fixtures/tokenizers";

std::string error_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string refusal(const Json& settings) {
    return error_of([&] { Tokenizer::parse(settings.dump()); });
}

Json word_level() {
    return {{"model", {{"type", "WordLevel"}, {"vocab", {{"<unk>", 0}, {"a", 1}}}, {"unk_token", "<unk>"}}}};
}

Json with_part(const char* part, Json settings) {
    Json all = word_level();
    all[part] = std::move(settings);
    return all;
}

class TestTokenizer : public QObject {
    Q_OBJECT
  private slots:
    void equals_tokenizers_data();
    void equals_tokenizers();
    void takes_linear_time_data() { equals_tokenizers_data(); }
    void takes_linear_time();
    void names_the_tokens();
    void leaves_special_tokens_out();
    void refuses_damaged_files();
    void refuses_what_it_does_not_know();
    void refuses_texts_without_tokens();
    void ends_endless_searches();
    void ends_endless_growth();
    void finds_no_tokenizer();
};

void TestTokenizer::equals_tokenizers_data() {
    QTest::addColumn<std::string>("name");
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kFixtures)) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    for (const std::string& name : names) QTest::newRow(name.c_str()) << name;
}

void TestTokenizer::equals_tokenizers() {
    QFETCH(std::string, name);
    const auto tokenizer = text::open_tokenizer(kFixtures / name);
    QVERIFY(tokenizer != nullptr);
    const Json cases = Json::parse(read_text_file((kFixtures / name / "cases.json").string()));
    QVERIFY(cases.size() > 40);
    for (const Json& each : cases) {
        const auto given = each["text"].get<std::string>();
        Json ids = Json::array(), spans = Json::array(), types = Json::array();
        std::vector<text::TokenId> plain;
        for (const text::EncodedToken& token : tokenizer->encode(given)) {
            ids.push_back(token.id);
            plain.push_back(token.id);
            spans.push_back({token.span.begin, token.span.end});
            types.push_back(token.type);
        }
        const std::string shown = each["text"].dump(-1, ' ', true);
        QVERIFY2(ids == each["ids"], (shown + ": " + ids.dump() + ", not " + each["ids"].dump()).c_str());
        QVERIFY2(spans == each["spans"], (shown + ": " + spans.dump() + ", not " + each["spans"].dump()).c_str());
        QVERIFY2(types == each["types"], shown.c_str());
        QCOMPARE(tokenizer->decode(plain), each["text_again"].get<std::string>());
        QCOMPARE(tokenizer->decode(plain, false), each["with_special"].get<std::string>());
    }
}

// Of one word without end, and of many words: four times the text takes no more than some ten times as long.
void TestTokenizer::takes_linear_time() {
    QFETCH(std::string, name);
    const auto tokenizer = text::open_tokenizer(kFixtures / name);
    const auto seconds = [&](const std::string& unit, std::size_t size) {
        std::string all;
        while (all.size() < size) all += unit;
        const auto begin = std::chrono::steady_clock::now();
        tokenizer->encode(all);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    for (const char* unit : {"ab", "the word, ", "東京 ", "   ", "\n", "<mas"}) {
        const double small = seconds(unit, 20'000), large = seconds(unit, 80'000);
        QVERIFY2(large < 12 * small + 0.2, (std::string(unit) + ": " + std::to_string(large)).c_str());
    }
}

void TestTokenizer::names_the_tokens() {
    const auto tokenizer = text::open_tokenizer(kFixtures / "bert");
    const auto tokens = tokenizer->encode("The dog");
    QCOMPARE(tokens.front().token, std::string("[CLS]"));
    QVERIFY(tokens.front().is_added && !tokens[1].is_added);
    QCOMPARE(tokens[1].token, std::string("the"));
    QCOMPARE(*tokenizer->token(tokens.back().id), std::string("[SEP]"));
    QCOMPARE(tokenizer->find("[SEP]").value(), tokens.back().id);
    QVERIFY(tokenizer->token(1'000'000) == nullptr && !tokenizer->find("nothing like it"));
}

void TestTokenizer::leaves_special_tokens_out() {
    const auto tokenizer = text::open_tokenizer(kFixtures / "bert");
    for (const auto& token : tokenizer->encode("the", false)) QVERIFY(!token.is_added);
}

void TestTokenizer::refuses_damaged_files() {
    const auto whole = read_text_file((kFixtures / "gpt2/tokenizer.json").string());
    QCOMPARE(error_of([&] { Tokenizer::parse(whole.substr(0, whole.size() / 2)); }),
             std::string("no JSON object, or cut short"));
    QCOMPARE(error_of([&] { Tokenizer::parse(std::string(100'000, '[')); }),
             std::string("no JSON object, or cut short"));
    QCOMPARE(refusal(Json::object()), std::string("it has no model"));
    Json huge = word_level();
    huge["model"]["vocab"]["a"] = 1e300;
    QVERIFY(refusal(huge).starts_with("the id of the token 'a' is none"));
    huge["model"]["vocab"]["a"] = -1;
    QCOMPARE(refusal(huge), std::string("the id of the token 'a' is none: -1"));
    const Json merges{{"model", {{"type", "BPE"}, {"vocab", {{"a", 0}}}, {"merges", Json::array({"a b"})}}}};
    QCOMPARE(refusal(merges), std::string("merge 0 needs the token 'b', which is not there"));
    const Json unigram{
        {"model", {{"type", "Unigram"}, {"vocab", Json::array({Json::array({"a", 0.5})})}, {"unk_id", 7}}}};
    QCOMPARE(refusal(unigram), std::string("unk_id is 7 of 1 tokens"));
    QCOMPARE(refusal(with_part("normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "/////w=="}})),
             std::string("precompiled_charsmap is truncated"));
    QTemporaryDir folder;
    std::ofstream(folder.filePath("tokenizer.json").toStdString()) << "{";
    QVERIFY(error_of([&] {
                text::open_tokenizer(folder.path().toStdString());
            }).ends_with("tokenizer.json: no JSON object, or cut short"));
}

void TestTokenizer::refuses_what_it_does_not_know() {
    QCOMPARE(refusal(with_part("normalizer", {{"type", "Rot13"}})), std::string("the normalizer 'Rot13' is not known"));
    QCOMPARE(refusal(with_part("pre_tokenizer", {{"type", "Odd"}})),
             std::string("the pre-tokenizer 'Odd' is not known"));
    QCOMPARE(refusal(with_part("decoder", {{"type", "Odd"}})), std::string("the decoder 'Odd' is not known"));
    QVERIFY(refusal(with_part("pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "(("}}}}))
                .starts_with("the expression '((' cannot be read"));
    const Json twice{{{"Sequence", {{"id", "A"}}}}, {{"Sequence", {{"id", "A"}}}}};
    QCOMPARE(refusal(with_part("post_processor", {{"type", "TemplateProcessing"}, {"single", twice}})),
             std::string("the template holds the text twice"));
}

void TestTokenizer::refuses_texts_without_tokens() {
    Json settings = word_level();
    const auto tokenizer = Tokenizer::parse(settings.dump());
    QCOMPARE(error_of([&] { tokenizer->encode("\xff"); }), std::string("the text is no UTF-8"));
    settings["model"]["unk_token"] = "missing";
    QCOMPARE(error_of([&] { Tokenizer::parse(settings.dump())->encode("b"); }),
             std::string("the tokenizer has no token for 'b' and none for what is unknown"));
}

void TestTokenizer::ends_endless_searches() {
    const Json split{{"type", "Split"}, {"pattern", {{"Regex", "(a+)+$b"}}}, {"behavior", "Isolated"}};
    const auto tokenizer = Tokenizer::parse(with_part("pre_tokenizer", split).dump());
    QVERIFY(error_of([&] { tokenizer->encode(std::string(60, 'a') + "!"); }).find("takes too long") !=
            std::string::npos);
}

// Each letter by two, sixty times.
void TestTokenizer::ends_endless_growth() {
    const Json doubling{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
    const std::string refused = "the tokenizer makes a text of more than 50000000 bytes";
    const auto normalizing = Tokenizer::parse(
        with_part("normalizer", {{"type", "Sequence"}, {"normalizers", std::vector<Json>(60, doubling)}}).dump());
    QCOMPARE(error_of([&] { normalizing->encode("a"); }), refused);
    const auto decoding = Tokenizer::parse(
        with_part("decoder", {{"type", "Sequence"}, {"decoders", std::vector<Json>(60, doubling)}}).dump());
    const std::vector<text::TokenId> ids{1};
    QCOMPARE(error_of([&] { decoding->decode(ids); }), refused);
}

void TestTokenizer::finds_no_tokenizer() {
    const QTemporaryDir folder;
    QVERIFY(text::open_tokenizer(folder.path().toStdString()) == nullptr);
}

}  // namespace

QTEST_GUILESS_MAIN(TestTokenizer)
#include "test_tokenizer.moc"
