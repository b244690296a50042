#include "client/devices.hpp"

#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

std::vector<model::RawJson> elements(const model::RawJson& json) {
    std::vector<model::RawJson> found;
    Fields(json.view()).each("data", [&](model::JsonView element) {
        found.push_back(model::RawJson::trusted(std::string(element.text)));
    });
    return found;
}

}  // namespace

base::Result<std::vector<model::RawJson>> Devices::peers() {
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request("GET", "/v1/peers")));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
    return elements(json);
}

base::Result<PairingCode> Devices::begin_pairing() {
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask(client_.request("POST", "/v1/peers/pairing")));
    PairingCode begun;
    TRY_ASSIGN(begun.json, read_object(answer.body, "code"));
    const Fields fields(begun.json.view());
    begun.code = fields.text("code");
    begun.address = fields.text("address");
    begun.expires_at = fields.text("expires_at");
    return begun;
}

base::Result<model::RawJson> Devices::pair(const PairRequest& request) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("code", request.code).field("at", request.address);
    if (!request.name.empty()) writer.field("name", request.name);
    writer.end_object();
    // Not asked again: a code is good for one pairing, and its second use would be told to be wrong.
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask(client_.request("POST", "/v1/peers", std::move(body))));
    return read_object(answer.body, "id");
}

base::Result<model::RawJson> Devices::revoke(std::string_view peer) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(client_.request("DELETE", "/v1/peers/" + percent_encode(peer))));
    return read_object(answer.body, "id");
}

base::Result<model::RawJson> Devices::status() {
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request("GET", "/v1/sync/status")));
    return read_object(answer.body, "device");
}

base::Result<Devices::Merges> Devices::merges(std::int64_t below, std::size_t limit) {
    Query query;
    if (below > 0) query.add("before", std::to_string(below));
    query.add("limit", std::to_string(limit));
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(client_.request("GET", "/v1/sync/merges" + query.text())));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
    return Merges{elements(json), Fields(json.view()).number("next")};
}

base::Result<model::RawJson> Devices::digest() {
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request("GET", "/v1/sync/digest")));
    return read_object(answer.body, "digest");
}

}  // namespace belfry::client
