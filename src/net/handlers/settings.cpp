#include <utility>

#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

base::Result<void> read_ids(JsonReader& reader, std::vector<std::string>& ids) {
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (ids.size() == limits::subscribers_max) {
            return reader.invalid("is one too many; at most " + std::to_string(limits::subscribers_max) +
                                  " subscribers are allowed");
        }
        TRY_ASSIGN(std::string id, read_text(reader, 1, limits::subscriber_id_chars_max));
        ids.push_back(std::move(id));
    }
}

base::Result<std::unique_ptr<ports::PutSettings>> read_settings(const Exchange& exchange) {
    auto wish = std::make_unique<ports::PutSettings>();
    TRY_ASSIGN(wish->user_id, scope_id_of_path(exchange, "user_id"));
    bool has_list = false;
    JsonReader reader(exchange.request.body);
    const auto read_member = [&](std::string_view name) -> base::Result<void> {
        if (name != "disabled_subscribers") return unknown(reader);
        TRY(read_ids(reader, wish->disabled_subscribers));
        has_list = true;
        return {};
    };
    TRY(read_body(reader, read_member));
    if (!has_list) return missing("disabled_subscribers");
    wish->bytes = exchange.request.body.size();
    return wish;
}

void answer_settings(const Reply& to, const base::Result<model::UserSettings>& result) {
    if (!result) return to.fail(result.error());
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("user_id", result->user_id).name("disabled_subscribers").begin_array();
    for (const std::string& id : result->disabled_subscribers) writer.text(id);
    writer.end_array().end_object();
    to.respond({200, "application/json", body, {}});
}

}  // namespace

void get_settings(const Exchange& exchange) {
    const auto user = scope_id_of_path(exchange, "user_id");
    if (!user) return exchange.fail(user.error());
    exchange.service.ports.queries.settings(
        exchange.principal(), *user,
        [to = exchange.reply()](const base::Result<model::UserSettings>& result) { answer_settings(to, result); });
}

void put_settings(const Exchange& exchange) {
    auto wish = read_settings(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<model::UserSettings>& result) {
        answer_settings(to, result);
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
