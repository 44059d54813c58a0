// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/front_stream.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/link_messages.h"

namespace loupe::session {

// Behind its whole head.
void FrontStream::begin_frame() {
    const std::uint32_t kind = number_at(head_.data());
    left_ = number_at(head_.data() + 4);
    if (kind > static_cast<std::uint32_t>(last_of(MessageKind())))
        throw Error(ErrorKind::File, concat("what came from the window is no message: ", kind, " is no kind of one"));
    is_grant_ = kind == static_cast<std::uint32_t>(MessageKind::Grant);
    if (left_ > (is_grant_ ? GrantMessage::kMostBytes : Channel::kMostBytes))
        throw Error(ErrorKind::File, concat("what came from the window is no message: one of ", left_, " bytes"));
    if (!is_grant_) passed_ += head_;
    head_.clear();
}

bool FrontStream::take(std::string_view bytes) {
    while (!bytes.empty() || (is_grant_ && left_ == 0)) {
        if (left_ == 0 && !is_grant_) {
            const std::string_view part = bytes.substr(0, kFrameHead - head_.size());
            head_ += part;
            bytes.remove_prefix(part.size());
            if (head_.size() == kFrameHead) begin_frame();
            continue;
        }
        const std::string_view part = bytes.substr(0, left_);
        (is_grant_ ? grant_bytes_ : passed_) += part;
        bytes.remove_prefix(part.size());
        left_ -= part.size();
        if (left_ > 0 || !is_grant_) continue;
        if (!passed_.empty() && !pass_on_(std::exchange(passed_, {}))) return false;
        is_grant_ = false;
        grant_(std::exchange(grant_bytes_, {}));
    }
    return passed_.empty() || pass_on_(std::exchange(passed_, {}));
}

}  // namespace loupe::session
