#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "codec/cloudevents.hpp"
#include "codec/event_bodies.hpp"
#include "codec/problem.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/pace.hpp"
#include "ports/commands/intake.hpp"

namespace belfry::net::handlers {
namespace {

constexpr std::size_t accepted_bytes = 96;  // at the most, of one accepted entry

bool is_cloudevent_header(const wire::HeaderField& field) {
    return field.name.size() > 3 && (field.name[0] | 0x20) == 'c' && (field.name[1] | 0x20) == 'e' &&
           field.name[2] == '-';
}

bool has_cloudevent_headers(const wire::Request& request) {
    return std::any_of(request.fields.begin(), request.fields.end(), is_cloudevent_header);
}

// Of all that makes the events: a binary CloudEvent has its attributes in the header, and the content type says how the
// body is read. Proxies may order fields and write their names as they like.
std::array<std::uint8_t, 16> fingerprint_of(const wire::Request& request) {
    std::vector<std::string> lines;
    for (const wire::HeaderField& field : request.fields) {
        if (!is_cloudevent_header(field)) continue;
        std::string& line = lines.emplace_back(field.name);
        for (char& c : line) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        line += ':';
        line += field.value;
    }
    std::sort(lines.begin(), lines.end());
    std::string all = "content-type:";
    all += request.header(wire::Header::content_type);
    for (const std::string& line : lines) all += '\n' + line;
    all += "\n\n";
    const auto body = base::fingerprint(request.body);
    all.append(reinterpret_cast<const char*>(body.data()), body.size());
    return base::fingerprint(all);
}

base::Result<codec::EventBodies> read_events(const wire::Request& request) {
    if (has_cloudevent_headers(request)) {
        std::vector<codec::Header> headers;
        headers.reserve(request.fields.size());
        for (const wire::HeaderField& field : request.fields) headers.emplace_back(field.name, field.value);
        if (codec::is_binary_cloudevent(headers)) {
            codec::EventBodies bodies;
            bodies.form = codec::EventForm::cloudevent;
            bodies.entries.push_back(codec::parse_binary_cloudevent(headers, request.body));
            return bodies;
        }
    }
    return codec::split_events(request.header(wire::Header::content_type), request.body);
}

void append_accepted(std::string& out, const ports::Admitted& admitted) {
    out += "{\"id\":\"";
    base::append_uuid(out, admitted.id.uuid);
    out += "\",\"sequence\":";
    model::JsonWriter(out).number(static_cast<long long>(admitted.sequence));
    out += '}';
}

void append_refused(std::string& out, const base::Error& error) {
    out += "{\"error\":";
    codec::append_entry_problem(out, error);
    out += '}';
}

void answer_single(const Reply& to, const base::Result<ports::EmitReply>& result) {
    if (!result) return to.fail(result.error());
    const ports::Admission& admission = result->entries.front();
    if (!admission) return to.fail(admission.error());
    std::string body;
    body.reserve(accepted_bytes);
    append_accepted(body, *admission);
    to.respond({201, "application/json", body, result->replayed ? replayed_field : std::string_view{}});
}

void answer_batch(const Reply& to, const base::Result<ports::EmitReply>& result) {
    if (!result) return to.fail(result.error());
    const std::vector<ports::Admission>& entries = result->entries;
    const auto accepted = std::count_if(entries.begin(), entries.end(), [](const auto& entry) { return entry.ok(); });
    const auto refused = static_cast<std::ptrdiff_t>(entries.size()) - accepted;
    std::string body =
        "{\"accepted\":" + std::to_string(accepted) + ",\"refused\":" + std::to_string(refused) + ",\"data\":[";
    for (const ports::Admission& entry : entries) {
        if (body.back() != '[') body += ',';
        entry.ok() ? append_accepted(body, *entry) : append_refused(body, entry.error());
    }
    body += "]}";
    const int status = refused == 0 ? 201 : accepted == 0 ? 422 : 207;
    to.respond({status, "application/json", body, result->replayed ? replayed_field : std::string_view{}});
}

}  // namespace

void post_events(const Exchange& exchange) {
    const wire::Request& request = exchange.request;
    auto bodies = read_events(request);
    if (!bodies) return exchange.fail(bodies.error());
    const bool batch = codec::is_batch(bodies->form);
    if (!batch && !bodies->entries.front().event) return exchange.fail(bodies->entries.front().event.error());
    if (is_too_fast(exchange, bodies->entries.size())) return;

    auto command = std::make_unique<ports::EmitEvents>();
    command->entries.reserve(bodies->entries.size());
    for (codec::ParsedEntry& entry : bodies->entries) {
        command->entries.push_back({std::move(entry.event), entry.fingerprint});
    }
    if (exchange.idempotency) command->idempotency = {exchange.idempotency->text, fingerprint_of(request)};
    command->bytes = request.body.size() + command->entries.size() * sizeof(ports::EventDraft);
    const Reply to = exchange.reply();
    if (batch) {
        command->done = [to](const base::Result<ports::EmitReply>& result) { answer_batch(to, result); };
    } else {
        command->done = [to](const base::Result<ports::EmitReply>& result) { answer_single(to, result); };
    }
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
