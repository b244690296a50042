#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "base/tool_limits.hpp"
#include "base/wake_limits.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/outside_call_waits.hpp"

// Calls of tools for those who carry them out.
namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::int64_t lease_s_max = limits::tool_lease_max.us / 1'000'000;
constexpr std::int64_t wait_s_max = limits::tool_wait_max.us / 1'000'000;
constexpr std::int64_t number_max = std::numeric_limits<std::int64_t>::max();

base::Result<base::Duration> read_seconds(JsonReader& reader, std::int64_t min, std::int64_t max) {
    TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, min, max));
    return base::seconds(seconds);
}

base::Result<model::OutsideCallId> call_id_of_path(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.front());
    if (!id) return base::error(base::Code::invalid, "must be the id of a call", "id");
    return model::OutsideCallId{*id};
}

struct ClaimWords {
    OutsideClaimWish wish;
    base::Duration wait;
};

base::Result<ClaimWords> read_claim(const Exchange& exchange) {
    ClaimWords claim;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "tools") {
            TRY_ASSIGN(claim.wish.tools, read_texts(reader, limits::tool_claim_tools_max, limits::tool_name_bytes_max));
        } else if (name == "holder") {
            TRY_ASSIGN(claim.wish.holder, read_text(reader, 0, limits::wake_holder_bytes_max));
        } else if (name == "lease_s") {
            TRY_ASSIGN(claim.wish.lease, read_seconds(reader, 1, lease_s_max));
        } else if (name == "wait_s") {
            TRY_ASSIGN(claim.wait, read_seconds(reader, 0, wait_s_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (claim.wish.tools.empty()) return missing("tools");
    if (claim.wish.holder.empty()) claim.wish.holder = exchange.principal().id;
    return claim;
}

// Of whatever is said under a claim: which call, its fence, and what `read(reader, name, wish)` makes of the rest.
template <class C, class Read>
base::Result<std::unique_ptr<C>> read_under_claim(const Exchange& exchange, Read&& read) {
    auto wish = std::make_unique<C>();
    TRY_ASSIGN(wish->id, call_id_of_path(exchange));
    wish->bytes = exchange.request.body.size();
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name != "fence") return read(reader, name, *wish);
        TRY_ASSIGN(wish->fence, read_integer(reader, 1, number_max));
        return {};
    }));
    if (wish->fence == 0) return missing("fence");
    return wish;
}

base::Result<std::unique_ptr<ports::RenewOutsideCall>> read_renewal(const Exchange& exchange) {
    TRY_ASSIGN(auto wish,
               read_under_claim<ports::RenewOutsideCall>(
                   exchange, [](JsonReader& reader, std::string_view name, auto& renewal) -> base::Result<void> {
                       if (name != "lease_s") return unknown(reader);
                       TRY_ASSIGN(renewal.lease, read_seconds(reader, 1, lease_s_max));
                       return {};
                   }));
    wish->lane = ports::Lane::control;
    return wish;
}

base::Result<ports::OutsideCallError> read_call_error(JsonReader& reader) {
    ports::OutsideCallError error;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "code") {
            TRY_ASSIGN(error.code, read_scope_id(reader));  // as the message of a result may have it
        } else if (name == "message") {
            TRY_ASSIGN(error.message, read_text(reader, 0, limits::agent_error_message_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (error.code.empty()) return missing("error.code");
    return error;
}

base::Result<std::unique_ptr<ports::EndOutsideCall>> read_end(const Exchange& exchange) {
    int ends = 0;
    TRY_ASSIGN(auto wish,
               read_under_claim<ports::EndOutsideCall>(
                   exchange, [&](JsonReader& reader, std::string_view name, auto& end) -> base::Result<void> {
                       if (name == "result") {
                           TRY_ASSIGN(end.result, read_json_object(reader, limits::agent_message_bytes_max));
                           ++ends;
                       } else if (name == "error") {
                           TRY_ASSIGN(end.error, read_call_error(reader));
                           ++ends;
                       } else if (name == "release") {
                           TRY_ASSIGN(end.release, reader.read_bool());
                           ends += end.release ? 1 : 0;
                       } else {
                           return unknown(reader);
                       }
                       return {};
                   }));
    if (ends == 1) return wish;
    return base::error(base::Code::invalid, "must be given, or an error, or release; and only one of them", "result");
}

template <class C>
void submit_for_call(const Exchange& exchange, base::Result<std::unique_ptr<C>> wish) {
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<model::OutsideCall>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", outside_call_json(*result), {}});
    });
}

base::Result<void> take_parameter(ports::OutsideCallFilter& filter, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "agent") {
        TRY_ASSIGN(filter.agent_id, parse_filter(name, value));
    } else if (name == "tool") {
        TRY_ASSIGN(filter.tool_name, parse_filter(name, value));
    } else if (name == "state") {
        filter.state = model::parse_outside_call_state(value);
        if (filter.state) return {};
        return base::error(base::Code::invalid, "must be queued, claimed, done, failed or abandoned", name);
    } else if (name == "after") {
        const auto id = base::parse_uuid(value);
        if (!id) return base::error(base::Code::invalid, "must be the id of a call", name);
        filter.after = model::OutsideCallId{*id};
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

}  // namespace

void claim_outside_call(const Exchange& exchange) {
    auto claim = read_claim(exchange);
    if (!claim) return exchange.fail(claim.error());
    const base::Duration until = exchange.service.ports.clock.monotonic() + claim->wait;
    exchange.service.outside_call_waits->claim(std::make_unique<HttpAsker>(exchange.reply()), exchange.caller,
                                               std::move(claim->wish), until);
}

void renew_outside_call(const Exchange& exchange) {
    submit_for_call(exchange, read_renewal(exchange));
}

void end_outside_call(const Exchange& exchange) {
    submit_for_call(exchange, read_end(exchange));
}

void get_outside_call(const Exchange& exchange) {
    const auto id = call_id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    exchange.service.ports.queries.outside_call(
        exchange.principal(), *id, [to = exchange.reply()](const base::Result<model::OutsideCall>& found) {
            if (!found) return to.fail(found.error());
            to.respond({200, "application/json", outside_call_json(*found), {}});
        });
}

void list_outside_calls(const Exchange& exchange) {
    ports::OutsideCallFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.outside_calls(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::OutsideCall>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::OutsideCall& last) {
                writer.text(base::format_uuid(last.id.uuid));
            };
            const std::string body = page_body(*result, limit, model::append_outside_call, append_next);
            to.respond({200, "application/json", body, {}});
        });
}

}  // namespace belfry::net::handlers
