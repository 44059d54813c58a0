// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <csignal>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/temporary_name.h"

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
    void writes_through_links();
    void never_replaces_what_is_no_file();
    void keeps_permissions();
    void a_signal_leaves_nothing();
    void refuses_to_read_what_never_ends();
    void reads_all_up_to_a_limit();
    void takes_little_stack();

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
    QCOMPARE(error_of([&] { AtomicFile(path("far")).reserve(std::uint64_t{1} << 62); }),
             std::optional(ErrorKind::File));
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

void FilesTest::writes_through_links() {
    const fs::path folder = path("links");
    fs::create_directories(folder / "to");
    write_file_atomically(folder / "to" / "file", "old");
    fs::create_symlink("to/file", folder / "link");
    write_file_atomically(folder / "link", "new");
    QVERIFY(fs::is_symlink(folder / "link"));
    QCOMPARE(read_text_file(folder / "to" / "file"), std::string("new"));
    // Also where there is nothing yet.
    fs::create_symlink(folder / "to" / "later", folder / "second");
    fs::create_symlink("second", folder / "first");
    write_file_atomically(folder / "first", "made");
    QVERIFY(fs::is_symlink(folder / "first") && fs::is_symlink(folder / "second"));
    QCOMPARE(read_text_file(folder / "to" / "later"), std::string("made"));
    fs::create_symlink("round", folder / "round");
    QCOMPARE(error_of([&] { write_file_atomically(folder / "round", "x"); }), std::optional(ErrorKind::File));
}

void FilesTest::never_replaces_what_is_no_file() {
    const fs::path folder = path("special");
    fs::create_directory(folder);
    write_file_atomically("/dev/null", "gone");
    struct stat facts {};
    QVERIFY(::stat("/dev/null", &facts) == 0 && S_ISCHR(facts.st_mode));
    fs::create_symlink("/dev/full", folder / "full");
    QCOMPARE(error_of([&] { write_file_atomically(folder / "full", "x"); }), std::optional(ErrorKind::File));
    QVERIFY(fs::is_symlink(folder / "full") && fs::is_character_file("/dev/full"));
    if (::mknod((folder / "node").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) {
        // Some systems do not let such a node be opened; replaced it never is.
        error_of([&] { write_file_atomically(folder / "node", "x"); });
        QVERIFY(fs::is_character_file(folder / "node"));
    }
    QCOMPARE(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    QCOMPARE(error_of([&] { write_file_atomically(folder / "fifo", "nobody reads"); }), std::optional(ErrorKind::File));
    const FileHandle reader(::open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK));
    write_file_atomically(folder / "fifo", "read");
    std::array<char, 8> text{};
    QCOMPARE(::read(reader.get(), text.data(), text.size()), ssize_t{4});
    QVERIFY(fs::is_fifo(folder / "fifo"));
}

void FilesTest::keeps_permissions() {
    const mode_t before = ::umask(027);
    write_file_atomically(path("mode"), "1");
    ::umask(before);
    QCOMPARE(static_cast<int>(fs::status(path("mode")).permissions()), 0640);
    ::chmod(path("mode").c_str(), 0600);
    write_file_atomically(path("mode"), "2");
    QCOMPARE(static_cast<int>(fs::status(path("mode")).permissions()), 0600);
}

void FilesTest::a_signal_leaves_nothing() {
    const fs::path folder = path("signal");
    fs::create_directory(folder);
    const pid_t child = ::fork();
    if (child == 0) {
        remove_temporary_names_on_signals();
        const FileHandle in(::open(folder.c_str(), O_PATH | O_DIRECTORY));
        FileHandle(::openat(in.get(), "named", O_CREAT | O_WRONLY, 0600));
        const TemporaryName name(in.get(), "named");
        AtomicFile file(folder / "out");
        file.write("half");
        ::raise(SIGTERM);
        ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    QCOMPARE(files_in(folder), std::size_t{0});
}

void FilesTest::refuses_to_read_what_never_ends() {
    QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
    QCOMPARE(error_of([&] { MappedFile::open(path("pipe")); }), std::optional(ErrorKind::Usage));
    QCOMPARE(error_of([&] { MappedFile::open("/dev/zero"); }), std::optional(ErrorKind::Usage));
}

void FilesTest::reads_all_up_to_a_limit() {
    std::string text(200'000, 'a');
    text += "end";
    write_file_atomically(path("long"), text);
    const FileHandle file(::open(path("long").c_str(), O_RDONLY | O_CLOEXEC));
    QVERIFY(contents_of(file, "long") == text);
    QVERIFY(contents_of(file, "long", text.size()) == text);
    QCOMPARE(error_of([&] { contents_of(file, "long", text.size() - 1); }), std::optional(ErrorKind::File));
    const FileHandle copy = memory_file();
    copy_contents(file, copy, "long", text.size());
    QVERIFY(contents_of(copy, "copy") == text);
    const auto too_long = error_of([&] { copy_contents(file, memory_file(), "long", text.size() - 1); });
    QCOMPARE(too_long, std::optional(ErrorKind::File));
    // A file of the kernel, which says no size.
    const FileHandle status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
    QVERIFY(contents_of(status, "status").starts_with("Name:"));
}

// Generators of a model source read and write files on small stacks.
void FilesTest::takes_little_stack() {
    write_file_atomically(path("small"), "text");
    const auto work = [](void* given) -> void* {
        const fs::path& file = *static_cast<const fs::path*>(given);
        const bool is_read = contents_of(FileHandle(::open(file.c_str(), O_RDONLY | O_CLOEXEC)), file) == "text";
        write_file_atomically("/dev/null", "text");
        return is_read ? given : nullptr;
    };
    const fs::path file = path("small");
    pthread_attr_t attributes;
    QCOMPARE(::pthread_attr_init(&attributes), 0);
    // What a thread needs at least depends on the libraries of the process, whose variables of the thread lie there
    // too.
    pthread_t thread{};
    std::size_t least = std::size_t{32} << 10;
    int status = EINVAL;
    for (; status == EINVAL; least += 4096) {
        QCOMPARE(::pthread_attr_setstacksize(&attributes, least), 0);
        status = ::pthread_create(
            &thread, &attributes, [](void*) -> void* { return nullptr; }, nullptr);
    }
    QCOMPARE(status, 0);
    ::pthread_join(thread, nullptr);
    QCOMPARE(::pthread_attr_setstacksize(&attributes, least + (std::size_t{48} << 10)), 0);
    QCOMPARE(::pthread_create(&thread, &attributes, work, const_cast<fs::path*>(&file)), 0);
    void* result = nullptr;
    QCOMPARE(::pthread_join(thread, &result), 0);
    ::pthread_attr_destroy(&attributes);
    QVERIFY(result != nullptr);
}

QTEST_APPLESS_MAIN(FilesTest)
#include "files_test.moc"
