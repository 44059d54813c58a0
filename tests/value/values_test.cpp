// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>

#include "core/base/error.h"
#include "core/value/ivalue.h"

using namespace loupe;

namespace {

IValue list_of(TypePtr element, std::vector<IValue> values) {
    return make_ptr<ListObject>(std::move(element), std::move(values));
}
IValue tuple_of(std::vector<IValue> values) { return make_ptr<TupleObject>(std::move(values)); }

}  // namespace

class ValuesTest : public QObject {
    Q_OBJECT
  private slots:
    // Lists in tuples in dicts in lists..., as a program or a file can make them: their end must not use up the stack.
    void deep_containers_end() {
        IValue inner;
        for (int i = 0; i < 300'000; ++i) {
            auto dict = make_ptr<DictObject>(types::integer(), types::any());
            dict->set(1, make_ptr<TupleObject>(std::vector<IValue>{std::move(inner)}));
            inner = make_ptr<ListObject>(types::any(), std::vector<IValue>{IValue(std::move(dict))});
        }
        const Tensor last = empty({}, ScalarType::Float32);
        inner = make_ptr<ListObject>(types::any(), std::vector<IValue>{std::move(inner), last});
        QCOMPARE(last.impl()->use_count(), 2U);
        inner = IValue();
        QCOMPARE(last.impl()->use_count(), 1U);
    }
    void counts_are_kept();
    void moves_leave_none();
    void conversions();
    void wrong_tags_say_what_they_met();
    void lists_out();
    void types_of_values();
    void instances();
    void equality_is_pythons();
    void dict_keeps_order();
    void dict_keys_as_python();
    void python_texts();
    void constants_as_torch();
    void objects();
    void tensors_inside();
    void pointers_are_no_bools();
};

void ValuesTest::counts_are_kept() {
    const auto list = make_ptr<ListObject>(types::integer());
    {
        IValue a = list;
        IValue b = a;
        IValue c;
        c = b;
        const IValue d = std::move(a);
        QCOMPARE(list->use_count(), 4u);
        c = 3;
        QCOMPARE(list->use_count(), 3u);
        const IValue& same = b;
        b = same;
        QCOMPARE(list->use_count(), 3u);
    }
    QCOMPARE(list->use_count(), 1u);
    Tensor t = zeros(IntSpan());
    IValue value = t;
    QCOMPARE(t.impl()->use_count(), 2u);
    const IValue moved = std::move(t);
    QVERIFY(!t.defined());
    const Tensor back = std::move(value).to_tensor();
    QCOMPARE(back.impl()->use_count(), 2u);
    QVERIFY(value.is_none());
}

void ValuesTest::moves_leave_none() {
    IValue a = "text";
    const IValue b = std::move(a);
    QVERIFY(a.is_none());
    QCOMPARE(b.to_string(), std::string("text"));
    QVERIFY(IValue(Tensor()).is_none());
    QVERIFY(IValue(Ptr<ListObject>()).is_none());
    QVERIFY(IValue(std::optional<std::int64_t>()).is_none());
    QCOMPARE(IValue(std::optional<std::int64_t>(4)).to_int(), std::int64_t{4});
}

void ValuesTest::conversions() {
    QVERIFY(IValue(true).is_bool() && IValue(1).is_int() && IValue(1.0).is_double());
    QCOMPARE(IValue(3).to_double(), 3.0);
    QCOMPARE(IValue(true).to_int(), std::int64_t{1});
    QVERIFY(IValue(2.5).to_complex() == std::complex<double>(2.5, 0));
    QVERIFY(IValue(Scalar(std::complex<double>(1, 2))).is_complex());
    QCOMPARE(IValue(Scalar(true)).to_scalar().kind(), Scalar::Kind::Bool);
    QVERIFY(IValue().to_tensor().defined() == false);
    QCOMPARE(IValue(Device{DeviceType::Cuda, 1}).to_device().index, std::int8_t{1});
}

void ValuesTest::wrong_tags_say_what_they_met() {
    auto message = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            return error.message();
        }
        return "";
    };
    QCOMPARE(message([] { IValue(1.5).to_int(); }), std::string("expected int, got float"));
    QCOMPARE(message([] { IValue().to_int(); }), std::string("expected int, got NoneType"));
    QCOMPARE(message([] { IValue(zeros(IntSpan())).to_int(); }), std::string("expected int, got Tensor"));
    QCOMPARE(message([] { IValue(Dims{1}).to_tensor(); }), std::string("expected Tensor, got List[int]"));
    QCOMPARE(message([] { IValue("x").to_list(); }), std::string("expected List, got str"));
    QCOMPARE(message([] { IValue(1).to_bool(); }), std::string("expected bool, got int"));
    QCOMPARE(message([] { IValue(1).to_string(); }), std::string("expected str, got int"));
}

void ValuesTest::lists_out() {
    QCOMPARE(IValue(Dims{1, 2}).to_ints(), (Dims{1, 2}));
    QCOMPARE(IValue(7).to_ints(), Dims{7});
    QCOMPARE(IValue(std::vector<std::int64_t>{3}).to_doubles(), std::vector<double>{3.0});
    const IValue tensors = list_of(types::optional(types::tensor()), {IValue(zeros(IntSpan())), IValue()});
    QVERIFY(tensors.to_tensors()[0].defined() && !tensors.to_tensors()[1].defined());
    QVERIFY_THROWS_EXCEPTION(Error, IValue("x").to_ints());
    QVERIFY_THROWS_EXCEPTION(Error, list_of(types::any(), {1, "x"}).to_ints());
}

void ValuesTest::types_of_values() {
    QCOMPARE(value_type_name(IValue(Dims{})), std::string("List[int]"));
    QCOMPARE(value_type_name(IValue(TensorList{})), std::string("List[Tensor]"));
    QCOMPARE(value_type_name(tuple_of({1, 2.0, "s", IValue()})), std::string("Tuple[int, float, str, NoneType]"));
    const auto dict = make_ptr<DictObject>(types::string(), types::list(types::tensor()));
    QCOMPARE(value_type_name(dict), std::string("Dict[str, List[Tensor]]"));
    QCOMPARE(value_type_name(IValue(make_ptr<FutureObject>(IValue(1)))), std::string("Future[int]"));
    QCOMPARE(type_of(IValue(1)).get(), types::integer().get());
}

void ValuesTest::instances() {
    QVERIFY(is_instance(1, *types::number()) && !is_instance(true, *types::number()));
    QVERIFY(!is_instance(1, *types::floating()) && !is_instance(true, *types::integer()));
    QVERIFY(is_instance(IValue(), *types::optional(types::integer())));
    QVERIFY(is_instance(Dims{1}, *types::list(types::integer())));
    QVERIFY(!is_instance(Dims{1}, *types::list(types::floating())));
    QVERIFY(is_instance(Dims{1}, *types::shared(TypeKind::AnyList)));
    QVERIFY(is_instance(tuple_of({1, IValue()}), *types::tuple({types::integer(), types::optional(types::tensor())})));
    QVERIFY(!is_instance(tuple_of({1}), *types::tuple({types::integer(), types::integer()})));
    QVERIFY(is_instance("x", *types::union_of({types::integer(), types::string()})));
    QVERIFY(is_instance(zeros(IntSpan()), *types::tensor()));
    TensorType matrix;
    matrix.sizes = {std::nullopt, 3};
    QVERIFY(is_instance(zeros(span_of(Dims{2, 3})), matrix));
    QVERIFY(!is_instance(zeros(span_of(Dims{3, 2})), matrix));
}

void ValuesTest::equality_is_pythons() {
    QVERIFY(values_equal(1, 1.0) && values_equal(true, 1) && values_equal(2.0, IValue(std::complex<double>(2, 0))));
    QVERIFY(!values_equal(1, "1") && !values_equal(IValue(), false) && values_equal(IValue(), IValue()));
    QVERIFY(values_equal("a", std::string("a")));
    QVERIFY(values_equal(Dims{1, 2}, list_of(types::floating(), {1.0, 2.0})));
    QVERIFY(!values_equal(Dims{1, 2}, Dims{1}));
    QVERIFY(!values_equal(Dims{1}, tuple_of({1})));
    QVERIFY(!values_equal(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()));
    const Tensor t = zeros(IntSpan());
    QVERIFY(values_equal(t, t) && !values_equal(t, zeros(IntSpan())));
    const auto a = make_ptr<DictObject>(types::string(), types::integer());
    const auto b = make_ptr<DictObject>(types::string(), types::integer());
    a->set("x", 1);
    a->set("y", 2);
    b->set("y", 2);
    QVERIFY(!values_equal(a, b));
    b->set("x", 1);
    QVERIFY(values_equal(a, b));  // the order does not count
}

void ValuesTest::dict_keeps_order() {
    DictObject dict(types::string(), types::integer());
    for (const char* key : {"c", "a", "b"}) dict.set(key, static_cast<int>(dict.size()));
    dict.set("a", 10);
    QVERIFY(dict.erase("c"));
    QVERIFY(!dict.erase("c"));
    dict.set("c", 20);
    std::string order;
    for (const auto& [key, value] : dict.entries()) order += key.to_string() + std::to_string(value.to_int()) + " ";
    QCOMPARE(order, std::string("a10 b2 c20 "));
    QCOMPARE(dict.find("b")->to_int(), std::int64_t{2});
    QVERIFY(dict.find("z") == nullptr);
    dict.clear();
    QCOMPARE(dict.size(), std::size_t{0});
    QVERIFY(dict.find("a") == nullptr);
}

void ValuesTest::dict_keys_as_python() {
    DictObject dict(types::any(), types::any());
    dict.set(1, "int");
    dict.set(1.0, "float");
    dict.set(true, "bool");
    QCOMPARE(dict.size(), std::size_t{1});
    QCOMPARE(python_repr(IValue(dict.entries()[0].first)), std::string("1"));
    QCOMPARE(dict.find(1)->to_string(), std::string("bool"));
    const Tensor t = zeros(IntSpan());
    dict.set(t, 5);
    QVERIFY(dict.find(t) != nullptr && dict.find(zeros(IntSpan())) == nullptr);
    dict.set(tuple_of({1, "a"}), 6);
    QVERIFY(dict.find(tuple_of({1, "a"})) != nullptr);
    QVERIFY_THROWS_EXCEPTION(Error, dict.set(Dims{1}, 0));
    for (int i = 0; i < 1000; ++i) dict.set(i, i);
    for (int i = 0; i < 1000; ++i) QCOMPARE(dict.find(i)->to_int(), std::int64_t{i});
}

// Each as CPython's repr() and str() give it.
void ValuesTest::python_texts() {
    QCOMPARE(python_repr(tuple_of({1})), std::string("(1,)"));
    QCOMPARE(python_repr(tuple_of({})), std::string("()"));
    QCOMPARE(python_repr(tuple_of({1, "a", IValue(), true})), std::string("(1, 'a', None, True)"));
    QCOMPARE(python_repr(IValue(Dims{1, 2})), std::string("[1, 2]"));
    QCOMPARE(python_str(IValue("a")), std::string("a"));
    QCOMPARE(python_str(list_of(types::string(), {"a"})), std::string("['a']"));
    QCOMPARE(python_repr(IValue(1e-5)), std::string("1e-05"));
    auto complex = [](double re, double im) { return python_repr(IValue(std::complex<double>(re, im))); };
    QCOMPARE(complex(1, 2), std::string("(1+2j)"));
    QCOMPARE(complex(0, 1.5), std::string("1.5j"));
    QCOMPARE(complex(-0.0, 1), std::string("(-0+1j)"));
    QCOMPARE(complex(1, -0.0), std::string("(1-0j)"));
    QCOMPARE(complex(0, std::numeric_limits<double>::quiet_NaN()), std::string("nanj"));
    QCOMPARE(python_str(IValue(Device{DeviceType::Cuda, 1})), std::string("cuda:1"));
    QCOMPARE(python_repr(IValue(Device{})), std::string("device(type='cpu')"));
    QCOMPARE(python_repr(IValue(Device{DeviceType::Cuda, 0})), std::string("device(type='cuda', index=0)"));
    const auto dict = make_ptr<DictObject>(types::string(), types::integer());
    dict->set("a", 1);
    dict->set("b", 2);
    QCOMPARE(python_repr(dict), std::string("{'a': 1, 'b': 2}"));
    const TypePtr point = types::named_tuple("__torch__.Point", {"x", "y"}, {types::integer(), types::integer()});
    QCOMPARE(python_repr(IValue(make_ptr<TupleObject>(std::vector<IValue>{1, 2}, point))),
             std::string("Point(x=1, y=2)"));
    const auto color = make_ptr<const EnumType>("__torch__.Color", types::integer(),
                                                std::vector<std::pair<std::string, IValue>>{{"RED", 1}});
    const IValue red = make_ptr<EnumValue>(color, "RED", 1);
    QCOMPARE(python_str(red), std::string("Color.RED"));
    QCOMPARE(python_repr(red), std::string("<Color.RED: 1>"));
    QVERIFY(is_instance(red, *color) && is_instance(red, *types::shared(TypeKind::AnyEnum)));
}

// As the value of prim::Constant of torch's printed graph.
void ValuesTest::constants_as_torch() {
    const auto dict = make_ptr<DictObject>(types::string(), types::integer());
    dict->set("a", 1);
    const double inf = std::numeric_limits<double>::infinity();
    const IValue all = tuple_of({IValue(std::complex<double>(1, 2)), IValue(std::complex<double>(0.5, -2)),
                                 list_of(types::floating(), {1.5, 2.0}), dict, tuple_of({1, "x\n'\""}), inf,
                                 std::numeric_limits<double>::quiet_NaN(), IValue(std::complex<double>(-0.0, inf))});
    QCOMPARE(constant_text(all),
             std::string("(1.+2.j, 0.5-2.j, [1.5, 2.], {\"a\": 1}, (1, \"x\\n\\'\\\"\"), inf, nan, 0.+infj)"));
}

void ValuesTest::objects() {
    const auto cls = make_ptr<ClassType>("__torch__.M", false);
    cls->add_attribute("x", types::integer());
    const auto object = make_ptr<Object>(cls);
    object->set_attribute("x", 3);
    QCOMPARE(object->attribute("x").to_int(), std::int64_t{3});
    QCOMPARE(object->slot(0).to_int(), std::int64_t{3});
    QVERIFY_THROWS_EXCEPTION(Error, object->attribute("y"));
    QVERIFY_THROWS_EXCEPTION(Error, object->set_attribute("y", 1));
    QVERIFY(values_equal(object, object) && !values_equal(object, make_ptr<Object>(cls)));
    QVERIFY(is_instance(object, *cls));
    // An attribute that the class got after the object was made.
    cls->add_attribute("late", types::integer());
    QVERIFY_THROWS_EXCEPTION(Error, object->attribute("late"));
    object->set_attribute("late", 4);
    QCOMPARE(object->attribute("late").to_int(), std::int64_t{4});
}

void ValuesTest::tensors_inside() {
    const Tensor a = zeros(IntSpan());
    const Tensor b = zeros(IntSpan());
    const auto dict = make_ptr<DictObject>(types::string(), types::tensor());
    dict->set("b", b);
    TensorList seen;
    visit_tensors(tuple_of({a, list_of(types::any(), {dict, 1}), IValue()}),
                  [&](const Tensor& t) { seen.push_back(t); });
    QCOMPARE(seen.size(), std::size_t{2});
    QVERIFY(seen[0].is_same(a) && seen[1].is_same(b));
}

void ValuesTest::pointers_are_no_bools() {
    static_assert(!std::is_constructible_v<IValue, int*>);
    static_assert(!std::is_constructible_v<IValue, const TensorImpl*>);
    static_assert(std::is_constructible_v<IValue, const char*>);
    static_assert(std::is_constructible_v<IValue, char*>);
    static_assert(std::is_nothrow_move_constructible_v<IValue>);
    QCOMPARE(sizeof(IValue), std::size_t{16});
}

QTEST_APPLESS_MAIN(ValuesTest)
#include "values_test.moc"
