// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/formats/archive/zip_reader.h"
#include "core/formats/archive/zip_writer.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

std::string replaced(std::string text, std::size_t at, std::string_view bytes) {
    return text.replace(at, bytes.size(), bytes);
}

std::size_t last_of(const std::string& text, std::string_view signature) { return text.rfind(signature); }

}  // namespace

class TestZip : public QObject {
    Q_OBJECT

    Scratch scratch_;

    std::string two_entries() {
        ZipWriter writer(scratch_.path("two.zip"));
        writer.add("a/one", "first payload");
        writer.add("a/two", "second");
        writer.finish();
        return read_text_file(scratch_.path("two.zip"));
    }
    std::string open_error(const std::string& contents) {
        return error_of([&] { const ZipReader reader(MappedFile::open(scratch_.write("bad.zip", contents))); });
    }

  private slots:
    void reads_what_pytorch_writes() {
        const ZipReader reader(MappedFile::open(fixture("models/mlp.pt")));
        QCOMPARE(reader.entries().size(), std::size_t{17});
        QCOMPARE(reader.entries().front().name, std::string("mlp/data/0"));
        const ZipEntry* weights = reader.find("mlp/data/0");
        QVERIFY(weights != nullptr && weights->is_stored());
        QCOMPARE(weights->data_offset % 64, std::uint64_t{0});
        QCOMPARE(reader.stored_bytes(*weights).size(), std::size_t{1024});
        QCOMPARE(reader.read(*reader.find("mlp/version"), 100), std::string("3\n"));
        const ZipEntry* code = reader.find("mlp/code/__torch__/torch/nn/modules/linear.py");
        QVERIFY(code != nullptr && !code->is_stored());
        QVERIFY(reader.read(*code, 1000).starts_with("class Linear(Module):\n"));
        QVERIFY(reader.find("mlp/nothing") == nullptr);
    }

    void writes_aligned_payloads() {
        two_entries();
        const ZipReader reader(MappedFile::open(scratch_.path("two.zip")));
        QCOMPARE(reader.entries().size(), std::size_t{2});
        for (const auto& entry : reader.entries()) QCOMPARE(entry.data_offset % 64, std::uint64_t{0});
        QCOMPARE(reader.read(reader.entries()[0], 100), std::string("first payload"));
        QCOMPARE(reader.read(reader.entries()[1], 100), std::string("second"));
    }

    // Long payloads come in several parts of several pieces; both headers hold the checksum of all.
    void writes_the_checksum_of_long_payloads() {
        const std::string bytes = [] {
            std::string text(5'000'001, '\0');
            for (std::size_t i = 0; i < text.size(); ++i)
                text[i] = static_cast<char>(static_cast<unsigned char>(i * i % 251));
            return text;
        }();
        const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
        ZipWriter writer(scratch_.path("long.zip"));
        writer.reserve(bytes.size());
        writer.add("whole", bytes);
        writer.add("parts", {all.first(7), all.subspan(7, 3'000'000), all.subspan(3'000'007)});
        writer.finish();
        const std::string file = read_text_file(scratch_.path("long.zip"));
        const ZipReader reader(MappedFile::open(scratch_.path("long.zip")));
        constexpr std::uint32_t kPythonZlibCrc32 = 0xabad6ff3;
        for (const auto& entry : reader.entries()) {
            QCOMPARE(entry.crc, kPythonZlibCrc32);
            QVERIFY(reader.read(entry, bytes.size()) == bytes);
            std::uint32_t local = 0;
            std::memcpy(&local, file.data() + file.rfind("PK\x03\x04", entry.data_offset) + 14, sizeof local);
            QCOMPARE(local, kPythonZlibCrc32);
        }
    }
    void leaves_nothing_without_finish() {
        {
            ZipWriter writer(scratch_.path("unfinished.zip"));
            writer.add("one", "payload");
            QVERIFY(error_of([&] { writer.add("one", "again"); }).find("two archive entries are named 'one'") !=
                    std::string::npos);
        }
        for (const auto& file : std::filesystem::directory_iterator(scratch_.path(".")))
            QVERIFY(file.path().filename().string().find("unfinished") == std::string::npos);
    }

    void names_every_truncation() {
        const std::string good = two_entries();
        for (std::size_t size = 0; size < good.size(); ++size) {
            const auto line = open_error(good.substr(0, size));
            QVERIFY2(line.starts_with("bad.zip: truncated: "), line.c_str());
        }
        const auto end = last_of(good, "PK\x05\x06");
        QCOMPARE(open_error(replaced(good, end + 16, "\xff\xff\xff\x7f")),
                 std::string("bad.zip: truncated: central directory of 102 bytes at byte 2147483647 ends after byte ") +
                     std::to_string(end) + " of " + std::to_string(good.size()));
    }

    void refuses_what_lies() {
        const std::string good = two_entries();
        const auto first = good.find("PK\x01\x02");
        const auto second = good.rfind("PK\x01\x02");
        QVERIFY(open_error(good).empty());
        QVERIFY(open_error(replaced(good, second + 46, "a/one")).find("two entries are named 'a/one'") !=
                std::string::npos);
        QVERIFY(open_error(replaced(good, first + 46, "../ab")).find("bad entry name '../ab'") != std::string::npos);
        QVERIFY(open_error(replaced(good, first + 46, "/etc/")).find("bad entry name") != std::string::npos);
        QVERIFY(open_error(replaced(good, first + 46, "a\\one")).find("bad entry name") != std::string::npos);
        QVERIFY(open_error(replaced(good, first + 8, "\x01")).find("is encrypted") != std::string::npos);
        QVERIFY(open_error(replaced(good, first + 24, "\x0e")).find("has two sizes: 13 and 14") != std::string::npos);
        QVERIFY(open_error(replaced(good, first + 20, "\xff\xff\xff\x7f\xff\xff\xff\x7f")).find("reaches over") !=
                std::string::npos);
        QVERIFY(open_error(replaced(good, second + 42, std::string_view("\0\0\0\0", 4))).find("overlap") !=
                std::string::npos);
        QVERIFY(open_error(replaced(good, first + 42, "\xff\xff\xff\x7f")).find("starts at byte 2147483647") !=
                std::string::npos);
        const auto end = last_of(good, "PK\x05\x06");
        QVERIFY(open_error(replaced(good, end + 10, "\xf0\xff")).find("cannot hold 65520 entries") !=
                std::string::npos);
    }

    void reads_zip64_records() {
        // The second entry's sizes and offset, and the directory's, moved to zip64 records as large archives have them.
        const auto number = [](std::uint64_t value, int bytes) {
            std::string out;
            for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
            return out;
        };
        const std::string good = two_entries();
        const std::size_t directory = good.find("PK\x01\x02");
        const std::size_t second = good.rfind("PK\x01\x02");
        const std::size_t end = good.rfind("PK\x05\x06");
        const std::uint64_t offset = good.rfind("PK\x03\x04");
        std::string bytes = good.substr(0, end);
        bytes.replace(second + 20, 8, std::string(8, '\xff'));
        bytes.replace(second + 30, 2, number(28, 2));
        bytes.replace(second + 42, 4, std::string(4, '\xff'));
        bytes += number(1, 2) + number(24, 2) + number(6, 8) + number(6, 8) + number(offset, 8);
        const std::uint64_t record = bytes.size();
        const std::string size = number(record - directory, 8);
        bytes += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(2, 8) +
                 number(2, 8) + size + number(directory, 8);
        bytes += "PK\x06\x07" + number(0, 4) + number(record, 8) + number(1, 4);
        bytes += "PK\x05\x06" + number(0, 4) + std::string(12, '\xff') + number(0, 2);
        const ZipReader reader(MappedFile::open(scratch_.write("zip64.zip", bytes)));
        QCOMPARE(reader.entries().size(), std::size_t{2});
        QCOMPARE(reader.read(reader.entries()[1], 100), std::string("second"));

        const auto at = bytes.find("PK\x06\x06");
        QVERIFY(open_error(replaced(bytes, at + 48, std::string(8, '\xff'))).find("truncated: ") != std::string::npos);
        QVERIFY(open_error(replaced(bytes, at + 32, std::string(8, '\xff'))).find("cannot hold") != std::string::npos);
        QVERIFY(open_error(replaced(bytes, at + 64, std::string(8, '\xff'))).find("zip64 directory record at byte") !=
                std::string::npos);
        QVERIFY(open_error(replaced(bytes, second + 55, std::string(8, '\xff'))).find("has two sizes") !=
                std::string::npos);
    }

    void writes_more_entries_than_16_bits_count() {
        constexpr std::size_t kCount = 66'000;
        ZipWriter writer(scratch_.path("many.zip"));
        for (std::size_t i = 0; i < kCount; ++i) writer.add(std::to_string(i), "x");
        writer.finish();
        const ZipReader reader(MappedFile::open(scratch_.path("many.zip")));
        QCOMPARE(reader.entries().size(), kCount);
        QCOMPARE(reader.read(*reader.find("65999"), 1), std::string("x"));
    }

    void checks_what_it_copies() {
        std::string damaged = two_entries();
        damaged[damaged.find("first")] = 'F';
        const ZipReader reader(MappedFile::open(scratch_.write("damaged.zip", damaged)));
        QCOMPARE(error_of([&] { reader.read(reader.entries()[0], 100); }),
                 std::string("damaged.zip: damaged: entry 'a/one' has another checksum"));
        QVERIFY(error_of([&] { reader.read(reader.entries()[1], 5); }).find("is over the limit of 5") !=
                std::string::npos);
    }

    void refuses_bombs() {
        // Claims to inflate 6 bytes to 2 GiB.
        std::string bomb = two_entries();
        const auto entry = bomb.rfind("PK\x01\x02");
        bomb = replaced(bomb, entry + 10, "\x08");
        bomb = replaced(bomb, entry + 24, std::string_view("\0\0\0\x7f", 4));
        const ZipReader reader(MappedFile::open(scratch_.write("bomb.zip", bomb)));
        QCOMPARE(error_of([&] { reader.read(reader.entries()[1], ~std::uint64_t{0}); }),
                 std::string("bomb.zip: entry 'a/two' claims to inflate from 6 to 2130706432 bytes"));
    }
};

QTEST_GUILESS_MAIN(TestZip)
#include "test_zip.moc"
