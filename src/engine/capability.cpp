#include "engine/capability.hpp"

namespace belfry::engine {

void Unit::audit(std::string_view action, const model::Principal& by, std::string_view detail) {
    std::string body = "{\"action\":\"";
    model::append_escaped(body, action);
    body += "\",\"at\":\"";
    base::append_timestamp(body, now);
    body += "\",\"by\":\"";
    model::append_escaped(body, by.id);
    body += '"';
    if (!detail.empty()) {
        body += ',';
        body += detail;
    }
    body += '}';
    model::Facets facets;
    facets.type = action;
    streams.append(store, StreamBook::audit, facets, body);
}

}  // namespace belfry::engine
