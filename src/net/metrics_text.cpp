#include "net/metrics_text.hpp"

#include <string_view>

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
};

std::string seconds(std::uint64_t us) {
    std::string text = std::to_string(us / 1'000'000);
    std::string rest = std::to_string(1'000'000 + us % 1'000'000).substr(1);
    while (!rest.empty() && rest.back() == '0') rest.pop_back();
    if (!rest.empty()) text += "." + rest;
    return text;
}

void append_commit_histogram(std::string& out, const M& metrics) {
    append_head(out, "commit_seconds", "histogram", "How long commits took.");
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < metrics.commit_us_counts.size(); ++i) {
        total += metrics.commit_us_counts[i].load();
        const bool last = i == M::commit_us_buckets.size();
        const std::string bound = last ? "+Inf" : seconds(M::commit_us_buckets[i]);
        append_sample(out, "commit_seconds_bucket", std::to_string(total), "{le=\"" + bound + "\"}");
    }
    append_sample(out, "commit_seconds_sum", seconds(metrics.commit_us_total.load()));
    append_sample(out, "commit_seconds_count", std::to_string(total));
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
    append_commit_histogram(out, metrics);
}

}  // namespace belfry::net
