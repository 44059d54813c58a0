// SPDX-License-Identifier: Apache-2.0
// What a model makes of the tokens of a text: how likely each was, which matter for a logit, where heads look. The same
// questions as the window's panels ask.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <future>

#include "app/cli/commands.h"
#include "app/cli/written_files.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/queries/attention_map.h"
#include "core/session/queries/attentions.h"
#include "core/session/queries/next_tokens.h"
#include "core/session/queries/run_tokens.h"
#include "core/session/queries/saliency.h"
#include "core/session/queries/tokenize.h"
#include "core/session/session.h"

namespace loupe::cli {
namespace {

constexpr int kMostPlaces = 1'000'000;

template <typename Query>
typename Query::Answer ask(session::Session& session, Query query) {
    std::promise<typename Query::Answer> promise;
    auto answer = promise.get_future();
    session.ask("command line", std::move(query),
                [&](typename Query::Answer each) { promise.set_value(std::move(each)); });
    typename Query::Answer out = answer.get();
    if (!out.error.empty()) throw Error(ErrorKind::Run, out.error);
    return out;
}

// What the session says while it opens and runs.
class Watch final : public session::SessionListener {
  public:
    void on_status(const session::Status& status) override {
        if (status.state == session::RunState::Failed) failure_ = status.error;
    }
    void check(ErrorKind kind) {
        if (!failure_.empty()) throw Error(kind, failure_);
    }

  private:
    std::string failure_;
};

std::string quoted(const session::TokenInfo& token) { return python_repr(std::string_view(token.text)); }

void print_odds(session::Session& session, std::size_t top) {
    const session::NextTokens all =
        ask(session, session::NextTokensQuery{0, kMostPlaces, static_cast<int>(std::max<std::size_t>(top, 1))});
    std::printf("%5s %7s  %-20s %10s %9s %9s  %s\n", "place", "id", "token", "follows", "rank", "entropy", "likeliest");
    for (const session::PlaceOdds& each : all.odds) {
        char follows[32] = "-", rank[32] = "-";
        if (each.has_actual) {
            std::snprintf(follows, sizeof follows, "%.3f %%", each.probability * 100);
            std::snprintf(rank, sizeof rank, "%lld", static_cast<long long>(each.rank));
        }
        std::string likely;
        for (std::size_t i = 0; i < std::min(top, each.top.size()); ++i) {
            char share[32];
            std::snprintf(share, sizeof share, " %.2f %%", each.top[i].probability * 100);
            likely += concat(i > 0 ? ", " : "", quoted(each.top[i].token), share);
        }
        std::printf("%5lld %7lld  %-20s %10s %9s %9.4f  %s\n", static_cast<long long>(each.place),
                    static_cast<long long>(each.token.id), quoted(each.token).c_str(), follows, rank, each.entropy,
                    likely.c_str());
    }
}

void print_scores(const std::vector<session::TokenInfo>& row, const std::vector<session::TokenSaliency>& scores) {
    std::printf("%5s %7s  %-20s %12s %12s\n", "place", "id", "token", "adds", "slope");
    for (std::size_t i = 0; i < scores.size() && i < row.size(); ++i)
        std::printf("%5zu %7lld  %-20s %12.5g %12.5g\n", i, static_cast<long long>(row[i].id), quoted(row[i]).c_str(),
                    scores[i].score, scores[i].norm);
}

void print_saliency(session::Session& session, const TokensArguments& options) {
    const session::RunTokensAnswer tokens = ask(session, session::RunTokensQuery{});
    const session::NextTokens odds = ask(session, session::NextTokensQuery{0, kMostPlaces, 1});
    if (tokens.rows.empty() || odds.odds.empty()) throw Error(ErrorKind::Run, "the model gives no logits of tokens");
    const std::int64_t asked = options.at.value_or(-1), places = std::ssize(odds.odds);
    const std::int64_t place = asked < 0 ? places + asked : asked;
    if (place < 0 || place >= places) throw Error(ErrorKind::Usage, concat("no place ", asked, ": there are ", places));
    const session::PlaceOdds& at = odds.odds[static_cast<std::size_t>(place)];
    if (!options.token && at.top.empty()) throw Error(ErrorKind::Run, "the logits hold NaN");
    session::SaliencyQuery query;
    const std::vector<session::TokenInfo>& row = tokens.rows.front().tokens;
    for (const session::TokenInfo& each : row) query.ids.push_back(each.id);
    if (tokens.scored_row > 0)
        for (const session::TokenInfo& each : tokens.rows[static_cast<std::size_t>(tokens.scored_row)].tokens)
            query.decoder_ids.push_back(each.id);
    query.position = place;
    query.token = options.token.value_or(at.top.empty() ? 0 : at.top.front().token.id);
    const session::Saliency found = ask(session, query);
    const bool is_likeliest = !options.token;
    std::printf("logit %.6g of token %lld%s behind place %lld\n", found.logit, static_cast<long long>(query.token),
                is_likeliest ? concat(" ", quoted(at.top.front().token)).c_str() : "", static_cast<long long>(place));
    print_scores(row, found.tokens);
    if (tokens.scored_row > 0)
        print_scores(tokens.rows[static_cast<std::size_t>(tokens.scored_row)].tokens, found.decoder_tokens);
}

// "model.layers.0.self_attn:3": the site and the head; -1 without one.
std::pair<std::string, std::int64_t> parse_site(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return {text, -1};
    std::int64_t head = -1;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data() + colon + 1, end, head);
    if (failed != std::errc() || stop != end || head < 0)
        throw Error(ErrorKind::Usage, concat(python_repr(std::string_view(text)), " ends with no head"));
    return {text.substr(0, colon), head};
}

// Sites of one module are told apart by their events.
std::string name_of(const std::vector<session::AttentionSite>& all, const session::AttentionSite& site) {
    const auto same = std::ranges::count(all, site.scope, &session::AttentionSite::scope);
    return same > 1 ? concat(site.scope, "@", site.event) : site.scope;
}

void print_weights(session::Session& session, const session::AttentionSite& site, std::int64_t head) {
    session::AttentionMapQuery query;
    query.event = site.event;
    query.head = head;
    query.most = kMostPlaces;
    query.most_of_heads = 0;
    const session::AttentionMap map = ask(session, query);
    std::printf("%-22s", "");
    for (int j = 0; j < map.map.columns; ++j) {
        const auto column = static_cast<std::size_t>(j);
        std::printf(" %9.9s", column < map.key_tokens.size() ? quoted(map.key_tokens[column]).c_str()
                                                             : std::to_string(j).c_str());
    }
    std::printf("\n");
    for (int i = 0; i < map.map.rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        std::printf("%5d %-16.16s", i, row < map.query_tokens.size() ? quoted(map.query_tokens[row]).c_str() : "");
        for (int j = 0; j < map.map.columns; ++j)
            std::printf(
                " %9.4f",
                static_cast<double>(
                    map.map.weights[row * static_cast<std::size_t>(map.map.columns) + static_cast<std::size_t>(j)]));
        std::printf("\n");
    }
}

// [heads, queries, keys] of the first of the batch.
Tensor weights_of(session::Session& session, const session::AttentionSite& site) {
    const Tensor out =
        loupe::empty(std::vector<std::int64_t>{site.heads, site.queries, site.keys}, ScalarType::Float32);
    auto* to = out.data<float>();
    for (std::int64_t head = 0; head < site.heads; ++head) {
        session::AttentionMapQuery query;
        query.event = site.event;
        query.head = head;
        query.most = kMostPlaces;
        query.most_of_heads = 0;
        to = std::ranges::copy(ask(session, query).map.weights, to).out;
    }
    return out;
}

void print_attention(session::Session& session, const TokensArguments& options) {
    const auto all = ask(session, session::AttentionsQuery{}).sites;
    if (all.empty()) throw Error(ErrorKind::Run, "the run has no attention");
    if (!options.site.empty()) {
        const auto [name, head] = parse_site(options.site);
        const auto found =
            std::ranges::find_if(all, [&, &name = name](const auto& each) { return name_of(all, each) == name; });
        if (found == all.end())
            throw Error(ErrorKind::Usage, concat("no attention ", python_repr(std::string_view(name))),
                        {.hint = "--attention alone lists them"});
        print_weights(session, *found, head);
    } else {
        std::printf("%5s  %-40s %6s %8s %6s\n", "event", "site", "heads", "queries", "keys");
        for (const session::AttentionSite& each : all)
            std::printf("%5u  %-40s %6lld %8lld %6lld\n", each.event, name_of(all, each).c_str(),
                        static_cast<long long>(each.heads), static_cast<long long>(each.queries),
                        static_cast<long long>(each.keys));
    }
    if (options.outputs_file.empty()) return;
    NamedTensors weights;
    for (const session::AttentionSite& each : all) weights.emplace_back(name_of(all, each), weights_of(session, each));
    write_npz(options.outputs_file, weights);
}

}  // namespace

int run_tokens(const TokensArguments& options) {
    check_npz_name({"--outputs", options.outputs_file});
    check_written_files({{"--outputs", options.outputs_file}}, read_files(options.run));
    {
        // What takes no text is refused as by other commands.
        const auto program = open_program(options.run);
        if (!program) throw Error(ErrorKind::File, "holds no model", {.file = options.run.model});
        const session::TextModel model(program, options.run.model);
    }
    Watch watch;
    session::Session session(&watch);
    session.open(options.run.model);
    session.wait_idle();
    watch.check(ErrorKind::File);
    const session::TokenizedText text = ask(session, session::TokenizeQuery{*options.run.text, {}});
    session.set_inputs(text.inputs);
    session::RunOptions run;
    run.seed = options.run.seed;
    run.device = options.run.device;
    run.threads = options.run.threads;
    run.statistics = false;
    session.run(run);
    session.wait_idle();
    watch.check(ErrorKind::Run);
    if (options.saliency)
        print_saliency(session, options);
    else if (options.attention)
        print_attention(session, options);
    else
        print_odds(session, options.top);
    return 0;
}

}  // namespace loupe::cli
