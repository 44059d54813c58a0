// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What ssh asks (a password, whether a host's key is right), as a dialogue: ssh starts this program for it.

#include <QStringList>
#include <string>
#include <vector>

namespace loupe::window {

// Is this process one that ssh started to ask?
bool isAskpass();
// Shows the question and prints the answer. The exit status: 1 when it was cancelled.
int runAskpass(const QString& question);

// Of the command that reaches an engine: ssh asks through the user's own SSH_ASKPASS, else through this program.
std::vector<std::string> askpassEnvironment();

}  // namespace loupe::window
