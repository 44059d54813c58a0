// SPDX-License-Identifier: Apache-2.0
// Of programs that link this, every question and answer goes through bytes: what they test, they test of an engine in
// another process too.

#include "core/session/session.h"

[[maybe_unused]] static const bool is_on = [] {
    loupe::session::Session::set_sends_through_bytes(true);
    return true;
}();
