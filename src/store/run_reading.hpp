#pragma once

#include "ports/store_runs.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlRunReading final : public ports::RunReading {
public:
    explicit SqlRunReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::Run>> find(model::RunId id) override;
    base::Result<model::RunId> last_id() override;
    base::Result<std::vector<model::Run>> list(const ports::RunFilter& filter) override;

private:
    base::Result<std::vector<model::Run>> read_page(const ports::RunFilter& filter);
    base::Result<void> count_positions(std::vector<model::Run>& runs);

    Database& database_;
};

}  // namespace belfry::store
