// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/grant_giver.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/queries/list.h"
#include "core/session/remote/channel.h"
#include "core/session/watched_programs.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

constexpr int kFrontSeconds = 10;  // that a front takes to say what it wants

FileHandle file_of(std::string_view text) {
    FileHandle file = memory_file();
    write_at(file, 0, text, "memory");
    return file;
}

void refuse(const FileHandle& socket, const std::string& why) { give_handle(socket.get(), file_of(why), kRefused); }

// Until the engine says that it has its contents, or lets go of it.
bool is_whole(const FileHandle& socket) {
    char said = 0;
    ssize_t got = 0;
    do got = ::recv(socket.get(), &said, 1, 0);
    while (got < 0 && errno == EINTR);
    return got == 1 && said == kIsWhole;
}

void give_file(const FileHandle& socket, const std::filesystem::path& path) {
    AtomicFile file(path);
    if (!give_handle(socket.get(), file.contents(), kGranted) || !is_whole(socket)) return;
    file.commit();
    give_handle(socket.get(), file_of({}), kGranted);
}

void give_connection(const FileHandle& socket, const std::filesystem::path& path) {
    if (!is_watched_socket(path)) return refuse(socket, {});
    give_handle(socket.get(), connect_to_watched(path), kGranted);
}

void give_answer(const FileHandle& socket, const GrantMessage& grant) {
    const QueryRecord* record = find_query(grant.query);
    if (record == nullptr || record->answer_apart == nullptr)
        throw Error(ErrorKind::File, "a question that needs an engine");
    const QueryValue answer = record->answer_apart(record->query_wire.read(grant.value).get());
    give_handle(socket.get(), file_of(record->answer_wire.write(answer.get())), kGranted);
}

void give(const FileHandle& socket, const GrantMessage& grant) {
    switch (grant.what) {
        case GrantMessage::What::Write:
            return give_file(socket, grant.path);
        case GrantMessage::What::Connect:
            return give_connection(socket, grant.path);
        case GrantMessage::What::Answer:
            return give_answer(socket, grant);
    }
}

}  // namespace

GrantGiver::~GrantGiver() {
    for (Visit& visit : visits_) visit.thread.join();
}

void GrantGiver::take(FileHandle front) {
    for (auto at = visits_.begin(); at != visits_.end();) {
        if (at->is_over) {
            at->thread.join();
            at = visits_.erase(at);
        } else {
            ++at;
        }
    }
    Visit& visit = visits_.emplace_back();
    visit.thread = std::thread([this, &visit, handle = std::move(front)]() mutable {
        try {
            serve(std::move(handle));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
        }
        visit.is_over = true;
    });
}

FileHandle GrantGiver::announce(const GrantMessage& grant) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
    FileHandle ours(ends[0]);
    const FileHandle its(ends[1]);
    const std::lock_guard lock(mutex_);
    if (!known_.insert(grant.number).second || !give_handle(engine_.get(), its, grant.number)) return {};
    return ours;
}

void GrantGiver::serve(FileHandle front) {
    const timeval limit{.tv_sec = kFrontSeconds, .tv_usec = 0};
    ::setsockopt(front.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    FileHandle out(::fcntl(front.get(), F_DUPFD_CLOEXEC, 3));
    FileHandle socket;
    GrantMessage grant;
    {
        Channel channel(std::move(front), std::move(out));
        const auto said = channel.read();
        if (!said || said->kind != MessageKind::Grant) throw Error(ErrorKind::File, "a front that says no grant");
        grant = from_bytes<GrantMessage>(said->bytes);
        socket = announce(grant);
        // The engine finds it when it reads what comes behind.
        channel.write(MessageKind::Grant, {});
    }
    if (!socket.is_open()) return;
    try {
        give(socket, grant);
    } catch (const Error& error) {
        refuse(socket, error.message());
    }
}

}  // namespace loupe::session
