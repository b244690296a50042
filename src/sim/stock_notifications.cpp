#include <limits>

#include "sim/stock.hpp"
#include "store/notification_row.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t page_rows = 2000;
constexpr store::Sql select_steps{
    "SELECT notification_id, ordinal, happened_at, from_state, to_state, lease, holder, reason FROM transitions "
    "ORDER BY notification_id, ordinal"};

}  // namespace

base::Result<void> take_stock_of_notifications(store::SqlStore& store, ports::Reading& reading, Stock& stock) {
    TRY_ASSIGN(stock.waiting, store.waiting().load());
    TRY_ASSIGN(stock.settings, store.settings().load());
    TRY_ASSIGN(stock.tools, store.tools().load());
    TRY_ASSIGN(stock.steps, store::select(store.database(), "transitions", select_steps, {}, store::read_step));
    ports::NotificationFilter filter;
    filter.limit = page_rows;
    for (bool more = true; more;) {
        TRY_ASSIGN(std::vector<model::Notification> page, reading.notifications().list(filter));
        more = page.size() == page_rows;
        if (more) filter.after = page.back().ordinal;
        for (model::Notification& one : page) stock.notifications.push_back(std::move(one));
    }
    ports::SessionFilter sessions;
    sessions.limit = page_rows;
    sessions.or_deleted = true;
    TRY_ASSIGN(std::vector<model::Session> all, reading.sessions().list(sessions));
    for (model::Session& session : all) {
        TRY_ASSIGN(ports::HistoryPage all_of_it, reading.sessions().tree(session.id, std::nullopt, page_rows,
                                                                         std::numeric_limits<std::size_t>::max()));
        stock.conversations.push_back({std::move(session), std::move(all_of_it.nodes)});
    }
    return {};
}

}  // namespace belfry::sim
