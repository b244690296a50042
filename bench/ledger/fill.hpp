#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/time.hpp"
#include "store/sql_store.hpp"

namespace belfry::bench {

inline constexpr std::int64_t filled_users = 1000;
std::string user_name(std::int64_t number);

// A number that looks random, and the same one every time.
std::uint64_t mixed(std::uint64_t number);

// Fills a ledger with so many notifications as a house makes them, the newest just before `now`: of ten, six are
// passive context that an agent got, two were shown to a person, one has failed, and one is open and has its time yet
// to come. Each has the steps of its way. Now and then the write-ahead log is to be folded in.
void fill_ledger(store::SqlStore& store, std::int64_t rows, base::Timestamp now, const std::function<void()>& fold_in);

}  // namespace belfry::bench
