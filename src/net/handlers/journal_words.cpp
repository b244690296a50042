#include "net/handlers/journal_words.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/journal_limits.hpp"
#include "codec/journal_json.hpp"
#include "codec/problem.hpp"
#include "model/journal_json.hpp"
#include "net/handlers/parameters.hpp"
#include "net/problem.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

base::Result<std::vector<std::string>> parse_categories(const std::string& name, const std::string& value) {
    std::vector<std::string> ids;
    std::size_t at = 0;
    while (at <= value.size()) {
        const std::size_t end = std::min(value.find(',', at), value.size());
        TRY_ASSIGN(std::string id, parse_journal_id(name, value.substr(at, end - at)));
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
        at = end + 1;
    }
    if (ids.size() > limits::allowed_categories_max) {
        return base::error(base::Code::invalid,
                           "must name at most " + std::to_string(limits::allowed_categories_max) + " categories", name);
    }
    return ids;
}

// The number that a message ends with (ports/commands/journal.hpp).
std::string_view last_number(std::string_view message) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t digits = 0;
    while (digits < message.size() && is_digit(message[message.size() - 1 - digits])) ++digits;
    return message.substr(message.size() - digits);
}

}  // namespace

base::Result<bool> JournalParameters::take(const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(access_.user_id, parse_filter(name, value));
    } else if (name == "wake") {
        TRY_ASSIGN(wake_, parse_number(name, value));
    } else if (name == "fence") {
        TRY_ASSIGN(fence_, parse_number(name, value));
    } else {
        return false;
    }
    return true;
}

base::Result<bool> JournalParameters::take_of_read(const std::string& name, const std::string& value) {
    if (name != "categories") return take(name, value);
    TRY_ASSIGN(access_.categories, parse_categories(name, value));
    return true;
}

base::Result<ports::JournalAccess> JournalParameters::settle() && {
    if ((wake_ == 0) != (fence_ == 0)) {
        return base::error(base::Code::invalid, "must be given: a wake and the fence of its claim go together",
                           wake_ == 0 ? "wake" : "fence");
    }
    if (wake_ != 0) access_.claim = ports::JournalClaim{wake_, fence_};
    return std::move(access_);
}

base::Result<ports::JournalAccess> read_journal_access(const Exchange& exchange) {
    JournalParameters parameters;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        TRY_ASSIGN(const bool is_known, parameters.take(name, value));
        return is_known ? base::Result<void>{} : unknown_parameter(name);
    }));
    return std::move(parameters).settle();
}

base::Result<ports::JournalAccess> read_journal_access_of_read(const Exchange& exchange) {
    JournalParameters parameters;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        TRY_ASSIGN(const bool is_known, parameters.take_of_read(name, value));
        return is_known ? base::Result<void>{} : unknown_parameter(name);
    }));
    return std::move(parameters).settle();
}

base::Result<std::int64_t> parse_number(const std::string& name, const std::string& value) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (fault != std::errc{} || end != value.data() + value.size() || number <= 0) {
        return base::error(base::Code::invalid, "must be a whole number above 0", name);
    }
    return number;
}

base::Result<std::string> parse_journal_id(const std::string& name, const std::string& value) {
    if (std::string fault = codec::journal_id_fault(value); !fault.empty()) {
        return base::error(base::Code::invalid, std::move(fault), name);
    }
    return value;
}

void answer_record(const Reply& to, int status, const model::JournalRecord& record) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_record(writer, record);
    to.respond({status, "application/json", body, {}});
}

void answer_link(const Reply& to, int status, const model::Link& link) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_link(writer, link);
    to.respond({status, "application/json", body, {}});
}

void answer_refusal(const Reply& to, const base::Error& error) {
    const std::string_view current = last_number(error.message);
    if (error.reason != "stale_revision" || current.empty()) return to.fail(error);
    const int status = static_cast<int>(codec::status_of(error.code));
    const Problem problem = make_problem(status, error, "\"current_revision\":" + std::string(current));
    to.respond({status, codec::problem_media_type, problem.body, problem.extra_fields});
}

}  // namespace belfry::net::handlers
