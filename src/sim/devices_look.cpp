#include "sim/devices_look.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

namespace belfry::sim {
namespace {

struct Table {
    const char* name;
    std::set<std::string> own;  // columns that are this device's own
};

const std::array<Table, 19>& tables() {
    static const std::set<std::string> kept{"number", "revision", "updated_at"};
    static const std::array<Table, 19> all{{
        {"journal_directory", {"number"}},
        {"journal_categories", kept},
        {"journal_labels", kept},
        {"journal_entries", kept},
        {"journal_tasks", kept},
        {"journal_checklists", kept},
        {"journal_checklist_items", kept},
        {"journal_time_entries", kept},
        {"journal_day_plans", kept},
        {"journal_ratings", kept},
        {"links", kept},
        {"agents", {"updated_at"}},
        {"agent_states", {"revision", "updated_at", "sleep_said_at", "wake_said_at"}},
        {"agent_subscriptions", {"updated_at"}},
        {"agent_timers", {"active", "counted_from", "next_run_at", "due_at", "fault", "updated_at"}},
        {"agent_messages", {"position", "prev_message_id"}},
        {"agent_payloads", {}},
        {"forgotten_messages", {"agent_id"}},  // of one that was never here nobody knows whose it was
        {"sync_plain", {"updated_at"}},
    }};
    return all;
}

// A statement is found by where it lies: each is made once.
const store::Sql& made(const std::string& text) {
    static std::map<std::string, std::unique_ptr<store::MadeSql>> all;
    std::unique_ptr<store::MadeSql>& one = all[text];
    if (!one) one = std::make_unique<store::MadeSql>(text);
    return *one;
}

base::Result<std::vector<std::string>> columns_of(store::Database& database, const Table& table) {
    std::vector<std::string> columns;
    const std::string text = std::string("SELECT name FROM pragma_table_info('") + table.name + "') ORDER BY name";
    TRY(database.run(made(text), {}, [&](const store::Row& row) { columns.emplace_back(row.bytes(0)); }));
    std::erase_if(columns, [&](const std::string& one) { return table.own.contains(one); });
    if (columns.empty()) return base::error(base::Code::internal, std::string("there is no table ") + table.name);
    return columns;
}

std::string shortened(const std::string& text) {
    constexpr std::size_t shown = 600;
    return text.size() <= shown ? text : text.substr(0, shown) + "…";
}

constexpr store::Sql select_tasks{"SELECT id, user_id, title, deleted_at FROM journal_tasks"};
constexpr store::Sql select_messages{
    "SELECT message_id, 1 FROM agent_messages UNION ALL SELECT message_id, 0 FROM forgotten_messages"};
constexpr store::Sql select_agents{"SELECT agent_id, destroyed_at FROM agents"};

base::Result<void> read_facts(store::Database& database, DevicesLook& look) {
    TRY(database.run(select_tasks, {}, [&](const store::Row& row) {
        look.tasks[std::string(row.bytes(0))] = {std::string(row.bytes(1)), std::string(row.bytes(2)), !row.is_null(3)};
    }));
    TRY(database.run(select_messages, {}, [&](const store::Row& row) {
        base::Uuid id;
        std::ranges::copy(row.bytes(0), id.bytes.begin());
        look.messages.try_emplace(id, true);
        if (row.number(1) == 0) look.messages[id] = false;
    }));
    TRY(database.run(select_agents, {},
                     [&](const store::Row& row) { look.are_destroyed[std::string(row.bytes(0))] = !row.is_null(1); }));
    return {};
}

}  // namespace

base::Result<DevicesLook> look_at_device(store::SqlStore& store) {
    DevicesLook look;
    for (const Table& table : tables()) {
        TRY_ASSIGN(const std::vector<std::string> columns, columns_of(store.database(), table));
        std::string text = "SELECT ";
        for (const std::string& column : columns) {
            const bool is_first = text.size() == 7;
            text.append(is_first ? "" : " || ' ' || ").append("'").append(column).append("=' || ");
            // Bytes that are text are shown as such.
            text.append("coalesce(CASE WHEN typeof(").append(column).append(") = 'blob' AND length(").append(column);
            text.append(") = 16 THEN hex(").append(column).append(") ELSE CAST(").append(column);
            text.append(" AS TEXT) END, 'NULL')");
        }
        text.append(" FROM ").append(table.name);
        std::vector<std::string>& rows = look.rows[table.name];
        TRY(store.database().run(made(text), {}, [&](const store::Row& row) { rows.emplace_back(row.bytes(0)); }));
        // Relations of what agents remember are made anew on each device.
        std::erase_if(rows, [](const std::string& row) {
            return row.find("relation=message_") != std::string::npos ||
                   row.find("relation=summary_") != std::string::npos ||
                   row.find("relation=tool_effect") != std::string::npos;
        });
        // Claims go after a while, each device's in its own time; where a thread ends is reckoned here.
        std::erase_if(rows, [](const std::string& row) {
            return row.find("kind=run_claim") != std::string::npos || row.find("kind=thread_ends") != std::string::npos;
        });
        std::ranges::sort(rows);
    }
    TRY(read_facts(store.database(), look));
    return look;
}

std::string difference(const DevicesLook& a, const DevicesLook& b) {
    for (const auto& [table, rows] : a.rows) {
        const std::vector<std::string>& others = b.rows.at(table);
        for (std::size_t i = 0; i < std::max(rows.size(), others.size()); ++i) {
            const std::string left = i < rows.size() ? rows[i] : "nothing";
            const std::string right = i < others.size() ? others[i] : "nothing";
            if (left != right) return table + ": " + shortened(left) + "\n  against " + shortened(right);
        }
    }
    return {};
}

}  // namespace belfry::sim
