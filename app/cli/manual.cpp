// SPDX-License-Identifier: Apache-2.0
#include "app/cli/manual.h"

#include <algorithm>

#include "core/base/build_facts.h"
#include "core/base/strings.h"

namespace loupe::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    const auto shown = [](const CLI::App* command) { return !command->get_group().empty(); };
    auto commands = app.get_subcommands(shown);
    return {commands.begin(), commands.end()};
}
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
    const auto shown = [](const CLI::Option* option) { return !option->get_group().empty(); };
    return command.get_options(shown);
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
// "--threads", "-o"
std::vector<std::string> spellings_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) names.push_back(concat("-", name));
    for (const auto& name : option.get_lnames()) names.push_back(concat("--", name));
    return names;
}
// Of an option that takes one of a few words: the words, from "TEXT:{eval,train}".
std::vector<std::string> words_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.rfind('}');
    std::vector<std::string> words;
    if (begin == std::string::npos || end == std::string::npos || end < begin) return words;
    for (const auto word : split(std::string_view(type).substr(begin + 1, end - begin - 1), ','))
        words.emplace_back(word);
    return words;
}
std::string kind_of_value(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));
}

// --- the manual page ---

// A dash that can be copied, no line that troff takes for a request.
std::string troff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
    return out;
}

void add_option(std::string& page, const CLI::Option& option) {
    std::string title;
    for (const auto& name : spellings_of(option))
        title += concat(title.empty() ? "" : ", ", "\\fB", troff(name), "\\fR");
    if (title.empty())
        title = concat("\\fI", troff(option.get_name(true)), "\\fR");
    else if (takes_value(option))
        title += concat(" \\fI", troff(kind_of_value(option)), "\\fR");
    page += concat(".TP\n", title, "\n", troff(option.get_description()));
    if (const auto words = words_of(option); !words.empty()) page += concat(" (", troff(join(words, ", ")), ")");
    page += "\n";
}

std::string man_page(const CLI::App& app) {
    std::string page = concat(".TH TENSORLOUPE\\-CLI 1 \"\" \"Tensorloupe ", version(), "\" \"User Commands\"\n");
    page += concat(".SH NAME\ntensorloupe\\-cli \\- inspect, run and convert neural networks\n.SH SYNOPSIS\n");
    page += ".B tensorloupe\\-cli\n.I COMMAND\n[\\fIOPTIONS\\fR] \\fIMODEL\\fR\n";
    page += concat(".SH DESCRIPTION\n", troff(app.get_description()), "\n");
    page += "Each command prints its own options with \\fB\\-\\-help\\fR.\n.SH COMMANDS\n";
    for (const CLI::App* command : commands_of(app)) {
        page += concat(".SS ", troff(command->get_name()), "\n", troff(command->get_description()), "\n");
        for (const CLI::Option* option : options_of(*command)) {
            if (!option->check_name("--help")) add_option(page, *option);
        }
    }
    page +=
        ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nwhat was checked or compared differs\n.TP\n2\nwrong usage, or an input "
        "is missing\n.TP\n3\na file cannot be read, or an output cannot be written\n.TP\n4\nthe run failed\n";
    return page + ".SH SEE ALSO\n.BR tensorloupe (1)\n";
}

// --- what shells complete ---

std::string bash_completion(const CLI::App& app) {
    std::string names, cases;
    for (const CLI::App* command : commands_of(app)) {
        names += concat(names.empty() ? "" : " ", command->get_name());
        std::string options, values;
        for (const CLI::Option* option : options_of(*command)) {
            for (const auto& name : spellings_of(*option)) {
                options += concat(options.empty() ? "" : " ", name);
                const auto words = words_of(*option);
                if (!words.empty()) values += concat("        ", name, ") words='", join(words, " "), "' ;;\n");
            }
        }
        cases += concat("    ", command->get_name(), ")\n      options='", options, "'\n      case $before in\n",
                        values, "      esac ;;\n");
    }
    return concat(
        "# bash completion for tensorloupe-cli\n_tensorloupe_cli() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '",
        names, " --help --version' -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", cases,
        "  esac\n  if [ -n \"$words\" ]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "  elif [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "  else\n    compopt -o filenames 2>/dev/null\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
        "complete -F _tensorloupe_cli tensorloupe-cli\n");
}

// In single quotes of a shell.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}
// zsh takes brackets and colons for its own.
std::string zsh_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_completion(const CLI::App& app) {
    std::string commands, cases;
    for (const CLI::App* command : commands_of(app)) {
        commands +=
            concat("    ", shell_quoted(concat(command->get_name(), ":", zsh_text(command->get_description()))), "\n");
        cases += concat("    ", command->get_name(), ")\n      _arguments");
        for (const CLI::Option* option : options_of(*command)) {
            for (const auto& name : spellings_of(*option)) {
                std::string entry = concat(name, "[", zsh_text(option->get_description()), "]");
                if (takes_value(*option)) {
                    const auto words = words_of(*option);
                    entry += concat(":", zsh_text(kind_of_value(*option)), ":",
                                    words.empty() ? "_files" : concat("(", join(words, " "), ")"));
                }
                cases += concat(" \\\n        ", shell_quoted(entry));
            }
        }
        cases += " \\\n        '*:file:_files' ;;\n";
    }
    return concat("#compdef tensorloupe-cli\n_tensorloupe_cli() {\n  local -a commands\n  commands=(\n", commands,
                  "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
                  "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n",
                  cases, "  esac\n}\n_tensorloupe_cli \"$@\"\n");
}

std::string fish_completion(const CLI::App& app) {
    std::string out = "# fish completion for tensorloupe-cli\n";
    const auto fish_quoted = [](std::string_view text) {
        std::string escaped;
        for (const char c : text) {
            if (c == '\'' || c == '\\') escaped += '\\';
            escaped += c;
        }
        return concat("'", escaped, "'");
    };
    for (const CLI::App* command : commands_of(app)) {
        out += concat("complete -c tensorloupe-cli -n __fish_use_subcommand -a ", command->get_name(), " -d ",
                      fish_quoted(command->get_description()), "\n");
        for (const CLI::Option* option : options_of(*command)) {
            if (spellings_of(*option).empty()) continue;
            out += concat("complete -c tensorloupe-cli -n '__fish_seen_subcommand_from ", command->get_name(), "'");
            for (const auto& name : option->get_snames()) out += concat(" -s ", name);
            for (const auto& name : option->get_lnames()) out += concat(" -l ", name);
            if (takes_value(*option)) out += " -r";
            if (const auto words = words_of(*option); !words.empty())
                out += concat(" -f -a ", fish_quoted(join(words, " ")));
            out += concat(" -d ", fish_quoted(option->get_description()), "\n");
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> manual_kinds() { return {"man", "bash", "zsh", "fish"}; }

std::string manual_of(const CLI::App& app, std::string_view kind) {
    if (kind == "man") return man_page(app);
    if (kind == "bash") return bash_completion(app);
    return kind == "zsh" ? zsh_completion(app) : fish_completion(app);
}

}  // namespace loupe::cli
