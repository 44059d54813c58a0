// SPDX-License-Identifier: Apache-2.0
// What a program in a sandbox may do with files, attacked.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/file.h"
#include "core/base/file_sandbox.h"
#include "core/base/open_beneath.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"

using namespace loupe;
namespace fs = std::filesystem;

namespace {

using Create = FileSandbox::Create;
using Keep = FileSandbox::Keep;

template <typename F>
int errno_of(F&& f) {
    try {
        f();
    } catch (const SystemError& error) {
        return error.number();
    }
    return 0;
}

// With openat2, and without it.
using OpenBeneath = int (*)(int folder, const std::string& relative, int flags, unsigned mode);
constexpr unsigned kMode = 0600;

void name_ways_beneath() {
    QTest::addColumn<OpenBeneath>("open");
    QTest::newRow("openat2") << OpenBeneath(open_beneath);
    QTest::newRow("part by part") << OpenBeneath(walk_beneath);
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
std::string get(const fs::path& path) { return read_text_file(path); }

}  // namespace

Q_DECLARE_METATYPE(OpenBeneath)

class SandboxTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void reads_its_own_folder_only();
    void writes_into_a_fresh_folder();
    void an_existing_file_is_copied_before_it_is_changed();
    void a_file_that_is_too_large_is_not_copied();
    void permitted_folders_are_written();
    void folders_that_are_gone_are_errors_of_the_system();
    void links_lead_nowhere();
    void a_link_that_is_put_in_the_way_is_not_followed_data() { name_ways_beneath(); }
    void a_link_that_is_put_in_the_way_is_not_followed();
    void removes_what_it_made_by_identity();
    void refuses_devices_and_fifos();
    void what_was_mapped_stays_when_the_file_is_written();
    void saves_through_an_atomic_file();
    void temporary_files_go();
    void keys_beside_a_source_in_a_home_are_hidden();
    void keys_below_a_source_above_homes_are_hidden();
    void the_system_is_no_part_of_a_source_in_its_root();
    void what_does_not_exist_yet_can_be_permitted();
    void says_each_refusal_once();
    void a_null_byte_ends_no_path();
    void hints_promise_only_what_they_keep();
    void a_real_path_is_the_one_that_is_opened();
    void beneath_has_no_way_out_data() { name_ways_beneath(); }
    void beneath_has_no_way_out();
    void the_kernel_refuses_what_the_checks_let_through();

  private:
    Ptr<FileSandbox> sandbox(FilePermissions permissions = {}) {
        return make_ptr<FileSandbox>(
            FileSandbox::Options{.source_folder = own_,
                                 .name = "net",
                                 .permissions = std::move(permissions),
                                 .refused = [this](const FileRefusal& refusal) { refusals_.push_back(refusal); },
                                 .wrote = {},
                                 .left =
                                     [this](const std::string& folder, std::size_t files, std::uint64_t) {
                                         left_.push_back({folder, files});
                                     }});
    }
    void write(FileSandbox& files, const std::string& path, const std::string& text) {
        const FileHandle file = files.open_to_write(path, Create::IfMissing, Keep::Nothing);
        write_at(file, 0, text, path);
    }
    std::string read(FileSandbox& files, const std::string& path) {
        return contents_of(files.open_to_read(path), path);
    }

    std::unique_ptr<QTemporaryDir> dir_;
    fs::path base_, own_, other_, before_;
    std::vector<FileRefusal> refusals_;
    std::vector<std::pair<std::string, std::size_t>> left_;
};

void SandboxTest::init() {
    dir_ = std::make_unique<QTemporaryDir>();
    base_ = fs::canonical(dir_->path().toStdString());
    own_ = base_ / "own";
    other_ = base_ / "other";
    for (const char* name : {"own", "other", "work", "tmp"}) fs::create_directory(base_ / name);
    put(own_ / "data.csv", "1,2");
    put(other_ / "secret", "key");
    put(base_ / "work" / "note", "n");
    before_ = fs::current_path();
    fs::current_path(base_ / "work");
    qputenv("TMPDIR", QByteArray::fromStdString((base_ / "tmp").string()));
    qputenv("HOME", "/nonexistent");
    refusals_.clear();
    left_.clear();
}

void SandboxTest::cleanup() {
    fs::current_path(before_);
    dir_.reset();
}

void SandboxTest::reads_its_own_folder_only() {
    const auto files = sandbox();
    QCOMPARE(read(*files, (own_ / "data.csv").string()), std::string("1,2"));
    QCOMPARE(read(*files, "data.csv"), std::string("1,2"));  // beside the source
    QCOMPARE(errno_of([&] { files->open_to_read((other_ / "secret").string()); }), EACCES);
    QCOMPARE(errno_of([&] { files->open_to_read((own_ / "../other/secret").string()); }), EACCES);
    QCOMPARE(errno_of([&] { files->open_to_read("note"); }), EACCES);  // the working directory is another's
    QCOMPARE(errno_of([&] { files->open_to_read("none"); }), ENOENT);
    QCOMPARE(errno_of([&] { files->names(other_.string()); }), EACCES);
    QVERIFY(!files->find((other_ / "secret").string()).has_value());
    QCOMPARE(files->names(own_.string()), std::vector<std::string>{"data.csv"});
    QCOMPARE(read(*sandbox({.read = {other_}, .write = {}}), (other_ / "secret").string()), std::string("key"));
    const auto one = sandbox({.read = {other_ / "secret"}, .write = {}});
    QCOMPARE(read(*one, (other_ / "secret").string()), std::string("key"));
    put(other_ / "second", "");
    QCOMPARE(errno_of([&] { one->open_to_read((other_ / "second").string()); }), EACCES);
}

void SandboxTest::writes_into_a_fresh_folder() {
    auto files = sandbox();
    QCOMPARE(files->fresh_folder(), std::string());
    write(*files, "log.txt", "hello");
    const fs::path fresh = files->fresh_folder();
    QCOMPARE(fresh.parent_path(), base_ / "tmp");
    QCOMPARE(get(fresh / "log.txt"), std::string("hello"));
    QCOMPARE(read(*files, "log.txt"), std::string("hello"));
    QCOMPARE(read(*files, (fresh / "log.txt").string()), std::string("hello"));
    QCOMPARE(files->working_folder(), fresh.string());
    QVERIFY(!fs::exists(base_ / "work" / "log.txt"));
    QCOMPARE(errno_of([&] { write(*files, (other_ / "secret").string(), "x"); }), EACCES);
    QCOMPARE(errno_of([&] { write(*files, (own_ / "data.csv").string(), "x"); }), EACCES);
    QCOMPARE(errno_of([&] { write(*files, "../other/new", "x"); }), EACCES);
    QCOMPARE(errno_of([&] { files->make_folder((other_ / "sub").string()); }), EACCES);
    QCOMPARE(get(other_ / "secret"), std::string("key"));
    QCOMPARE(get(own_ / "data.csv"), std::string("1,2"));
    files.reset();
    QCOMPARE(left_.size(), std::size_t{1});
    QCOMPARE(left_.front().second, std::size_t{1});
    QVERIFY(fs::exists(fresh / "log.txt"));
    // Nothing written, or discarded: nothing stays.
    files = sandbox();
    files->working_folder();
    files->make_folder("empty");
    files.reset();
    files = sandbox();
    write(*files, "a/../b", "x");
    files->discard();
    files.reset();
    QCOMPARE(std::distance(fs::directory_iterator(base_ / "tmp"), fs::directory_iterator()), 1);
}

void SandboxTest::an_existing_file_is_copied_before_it_is_changed() {
    fs::create_directories(own_ / "runs" / "a");
    put(own_ / "runs" / "a" / "log", "old;");
    const auto files = sandbox();
    const FileHandle log = files->open_to_write("runs/a/log", Create::IfMissing, Keep::Contents);
    QCOMPARE(contents_of(log, "log"), std::string("old;"));
    write_at(log, 4, "new", "log");
    QCOMPARE(read(*files, "runs/a/log"), std::string("old;new"));
    QCOMPARE(get(own_ / "runs" / "a" / "log"), std::string("old;"));
    write(*files, "runs/second", "2");  // into a folder that it sees
    QCOMPARE(files->names("runs"), (std::vector<std::string>{"a", "second"}));
    QCOMPARE(errno_of([&] { files->make_folder("runs"); }), EEXIST);
    QCOMPARE(errno_of([&] { files->open_to_write("data.csv", Create::Always, Keep::Nothing); }), EEXIST);
}

void SandboxTest::a_file_that_is_too_large_is_not_copied() {
    put(own_ / "log", "");
    fs::resize_file(own_ / "log", (std::uintmax_t{1} << 31) + 1);  // a hole
    auto files = sandbox();
    QCOMPARE(errno_of([&] { files->open_to_write("log", Create::IfMissing, Keep::Contents); }), EFBIG);
    QVERIFY(!fs::exists(fs::path(files->fresh_folder()) / "log"));
    write(*files, "log", "new");
    QCOMPARE(read(*files, "log"), std::string("new"));
    files.reset();
    // Larger than a piece.
    const std::string text(200'000, 't');
    put(own_ / "log", text);
    files = sandbox();
    QVERIFY(contents_of(files->open_to_write("log", Create::IfMissing, Keep::Contents), "log") == text);
}

void SandboxTest::folders_that_are_gone_are_errors_of_the_system() {
    fs::create_directory(base_ / "gone");
    fs::current_path(base_ / "gone");
    fs::remove(base_ / "gone");
    auto files = sandbox();
    QCOMPARE(read(*files, "data.csv"), std::string("1,2"));
    QCOMPARE(errno_of([&] { files->open_to_read("none"); }), ENOENT);
    QCOMPARE(errno_of([&] { write(*files, "../none", "x"); }), EACCES);
    write(*files, "log", "text");
    QCOMPARE(get(fs::path(files->working_folder()) / "log"), std::string("text"));
    fs::current_path(base_ / "work");
    qputenv("TMPDIR", QByteArray::fromStdString((base_ / "gone").string()));
    files = sandbox();
    QCOMPARE(errno_of([&] { write(*files, "log", "text"); }), ENOENT);
    QCOMPARE(errno_of([&] { files->working_folder(); }), ENOENT);
    QCOMPARE(errno_of([&] { files->temporary_folder(); }), ENOENT);
    QCOMPARE(read(*files, "data.csv"), std::string("1,2"));
}

void SandboxTest::permitted_folders_are_written() {
    const auto files = sandbox({.read = {}, .write = {base_ / "work"}});
    write(*files, "log.txt", "here");
    QCOMPARE(get(base_ / "work" / "log.txt"), std::string("here"));
    QCOMPARE(files->working_folder(), (base_ / "work").string());
    QCOMPARE(files->fresh_folder(), std::string());
    write(*files, (base_ / "work" / "note").string(), "short");
    QCOMPARE(get(base_ / "work" / "note"), std::string("short"));
    // The fresh folder lies in a folder that is permitted as a whole.
    const auto around = sandbox({.read = {}, .write = {base_ / "tmp"}});
    write(*around, "log.txt", "own");
    QCOMPARE(get(fs::path(around->fresh_folder()) / "log.txt"), std::string("own"));
    QCOMPARE(errno_of([&] { files->remove_file("note"); }), EPERM);  // it was there before
    files->remove_file("log.txt");
    QVERIFY(!fs::exists(base_ / "work" / "log.txt"));
}

void SandboxTest::links_lead_nowhere() {
    fs::create_symlink(other_ / "secret", own_ / "link");
    fs::create_directory_symlink(other_, own_ / "folder");
    fs::create_symlink(base_ / "other" / "dangling", base_ / "work" / "out");
    fs::create_symlink("data.csv", own_ / "near");
    const auto files = sandbox({.read = {}, .write = {base_ / "work"}});
    QCOMPARE(errno_of([&] { files->open_to_read((own_ / "link").string()); }), EACCES);
    QCOMPARE(errno_of([&] { files->open_to_read((own_ / "folder" / "secret").string()); }), EACCES);
    QCOMPARE(errno_of([&] { write(*files, (base_ / "work" / "out").string(), "x"); }), EACCES);
    QVERIFY(!fs::exists(other_ / "dangling"));
    QCOMPARE(read(*files, (own_ / "near").string()), std::string("1,2"));
    fs::create_symlink("round", own_ / "round");
    QCOMPARE(errno_of([&] { files->open_to_read((own_ / "round").string()); }), ELOOP);
}

// Between the check of a path and the use of the file another process may change what the path means.
void SandboxTest::a_link_that_is_put_in_the_way_is_not_followed() {
    QFETCH(const OpenBeneath, open);
    fs::create_directory_symlink(other_, own_ / "swapped");
    const FileHandle root(::open(own_.c_str(), O_PATH | O_DIRECTORY));
    fs::create_symlink(other_ / "secret", own_ / "direct");
    fs::create_symlink("data.csv", own_ / "near");
    for (const char* path : {"swapped/secret", "direct", "near", "swapped"}) {
        for (const int flags : {O_RDONLY, O_RDWR | O_CREAT, O_PATH}) {
            QVERIFY2(!FileHandle(open(root.get(), path, flags, kMode)).is_open(), path);
        }
    }
    QCOMPARE(get(other_ / "secret"), std::string("key"));
}

void SandboxTest::removes_what_it_made_by_identity() {
    const auto files = sandbox({.read = {}, .write = {base_ / "work"}});
    write(*files, "mine", "1");
    files->make_folder("folder");
    write(*files, "folder/inner", "2");
    // Another process puts its own in the same places.
    fs::remove(base_ / "work" / "mine");
    put(base_ / "work" / "mine", "theirs");
    put(base_ / "work" / "folder" / "theirs", "3");
    QCOMPARE(errno_of([&] { files->remove_file("mine"); }), EPERM);
    QCOMPARE(errno_of([&] { files->remove_file("folder/theirs"); }), EPERM);
    files->remove_file("folder/inner");
    QCOMPARE(errno_of([&] { files->remove_folder("folder"); }), ENOTEMPTY);
    QCOMPARE(get(base_ / "work" / "mine"), std::string("theirs"));
    write(*files, "new", "4");
    QCOMPARE(errno_of([&] { files->rename("new", "mine"); }), EPERM);
    QCOMPARE(errno_of([&] { files->rename("note", "other"); }), EPERM);
    files->rename("new", "newer");
    files->remove_file("newer");
    QCOMPARE(errno_of([&] { files->remove_file("newer"); }), ENOENT);
    QCOMPARE(errno_of([&] { files->remove_file((other_ / "secret").string()); }), EACCES);
}

void SandboxTest::refuses_devices_and_fifos() {
    const auto files = sandbox({.read = {"/dev"}, .write = {base_ / "work"}});
    QCOMPARE(::mkfifo((base_ / "work" / "fifo").c_str(), 0600), 0);
    QCOMPARE(errno_of([&] { files->open_to_read("fifo"); }), EINVAL);
    QCOMPARE(errno_of([&] { write(*files, "fifo", "x"); }), EINVAL);
    QCOMPARE(errno_of([&] { files->open_to_read("/dev/zero"); }), EINVAL);
    write(*files, "/dev/null", "gone");
    write_file_atomically(files->target("/dev/null"), "gone");
    files->require_writable("/dev/null");
    QCOMPARE(errno_of([&] { files->target("/dev/full"); }), EACCES);
    std::vector<std::string> refused;
    for (const FileRefusal& refusal : refusals_) refused.push_back(concat(refusal.path, " ", refusal.allow));
    const std::string fifo = (base_ / "work" / "fifo").string();
    QCOMPARE(refused, (std::vector<std::string>{fifo + " ", fifo + " ", "/dev/zero ", "/dev/full "}));
    QVERIFY(refusals_[0].access == FileRefusal::Access::Read && refusals_[1].access == FileRefusal::Access::Write);
    QCOMPARE(read(*files, "/dev/null"), std::string());
}

// Tensors view the files that they were loaded from; touching a page behind the end of a cut file ends the program.
void SandboxTest::what_was_mapped_stays_when_the_file_is_written() {
    const std::string weights(3 * 4096, 'w');
    const auto text_of = [](const Ptr<MappedFile>& file) {
        return std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    };
    const auto files = sandbox({.read = {}, .write = {base_ / "work"}});
    put(base_ / "work" / "theirs", weights);
    // By the program, and by the one that looks at it.
    const auto theirs = MappedFile::open(base_ / "work" / "theirs");
    const auto loaded = files->map("theirs");
    theirs->bytes()[0] = std::byte{'x'};
    write(*files, "theirs", "");
    QVERIFY(text_of(theirs) == "x" + weights.substr(1));
    QVERIFY(text_of(loaded) == weights);
    QCOMPARE(get(base_ / "work" / "theirs"), std::string());
    // Opened before it is mapped, written after.
    const auto fresh = sandbox();
    write(*fresh, "own", weights);
    const FileHandle open = fresh->open_to_write("own", Create::No, Keep::Contents);
    const auto before = fresh->map("own");
    write_at(open, 0, "changed", "own");
    QVERIFY(text_of(before) == weights);
    // What it cannot write is mapped as it is.
    put(own_ / "weights", weights);
    QVERIFY(text_of(fresh->map("weights")) == weights);
}

void SandboxTest::saves_through_an_atomic_file() {
    const auto files = sandbox({.read = {}, .write = {base_ / "work"}});
    write_file_atomically(files->target("model.pt"), "weights");
    QCOMPARE(get(base_ / "work" / "model.pt"), std::string("weights"));
    write_file_atomically(files->target("note"), "replaced");
    QCOMPARE(get(base_ / "work" / "note"), std::string("replaced"));
    QCOMPARE(std::distance(fs::directory_iterator(base_ / "work"), fs::directory_iterator()), 2);
    files->remove_file("model.pt");
    // A link in place of the file, made after the check, is neither followed nor replaced.
    const FileTarget target = files->target("late");
    fs::create_symlink(other_ / "secret", base_ / "work" / "late");
    QVERIFY_THROWS_EXCEPTION(Error, write_file_atomically(target, "x"));
    QCOMPARE(get(other_ / "secret"), std::string("key"));
    QVERIFY(fs::is_symlink(base_ / "work" / "late"));
    QCOMPARE(errno_of([&] { files->target((other_ / "secret").string()); }), EACCES);
}

void SandboxTest::temporary_files_go() {
    auto files = sandbox();
    const fs::path folder = files->temporary_folder();
    write(*files, (folder / "x").string(), "1");
    files->make_folder((folder / "d").string());
    write(*files, (folder / "d" / "y").string(), "2");
    files.reset();
    QVERIFY(!fs::exists(folder));
    files = sandbox();
    const fs::path second = files->temporary_folder();
    write(*files, (second / "x").string(), "1");
    put(second / "theirs", "kept");
    files.reset();
    QCOMPARE(get(second / "theirs"), std::string("kept"));
    QVERIFY(!fs::exists(second / "x"));
}

void SandboxTest::keys_beside_a_source_in_a_home_are_hidden() {
    fs::create_directory(own_ / ".ssh");
    put(own_ / ".ssh" / "id", "key");
    qputenv("HOME", QByteArray::fromStdString(own_.string()));
    const auto files = sandbox();
    QCOMPARE(errno_of([&] { files->open_to_read((own_ / ".ssh" / "id").string()); }), EACCES);
    QCOMPARE(files->names(own_.string()), std::vector<std::string>{"data.csv"});
    QCOMPARE(read(*files, (own_ / "data.csv").string()), std::string("1,2"));
    // Permitting one file there does not mean all of the home.
    QCOMPARE(refusals_.size(), std::size_t{1});
    QCOMPARE(errno_of([&] { write(*files, (own_ / ".bashrc").string(), "x"); }), EACCES);
    QCOMPARE(refusals_.back().allow, (own_ / ".bashrc").string());
}

void SandboxTest::keys_below_a_source_above_homes_are_hidden() {
    fs::create_directories(own_ / "user" / ".ssh" / "deep");
    put(own_ / "user" / ".ssh" / "id", "key");
    put(own_ / "user" / "words", "1");
    for (const fs::path& home : {own_ / "user", own_}) {
        qputenv("HOME", QByteArray::fromStdString(home.string()));
        const auto files = sandbox();
        QCOMPARE(errno_of([&] { files->open_to_read((own_ / "user" / ".ssh" / "id").string()); }), EACCES);
        QCOMPARE(errno_of([&] { files->open_to_read("user/.ssh/id"); }), ENOENT);  // not from the working directory
        QCOMPARE(errno_of([&] { files->names((own_ / "user" / ".ssh" / "deep").string()); }), EACCES);
        QCOMPARE(files->names((own_ / "user").string()), std::vector<std::string>{"words"});
        QCOMPARE(read(*files, (own_ / "user" / "words").string()), std::string("1"));
        // What the user permits is permitted, also a folder as a whole.
        files->permit({.read = {own_ / "user"}, .write = {}});
        QCOMPARE(read(*files, (own_ / "user" / ".ssh" / "id").string()), std::string("key"));
        QCOMPARE(files->names((own_ / "user").string()), (std::vector<std::string>{".ssh", "words"}));
    }
    // The source of a program that has used files already.
    qputenv("HOME", QByteArray::fromStdString((own_ / "user").string()));
    const auto late = make_ptr<FileSandbox>(FileSandbox::Options{});
    late->working_folder();
    late->set_source_folder(own_);
    QCOMPARE(read(*late, "data.csv"), std::string("1,2"));
    QCOMPARE(errno_of([&] { late->open_to_read((own_ / "user" / ".ssh" / "id").string()); }), EACCES);
}

void SandboxTest::the_system_is_no_part_of_a_source_in_its_root() {
    own_ = "/";
    const auto files = sandbox();
    for (const char* path : {"/proc/self/environ", "/sys", "/dev/tty", "/run"}) {
        if (fs::exists(path)) QCOMPARE(errno_of([&] { files->facts(path); }), EACCES);
    }
    const std::vector<std::string> names = files->names("/");
    QVERIFY(std::find(names.begin(), names.end(), "usr") != names.end());
    QVERIFY(std::find(names.begin(), names.end(), "proc") == names.end());
    QVERIFY(std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with('.'); }));
}

void SandboxTest::what_does_not_exist_yet_can_be_permitted() {
    qputenv("HOME", QByteArray::fromStdString(other_.string()));
    const fs::path log = other_ / "logs" / "run" / "log";
    const auto none = sandbox();
    QCOMPARE(errno_of([&] { write(*none, log.string(), "x"); }), EACCES);
    QCOMPARE(refusals_.back().allow, (other_ / "logs").string());
    QCOMPARE(errno_of([&] { write(*none, (other_ / "log").string(), "x"); }), EACCES);
    QCOMPARE(refusals_.back().allow, (other_ / "log").string());
    QVERIFY(can_be_permitted(other_ / "logs") && can_be_permitted("new") && can_be_permitted("new/"));
    QVERIFY(!can_be_permitted("new/er"));

    const auto files = sandbox({.read = {}, .write = {other_ / "logs", other_ / "log"}});
    QVERIFY(files->is_missing((other_ / "logs").string()));
    QVERIFY(!files->is_missing(other_.string()));  // without a refusal
    QCOMPARE(refusals_.size(), std::size_t{2});
    QCOMPARE(errno_of([&] { write(*files, log.string(), "x"); }), ENOENT);
    files->make_folder((other_ / "logs").string());
    files->make_folder(log.parent_path().string());
    write(*files, log.string(), "text");
    QCOMPARE(get(log), std::string("text"));
    QCOMPARE(files->names((other_ / "logs").string()), std::vector<std::string>{"run"});
    write(*files, (other_ / "log").string(), "file");
    QCOMPARE(read(*files, (other_ / "log").string()), std::string("file"));
    // Beside it nothing is permitted; a file that was there stays a file.
    QCOMPARE(errno_of([&] { files->open_to_read((other_ / "secret").string()); }), EACCES);
    QCOMPARE(errno_of([&] { write(*files, (other_ / "logs2").string(), "x"); }), EACCES);
    const auto one = sandbox({.read = {}, .write = {other_ / "secret"}});
    fs::remove(other_ / "secret");
    fs::create_directory(other_ / "secret");
    QCOMPARE(errno_of([&] { write(*one, (other_ / "secret" / "in").string(), "x"); }), EACCES);
}

void SandboxTest::says_each_refusal_once() {
    const auto files = sandbox();
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(errno_of([&] { write(*files, (other_ / "secret").string(), "x"); }), EACCES);
        QCOMPARE(errno_of([&] { files->open_to_read((other_ / "secret").string()); }), EACCES);
    }
    QCOMPARE(refusals_.size(), std::size_t{2});
    QCOMPARE(refusals_[0].path, (other_ / "secret").string());
    QCOMPARE(refusals_[0].allow, other_.string());
    QVERIFY(refusals_[0].access == FileRefusal::Access::Write);
    QVERIFY(refusals_[1].access == FileRefusal::Access::Read);
    // What is not there is not there.
    QCOMPARE(errno_of([&] { files->open_to_read((other_ / "none").string()); }), ENOENT);
    QCOMPARE(refusals_.size(), std::size_t{2});
}

void SandboxTest::a_null_byte_ends_no_path() {
    const auto files = sandbox({.read = {}, .write = {base_ / "work"}});
    const std::string end("\0x", 2);
    for (const std::string& path :
         {".." + end + "/other/secret", ".." + end, (own_ / "data.csv").string() + end, "data.csv" + end,
          (own_ / ("sub" + end) / ".." / ".." / "other" / "secret").string(), "/dev/null" + end, end}) {
        QCOMPARE(errno_of([&] { files->open_to_read(path); }), EINVAL);
        QCOMPARE(errno_of([&] { write(*files, path, "x"); }), EINVAL);
        QCOMPARE(errno_of([&] { files->target(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->map(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->facts(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->names(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->make_folder(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->remove_file(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->remove_folder(path); }), EINVAL);
        QCOMPARE(errno_of([&] { files->rename(path, "new"); }), EINVAL);
        QCOMPARE(errno_of([&] { files->real_path(path); }), EINVAL);
        QVERIFY(!files->find(path).has_value());
    }
    write(*files, "old", "o");
    QCOMPARE(errno_of([&] { files->rename("old", "new" + end); }), EINVAL);
    QVERIFY(!fs::exists(base_ / "work" / "new"));
    QVERIFY(refusals_.empty());
}

void SandboxTest::hints_promise_only_what_they_keep() {
    const auto files = sandbox();
    const auto message_of = [](const std::function<void()>& work) {
        try {
            work();
        } catch (const SystemError& error) {
            return error.message();
        }
        return std::string();
    };
    const std::string process = concat("/proc/", ::getpid(), "/environ");
    for (const std::string& path : {std::string("/dev/zero"), process, std::string("/proc/self/environ")}) {
        const std::string message = message_of([&] { files->open_to_read(path); });
        QCOMPARE(message, std::string("Permission denied to a model source"));
    }
    // Said, and nothing is offered for them.
    QCOMPARE(refusals_.size(), std::size_t{2});
    QCOMPARE(refusals_[0].path, std::string("/dev/zero"));
    QCOMPARE(refusals_[1].path, process);
    for (const FileRefusal& refusal : refusals_) QCOMPARE(refusal.allow, std::string());
    const std::string deep = message_of([&] { write(*files, (other_ / "a" / "b" / "c.txt").string(), "x"); });
    QVERIFY2(deep.find("its folder does not exist") != std::string::npos, deep.c_str());
    QVERIFY2(deep.find("permits it") == std::string::npos, deep.c_str());
    const std::string near = message_of([&] { write(*files, (other_ / "c.txt").string(), "x"); });
    QVERIFY2(near.find(concat("--allow-write ", other_.string(), " permits it")) != std::string::npos, near.c_str());
    QCOMPARE(refusals_.size(), std::size_t{4});
    QVERIFY(refusals_[2].lacks_folder);
    QCOMPARE(refusals_[2].allow, other_.string());
    QVERIFY(!refusals_[3].lacks_folder);
    // To change what is not there needs no permission.
    const auto change = [&](const std::string& path) {
        return errno_of([&] { files->open_to_write(path, FileSandbox::Create::No, FileSandbox::Keep::Contents); });
    };
    QCOMPARE(change((other_ / "none").string()), ENOENT);
    QCOMPARE(change((other_ / "a" / "none").string()), ENOENT);
    QCOMPARE(change((other_ / "secret").string()), EACCES);
    QCOMPARE(refusals_.size(), std::size_t{5});
}

void SandboxTest::a_real_path_is_the_one_that_is_opened() {
    const auto files = sandbox();
    QCOMPARE(files->real_path("../other/secret"), (other_ / "secret").string());
    QCOMPARE(files->real_path("a/../../other/none"), (other_ / "none").string());
    QCOMPARE(files->real_path("data.csv"), (own_ / "data.csv").string());
}

void SandboxTest::beneath_has_no_way_out() {
    QFETCH(const OpenBeneath, open);
    fs::create_directory(own_ / "sub");
    const FileHandle root(::open(own_.c_str(), O_PATH | O_DIRECTORY));
    for (const char* path :
         {"../other/secret", "..", "sub/../../other/secret", "a/../../other/secret", "/etc/passwd", ""}) {
        QVERIFY2(!FileHandle(open(root.get(), path, O_RDONLY, 0)).is_open(), path);
    }
    const std::string end("\0x", 2);
    for (const std::string& path :
         {".." + end, ".." + end + "/other/secret", "sub/.." + end + "/.." + end, "data.csv" + end, end}) {
        errno = 0;
        const bool is_open = FileHandle(open(root.get(), path, O_RDONLY, 0)).is_open();
        const int number = errno;
        QVERIFY2(!is_open, path.c_str());
        QCOMPARE(number, EINVAL);
    }
    QVERIFY(FileHandle(open(root.get(), "data.csv", O_RDONLY, 0)).is_open());
    QVERIFY(FileHandle(open(root.get(), ".", O_PATH | O_DIRECTORY, 0)).is_open());
    QVERIFY(FileHandle(open(root.get(), "sub", O_PATH | O_DIRECTORY, 0)).is_open());
    QVERIFY(FileHandle(open(root.get(), "sub/new", O_RDWR | O_CREAT | O_EXCL, kMode)).is_open());
    QVERIFY(fs::exists(own_ / "sub" / "new"));
    const int none = open(root.get(), "sub/none", O_RDONLY, 0);
    const int reason = errno;
    QCOMPARE(none, -1);
    QCOMPARE(reason, ENOENT);
}

void SandboxTest::the_kernel_refuses_what_the_checks_let_through() {
    if (RestrictedThread::version() == 0) QSKIP("this kernel has no Landlock");
    QVERIFY(sandbox()->is_under_landlock());
    RestrictedThread thread({{own_, false}, {base_ / "work", true}});
    const auto opens = [&](const fs::path& path, int flags) {
        bool has = false;
        thread.run([&] { has = FileHandle(::open(path.c_str(), flags | O_CLOEXEC, 0600)).is_open(); });
        return has;
    };
    QVERIFY(thread.is_restricted());
    QVERIFY(opens(own_ / "data.csv", O_RDONLY));
    QVERIFY(!opens(own_ / "data.csv", O_WRONLY));
    QVERIFY(!opens(other_ / "secret", O_RDONLY));
    QVERIFY(!opens(other_ / "new", O_WRONLY | O_CREAT));
    QVERIFY(opens(base_ / "work" / "new", O_WRONLY | O_CREAT));
    // This thread is as free as before.
    QVERIFY(FileHandle(::open((other_ / "secret").c_str(), O_RDONLY)).is_open());
    int removed = 0;
    thread.run([&] { removed = ::unlink((other_ / "secret").c_str()); });
    QCOMPARE(removed, -1);
}

QTEST_APPLESS_MAIN(SandboxTest)
#include "sandbox_test.moc"
