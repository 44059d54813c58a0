// SPDX-License-Identifier: Apache-2.0
// The byte strings are what Python's pickle.dumps gives for the value in the comment.
#include "core/formats/pickle/pickle_reader.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace std::string_literals;

namespace {

std::string pickle_error(const std::string& text) {
    return error_of([&] { read_pickle(text); });
}

}  // namespace

class TestPickle : public QObject {
    Q_OBJECT

  private slots:
    void reads_protocol_2() {
        // (None, True, False, 1, -2, 70000, 2**40, -2**40, 1.5, 'text', [1], {'a': 1})
        const auto pickle = read_pickle(
            "\x80\x02(N\x88\x89K\x01J\xfe\xff\xff\xffJp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01"
            "\x8a\x06\x00\x00\x00\x00\x00\xffG?\xf8\x00\x00\x00\x00\x00\x00X\x04\x00\x00\x00textq\x00]q\x01K\x01"
            "a}q\x02X\x01\x00\x00\x00"
            "aq\x03K\x01stq\x04."s);
        const auto& values = pickle.root()->tuple(12);
        QVERIFY(values[0]->is_none());
        QVERIFY(values[1]->to_bool());
        QVERIFY(!values[2]->to_bool());
        QCOMPARE(values[3]->to_int(), std::int64_t{1});
        QCOMPARE(values[4]->to_int(), std::int64_t{-2});
        QCOMPARE(values[5]->to_int(), std::int64_t{70000});
        QCOMPARE(values[6]->to_int(), std::int64_t{1} << 40);
        QCOMPARE(values[7]->to_int(), -(std::int64_t{1} << 40));
        QCOMPARE(values[8]->to_float(), 1.5);
        QCOMPARE(values[9]->to_string(), "text"s);
        QCOMPARE(values[10]->elements().at(0)->to_int(), std::int64_t{1});
        QCOMPARE(values[11]->items().at(0)->to_string(), "a"s);
        QCOMPARE(values[11]->items().at(1)->to_int(), std::int64_t{1});
    }

    void reads_protocol_4() {
        // ([1, 2, 3], b'ab', {1: 'x', 2: 'y'}, frozenset([7])), with frames, memoize and short strings
        const auto pickle = read_pickle(
            "\x80\x04\x95!\x00\x00\x00\x00\x00\x00\x00(]\x94(K\x01K\x02K\x03"
            "eC\x02"
            "ab\x94}\x94(K\x01\x8c\x01x\x94K\x02\x8c\x01y\x94u(K\x07\x91\x94t\x94."s);
        const auto& values = pickle.root()->tuple(4);
        QCOMPARE(values[0]->elements().size(), std::size_t{3});
        QCOMPARE(values[1]->to_bytes(), "ab"s);
        QCOMPARE(values[2]->items().at(3)->to_string(), "y"s);
        QVERIFY(values[3]->is(PickleKind::Set));
    }

    void keeps_sharing() {
        // a = [5]; (a, a)
        const auto pickle = read_pickle("\x80\x02]q\x00K\x05"s + "ah\x00\x86q\x01."s);
        const auto& pair = pickle.root()->tuple(2);
        QVERIFY(pair[0] == pair[1]);
        // a = []; a.append(a): contains itself, and is freed
        const auto loop = read_pickle("\x80\x02]q\x00h\x00"s + "a."s);
        QVERIFY(loop.root()->elements().at(0) == loop.root());
    }

    void calls_nothing() {
        const auto pickle = read_pickle("\x80\x02"s + "cos\nsystem\nX\x04\x00\x00\x00true\x85R."s);
        QCOMPARE(std::string(pickle.root()->callable_name()), "os.system"s);
        QCOMPARE(pickle.root()->call().args->tuple(1)[0]->to_string(), "true"s);
    }

    void reads_objects_and_persistent_ids() {
        const auto pickle =
            read_pickle("\x80\x02"s + "c__torch__\nM\n)\x81}X\x01\x00\x00\x00wX\x02\x00\x00\x00idQsb."s);
        QVERIFY(pickle.root()->is(PickleKind::Object));
        const auto& call = pickle.root()->call();
        QCOMPARE(call.callable->global_name(), "__torch__.M"s);
        QCOMPARE(call.state->items().at(1)->persistent_id()->to_string(), "id"s);
        // OrderedDict([('a', 1)]): a call, then items
        const auto dict = read_pickle("\x80\x02"s + "ccollections\nOrderedDict\n)R(X\x01\x00\x00\x00"s + "aK\x01u."s);
        QCOMPARE(dict.root()->call().items.size(), std::size_t{2});
    }

    void says_where_it_ends() {
        const auto stream = read_pickle("\x80\x02K\x01.\x80\x02K\x02."s);
        QCOMPARE(stream.size(), std::size_t{5});
    }

    void refuses_damage() {
        QCOMPARE(pickle_error(""), "truncated: pickle needs 1 bytes at byte 0 of 0"s);
        QCOMPARE(pickle_error("\x80\x02X\xff\xff\xff\x7f"s + "ab"),
                 "truncated: pickle needs 2147483647 bytes at byte 7 of 9"s);
        QVERIFY(pickle_error("\x80\x02."s).find("stack underflow") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02(."s).find("stack underflow") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02t."s).find("no mark") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02h\x09."s).find("nothing was memorised as 9") != std::string::npos);
        QVERIFY(pickle_error("\x80\x00."s).find("protocol 0 is not supported") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02Nb."s).find("stack underflow") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02NNb."s).find("cannot fill None") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02}(K\x01u."s).find("a key without a value") != std::string::npos);
        QVERIFY(pickle_error("\x80\x02\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01."s).find("integer of 9 bytes") !=
                std::string::npos);
        QVERIFY(pickle_error("\x80\x02\x82\x01."s).find("unsupported opcode 130") != std::string::npos);
        QCOMPARE(error_of([] { read_pickle("\x80\x02K\x01."s).root()->to_string(); }),
                 "pickle: expected a string, got an int"s);
    }

    void stands_deep_nesting() {
        const std::size_t depth = 100'000;
        const auto lists = read_pickle("\x80\x02"s + std::string(depth, ']') + std::string(depth - 1, 'a') + ".");
        QVERIFY(lists.root()->is(PickleKind::List));
        const auto tuples = read_pickle("\x80\x02)"s + std::string(depth, '\x85') + ".");
        QCOMPARE(tuples.root()->elements().size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(TestPickle)
#include "test_pickle.moc"
