// SPDX-License-Identifier: Apache-2.0
// Trainings that other programs do: which there are, their steps as they come, and rows of one handed through.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/attach.h"
#include "app/cli/commands.h"
#include "app/cli/stop_signals.h"
#include "core/base/cancel.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/line_stream.h"
#include "core/session/watched_programs.h"
#include "core/train/watched_training.h"

namespace loupe::cli {
namespace {

using session::WatchedTraining;

std::string number(double value) {
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    char out[32];
    std::snprintf(out, sizeof out, "%.6g", value);
    return out;
}

void print_program(const session::TrainingProgram& program) {
    std::printf("trained by %s, process %lld%s%s, PyTorch %s\n", program.name.c_str(),
                static_cast<long long>(program.process), program.host.empty() ? "" : " on ", program.host.c_str(),
                program.torch.empty() ? "unknown" : program.torch.c_str());
    if (!program.optimizer.empty()) std::printf("%s, ", program.optimizer.c_str());
    if (program.ranks > 1) std::printf("%d ranks, ", program.ranks);
    std::printf("every %lld steps measured whole\n", static_cast<long long>(program.every));
}

void print_head() { std::printf("%10s %14s %12s %14s %10s\n", "step", "loss", "rate", "gradient norm", "time"); }

void print_step(const session::TrainingStep& step) {
    std::printf("%10lld %14s %12s %14s %10s\n", static_cast<long long>(step.step), number(step.loss).c_str(),
                number(step.learning_rate).c_str(), step.gradient_norm < 0 ? "" : number(step.gradient_norm).c_str(),
                format_seconds(step.seconds).c_str());
}

void print_steps_from(const session::TrainingLog& log, std::size_t& shown) {
    for (const session::TrainingStep& step : log.steps(shown)) {
        print_step(step);
        ++shown;
    }
    std::fflush(stdout);
}

// Every so many steps, and those that were measured.
void print_table(const session::TrainingLog& log) {
    constexpr std::size_t kMost = 40;
    const auto steps = log.steps();
    const std::size_t apart = std::max<std::size_t>(1, (steps.size() + kMost - 1) / kMost);
    print_head();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool is_shown = i % apart == 0 || i + 1 == steps.size();
        if (is_shown) print_step(steps[i]);
    }
}

void print_norms(const session::TrainingLog& log) {
    const auto names = log.parameters();
    const auto range = log.norm_range();
    if (range.first == 0 || names.empty()) return;
    const auto norms = log.norms_at(range.last);
    std::printf("\nat step %lld: %-42s %12s %12s %12s\n", static_cast<long long>(range.last), "", "gradient", "update",
                "weight");
    for (std::size_t i = 0; i < std::min(names.size(), norms.size()); ++i)
        std::printf("  %-54s %12s %12s %12s\n", names[i].c_str(),
                    norms[i].gradient < 0 ? "none" : number(norms[i].gradient).c_str(), number(norms[i].update).c_str(),
                    number(norms[i].weight).c_str());
}

void print_curves(const session::TrainingLog& log) {
    const auto curves = log.reported();
    if (curves.empty()) return;
    std::printf("\n%-56s %8s %12s\n", "curves", "points", "last");
    for (const session::ReportedCurve& curve : curves)
        std::printf("  %-54s %8zu %12s\n", curve.tag.c_str(), curve.points.size(),
                    curve.points.empty() ? "" : number(curve.points.back().value).c_str());
}

int list_programs() {
    const auto all = session::list_watched_programs();
    if (all.empty()) {
        std::printf("no program of this user is watched on this machine\n");
        return 0;
    }
    std::printf("%-20s %-28s %10s %6s %12s  %s\n", "name", "program", "process", "ranks", "step", "host");
    for (const session::WatchedProgram& each : all)
        std::printf("%-20s %-28s %10lld %6d %12lld  %s%s\n", each.name.c_str(), each.program.name.c_str(),
                    static_cast<long long>(each.program.process), each.program.ranks, static_cast<long long>(each.step),
                    each.program.host.c_str(), each.is_parked ? ", parked" : "");
    return 0;
}

bool write_all(int to, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t put = ::write(to, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        size -= static_cast<std::size_t>(put);
    }
    return true;
}

// Both ways, until one side ends.
int hand_through(const FileHandle& socket) {
    std::array<char, 1 << 16> piece;
    std::array<pollfd, 2> watched{{{socket.get(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
    const std::array<int, 2> to{STDOUT_FILENO, socket.get()};
    while (true) {
        check_cancelled();
        if (::poll(watched.data(), watched.size(), 200) < 0 && errno != EINTR) return 0;
        for (std::size_t i = 0; i < watched.size(); ++i) {
            if (watched[i].revents == 0) continue;
            const ssize_t got = ::read(watched[i].fd, piece.data(), piece.size());
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got <= 0 || !write_all(to[i], piece.data(), static_cast<std::size_t>(got))) return 0;
        }
    }
}

int follow(FileHandle socket, const AttachArguments& options) {
    FileHandle out(::dup(socket.get()));
    session::LineStream stream(std::move(socket), std::move(out), WatchedTraining::kLongestLine);
    std::unique_ptr<WatchedTraining> training;
    std::size_t shown = 0;
    if (options.every > 0) stream.send(concat("{\"do\":\"every\",\"every\":", options.every, "}"));
    if (options.record) stream.send("{\"do\":\"record\"}");
    while (!stream.has_ended()) {
        check_cancelled();
        for (const std::string& line : stream.take(std::chrono::milliseconds(200))) {
            if (training) {
                training->add(line);
            } else {
                training = std::make_unique<WatchedTraining>(line);
                print_program(training->program());
                print_head();
            }
        }
        if (!training) continue;
        print_steps_from(*training->log(), shown);
        for (const std::string& note : training->take_notes()) std::fprintf(stderr, "%s\n", note.c_str());
        for (const auto& finding : training->take_findings())
            std::fprintf(stderr, "step %lld: %s\n", static_cast<long long>(finding.step), finding.text.text().c_str());
        if (training->has_ended()) break;
    }
    if (!training) throw Error(ErrorKind::File, "the program said nothing");
    if (const auto verdict = training->log()->verdict(); !verdict.text.empty())
        std::fprintf(stderr, "%s\n", verdict.text.text().c_str());
    return 0;
}

}  // namespace

bool print_watched(const std::string& path) {
    if (!session::is_watched_file(path)) return false;
    const auto training = session::read_watched_file(path);
    std::printf("%s\n", path.c_str());
    print_program(training->program());
    if (const auto verdict = training->log()->verdict(); !verdict.text.empty())
        std::printf("%s\n", verdict.text.text().c_str());
    for (const auto& finding : training->log()->findings())
        std::printf("step %lld: %s\n", static_cast<long long>(finding.step), finding.text.text().c_str());
    for (const std::string& note : training->take_notes()) std::printf("note: %s\n", note.c_str());
    if (training->damaged() > 0)
        std::printf("note: %s could not be read\n",
                    counted(static_cast<std::size_t>(training->damaged()), "line").c_str());
    std::printf("\n");
    print_table(*training->log());
    print_norms(*training->log());
    print_curves(*training->log());
    return true;
}

int run_attach(const AttachArguments& options) {
    if (options.list) return list_programs();
    if (!options.name.empty() && print_watched(options.name)) return 0;
    const std::filesystem::path socket = session::find_watched_program(options.name);
    FileHandle connection = session::connect_to_watched(socket);
    return options.stdio ? hand_through(connection) : follow(std::move(connection), options);
}

}  // namespace loupe::cli
