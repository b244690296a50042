#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/metrics_text.hpp"
#include "net/openapi.hpp"

namespace belfry::net::handlers {
namespace {

void append_store(model::JsonWriter& writer, const ports::StoreFigures& store, const std::string& error) {
    const auto number = [](auto value) { return static_cast<long long>(value); };
    writer.name("store").begin_object().field("backend", store.backend).field("location", store.location);
    writer.field("commit_number", number(store.commit_number)).field("epoch", number(store.epoch));
    writer.field("index_rows", number(store.index_rows)).field("file_bytes", number(store.file_bytes));
    writer.field("wal_bytes", number(store.wal_bytes)).field("schema_version", number(store.schema_version));
    if (!error.empty()) writer.field("error", error);
    writer.end_object();
}

std::string status_json(const ports::Status& status) {
    const auto number = [](auto value) { return static_cast<long long>(value); };
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("readiness", ports::readiness_name(status.readiness));
    writer.field("version", status.version).field("pid", number(status.pid));
    writer.field("started_at", base::format_timestamp(status.started_at));
    writer.field("now", base::format_timestamp(status.now));
    append_store(writer, status.store, status.store_error);
    writer.name("streams").begin_array();
    for (const model::StreamInfo& stream : status.streams) {
        writer.begin_object().field("name", stream.name).field("head", number(stream.head));
        writer.field("floor", number(stream.floor)).end_object();
    }
    writer.end_array().field("queue_commands", number(status.queue_commands));
    writer.field("queue_bytes", number(status.queue_bytes)).field("connections", number(status.connections));
    writer.end_object();
    return body;
}

}  // namespace

void get_status(const Exchange& exchange) {
    exchange.service.ports.queries.status(exchange.principal(),
                                          [to = exchange.reply()](const base::Result<ports::Status>& result) {
                                              if (!result) return to.fail(result.error());
                                              to.respond({200, "application/json", status_json(*result), {}});
                                          });
}

void get_metrics(const Exchange& exchange) {
    const auto answer = [to = exchange.reply()](const ports::OpenFigures* open) {
        std::string body;
        append_metrics_text(body, to.service().ports.metrics);
        if (open != nullptr) append_open_text(body, *open);
        to.respond({200, "text/plain; version=0.0.4; charset=utf-8", body, {}});
    };
    // What was counted in memory is told also when the store cannot say what is open.
    if (exchange.service.ports.queries.readiness() == ports::Readiness::store_down) return answer(nullptr);
    exchange.service.ports.queries.open_figures(
        exchange.principal(),
        [answer](const base::Result<ports::OpenFigures>& open) { answer(open.ok() ? &*open : nullptr); });
}

void get_healthz(const Exchange& exchange) {
    exchange.respond(200, R"({"status":"ok"})");
}

void get_readyz(const Exchange& exchange) {
    const ports::Readiness readiness =
        exchange.service.stopping ? ports::Readiness::stopping : exchange.service.ports.queries.readiness();
    const std::string body = R"({"status":")" + std::string(ports::readiness_name(readiness)) + "\"}";
    exchange.respond(readiness == ports::Readiness::ready ? 200 : 503, body);
}

void get_openapi(const Exchange& exchange) {
    exchange.respond(200, openapi_document());
}

}  // namespace belfry::net::handlers
