// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/source_parts.h"

#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "core/script/lexer.h"

namespace loupe::python {

using script::Range;

namespace {

bool is_layout(script::Token kind) {
    return kind == script::Token::Newline || kind == script::Token::Indent || kind == script::Token::Dedent ||
           kind == script::Token::End;
}

std::string_view text_of(const Unit& unit, Range range) {
    return std::string_view(unit.source->text()).substr(range.begin, range.end - range.begin);
}

// From the first statement, its docstring left out, to the end of the last.
Range body_of(const Code& code, const void* node) {
    if (code.kind == ScopeKind::Lambda) return static_cast<const script::Lambda*>(node)->body->range;
    const Range whole = script::full_range(*static_cast<const script::Def*>(node));
    if (code.body.empty()) return {whole.end, whole.end};
    return {script::full_range(*code.body.front()).begin, whole.end};
}

// f(, f()(, f[i](: what stands before the parenthesis is called.
bool can_be_called(script::Token kind) {
    return kind == script::Token::Name || kind == script::Token::RightParen || kind == script::Token::RightBracket;
}

}  // namespace

SourceParts::SourceParts(const Unit& unit) : unit_(unit) {
    find_functions();
    for (const script::PlacedToken& token : script::tokenize(unit.source, script::Dialect::Python).tokens) {
        int owner = -1;
        for (std::size_t i = 0; i < functions_.size(); ++i) {
            const Range body = functions_[i].body;
            if (token.range.begin < body.begin || token.range.begin >= body.end) continue;
            // The innermost is the shortest.
            const Range best =
                owner < 0 ? Range{0, ~std::uint32_t{0}} : functions_[static_cast<std::size_t>(owner)].body;
            if (body.end - body.begin <= best.end - best.begin) owner = static_cast<int>(i);
        }
        tokens_.push_back({static_cast<std::uint8_t>(token.kind), token.range, owner});
    }
    for (Function& function : functions_) {
        Words found = words(function.body, &function);
        function.tokens = std::move(found.tokens);
        function.names = std::move(found.names);
    }
    add_items(unit.tree->body, {}, nullptr);
}

void SourceParts::find_functions() {
    for (const auto& [node, code] : unit_.scopes.codes) {
        if (code->kind != ScopeKind::Function && code->kind != ScopeKind::Lambda) continue;
        functions_.push_back({code->qualified_name, code.get(), body_of(*code, node), {}, {}});
    }
    // By its place: the table has no order.
    std::sort(functions_.begin(), functions_.end(),
              [](const Function& a, const Function& b) { return a.body.begin < b.body.begin; });
    std::map<std::string, int> count;
    for (Function& function : functions_) {
        if (const int before = count[function.key]++; before > 0) function.key += concat("#", before);
    }
}

SourceParts::Words SourceParts::words(Range range, const Function* owner) const {
    const int wanted = owner == nullptr ? -1 : static_cast<int>(owner - functions_.data());
    Words out;
    script::Token last = script::Token::End;
    bool begins = owner != nullptr && owner->code->has_doc;
    for (const Token& token : tokens_) {
        if (token.range.begin < range.begin || token.range.begin >= range.end || token.owner != wanted) continue;
        const auto kind = static_cast<script::Token>(token.kind);
        const bool is_doc = begins && (kind == script::Token::String || is_layout(kind));
        if (is_doc) continue;
        begins = false;
        out.has_call |= kind == script::Token::LeftParen && can_be_called(last);
        last = kind;
        // Outside of functions each statement is on its own.
        if (owner == nullptr && is_layout(kind)) continue;
        out.tokens += static_cast<char>(token.kind + 1);
        if (is_layout(kind)) continue;
        const std::string_view text = text_of(unit_, token.range);
        if (kind == script::Token::Name) out.names.emplace(text);
        if (kind == script::Token::Name || kind == script::Token::Number || kind == script::Token::String) {
            out.tokens += text;
            out.tokens += '\x7f';
        }
    }
    return out;
}

SourceParts::Item SourceParts::item_of(const script::Stmt* statement) const {
    Item item;
    item.statement = statement;
    const Range whole = script::full_range(*statement);
    item.range = {unit_.source, statement->range.begin, statement->range.end};
    Range own = whole;
    if (const auto* def = script::as<script::Def>(statement)) {
        item.kind = Item::Kind::Function;
        item.code = &unit_.code_of(def);
        item.name = item.code->qualified_name;
    } else if (const auto* cls = script::as<script::Class>(statement)) {
        item.kind = Item::Kind::Class;
        item.name = unit_.code_of(cls).qualified_name;
        item.bound = {unit_.code_of(cls).name};
        if (!cls->body.empty()) own.end = script::full_range(*cls->body.front()).begin;
    }
    Words found = words(own, nullptr);
    item.tokens = std::move(found.tokens);
    item.names = std::move(found.names);
    if (const auto* assign = script::as<script::Assign>(statement);
        assign != nullptr && assign->targets.size() == 1 && assign->value != nullptr && !found.has_call) {
        if (const auto* name = script::as<script::Name>(assign->targets[0])) {
            item.kind = Item::Kind::Constant;
            item.bound = {std::string(text_of(unit_, name->range))};
            item.name = item.bound.front();
        }
    }
    const auto bind_all = [&](std::span<const script::ImportName> names) {
        item.kind = Item::Kind::Import;
        for (const script::ImportName& name : names) {
            if (name.name == "*") item.kind = Item::Kind::Other;
            item.bound.emplace_back(name.bound);
        }
        item.name = item.bound.empty() ? std::string() : item.bound.front();
    };
    if (const auto* import = script::as<script::Import>(statement)) bind_all(import->names);
    if (const auto* from = script::as<script::ImportFrom>(statement)) bind_all(from->names);
    return item;
}

void SourceParts::add_items(script::Body body, const std::string& scope, const Code* in_class) {
    for (const script::Stmt* statement : body) {
        Item item = item_of(statement);
        item.scope = scope;
        item.in_class = in_class;
        // A docstring, or a comment of that form.
        const auto* expression = script::as<script::ExprStmt>(statement);
        if (expression != nullptr && script::as<script::String>(expression->value) != nullptr) continue;
        const auto* cls = script::as<script::Class>(statement);
        const std::string name = item.name;
        items_.push_back(std::move(item));
        if (cls != nullptr) add_items(cls->body, name, &unit_.code_of(cls));
    }
}

const SourceParts::Function* SourceParts::find(std::string_view key) const {
    const auto found =
        std::find_if(functions_.begin(), functions_.end(), [&](const Function& each) { return each.key == key; });
    return found == functions_.end() ? nullptr : &*found;
}

const SourceParts::Function* SourceParts::find(const Code& code) const {
    const auto found =
        std::find_if(functions_.begin(), functions_.end(), [&](const Function& each) { return each.code == &code; });
    return found == functions_.end() ? nullptr : &*found;
}

}  // namespace loupe::python
