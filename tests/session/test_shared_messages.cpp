// SPDX-License-Identifier: Apache-2.0
// Long messages of an engine on this machine come in memory; none of it is trusted.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>

#include <array>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/sealed_memory.h"
#include "core/session/queries/tensor.h"
#include "core/session/remote/channel.h"
#include "core/session/wire/wire.h"
#include "tests/session/remote_session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

struct Ends {
    FileHandle ours;
    FileHandle its;
};

Ends sockets(int type) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) qFatal("no socket");
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

FileHandle nowhere() { return FileHandle(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

// A window's channel, and an engine that may say and give it anything.
class Engine {
  public:
    Engine() {
        Ends stream = sockets(SOCK_STREAM);
        Ends memory = sockets(SOCK_SEQPACKET);
        window_ = std::make_unique<Channel>(std::move(stream.ours), nowhere());
        window_->take_memory_from(std::move(memory.ours));
        own_ = std::make_unique<Channel>(nowhere(), std::move(stream.its));
        socket_ = std::move(memory.its);
    }
    Channel& window() { return *window_; }
    Channel& own() { return *own_; }
    const FileHandle& socket() const { return socket_; }

    // Memory of these bytes, said to be of that size.
    void say(MessageKind kind, std::uint64_t size) {
        own_->write(MessageKind::Shared, to_bytes(SharedMessage{kind, size}));
    }
    QString refusal() {
        try {
            window_->read();
            return {};
        } catch (const Error& error) {
            return QString::fromStdString(error.message());
        }
    }

  private:
    std::unique_ptr<Channel> window_;
    std::unique_ptr<Channel> own_;
    FileHandle socket_;
};

FileHandle memory_of(std::string_view bytes, int seals) {
    FileHandle file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) qFatal("no memory");
    ::fcntl(file.get(), F_ADD_SEALS, seals);
    return file;
}

std::size_t open_files() {
    const auto files = std::filesystem::directory_iterator("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

class TestSharedMessages : public QObject {
    Q_OBJECT

  private slots:
    void long_ones_come_in_memory();
    void short_ones_do_not();
    void what_is_not_sealed_is_refused_data();
    void what_is_not_sealed_is_refused();
    void lies_are_refused();
    void handles_beyond_one_are_let_go_of();
    void a_long_answer_is_the_same();
};

void TestSharedMessages::long_ones_come_in_memory() {
    Engine engine;
    FileHandle socket(::fcntl(engine.socket().get(), F_DUPFD_CLOEXEC, 0));
    engine.own().give_memory_to(std::move(socket));
    std::string bytes(3 * Channel::kSharedBytes + 5, 'a');
    bytes.back() = 'z';
    for (int i = 0; i < 3; ++i) QVERIFY(engine.own().write(MessageKind::Answer, bytes));
    for (int i = 0; i < 3; ++i) {
        const auto message = engine.window().read();
        QVERIFY(message && message->kind == MessageKind::Answer && message->memory != nullptr);
        QVERIFY(message->view() == bytes);
    }
}

void TestSharedMessages::short_ones_do_not() {
    Engine engine;
    engine.own().give_memory_to(FileHandle(::fcntl(engine.socket().get(), F_DUPFD_CLOEXEC, 0)));
    QVERIFY(engine.own().write(MessageKind::Answer, "a few bytes"));
    const auto message = engine.window().read();
    QVERIFY(message && message->memory == nullptr && message->view() == "a few bytes");
}

// Memory that shrinks while it is read ends the process (SIGBUS).
void TestSharedMessages::what_is_not_sealed_is_refused_data() {
    QTest::addColumn<int>("seals");
    QTest::newRow("not at all") << 0;
    QTest::newRow("it may shrink") << (F_SEAL_SEAL | F_SEAL_GROW | F_SEAL_WRITE);
    QTest::newRow("it may be written") << (F_SEAL_SEAL | F_SEAL_GROW | F_SEAL_SHRINK);
    QTest::newRow("it may grow") << (F_SEAL_SEAL | F_SEAL_WRITE | F_SEAL_SHRINK);
}
void TestSharedMessages::what_is_not_sealed_is_refused() {
    QFETCH(int, seals);
    Engine engine;
    const std::string bytes(Channel::kSharedBytes, 'a');
    QVERIFY(give_handle(engine.socket().get(), memory_of(bytes, seals), 1));
    engine.say(MessageKind::Answer, bytes.size());
    QCOMPARE(engine.refusal(), QString("shared memory that can still change"));
}

void TestSharedMessages::lies_are_refused() {
    const std::string bytes(100, 'a');
    const auto refusal = [&](const FileHandle& given, std::uint64_t number, MessageKind kind, std::uint64_t size) {
        Engine engine;
        if (given.is_open()) give_handle(engine.socket().get(), given, number);
        engine.say(kind, size);
        return engine.refusal();
    };
    const FileHandle sound = sealed_copy(bytes);
    QCOMPARE(refusal(sound, 1, MessageKind::Answer, 100), QString());
    QCOMPARE(refusal(sound, 1, MessageKind::Answer, 101), QString("shared memory of 100 bytes for a message of 101"));
    QCOMPARE(refusal(sound, 1, MessageKind::Answer, 99), QString("shared memory of 100 bytes for a message of 99"));
    QCOMPARE(refusal(sealed_copy({}), 1, MessageKind::Answer, 0),
             QString("shared memory of 0 bytes for a message of 0"));
    QVERIFY(refusal(sound, 1, MessageKind::Answer, ~std::uint64_t{0}).contains("a message of"));
    QCOMPARE(refusal(sound, 2, MessageKind::Answer, 100), QString("a message whose memory did not come"));
    QCOMPARE(refusal({}, 1, MessageKind::Answer, 100), QString("a message whose memory did not come"));
    QCOMPARE(refusal(sound, 1, MessageKind::Shared, 100), QString("a message in memory that nobody gave"));
    QCOMPARE(refusal(FileHandle(::open("/dev/zero", O_RDONLY)), 1, MessageKind::Answer, 100),
             QString("shared memory that is none"));
    const FileHandle folder(::open("/tmp", O_RDONLY));
    QCOMPARE(refusal(folder, 1, MessageKind::Answer, 100), QString("shared memory that is none"));
    // Where none can come.
    Ends stream = sockets(SOCK_STREAM);
    Channel window(std::move(stream.ours), nowhere());
    Channel(nowhere(), std::move(stream.its)).write(MessageKind::Shared, to_bytes(SharedMessage{MessageKind::Log, 5}));
    QVERIFY_THROWS_EXCEPTION(Error, window.read());
}

// One that gives more and more of them would leave this process without any.
void TestSharedMessages::handles_beyond_one_are_let_go_of() {
    const Ends ends = sockets(SOCK_SEQPACKET);
    const std::array<int, 2> given{ends.its.get(), ends.its.get()};
    std::uint64_t number = 7;
    iovec bytes{&number, sizeof number};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof given)> space{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof given);
    std::memcpy(CMSG_DATA(head), given.data(), sizeof given);
    const std::size_t before = open_files();
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(::sendmsg(ends.its.get(), &message, 0), static_cast<ssize_t>(sizeof number));
        take_handle(ends.ours.get());
        bytes = {&number, 5};  // a message that is none
        QCOMPARE(::sendmsg(ends.its.get(), &message, 0), ssize_t{5});
        QVERIFY(!take_handle(ends.ours.get()));
        bytes = {&number, sizeof number};
    }
    QCOMPARE(open_files(), before);
}

void TestSharedMessages::a_long_answer_is_the_same() {
    const auto answer = [](const std::string& path) {
        Session session;
        session.open(path);
        session.run({});
        session.wait_idle();
        TensorRequest request;
        request.value = session.recording()->event(1).outputs.at(0);
        request.max_rows = 512;
        request.max_columns = 512;
        TensorSlice slice = answer_of(session, TensorQuery{request});
        slice.storage_id = 0;  // of the process
        return to_bytes(slice);
    };
    QTemporaryDir folder;
    const std::string path = folder.filePath("large.py").toStdString();
    std::ofstream(path) << "import torch\n"
                           "class Net(torch.nn.Module):\n"
                           "    def forward(self, x):\n"
                           "        return x * 2\n"
                           "example_inputs = (torch.arange(300000.).reshape(500, 600),)\n";
    const std::string expected = answer(path);
    QVERIFY2(expected.size() > Channel::kSharedBytes, qPrintable(QString::number(expected.size())));
    const RemoteSessions remote;
    QVERIFY(answer(path) == expected);
}

QTEST_GUILESS_MAIN(TestSharedMessages)
#include "test_shared_messages.moc"
