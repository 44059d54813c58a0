// SPDX-License-Identifier: Apache-2.0
#include "plugins/gloo/store_server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/gloo/store_protocol.h"

namespace loupe::gloo_plugin {
namespace {

// Reads a query from the bytes that are there; nullopt: not all of it has come. Throws Error (Run) for what is none.
class Reader {
  public:
    explicit Reader(const std::string& bytes) : bytes_(bytes) {}
    template <typename T>
    std::optional<T> number() {
        if (bytes_.size() - at_ < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::optional<std::string> text() {
        const auto size = number<std::uint64_t>();
        if (!size) return std::nullopt;
        if (*size > kMostBytes) throw Error(ErrorKind::Run, "a text of a store that is too long");
        if (bytes_.size() - at_ < *size) return std::nullopt;
        std::string out = bytes_.substr(at_, *size);
        at_ += *size;
        return out;
    }
    std::optional<std::vector<std::string>> keys() {
        const auto count = number<std::uint64_t>();
        if (!count) return std::nullopt;
        if (*count > kMostBytes / sizeof(std::uint64_t)) throw Error(ErrorKind::Run, "too many keys of a store");
        std::vector<std::string> out;
        for (std::uint64_t i = 0; i < *count; ++i) {
            auto key = text();
            if (!key) return std::nullopt;
            out.push_back(std::move(*key));
        }
        return out;
    }
    std::size_t at() const { return at_; }

  private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

template <typename T>
void append(std::string& to, T value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

StoreServer::StoreServer(int port) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_any;
    six.sin6_port = htons(static_cast<std::uint16_t>(port));
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = six.sin6_port;
    // Of both families where the host has the newer one.
    const int yes = 1, no = 0;
    const auto* address = reinterpret_cast<const sockaddr*>(&six);
    socklen_t size = sizeof six;
    listener_ = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ >= 0) {
        setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    } else {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        address = reinterpret_cast<const sockaddr*>(&four);
        size = sizeof four;
    }
    if (listener_ < 0) throw Error(ErrorKind::Run, concat("no socket for MASTER_PORT: ", std::strerror(errno)));
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener_, address, size) != 0 || listen(listener_, 1024) != 0) {
        const int reason = errno;
        close(listener_);
        throw Error(ErrorKind::Run, concat("rank 0 cannot listen at MASTER_PORT=", port, ": ", std::strerror(reason)),
                    {.hint = "choose another MASTER_PORT"});
    }
    if (pipe2(stop_, O_CLOEXEC) != 0) {
        close(listener_);
        throw Error(ErrorKind::Run, "no pipe for the store");
    }
    thread_ = std::thread([this] { run(); });
}

StoreServer::~StoreServer() {
    close(stop_[1]);
    thread_.join();
    close(stop_[0]);
    close(listener_);
}

void StoreServer::run() {
    std::list<Client> clients;
    for (;;) {
        std::vector<pollfd> places = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
        for (const Client& each : clients) {
            const int waits = each.answers.empty() ? POLLIN : POLLIN | POLLOUT;
            places.push_back({each.socket, static_cast<short>(waits), 0});
        }
        if (poll(places.data(), places.size(), -1) < 0 && errno != EINTR) break;
        if (places[0].revents != 0) break;
        std::size_t i = 2;
        for (auto each = clients.begin(); each != clients.end(); ++i) {
            const bool stays = places[i].revents == 0 || (read_from(*each) && answer(*each));
            if (!stays) close(each->socket);
            each = stays ? std::next(each) : clients.erase(each);
        }
        if (places[1].revents != 0) {
            const int made = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (made >= 0) clients.push_back({.socket = made, .received = {}, .answers = {}});
        }
    }
    for (const Client& each : clients) close(each.socket);
}

bool StoreServer::read_from(Client& client) {
    char bytes[65536];
    for (;;) {
        const ssize_t count = recv(client.socket, bytes, sizeof bytes, 0);
        if (count > 0) {
            client.received.append(bytes, static_cast<std::size_t>(count));
            continue;
        }
        if (count == 0) return false;
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    }
}

StoreServer::Taken StoreServer::take_query(Client& client) {
    const auto has = [&](const std::string& key) { return values_.contains(key); };
    Reader reader(client.received);
    const auto query = reader.number<std::uint8_t>();
    if (!query) return Taken::Part;
    switch (static_cast<Query>(*query)) {
        case Query::Validate: {
            const auto magic = reader.number<std::uint32_t>();
            if (!magic) return Taken::Part;
            if (*magic != kMagic) return Taken::Wrong;
            break;
        }
        case Query::Ping: {
            const auto nonce = reader.number<std::uint32_t>();
            if (!nonce) return Taken::Part;
            append(client.answers, *nonce);
            break;
        }
        case Query::Set: {
            const auto key = reader.text();
            const auto value = key ? reader.text() : std::nullopt;
            if (!value) return Taken::Part;
            values_[*key] = *value;
            break;
        }
        case Query::Get: {
            const auto key = reader.text();
            if (!key) return Taken::Part;
            const std::string& value = values_[*key];
            append(client.answers, static_cast<std::uint64_t>(value.size()));
            client.answers += value;
            break;
        }
        case Query::Check: {
            const auto keys = reader.keys();
            if (!keys) return Taken::Part;
            append(client.answers, std::ranges::all_of(*keys, has) ? kReady : kNotReady);
            break;
        }
        default:
            return Taken::Wrong;
    }
    client.received.erase(0, reader.at());
    return Taken::Whole;
}

bool StoreServer::answer(Client& client) {
    try {
        Taken taken = Taken::Whole;
        while (taken == Taken::Whole) taken = take_query(client);
        if (taken == Taken::Wrong) return false;
    } catch (const Error&) {
        return false;
    }
    while (!client.answers.empty()) {
        const ssize_t count = send(client.socket, client.answers.data(), client.answers.size(), MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        client.answers.erase(0, static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace loupe::gloo_plugin
