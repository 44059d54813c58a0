// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graph text without what PyTorch and we may number and order differently.

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace loupe::test {

// Constants stand where they are used, other values are renamed by order of appearance; source places, mangles of
// class names and the numbers that warnings have in a process are taken off.
class CanonicalText {
  public:
    explicit CanonicalText(std::string_view text) {
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            add_line(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    std::string take() { return std::move(out_); }

  private:
    static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

    void add_line(std::string_view line) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (line.starts_with("with ")) {  // a subgraph has names of its own
            constants_.clear();
            names_.clear();
        }
        const std::size_t constant = std::min(line.find(" = prim::Constant["), line.find(" = prim::Constant("));
        if (constant != std::string_view::npos && line[begin] == '%') {
            const std::size_t colon = line.find(" : ");
            const std::size_t value = constant + std::string_view(" = prim::Constant").size();
            const std::size_t end = std::min(line.rfind("()"), line.size());
            constants_[std::string(line.substr(begin + 1, colon - begin - 1))] =
                "<" + std::string(line.substr(colon + 3, constant - colon - 3)) +
                std::string(line.substr(value, end - value)) + ">";
            return;
        }
        for (std::size_t i = 0; i < line.size();) i = add_token(line, i);
        out_ += '\n';
    }

    std::size_t add_token(std::string_view line, std::size_t i) {
        const std::size_t begin = i;
        if (line[i] == '"') {
            for (++i; i < line.size() && line[i] != '"';) i += line[i] == '\\' ? 2 : 1;
            out_ += line.substr(begin, i + 1 - begin);
            return i + 1;
        }
        if (line[i] == '%') {
            while (++i < line.size() && is_name(line[i])) continue;
            add_value(std::string(line.substr(begin + 1, i - begin - 1)));
            return i;
        }
        constexpr std::string_view kMangle = "___torch_mangle_";
        if (line.substr(i).starts_with(kMangle)) {
            for (i += kMangle.size(); std::isdigit(static_cast<unsigned char>(line[i])) != 0;) ++i;
            return i + 1;
        }
        if (line.substr(i).starts_with("[warn_id=")) return line.find(']', i) + 1;
        if (line.substr(i).starts_with(" # ")) return line.size();
        out_ += line[i];
        return i + 1;
    }

    void add_value(const std::string& name) {
        if (const auto found = constants_.find(name); found != constants_.end()) {
            out_ += found->second;
            return;
        }
        out_ += "%" + std::to_string(names_.try_emplace(name, names_.size()).first->second);
    }

    std::map<std::string, std::string> constants_;
    std::map<std::string, std::size_t> names_;
    std::string out_;
};

inline std::string canonical(std::string_view text) { return CanonicalText(text).take(); }

inline std::size_t count_constants(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("= prim::Constant"); at != std::string_view::npos;
         at = text.find("= prim::Constant", at + 1))
        ++count;
    return count;
}

}  // namespace loupe::test
