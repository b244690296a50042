#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "codec/event.hpp"
#include "codec/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using Choices = base::Result<model::UserSettings>;

base::Error no_such_subscriber(std::string_view id) {
    return base::error(base::Code::not_found, "there is no subscriber \"" + std::string(id) + "\"");
}

struct SubscriberRequest {
    std::string user_id;  // empty: the caller's own, or the owner's
    std::string after;
    std::size_t limit = limits::page_entries_default;
};

base::Result<SubscriberRequest> read_request(const wire::Request& request, bool list) {
    SubscriberRequest wish;
    TRY(read_parameters(request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "user") {
            TRY_ASSIGN(wish.user_id, parse_filter(name, value));
        } else if (name == "after" && list) {
            TRY_ASSIGN(wish.after, parse_filter(name, value));
        } else if (name == "limit" && list) {
            TRY_ASSIGN(wish.limit, parse_limit(value));
        } else {
            return unknown_parameter(name);
        }
        return {};
    }));
    return wish;
}

// Whoever named no user and may not see anybody's choices gets the list without them.
bool is_refusal(const Choices& choices, const SubscriberRequest& wish) {
    return !choices && !(choices.error().code == base::Code::forbidden && wish.user_id.empty());
}

std::optional<bool> is_enabled(const model::Subscriber& subscriber, const Choices& choices) {
    if (!choices) return std::nullopt;
    const auto& disabled = choices->disabled_subscribers;
    return std::find(disabled.begin(), disabled.end(), subscriber.id) == disabled.end();
}

std::string list_body(const model::Catalogue& catalogue, const Choices& choices, const SubscriberRequest& wish) {
    const auto& all = catalogue.subscribers;
    const auto first = std::upper_bound(
        all.begin(), all.end(), wish.after,
        [](const std::string& after, const model::Subscriber& subscriber) { return after < subscriber.id; });
    const auto left = static_cast<std::size_t>(all.end() - first);
    const auto end = first + static_cast<std::ptrdiff_t>(std::min(left, wish.limit));
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    codec::append_text_or_null(writer, "user_id", choices ? choices->user_id : std::string());
    writer.name("data").begin_array();
    for (auto at = first; at != end; ++at) codec::append_subscriber(writer, *at, is_enabled(*at, choices));
    writer.end_array().name("next");
    end == all.end() ? writer.null() : writer.text((end - 1)->id);
    writer.name("has_more").boolean(end != all.end()).name("problems").begin_array();
    const std::size_t problems = std::min(catalogue.problems.size(), limits::page_entries_max);
    for (std::size_t i = 0; i < problems; ++i) codec::append_subscriber_problem(writer, catalogue.problems[i]);
    writer.end_array().end_object();
    return body;
}

std::string subscriber_body(const model::Subscriber& subscriber, const Choices& choices) {
    std::string body;
    model::JsonWriter writer(body);
    codec::append_subscriber(writer, subscriber, is_enabled(subscriber, choices),
                             choices ? std::string_view(choices->user_id) : std::string_view());
    return body;
}

base::Result<std::unique_ptr<ports::ToggleSubscriber>> read_toggle(const Exchange& exchange) {
    auto toggle = std::make_unique<ports::ToggleSubscriber>();
    toggle->subscriber_id = exchange.captures.front();
    bool has_enabled = false;
    codec::JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "enabled") {
            TRY_ASSIGN(toggle->enabled, reader.read_bool());
            has_enabled = true;
        } else if (name == "user_id") {
            TRY_ASSIGN(toggle->user_id, read_scope_id(reader));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (!has_enabled) return missing("enabled");
    return toggle;
}

constexpr std::size_t rehearsed_events_max = 1000;

base::Result<std::vector<model::Event>> read_rehearsal(const Exchange& exchange) {
    std::vector<model::Event> events;
    if (exchange.request.body.empty()) return events;
    codec::JsonReader reader(exchange.request.body);
    const auto read_member = [&](std::string_view name) -> base::Result<void> {
        if (name != "events") return unknown(reader);
        TRY(reader.begin_array());
        for (;;) {
            TRY_ASSIGN(const bool more, reader.next_element());
            if (!more) return {};
            if (events.size() == rehearsed_events_max) return reader.invalid("must have at most 1000 entries");
            TRY_ASSIGN(const codec::JsonSpan raw, reader.raw_value());
            TRY_ASSIGN(model::Event event, codec::parse_event(raw.text));
            if (event.source.empty()) event.source = "example";
            events.push_back(std::move(event));
        }
    };
    TRY(read_body(reader, read_member));
    return events;
}

std::string rehearsal_body(const model::Subscriber& subscriber, const model::Rehearsal& rehearsal) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("subscriber", subscriber.id).name("events").begin_array();
    for (const model::Event& event : rehearsal.events) {
        std::string json;
        model::append_event_json(json, event);
        writer.raw(json);
    }
    writer.end_array().field("not_wanted", static_cast<long long>(rehearsal.not_wanted));
    writer.name("notifications").begin_array();
    for (const model::Rehearsed& made : rehearsal.made) codec::append_rehearsed(writer, subscriber, made);
    writer.end_array().end_object();
    return body;
}

}  // namespace

void rehearse_subscriber(const Exchange& exchange) {
    auto events = read_rehearsal(exchange);
    if (!events) return exchange.fail(events.error());
    ports::Queries& queries = exchange.service.ports.queries;
    const std::string& id = exchange.captures.front();
    const auto catalogue = queries.catalogue();
    if (catalogue->find(id) == nullptr) return exchange.fail(no_such_subscriber(id));
    queries.rehearse(id, std::move(events).value(),
                     [to = exchange.reply(), catalogue, id](const base::Result<model::Rehearsal>& result) {
                         if (!result) return to.fail(result.error());
                         to.respond({200, "application/json", rehearsal_body(*catalogue->find(id), *result), {}});
                     });
}

void list_subscribers(const Exchange& exchange) {
    auto wish = read_request(exchange.request, true);
    if (!wish) return exchange.fail(wish.error());
    ports::Queries& queries = exchange.service.ports.queries;
    queries.settings(exchange.principal(), wish->user_id,
                     [to = exchange.reply(), &queries, wish = *wish](const Choices& choices) {
                         if (is_refusal(choices, wish)) return to.fail(choices.error());
                         to.respond({200, "application/json", list_body(*queries.catalogue(), choices, wish), {}});
                     });
}

void get_subscriber(const Exchange& exchange) {
    auto wish = read_request(exchange.request, false);
    if (!wish) return exchange.fail(wish.error());
    ports::Queries& queries = exchange.service.ports.queries;
    queries.settings(
        exchange.principal(), wish->user_id,
        [to = exchange.reply(), &queries, wish = *wish, id = exchange.captures.front()](const Choices& choices) {
            if (is_refusal(choices, wish)) return to.fail(choices.error());
            const auto catalogue = queries.catalogue();
            const model::Subscriber* subscriber = catalogue->find(id);
            if (subscriber == nullptr) return to.fail(no_such_subscriber(id));
            to.respond({200, "application/json", subscriber_body(*subscriber, choices), {}});
        });
}

void put_subscriber(const Exchange& exchange) {
    auto toggle = read_toggle(exchange);
    if (!toggle) return exchange.fail(toggle.error());
    const auto catalogue = exchange.service.ports.queries.catalogue();
    const std::string& id = exchange.captures.front();
    if (catalogue->find(id) == nullptr) return exchange.fail(no_such_subscriber(id));
    auto command = std::move(toggle).value();
    command->done = [to = exchange.reply(), catalogue, id](const Choices& choices) {
        if (!choices) return to.fail(choices.error());
        to.respond({200, "application/json", subscriber_body(*catalogue->find(id), choices), {}});
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
