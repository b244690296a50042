#include "ports/commands/memory.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "base/message_limits.hpp"
#include "codec/sse.hpp"
#include "codec/utf8.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

// What agents remember: as it is told to them, what it was folded into, and where something was said.
namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JsonWriter;

constexpr std::size_t recall_results_default = 10;

base::Result<std::string> parse_thread(const std::string& name, const std::string& value) {
    if (value.empty() || value.size() > limits::thread_id_bytes_max || !codec::is_utf8(value)) {
        return base::error(Code::invalid,
                           "must have 1 to " + std::to_string(limits::thread_id_bytes_max) + " bytes of UTF-8", name);
    }
    return value;
}

base::Result<bool> parse_flag(const std::string& name, const std::string& value) {
    if (value == "1" || value == "true") return true;
    if (value == "0" || value == "false") return false;
    return base::error(Code::invalid, "must be 1 or 0", name);
}

base::Result<base::Uuid> parse_id(const std::string& name, const std::string& value, const char* of_what) {
    const auto id = base::parse_uuid(value);
    if (!id) return base::error(Code::invalid, std::string("must be the id of a ") + of_what + ", a UUID", name);
    return *id;
}

base::Result<std::int64_t> parse_place(const std::string& name, const std::string& value) {
    TRY_ASSIGN(const std::uint64_t place, codec::parse_position(value, name));
    return static_cast<std::int64_t>(place);
}

void append_thread(JsonWriter& writer, const model::AgentThread& thread) {
    writer.begin_object().field("thread_id", thread.thread_id).field("agent_id", thread.agent_id);
    writer.field("messages", thread.messages).field("hot_messages", thread.hot_messages);
    writer.field("hot_tokens", thread.hot_tokens).field("last_at", base::format_timestamp(thread.last_at));
    writer.name("is_closed").boolean(thread.is_closed).end_object();
}

void append_placed(JsonWriter& writer, const ports::PlacedSummary& one) {
    const model::RecalledSummary& told = one.summary;
    writer.begin_object().field("id", base::format_uuid(told.id)).field("thread_id", told.thread_id);
    writer.field("depth", one.place.depth).field("start_message_id", base::format_uuid(told.start_message_id));
    writer.field("end_message_id", base::format_uuid(told.end_message_id)).field("tokens", one.place.tokens);
    writer.name("folded_into");
    one.place.folded_into ? writer.text(base::format_uuid(*one.place.folded_into)) : writer.null();
    writer.field("created_at", base::format_timestamp(one.created_at)).name("summary");
    model::append_memory_summary(writer, told.summary);
    writer.end_object();
}

void append_recalled(JsonWriter& writer, const model::RecalledMessage& one) {
    const model::AgentMessage& message = one.message;
    writer.begin_object().field("message_id", base::format_uuid(message.id)).field("thread_id", message.thread_id);
    writer.field("kind", model::agent_message_kind_name(message.kind));
    writer.field("created_at", base::format_timestamp(message.created_at));
    writer.field("words", one.words).field("snippet", one.snippet).end_object();
}

std::string opened_body(const ports::OpenedSummary& opened) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().name("summary");
    append_placed(writer, opened.summary);
    writer.name("data").begin_array();
    for (const model::AgentMessage& message : opened.span) model::append_agent_message(writer, message);
    writer.end_array().name("next");
    opened.next > 0 ? writer.number(opened.next) : writer.null();
    writer.name("has_more").boolean(opened.next > 0).end_object();
    return body;
}

void answer_job(const Reply& to, const base::Result<model::FoldJob>& result) {
    if (!result) return to.fail(result.error());
    std::string body;
    JsonWriter writer(body);
    model::append_fold_job(writer, *result);
    to.respond({200, "application/json", body, {}});
}

base::Result<ports::RecallQuestion> read_recall(const Exchange& exchange) {
    ports::RecallQuestion question;
    question.agent_id = exchange.captures.front();
    question.limit = recall_results_default;
    const auto take = [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "q") {
            if (!codec::is_utf8(value)) return base::error(Code::invalid, "must be UTF-8", name);
            question.query = value;
        } else if (name == "thread_id") {
            TRY_ASSIGN(question.thread_id, parse_thread(name, value));
        } else if (name == "kind") {
            question.kind = model::parse_agent_message_kind(value);
            if (!question.kind) {
                return base::error(Code::invalid, "must be observation, user, thought, action, tool_result or system",
                                   name);
            }
        } else if (name == "limit") {
            TRY_ASSIGN(question.limit, parse_limit(value));
            question.limit = std::min(question.limit, limits::recall_results_max);
        } else {
            return unknown_parameter(name);
        }
        return {};
    };
    TRY(read_parameters(exchange.request, take));
    if (question.query.empty()) return missing("q");
    return question;
}

base::Result<std::unique_ptr<ports::ForgetMemory>> read_forget(const Exchange& exchange) {
    auto wish = std::make_unique<ports::ForgetMemory>();
    wish->agent_id = exchange.captures.front();
    codec::JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "message_id") {
            TRY_ASSIGN(wish->message_id, read_uuid(reader));
        } else if (name == "thread_id") {
            TRY_ASSIGN(wish->thread_id, read_text(reader, 1, limits::thread_id_bytes_max));
        } else if (name == "before") {
            TRY_ASSIGN(wish->before, read_time(reader));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    const bool names_many = !wish->thread_id.empty() || wish->before.has_value();
    if (wish->message_id.has_value() == names_many) {
        return base::error(Code::invalid, "must be given, or a thread_id, or a time before which all is forgotten",
                           "message_id");
    }
    return wish;
}

}  // namespace

void get_memory(const Exchange& exchange) {
    std::string thread_id;
    bool explains = false;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "thread_id") {
                TRY_ASSIGN(thread_id, parse_thread(name, value));
            } else if (name == "explain") {
                TRY_ASSIGN(explains, parse_flag(name, value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.memory(
        exchange.principal(), exchange.captures.front(), thread_id,
        [to = exchange.reply(), explains](const base::Result<model::AssembledMemory>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            JsonWriter writer(body);
            model::append_assembled_memory(writer, *result, explains);
            to.respond({200, "application/json", body, {}});
        });
}

void list_memory_threads(const Exchange& exchange) {
    ports::ThreadFilter filter;
    filter.agent_id = exchange.captures.front();
    filter.limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(filter.after, parse_thread(name, value));
            } else if (name == "limit") {
                TRY_ASSIGN(filter.limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.memory_threads(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::AgentThread>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](JsonWriter& writer, const model::AgentThread& last) {
                writer.text(last.thread_id);
            };
            to.respond({200, "application/json", page_body(*result, limit, append_thread, append_next), {}});
        });
}

void list_memory_summaries(const Exchange& exchange) {
    std::optional<base::Uuid> folded;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name != "folded") return unknown_parameter(name);
            TRY_ASSIGN(folded, parse_id(name, value, "summary"));
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.memory_summaries(
        exchange.principal(), exchange.captures.front(), folded,
        [to = exchange.reply()](const base::Result<std::vector<ports::PlacedSummary>>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            JsonWriter writer(body);
            writer.begin_object().name("data").begin_array();
            for (const ports::PlacedSummary& one : *result) append_placed(writer, one);
            writer.end_array().name("next").null().name("has_more").boolean(false).end_object();
            to.respond({200, "application/json", body, {}});
        });
}

void open_memory_summary(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.at(1));
    if (!id) return exchange.fail(base::error(Code::not_found, "this agent has no such summary", "id"));
    ports::SummaryQuestion question{exchange.captures.front(), *id, 0, limits::page_entries_default};
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(question.after, parse_place(name, value));
            } else if (name == "limit") {
                TRY_ASSIGN(question.limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.memory_summary(
        exchange.principal(), std::move(question),
        [to = exchange.reply()](const base::Result<ports::OpenedSummary>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", opened_body(*result), {}});
        });
}

void search_memory(const Exchange& exchange) {
    auto question = read_recall(exchange);
    if (!question) return exchange.fail(question.error());
    exchange.service.ports.queries.recall(
        exchange.principal(), std::move(*question),
        [to = exchange.reply()](const base::Result<std::vector<model::RecalledMessage>>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            JsonWriter writer(body);
            writer.begin_object().name("data").begin_array();
            for (const model::RecalledMessage& one : *result) append_recalled(writer, one);
            writer.end_array().name("next").null().name("has_more").boolean(false).end_object();
            to.respond({200, "application/json", body, {}});
        });
}

void list_folds(const Exchange& exchange) {
    ports::FoldJobFilter filter;
    filter.agent_id = exchange.captures.front();
    filter.limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "state") {
                filter.state = model::parse_fold_state(value);
                if (!filter.state) {
                    return base::error(Code::invalid, "must be pending, running, done or failed_terminal", name);
                }
            } else if (name == "after") {
                TRY_ASSIGN(filter.after, parse_id(name, value, "job"));
            } else if (name == "limit") {
                TRY_ASSIGN(filter.limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.fold_jobs(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::FoldJob>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](JsonWriter& writer, const model::FoldJob& last) {
                writer.text(base::format_uuid(last.id));
            };
            to.respond({200, "application/json", page_body(*result, limit, model::append_fold_job, append_next), {}});
        });
}

void fold_memory(const Exchange& exchange) {
    auto command = std::make_unique<ports::FoldNow>();
    command->agent_id = exchange.captures.front();
    const auto read = read_optional_body(
        exchange.request, [&](codec::JsonReader& reader, std::string_view name) -> base::Result<void> {
            if (name != "thread_id") return unknown(reader);
            TRY_ASSIGN(command->thread_id, read_text(reader, 1, limits::thread_id_bytes_max));
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<std::int64_t>& result) {
        if (!result) return to.fail(result.error());
        to.respond({202, "application/json", R"({"jobs":)" + std::to_string(*result) + '}', {}});
    });
}

void restart_fold(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.at(1));
    if (!id) return exchange.fail(base::error(Code::not_found, "there is no such job", "id"));
    const auto read = read_optional_body(
        exchange.request,
        [](codec::JsonReader& reader, std::string_view) -> base::Result<void> { return unknown(reader); });
    if (!read.ok()) return exchange.fail(read.error());
    auto command = std::make_unique<ports::RestartFold>();
    command->id = *id;
    exchange.submit(std::move(command),
                    [](const Reply& to, const base::Result<model::FoldJob>& result) { answer_job(to, result); });
}

void forget_memory(const Exchange& exchange) {
    auto wish = read_forget(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::ForgottenMemory>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        JsonWriter writer(body);
        writer.begin_object().field("messages", static_cast<long long>(result->messages));
        writer.field("summaries", static_cast<long long>(result->summaries));
        writer.name("has_more").boolean(result->more).end_object();
        to.respond({200, "application/json", body, {}});
    });
}

}  // namespace belfry::net::handlers
