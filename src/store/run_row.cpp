#include "store/run_row.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_last{"SELECT last_run, (SELECT coalesce(max(run_id), 0) FROM runs) FROM ledger WHERE id = 1"};

std::string text_of(const model::RawJson& json, std::string_view name) {
    const auto member = json.member(name);
    return member && member->kind() == model::JsonKind::string ? member->as_text() : std::string();
}

model::CallerContext caller_of(const model::RawJson& json, RowReader& row) {
    model::CallerContext caller;
    caller.agent_id = text_of(json, "agent_id");
    caller.agent_name = text_of(json, "agent_name");
    caller.team_name = text_of(json, "team_name");
    const auto type = model::parse_agent_type(text_of(json, "agent_type"));
    if (type) caller.agent_type = *type;
    else row.note_damage();
    return caller;
}

}  // namespace

model::Run read_run(RowReader& row) {
    model::Run run;
    run.id = row.number();
    run.run_key = row.maybe_text().value_or("");
    run.parent_id = row.number();
    run.root_id = row.number();
    run.user_id = row.text();
    run.session_id = row.maybe_text().value_or("");
    run.agent_id = row.maybe_text().value_or("");
    run.title = row.text();
    run.metadata = row.json();
    if (auto caller = row.maybe_text()) run.caller = caller_of(model::RawJson::trusted(std::move(*caller)), row);
    run.state = row.choice(model::RunState::cancelled);
    run.paused = row.flag();
    run.tree = row.flag();
    run.queued = row.maybe_number().value_or(0);
    if (auto result = row.maybe_text()) run.result = model::RawJson::trusted(std::move(*result));
    auto error_type = row.maybe_text();
    auto error_message = row.maybe_text();
    if (error_type) run.error = model::RunError{std::move(*error_type), error_message.value_or("")};
    run.cancel_reason = row.maybe_text();
    run.created_at = row.time();
    run.started_at = row.maybe_time();
    run.ended_at = row.maybe_time();
    run.events = row.number();
    run.hierarchy_id = row.maybe_text().value_or("");
    return run;
}

base::Result<model::RunId> read_last_run(Database& database) {
    model::RunId last = 0;
    TRY(database.run(select_last, {}, [&](const Row& row) { last = std::max(row.number(0), row.number(1)); }));
    return last;
}

}  // namespace belfry::store
