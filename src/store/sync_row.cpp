#include "store/sync_row.hpp"

#include "store/change_row.hpp"

namespace belfry::store {
namespace {

std::uint64_t count(RowReader& row) {
    return static_cast<std::uint64_t>(row.number());
}

model::Stamp read_stamp(RowReader& row) {
    model::Stamp stamp;
    stamp.version = count(row);
    stamp.host = row.text();
    stamp.counter = count(row);
    return stamp;
}

}  // namespace

ports::KnownRecord read_known(RowReader& row) {
    ports::KnownRecord record;
    record.kind = row.text();
    record.id = row.text();
    record.user_id = row.text();
    record.knowledge.clock = read_clock(row);
    // A record of before has only its clock.
    if (row.skip_null()) return record;
    if (!model::read_knowledge(model::JsonView{row.bytes()}, record.knowledge)) row.note_damage();
    return record;
}

ports::HostPlace read_host(RowReader& row) {
    ports::HostPlace place;
    place.host = row.text();
    place.settled = count(row);
    place.floor = count(row);
    auto key = row.maybe_text();
    auto signature = row.maybe_text();
    if (key && signature) place.seal = {place.host, std::move(*key), std::move(*signature)};
    return place;
}

ports::MissingChange read_missing(RowReader& row) {
    ports::MissingChange missing;
    missing.host = row.text();
    missing.counter = count(row);
    missing.peer_id = row.text();
    missing.since = row.time();
    return missing;
}

model::Peer read_peer(RowReader& row) {
    model::Peer peer;
    peer.id = row.text();
    peer.name = row.text();
    peer.address = row.text();
    peer.key = row.text();
    peer.host = row.text();
    peer.added_at = row.time();
    peer.revoked_at = row.maybe_time();
    peer.last_seen_at = row.maybe_time();
    peer.has = read_clock(row);
    peer.last_error = row.text();
    peer.whole_cursor = row.text();
    return peer;
}

model::MergeNote read_note(RowReader& row) {
    model::MergeNote note;
    note.number = row.number();
    note.at = row.time();
    note.kind = row.text();
    note.id = row.text();
    note.user_id = row.text();
    note.field = row.text();
    note.rule = row.text();
    note.kept = read_stamp(row);
    note.lost = read_stamp(row);
    note.kept_value = row.text();
    note.lost_value = row.text();
    return note;
}

}  // namespace belfry::store
