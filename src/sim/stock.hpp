#pragma once

#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/notification.hpp"
#include "model/principal.hpp"
#include "model/tool.hpp"
#include "ports/reading.hpp"
#include "ports/store.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

// All that a store holds, as it stands between two transactions.
struct Stock {
    std::vector<model::SharedBlock> events;  // by position
    std::vector<model::SharedBlock> audit;
    std::vector<model::SharedBlock> delivery;
    std::vector<model::StreamInfo> streams;
    std::vector<model::AccessToken> tokens;
    std::vector<ports::Obligation> obligations;
    bool drops_obligations = false;  // finished ones may have gone by now: told by who asks
    std::int64_t events_bytes = 0;   // of the blocks, as they count for retention
    // What readers get when they page through a stream from its floor: entries by stream, in the order they came.
    struct Paged {
        model::StreamId stream = 0;
        std::vector<model::Sequence> sequences;
        std::vector<std::string> bodies;
        model::Sequence head = 0;
        model::Sequence floor = 0;
    };
    std::vector<Paged> paged;

    std::vector<model::Notification> notifications;  // by ordinal
    std::vector<model::Transition> steps;            // of each notification in their order
    std::vector<model::ToolInfo> tools;
    std::vector<model::WaitingRow> waiting;
    std::vector<model::UserSettings> settings;
    struct Conversation {
        model::Session session;
        std::vector<ports::HistoryNode> nodes;
    };
    std::vector<Conversation> conversations;

    std::vector<std::string> complaints;  // of SQLite about the file, and of sums that do not agree
};

// Reads everything on the writer's own connection, through the tables and through the readers' port as well.
// `page_bytes` is how much a reader asks for at a time.
base::Result<Stock> take_stock(store::SqlStore& store, std::size_t page_bytes);

// The part of it that came from events: notifications, what waits, conversations, settings.
base::Result<void> take_stock_of_notifications(store::SqlStore& store, ports::Reading& reading, Stock& stock);

}  // namespace belfry::sim
