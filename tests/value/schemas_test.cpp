// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>

#include "core/base/error.h"
#include "core/value/schema.h"
#include "tests/support/table.h"

using namespace loupe;

class SchemasTest : public QObject {
    Q_OBJECT
  private slots:
    void lines_of_torch_round_trip();
    void defaults_print_as_torch();
    void parts_of_a_schema();
    void special_types_keep_their_text();
    void alias_marks();
    void defaults_have_the_type();
    void returns();
    void method_schemas();
    void wrong_text_is_an_error_data();
    void wrong_text_is_an_error();
};

void SchemasTest::lines_of_torch_round_trip() {
    const auto rows = test::read_table("value/schemas_sample.txt", '\n');
    QVERIFY(rows.size() > 150);
    for (const auto& row : rows) QCOMPARE(parse_schema(row[0]).str(), row[0]);
}

void SchemasTest::defaults_print_as_torch() {
    for (const auto& row : test::read_table("value/defaults.txt", '\t')) QCOMPARE(parse_schema(row[0]).str(), row[1]);
}

void SchemasTest::parts_of_a_schema() {
    const FunctionSchema schema =
        parse_schema("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
    QCOMPARE(schema.name, std::string("aten::add"));
    QCOMPARE(schema.overload, std::string("Tensor"));
    QCOMPARE(schema.full_name(), std::string("aten::add.Tensor"));
    QCOMPARE(schema.arguments.size(), std::size_t{3});
    QVERIFY(!schema.arguments[1].kwarg_only && schema.arguments[2].kwarg_only);
    QVERIFY(!schema.arguments[1].default_value);
    QCOMPARE(schema.arguments[2].default_value->to_int(), std::int64_t{1});
    QVERIFY(schema.arguments[2].type->equals(*types::number()));
    QCOMPARE(schema.find_argument("other"), std::optional<std::size_t>(1));
    QVERIFY(!schema.find_argument("beta"));
    QVERIFY(!schema.has_write() && !schema.is_vararg && !schema.is_varret);
    QVERIFY(parse_schema("aten::format(str self, ...) -> str").is_vararg);
    QVERIFY(parse_schema("prim::TupleUnpack(Any tup) -> ...").is_varret);
}

void SchemasTest::special_types_keep_their_text() {
    const FunctionSchema schema = parse_schema(
        "aten::f(ScalarType? dtype=None, Layout layout=0, MemoryFormat? m=None, SymInt[2] s, int[2] k=1, Dimname[]? n) "
        "-> ()");
    const char* kinds[] = {"int?", "int", "int?", "int[]", "int[]", "str[]?"};
    const char* texts[] = {"ScalarType?", "Layout", "MemoryFormat?", "SymInt[2]", "int[2]", ""};
    for (std::size_t i = 0; i < 6; ++i) {
        QCOMPARE(schema.arguments[i].type->str(), std::string(kinds[i]));
        QCOMPARE(schema.arguments[i].type_text, std::string(texts[i]));
    }
    QCOMPARE(schema.arguments[4].list_size, std::optional<std::int64_t>(2));
    QVERIFY(!schema.arguments[5].list_size);
}

void SchemasTest::alias_marks() {
    const FunctionSchema schema =
        parse_schema("aten::f(Tensor(a!) x, Tensor(b -> *) y, Tensor(c)[](d!) z, t(e|f)? u, Tensor v) -> Tensor(a!)");
    QVERIFY(schema.has_write());
    QCOMPARE(schema.arguments[0].alias->set, std::string("a"));
    QVERIFY(schema.arguments[0].alias->is_write);
    QCOMPARE(schema.arguments[1].alias->set_after, std::string("*"));
    QVERIFY(!schema.arguments[1].alias->is_write);
    QCOMPARE(schema.arguments[2].element_alias->set, std::string("c"));
    QCOMPARE(schema.arguments[2].alias->set, std::string("d"));
    QCOMPARE(schema.arguments[3].alias->set, std::string("e|f"));
    QVERIFY(!schema.arguments[4].alias);
    QCOMPARE(schema.returns[0].alias->set, std::string("a"));
}

void SchemasTest::defaults_have_the_type() {
    const FunctionSchema schema = parse_schema(
        "aten::f(float f=1, int[2] k=3, bool[3] m=[True, False, True], float[]? s=None, str t=\"a\\n\\\"\", Tensor? "
        "w=None, "
        "complex c=1j, float i=inf) -> ()");
    QVERIFY(schema.arguments[0].default_value->is_double());
    QCOMPARE(schema.arguments[1].default_value->to_ints(), (Dims{3, 3}));
    QCOMPARE(schema.arguments[2].default_value->to_bools(), (std::vector<bool>{true, false, true}));
    QVERIFY(schema.arguments[3].default_value->is_none());
    QCOMPARE(schema.arguments[4].default_value->to_string(), std::string("a\n\""));
    QVERIFY(schema.arguments[5].default_value->is_none());
    QVERIFY(schema.arguments[6].default_value->to_complex() == std::complex<double>(0, 1));
    QCOMPARE(schema.arguments[7].default_value->to_double(), std::numeric_limits<double>::infinity());
}

void SchemasTest::returns() {
    QCOMPARE(parse_schema("f() -> ()").returns.size(), std::size_t{0});
    QCOMPARE(parse_schema("f() -> (Tensor, Tensor)").returns.size(), std::size_t{2});
    QCOMPARE(parse_schema("f() -> ((Tensor, Tensor))").returns.size(), std::size_t{1});
    QCOMPARE(parse_schema("f() -> ((Tensor, Tensor))").str(), std::string("f() -> ((Tensor, Tensor))"));
    QCOMPARE(parse_schema("f() -> (Tensor values, Tensor indices)").returns[1].name, std::string("indices"));
    QCOMPARE(parse_schema("f() -> (int[] x)").str(), std::string("f() -> int[] x"));
    QCOMPARE(parse_schema("f() -> (int x, ...)").str(), std::string("f() -> (int x, ...)"));
}

void SchemasTest::method_schemas() {
    const char* text = "forward(__torch__.torch.nn.modules.linear.Linear self, Tensor input) -> Tensor";
    const FunctionSchema schema = parse_schema(text);
    QCOMPARE(schema.name, std::string("forward"));
    QCOMPARE(schema.arguments[0].type->kind(), TypeKind::Class);
    QCOMPARE(schema.str(), std::string(text));
}

void SchemasTest::wrong_text_is_an_error_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"", "aten::add", "aten::add(", "aten::add()", "aten::add() ->", "aten::add(Tensor) -> Tensor x y",
          "aten::add(int a=x) -> ()", "aten::add(int a=1.5.5) -> ()", "aten::add(str s=\"a) -> ()",
          "aten::add(int[] a=1) -> ()", "aten::add(int[2] a=[1,) -> ()", "1(int a) -> ()"}) {
        QTest::newRow(text) << text;
    }
}

void SchemasTest::wrong_text_is_an_error() {
    QFETCH(QString, text);
    QVERIFY_THROWS_EXCEPTION(Error, parse_schema(text.toStdString()));
}

QTEST_APPLESS_MAIN(SchemasTest)
#include "schemas_test.moc"
