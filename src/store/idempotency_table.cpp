#include "store/idempotency_table.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_last{"SELECT max(ordinal) FROM remembered_answers"};
constexpr Sql select_answer{
    "SELECT request_key, fingerprint, answer FROM remembered_answers WHERE request_key = $1 AND answered_at >= $2"};
constexpr Sql upsert_answer{
    "INSERT INTO remembered_answers (ordinal, request_key, fingerprint, answer, answered_at) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (request_key) DO UPDATE SET ordinal = excluded.ordinal, "
    "fingerprint = excluded.fingerprint, answer = excluded.answer, answered_at = excluded.answered_at"};
constexpr Sql select_oldest{"SELECT ordinal, answered_at FROM remembered_answers ORDER BY ordinal LIMIT $1"};
constexpr Sql delete_through{"DELETE FROM remembered_answers WHERE ordinal <= $1"};
constexpr Sql empty_personal{
    "UPDATE remembered_answers SET answer = $1 "
    "WHERE request_key >= $2 AND request_key < $3 AND substr(answer, 1, 1) = $4"};

}  // namespace

base::Result<void> SqlIdempotencyTable::load() {
    next_ordinal_ = 1;
    TRY(database_.run(select_last, {}, [&](const Row& row) {
        if (!row.is_null(0)) next_ordinal_ = row.number(0) + 1;
    }));
    return {};
}

base::Result<std::vector<ports::RememberedAnswer>> SqlIdempotencyTable::find(const std::vector<std::string>& keys,
                                                                             base::Timestamp not_before) {
    std::vector<ports::RememberedAnswer> found;
    std::vector<std::vector<Param>> sets;
    sets.reserve(keys.size());
    for (const std::string& key : keys) sets.push_back({bytes(key), number(not_before.us)});
    TRY(database_.run_many(select_answer, sets, [&](const Row& row) {
        found.push_back({std::string(row.bytes(0)), std::string(row.bytes(1)), std::string(row.bytes(2))});
    }));
    return found;
}

base::Result<void> SqlIdempotencyTable::put(const std::vector<ports::RememberedAnswer>& answers, base::Timestamp now) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(answers.size());
    for (const ports::RememberedAnswer& answer : answers) {
        sets.push_back({number(next_ordinal_++), bytes(answer.key), bytes(answer.fingerprint), bytes(answer.answer),
                        number(now.us)});
    }
    return database_.run_many(upsert_answer, sets, {});
}

base::Result<std::uint64_t> SqlIdempotencyTable::drop(base::Timestamp older_than, std::size_t limit) {
    std::int64_t through = 0;
    std::uint64_t dropped = 0;
    bool stopped = false;
    TRY(database_.run(select_oldest, {number(std::uint64_t{limit})}, [&](const Row& row) {
        stopped = stopped || row.number(1) >= older_than.us;
        if (stopped) return;
        through = row.number(0);
        ++dropped;
    }));
    if (dropped > 0) TRY(database_.run(delete_through, {number(through)}));
    return dropped;
}

base::Result<void> SqlIdempotencyTable::erase_personal() {
    const std::string from(ports::request_key_prefix);
    std::string to = from;
    ++to.back();
    const std::string mark(1, ports::personal_answer);
    TRY(database_.run(empty_personal, {bytes(""), bytes(from), bytes(to), bytes(mark)}));
    return {};
}

}  // namespace belfry::store
