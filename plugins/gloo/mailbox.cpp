// SPDX-License-Identifier: Apache-2.0
#include "plugins/gloo/mailbox.h"

#include <gloo/transport/unbound_buffer.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/error.h"

namespace loupe::gloo_plugin {

// Threads outlive the mailbox when they wait for a rank that has gone; they end with the process.
struct Letters {
    struct Post {
        int box = 0;
        std::string bytes;
    };

    explicit Letters(std::shared_ptr<gloo::Context> own)
        : context(std::move(own)), posts(static_cast<std::size_t>(context->size)) {}

    void send_to(int rank);
    void send(int rank, Post& post) const;
    void receive_from(int rank);

    const std::shared_ptr<gloo::Context> context;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::deque<Post>> posts;  // by rank
    std::map<int, std::deque<distributed::Letter>> arrived;
    std::size_t unsent = 0;
    bool is_ending = false;
};

namespace {

constexpr std::uint64_t kHead = 1, kBytes = 2;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 34;

}  // namespace

void Letters::send(int rank, Post& post) const {
    std::uint64_t head[2] = {static_cast<std::uint64_t>(post.box), post.bytes.size()};
    const auto first = context->createUnboundBuffer(head, sizeof head);
    first->send(rank, kHead);
    first->waitSend();
    if (post.bytes.empty()) return;
    const auto second = context->createUnboundBuffer(post.bytes.data(), post.bytes.size());
    second->send(rank, kBytes);
    second->waitSend();
}

void Letters::send_to(int rank) {
    auto& queue = posts[static_cast<std::size_t>(rank)];
    bool is_there = true;
    for (;;) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return is_ending || !queue.empty(); });
        if (queue.empty()) return;
        Post post = std::move(queue.front());
        queue.pop_front();
        lock.unlock();
        try {
            if (is_there) send(rank, post);
        } catch (const std::exception&) {
            is_there = false;  // the rank has gone
        }
        lock.lock();
        --unsent;
        changed.notify_all();
    }
}

void Letters::receive_from(int rank) {
    for (;;) {
        try {
            std::uint64_t head[2] = {0, 0};
            const auto first = context->createUnboundBuffer(head, sizeof head);
            first->recv(rank, kHead);
            if (!first->waitRecv() || head[1] > kMostBytes) return;
            distributed::Letter letter;
            letter.from = rank;
            letter.bytes.resize(head[1]);
            if (head[1] > 0) {
                const auto second = context->createUnboundBuffer(letter.bytes.data(), letter.bytes.size());
                second->recv(rank, kBytes);
                if (!second->waitRecv()) return;
            }
            const std::scoped_lock lock(mutex);
            if (is_ending) return;
            arrived[static_cast<int>(head[0])].push_back(std::move(letter));
        } catch (const std::exception&) {
            return;
        }
    }
}

GlooMailbox::GlooMailbox(std::shared_ptr<gloo::Context> context)
    : letters_(std::make_shared<Letters>(std::move(context))) {
    for (int rank = 0; rank < letters_->context->size; ++rank) {
        if (rank == letters_->context->rank) continue;
        std::thread([letters = letters_, rank] { letters->send_to(rank); }).detach();
        std::thread([letters = letters_, rank] { letters->receive_from(rank); }).detach();
    }
}

// What was posted goes out first: how this rank has ended, to ranks that still wait for that.
GlooMailbox::~GlooMailbox() {
    std::unique_lock lock(letters_->mutex);
    letters_->changed.wait_for(lock, std::chrono::seconds(2), [&] { return letters_->unsent == 0; });
    letters_->is_ending = true;
    lock.unlock();
    letters_->changed.notify_all();
}

void GlooMailbox::post(int rank, int box, std::string bytes) {
    {
        const std::scoped_lock lock(letters_->mutex);
        letters_->posts[static_cast<std::size_t>(rank)].push_back({box, std::move(bytes)});
        ++letters_->unsent;
    }
    letters_->changed.notify_all();
}

std::optional<distributed::Letter> GlooMailbox::take(int box) {
    const std::scoped_lock lock(letters_->mutex);
    const auto found = letters_->arrived.find(box);
    if (found == letters_->arrived.end() || found->second.empty()) return std::nullopt;
    distributed::Letter letter = std::move(found->second.front());
    found->second.pop_front();
    return letter;
}

}  // namespace loupe::gloo_plugin
