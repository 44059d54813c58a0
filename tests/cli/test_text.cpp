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
