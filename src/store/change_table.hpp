#pragma once

#include "ports/store_changes.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlChangeTable final : public ports::ChangeTable {
public:
    explicit SqlChangeTable(Database& database) : database_(database), place_(database.place()) {}

    base::Result<ports::Host> host() override;
    base::Result<void> put_host(const ports::Host& host) override;
    base::Result<std::int64_t> last_number() override;
    base::Result<std::uint64_t> last_counter(std::string_view host) override;
    base::Result<void> add(std::span<const model::Change> changes) override;
    base::Result<std::vector<ports::UnbatchedChanges>> unbatched() override;
    base::Result<std::vector<model::Change>> unbatched_of(std::string_view user_id, bool synced,
                                                          std::size_t limit) override;
    base::Result<void> put_batch(std::span<const model::Change> changes) override;
    base::Result<std::map<std::string, std::uint64_t>> settled() override;
    base::Result<void> put_settled(std::string_view host, std::uint64_t counter) override;
    base::Result<std::vector<std::uint64_t>> batched_after(std::string_view host, std::uint64_t counter,
                                                           std::size_t limit) override;
    base::Result<std::vector<ports::CarriedChange>> load_carried() override;
    base::Result<void> put_carried(std::span<const ports::CarriedChange> carried) override;
    base::Result<void> drop_carried(std::span<const model::WakeId> wakes) override;
    base::Result<std::uint64_t> drop(base::Timestamp older_than, std::size_t limit) override;
    base::Result<void> put_back(std::span<const model::Change> changes) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
    std::string place_;
};

}  // namespace belfry::store
