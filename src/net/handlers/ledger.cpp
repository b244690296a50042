#include "codec/notification_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

constexpr auto last_state = static_cast<std::size_t>(model::DeliveryState::failed);

std::string summary_body(const ports::NotificationReading::Figures& figures) {
    std::array<std::uint64_t, last_state + 1> counts{};
    std::uint64_t total = 0;
    for (const auto& [state, count] : figures.by_state) {
        counts.at(static_cast<std::size_t>(state)) = count;
        total += count;
    }
    const auto number = [](std::uint64_t value) { return static_cast<long long>(value); };
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("total", number(total)).name("states").begin_object();
    for (std::size_t state = 0; state <= last_state; ++state) {
        writer.field(model::delivery_state_name(static_cast<model::DeliveryState>(state)), number(counts[state]));
    }
    writer.end_object().name("failures").begin_array();
    for (const auto& [outcome, count] : figures.failures) {
        writer.begin_object().field("outcome", outcome).field("count", number(count)).end_object();
    }
    writer.end_array().field("waiting_events", number(figures.waiting_rows));
    codec::append_time_or_null(writer, "oldest_open_at", figures.oldest_open);
    writer.end_object();
    return body;
}

}  // namespace

void get_ledger_summary(const Exchange& exchange) {
    std::string user;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name != "user") return unknown_parameter(name);
            TRY_ASSIGN(user, parse_filter(name, value));
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.ledger_figures(
        exchange.principal(), user,
        [to = exchange.reply()](const base::Result<ports::NotificationReading::Figures>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", summary_body(*result), {}});
        });
}

}  // namespace belfry::net::handlers
