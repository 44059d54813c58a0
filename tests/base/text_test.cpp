// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <bit>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "tests/support/table.h"

using namespace loupe;

class TextTest : public QObject {
    Q_OBJECT
  private slots:
    void doubles_as_python();
    void texts_as_python();
    void concat_and_join();
    void splitting();
    void units();
    void error_line();
    void error_context_is_the_innermost();
};

void TextTest::doubles_as_python() {
    for (const auto& row : test::read_table("base/double_repr.txt")) {
        const auto value = std::bit_cast<double>(static_cast<std::uint64_t>(std::stoull(row[0])));
        QCOMPARE(python_repr(value), row[1]);
    }
}

void TextTest::texts_as_python() {
    const std::string table = read_text_file(LOUPE_SOURCE_DIR "/tests/base/text_repr.txt");
    for (const auto line : split(table, '\n')) {
        if (line.empty()) continue;
        const auto space = line.find(' ');
        const auto hex = line.substr(0, space);
        std::string text;
        for (std::size_t i = 0; hex != "-" && i < hex.size(); i += 2) {
            text += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
        }
        QCOMPARE(python_repr(std::string_view(text)), std::string(line.substr(space + 1)));
    }
}

void TextTest::concat_and_join() {
    QCOMPARE(concat("dim ", 3, " of ", 2.5, ' ', true), std::string("dim 3 of 2.5 true"));
    QCOMPARE(join(std::vector<int>{1, 2, 3}, ", "), std::string("1, 2, 3"));
    QCOMPARE(join(std::vector<std::string>{}, ", "), std::string());
    // The shortest text that reads back to the same double.
    QCOMPARE(concat(0.1, " ", 1e300), std::string("0.1 1e+300"));
}

void TextTest::splitting() {
    QCOMPARE(split("a.b.c", '.'), (std::vector<std::string_view>{"a", "b", "c"}));
    QCOMPARE(split("", '.'), std::vector<std::string_view>{""});
    QCOMPARE(split(".a.", '.'), (std::vector<std::string_view>{"", "a", ""}));
}

void TextTest::units() {
    QCOMPARE(format_bytes(0), std::string("0 B"));
    QCOMPARE(format_bytes(1023), std::string("1023 B"));
    QCOMPARE(format_bytes(1024), std::string("1.00 KiB"));
    QCOMPARE(format_bytes(47.0 * 1024 * 1024), std::string("47.0 MiB"));
    QCOMPARE(format_bytes(102502400), std::string("97.8 MiB"));
    QCOMPARE(format_seconds(1.25e-3), std::string("1.25 ms"));
    QCOMPARE(format_seconds(2), std::string("2.00 s"));
    QCOMPARE(format_seconds(5e-9), std::string("5.00 ns"));
}

void TextTest::error_line() {
    const Error error(ErrorKind::Run, "size\nmismatch",
                      {.file = "m.pt",
                       .op = "aten::mm",
                       .scope = "fc",
                       .source = "net.py:3",
                       .inputs = {"float32 2x3"},
                       .hint = "transpose"});
    const std::string line = error.what();
    QVERIFY(line.find('\n') == std::string::npos);
    for (const char* part : {"m.pt: ", "size mismatch", "aten::mm", "fc", "net.py:3", "float32 2x3", "transpose"}) {
        QVERIFY2(line.find(part) != std::string::npos, part);
    }
    QCOMPARE(error.message(), std::string("size\nmismatch"));
    QCOMPARE(error.kind(), ErrorKind::Run);
}

void TextTest::error_context_is_the_innermost() {
    Error error(ErrorKind::Run, "bad", {.scope = "layer1.conv"});
    error.add_context({.file = "m.pt", .scope = "layer1"});
    QCOMPARE(error.context().scope, std::string("layer1.conv"));
    QCOMPARE(error.context().file, std::string("m.pt"));
    QVERIFY(std::string(error.what()).starts_with("m.pt: bad"));
}

QTEST_APPLESS_MAIN(TextTest)
#include "text_test.moc"
