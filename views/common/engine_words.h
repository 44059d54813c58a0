// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fixed words of the engine that panels show: names of kinds, titles and descriptions of studies. Sentences that the
// engine makes of facts are said by text(): see said_text.h.

#include <QString>
#include <string_view>

namespace loupe::views {

// In the window's language; as it is where the list in the .cpp does not have it.
QString engineWord(std::string_view english);

}  // namespace loupe::views
