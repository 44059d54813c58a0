// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_address.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

[[noreturn]] void bad_address(const std::string& what, const std::string& hint = {}) {
    throw Error(ErrorKind::Usage, what, {.hint = hint});
}

bool is_of(std::string_view text, std::string_view marks) {
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               marks.find(c) != std::string_view::npos;
    });
}

// A word that begins with '-' is an option to ssh, whatever it was meant as.
void check_host(std::string_view host) {
    const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    const std::string_view name = is_bracketed ? host.substr(1, host.size() - 2) : host;
    const bool is_sane = name.front() != '-' && is_of(name, is_bracketed ? ":.%-_" : ".-_");
    if (!is_sane) bad_address(concat("'", host, "' is no name of a host"), "ssh://[user@]host[:port]");
}

int port_of(std::string_view text) {
    int port = 0;
    for (const char c : text) {
        if (c < '0' || c > '9' || port > 65535) bad_address(concat("'", text, "' is no port"), "1 to 65535");
        port = port * 10 + (c - '0');
    }
    if (port < 1 || port > 65535) bad_address(concat("'", text, "' is no port"), "1 to 65535");
    return port;
}

EngineAddress ssh_address(std::string_view text) {
    EngineAddress address;
    if (const auto slash = text.find('/'); slash != std::string_view::npos) {
        const std::string_view engine = text.substr(slash + 1);
        if (!engine.empty()) {
            if (!is_of(engine, "_-") || engine.front() == '-' || engine.size() > 40)
                bad_address(concat("'", engine, "' is no name of an engine"), "letters, digits, - and _");
            address.engine = engine;
        }
        text = text.substr(0, slash);
    }
    std::string user;
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        user = text.substr(0, at);
        if (!is_of(user, "._-+") || user.front() == '-') bad_address(concat("'", user, "' is no name of a user"));
        text = text.substr(at + 1);
    }
    const auto colon = text.rfind(':');
    const bool is_port = colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos;
    std::string_view host = is_port ? text.substr(0, colon) : text;
    if (host.empty()) bad_address("no host is named", "ssh://[user@]host[:port]");
    check_host(host);
    if (is_port) address.port = port_of(text.substr(colon + 1));
    const std::string shown = (user.empty() ? "" : user + "@") + std::string(host);
    if (host.front() == '[') host = host.substr(1, host.size() - 2);
    address.ssh_host = (user.empty() ? "" : user + "@") + std::string(host);
    address.host = address.ssh_host;
    address.text = concat("ssh://", shown);
    if (address.port != 0) address.text += concat(":", address.port);
    if (address.engine != "main") address.text += "/" + address.engine;
    return address;
}

}  // namespace

const char* const kSshCommand = "ssh {options} {port} -- {host} tensorloupe-engine --stdio --stay --engine {engine}";

std::vector<std::string> split_words(const std::string& line) {
    std::vector<std::string> words;
    bool is_word = false;
    char quote = 0;
    std::string word;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote == '\'' ? c == quote : quote != 0 && c == quote) {
            quote = 0;
        } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
            word += line[++i];
            is_word = true;
        } else if (quote != 0) {
            word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            is_word = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (is_word) words.push_back(std::exchange(word, {}));
            is_word = false;
        } else {
            word += c;
            is_word = true;
        }
    }
    if (quote != 0) bad_address(concat("a quote does not end in: ", line));
    if (is_word) words.push_back(word);
    return words;
}

EngineAddress parse_engine_address(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\n");
    if (first == std::string::npos) bad_address("no host is named", "ssh://[user@]host[:port]");
    const std::string trimmed = text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
    for (const char c : trimmed) {
        if (static_cast<unsigned char>(c) < ' ') bad_address("a control character is in the address");
    }
    constexpr std::string_view kSsh = "ssh://";
    if (trimmed.starts_with(kSsh)) return ssh_address(std::string_view(trimmed).substr(kSsh.size()));
    if (trimmed.find(' ') == std::string::npos) {
        if (trimmed.find("://") != std::string::npos)
            bad_address(concat("'", trimmed.substr(0, trimmed.find("://")), "' is no way to an engine"),
                        "ssh://[user@]host[:port], or a command");
        return ssh_address(trimmed);
    }
    EngineAddress address;
    address.command = split_words(trimmed);
    if (address.command.empty() || address.command.front().empty() || address.command.front().front() == '-')
        bad_address(concat("'", trimmed, "' is no command"));
    address.text = trimmed;
    address.host = address.command.front();
    if (address.command.size() > 1) address.host += " " + address.command[1];
    return address;
}

std::vector<std::string> engine_command(const EngineAddress& address, const std::string& pattern, bool asks) {
    if (!address.command.empty()) return address.command;
    std::vector<std::string> words;
    bool has_host = false;
    for (const std::string& word : split_words(pattern)) {
        if (word == "{options}") {
            for (const char* each :
                 {"-T", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2", "-o"})
                words.emplace_back(each);
            words.emplace_back(asks ? "BatchMode=no" : "BatchMode=yes");
        } else if (word == "{port}") {
            if (address.port == 0) continue;
            words.emplace_back("-p");
            words.push_back(std::to_string(address.port));
        } else if (word == "{host}") {
            has_host = true;
            words.push_back(address.ssh_host);
        } else if (word == "{engine}") {
            words.push_back(address.engine);
        } else {
            words.push_back(word);
        }
    }
    if (words.empty() || !has_host)
        bad_address(concat("the command to reach an engine names no {host}: ", pattern),
                    concat("such as: ", kSshCommand));
    return words;
}

}  // namespace loupe::session
