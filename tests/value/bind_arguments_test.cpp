// SPDX-License-Identifier: Apache-2.0
// Calls of Python: what binds to which argument, what is converted, and Python's messages where it does not fit.
#include <QTest>

#include "core/base/error.h"
#include "core/value/bind_arguments.h"

using namespace loupe;

namespace {

FunctionSchema linear() { return parse_schema("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"); }
FunctionSchema conv() {
    return parse_schema(
        "Conv2d.__init__(int in_channels, int out_channels, int[2] kernel_size, float scale=1.0, *, Any "
        "mode=\"zeros\") -> ()");
}

QString bound(const FunctionSchema& schema, CallArguments arguments) {
    QString out;
    try {
        for (const IValue& value : bind_arguments(schema, std::move(arguments))) {
            out += QString::fromStdString(python_repr(value)) + ";";
        }
    } catch (const Error& error) {
        return QString::fromStdString(error.message());
    }
    return out;
}

IValue int_tuple(std::int64_t a, std::int64_t b) { return make_ptr<TupleObject>(std::vector<IValue>{a, b}); }

class BindArgumentsTest : public QObject {
    Q_OBJECT
  private slots:
    void positions_keywords_and_defaults();
    void conversions();
    void more_than_named();
    void messages_are_pythons();
    void a_bool_is_no_int();
};

}  // namespace

void BindArgumentsTest::positions_keywords_and_defaults() {
    QCOMPARE(bound(conv(), {{1, 2, int_tuple(3, 4)}, {}}), QString("1;2;[3, 4];1.0;'zeros';"));
    QCOMPARE(bound(conv(), {{1}, {{"mode", IValue(5)}, {"kernel_size", int_tuple(3, 4)}, {"out_channels", IValue(9)}}}),
             QString("1;9;[3, 4];1.0;5;"));
}

void BindArgumentsTest::conversions() {
    QCOMPARE(bound(conv(), {{1, 2, 3, 4}, {}}), QString("1;2;[3, 3];4.0;'zeros';"));
    const Tensor seven = scalar_tensor(Scalar(std::int64_t{7}), ScalarType::Int64);
    QCOMPARE(bound(conv(), {{seven, 2, 3, seven}, {}}), QString("7;2;[3, 3];7.0;'zeros';"));
    const auto device = parse_schema("f(Device? device=None, Scalar value=1, Tensor[] tensors=[]) -> ()");
    const IValue tensors = make_ptr<TupleObject>(std::vector<IValue>{seven});
    const auto values = bind_arguments(device, {{"cpu", 2, tensors}, {}});
    QVERIFY(values[0].is_device());
    QVERIFY(values[1].is_int());
    QVERIFY(values[2].is_list());
    QVERIFY(values[2].to_list().element_type->equals(*types::tensor()));
}

void BindArgumentsTest::more_than_named() {
    const auto sequential = parse_schema("Sequential.__init__(...) -> ()");
    QCOMPARE(bound(sequential, {{1, "two"}, {{"any", IValue(3)}}}), QString("1;'two';"));
}

void BindArgumentsTest::messages_are_pythons() {
    const Tensor x = zeros(std::array<std::int64_t, 1>{2});
    QCOMPARE(bound(linear(), {{x}, {}}), QString("linear() missing 1 required positional argument: 'weight'"));
    QCOMPARE(bound(linear(), {}), QString("linear() missing 2 required positional arguments: 'input' and 'weight'"));
    QCOMPARE(bound(conv(), {}), QString("Conv2d.__init__() missing 3 required positional arguments: 'in_channels', "
                                        "'out_channels', and 'kernel_size'"));
    QCOMPARE(bound(linear(), {{x, x}, {{"b", x}}}), QString("linear() got an unexpected keyword argument 'b'"));
    QCOMPARE(bound(linear(), {{x, x}, {{"input", x}}}), QString("linear() got multiple values for argument 'input'"));
    QCOMPARE(bound(linear(), {{1, x}, {}}), QString("linear(): argument 'input' (position 1) must be Tensor, not int"));
    QCOMPARE(bound(linear(), {{x, x, x, x}, {}}),
             QString("linear() takes from 2 to 3 positional arguments but 4 were given"));
    QCOMPARE(bound(conv(), {{1, 2, 3, 4, 5}, {}}),
             QString("Conv2d.__init__() takes from 4 to 5 positional arguments but 6 were given"));
    QCOMPARE(bound(parse_schema("f(*, int a) -> ()"), {}),
             QString("f() missing 1 required keyword-only argument: 'a'"));
}

void BindArgumentsTest::a_bool_is_no_int() {
    const Argument number = parse_schema("f(int a) -> ()").arguments[0];
    const Argument flag = parse_schema("f(bool a) -> ()").arguments[0];
    QVERIFY(!convert_argument(number, true));
    QVERIFY(!convert_argument(flag, 1));
    QVERIFY(convert_argument(flag, true));
}

QTEST_APPLESS_MAIN(BindArgumentsTest)
#include "bind_arguments_test.moc"
