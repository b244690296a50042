#pragma once

#include "ports/store_sync.hpp"
#include "store/row_reader.hpp"

// What devices know of each other as it is stored.
namespace belfry::store {

#define BELFRY_KNOWN_RECORDS "SELECT kind, record_id, user_id, clock_json, knowledge_json FROM record_clocks "
ports::KnownRecord read_known(RowReader& row);

#define BELFRY_HOSTS "SELECT host, settled, floor, seal_key, seal_signature FROM change_hosts ORDER BY host"
ports::HostPlace read_host(RowReader& row);

#define BELFRY_MISSING "SELECT host, counter, peer_id, since FROM sync_missing ORDER BY host, counter LIMIT $1"
ports::MissingChange read_missing(RowReader& row);

#define BELFRY_PEER_COLUMNS                                                                                \
    "peer_id, name, address, public_key, host, added_at, revoked_at, last_seen_at, has_json, last_error, " \
    "whole_cursor"
#define BELFRY_PEERS "SELECT " BELFRY_PEER_COLUMNS " FROM peers ORDER BY peer_id"
model::Peer read_peer(RowReader& row);

#define BELFRY_NOTE_COLUMNS                                                                             \
    "note_no, noted_at, kind, record_id, user_id, field, rule, kept_version, kept_host, kept_counter, " \
    "lost_version, lost_host, lost_counter, kept_value, lost_value"
model::MergeNote read_note(RowReader& row);

#define BELFRY_LAST_NOTE "SELECT last_note FROM merge_count WHERE id = 1"

}  // namespace belfry::store
