// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>
#include <string>

#include "core/base/json_document.h"
#include "core/base/ordered_json.h"

using namespace loupe;

namespace {

OrderedJson numbered(int count) {
    OrderedJson json = OrderedJson::object();
    for (int i = count - 1; i >= 0; --i) json[std::to_string(i)] = i;
    return json;
}

}  // namespace

class JsonTest : public QObject {
    Q_OBJECT
  private slots:
    void keys_keep_their_order_data();
    void keys_keep_their_order();
    void the_last_of_equal_keys_counts();
    void copies_and_moves_find_their_own();
    void cleared_objects_are_empty();
    void documents_hold_what_the_text_says();
    void documents_keep_order_and_the_last_of_equal_keys_data();
    void documents_keep_order_and_the_last_of_equal_keys();
    void numbers_that_JSON_lacks_are_text_data();
    void numbers_that_JSON_lacks_are_text();
    void what_is_no_JSON_is_no_document_data();
    void what_is_no_JSON_is_no_document();
    void what_stands_behind_a_padded_text_does_not_count();
};

void JsonTest::keys_keep_their_order_data() {
    QTest::addColumn<int>("count");
    for (const int count : {0, 1, 16, 17, 18, 1000}) QTest::newRow(std::to_string(count).c_str()) << count;
}

void JsonTest::keys_keep_their_order() {
    QFETCH(int, count);
    const OrderedJson json = OrderedJson::parse(numbered(count).dump());
    int next = count;
    for (const auto& [key, value] : json.items()) {
        --next;
        QCOMPARE(key, std::to_string(next));
        QCOMPARE(value.get<int>(), next);
    }
    QCOMPARE(next, 0);
    for (int i = 0; i < count; ++i) {
        const auto found = json.find(std::to_string(i));
        QVERIFY(found != json.end());
        QCOMPARE(found->get<int>(), i);
    }
    QVERIFY(!json.contains("none"));
    QVERIFY(json.find("") == json.end());
}

void JsonTest::the_last_of_equal_keys_counts() {
    std::string text = "{";
    for (int i = 0; i < 40; ++i) text += "\"" + std::to_string(i % 20) + "\": " + std::to_string(i) + ", ";
    const OrderedJson json = OrderedJson::parse(text + "\"last\": 0}");
    QCOMPARE(json.size(), std::size_t{21});
    QCOMPARE(json.begin().key(), std::string("0"));
    QCOMPARE(json["0"].get<int>(), 20);
    QCOMPARE(json["19"].get<int>(), 39);
}

void JsonTest::copies_and_moves_find_their_own() {
    OrderedJson first = numbered(30);
    const OrderedJson copy = first;
    first["more"] = 1;
    QVERIFY(first.contains("more") && !copy.contains("more"));
    OrderedJson moved = std::move(first);
    QCOMPARE(moved["29"].get<int>(), 29);
    first = OrderedJson::object();
    for (int i = 0; i < 31; ++i) first["other" + std::to_string(i)] = i;
    QCOMPARE(first["other30"].get<int>(), 30);
    QVERIFY(!first.contains("29"));
}

void JsonTest::cleared_objects_are_empty() {
    OrderedJson json = numbered(17);
    QVERIFY(json.contains("3"));
    json.clear();
    QVERIFY(!json.contains("3"));
    for (int i = 0; i < 17; ++i) json["new" + std::to_string(i)] = i;
    QVERIFY(!json.contains("3"));
    QCOMPARE(json["new16"].get<int>(), 16);
}

void JsonTest::documents_hold_what_the_text_says() {
    const std::string text =
        R"({"none":null,"yes":true,"least":-9223372036854775808,"most":18446744073709551615,"half":0.5,"text":"a\"\u00e9",)"
        R"("list":[1,[2,{}],[]]})";
    const auto document = JsonDocument::parse(text);
    QVERIFY(document.has_value());
    const JsonValue& root = document->root();
    QCOMPARE(root.size(), std::size_t{7});
    QVERIFY(root.find("none")->is_null());
    QVERIFY(root.find("yes")->is_boolean() && root.find("yes")->boolean());
    QCOMPARE(root.find("least")->integer(), std::numeric_limits<std::int64_t>::min());
    QVERIFY(root.find("most")->kind() == JsonValue::Kind::Unsigned);
    QCOMPARE(root.find("most")->number(), 18446744073709551615.0);
    QCOMPARE(root.find("half")->number(), 0.5);
    QCOMPARE(std::string(root.find("text")->text()), std::string("a\"\xc3\xa9"));
    QCOMPARE(root.find("list")->elements()[1].elements()[0].integer(), std::int64_t{2});
    QVERIFY(root.find("absent") == nullptr);
    QVERIFY(root.find("list")->find("0") == nullptr);
    QCOMPARE(OrderedJson::parse(root.dump()), OrderedJson::parse(text));
    const auto moved = JsonDocument::parse("[7]");
    QCOMPARE(moved->root().elements()[0].integer(), std::int64_t{7});
}

void JsonTest::documents_keep_order_and_the_last_of_equal_keys_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 32, 33, 1000}) QTest::newRow(std::to_string(count).c_str()) << count;
}

void JsonTest::documents_keep_order_and_the_last_of_equal_keys() {
    QFETCH(int, count);
    std::string text = "{\"twice\": -1";
    for (int i = count; i > 0; --i) text += ", \"" + std::to_string(i) + "\": " + std::to_string(i);
    const auto document = JsonDocument::parse(text + ", \"twice\": -2}");
    QVERIFY(document.has_value());
    const JsonValue& root = document->root();
    QCOMPARE(root.size(), static_cast<std::size_t>(count) + 2);
    QCOMPARE(root.members()[1].key, std::string_view(std::to_string(count)));
    for (int i = 1; i <= count; ++i) QCOMPARE(root.find(std::to_string(i))->integer(), std::int64_t{i});
    QCOMPARE(root.find("twice")->integer(), std::int64_t{-2});
    QVERIFY(root.find("0") == nullptr && root.find("") == nullptr && root.find("~") == nullptr);
}

void JsonTest::numbers_that_JSON_lacks_are_text_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("dumped");
    const auto row = [](const char* text, const char* dumped) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(dumped);
    };
    row("[NaN]", R"(["NaN"])");
    row("[Infinity, -Infinity, 1e5, -2, 2.5e-3]", R"(["Infinity","-Infinity",100000.0,-2,0.0025])");
    row(R"(["NaN, -Infinity", NaN])", R"(["NaN, -Infinity","NaN"])");
    row(R"(["a\"NaN", NaN])", R"(["a\"NaN","NaN"])");
    row("[123456789012345678901234567890, 12]", R"(["123456789012345678901234567890",12])");
}

void JsonTest::numbers_that_JSON_lacks_are_text() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, dumped);
    const auto document = JsonDocument::parse(text.toStdString());
    QVERIFY(document.has_value());
    QCOMPARE(QByteArray::fromStdString(document->root().dump()), dumped);
}

void JsonTest::what_is_no_JSON_is_no_document_data() {
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", " ", "{", "[1,]", "{\"a\"}", "nul", "[1] 2", "[\"\xff\"]", "Na", "[-]", "\"", "[\"\\"})
        QTest::addRow("'%s'", text) << QByteArray(text);
    QTest::newRow("deep") << QByteArray(401, '[') + QByteArray(401, ']');
    QTest::newRow("deep and open") << QByteArray(100'000, '[');
}

void JsonTest::what_is_no_JSON_is_no_document() {
    QFETCH(QByteArray, text);
    QVERIFY(!JsonDocument::parse(text.toStdString()));
}

void JsonTest::what_stands_behind_a_padded_text_does_not_count() {
    const std::string wanted = R"({"a": [1, 2.5, "three"], "n": NaN, "o": {"k": null}})";
    for (const char behind : {' ', ']', '"', '1', '\\', '\0', '\xFF'}) {
        const std::string text = wanted + std::string(loupe::JsonDocument::kPadding, behind);
        const auto document = loupe::JsonDocument::parse_padded(std::string_view(text).substr(0, wanted.size()));
        QVERIFY(document);
        QCOMPARE(document->root().dump(), loupe::JsonDocument::parse(wanted)->root().dump());
        // Half a text does not go on behind its end.
        QVERIFY(!loupe::JsonDocument::parse_padded(std::string_view(text).substr(0, 8)));
    }
    const std::string digits(2 + loupe::JsonDocument::kPadding, '7');
    QCOMPARE(loupe::JsonDocument::parse_padded(std::string_view(digits).substr(0, 2))->root().integer(), 77);
}

QTEST_APPLESS_MAIN(JsonTest)
#include "json_test.moc"
