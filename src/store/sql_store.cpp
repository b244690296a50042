#include "store/sql_store.hpp"

#include "base/assert.hpp"
#include "store/schema.hpp"

namespace belfry::store {
namespace {

constexpr Sql insert_ledger{
    "INSERT INTO ledger (id, epoch, commit_no, store_id) VALUES (1, 0, 0, $1) ON CONFLICT (id) DO NOTHING"};
constexpr Sql take_epoch{"UPDATE ledger SET epoch = epoch + 1 WHERE id = 1 RETURNING epoch, commit_no"};
constexpr Sql raise_commit{
    "UPDATE ledger SET commit_no = commit_no + 1 WHERE id = 1 AND epoch = $1 RETURNING commit_no"};

}  // namespace

base::Result<void> SqlStore::take_ledger() {
    const std::string store_id = random_.bytes(16);
    TRY(database_->begin_write());
    auto taken = database_->run(insert_ledger, {bytes(store_id)});
    if (taken.ok()) {
        taken = database_->run(take_epoch, {}, [&](const Row& row) {
            epoch_ = row.number(0);
            commit_number_ = static_cast<std::uint64_t>(row.number(1));
        });
    }
    if (!taken.ok()) {
        database_->rollback();
        return std::move(taken).error();
    }
    const ports::CommitResult result = database_->commit();
    if (result.outcome != ports::CommitOutcome::committed) return result.error;
    return {};
}

base::Result<void> SqlStore::open() {
    close();
    TRY_ASSIGN(database_, options_.connect());
    auto opened = migrate(*database_, options_.copy_before_migration);
    if (opened.ok()) opened = take_ledger();
    if (opened.ok()) {
        tables_.emplace(*database_, options_.index_lag);
        opened = tables_->idempotency.load();
    }
    if (!opened.ok()) close();
    return opened;
}

void SqlStore::close() {
    tables_.reset();
    database_.reset();
}

base::Result<void> SqlStore::begin() {
    ASSERT(is_open());
    bool raised = false;
    base::Result<void> begun = database_->begin_write();
    if (begun.ok()) {
        auto result = database_->run(raise_commit, {number(epoch_)}, [&](const Row& row) {
            raised = true;
            commit_number_ = static_cast<std::uint64_t>(row.number(0));
        });
        if (!result.ok()) begun = std::move(result).error();
    }
    if (!begun.ok()) {
        database_->rollback();
        // Only a new connection helps, and what was read over the old one may have been overtaken meanwhile.
        if (database_->is_lost()) close();
        return begun;
    }
    if (raised) {
        tables_->notifications.begun(commit_number_);
        return {};
    }
    // Whoever raised the epoch writes now. Reopening waits its turn for the ledger.
    close();
    return base::error(base::Code::conflict, "another node has taken this ledger over");
}

ports::CommitResult SqlStore::commit() {
    ASSERT(is_open());
    ports::CommitResult result = database_->commit();
    if (result.outcome == ports::CommitOutcome::committed) tables_->log.committed();
    else tables_->log.rolled_back();
    if (result.outcome == ports::CommitOutcome::unknown) close();
    return result;
}

void SqlStore::rollback() {
    if (!is_open()) return;
    database_->rollback();
    tables_->log.rolled_back();
}

base::Result<void> SqlStore::begin_trial() {
    return database_->script("SAVEPOINT trial");
}

base::Result<void> SqlStore::keep_trial() {
    return database_->script("RELEASE SAVEPOINT trial");
}

base::Result<void> SqlStore::undo_trial() {
    TRY(database_->script("ROLLBACK TO SAVEPOINT trial"));
    return keep_trial();
}

}  // namespace belfry::store
