#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/journal.hpp"
#include "ports/store_journal.hpp"
#include "store/row_reader.hpp"

// Edges as rows.
namespace belfry::store {

#define BELFRY_LINK_COLUMNS \
    "user_id, from_id, relation, to_id, metadata_json, hidden, revision, created_at, updated_at, deleted_at"

inline constexpr std::string_view tool_effect_relation = "tool_effect";

// Whether it belongs to what agents remember: its ends are no records.
inline bool is_agents(const model::Link& link) {
    return std::ranges::find(model::agent_relations, link.relation) != model::agent_relations.end();
}

inline model::Link read_link(RowReader& row) {
    model::Link link;
    link.user_id = row.text();
    link.from_id = row.text();
    link.relation = row.text();
    link.to_id = row.text();
    link.metadata = row.json();
    link.hidden = row.flag();
    link.revision = row.number();
    link.created_at = row.time();
    link.updated_at = row.time();
    link.deleted_at = row.maybe_time();
    return link;
}

inline std::vector<Param> link_params(const model::Link& link) {
    return {bytes(link.user_id),          bytes(link.from_id),        bytes(link.relation),  bytes(link.to_id),
            bytes(link.metadata.bytes()), store::choice(link.hidden), number(link.revision), number(link.created_at),
            number(link.updated_at),      maybe(link.deleted_at)};
}

}  // namespace belfry::store
