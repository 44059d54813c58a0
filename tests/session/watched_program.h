// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program whose training is watched, for tests: its end of the socket, and rows.

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QtTest>
#include <atomic>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/session/line_stream.h"

namespace loupe::testing {

inline const std::string kHello =
    R"({"kind":"hello","format":1,"program":"train.py","pid":7,"host":"here","every":10})";

// Rows that the package wrote.
inline std::vector<std::string> fixture_lines() {
    std::ifstream file(LOUPE_SOURCE_DIR "/tests/fixtures/watch/net.watch");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

inline FileHandle listening_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    FileHandle listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listener.get(), 4) != 0)
        qFatal("no socket");
    return listener;
}

// A program that says the same to all who connect, while it lives.
class AnsweringProgram {
  public:
    AnsweringProgram(const std::string& path, std::vector<std::string> lines)
        : listener_(listening_at(path)), thread_([this, said = std::move(lines)] {
              while (!ends_) {
                  pollfd watched{listener_.get(), POLLIN, 0};
                  if (::poll(&watched, 1, 20) <= 0) continue;
                  FileHandle in(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
                  FileHandle out(::dup(in.get()));
                  streams_.push_back(std::make_unique<session::LineStream>(std::move(in), std::move(out), 1U << 16));
                  for (const std::string& line : said) streams_.back()->send(line);
              }
          }) {}
    AnsweringProgram(const AnsweringProgram&) = delete;
    AnsweringProgram& operator=(const AnsweringProgram&) = delete;
    ~AnsweringProgram() {
        ends_ = true;
        thread_.join();
    }

  private:
    FileHandle listener_;
    std::atomic<bool> ends_{false};
    std::vector<std::unique_ptr<session::LineStream>> streams_;
    std::thread thread_;  // last: it uses the members above
};

// A program that is watched, as far as its socket goes.
class WatchedSocket {
  public:
    explicit WatchedSocket(const std::string& path) : listener_(listening_at(path)) {}
    void accept() {
        FileHandle in(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        FileHandle out(::dup(in.get()));
        stream_ = std::make_unique<session::LineStream>(std::move(in), std::move(out), std::size_t{1} << 16);
    }
    void say(const std::string& line) {
        if (!stream_->send(line)) qWarning("nobody takes a row");
    }
    // The next order that comes.
    std::string order() {
        if (orders_.empty()) {
            for (std::string& line : stream_->take(std::chrono::seconds(20))) orders_.push_back(std::move(line));
        }
        if (orders_.empty()) return "nothing";
        std::string first = orders_.front();
        orders_.erase(orders_.begin());
        return first;
    }
    bool is_left() {
        for (int i = 0; i < 100 && !stream_->has_ended(); ++i) stream_->take(std::chrono::milliseconds(50));
        return stream_->has_ended();
    }
    void end() { stream_.reset(); }

  private:
    FileHandle listener_;
    std::unique_ptr<session::LineStream> stream_;
    std::vector<std::string> orders_;
};

inline std::string steps_row(int from, int count) {
    nlohmann::json row{{"kind", "steps"}, {"step", nlohmann::json::array()}, {"loss", nlohmann::json::array()}};
    for (int i = 0; i < count; ++i) {
        row["step"].push_back(from + i);
        row["loss"].push_back(1.0 / (from + i));
    }
    return row.dump();
}

}  // namespace loupe::testing
