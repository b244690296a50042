#include <limits>
#include <utility>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "codec/run_event_bodies.hpp"
#include "codec/run_json.hpp"
#include "codec/sse.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/run_words.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

// An id of blanks only names nothing.
base::Result<std::string> read_visible_id(JsonReader& reader) {
    TRY_ASSIGN(std::string id, read_scope_id(reader));
    if (base::is_blank(id)) return reader.invalid("must not be blank");
    return id;
}

base::Result<void> read_run_member(JsonReader& reader, std::string_view name, ports::CreateRun& wish) {
    if (name == "user_id") {
        TRY_ASSIGN(wish.user_id, read_scope_id(reader));
    } else if (name == "session_id") {
        TRY_ASSIGN(wish.session_id, read_scope_id(reader));
    } else if (name == "agent_id") {
        TRY_ASSIGN(wish.agent_id, read_visible_id(reader));
    } else if (name == "hierarchy_id") {
        TRY_ASSIGN(wish.hierarchy_id, read_visible_id(reader));
    } else if (name == "run_key") {
        TRY_ASSIGN(wish.run_key, read_text(reader, 1, limits::run_key_bytes_max));
    } else if (name == "parent_id") {
        TRY_ASSIGN(wish.parent_id, read_integer(reader, 1, std::numeric_limits<std::int64_t>::max()));
    } else if (name == "title") {
        TRY_ASSIGN(wish.title, read_text(reader, 0, limits::run_title_bytes_max));
    } else if (name == "metadata") {
        TRY_ASSIGN(wish.metadata, read_json_object(reader, limits::run_metadata_bytes_max));
    } else if (name == "caller") {
        TRY_ASSIGN(wish.caller, codec::read_caller(reader));
    } else if (name == "tree") {
        TRY_ASSIGN(wish.tree, reader.read_bool());
    } else if (name == "start") {
        TRY_ASSIGN(wish.start, reader.read_bool());
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::FinishRun>> read_finish(const Exchange& exchange) {
    auto wish = std::make_unique<ports::FinishRun>();
    TRY_ASSIGN(wish->run_id, run_id_of_path(exchange));
    bool has_state = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "state") {
            TRY_ASSIGN(const std::string_view text, reader.read_string());
            if (text != "completed" && text != "failed") return reader.invalid("must be completed or failed");
            wish->state = *model::parse_run_state(text);
            has_state = true;
        } else if (name == "result") {
            TRY_ASSIGN(wish->result, read_run_result(reader));
        } else if (name == "error") {
            TRY_ASSIGN(wish->error, read_run_error(reader));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (!has_state) return missing("state");
    if (wish->state == model::RunState::completed && wish->error) {
        return base::error(base::Code::invalid, "belongs to a failed run", "error");
    }
    if (wish->state == model::RunState::failed && wish->result) {
        return base::error(base::Code::invalid, "belongs to a completed run", "result");
    }
    return wish;
}

template <class C>
void submit_for_run(const Exchange& exchange, base::Result<std::unique_ptr<C>> wish, ports::Lane lane) {
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->lane = lane;
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<model::Run>& result) {
        if (!result) return to.fail(result.error());
        answer_run(to, 200, *result);
    });
}

base::Result<std::unique_ptr<ports::PauseRun>> read_pause(const Exchange& exchange, bool paused) {
    auto wish = std::make_unique<ports::PauseRun>();
    TRY_ASSIGN(wish->run_id, run_id_of_path(exchange));
    TRY(read_optional_body(exchange.request,
                           [](JsonReader& reader, std::string_view) -> base::Result<void> { return unknown(reader); }));
    wish->paused = paused;
    return wish;
}

base::Result<void> take_parameter(ports::RunFilter& filter, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "session") {
        TRY_ASSIGN(filter.session_id, parse_filter(name, value));
    } else if (name == "agent") {
        TRY_ASSIGN(filter.agent_id, parse_filter(name, value));
    } else if (name == "state") {
        filter.state = model::parse_run_state(value);
        if (!filter.state) {
            return base::error(base::Code::invalid, "must be pending, running, completed, failed or cancelled",
                               "state");
        }
    } else if (name == "root") {
        TRY_ASSIGN(const std::uint64_t root, codec::parse_position(value, "root"));
        filter.root_id = static_cast<model::RunId>(root);
    } else if (name == "after") {
        TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value));
        filter.after = static_cast<model::RunId>(after);
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

std::string run_page(const std::vector<model::Run>& runs, std::size_t limit) {
    return page_body(runs, limit, codec::append_run,
                     [](model::JsonWriter& writer, const model::Run& last) { writer.number(last.id); });
}

}  // namespace

void create_run(const Exchange& exchange) {
    auto command = std::make_unique<ports::CreateRun>();
    auto read = read_optional_body(exchange.request, [&](JsonReader& reader, std::string_view name) {
        return read_run_member(reader, name, *command);
    });
    if (!read.ok()) return exchange.fail(read.error());
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::CreatedRun>& result) {
        if (!result) return to.fail(result.error());
        answer_run(to, result->is_new ? 201 : 200, result->run);
    });
}

void list_runs(const Exchange& exchange) {
    ports::RunFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.runs(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::Run>>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", run_page(*result, limit), {}});
        });
}

void get_run(const Exchange& exchange) {
    const auto id = run_id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    exchange.service.ports.queries.run(exchange.principal(), *id,
                                       [to = exchange.reply()](const base::Result<model::Run>& result) {
                                           if (!result) return to.fail(result.error());
                                           answer_run(to, 200, *result);
                                       });
}

void start_run(const Exchange& exchange) {
    const auto read = [&]() -> base::Result<std::unique_ptr<ports::StartRun>> {
        auto wish = std::make_unique<ports::StartRun>();
        TRY_ASSIGN(wish->run_id, run_id_of_path(exchange));
        return wish;
    };
    submit_for_run(exchange, read(), ports::Lane::data);
}

void cancel_run(const Exchange& exchange) {
    const auto read = [&]() -> base::Result<std::unique_ptr<ports::CancelRun>> {
        auto wish = std::make_unique<ports::CancelRun>();
        TRY_ASSIGN(wish->run_id, run_id_of_path(exchange));
        TRY(read_optional_body(exchange.request, [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
            if (name != "reason") return unknown(reader);
            TRY_ASSIGN(wish->reason, read_text(reader, 0, limits::run_reason_bytes_max));
            return {};
        }));
        return wish;
    };
    submit_for_run(exchange, read(), ports::Lane::control);
}

void finish_run(const Exchange& exchange) {
    submit_for_run(exchange, read_finish(exchange), ports::Lane::data);
}

void pause_run(const Exchange& exchange) {
    submit_for_run(exchange, read_pause(exchange, true), ports::Lane::control);
}

void resume_run(const Exchange& exchange) {
    submit_for_run(exchange, read_pause(exchange, false), ports::Lane::control);
}

}  // namespace belfry::net::handlers
