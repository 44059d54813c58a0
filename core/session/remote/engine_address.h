// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an engine is that is not on this machine, and the command that reaches it. Commands are words, never lines for
// a shell.

#include <string>
#include <vector>

namespace loupe::session {

struct EngineAddress {
    // What the user typed, in one form: "ssh://ada@host:2222/second"; of a command its words.
    std::string text;
    std::string host;  // for people: "host", "ada@host"; of a command its first two words
    // Of ssh: where it goes. Empty: the command is given.
    std::string ssh_host;         // "host", "ada@host"
    int port = 0;                 // 0: as ssh's settings say
    std::string engine = "main";  // which one there
    std::vector<std::string> command;

    bool operator==(const EngineAddress&) const = default;
};

// "ssh://[user@]host[:port][/engine]", "[user@]host[:port][/engine]", or a command with blanks in it, whose words are
// split as a shell splits them: "docker exec -i box tensorloupe-engine --stdio --stay". Throws Error (Usage), one line.
EngineAddress parse_engine_address(const std::string& text);

// As ssh is called when no other command is set. {options}, {port} and {host} are filled in; {engine} too.
extern const char* const kSshCommand;

// The words of the command for the address; asks: may ssh ask for a password or a host's key (through SSH_ASKPASS)?
// Throws Error (Usage) for a pattern that is none.
std::vector<std::string> engine_command(const EngineAddress& address, const std::string& pattern, bool asks);

// As a shell splits them, without any of its expansions: blanks, quotes, backslashes. Throws Error (Usage) for a quote
// that does not end.
std::vector<std::string> split_words(const std::string& line);

}  // namespace loupe::session
