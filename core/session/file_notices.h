// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/python/language/file_notice.h"
#include "core/session/session_listener.h"

namespace loupe::session {

// What a model source did with files, as an entry of a session's log.
SessionListener::LogEntry entry_of(const python::FileNotice& notice);

}  // namespace loupe::session
