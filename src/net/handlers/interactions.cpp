#include "ports/commands/interactions.hpp"

#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/interaction_waits.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
using Answered = base::Result<model::Interaction>;

constexpr std::int64_t timeout_s_max = limits::interaction_time_max.us / 1'000'000;
constexpr std::uint64_t wait_s_max = limits::interaction_wait_max.us / 1'000'000;

base::Result<void> read_question_member(JsonReader& reader, std::string_view name, ports::AskInteraction& wish,
                                        bool& has_kind) {
    model::Interaction& draft = wish.draft;
    if (name == "kind") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto kind = model::parse_interaction_kind(text);
        if (!kind) return reader.invalid("must be confirmation or elicitation");
        draft.kind = *kind;
        has_kind = true;
    } else if (name == "message") {
        TRY_ASSIGN(draft.message, read_text(reader, 1, limits::interaction_message_bytes_max));
    } else if (name == "tool_name") {
        TRY_ASSIGN(draft.tool_name, read_text(reader, 1, limits::tool_name_bytes_max));
    } else if (name == "arguments") {
        TRY_ASSIGN(draft.arguments, read_json_object(reader, limits::interaction_arguments_bytes_max));
    } else if (name == "schema") {
        TRY_ASSIGN(draft.schema, read_json_object(reader, limits::interaction_schema_bytes_max));
    } else if (name == "run_id") {
        TRY_ASSIGN(draft.run_id, read_integer(reader, 1, std::numeric_limits<std::int64_t>::max()));
    } else if (name == "timeout_s") {
        TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, 1, timeout_s_max));
        wish.time = base::seconds(seconds);
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::AskInteraction>> read_question(const Exchange& exchange) {
    auto wish = std::make_unique<ports::AskInteraction>();
    TRY_ASSIGN(wish->draft.session_id, scope_id_of_path(exchange, "session_id"));
    bool has_kind = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) { return read_question_member(reader, name, *wish, has_kind); }));
    if (!has_kind) return missing("kind");
    if (wish->draft.message.empty()) return missing("message");
    wish->bytes = exchange.request.body.size();
    return wish;
}

base::Result<model::InteractionId> id_of_path(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.front());
    if (!id) return base::error(base::Code::not_found, "there is no such interaction", "id");
    return model::InteractionId{*id};
}

base::Result<std::unique_ptr<ports::AnswerInteraction>> read_answer(const Exchange& exchange) {
    auto wish = std::make_unique<ports::AnswerInteraction>();
    TRY_ASSIGN(wish->id, id_of_path(exchange));
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "decision") {
            TRY_ASSIGN(wish->answer.decision, read_text(reader, 0, limits::tool_name_bytes_max));
        } else if (name == "action") {
            TRY_ASSIGN(wish->answer.action, read_text(reader, 0, limits::tool_name_bytes_max));
        } else if (name == "content") {
            TRY_ASSIGN(wish->answer.content, read_json_object(reader, limits::interaction_content_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    wish->bytes = exchange.request.body.size();
    return wish;
}

template <class C>
void submit(const Exchange& exchange, std::unique_ptr<C> command, int status) {
    command->lane = ports::Lane::control;
    exchange.submit(std::move(command), [status](const Reply& to, const Answered& result) {
        if (!result) return to.fail(result.error());
        answer_interaction_with(to, status, *result);
    });
}

base::Result<void> take_parameter(ports::InteractionFilter& filter, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "session") {
        TRY_ASSIGN(filter.session_id, parse_filter(name, value));
    } else if (name == "state") {
        filter.state = model::parse_interaction_state(value);
        if (!filter.state) {
            return base::error(base::Code::invalid, "must be pending, answered, expired or withdrawn", "state");
        }
    } else if (name == "always_allowed") {
        if (value != "true") return base::error(base::Code::invalid, "must be true", name);
        filter.allowing = true;
    } else if (name == "after") {
        TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value, "after"));
        filter.after = static_cast<std::int64_t>(after);
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

std::string interaction_page(const std::vector<model::Interaction>& found, std::size_t limit) {
    return page_body(found, limit, model::append_interaction,
                     [](model::JsonWriter& writer, const model::Interaction& last) { writer.number(last.ordinal); });
}

base::Result<base::Duration> read_wait(const Exchange& exchange) {
    std::uint64_t seconds = 0;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name != "wait_s") return unknown_parameter(name);
        TRY_ASSIGN(seconds, codec::parse_position(value, "wait_s"));
        if (seconds <= wait_s_max) return {};
        return base::error(base::Code::invalid, "must lie between 0 and " + std::to_string(wait_s_max), "wait_s");
    }));
    return base::seconds(static_cast<std::int64_t>(seconds));
}

}  // namespace

void ask_interaction(const Exchange& exchange) {
    auto wish = read_question(exchange);
    if (!wish) return exchange.fail(wish.error());
    submit(exchange, std::move(wish).value(), 201);
}

void answer_interaction(const Exchange& exchange) {
    auto wish = read_answer(exchange);
    if (!wish) return exchange.fail(wish.error());
    submit(exchange, std::move(wish).value(), 200);
}

void withdraw_interaction(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    auto wish = std::make_unique<ports::WithdrawInteraction>();
    wish->id = *id;
    submit(exchange, std::move(wish), 200);
}

void take_back_allowance(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    auto wish = std::make_unique<ports::TakeBackAllowance>();
    wish->id = *id;
    submit(exchange, std::move(wish), 200);
}

void list_interactions(const Exchange& exchange) {
    ports::InteractionFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.interactions(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::Interaction>>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", interaction_page(*result, limit), {}});
        });
}

void get_interaction(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    const auto wait = read_wait(exchange);
    if (!wait) return exchange.fail(wait.error());
    const base::Duration until = exchange.service.ports.clock.monotonic() + *wait;
    exchange.service.ports.queries.interaction(
        exchange.principal(), *id,
        [to = exchange.reply(), caller = exchange.caller, wait = *wait, until](const Answered& result) {
            if (!result) return to.fail(result.error());
            const bool waits = wait.us > 0 && result->state == model::InteractionState::pending;
            if (!waits) return answer_interaction_with(to, 200, *result);
            to.service().interaction_waits->wait(to, caller, *result, until);
        });
}

}  // namespace belfry::net::handlers
