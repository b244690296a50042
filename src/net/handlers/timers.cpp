#include "ports/commands/timers.hpp"

#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "codec/timer_json.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::size_t word_bytes_max = 256;  // of a schedule: what it may be is the engine's to say
constexpr std::size_t days_max = 7;
constexpr std::string_view last_of_all = "stopped";  // where a timer that does not fire any more stands in a list

base::Result<model::ScheduleWords> read_words(JsonReader& reader) {
    model::ScheduleWords words;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "kind") {
            TRY_ASSIGN(words.kind, read_text(reader, 1, word_bytes_max));
        } else if (name == "cron") {
            TRY_ASSIGN(words.cron, read_text(reader, 1, word_bytes_max));
        } else if (name == "time") {
            TRY_ASSIGN(words.time, read_text(reader, 1, word_bytes_max));
        } else if (name == "days") {
            TRY_ASSIGN(words.days, read_texts(reader, days_max, word_bytes_max));
        } else if (name == "interval") {
            TRY_ASSIGN(words.interval, read_text(reader, 1, word_bytes_max));
        } else if (name == "anchor") {
            TRY_ASSIGN(words.anchor, read_time(reader));
        } else if (name == "at") {
            TRY_ASSIGN(words.at, read_time(reader));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return words;
}

// The members that a new timer and a change have in common; false: it is none of them.
template <class Command>
base::Result<bool> read_shared_member(JsonReader& reader, std::string_view name, Command& command) {
    if (name == "name") {
        TRY_ASSIGN(command.name, read_text(reader, 1, limits::timer_name_bytes_max));
    } else if (name == "schedule") {
        TRY_ASSIGN(command.schedule, read_words(reader));
    } else if (name == "zone") {
        TRY_ASSIGN(command.zone, read_text(reader, 1, word_bytes_max));
    } else if (name == "input") {
        TRY_ASSIGN(command.input, read_json_object(reader, limits::timer_input_bytes_max));
    } else if (name == "priority") {
        TRY_ASSIGN(command.priority, read_integer(reader, -limits::wake_priority_max, limits::wake_priority_max));
    } else if (name == "active") {
        TRY_ASSIGN(command.active, reader.read_bool());
    } else {
        return false;
    }
    return true;
}

base::Result<model::TimerId> id_of_path(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.at(1));
    if (!id) return base::error(base::Code::not_found, "this agent has no such timer", "id");
    return model::TimerId{*id};
}

std::string timer_body(const model::ShownTimer& shown) {
    std::string body;
    model::JsonWriter writer(body);
    codec::write_timer(writer, shown);
    return body;
}

// `<microseconds>.<id>`, or `stopped.<id>`.
std::string place_of(const model::AgentTimer& timer) {
    const std::string at = timer.next_run_at ? std::to_string(timer.next_run_at->us) : std::string(last_of_all);
    return at + '.' + base::format_uuid(timer.id.uuid);
}

base::Result<ports::TimerPlace> parse_place(const std::string& text) {
    const auto wrong = [] { return base::error(base::Code::invalid, "must be `next` of the page before", "after"); };
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos) return wrong();
    const auto id = base::parse_uuid(std::string_view(text).substr(dot + 1));
    if (!id) return wrong();
    ports::TimerPlace place;
    place.id = {*id};
    const std::string_view at = std::string_view(text).substr(0, dot);
    if (at == last_of_all) return place;
    base::Timestamp next;
    const auto read = std::from_chars(at.data(), at.data() + at.size(), next.us);
    if (read.ec != std::errc{} || read.ptr != at.data() + at.size()) return wrong();
    place.next_run_at = next;
    return place;
}

void list(const Exchange& exchange, ports::TimerFilter filter, bool of_one_agent) {
    filter.limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(filter.after, parse_place(value));
            } else if (name == "limit") {
                TRY_ASSIGN(filter.limit, parse_limit(value));
            } else if (name == "user" && !of_one_agent) {
                TRY_ASSIGN(filter.user_id, parse_filter(name, value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.timers(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::ShownTimer>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::ShownTimer& last) {
                writer.text(place_of(last.timer));
            };
            to.respond({200, "application/json", page_body(*result, limit, codec::write_timer, append_next), {}});
        });
}

}  // namespace

void add_timer(const Exchange& exchange) {
    auto command = std::make_unique<ports::AddTimer>();
    command->agent_id = exchange.captures.front();
    JsonReader reader(exchange.request.body);
    const auto read = read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "dry_run") {
            TRY_ASSIGN(command->dry_run, reader.read_bool());
            return {};
        }
        TRY_ASSIGN(const bool is_known, read_shared_member(reader, name, *command));
        return is_known ? base::Result<void>{} : unknown(reader);
    });
    if (!read.ok()) return exchange.fail(read.error());
    if (command->name.empty()) return exchange.fail(missing("name"));
    if (command->schedule.kind.empty()) return exchange.fail(missing("schedule.kind"));
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::AddedTimer>& result) {
        if (!result) return to.fail(result.error());
        to.respond({result->is_new ? 201 : 200, "application/json", timer_body(result->shown), {}});
    });
}

void change_timer(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    auto command = std::make_unique<ports::ChangeTimer>();
    command->agent_id = exchange.captures.front();
    command->id = *id;
    JsonReader reader(exchange.request.body);
    const auto read = read_body(reader, [&](std::string_view name) -> base::Result<void> {
        TRY_ASSIGN(const bool is_known, read_shared_member(reader, name, *command));
        return is_known ? base::Result<void>{} : unknown(reader);
    });
    if (!read.ok()) return exchange.fail(read.error());
    command->bytes = exchange.request.body.size();
    command->done = [to = exchange.reply()](const base::Result<model::ShownTimer>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", timer_body(*result), {}});
    };
    exchange.submit(std::move(command));
}

void delete_timer(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    auto command = std::make_unique<ports::DeleteTimer>();
    command->agent_id = exchange.captures.front();
    command->id = *id;
    command->done = [to = exchange.reply()](const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({204, "", "", {}});
    };
    exchange.submit(std::move(command));
}

void get_timer(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    exchange.service.ports.queries.timer(exchange.principal(), exchange.captures.front(), *id,
                                         [to = exchange.reply()](const base::Result<model::ShownTimer>& result) {
                                             if (!result) return to.fail(result.error());
                                             to.respond({200, "application/json", timer_body(*result), {}});
                                         });
}

void list_agent_timers(const Exchange& exchange) {
    ports::TimerFilter filter;
    filter.agent_id = exchange.captures.front();
    list(exchange, std::move(filter), true);
}

void list_timers(const Exchange& exchange) {
    list(exchange, {}, false);
}

}  // namespace belfry::net::handlers
