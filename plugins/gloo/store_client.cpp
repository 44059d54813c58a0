// SPDX-License-Identifier: Apache-2.0
#include "plugins/gloo/store_client.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/gloo/store_protocol.h"

namespace loupe::gloo_plugin {
namespace {

using namespace std::chrono_literals;

// A query under construction.
class Message {
  public:
    explicit Message(Query query) { number(static_cast<std::uint8_t>(query)); }
    template <typename T>
    Message& number(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Message& text(const std::string& value) {
        number(static_cast<std::uint64_t>(value.size()));
        bytes_ += value;
        return *this;
    }
    Message& keys(const std::vector<std::string>& all) {
        number(static_cast<std::uint64_t>(all.size()));
        for (const std::string& key : all) text(key);
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

// -1: nothing listens there.
int connected(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
    int out = -1;
    for (const addrinfo* each = found; each != nullptr && out < 0; each = each->ai_next) {
        out = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
        if (out < 0) continue;
        if (connect(out, each->ai_addr, each->ai_addrlen) == 0) continue;
        close(out);
        out = -1;
    }
    freeaddrinfo(found);
    return out;
}

}  // namespace

StoreClient::StoreClient(const std::string& host, int port, std::chrono::steady_clock::time_point deadline)
    : host_(host), port_(port) {
    for (;;) {
        socket_ = connected(host_, port_);
        if (socket_ >= 0 || std::chrono::steady_clock::now() >= deadline) break;
        std::this_thread::sleep_for(50ms);
    }
    if (socket_ < 0) {
        throw Error(ErrorKind::Run, concat("no rank 0 answers at ", place()),
                    {.hint = "MASTER_ADDR and MASTER_PORT are of the host of rank 0"});
    }
    const int yes = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    // What listens there need not be a store.
    const timeval patience{30, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    try {
        const std::uint32_t nonce = static_cast<std::uint32_t>(getpid());
        const std::string greeting =
            Message(Query::Validate).number(kMagic).bytes() + Message(Query::Ping).number(nonce).bytes();
        send(socket_, greeting.data(), greeting.size(), MSG_NOSIGNAL);  // so few bytes are taken whole, or not at all
        std::uint32_t answer = 0;
        ssize_t got = 0;
        do {
            got = recv(socket_, &answer, sizeof answer, MSG_WAITALL);
        } while (got < 0 && errno == EINTR);
        // An older store takes the greeting for a value that it is to keep, and ends.
        if (got != static_cast<ssize_t>(sizeof answer) || answer != nonce)
            throw Error(ErrorKind::Run, concat("what listens at ", place(), " is no store of PyTorch 2.1 or later"),
                        {.hint = "choose another MASTER_PORT, or a newer torchrun"});
    } catch (...) {
        close(socket_);
        throw;
    }
}

StoreClient::~StoreClient() { close(socket_); }

std::string StoreClient::place() const { return concat(host_, ":", port_); }

void StoreClient::send_all(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t count = send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0)
            throw Error(ErrorKind::Run, concat("the store at ", place(), " has gone: ", std::strerror(errno)));
        at += static_cast<std::size_t>(count);
    }
}

void StoreClient::read_all(void* to, std::size_t count) {
    for (std::size_t at = 0; at < count;) {
        const ssize_t got = recv(socket_, static_cast<char*>(to) + at, count - at, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            throw Error(ErrorKind::Run, concat("what listens at ", place(), " does not answer as a store does"),
                        {.hint = "choose another MASTER_PORT"});
        if (got <= 0) {
            throw Error(ErrorKind::Run, concat("the store at ", place(), " has gone"),
                        {.hint = "rank 0 has ended, or another program has MASTER_PORT"});
        }
        at += static_cast<std::size_t>(got);
    }
}

void StoreClient::set(const std::string& key, const std::vector<char>& value) {
    send_all(Message(Query::Set).text(key).text(std::string(value.begin(), value.end())).bytes());
}

std::vector<char> StoreClient::get(const std::string& key) {
    send_all(Message(Query::Get).text(key).bytes());
    std::uint64_t size = 0;
    read_all(&size, sizeof size);
    if (size > kMostBytes) throw Error(ErrorKind::Run, concat("the store at ", place(), " gives ", size, " bytes"));
    std::vector<char> out(size);
    read_all(out.data(), out.size());
    return out;
}

bool StoreClient::has(const std::vector<std::string>& keys) {
    send_all(Message(Query::Check).keys(keys).bytes());
    std::uint8_t answer = kNotReady;
    read_all(&answer, sizeof answer);
    return answer == kReady;
}

bool StoreClient::wait(const std::vector<std::string>& keys, std::chrono::steady_clock::time_point deadline) {
    for (auto pause = 1ms; !has(keys); pause = std::min<std::chrono::milliseconds>(pause * 2, 50ms)) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
    }
    return true;
}

std::string StoreClient::own_address() const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char text[NI_MAXHOST] = "";
    if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
        getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
        return "127.0.0.1";
    return text;
}

}  // namespace loupe::gloo_plugin
