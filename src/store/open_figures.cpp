#include "store/open_figures.hpp"

namespace belfry::store {
namespace {

constexpr Sql count_open_notifications{"SELECT state, count(*) FROM notifications WHERE state < 4 GROUP BY state"};
constexpr Sql count_open_runs{"SELECT state, count(*) FROM runs WHERE state < 2 GROUP BY state"};
constexpr Sql count_batches{
    "SELECT count(*), sum(of_one) FROM (SELECT count(*) AS of_one FROM waiting_rows "
    "GROUP BY subscriber_id, user_id, session_id, agent_id) AS batches"};
constexpr Sql count_obligations{"SELECT count(*) FROM outbox WHERE finished_at IS NULL"};
constexpr Sql count_questions{"SELECT count(*) FROM interactions WHERE state = 0"};

}  // namespace

base::Result<ports::OpenFigures> count_open(Database& database) {
    ports::OpenFigures open;
    const auto into = [](auto& counts) {
        return [&counts](const Row& row) {
            counts.at(static_cast<std::size_t>(row.number(0))) = static_cast<std::uint64_t>(row.number(1));
        };
    };
    const auto one = [](std::uint64_t& count) {
        return [&count](const Row& row) { count = static_cast<std::uint64_t>(row.number(0)); };
    };
    TRY(database.run(count_open_notifications, {}, into(open.notifications)));
    TRY(database.run(count_open_runs, {}, into(open.runs)));
    TRY(database.run(count_batches, {}, [&](const Row& row) {
        open.batches = static_cast<std::uint64_t>(row.number(0));
        if (!row.is_null(1)) open.batch_rows = static_cast<std::uint64_t>(row.number(1));
    }));
    TRY(database.run(count_obligations, {}, one(open.obligations)));
    TRY(database.run(count_questions, {}, one(open.interactions)));
    return open;
}

}  // namespace belfry::store
