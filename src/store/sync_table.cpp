#include "store/sync_table.hpp"

#include <algorithm>

#include "store/change_row.hpp"
#include "store/sync_row.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_known{BELFRY_KNOWN_RECORDS "WHERE kind = $1 AND record_id = $2"};
constexpr Sql select_known_after{BELFRY_KNOWN_RECORDS "WHERE kind = $1 AND record_id > $2 ORDER BY record_id LIMIT $3"};
constexpr Sql upsert_known{
    "INSERT INTO record_clocks (kind, record_id, user_id, clock_json, knowledge_json) VALUES ($1, $2, $3, $4, $5) ON "
    "CONFLICT (kind, record_id) DO UPDATE SET user_id = excluded.user_id, clock_json = excluded.clock_json, "
    "knowledge_json = excluded.knowledge_json"};
constexpr Sql delete_known{"DELETE FROM record_clocks WHERE kind = $1 AND record_id = $2"};

constexpr Sql select_messages_after{
    "SELECT m.position, m.message_id, m.agent_id, a.user_id FROM agent_messages m CROSS JOIN agents a WHERE a.agent_id "
    "= m.agent_id AND m.position > $1 ORDER BY m.position LIMIT $2"};
static_assert(model::agent_relations.size() == 7);
constexpr Sql select_links_after{
    "SELECT user_id, relation, from_id, to_id FROM links WHERE (user_id, from_id, relation, to_id) > ($1, $2, $3, $4) "
    "AND relation NOT IN ($6, $7, $8, $9, $10, $11, $12) ORDER BY user_id, from_id, relation, to_id LIMIT $5"};

constexpr Sql select_hosts{BELFRY_HOSTS};
constexpr Sql upsert_seal{
    "INSERT INTO change_hosts (host, settled, seal_key, seal_signature) VALUES ($1, 0, $2, $3) ON CONFLICT (host) DO "
    "UPDATE SET seal_key = excluded.seal_key, seal_signature = excluded.seal_signature"};
constexpr Sql upsert_floor{
    "INSERT INTO change_hosts (host, settled, floor) VALUES ($1, 0, $2) ON CONFLICT (host) DO UPDATE SET "
    "floor = excluded.floor WHERE change_hosts.floor < excluded.floor"};

constexpr Sql select_changes{"SELECT " BELFRY_CHANGE_COLUMNS
                             " FROM changes WHERE host = $1 AND counter > $2 AND batch_id IS NOT NULL ORDER BY counter "
                             "LIMIT $3"};
constexpr Sql select_here{
    "SELECT counter FROM changes WHERE host = $1 AND counter >= $2 AND counter <= $3 ORDER BY counter"};

constexpr Sql select_missing{BELFRY_MISSING};
constexpr Sql insert_missing{
    "INSERT INTO sync_missing (host, counter, peer_id, since) VALUES ($1, $2, $3, $4) ON CONFLICT (host, counter) DO "
    "NOTHING"};
constexpr Sql delete_missing{"DELETE FROM sync_missing WHERE host = $1 AND counter >= $2 AND counter <= $3"};

constexpr Sql insert_forgotten{
    "INSERT INTO forgotten_messages (message_id, agent_id, user_id) VALUES ($1, $2, $3) ON CONFLICT (message_id) DO "
    "NOTHING"};
#define BELFRY_FORGOTTEN "SELECT message_id, agent_id, user_id FROM forgotten_messages "
constexpr Sql select_forgotten{BELFRY_FORGOTTEN "WHERE message_id = $1"};
constexpr Sql select_forgotten_after{BELFRY_FORGOTTEN "WHERE message_id > $1 ORDER BY message_id LIMIT $2"};

constexpr Sql select_plain{
    "SELECT kind, record_id, user_id, body_json, updated_at FROM sync_plain WHERE kind = $1 AND record_id = $2"};
constexpr Sql select_plain_after{
    "SELECT kind, record_id, user_id, body_json, updated_at FROM sync_plain WHERE kind = $1 AND record_id > $2 ORDER "
    "BY "
    "record_id LIMIT $3"};
constexpr Sql delete_one_plain{"DELETE FROM sync_plain WHERE kind = $1 AND record_id = $2"};
constexpr Sql upsert_plain{
    "INSERT INTO sync_plain (kind, record_id, user_id, body_json, updated_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT "
    "(kind, record_id) DO UPDATE SET user_id = excluded.user_id, body_json = excluded.body_json, "
    "updated_at = excluded.updated_at"};
constexpr Sql delete_plain{
    "DELETE FROM sync_plain WHERE kind = $1 AND record_id IN (SELECT record_id FROM sync_plain WHERE kind = $1 AND "
    "updated_at < $2 ORDER BY updated_at LIMIT $3) RETURNING record_id"};

constexpr Sql insert_note{"INSERT INTO merge_notes (" BELFRY_NOTE_COLUMNS
                          ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"};
constexpr Sql raise_last_note{"UPDATE merge_count SET last_note = $1 WHERE id = 1 AND last_note < $1"};
constexpr Sql select_last_note{BELFRY_LAST_NOTE};
constexpr Sql select_notes_of{"SELECT " BELFRY_NOTE_COLUMNS
                              " FROM merge_notes WHERE kind = $1 AND record_id = $2 ORDER BY note_no"};
constexpr Sql select_notes_of_kind{"SELECT " BELFRY_NOTE_COLUMNS " FROM merge_notes WHERE kind = $1 ORDER BY note_no"};
constexpr Sql delete_notes_of{"DELETE FROM merge_notes WHERE kind = $1 AND record_id = $2"};
constexpr Sql delete_notes{"DELETE FROM merge_notes WHERE note_no <= $1"};

constexpr Sql select_peers{BELFRY_PEERS};
constexpr Sql upsert_peer{
    "INSERT INTO peers (" BELFRY_PEER_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (peer_id) DO UPDATE SET "
    "name = excluded.name, address = excluded.address, public_key = excluded.public_key, host = excluded.host, "
    "added_at = excluded.added_at, revoked_at = excluded.revoked_at, last_seen_at = excluded.last_seen_at, "
    "has_json = excluded.has_json, last_error = excluded.last_error, whole_cursor = excluded.whole_cursor"};

constexpr Sql erase_forgotten{
    "DELETE FROM forgotten_messages WHERE message_id IN (SELECT message_id FROM forgotten_messages WHERE user_id = $1 "
    "LIMIT $2)"};
constexpr Sql erase_notes{
    "DELETE FROM merge_notes WHERE note_no IN (SELECT note_no FROM merge_notes WHERE user_id = $1 LIMIT $2)"};
// That he was erased is what the others are told.
constexpr Sql erase_plain{
    "DELETE FROM sync_plain WHERE (kind, record_id) IN (SELECT kind, record_id FROM sync_plain WHERE user_id = $1 AND "
    "kind <> $3 LIMIT $2)"};

Param rows_of(std::size_t limit) {
    return number(std::uint64_t{limit});
}

std::vector<std::vector<Param>> keys_of(SqlSyncTable::Names records) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(records.size());
    for (const auto& [kind, id] : records) sets.push_back({bytes(kind), bytes(id)});
    return sets;
}

ports::MessagePlace read_message_place(RowReader& row) {
    ports::MessagePlace place;
    place.position = row.number();
    place.id = row.uuid();
    place.agent_id = row.text();
    place.user_id = row.text();
    return place;
}

ports::LinkName read_link_name(RowReader& row) {
    ports::LinkName name;
    name.user_id = row.text();
    name.relation = row.text();
    name.from_id = row.text();
    name.to_id = row.text();
    return name;
}

std::uint64_t read_counter(RowReader& row) {
    return static_cast<std::uint64_t>(row.number());
}

ports::SyncTable::Forgotten read_forgotten(RowReader& row) {
    ports::SyncTable::Forgotten one;
    one.message_id = row.uuid();
    one.agent_id = row.text();
    one.user_id = row.text();
    return one;
}

ports::SyncTable::Plain read_plain(RowReader& row) {
    ports::SyncTable::Plain plain;
    plain.kind = row.text();
    plain.id = row.text();
    plain.user_id = row.text();
    plain.body = row.json();
    plain.updated_at = row.time();
    return plain;
}

}  // namespace

base::Result<std::vector<ports::KnownRecord>> SqlSyncTable::knowledge(Names records) {
    return select_many(database_, "record_clocks", select_known, keys_of(records), read_known);
}

base::Result<void> SqlSyncTable::put_knowledge(std::span<const ports::KnownRecord> records) {
    struct Texts {
        std::string clock;
        std::string knowledge;
    };
    std::vector<Texts> texts;
    std::vector<std::vector<Param>> rows;
    texts.reserve(records.size());
    for (const ports::KnownRecord& record : records) {
        Texts& one = texts.emplace_back();
        one.clock = record.knowledge.clock.to_json();
        model::JsonWriter writer(one.knowledge);
        model::append_knowledge(writer, record.knowledge);
        rows.push_back(
            {bytes(record.kind), bytes(record.id), bytes(record.user_id), bytes(one.clock), bytes(one.knowledge)});
    }
    return database_.run_many(upsert_known, rows, {});
}

base::Result<std::vector<ports::KnownRecord>> SqlSyncTable::knowledge_after(std::string_view kind, std::string_view id,
                                                                            std::size_t limit) {
    return select(database_, "record_clocks", select_known_after, {bytes(kind), bytes(id), rows_of(limit)}, read_known);
}

base::Result<std::vector<ports::MessagePlace>> SqlSyncTable::messages_after(std::int64_t position, std::size_t limit) {
    return select(database_, "agent_messages", select_messages_after, {number(position), rows_of(limit)},
                  read_message_place);
}

base::Result<std::vector<ports::LinkName>> SqlSyncTable::links_after(const ports::LinkName& last, std::size_t limit) {
    std::vector<Param> params{bytes(last.user_id), bytes(last.from_id), bytes(last.relation), bytes(last.to_id),
                              rows_of(limit)};
    for (const std::string_view relation : model::agent_relations) params.push_back(bytes(relation));
    Collector<ports::LinkName, decltype(&read_link_name)> rows(read_link_name);
    TRY(database_.run(select_links_after, params, rows.sink()));
    return rows.take("links");
}

base::Result<std::vector<ports::HostPlace>> SqlSyncTable::hosts() {
    return select(database_, "change_hosts", select_hosts, {}, read_host);
}

base::Result<void> SqlSyncTable::put_seal(const model::HostSeal& seal) {
    TRY(database_.run(upsert_seal, {bytes(seal.host), bytes(seal.key), bytes(seal.signature)}));
    return {};
}

base::Result<void> SqlSyncTable::put_floor(std::string_view host, std::uint64_t floor) {
    TRY(database_.run(upsert_floor, {bytes(host), number(floor)}));
    return {};
}

base::Result<std::vector<model::Change>> SqlSyncTable::changes_after(std::string_view host, std::uint64_t counter,
                                                                     std::size_t limit) {
    return select(database_, "changes", select_changes, {bytes(host), number(counter), rows_of(limit)}, read_change);
}

base::Result<std::vector<std::uint64_t>> SqlSyncTable::here(std::string_view host, std::uint64_t from,
                                                            std::uint64_t through) {
    return select(database_, "changes", select_here, {bytes(host), number(from), number(through)}, read_counter);
}

base::Result<std::vector<ports::MissingChange>> SqlSyncTable::missing(std::size_t limit) {
    return select(database_, "sync_missing", select_missing, {rows_of(limit)}, read_missing);
}

base::Result<void> SqlSyncTable::put_missing(std::span<const ports::MissingChange> missing) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(missing.size());
    for (const ports::MissingChange& one : missing) {
        rows.push_back({bytes(one.host), number(one.counter), bytes(one.peer_id), number(one.since)});
    }
    return database_.run_many(insert_missing, rows, {});
}

base::Result<void> SqlSyncTable::remove_missing(std::string_view host, std::uint64_t from, std::uint64_t through) {
    TRY(database_.run(delete_missing, {bytes(host), number(from), number(through)}));
    return {};
}

base::Result<void> SqlSyncTable::add_forgotten(std::span<const Forgotten> messages) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(messages.size());
    for (const Forgotten& one : messages) {
        rows.push_back({bytes(one.message_id), bytes(one.agent_id), bytes(one.user_id)});
    }
    return database_.run_many(insert_forgotten, rows, {});
}

base::Result<std::vector<ports::SyncTable::Forgotten>> SqlSyncTable::forgotten(std::span<const base::Uuid> ids) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const base::Uuid& id : ids) sets.push_back({bytes(id)});
    return select_many(database_, "forgotten_messages", select_forgotten, sets, read_forgotten);
}

base::Result<std::vector<ports::SyncTable::Forgotten>> SqlSyncTable::forgotten_after(const base::Uuid& id,
                                                                                     std::size_t limit) {
    return select(database_, "forgotten_messages", select_forgotten_after, {bytes(id), rows_of(limit)}, read_forgotten);
}

base::Result<std::vector<ports::SyncTable::Plain>> SqlSyncTable::plain(Names records) {
    return select_many(database_, "sync_plain", select_plain, keys_of(records), read_plain);
}

base::Result<void> SqlSyncTable::put_plain(std::span<const Plain> records) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(records.size());
    for (const Plain& record : records) {
        rows.push_back({bytes(record.kind), bytes(record.id), bytes(record.user_id), bytes(record.body.bytes()),
                        number(record.updated_at)});
    }
    return database_.run_many(upsert_plain, rows, {});
}

base::Result<std::vector<ports::SyncTable::Plain>> SqlSyncTable::plain_after(std::string_view kind, std::string_view id,
                                                                             std::size_t limit) {
    return select(database_, "sync_plain", select_plain_after, {bytes(kind), bytes(id), rows_of(limit)}, read_plain);
}

base::Result<void> SqlSyncTable::remove_plain(Names records) {
    const auto sets = keys_of(records);
    TRY(database_.run_many(delete_one_plain, sets, {}));
    return database_.run_many(delete_known, sets, {});
}

base::Result<std::uint64_t> SqlSyncTable::drop_plain(std::string_view kind, base::Timestamp older_than,
                                                     std::size_t limit) {
    std::vector<std::string> gone;
    TRY(database_.run(delete_plain, {bytes(kind), number(older_than), rows_of(limit)},
                      [&](const Row& row) { gone.emplace_back(row.bytes(0)); }));
    std::vector<std::vector<Param>> sets;
    sets.reserve(gone.size());
    for (const std::string& id : gone) sets.push_back({bytes(kind), bytes(id)});
    TRY(database_.run_many(delete_known, sets, {}));
    return gone.size();
}

base::Result<void> SqlSyncTable::add_notes(std::span<const model::MergeNote> notes) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(notes.size());
    std::int64_t last = 0;
    for (const model::MergeNote& note : notes) {
        last = std::max(last, note.number);
        rows.push_back({number(note.number), number(note.at), bytes(note.kind), bytes(note.id), bytes(note.user_id),
                        bytes(note.field), bytes(note.rule), number(note.kept.version), bytes(note.kept.host),
                        number(note.kept.counter), number(note.lost.version), bytes(note.lost.host),
                        number(note.lost.counter), bytes(note.kept_value), bytes(note.lost_value)});
    }
    TRY(database_.run_many(insert_note, rows, {}));
    TRY(database_.run(raise_last_note, {number(last)}));
    return {};
}

base::Result<std::int64_t> SqlSyncTable::last_note() {
    std::int64_t last = 0;
    TRY(database_.run(select_last_note, {}, [&](const Row& row) { last = row.number(0); }));
    return last;
}

base::Result<void> SqlSyncTable::drop_notes(std::int64_t through) {
    TRY(database_.run(delete_notes, {number(through)}));
    return {};
}

base::Result<std::vector<model::MergeNote>> SqlSyncTable::notes_of(Names records) {
    return select_many(database_, "merge_notes", select_notes_of, keys_of(records), read_note);
}

base::Result<std::vector<model::MergeNote>> SqlSyncTable::notes_of_kind(std::string_view kind) {
    return select(database_, "merge_notes", select_notes_of_kind, {bytes(kind)}, read_note);
}

base::Result<void> SqlSyncTable::remove_notes(Names records) {
    return database_.run_many(delete_notes_of, keys_of(records), {});
}

base::Result<std::vector<model::Peer>> SqlSyncTable::peers() {
    return select(database_, "peers", select_peers, {}, read_peer);
}

base::Result<void> SqlSyncTable::put_peer(const model::Peer& peer) {
    const std::string has = peer.has.to_json();
    TRY(database_.run(upsert_peer,
                      {bytes(peer.id), bytes(peer.name), bytes(peer.address), bytes(peer.key), bytes(peer.host),
                       number(peer.added_at), maybe(peer.revoked_at), maybe(peer.last_seen_at), bytes(has),
                       bytes(peer.last_error), bytes(peer.whole_cursor)}));
    return {};
}

base::Result<std::uint64_t> SqlSyncTable::erase_user(std::string_view user_id, std::size_t limit) {
    TRY_ASSIGN(const std::uint64_t gone, erase_rows(database_, {&erase_forgotten, &erase_notes}, user_id, limit));
    TRY_ASSIGN(const std::int64_t plain,
               database_.run(erase_plain, {bytes(user_id), rows_of(limit), bytes(model::erasure_kind)}));
    return gone + static_cast<std::uint64_t>(plain);
}

}  // namespace belfry::store
