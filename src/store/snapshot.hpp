#pragma once

#include "store/database.hpp"

namespace belfry::store {

// A read transaction that ends with the scope.
class Snapshot {
public:
    explicit Snapshot(Database& database) : database_(database), begun_(database.begin_read()) {}
    ~Snapshot() { database_.rollback(); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    [[nodiscard]] const base::Result<void>& begun() const { return begun_; }

private:
    Database& database_;
    base::Result<void> begun_;
};

}  // namespace belfry::store
