#pragma once

#include "store/database.hpp"

namespace belfry::sim {

// Somebody else's connection as one's own: an exclusive database has only one, and reading it must go through that.
// Only between transactions of its owner.
class BorrowedDatabase final : public store::Database {
public:
    explicit BorrowedDatabase(store::Database& owner) : owner_(owner) {}

    [[nodiscard]] const store::Dialect& dialect() const override { return owner_.dialect(); }
    base::Result<std::int64_t> run(const store::Sql& sql, std::span<const store::Param> params,
                                   const store::RowSink& sink) override {
        return owner_.run(sql, params, sink);
    }
    base::Result<void> run_many(const store::Sql& sql, std::span<const std::vector<store::Param>> sets,
                                const store::RowSink& sink) override {
        return owner_.run_many(sql, sets, sink);
    }
    base::Result<void> script(const std::string& text) override { return owner_.script(text); }
    base::Result<void> begin_write() override { return owner_.begin_write(); }
    base::Result<void> begin_read() override { return owner_.begin_read(); }
    ports::CommitResult commit() override { return owner_.commit(); }
    void rollback() override { owner_.rollback(); }
    base::Result<void> overwrite_deleted(bool on) override { return owner_.overwrite_deleted(on); }
    base::Result<bool> return_space(std::int64_t pages) override { return owner_.return_space(pages); }
    base::Result<std::pair<std::int64_t, std::int64_t>> sizes() override { return owner_.sizes(); }

private:
    store::Database& owner_;
};

}  // namespace belfry::sim
