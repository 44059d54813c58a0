// SPDX-License-Identifier: Apache-2.0
#pragma once
// What comes from a session to its engine in the background, on its way through the front: passed on as it is, but for
// grants (grant_giver.h).

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace loupe::session {

class FrontStream {
  public:
    // pass_on: false: nothing more is taken. grant: the bytes of a GrantMessage; what follows waits until it returns.
    FrontStream(std::function<bool(std::string_view)> pass_on, std::function<void(const std::string&)> grant)
        : pass_on_(std::move(pass_on)), grant_(std::move(grant)) {}

    // What came, in pieces of any length. False: nothing more is taken. Throws Error (File) for what is no frame, or a
    // grant that is too long.
    bool take(std::string_view bytes);

  private:
    void begin_frame();

    std::function<bool(std::string_view)> pass_on_;
    std::function<void(const std::string&)> grant_;
    std::string head_;       // of the frame that begins
    std::size_t left_ = 0;   // of the frame that has begun
    bool is_grant_ = false;  // which has
    std::string grant_bytes_;
    std::string passed_;  // of this piece, in one
};

}  // namespace loupe::session
