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
    Database& database_;
};

}  // namespace belfry::store
