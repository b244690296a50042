#include "net/metrics_text.hpp"

#include <span>
#include <string_view>

#include "model/notification.hpp"
#include "model/run.hpp"

namespace belfry::net {
namespace {

void append_head(std::string& out, std::string_view name, std::string_view kind, std::string_view help) {
    out.append("# HELP belfry_").append(name).append(" ").append(help);
    out.append("\n# TYPE belfry_").append(name).append(" ").append(kind).append("\n");
}

void append_sample(std::string& out, std::string_view name, const std::string& value, std::string_view labels = {}) {
    out.append("belfry_").append(name).append(labels).append(" ").append(value).append("\n");
}

struct Row {
    std::string_view name;
    std::string_view help;
    const ports::Metrics::Counter ports::Metrics::* member;
};

using M = ports::Metrics;
constexpr Row counters[] = {
    {"events_accepted_total", "Events taken in.", &M::events_accepted},
    {"events_refused_total", "Events refused.", &M::events_refused},
    {"events_replayed_total", "Events answered from an earlier answer.", &M::events_replayed},
    {"notifications_made_total", "Notifications made.", &M::notifications_made},
    {"notifications_gave_way_total", "Notifications that gave way in a full queue.", &M::notifications_gave_way},
    {"notifications_handed_over_total", "Notifications handed to agents.", &M::notifications_handed_over},
    {"notifications_acknowledged_total", "Notifications that agents have confirmed.", &M::notifications_acknowledged},
    {"runs_created_total", "Runs made.", &M::runs_created},
    {"run_events_total", "Events of runs taken in.", &M::run_events},
    {"commands_refused_overload_total", "Commands refused because the queue was full.", &M::commands_refused_overload},
    {"commits_total", "Commits.", &M::commits},
    {"commits_failed_total", "Commits that certainly failed.", &M::commits_failed},
    {"commits_unknown_total", "Commits whose outcome was not known.", &M::commits_unknown},
    {"store_reopened_total", "Times that the store was opened anew.", &M::store_reopened},
    {"blocks_dropped_total", "Blocks of the log dropped by retention.", &M::blocks_dropped},
    {"obligations_claimed_total", "Owed effects claimed.", &M::obligations_claimed},
    {"obligations_finished_total", "Owed effects finished.", &M::obligations_finished},
    {"obligations_failed_total", "Attempts at owed effects that failed.", &M::obligations_failed},
    {"http_requests_total", "HTTP requests.", &M::http_requests},
    {"http_errors_client_total", "HTTP answers of 400 to 499.", &M::http_errors_client},
    {"http_errors_server_total", "HTTP answers of 500 and above.", &M::http_errors_server},
    {"http_connections_opened_total", "Connections accepted.", &M::http_connections_opened},
    {"http_connections_refused_total", "Connections refused by the connection limit.", &M::http_connections_refused},
    {"authentications_failed_total", "Failed logins.", &M::authentications_failed},
    {"stream_entries_sent_total", "Entries sent to followers of streams.", &M::stream_entries_sent},
    {"stream_readers_opened_total", "Followers that came.", &M::stream_readers_opened},
    {"stream_readers_closed_slow_total", "Followers closed because they took nothing.", &M::stream_readers_closed_slow},
    {"stream_fetches_total", "Reads from the store for followers that were behind.", &M::stream_fetches},
    {"sync_links_opened_total", "Links with other devices that came up.", &M::sync_links_opened},
    {"sync_refusals_total", "Links that were ended because of what the other device said.", &M::sync_refusals},
    {"sync_messages_sent_total", "Messages to other devices.", &M::sync_messages_sent},
    {"sync_messages_received_total", "Messages from other devices.", &M::sync_messages_received},
    {"sync_bytes_sent_total", "Bytes of messages to other devices, before packing.", &M::sync_bytes_sent},
    {"sync_bytes_received_total", "Bytes of messages from other devices, unpacked.", &M::sync_bytes_received},
    {"sync_records_taken_total", "Records of other devices that changed something here.", &M::sync_records_taken},
    {"sync_records_merged_total", "Of them, those that both had changed.", &M::sync_records_merged},
};

struct GaugeRow {
    std::string_view name;
    std::string_view help;
    const std::atomic<std::int64_t> M::* member;
};
constexpr GaugeRow gauges[] = {
    {"connections", "Open connections.", &M::connections},
    {"stream_readers", "Open followers of streams.", &M::stream_readers},
    {"queue_commands", "Commands that wait for the engine.", &M::queue_commands},
    {"queue_bytes", "Bytes of commands that wait for the engine.", &M::queue_bytes},
    {"sync_links", "Links with other devices that are up.", &M::sync_links},
};

std::string seconds(std::uint64_t us) {
    std::string text = std::to_string(us / 1'000'000);
    std::string rest = std::to_string(1'000'000 + us % 1'000'000).substr(1);
    while (!rest.empty() && rest.back() == '0') rest.pop_back();
    if (!rest.empty()) text += "." + rest;
    return text;
}

template <std::size_t size>
void append_histogram(std::string& out, const std::string& name, std::string_view help,
                      const ports::Histogram<size>& histogram) {
    append_head(out, name, "histogram", help);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        total += histogram.counts[i].load();
        const std::string bound = i == size ? "+Inf" : seconds(histogram.bounds_us[i]);
        append_sample(out, name + "_bucket", std::to_string(total), "{le=\"" + bound + "\"}");
    }
    append_sample(out, name + "_sum", seconds(histogram.us_total.load()));
    append_sample(out, name + "_count", std::to_string(total));
}

template <class Names>
void append_by_state(std::string& out, std::string_view name, std::string_view help,
                     std::span<const std::uint64_t> counts, const Names& name_of) {
    append_head(out, name, "gauge", help);
    for (std::size_t state = 0; state < counts.size(); ++state) {
        append_sample(out, name, std::to_string(counts[state]), "{state=\"" + std::string(name_of(state)) + "\"}");
    }
}

void append_gauge(std::string& out, std::string_view name, std::string_view help, std::uint64_t value) {
    append_head(out, name, "gauge", help);
    append_sample(out, name, std::to_string(value));
}

}  // namespace

void append_metrics_text(std::string& out, const ports::Metrics& metrics) {
    for (const Row& row : counters) {
        append_head(out, row.name, "counter", row.help);
        append_sample(out, row.name, std::to_string((metrics.*row.member).load()));
    }
    for (const GaugeRow& row : gauges) {
        append_head(out, row.name, "gauge", row.help);
        append_sample(out, row.name, std::to_string((metrics.*row.member).load()));
    }
    append_histogram(out, "commit_seconds", "How long commits took.", metrics.commit);
    append_histogram(out, "http_seconds", "From a whole HTTP request to its answer.", metrics.http);
    append_histogram(out, "delivery_seconds",
                     "From an event until its notification was shown to a person or had arrived at an agent.",
                     metrics.delivery);
}

void append_open_text(std::string& out, const ports::OpenFigures& open) {
    append_by_state(
        out, "notifications_open", "Notifications that have not ended.", open.notifications,
        [](std::size_t state) { return model::delivery_state_name(static_cast<model::DeliveryState>(state)); });
    append_by_state(out, "runs_open", "Runs that have not ended.", open.runs,
                    [](std::size_t state) { return model::run_state_name(static_cast<model::RunState>(state)); });
    append_gauge(out, "batches_open", "Batches that gather events.", open.batches);
    append_gauge(out, "batch_rows_open", "Rows in them.", open.batch_rows);
    append_gauge(out, "obligations_open", "Owed effects that are not finished.", open.obligations);
    append_gauge(out, "interactions_open", "Questions to people that are not answered.", open.interactions);
}

}  // namespace belfry::net
