#pragma once

#include "ports/store_runs.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlRunTable final : public ports::RunTable {
public:
    explicit SqlRunTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::Run>> load_open() override;
    base::Result<model::RunId> last_id() override;
    base::Result<std::vector<model::Run>> find(std::span<const model::RunId> ids) override;
    base::Result<std::vector<model::Run>> find_keys(std::span<const Key> keys) override;
    base::Result<void> put(std::span<const model::Run> runs) override;
    base::Result<std::optional<base::Timestamp>> first_end() override;
    base::Result<std::vector<model::Run>> ended_before(base::Timestamp older_than, std::size_t limit) override;
    base::Result<std::optional<base::Timestamp>> first_created() override;
    base::Result<void> move(std::span<const Move> moves) override;
    base::Result<std::vector<model::Run>> of_user(std::string_view user_id, std::size_t limit) override;
    [[nodiscard]] base::Result<bool> has_tree(model::RunId root) override;
    // What they leave on the disk is overwritten.
    base::Result<void> remove(std::span<const model::RunId> ids) override;

private:
    Database& database_;
};

}  // namespace belfry::store
