// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"

using namespace loupe;
namespace fs = std::filesystem;

namespace {

template <typename F>
std::optional<ErrorKind> error_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.kind();
    }
    return std::nullopt;
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

class FilesTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { QVERIFY(dir_.isValid()); }
    void reads_what_was_written();
    void replaces_atomically();
    void reserved_room_is_no_part_of_the_file();
    void failure_leaves_nothing();
    void missing_file();
    void empty_file();
    void map_is_private();
    void map_outlives_the_name();

  private:
    fs::path path(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }
    QTemporaryDir dir_;
};

void FilesTest::reads_what_was_written() {
    const std::string bytes("a\0b\r\n\xff", 6);
    write_file_atomically(path("bytes"), bytes);
    QCOMPARE(read_text_file(path("bytes")), bytes);
    const auto map = MappedFile::open(path("bytes"));
    QCOMPARE(std::string(reinterpret_cast<const char*>(map->bytes().data()), map->bytes().size()), bytes);
    QCOMPARE(map->path(), path("bytes"));
}

void FilesTest::replaces_atomically() {
    const fs::path folder = path("replace");
    fs::create_directory(folder);
    write_file_atomically(folder / "f", "old and longer");
    write_file_atomically(folder / "f", "new");
    QCOMPARE(read_text_file(folder / "f"), std::string("new"));
    QCOMPARE(files_in(folder), std::size_t{1});
}

void FilesTest::reserved_room_is_no_part_of_the_file() {
    AtomicFile file(path("reserved"));
    file.reserve(1 << 16);
    file.write("head, body");
    file.overwrite(6, "BO");
    file.commit();
    QCOMPARE(read_text_file(path("reserved")), std::string("head, BOdy"));
    QCOMPARE(error_of([&] { AtomicFile(path("far")).reserve(std::uint64_t{1} << 62); }), std::optional(ErrorKind::File));
}

void FilesTest::failure_leaves_nothing() {
    QCOMPARE(error_of([&] { write_file_atomically(path("no/such/folder/f"), "x"); }), std::optional(ErrorKind::File));
    // A folder cannot be replaced by a file; the text written beside it must not stay.
    const fs::path folder = path("blocked");
    fs::create_directories(folder / "target" / "child");
    QCOMPARE(error_of([&] { write_file_atomically(folder / "target", "x"); }), std::optional(ErrorKind::File));
    QCOMPARE(files_in(folder), std::size_t{1});
}

void FilesTest::missing_file() {
    QCOMPARE(error_of([&] { MappedFile::open(path("none")); }), std::optional(ErrorKind::Usage));
    QCOMPARE(error_of([&] { read_text_file(path("none")); }), std::optional(ErrorKind::Usage));
    QVERIFY(error_of([&] { MappedFile::open(dir_.path().toStdString()); }).has_value());
}

void FilesTest::empty_file() {
    write_file_atomically(path("empty"), "");
    QCOMPARE(MappedFile::open(path("empty"))->bytes().size(), std::size_t{0});
    QCOMPARE(read_text_file(path("empty")), std::string());
}

void FilesTest::map_is_private() {
    write_file_atomically(path("private"), "abc");
    MappedFile::open(path("private"))->bytes()[0] = std::byte{'X'};
    QCOMPARE(read_text_file(path("private")), std::string("abc"));
}

void FilesTest::map_outlives_the_name() {
    write_file_atomically(path("gone"), "kept");
    const auto map = MappedFile::open(path("gone"));
    fs::remove(path("gone"));
    QCOMPARE(static_cast<char>(map->bytes()[0]), 'k');
}

QTEST_APPLESS_MAIN(FilesTest)
#include "files_test.moc"
