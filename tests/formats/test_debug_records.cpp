// SPDX-License-Identifier: Apache-2.0
#include "core/formats/archive/zip_reader.h"
#include "core/formats/pickle/debug_records.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace std::string_literals;

class TestDebugRecords : public QObject {
    Q_OBJECT

  private slots:
    void finds_the_users_lines() {
        const ZipReader archive(MappedFile::open(fixture("models/mlp.pt")));
        const std::string name = "mlp/code/__torch__/torch/nn/modules/linear.py";
        const std::string code = archive.read(*archive.find(name), 10'000);
        const auto records = parse_debug_records(archive.read(*archive.find(name + ".debug_pkl"), 10'000));
        const auto source = std::make_shared<const ir::Source>(code, "code/linear.py", 0, records);
        const std::size_t call = code.find("torch.linear(");
        const ir::SourceRange original = ir::SourceRange{source, call, call + 5}.original();
        // Line 114 of torch/nn/modules/linear.py of PyTorch 1.13.1.
        QCOMPARE(std::string(original.line_text()), "        return F.linear(input, self.weight, self.bias)"s);
        QCOMPARE(original.short_text(), "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:114"s);
        QCOMPARE(std::string(original.text()), "F.linear"s);
        // The class's own lines are nobody's.
        QVERIFY(source->find_generated_from(0) == nullptr);
    }

    void reads_the_form_without_a_table() {
        // ((7, (('text\nmore\n', 'f.py', 3), 5, 9), 0), (9, (('text\nmore\n', None, 3), 0, 4)))
        const auto source = [](const std::string& file) { return "(X\x0a\x00\x00\x00text\nmore\n"s + file + "K\x03t"; };
        const auto records =
            parse_debug_records("\x80\x02(K\x07("s + source("X\x04\x00\x00\x00"s + "f.py") + "K\x05K\x09tK\x00\x87"s +
                                "(K\x09(" + source("N") + "K\x00K\x04tt"s + "t.");
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[0].offset, std::size_t{7});
        QCOMPARE(std::string(records[0].range.text()), "more"s);
        QCOMPARE(records[0].range.position()->line, std::size_t{4});
        QVERIFY(!records[1].range.position());
    }

    void writes_what_it_reads() {
        const auto source = std::make_shared<const ir::Source>("a = 1\nb = 2\n", "m.py", 4);
        PlaceTags tags(2);
        const std::string written =
            write_debug_records({{3, {}}, {7, {source, 6, 11}}, {20, {source, 0, 5}}, {24, {source, 6, 11}}}, tags);
        const auto records = parse_debug_records(written);
        QCOMPARE(records.size(), std::size_t{4});
        QCOMPARE(records[0].offset, std::size_t{3});
        QVERIFY(!records[0].range);
        QCOMPARE(std::string(records[1].range.text()), "b = 2"s);
        QCOMPARE(records[1].range.short_text(), "m.py:6"s);
        QCOMPARE(records[2].range.short_text(), "m.py:5"s);
        QVERIFY(records[1].range.source == records[2].range.source);
        // One number a place.
        std::vector<std::int64_t> numbers;
        for (const TaggedPlace& each : parse_tagged_records(written)) numbers.push_back(each.tag);
        QCOMPARE(numbers, (std::vector<std::int64_t>{2, 3, 4, 3}));
        QCOMPARE(tags.tag({source, 0, 5}), std::int64_t{4});
        QCOMPARE(tags.tag({source, 0, 4}), std::int64_t{5});
    }

    void refuses_damage() {
        // ("FORMAT_WITH_STRING_TABLE", ('a',), ((0, (([1], 0, 0), 0, 1), 0),)): line 1 of a table of one
        const auto pickle = [](const std::string& index) {
            return "\x80\x02X\x18\x00\x00\x00"s + "FORMAT_WITH_STRING_TABLE" + "X\x01\x00\x00\x00"s + "a\x85" +
                   "K\x00"s + "](" + index + "eK\x00K\x00\x87K\x00K\x01\x87K\x00\x87\x85\x87."s;
        };
        QVERIFY(error_of([&] { parse_debug_records(pickle("K\x00"s)); }).empty());
        QCOMPARE(error_of([&] { parse_debug_records(pickle("K\x01"s)); }), "debug records: line 1 of 1"s);
        QCOMPARE(error_of([&] { parse_debug_records(pickle("J\xff\xff\xff\xff"s)); }), "debug records: position -1"s);
        QVERIFY(!error_of([&] { parse_debug_records("\x80\x02N."s); }).empty());
    }
};

QTEST_GUILESS_MAIN(TestDebugRecords)
#include "test_debug_records.moc"
