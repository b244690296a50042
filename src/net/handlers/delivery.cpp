#include "ports/commands/delivery.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

// Members of a word that this path takes.
base::Result<InterfaceWord> read_word(const Exchange& exchange, std::initializer_list<std::string_view> names) {
    InterfaceWord word;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (std::find(names.begin(), names.end(), name) == names.end()) return unknown(reader);
        return read_word_member(reader, name, word);
    }));
    return word;
}

template <class C>
void submit_for_notification(const Exchange& exchange, base::Result<std::unique_ptr<C>> wish, int status = 200) {
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [status, readers = readers_of(exchange.principal())](
                                            const Reply& to, const base::Result<model::Notification>& result) {
        if (!result) return to.fail(result.error());
        answer_notification(to, status, *result, readers);
    });
}

template <class C>
void submit_for_nothing(const Exchange& exchange, std::unique_ptr<C> command) {
    command->done = [to = exchange.reply()](const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({204, "", "", {}});
    };
    exchange.submit(std::move(command));
}

base::Result<std::unique_ptr<ports::AckNotification>> read_ack(const Exchange& exchange) {
    TRY_ASSIGN(ports::OneNotification which, notification_of_path(exchange));
    TRY_ASSIGN(const InterfaceWord word, read_word(exchange, {"lease", "version", "how"}));
    return ack_of(word, std::move(which));
}

base::Result<std::unique_ptr<ports::MarkNotification>> read_mark(const Exchange& exchange) {
    TRY_ASSIGN(ports::OneNotification which, notification_of_path(exchange));
    TRY_ASSIGN(const InterfaceWord word, read_word(exchange, {"mark"}));
    return mark_of(word, std::move(which));
}

base::Result<std::unique_ptr<ports::NarrateNotification>> read_narration(const Exchange& exchange) {
    auto narrate = std::make_unique<ports::NarrateNotification>();
    narrate->lane = ports::Lane::control;
    TRY_ASSIGN(narrate->which, notification_of_path(exchange));
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "lease") {
            TRY_ASSIGN(narrate->lease, read_integer(reader, 1, limits::reported_count_max));
        } else if (name == "pull_id") {
            TRY_ASSIGN(narrate->pull_id, read_uuid(reader));
        } else if (name == "version") {
            TRY_ASSIGN(narrate->version, read_integer(reader, 1, limits::reported_count_max));
        } else if (name == "text") {
            TRY_ASSIGN(narrate->words, read_text(reader, 1, limits::narration_bytes_max));
        } else if (name == "also") {
            TRY(read_named(reader, narrate->also));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (!narrate->lease && !narrate->pull_id) {
        return base::error(base::Code::invalid, "must be given, or the pull_id of the pull", "lease");
    }
    if (narrate->words.empty()) return missing("text");
    return narrate;
}

base::Result<std::unique_ptr<ports::RetryNotification>> read_retry(const Exchange& exchange) {
    auto retry = std::make_unique<ports::RetryNotification>();
    TRY_ASSIGN(retry->which, notification_of_path(exchange));
    TRY(read_optional_body(exchange.request,
                           [](JsonReader& reader, std::string_view) -> base::Result<void> { return unknown(reader); }));
    return retry;
}

base::Result<std::unique_ptr<ports::Heartbeat>> read_heartbeat(const Exchange& exchange) {
    auto heartbeat = std::make_unique<ports::Heartbeat>();
    heartbeat->lane = ports::Lane::control;
    TRY_ASSIGN(heartbeat->session_id, scope_id_of_path(exchange, "session_id"));
    TRY(read_optional_body(exchange.request, [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
        if (name == "lease_s") {
            TRY_ASSIGN(heartbeat->lease, read_lease_s(reader));
        } else if (name == "pull_id") {
            TRY_ASSIGN(heartbeat->pull_id, read_uuid(reader));
        } else if (name == "leases") {
            TRY(read_leases(reader, heartbeat->leases));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return heartbeat;
}

}  // namespace

void ack_notification(const Exchange& exchange) {
    submit_for_notification(exchange, read_ack(exchange));
}

void mark_notification(const Exchange& exchange) {
    submit_for_notification(exchange, read_mark(exchange));
}

void narrate_notification(const Exchange& exchange) {
    submit_for_notification(exchange, read_narration(exchange));
}

void retry_notification(const Exchange& exchange) {
    submit_for_notification(exchange, read_retry(exchange), 201);
}

void heartbeat(const Exchange& exchange) {
    auto wish = read_heartbeat(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<ports::HeartbeatReply>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        writer.begin_object().field("renewed", static_cast<long long>(result->renewed));
        codec::append_time_or_null(writer, "lease_until", result->lease_until);
        writer.end_object();
        to.respond({200, "application/json", body, {}});
    };
    exchange.submit(std::move(command));
}

void delete_session(const Exchange& exchange) {
    const auto id = scope_id_of_path(exchange, "session_id");
    if (!id) return exchange.fail(id.error());
    auto command = std::make_unique<ports::DeleteSession>();
    command->session_id = *id;
    submit_for_nothing(exchange, std::move(command));
}

}  // namespace belfry::net::handlers
