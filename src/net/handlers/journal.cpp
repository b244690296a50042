#include "net/handlers/journal.hpp"

#include <algorithm>
#include <utility>

#include "base/date.hpp"
#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "codec/journal_json.hpp"
#include "codec/utf8.hpp"
#include "model/journal_fields.hpp"
#include "model/journal_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/journal_words.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using model::JournalKind;

constexpr std::size_t words_bytes_max = 1000;

template <std::size_t count>
base::Result<std::string> parse_state(const std::string& name, const std::string& value,
                                      const std::array<std::string_view, count>& names) {
    if (std::ranges::find(names, value) != names.end()) return value;
    std::string message = "must be ";
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) message += i + 1 == count ? " or " : ", ";
        message += names[i];
    }
    return base::error(base::Code::invalid, std::move(message), name);
}

// Some, by commas; each counts once.
template <std::size_t count>
base::Result<std::vector<std::string>> parse_states(const std::string& name, const std::string& value,
                                                    const std::array<std::string_view, count>& names) {
    std::vector<std::string> states;
    for (std::size_t from = 0; from <= value.size();) {
        const std::size_t end = std::min(value.find(',', from), value.size());
        TRY_ASSIGN(std::string state, parse_state(name, value.substr(from, end - from), names));
        if (std::ranges::find(states, state) == states.end()) states.push_back(std::move(state));
        from = end + 1;
    }
    return states;
}

base::Result<std::string> parse_date(const std::string& name, const std::string& value) {
    if (base::parse_date(value)) return value;
    return base::error(base::Code::invalid, "must be a date such as 2026-11-16", name);
}

base::Result<base::Timestamp> parse_moment(const std::string& name, const std::string& value) {
    if (const auto time = base::parse_timestamp(value)) return *time;
    return base::error(base::Code::invalid,
                       "must be an ISO 8601 time with an offset, from 1970 on, such as 2026-11-16T09:00:00Z", name);
}

base::Result<std::string> parse_words(const std::string& name, const std::string& value) {
    if (value.size() > words_bytes_max) {
        return base::error(base::Code::invalid, "must have at most " + std::to_string(words_bytes_max) + " bytes",
                           name);
    }
    if (!codec::is_utf8(value)) return base::error(base::Code::invalid, "must be UTF-8", name);
    return value;
}

// `<number>`, or of a list by due date `<number>.<term>`.
std::string format_place(const ports::JournalPlace& place) {
    const std::string number = std::to_string(place.number);
    return place.term.empty() ? number : number + "." + place.term;
}

base::Result<ports::JournalPlace> parse_place(const std::string& name, const std::string& value) {
    ports::JournalPlace place;
    const std::size_t dot = value.find('.');
    const auto number = parse_number(name, value.substr(0, dot));
    if (!number) return base::error(base::Code::invalid, "must be `next` of the page before", name);
    place.number = *number;
    if (dot != std::string::npos) place.term = value.substr(dot + 1);
    return place;
}

// What narrows a list of this kind beside its category and its words; false: nothing of this name does.
base::Result<bool> take_kind_filter(JournalKind kind, const std::string& name, const std::string& value,
                                    ports::JournalQuestion& question) {
    const bool is_task = kind == JournalKind::task;
    if (name == "status" && is_task) {
        TRY_ASSIGN(question.states, parse_states(name, value, model::task_status_names));
    } else if (name == "type" && kind == JournalKind::entry) {
        TRY_ASSIGN(std::string type, parse_state(name, value, model::entry_type_names));
        question.states = {std::move(type)};
    } else if (name == "target" && kind == JournalKind::rating) {
        TRY_ASSIGN(std::string target, parse_state(name, value, model::rating_target_names));
        question.states = {std::move(target)};
    } else if (name == "label" && is_task) {
        TRY_ASSIGN(question.label_id, parse_journal_id(name, value));
    } else if ((name == "due_from" || name == "due_to") && is_task) {
        TRY_ASSIGN((name == "due_from" ? question.due_from : question.due_to), parse_date(name, value));
    } else if (name == "task" && (kind == JournalKind::checklist || kind == JournalKind::time_entry)) {
        TRY_ASSIGN(question.parent_id, parse_journal_id(name, value));
    } else if (name == "checklist" && kind == JournalKind::checklist_item) {
        TRY_ASSIGN(question.parent_id, parse_journal_id(name, value));
    } else if (name == "target_id" && kind == JournalKind::rating) {
        TRY_ASSIGN(question.parent_id, parse_journal_id(name, value));
    } else if (name == "date" && kind == JournalKind::day_plan) {
        TRY_ASSIGN(question.plan_date, parse_date(name, value));
    } else if ((name == "from" || name == "to") && kind == JournalKind::time_entry) {
        TRY_ASSIGN((name == "from" ? question.spent_from : question.spent_to), parse_moment(name, value));
    } else if (name == "running" && kind == JournalKind::time_entry) {
        if (value != "true") return base::error(base::Code::invalid, "must be true", name);
        question.running = true;
    } else {
        return false;
    }
    return true;
}

base::Result<bool> take_list_parameter(const std::string& name, const std::string& value,
                                       ports::JournalQuestion& question) {
    if (name == "category") {
        TRY_ASSIGN(question.category_id, parse_journal_id(name, value));
    } else if (name == "q") {
        TRY_ASSIGN(question.words, parse_words(name, value));
    } else if (name == "after") {
        TRY_ASSIGN(question.after, parse_place(name, value));
    } else if (name == "limit") {
        TRY_ASSIGN(question.limit, parse_limit(value));
    } else {
        return false;
    }
    return true;
}

// `take` knows what only this list has.
template <class Take>
base::Result<ports::JournalQuestion> read_question(const Exchange& exchange, Take take) {
    ports::JournalQuestion question;
    question.limit = limits::page_entries_default;
    JournalParameters parameters;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        TRY_ASSIGN(const bool is_access, parameters.take_of_read(name, value));
        if (is_access) return {};
        TRY_ASSIGN(const bool is_known, take_list_parameter(name, value, question));
        if (is_known) return {};
        TRY_ASSIGN(const bool is_own, take(name, value, question));
        return is_own ? base::Result<void>{} : unknown_parameter(name);
    }));
    TRY_ASSIGN(question.access, std::move(parameters).settle());
    return question;
}

void answer_list(const Exchange& exchange, base::Result<ports::JournalQuestion> question) {
    if (!question) return exchange.fail(question.error());
    exchange.service.ports.queries.journal_list(
        exchange.principal(), std::move(*question),
        [to = exchange.reply()](const base::Result<ports::JournalList>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            model::JsonWriter writer(body);
            writer.begin_object().name("data").begin_array();
            for (const model::JournalRecord& record : result->records) model::append_record(writer, record);
            writer.end_array().name("next");
            result->next ? writer.text(format_place(*result->next)) : writer.null();
            writer.name("has_more").boolean(result->next.has_value()).end_object();
            to.respond({200, "application/json", body, {}});
        });
}

template <class C, class Write>
void submit(const Exchange& exchange, std::unique_ptr<C> command, ports::JournalAccess access, Write answer) {
    command->user_id = std::move(access.user_id);
    command->claim = access.claim;
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), answer);
}

}  // namespace

void create_record(const Exchange& exchange, JournalKind kind) {
    auto access = read_journal_access(exchange);
    if (!access) return exchange.fail(access.error());
    auto input = codec::parse_journal_input(exchange.request.body, kind, codec::JournalPurpose::create);
    if (!input) return exchange.fail(input.error());
    auto command = std::make_unique<ports::CreateRecord>();
    command->id = std::move(input->id);
    command->wish = std::move(input->wish);
    submit(exchange, std::move(command), std::move(*access),
           [](const Reply& to, const base::Result<ports::CreatedRecord>& result) {
               if (!result) return answer_refusal(to, result.error());
               answer_record(to, result->is_new ? 201 : 200, result->record);
           });
}

void list_records(const Exchange& exchange, JournalKind kind) {
    auto question = read_question(exchange, [kind](const std::string& name, const std::string& value, auto& wish) {
        return take_kind_filter(kind, name, value, wish);
    });
    if (question) question->kind = kind;
    answer_list(exchange, std::move(question));
}

void get_record(const Exchange& exchange, JournalKind kind) {
    auto access = read_journal_access_of_read(exchange);
    if (!access) return exchange.fail(access.error());
    exchange.service.ports.queries.journal_record(
        exchange.principal(), std::move(*access), kind, exchange.captures.front(),
        [to = exchange.reply()](const base::Result<model::JournalRecord>& result) {
            if (!result) return to.fail(result.error());
            answer_record(to, 200, *result);
        });
}

void change_record(const Exchange& exchange, JournalKind kind) {
    auto access = read_journal_access(exchange);
    if (!access) return exchange.fail(access.error());
    auto input = codec::parse_journal_input(exchange.request.body, kind, codec::JournalPurpose::change);
    if (!input) return exchange.fail(input.error());
    auto command = std::make_unique<ports::ChangeRecord>();
    command->id = exchange.captures.front();
    command->revision = input->revision;
    command->wish = std::move(input->wish);
    submit(exchange, std::move(command), std::move(*access),
           [](const Reply& to, const base::Result<model::JournalRecord>& result) {
               if (!result) return answer_refusal(to, result.error());
               answer_record(to, 200, *result);
           });
}

void delete_record(const Exchange& exchange, JournalKind kind) {
    auto command = std::make_unique<ports::DeleteRecord>();
    JournalParameters parameters;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "revision") {
                TRY_ASSIGN(command->revision, parse_number(name, value));
                return {};
            }
            TRY_ASSIGN(const bool is_known, parameters.take(name, value));
            return is_known ? base::Result<void>{} : unknown_parameter(name);
        });
    if (!read.ok()) return exchange.fail(read.error());
    auto access = std::move(parameters).settle();
    if (!access) return exchange.fail(access.error());
    command->kind = kind;
    command->id = exchange.captures.front();
    submit(exchange, std::move(command), std::move(*access),
           [](const Reply& to, const base::Result<model::JournalRecord>& result) {
               if (!result) return answer_refusal(to, result.error());
               answer_record(to, 200, *result);
           });
}

void search_journal(const Exchange& exchange) {
    auto question = read_question(
        exchange,
        [](const std::string& name, const std::string& value, ports::JournalQuestion& wish) -> base::Result<bool> {
            if (name != "kind") return false;
            wish.kind = model::parse_journal_kind(value);
            if (!wish.kind) return base::error(base::Code::invalid, "is no kind of record", name);
            return true;
        });
    if (question && question->words.empty()) return exchange.fail(missing("q"));
    answer_list(exchange, std::move(question));
}

}  // namespace belfry::net::handlers
