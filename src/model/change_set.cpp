#include "model/change_set.hpp"

#include <numeric>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, change_item_state_count> states{"proposed", "accepted", "rejected", "failed"};

void append_members(JsonWriter& writer, const ChangeSet& set) {
    writer.field("id", base::format_uuid(set.id.uuid)).field("number", set.ordinal);
    writer.field("user_id", set.user_id).field("agent_id", set.agent_id).field("agent_name", set.agent_name);
    writer.field("wake_id", set.wake_id).name("run_id");
    set.run_id == 0 ? writer.null() : writer.number(set.run_id);
    writer.field("thread_id", set.thread_id);
    append_text(writer, "session_id", set.session_id);
    writer.field("state", set.decided_at ? "decided" : "open").name("counts").begin_object();
    for (std::size_t i = 0; i < states.size(); ++i) writer.field(states[i], set.counts[i]);
    writer.end_object();
    writer.field("created_at", base::format_timestamp(set.created_at));
    writer.field("updated_at", base::format_timestamp(set.updated_at));
    append_time(writer, "decided_at", set.decided_at);
}

void append_item(JsonWriter& writer, const ChangeItem& item) {
    writer.begin_object().field("number", item.number).field("tool_name", item.tool_name);
    writer.field("operation_id", item.operation_id).field("state", change_item_state_name(item.state));
    writer.name("arguments").raw(item.arguments.bytes()).name("changes").raw(item.changes.bytes()).name("result");
    item.result ? writer.raw(item.result->bytes()) : writer.null();
    writer.name("error");
    if (item.error_code.empty()) {
        writer.null();
    } else {
        writer.begin_object().field("code", item.error_code).field("message", item.error_message).end_object();
    }
    writer.field("created_at", base::format_timestamp(item.created_at));
    append_time(writer, "decided_at", item.decided_at);
    append_text(writer, "decided_by", item.decided_by);
    writer.end_object();
}

}  // namespace

std::string_view change_item_state_name(ChangeItemState state) {
    return states[static_cast<std::size_t>(state)];
}

std::int64_t ChangeSet::item_count() const {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void append_change_set(JsonWriter& writer, const ChangeSet& set) {
    writer.begin_object();
    append_members(writer, set);
    writer.end_object();
}

void append_proposed_changes(JsonWriter& writer, const ProposedChanges& changes) {
    writer.begin_object();
    append_members(writer, changes.set);
    writer.name("items").begin_array();
    for (const ChangeItem& item : changes.items) append_item(writer, item);
    writer.end_array().end_object();
}

void append_change_set_line(std::string& out, const ChangeSet& set) {
    JsonWriter writer(out);
    writer.begin_object().field("type", "change_set").name("change_set");
    append_change_set(writer, set);
    writer.end_object();
}

}  // namespace belfry::model
