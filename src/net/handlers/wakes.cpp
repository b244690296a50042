#include "ports/commands/wakes.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/wake_limits.hpp"
#include "codec/sse.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/worker_words.hpp"
#include "net/wake_waits.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::int64_t wait_s_max = limits::wake_wait_max.us / 1'000'000;

struct WakeWords {
    std::string request_id;
    std::string turn_id;
};

base::Result<void> read_wake_member(JsonReader& reader, std::string_view name, ports::WakeAgent& wish,
                                    WakeWords& words) {
    if (name == "reason") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        if (text != "manual" && text != "user_initiated") return reader.invalid("must be manual or user_initiated");
        wish.reason = *model::parse_wake_reason(text);
    } else if (name == "request_id") {
        TRY_ASSIGN(words.request_id, read_text(reader, 1, limits::wake_request_id_bytes_max));
    } else if (name == "turn_id") {
        TRY_ASSIGN(words.turn_id, read_text(reader, 1, limits::wake_request_id_bytes_max));
    } else if (name == "session_id") {
        TRY_ASSIGN(wish.session_id, read_scope_id(reader));
    } else if (name == "input") {
        TRY_ASSIGN(wish.input, read_json_object(reader, limits::wake_input_bytes_max));
    } else {
        return unknown(reader);
    }
    return {};
}

// A wake by hand has a request, a person's has his session and turn. What is the same wakes once, so that a name that
// the caller leaves out is made here.
base::Result<void> settle_names(const Exchange& exchange, ports::WakeAgent& wish, WakeWords words) {
    const bool is_persons = wish.reason == model::WakeReason::user_initiated;
    if (is_persons && wish.session_id.empty()) return missing("session_id");
    if (is_persons && !words.request_id.empty()) {
        return base::error(base::Code::invalid, "belongs to a manual wake; a person's has a turn_id", "request_id");
    }
    if (!is_persons && !words.turn_id.empty()) {
        return base::error(base::Code::invalid, "belongs to a user_initiated wake; a manual one has a request_id",
                           "turn_id");
    }
    wish.request_id = std::move(is_persons ? words.turn_id : words.request_id);
    if (!wish.request_id.empty()) return {};
    ports::Random& random = exchange.service.ports.random;
    wish.request_id =
        base::format_uuid(base::make_uuid7(exchange.service.ports.clock.now(), random.next(), random.next()));
    return {};
}

base::Result<std::unique_ptr<ports::CancelWake>> read_cancel(const Exchange& exchange) {
    auto wish = std::make_unique<ports::CancelWake>();
    TRY_ASSIGN(wish->id, wake_id_of_path(exchange));
    wish->lane = ports::Lane::control;
    wish->bytes = exchange.request.body.size();
    TRY(read_optional_body(exchange.request, [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
        if (name != "reason") return unknown(reader);
        TRY_ASSIGN(wish->reason, read_text(reader, 0, limits::run_reason_bytes_max));
        return {};
    }));
    return wish;
}

template <class C>
void submit_for_wake(const Exchange& exchange, base::Result<std::unique_ptr<C>> wish) {
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<model::Wake>& result) {
        if (!result) return to.fail(result.error());
        answer_wake(to, 200, *result);
    });
}

base::Result<void> take_parameter(ports::WakeFilter& filter, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "agent") {
        TRY_ASSIGN(filter.agent_id, parse_filter(name, value));
    } else if (name == "state") {
        filter.state = model::parse_wake_state(value);
        if (!filter.state) {
            return base::error(base::Code::invalid,
                               "must be queued, running, completed, failed, cancelled, coalesced, no_turn, sleeping, "
                               "dormant, destroyed, refused or not_needed",
                               name);
        }
    } else if (name == "open") {
        if (value != "true") return base::error(base::Code::invalid, "must be true", name);
        filter.open = true;
    } else if (name == "after") {
        TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value));
        filter.after = static_cast<model::WakeId>(after);
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

base::Result<base::Duration> read_wait(const Exchange& exchange) {
    std::uint64_t seconds = 0;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name != "wait_s") return unknown_parameter(name);
        TRY_ASSIGN(seconds, codec::parse_position(value, "wait_s"));
        if (seconds <= static_cast<std::uint64_t>(wait_s_max)) return {};
        return base::error(base::Code::invalid, "must lie between 0 and " + std::to_string(wait_s_max), "wait_s");
    }));
    return base::seconds(static_cast<std::int64_t>(seconds));
}

}  // namespace

void wake_agent(const Exchange& exchange) {
    auto command = std::make_unique<ports::WakeAgent>();
    command->agent_id = exchange.captures.front();
    WakeWords words;
    auto read = read_optional_body(exchange.request, [&](JsonReader& reader, std::string_view name) {
        return read_wake_member(reader, name, *command, words);
    });
    if (read.ok()) read = settle_names(exchange, *command, std::move(words));
    if (!read.ok()) return exchange.fail(read.error());
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::AddedWake>& result) {
        if (!result) return to.fail(result.error());
        answer_wake(to, result->is_new ? 201 : 200, result->wake);
    });
}

void list_wakes(const Exchange& exchange) {
    ports::WakeFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.wakes(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::Wake>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::Wake& last) { writer.number(last.id); };
            to.respond({200, "application/json", page_body(*result, limit, model::append_wake, append_next), {}});
        });
}

void get_wake(const Exchange& exchange) {
    const auto id = wake_id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    const auto wait = read_wait(exchange);
    if (!wait) return exchange.fail(wait.error());
    const base::Duration until = exchange.service.ports.clock.monotonic() + *wait;
    exchange.service.ports.queries.wake(
        exchange.principal(), *id,
        [to = exchange.reply(), caller = exchange.caller, wait = *wait, until](const base::Result<model::Wake>& found) {
            if (!found) return to.fail(found.error());
            if (wait.us == 0 || model::is_ended(found->state)) return answer_wake(to, 200, *found);
            to.service().wake_waits->look(std::make_unique<HttpAsker>(to), caller, *found, until);
        });
}

void list_wake_signals(const Exchange& exchange) {
    const auto id = wake_id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    std::uint64_t after = 0;
    std::size_t limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(after, codec::parse_position(value));
            } else if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.wake_signals(
        exchange.principal(), *id, static_cast<std::int64_t>(after), limit + 1,
        [to = exchange.reply(), limit](const base::Result<std::vector<model::WakeSignal>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::WakeSignal& last) {
                writer.number(last.ordinal);
            };
            const std::string body = page_body(*result, limit, model::append_wake_signal, append_next);
            to.respond({200, "application/json", body, {}});
        });
}

void claim_wake(const Exchange& exchange) {
    auto claim = read_claim({Way::request, exchange.request.body}, exchange.principal());
    if (!claim) return exchange.fail(claim.error());
    const base::Duration until = exchange.service.ports.clock.monotonic() + *claim->wait;
    exchange.service.wake_waits->claim(std::make_unique<HttpAsker>(exchange.reply()), exchange.caller,
                                       std::move(claim->wish), until);
}

void renew_wake(const Exchange& exchange) {
    const auto words = worker_words_of(exchange);
    if (!words) return exchange.fail(words.error());
    submit_for_wake(exchange, read_renewal(*words));
}

void end_wake(const Exchange& exchange) {
    const auto words = worker_words_of(exchange);
    if (!words) return exchange.fail(words.error());
    submit_for_wake(exchange, read_end(*words));
}

void cancel_wake(const Exchange& exchange) {
    submit_for_wake(exchange, read_cancel(exchange));
}

}  // namespace belfry::net::handlers
