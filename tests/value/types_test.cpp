// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/error.h"
#include "core/value/schema.h"
#include "core/value/type.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

// Columns: as written, as a graph prints it, as an annotation, subtype of each row, equal to each row.
struct Table {
    std::vector<std::vector<std::string>> rows = test::read_table("value/types.txt", '\t');
    std::vector<TypePtr> types;
    Table() {
        for (const auto& row : rows) types.push_back(parse_type(row[0]));
    }
};

std::string unified(const char* a, const char* b) {
    const auto type = unify_types(parse_type(a), parse_type(b));
    return type ? (*type)->str() : "none";
}

class Method final : public Function {
  public:
    explicit Method(const char* text) : schema_(parse_schema(text)) {}
    const std::string& qualified_name() const override { return schema_.name; }
    const FunctionSchema& schema() const override { return schema_; }

  private:
    FunctionSchema schema_;
};

}  // namespace

class TypesTest : public QObject {
    Q_OBJECT
  private slots:
    void printed_as_torch();
    void subtypes_as_torch();
    void annotations_are_read();
    void graph_text_is_read();
    void prefixes_are_read();
    void wrong_text_is_an_error_data();
    void wrong_text_is_an_error();
    void shared_instances();
    void unions();
    void named_tuples();
    void unification();
    void class_attributes();
    void interfaces();
};

void TypesTest::printed_as_torch() {
    const Table table;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        QCOMPARE(table.types[i]->str(), table.rows[i][1]);
        QCOMPARE(table.types[i]->annotation_str(), table.rows[i][2]);
        QVERIFY2(parse_type(table.rows[i][1])->equals(*table.types[i]), table.rows[i][1].c_str());
    }
}

void TypesTest::subtypes_as_torch() {
    const Table table;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        for (std::size_t j = 0; j < table.rows.size(); ++j) {
            const std::string what = table.rows[i][0] + " of " + table.rows[j][0];
            QVERIFY2(table.types[i]->is_subtype_of(*table.types[j]) == (table.rows[i][3][j] == '1'), what.c_str());
            QVERIFY2(table.types[i]->equals(*table.types[j]) == (table.rows[i][4][j] == '1'), what.c_str());
        }
    }
    QVERIFY(parse_type("int[]")->is_subtype_of(*types::shared(TypeKind::AnyList)));
    QVERIFY(parse_type("(int, str)")->is_subtype_of(*types::shared(TypeKind::AnyTuple)));
    QVERIFY(!types::integer()->is_subtype_of(*types::shared(TypeKind::AnyList)));
}

void TypesTest::annotations_are_read() {
    for (const auto& row : test::read_table("value/types.txt", '\t')) {
        const TypePtr type = parse_type(row[2]);
        QCOMPARE(type->annotation_str(), row[2]);
    }
}

void TypesTest::graph_text_is_read() {
    const char* texts[] = {"Tensor(2, *)",
                           "Tensor(*)",
                           "FloatTensor",
                           "FloatTensor(device=cuda:1)",
                           "Tensor(requires_grad=1)",
                           "Float(*, 3)",
                           "Half(2, 3, strides=[3, 1], requires_grad=1, device=cuda:0)",
                           "BFloat16(1)",
                           "ComplexFloat(2, 2)",
                           "Bool(4, strides=[1])",
                           "Tensor[Undefined]",
                           "Float(2, device=cpu)[]",
                           "__torch__.torch.nn.modules.conv.___torch_mangle_4.Conv2d",
                           "NamedTuple(a : int, b : Tensor?)",
                           "Function",
                           "QScheme",
                           "Dict(str, (int, Tensor)[])",
                           "Future[Tensor]",
                           "Future[int[]]?"};
    for (const char* text : texts) QCOMPARE(parse_type(text)->str(), std::string(text));
    QCOMPARE(parse_type(" Dict( str ,Tensor ) ? ")->str(), std::string("Dict(str, Tensor)?"));
    QCOMPARE(parse_type("Enum<__torch__.Color>")->name(), std::string("__torch__.Color"));
    QCOMPARE(parse_type("ScalarType?")->str(), std::string("int?"));
    QCOMPARE(parse_type("Tensor(a!)")->str(), std::string("Tensor"));
    QCOMPARE(parse_type("int[2]")->str(), std::string("int[]"));
    QCOMPARE(parse_type("t")->kind(), TypeKind::Var);
}

void TypesTest::prefixes_are_read() {
    std::string_view text = "Float(2, strides=[1]) = aten::relu(%1)";
    QCOMPARE(parse_type_prefix(text)->str(), std::string("Float(2, strides=[1])"));
    QCOMPARE(text, std::string_view(" = aten::relu(%1)"));
    text = "int[], %2 : int):";
    QCOMPARE(parse_type_prefix(text)->str(), std::string("int[]"));
    QCOMPARE(text, std::string_view(", %2 : int):"));
}

void TypesTest::wrong_text_is_an_error_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"", "[]", "int[", "int]", "(int", "Dict(int)", "Dict[int]", "Float(2,", "Float(2, strides=[x])",
          "Tensor tensor", "Tensor(a!", "Unknown", "int[99999999999999999999]", "Optional[]", "Union[]",
          "Float(2, device=tpu)", "NamedTuple(a int)", "%1"}) {
        QTest::newRow(text) << text;
    }
    QTest::newRow("deep") << QString(100000, '(');
    QTest::newRow("deep lists") << QString("List[").repeated(100000);
}

void TypesTest::wrong_text_is_an_error() {
    QFETCH(QString, text);
    QVERIFY_THROWS_EXCEPTION(Error, parse_type(text.toStdString()));
}

void TypesTest::shared_instances() {
    QCOMPARE(types::integer().get(), parse_type("int").get());
    QCOMPARE(types::tensor().get(), parse_type("Tensor").get());
    QCOMPARE(types::shared(TypeKind::Int).get(), types::integer().get());
    const TypePtr optional = types::optional(types::integer());
    QCOMPARE(types::optional(optional).get(), optional.get());
    QCOMPARE(types::optional(types::none()).get(), types::none().get());
}

void TypesTest::unions() {
    QCOMPARE(parse_type("Union[str, None, int]")->str(), std::string("Union(int, NoneType, str)"));
    QCOMPARE(parse_type("Union[List[int], Optional[str], Tensor, Dict[str, int], bool, float, Tuple[int, int]]")->str(),
             std::string("Union(Tensor, (int, int), int[], Dict(str, int), float, NoneType, str, bool)"));
    QCOMPARE(parse_type("Union[int, None]")->str(), std::string("int?"));
    QCOMPARE(parse_type("Union[int, float, complex]")->str(), std::string("Scalar"));
    QCOMPARE(parse_type("Union[int, float, complex, None]")->str(), std::string("Scalar?"));
    QCOMPARE(parse_type("Union[int, Union[int, str]]")->str(), std::string("Union(int, str)"));
}

void TypesTest::named_tuples() {
    const TypePtr point = types::named_tuple("__torch__.P", {"x", "y"}, {types::integer(), types::tensor()});
    QCOMPARE(point->str(), std::string("NamedTuple(x : int, y : Tensor)"));
    QCOMPARE(point->schema_str(), std::string("__torch__.P"));
    QCOMPARE(point->annotation_str(), std::string("__torch__.P"));
    QCOMPARE(types::list(point)->str(), std::string("NamedTuple(x : int, y : Tensor)[]"));
    QCOMPARE(types::dict(types::integer(), point)->str(), std::string("Dict(int, __torch__.P)"));
    const TypePtr plain = parse_type("(int, Tensor)");
    QVERIFY(point->is_subtype_of(*plain));
    QVERIFY(!plain->is_subtype_of(*point));
    QVERIFY(!point->equals(*plain));
}

// From the rules of unifyTypes in torch/csrc/jit: the subtype wins, None makes an Optional, tuples go by element.
void TypesTest::unification() {
    QCOMPARE(unified("int", "int"), std::string("int"));
    QCOMPARE(unified("int", "float"), std::string("none"));
    QCOMPARE(unified("int", "NoneType"), std::string("int?"));
    QCOMPARE(unified("NoneType", "Tensor"), std::string("Tensor?"));
    QCOMPARE(unified("int?", "int"), std::string("int?"));
    QCOMPARE(unified("(int, NoneType)", "(NoneType, int)"), std::string("(int?, int?)"));
    QCOMPARE(unified("(int, int)", "(int, int, int)"), std::string("none"));
    QCOMPARE(unified("Float(2, 3)", "Float(2, 4)"), std::string("Float(2, *)"));
    QCOMPARE(unified("Float(2, 3)", "Double(2, 3)"), std::string("Tensor(2, 3)"));
    QCOMPARE(unified("Float(2)", "Tensor"), std::string("Tensor"));
    QCOMPARE(unified("Float(2)[]", "Double(2)[]"), std::string("Tensor[]"));
    QCOMPARE(unified("int[]", "float[]"), std::string("none"));
    QCOMPARE(unified("Dict(str, int)", "Dict(str, float)"), std::string("none"));
    QCOMPARE(unified("Future(int)", "Future(NoneType)"), std::string("Future[int?]"));
    QCOMPARE(unified("int", "Scalar"), std::string("Scalar"));
}

void TypesTest::class_attributes() {
    const auto cls = make_ptr<ClassType>("__torch__.M", true);
    QCOMPARE(cls->add_attribute("weight", types::tensor(), AttributeKind::Parameter), std::size_t{0});
    QCOMPARE(cls->add_attribute("mean", types::tensor(), AttributeKind::Buffer), std::size_t{1});
    QCOMPARE(cls->add_attribute("scale", types::floating()), std::size_t{2});
    QVERIFY_THROWS_EXCEPTION(Error, cls->add_attribute("mean", types::tensor()));
    QCOMPARE(cls->find_attribute("scale"), std::optional<std::size_t>(2));
    QVERIFY(!cls->find_attribute("bias"));
    cls->remove_attribute(1);
    QCOMPARE(cls->find_attribute("scale"), std::optional<std::size_t>(1));
    QVERIFY(!cls->find_attribute("mean"));
    cls->set_attribute_type(1, types::integer(), AttributeKind::Attribute);
    QVERIFY(cls->attributes()[1].type->equals(*types::integer()));
    QCOMPARE(cls->str(), std::string("__torch__.M"));
    QVERIFY(cls->equals(*make_ptr<ClassType>("__torch__.M", true)));
    QVERIFY(cls->is_subtype_of(*types::shared(TypeKind::AnyClass)));
}

void TypesTest::interfaces() {
    const auto interface = make_ptr<InterfaceType>("__torch__.Iface", true);
    interface->methods.push_back(
        std::make_shared<FunctionSchema>(parse_schema("forward(Any self, Tensor x) -> Tensor")));
    QCOMPARE(interface->str(), std::string("InterfaceType<Iface>"));
    QCOMPARE(interface->annotation_str(), std::string("__torch__.Iface"));
    Method same("forward(__torch__.A self, Tensor x) -> Tensor");
    Method wider("forward(__torch__.B self, Tensor? x) -> Tensor");
    Method renamed("forward(__torch__.C self, Tensor input) -> Tensor");
    Method narrower("forward(__torch__.D self, int x) -> Tensor");
    auto fits = [&](Method* method) {
        const auto cls = make_ptr<ClassType>("__torch__.X", true);
        if (method != nullptr) cls->add_method("forward", method);
        return cls->is_subtype_of(*interface);
    };
    QVERIFY(fits(&same));
    QVERIFY(fits(&wider));
    QVERIFY(!fits(&renamed));  // arguments may be given by name
    QVERIFY(!fits(&narrower));
    QVERIFY(!fits(nullptr));
}

QTEST_APPLESS_MAIN(TypesTest)
#include "types_test.moc"
