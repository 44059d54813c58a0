// SPDX-License-Identifier: Apache-2.0
// Data on disk: fixtures/data was written by make_data.py, whose rules the expected values follow.
#include <sys/resource.h>

#include <fstream>

#include "core/base/strings.h"
#include "core/data/loader.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/sources/source.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace loupe::data;
using namespace std::string_literals;

namespace {

using Options = std::map<std::string, std::string>;
using Floats = std::vector<float>;

Tensor input_of(const Source& source, std::int64_t index) {
    return source.dataset->get(index).to_tuple().elements[0].to_tensor();
}
IValue target_of(const Source& source, std::int64_t index) { return source.dataset->get(index).to_tuple().elements[1]; }

std::string big_endian(std::uint32_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
    return out;
}

// Two records of CIFAR-10: labels 3 and `second`, bytes that are all 10 and all 20.
std::string cifar(char second) { return "\x03"s + std::string(3072, '\x0a') + second + std::string(3072, '\x14'); }

}  // namespace

class TestSources : public QObject {
    Q_OBJECT

    Scratch scratch_;

    Source csv(const std::string& text, const Options& options = {}) {
        return open_source({"csv", scratch_.write("t.csv", text), options});
    }
    std::string csv_error(const std::string& text, const Options& options = {}) {
        return error_of([&] {
            const Source source = csv(text, options);
            for (std::int64_t i = 0; i < source.dataset->size(); ++i) source.dataset->get(i);
        });
    }

  private slots:
    void picturesInAFolderAClass() {
        const Source source = open_source({"", fixture("data/pictures"), {{"scale", "false"}}});
        QCOMPARE(source.description, "4 images, 2 classes"s);
        QCOMPARE(join(source.classes, ","), "cat,dog"s);
        QCOMPARE(source.dataset->place_of(1), "cat/2.JPG"s);
        QCOMPARE(source.dataset->place_of(3), "dog/old/0.png"s);
        const Tensor cat = input_of(source, 0);
        QCOMPARE(describe(cat), "uint8 3x4x6"s);
        QCOMPARE(int{cat.data<std::uint8_t>()[24 + 6 + 2]}, 2 * 12);  // green of (1, 2)
        QCOMPARE(describe(input_of(source, 1)), "uint8 3x8x8"s);
        // A grey picture as RGB.
        QCOMPARE(int{input_of(source, 2).data<std::uint8_t>()[24]}, 100);
        QCOMPARE(target_of(source, 2).to_int(), std::int64_t{1});
    }

    void whatIsDoneToPictures() {
        const Source source =
            open_source({"images",
                         fixture("data/pictures"),
                         {{"resize", "8"}, {"crop", "8x6"}, {"mean", "0.5"}, {"std", "0.25"}, {"channels", "grey"}}});
        QCOMPARE(describe(input_of(source, 0)), "float32 1x8x6"s);
        const Source plain = open_source({"images", fixture("data/pictures"), {{"channels", "grey"}}});
        QCOMPARE(input_of(plain, 2).data<float>()[0], 100 / 255.0F);
        const Source normal =
            open_source({"images", fixture("data/pictures"), {{"channels", "grey"}, {"mean", "0.5"}, {"std", "0.25"}}});
        QCOMPARE(input_of(normal, 2).data<float>()[0], (100 / 255.0F - 0.5F) / 0.25F);
    }

    void aDamagedPictureIsNamedAndCanBeLeftOut() {
        std::filesystem::create_directories(scratch_.path("broken/a"));
        std::filesystem::copy_file(fixture("data/pictures/cat/1.png"), scratch_.path("broken/a/0.png"));
        const std::string whole = read_text_file(fixture("data/pictures/cat/1.png"));
        scratch_.write("broken/a/1.png", whole.substr(0, whole.size() - 30));
        const Source source = open_source({"", scratch_.path("broken"), {}});
        DataLoader stops(source.dataset, {.batch_size = 2, .num_workers = 1});
        QCOMPARE(error_of([&] { stops.iterate()->next(); }),
                 "1.png: sample 1 (a/1.png), DataLoader worker 0: PNG: truncated"s);
        DataLoader skips(source.dataset, {.batch_size = 2, .on_damage = OnDamage::Skip});
        const auto stream = skips.iterate();
        QCOMPARE(stream->next()->to_list().elements[0].to_tensor().size(0), std::int64_t{1});
        QCOMPARE(stream->skipped().size(), std::size_t{1});
    }

    void mnist() {
        const Source source = open_source({"", fixture("data/mnist"), {{"split", "test"}, {"scale", "false"}}});
        QCOMPARE(source.description, "5 images of 3x4, 5 classes"s);
        QCOMPARE(describe(input_of(source, 3)), "uint8 1x3x4"s);
        QCOMPARE(int{input_of(source, 3).data<std::uint8_t>()[5]}, 65);
        QCOMPARE(target_of(source, 3).to_int(), std::int64_t{3});
        QVERIFY(error_of([] {
                    open_source({"mnist", fixture("data/mnist"), {}});
                }).find("no train-images-idx3-ubyte") != std::string::npos);
    }

    void idxFilesOfOtherTypesAndDamage() {
        const std::string header = "\x00\x00\x0b\x02"s + big_endian(2) + big_endian(2);
        const Source shorts =
            open_source({"idx", scratch_.write("s.idx", header + "\x00\x01\xff\xfe\x7f\xff\x80\x00"s), {}});
        QCOMPARE(elements<std::int16_t>(input_of(shorts, 0)), (std::vector<std::int16_t>{1, -2}));
        QCOMPARE(elements<std::int16_t>(input_of(shorts, 1)), (std::vector<std::int16_t>{32767, -32768}));
        const Source shortened = open_source({"idx", scratch_.write("s.idx", header + "\x00\x01\xff\xfe\x7f"s), {}});
        QCOMPARE(shortened.notes.at(0), "s.idx is truncated: 1 of 2 records are whole"s);
        QCOMPARE(error_of([&] { shortened.dataset->get(1); }),
                 "s.idx: record 1 of 2: truncated: the file ends after 1 whole records"s);
        const auto opened = [&](const std::string& text) {
            return error_of([&] { open_source({"idx", scratch_.write("d.idx", text), {}}); });
        };
        QCOMPARE(opened("\x01\x00\x08\x01"s), "d.idx: no IDX file: it does not begin with two zero bytes"s);
        QCOMPARE(opened("\x00\x00\x07\x01"s), "d.idx: IDX file with elements of unknown type 7"s);
        QVERIFY(opened("\x00\x00\x08\x03\x00\x00"s).starts_with("d.idx: truncated: IDX file needs 4 bytes"));
        QCOMPARE(opened("\x00\x00\x08\x03"s + big_endian(1) + std::string(8, '\xff')),
                 "d.idx: IDX file with records of more than 4 GiB"s);
        const std::string packed = read_text_file(fixture("data/mnist/t10k-images-idx3-ubyte.gz"));
        std::string damaged = packed;
        damaged[damaged.size() - 6] ^= 0x7f;  // of the sum over all bytes
        QVERIFY(!opened(damaged).empty());
        const auto cut = open_source({"idx", scratch_.write("c.idx", packed.substr(0, packed.size() - 20)), {}});
        QCOMPARE(cut.notes.size(), std::size_t{1});
    }

    void saysWhatItPassesOver() {
        write_npz(scratch_.path("uneven.npz"),
                  {{"x", zeros(std::array<std::int64_t, 2>{4, 2})}, {"y", zeros(std::array<std::int64_t, 1>{3})}});
        const Source uneven = open_source({"", scratch_.path("uneven.npz"), {}});
        QCOMPARE(uneven.notes, std::vector<std::string>{"y has 3 rows, x has 4: it is no target"});
        write_npz(scratch_.path("even.npz"),
                  {{"x", zeros(std::array<std::int64_t, 2>{4, 2})}, {"y", zeros(std::array<std::int64_t, 1>{4})}});
        QVERIFY(open_source({"", scratch_.path("even.npz"), {}}).notes.empty());
        QCOMPARE(csv("a,b,c\n1,red,0\n2,blue,1\n").notes,
                 std::vector<std::string>{"column b holds texts, which count from 0 in their order: blue, red"});
    }

    void cifarRecords() {
        const Source source =
            open_source({"", scratch_.write("data_batch_1.bin", cifar('\x09')), {{"scale", "false"}}});
        QCOMPARE(source.description, "2 images of 3x32x32, 10 classes"s);
        QCOMPARE(int{input_of(source, 1).data<std::uint8_t>()[3071]}, 20);
        QCOMPARE(target_of(source, 1).to_int(), std::int64_t{9});
        const Source wrong = open_source({"cifar10", scratch_.write("test_batch.bin", cifar('\x0a') + "\x01\x02"), {}});
        QCOMPARE(wrong.notes.at(0), "test_batch.bin is truncated: its last record is not whole"s);
        QCOMPARE(error_of([&] { wrong.dataset->get(1); }), "test_batch.bin: record 1: label 10 of 10 classes"s);
        QCOMPARE(error_of([&] { wrong.dataset->get(2); }),
                 "test_batch.bin: record 2: truncated: it has 2 of 3073 bytes"s);
        std::filesystem::create_directories(scratch_.path("hundred"));
        scratch_.write("hundred/train.bin", "\x04\x07"s + std::string(3072, '\x01'));
        QCOMPARE(target_of(open_source({"", scratch_.path("hundred"), {}}), 0).to_int(), std::int64_t{7});
        QCOMPARE(target_of(open_source({"", scratch_.path("hundred"), {{"labels", "coarse"}}}), 0).to_int(),
                 std::int64_t{4});
    }

    void tables() {
        const Source source = csv("a,b,\"the, target\"\r\n1,2.5,yes\r\n\"3\",-4e1,\"n\"\"o\"\r\n");
        QCOMPARE(source.dataset->size(), std::int64_t{2});
        QCOMPARE(elements<float>(input_of(source, 1)), (Floats{3, -40}));
        QCOMPARE(join(source.classes, "|"), "n\"o|yes"s);
        QCOMPARE(target_of(source, 0).to_int(), std::int64_t{1});
        const Source chosen = csv("a;b;c\n1;2;3\n4;5;6.5\n", {{"inputs", "c,a"}, {"target", "b"}});
        QCOMPARE(elements<float>(input_of(chosen, 1)), (Floats{6.5, 4}));
        QCOMPARE(target_of(chosen, 1).to_int(), std::int64_t{5});
        const Source real = csv("1,2\n3,4.5\n", {{"target", "-1"}});
        QCOMPARE(item(target_of(real, 0).to_tensor()).to<double>(), 2.0);
        const Source alone = csv("1,2\n3,4\n", {{"target", "none"}});
        QCOMPARE(alone.dataset->get(0).to_tuple().elements.size(), std::size_t{1});
        QCOMPARE(elements<float>(input_of(csv("x,y\n1,NA\n,2\n", {{"missing", "zero"}, {"target", "none"}}), 0)),
                 (Floats{1, 0}));
    }

    void damagedTablesNameTheLineAndTheColumn() {
        std::string many = "a,b\n";
        for (int i = 0; i < 200; ++i) many += "1,2\n";
        QCOMPARE(csv_error(many + "x,2\n"), "t.csv: line 202: column 'a': 'x' is no number"s);
        QCOMPARE(csv_error("a,b\n1,2\n3\n"), "t.csv: line 3: expected 2 fields, got 1"s);
        QCOMPARE(csv_error("a,b\n1,2\n,4\n"),
                 "t.csv: line 3: column 'a': '' where a value is needed; the option missing says what to do"s);
        QCOMPARE(csv_error("a,b\n1,\"2\n3,4\n"), "t.csv: line 2: a quote is not closed"s);
        QCOMPARE(csv_error("a,b\n1,\"2\"x\n"), "t.csv: line 2: field 2 goes on after its closing quote"s);
        QCOMPARE(csv_error(""), "t.csv: an empty table"s);
        QCOMPARE(csv_error("a,b\n1,2\n", {{"inputs", "z"}}), "t.csv: no column 'z'; there are a, b"s);
        // A line end in quotes is none of a record.
        const Source source = csv("a,b\n\"1\n\",2\n3,4\n", {{"target", "none"}, {"header", "yes"}});
        QCOMPARE(source.dataset->place_of(1), "t.csv, line 4"s);
    }

    void arrays() {
        write_npy(scratch_.path("x.npy"), tensor_of<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
        write_npy(scratch_.path("y.npy"), tensor_of<std::int64_t>({7, 8, 9}, {3}));
        const Source rows = open_source({"", scratch_.path("x.npy"), {{"targets", "y.npy"}}});
        QCOMPARE(rows.description, "3 rows of float32 2, targets int64 scalar"s);
        QCOMPARE(elements<float>(input_of(rows, 2)), (Floats{5, 6}));
        QCOMPARE(item(target_of(rows, 2).to_tensor()).to<std::int64_t>(), std::int64_t{9});
        write_npz(scratch_.path("a.npz"), {{"x", tensor_of<float>({1, 2}, {2})},
                                           {"n", tensor_of<float>({1}, {1})},
                                           {"y", tensor_of<float>({3, 4}, {2})}});
        const Source both = open_source({"", scratch_.path("a.npz"), {}});
        QCOMPARE(item(target_of(both, 1).to_tensor()).to<double>(), 4.0);
        QVERIFY(error_of([&] {
                    open_source({"", scratch_.path("a.npz"), {{"target", "n"}}});
                }).find("x has 2 rows, n has 1") != std::string::npos);
        QVERIFY(error_of([&] {
                    open_source({"", scratch_.path("a.npz"), {{"input", "q"}}});
                }).find("no array 'q'; there are x, n, y") != std::string::npos);
    }

    // 64 GiB that are a hole in the file: more than this machine's memory. Only pages that are read come in.
    void aSetLargerThanTheMemory() {
        constexpr std::int64_t kRows = std::int64_t{1} << 22;
        constexpr std::int64_t kWidth = 4096;
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(kRows) + ", " +
                             std::to_string(kWidth) + "), }";
        header.append(127 - 10 - header.size(), ' ');
        header += '\n';
        const auto path =
            scratch_.write("huge.npy", "\x93NUMPY\x01\x00"s + static_cast<char>(header.size()) + '\x00' + header);
        std::error_code failure;
        std::filesystem::resize_file(path, static_cast<std::uintmax_t>(128 + kRows * kWidth * 4), failure);
        if (failure) QSKIP("the file system has no holes");
        {
            std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
            const float value = 2.5F;
            file.seekp(128 + (kRows - 1) * kWidth * 4);
            file.write(reinterpret_cast<const char*>(&value), sizeof value);
        }
        rusage before{};
        getrusage(RUSAGE_SELF, &before);
        const Source source = open_source({"", path, {}});
        QCOMPARE(source.dataset->size(), kRows);
        QCOMPARE(input_of(source, kRows - 1).data<float>()[0], 2.5F);
        DataLoader loader(make_ptr<Subset>(source.dataset, std::vector<std::int64_t>{5, kRows / 2, kRows - 1}),
                          {.batch_size = 3});
        const IValue batch = loader.iterate()->next().value();
        QCOMPARE(batch.to_list().elements[0].to_tensor().data<float>()[2 * kWidth], 2.5F);
        rusage after{};
        getrusage(RUSAGE_SELF, &after);
        QVERIFY(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
    }

    void text() {
        const auto path = scratch_.write("t.txt", "to be\nor n\xc3\xb6t");
        const Source chars = open_source({"", path, {{"block", "4"}}});
        QCOMPARE(chars.dataset->size(), std::int64_t{8});
        // "\n", " ", b, e, n, o, r, t, ö
        QCOMPARE(elements<std::int64_t>(input_of(chars, 0)), (std::vector<std::int64_t>{7, 5, 1, 2}));
        QCOMPARE(elements<std::int64_t>(target_of(chars, 0).to_tensor()), (std::vector<std::int64_t>{5, 1, 2, 3}));
        QCOMPARE(chars.classes.back(), "\xc3\xb6"s);
        const Source words = open_source({"text",
                                          scratch_.write("w.txt", "the cat, the dog\nthe end"),
                                          {{"tokens", "words"}, {"block", "2"}, {"step", "2"}}});
        QCOMPARE(words.classes.front(), "the"s);
        QCOMPARE(words.dataset->size(), std::int64_t{3});
        QVERIFY(error_of([&] {
                    open_source({"text", path, {{"block", "12"}}});
                }).find("a text of 12 tokens is too short for a block of 12") != std::string::npos);
        QVERIFY(error_of([&] {
                    open_source({"text", scratch_.write("b.txt", "ab\n\xff"), {}});
                }).find("line 2: byte 3 is not UTF-8") != std::string::npos);
    }

    void wrongOptionsSayWhatTheyTake() {
        const auto refused = [](const SourceSpec& spec) { return error_of([&] { open_source(spec); }); };
        QVERIFY(refused({"", fixture("data/mnist"), {{"spit", "test"}}})
                    .starts_with("source mnist has no option 'spit'; it has split, resize"));
        QCOMPARE(refused({"", fixture("data/mnist"), {{"split", "dev"}}}),
                 "option split of source mnist takes train|test, not 'dev'"s);
        QCOMPARE(refused({"", fixture("data/pictures"), {{"resize", "0"}}}),
                 "option resize takes HxW or an edge of 1 to 32768 pixels, not '0'"s);
        QCOMPARE(refused({"", fixture("data/pictures"), {{"mean", "a"}}}),
                 "option mean of source images takes numbers, one a channel or one, not 'a'"s);
        QVERIFY(refused({"nope", fixture("data/mnist"), {}})
                    .starts_with("no data source 'nope'; there are npy, npz, mnist"));
        QVERIFY(refused({"", fixture("README.md"), {}}).find("no data source knows what this is") != std::string::npos);
        QVERIFY(refused({"", scratch_.path("none"), {}}).find("No such file or directory") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSources)
#include "test_sources.moc"
