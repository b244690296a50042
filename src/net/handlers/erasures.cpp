#include "codec/json.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "ports/commands/erasure.hpp"

namespace belfry::net::handlers {
namespace {

base::Result<std::string> read_user(std::string_view body) {
    std::string user;
    codec::JsonReader reader(body);
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) break;
        if (name != "user_id") return reader.invalid("is not known");
        TRY_ASSIGN(user, reader.read_string());
    }
    TRY(reader.finish());
    if (user.empty()) return base::error(base::Code::invalid, "must name the person", "user_id");
    return user;
}

void append_time(model::JsonWriter& writer, std::string_view name, std::optional<base::Timestamp> time) {
    writer.name(name);
    time ? writer.text(base::format_timestamp(*time)) : writer.null();
}

std::string erasure_json(const ports::Obligation& obligation) {
    std::string body;
    model::JsonWriter writer(body);
    const char* state = obligation.finished_at ? "done" : obligation.claimed_until ? "running" : "pending";
    writer.begin_object().field("id", base::format_uuid(obligation.id)).field("state", state);
    writer.field("attempts", static_cast<long long>(obligation.attempts));
    append_time(writer, "created_at", obligation.created_at);
    append_time(writer, "finished_at", obligation.finished_at);
    writer.name("progress").raw(obligation.progress.bytes()).name("last_error");
    obligation.last_error.empty() ? writer.null() : writer.text(obligation.last_error);
    writer.end_object();
    return body;
}

}  // namespace

void post_erasure(const Exchange& exchange) {
    auto user = read_user(exchange.request.body);
    if (!user) return exchange.fail(user.error());
    auto command = std::make_unique<ports::EraseUser>();
    command->user_id = std::move(user).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::ErasureReply>& result) {
        if (!result) return to.fail(result.error());
        const std::string id = base::format_uuid(result->obligation);
        to.respond({202, "application/json", "{\"id\":\"" + id + "\"}", "Location: /v1/erasures/" + id + "\r\n"});
    });
}

void get_erasure(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.front());
    if (!id) return exchange.fail(base::error(base::Code::not_found, "there is no such erasure"));
    const Reply to = exchange.reply();
    exchange.service.ports.queries.obligation(
        exchange.principal(), *id, [to](const base::Result<ports::Obligation>& result) {
            if (!result) return to.fail(result.error());
            if (result->kind != "erase_user") {
                return to.fail(base::error(base::Code::not_found, "there is no such erasure"));
            }
            to.respond({200, "application/json", erasure_json(*result), {}});
        });
}

}  // namespace belfry::net::handlers
