#include "net/handlers/run_words.hpp"

#include <charconv>

#include "base/limits.hpp"
#include "codec/problem.hpp"
#include "codec/run_json.hpp"
#include "net/handlers/body.hpp"
#include "net/problem.hpp"

namespace belfry::net::handlers {

base::Result<model::RunId> run_id_of_path(const Exchange& exchange) {
    const std::string& text = exchange.captures.front();
    model::RunId id = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (failed != std::errc{} || end != text.data() + text.size() || id <= 0) {
        return base::error(base::Code::not_found, "there is no such run: its id is a whole number above 0", "id");
    }
    return id;
}

base::Result<model::RunError> read_run_error(codec::JsonReader& reader) {
    model::RunError error;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "type") {
            TRY_ASSIGN(error.type, read_text(reader, 1, base::limits::run_error_type_bytes_max));
        } else if (name == "message") {
            TRY_ASSIGN(error.message, read_text(reader, 0, base::limits::run_error_message_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (error.type.empty()) return missing("error.type");
    return error;
}

base::Result<std::optional<model::RawJson>> read_run_result(codec::JsonReader& reader) {
    TRY_ASSIGN(const bool absent, reader.take_null());
    if (absent) return std::optional<model::RawJson>{};
    TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
    if (span.text.size() > base::limits::run_result_bytes_max) {
        return base::error(base::Code::too_large,
                           "must have at most " + std::to_string(base::limits::run_result_bytes_max) + " bytes",
                           "result");
    }
    return std::optional(span.compact());
}

void answer_run(const Reply& to, int status, const model::Run& run) {
    std::string body;
    model::JsonWriter writer(body);
    codec::append_run(writer, run);
    to.respond({status, "application/json", body, {}});
}

void fail_line(const Reply& to, const base::Error& error, const RefusedLine& at, std::string_view fields) {
    if (at.line == 0) return to.fail(error);
    std::string more = "\"line\":" + std::to_string(at.line) + ",\"accepted\":" + std::to_string(at.accepted);
    if (at.accepted > 0) {
        more += ",\"first\":" + std::to_string(at.first) + ",\"last\":" + std::to_string(at.last);
    }
    const int status = static_cast<int>(codec::status_of(error.code));
    const Problem problem = make_problem(status, error, more);
    const std::string all_fields = problem.extra_fields + std::string(fields);
    to.respond({status, codec::problem_media_type, problem.body, all_fields});
}

void answer_emitted(const Reply& to, std::size_t accepted, const ports::EmittedRunEvents& emitted) {
    std::string body;
    if (!emitted.is_taken) {
        const std::string head = std::to_string(emitted.last);
        const auto error = base::error(base::Code::conflict,
                                       "the run's last event is " + head + ": this place is taken or not yet reached",
                                       "expect_first", "taken");
        const unsigned status = codec::status_of(error.code);
        codec::append_problem(body, status, error, "\"head\":" + head);
        return to.respond({static_cast<int>(status), codec::problem_media_type, body, {}});
    }
    model::JsonWriter writer(body);
    writer.begin_object().field("accepted", static_cast<long long>(accepted));
    writer.name("first");
    accepted == 0 ? writer.null() : writer.number(static_cast<long long>(emitted.first));
    writer.name("last");
    accepted == 0 ? writer.null() : writer.number(static_cast<long long>(emitted.last));
    writer.field("state", model::run_state_name(emitted.state)).name("paused").boolean(emitted.paused).end_object();
    to.respond({201, "application/json", body, {}});
}

}  // namespace belfry::net::handlers
