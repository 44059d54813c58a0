// SPDX-License-Identifier: Apache-2.0
// Texts on the command line: run --text and generate, on the models of fixtures/generation.

#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/formats/numpy/npy.h"
#include "tests/cli/run_program.h"

namespace {

const QString kModels = LOUPE_SOURCE_DIR "/tests/fixtures/generation/";

nlohmann::json expected(const char* name) {
    return nlohmann::json::parse(loupe::read_text_file((kModels + name + "/expected.json").toStdString()));
}

class TestText : public QObject {
    Q_OBJECT
  private slots:
    void run_shows_tokens_and_next_words();
    void runs_alike_with_statistics_and_passes();
    void generates_what_transformers_generates_data();
    void generates_what_transformers_generates();
    void finds_the_beams_of_transformers();
    void tells_how_likely_tokens_were();
    void tells_which_tokens_matter();
    void shows_where_heads_look();
    void draws_by_its_seed();
    void refuses_with_one_line_data();
    void refuses_with_one_line();
};

void TestText::run_shows_tokens_and_next_words() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("out.npz");
    const Outcome outcome = run_cli({"run", kModels + "llama", "--text", "The word", "--outputs", file});
    QCOMPARE(outcome.status, 0);
    const QStringList lines = outcome.out.split('\n', Qt::SkipEmptyParts);
    QVERIFY2(lines.front().contains("'<s>'") && lines.front().endsWith("added"), qPrintable(lines.front()));
    QVERIFY2(lines[1].contains("The") && lines[1].endsWith("characters 0 to 3"), qPrintable(lines[1]));
    QCOMPARE(lines.filter(QRegularExpression("^next ")).size(), 5);
    // The likeliest word is the one with the greatest logit.
    const auto logits = loupe::read_npz(file.toStdString()).front().second;
    const float* row = logits.data<float>() + logits.numel() - logits.size(2);
    const auto best = std::max_element(row, row + logits.size(2)) - row;
    const QString next = lines.filter(QRegularExpression("^next ")).front().simplified();
    QCOMPARE(next.split(' ')[3].toLongLong(), static_cast<qlonglong>(best));
}

void TestText::runs_alike_with_statistics_and_passes() {
    const auto next_words = [](QStringList more) {
        const Outcome outcome = run_cli(QStringList{"run", kModels + "gpt2", "--text", "Hello, world!"} + more);
        return outcome.out.split('\n').filter(QRegularExpression("^next "));
    };
    const QStringList plain = next_words({});
    QCOMPARE(plain.size(), 5);
    QCOMPARE(next_words({"--stats"}), plain);
    QCOMPARE(next_words({"--pipeline", "inference"}), plain);
}

void TestText::finds_the_beams_of_transformers() {
    const auto cases = nlohmann::json::parse(loupe::read_text_file((kModels + "beams.json").toStdString()));
    const auto& first = cases.front();
    const Outcome outcome = run_cli({"generate", kModels + QString::fromStdString(first["folder"].get<std::string>()),
                                     "--text", QString::fromStdString(first["text"].get<std::string>()), "--num-beams",
                                     "2", "--max-tokens", "16", "--tokens"});
    QCOMPARE(outcome.status, 0);
    QString ids;
    for (const auto& id : first["tokens"][0]) ids += (ids.isEmpty() ? "" : ", ") + QString::number(id.get<int>());
    QVERIFY2(outcome.out.contains("[" + ids + "]"), qPrintable(outcome.out));
    QCOMPARE(run_cli({"generate", kModels + "llama", "--text", "x", "--num-beams", "0"}).status, 2);
}

void TestText::tells_how_likely_tokens_were() {
    const Outcome outcome = run_cli({"tokens", kModels + "llama", "--text", "The quick brown fox", "--top", "2"});
    QCOMPARE(outcome.status, 0);
    const auto insights = nlohmann::json::parse(loupe::read_text_file((kModels + "insights.json").toStdString()));
    const auto& odds = insights.front()["odds"];
    const QStringList lines = outcome.out.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), static_cast<qsizetype>(odds.size()) + 1);
    for (std::size_t i = 0; i + 1 < odds.size(); ++i) {
        const QString wanted = QString::number(odds[i]["probability"].get<double>() * 100, 'f', 3) + " %";
        QVERIFY2(lines[static_cast<qsizetype>(i) + 1].contains(wanted),
                 qPrintable(lines[static_cast<qsizetype>(i) + 1]));
    }
}

void TestText::tells_which_tokens_matter() {
    const auto insights = nlohmann::json::parse(loupe::read_text_file((kModels + "insights.json").toStdString()));
    const auto& wanted = insights.front()["saliency"].front();
    const Outcome outcome = run_cli({"tokens", kModels + "llama", "--text", "The quick brown fox", "--saliency"});
    QCOMPARE(outcome.status, 0);
    const QStringList lines = outcome.out.split('\n', Qt::SkipEmptyParts);
    QVERIFY2(lines.front().startsWith("logit ") &&
                 lines.front().contains(QString(" of token %1 ").arg(wanted["token"].get<int>())),
             qPrintable(lines.front()));
    for (std::size_t i = 0; i < wanted["scores"].size(); ++i) {
        const double found = lines[static_cast<qsizetype>(i) + 2].simplified().split(' ').end()[-2].toDouble();
        QVERIFY(std::abs(found - wanted["scores"][i].get<double>()) < 2e-4);
    }
    QCOMPARE(run_cli({"tokens", kModels + "llama", "--text", "x", "--saliency", "--at", "99"}).status, 2);
}

void TestText::shows_where_heads_look() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("weights.npz");
    const Outcome listed =
        run_cli({"tokens", kModels + "llama", "--text", "The quick brown fox", "--attention", "--outputs", file});
    QCOMPARE(listed.status, 0);
    QVERIFY(listed.out.contains("model.layers.1.self_attn"));
    const auto insights = nlohmann::json::parse(loupe::read_text_file((kModels + "insights.json").toStdString()));
    const auto& wanted = insights.front()["attentions"];
    const auto weights = loupe::read_npz(file.toStdString());
    QCOMPARE(weights.size(), wanted.size());
    const float* all = weights.front().second.data<float>();
    for (const auto& head : wanted[0])
        for (const auto& row : head)
            for (const auto& each : row) QVERIFY(std::abs(static_cast<double>(*all++) - each.get<double>()) < 2e-5);
    const Outcome head = run_cli({"tokens", kModels + "llama", "--text", "The quick brown fox", "--attention", "--site",
                                  "model.layers.0.self_attn:1"});
    QCOMPARE(head.status, 0);
    QCOMPARE(head.out.split('\n', Qt::SkipEmptyParts).size(), static_cast<qsizetype>(wanted[0][0].size()) + 1);
    const auto status = [&](const char* site) {
        return run_cli({"tokens", kModels + "llama", "--text", "x", "--attention", "--site", site}).status;
    };
    QCOMPARE(status("model.layers.0.self_attn:x"), 2);
    QCOMPARE(status("model.layers.9.self_attn"), 2);
}

void TestText::generates_what_transformers_generates_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "llama_ends", "llama3", "gpt2", "t5"}) QTest::newRow(name) << QString(name);
}

void TestText::generates_what_transformers_generates() {
    QFETCH(QString, name);
    for (const auto& each : expected(qPrintable(name))) {
        const QString text = QString::fromStdString(each["text"].get<std::string>());
        QStringList arguments{"generate", kModels + name, "--text", text, "--greedy", "--tokens"};
        // Its generation_config.json says how many.
        if (name != "llama_ends") arguments += {"--max-tokens", "24"};
        const Outcome outcome = run_cli(arguments);
        QCOMPARE(outcome.status, 0);
        std::vector<std::int64_t> tokens;
        for (const QString& line : outcome.out.split('\n', Qt::SkipEmptyParts))
            if (!line.startsWith("token")) tokens.push_back(line.simplified().split(' ').front().toLongLong());
        QCOMPARE(nlohmann::json(tokens).dump(), each["tokens"].dump());
    }
}

void TestText::draws_by_its_seed() {
    const auto text = [](const char* seed) {
        return run_cli({"generate", kModels + "llama3", "--text", "word", "--temperature", "2", "--max-tokens", "16",
                        "--tokens", "--seed", seed})
            .out;
    };
    QCOMPARE(text("1"), text("1"));
    QVERIFY(text("1") != text("2"));
}

void TestText::refuses_with_one_line_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("line");
    const QString pretrained = LOUPE_SOURCE_DIR "/tests/fixtures/pretrained/";
    QTest::newRow("no text") << QStringList{"generate", pretrained + "vit", "--text", "x"} << 3 << "takes no text";
    QTest::newRow("no tokenizer") << QStringList{"run", pretrained + "llama", "--text", "x"} << 3
                                  << "no tokenizer in the folder";
    QTest::newRow("two inputs") << QStringList{"run", kModels + "gpt2", "--text", "x", "--input", "1x3:int64"} << 2
                                << "not both";
    QTest::newRow("cold") << QStringList{"generate", kModels + "gpt2", "--text", "x", "--temperature", "0"} << 2
                          << "a temperature is above 0";
    QTest::newRow("none") << QStringList{"generate", kModels + "gpt2", "--text", "x", "--max-tokens", "0"} << 2
                          << "--max-tokens is 1 or more";
    QTest::newRow("no words") << QStringList{"generate", pretrained + "bert_base", "--text", "x"} << 3
                              << "no tokenizer";
}

void TestText::refuses_with_one_line() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, line);
    const Outcome outcome = run_cli(arguments);
    QCOMPARE(outcome.status, status);
    QVERIFY2(is_one_line(outcome.err) && outcome.err.contains(line), qPrintable(outcome.err));
}

}  // namespace

QTEST_GUILESS_MAIN(TestText)
#include "test_text.moc"
