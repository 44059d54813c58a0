// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What ssh asks (a password, whether a host's key is right), as a dialogue: ssh starts this program for it.

#include <QStringList>
#include <string>
#include <vector>

namespace loupe::window {

// Is this process one that ssh started to ask?
bool isAskpass();
// It was closed without an answer.
constexpr int kNotAnswered = 2;
// Shows the question and prints the answer. The exit status: 0, of a refusal 1, or kNotAnswered.
int runAskpass(const QString& question);
// The ssh that asked ends, which would ask the same again, and says why to the window.
void endAsker();

// Of the command that reaches an engine: ssh asks through the user's own SSH_ASKPASS, else through this program.
std::vector<std::string> askpassEnvironment();

}  // namespace loupe::window
