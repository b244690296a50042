#include <algorithm>
#include <utility>

#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "codec/journal_json.hpp"
#include "codec/problem.hpp"
#include "codec/utf8.hpp"
#include "model/journal_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/journal.hpp"
#include "net/handlers/journal_words.hpp"
#include "net/handlers/parameters.hpp"
#include "net/problem.hpp"
#include "wire/target.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

// Ids may hold anything that can be seen, a field of HTTP and an address may not.
void append_plain(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (is_plain) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += hex[byte >> 4U];
        out += hex[byte & 0xFU];
    }
}

// `<number>` of the last record, or `<from>/<relation>/<to>` of the last link.
std::string format_place(const ports::ExportPlace& place) {
    if (!place.link) return std::to_string(place.number);
    std::string out;
    append_plain(out, place.link->from_id);
    append_plain(out += '/', place.link->relation);
    append_plain(out += '/', place.link->to_id);
    return out;
}

base::Result<ports::ExportPlace> parse_place(const std::string& name, const std::string& text) {
    ports::ExportPlace place;
    if (text.find('/') == std::string::npos) {
        TRY_ASSIGN(place.number, parse_number(name, text));
        return place;
    }
    const auto wrong = [&] { return base::error(base::Code::invalid, "must be the Belfry-Next of a page", name); };
    const std::size_t first = text.find('/');
    const std::size_t second = text.find('/', first + 1);
    if (second == std::string::npos) return wrong();
    const auto from = wire::percent_decode(std::string_view(text).substr(0, first), false);
    const auto relation = wire::percent_decode(std::string_view(text).substr(first + 1, second - first - 1), false);
    const auto to = wire::percent_decode(std::string_view(text).substr(second + 1), false);
    if (!from || !relation || !to) return wrong();
    place.link = ports::LinkName{{}, *relation, *from, *to};
    return place;
}

void append_item(std::string& out, const ports::JournalItem& item) {
    model::JsonWriter writer(out);
    if (const auto* record = std::get_if<model::JournalRecord>(&item)) model::append_record(writer, *record);
    else model::append_link(writer, std::get<model::Link>(item));
    out += '\n';
}

// The line at fault goes with the problem.
void fail_at(const Exchange& exchange, const base::Error& error, std::size_t line) {
    const int status = static_cast<int>(codec::status_of(error.code));
    const Problem problem = make_problem(status, error, "\"line\":" + std::to_string(line));
    exchange.connection.respond({status, codec::problem_media_type, problem.body, problem.extra_fields});
}

struct Lines {
    std::vector<ports::JournalItem> items;
    std::vector<std::size_t> numbers;  // of each item's line, from 1 on
};

base::Result<Lines> read_lines(std::string_view body, std::size_t& line) {
    Lines lines;
    for (line = 1; !body.empty(); ++line) {
        const std::size_t end = std::min(body.find('\n'), body.size());
        const std::string_view text = body.substr(0, end);
        body.remove_prefix(std::min(end + 1, body.size()));
        if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (lines.items.size() == limits::journal_import_records_max) {
            return base::error(
                base::Code::too_large,
                "a request has at most " + std::to_string(limits::journal_import_records_max) + " records and links");
        }
        TRY_ASSIGN(ports::JournalItem item, codec::parse_journal_item(text));
        lines.items.push_back(std::move(item));
        lines.numbers.push_back(line);
    }
    return lines;
}

std::string imported_body(const ports::Imported& imported, const std::vector<std::size_t>& numbers) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("taken", static_cast<long long>(imported.taken));
    writer.field("unchanged", static_cast<long long>(imported.unchanged)).name("conflicts").begin_array();
    for (const ports::ImportConflict& conflict : imported.conflicts) {
        writer.begin_object().field("line", static_cast<long long>(numbers.at(conflict.item)));
        writer.field("id", conflict.id).field("message", codec::to_utf8(conflict.message)).end_object();
    }
    writer.end_array().end_object();
    return body;
}

}  // namespace

void export_journal(const Exchange& exchange) {
    ports::ExportQuestion question;
    question.limit = limits::page_entries_max;
    JournalParameters parameters;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(question.after, parse_place(name, value));
                return {};
            }
            if (name == "limit") {
                TRY_ASSIGN(question.limit, parse_limit(value));
                return {};
            }
            TRY_ASSIGN(const bool is_known, parameters.take_of_read(name, value));
            return is_known ? base::Result<void>{} : unknown_parameter(name);
        });
    if (!read.ok()) return exchange.fail(read.error());
    auto access = std::move(parameters).settle();
    if (!access) return exchange.fail(access.error());
    question.access = std::move(*access);
    exchange.service.ports.queries.journal_export(
        exchange.principal(), std::move(question),
        [to = exchange.reply()](const base::Result<ports::ExportPage>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            for (const ports::JournalItem& item : result->items) append_item(body, item);
            const std::string fields =
                result->next ? "Belfry-Next: " + format_place(*result->next) + "\r\n" : std::string();
            to.respond({200, "application/x-ndjson", body, fields});
        });
}

void import_journal(const Exchange& exchange) {
    auto access = read_journal_access(exchange);
    if (!access) return exchange.fail(access.error());
    if (access->claim) {
        return exchange.fail(base::error(base::Code::forbidden, "an agent imports nothing", "wake"));
    }
    std::size_t line = 0;
    auto lines = read_lines(exchange.request.body, line);
    if (!lines) return fail_at(exchange, lines.error(), line);
    auto command = std::make_unique<ports::ImportJournal>();
    command->user_id = std::move(access->user_id);
    command->items = std::move(lines->items);
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [numbers = std::move(lines->numbers)](
                                            const Reply& to, const base::Result<ports::Imported>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", imported_body(*result, numbers), {}});
    });
}

void get_journal(const Exchange& exchange) {
    auto access = read_journal_access_of_read(exchange);
    if (!access) return exchange.fail(access.error());
    exchange.service.ports.queries.journal_overview(
        exchange.principal(), std::move(*access),
        [to = exchange.reply()](const base::Result<ports::JournalOverview>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            model::JsonWriter writer(body);
            writer.begin_object().name("enabled").boolean(true);
            writer.name("holds_anything").boolean(result->holds_anything).name("running");
            if (result->running) model::append_record(writer, *result->running);
            else writer.null();
            writer.end_object();
            to.respond({200, "application/json", body, {}});
        });
}

}  // namespace belfry::net::handlers
