#include "ports/commands/sync.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "codec/sse.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/sync_words.hpp"

// The devices that share what is here: who they are, how they stand, and what was decided between them.
namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JsonWriter;

constexpr std::size_t code_bytes_max = 100;
constexpr std::size_t address_bytes_max = 300;  // of the longest name of a host, and a port

base::Error no_pairing_here() {
    return base::error(Code::unavailable, "this daemon is not paired with other devices at the moment");
}

std::vector<ports::LinkInfo> links_of(const Service& service) {
    return service.ports.pairing == nullptr ? std::vector<ports::LinkInfo>{} : service.ports.pairing->links();
}

OwnDevice own_device(const Service& service) {
    const ports::Pairing* const pairing = service.ports.pairing;
    if (pairing == nullptr) return {{}, {}, service.ports.clock.now()};
    return {pairing->name(), pairing->listens_at(), service.ports.clock.now()};
}

base::Result<ports::Pairing::Join> read_join(const Exchange& exchange) {
    ports::Pairing::Join wish;
    codec::JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "code") {
            TRY_ASSIGN(wish.code, read_text(reader, 1, code_bytes_max));
        } else if (name == "at") {
            TRY_ASSIGN(wish.address, read_text(reader, 1, address_bytes_max));
        } else if (name == "name") {
            TRY_ASSIGN(wish.name, read_text(reader, 1, limits::peer_name_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (wish.code.empty()) return missing("code");
    if (wish.address.empty()) return missing("at");
    return wish;
}

// What of the wish it is about, for whoever has typed it.
base::Error at_field(base::Error error) {
    if (!error.field.empty()) return error;
    if (error.reason == "wrong_code" || error.reason == "no_pairing") error.field = "code";
    else if (error.reason == "same_device" || error.code == Code::unavailable) error.field = "at";
    return error;
}

// One that was just paired or revoked: nobody has asked yet what it lacks.
std::string peer_body(const model::Peer& peer) {
    std::string body;
    JsonWriter writer(body);
    append_peer(writer, peer, {}, nullptr);
    return body;
}

}  // namespace

void list_peers(const Exchange& exchange) {
    exchange.service.ports.queries.sync_status(
        exchange.principal(), [to = exchange.reply()](const base::Result<ports::SyncStatus>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", peers_body(*result, links_of(to.service())), {}});
        });
}

void begin_pairing(const Exchange& exchange) {
    if (exchange.service.ports.pairing == nullptr) return exchange.fail(no_pairing_here());
    exchange.service.ports.pairing->begin([to = exchange.reply()](const base::Result<ports::PairingCode>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        JsonWriter writer(body);
        writer.begin_object().field("code", result->code).field("address", result->address);
        writer.field("expires_at", base::format_timestamp(result->expires_at)).end_object();
        to.respond({201, "application/json", body, {}});
    });
}

void pair_with(const Exchange& exchange) {
    auto wish = read_join(exchange);
    if (!wish) return exchange.fail(wish.error());
    if (exchange.service.ports.pairing == nullptr) return exchange.fail(no_pairing_here());
    exchange.service.ports.pairing->join(std::move(*wish),
                                         [to = exchange.reply()](const base::Result<model::Peer>& result) {
                                             if (!result) return to.fail(at_field(result.error()));
                                             to.respond({201, "application/json", peer_body(*result), {}});
                                         });
}

void revoke_peer(const Exchange& exchange) {
    auto command = std::make_unique<ports::RevokePeer>();
    command->lane = ports::Lane::control;
    command->key = exchange.captures.front();
    command->done = [to = exchange.reply()](const base::Result<model::Peer>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", peer_body(*result), {}});
    };
    exchange.submit(std::move(command));
}

void get_sync_status(const Exchange& exchange) {
    exchange.service.ports.queries.sync_status(
        exchange.principal(), [to = exchange.reply()](const base::Result<ports::SyncStatus>& result) {
            if (!result) return to.fail(result.error());
            const Service& service = to.service();
            to.respond(
                {200, "application/json", sync_status_body(*result, links_of(service), own_device(service)), {}});
        });
}

void list_merges(const Exchange& exchange) {
    std::int64_t before = 0;
    std::size_t limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "before") {
                TRY_ASSIGN(const std::uint64_t number, codec::parse_position(value, name));
                before = static_cast<std::int64_t>(number);
            } else if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.merge_notes(
        exchange.principal(), before, limit + 1,
        [to = exchange.reply(), limit](const base::Result<std::vector<model::MergeNote>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](JsonWriter& writer, const model::MergeNote& last) {
                writer.number(static_cast<long long>(last.number));
            };
            to.respond({200, "application/json", page_body(*result, limit, model::append_merge_note, append_next), {}});
        });
}

void get_sync_digest(const Exchange& exchange) {
    auto command = std::make_unique<ports::TakeDigest>();
    command->done = [to = exchange.reply()](const base::Result<ports::SyncDigest>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        JsonWriter writer(body);
        writer.begin_object().field("digest", result->digest).field("records", static_cast<long long>(result->records));
        writer.name("has").raw(result->has.to_json()).end_object();
        to.respond({200, "application/json", body, {}});
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
