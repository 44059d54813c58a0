// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a session and its engine say to each other, as frames: recorded of real ones, or made of the types alone.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/query_record.h"
#include "core/session/remote/messages.h"
#include "core/session/verbs.h"

namespace loupe::fuzz {

// The bytes of one as they go over a pipe, or of several.
std::string frame(session::MessageKind kind, std::string_view bytes);
// A whole stream's frames. The last one may be cut off, or be no frame.
std::vector<std::string> frames_of(std::string_view stream);
// 0xffffffff: it has none.
std::uint32_t kind_of(std::string_view frame);
std::string joined(const std::vector<std::string>& frames);

// One session with its engine.
struct Talk {
    std::string name;
    std::vector<std::string> told;  // orders and questions
    std::vector<std::string> said;  // what the engine says to them, without its greeting
};

// Of real engines in this process, with a small model that is written into the folder: short ones, of all that there
// is.
std::vector<Talk> record_talks(const std::filesystem::path& folder);
// A model that opens and runs in a moment; Python's source.
std::filesystem::path write_small_model(const std::filesystem::path& folder);

// Sound messages whose every field has a value, whatever it means.
std::vector<std::string> made_news();    // of an engine, that no question asked for
std::vector<std::string> made_orders();  // every order
struct MadeQuestion {
    const session::QueryRecord* record = nullptr;
    std::string query;     // bytes
    std::string answer;    // likewise
    std::string progress;  // likewise; empty: it has none
};
std::vector<MadeQuestion> made_questions();

}  // namespace loupe::fuzz
