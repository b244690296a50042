#include "rules/fit_context.hpp"

#include <algorithm>
#include <utility>

#include "base/characters.hpp"
#include "base/context_limits.hpp"
#include "rules/model_tokens.hpp"
#include "rules/portion.hpp"

namespace belfry::rules {
namespace {

constexpr std::int64_t written_out_tokens = 5;
constexpr std::int64_t blanks_per_token = 4;

std::vector<model::ContextValue> select_named(std::vector<model::ContextValue> in_scope,
                                              const std::vector<std::string>& names) {
    const auto place = [&](const model::ContextValue& value) {
        return std::ranges::find(names, value.key.name) - names.begin();
    };
    std::erase_if(in_scope, [&](const model::ContextValue& value) { return place(value) == std::ssize(names); });
    std::ranges::sort(in_scope, {},
                      [&](const model::ContextValue& value) { return std::pair(place(value), value.key.scope); });
    return in_scope;
}

// Returns the cost of what the estimate does not count, because it is written otherwise than it is stored: a line end
// becomes a line end and an indentation, an invisible character is written out as its number, and a long run of
// blanks is many model tokens.
std::int64_t cost_of_writing(std::string_view text) {
    std::int64_t tokens = 0;
    std::int64_t blanks = 0;
    bool is_after_blank = false;
    while (!text.empty()) {
        const base::Character next = base::first_character(text);
        const bool is_blank = next.code == ' ' || next.code == '\t';
        if (next.code == '\n' || next.code == '\r') ++tokens;
        else if (!is_blank && base::is_harmful(next.code)) tokens += written_out_tokens;
        if (is_blank && is_after_blank) ++blanks;
        is_after_blank = is_blank;
        text.remove_prefix(next.bytes);
    }
    return tokens + blanks / blanks_per_token;
}

std::int64_t cost_of(const model::ContextValue& value) {
    return estimate_model_tokens(value.key.name) + estimate_model_tokens(value.content) +
           cost_of_writing(value.content) + item_overhead_tokens;
}

// Takes the values that fit into `room`; the text begins with a heading.
FittedContext take(const std::vector<model::ContextValue>& wanted, std::int64_t room) {
    FittedContext fitted;
    const std::int64_t heading = estimate_model_tokens(model::context_heading);
    for (const model::ContextValue& value : wanted) {
        const std::int64_t cost = cost_of(value) + (fitted.values.empty() ? heading : 0);
        if (cost > room - fitted.model_tokens) {
            fitted.left_out.push_back(value.key.name);
            continue;
        }
        fitted.model_tokens += cost;
        fitted.values.push_back(value);
    }
    return fitted;
}

}  // namespace

FittedContext fit_context(std::vector<model::ContextValue> in_scope, const model::ContextRequest& request,
                          std::int64_t budget_tokens, std::int64_t spent) {
    if (request.is_empty()) return {};
    const std::vector<model::ContextValue> wanted =
        request.all ? std::move(in_scope) : select_named(std::move(in_scope), request.names);
    const std::int64_t room =
        budget_tokens == 0 ? base::limits::context_tokens_default : std::max<std::int64_t>(budget_tokens - spent, 0);
    FittedContext fitted = take(wanted, room);
    if (fitted.left_out.empty()) return fitted;
    // The line that counts the others needs room. It is there beyond the budget if it must be: an agent that is not
    // told how much it does not know is ignorant.
    const std::int64_t line = estimate_model_tokens(model::context_left_out_line(wanted.size()));
    fitted = take(wanted, room - line);
    fitted.model_tokens += line;
    return fitted;
}

}  // namespace belfry::rules
