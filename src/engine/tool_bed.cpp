#include "engine/tool_bed.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/message_limits.hpp"
#include "engine/journal_bench.hpp"
#include "model/change.hpp"
#include "model/value_json.hpp"
#include "rules/agent_message.hpp"
#include "rules/interaction.hpp"
#include "rules/journal_tokens.hpp"
#include "rules/tool_call.hpp"
#include "rules/tool_policy.hpp"
#include "rules/tool_preview.hpp"
#include "rules/tool_question.hpp"
#include "rules/wake_key.hpp"
#include "tools/registry.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentMessage;

// An answer that a message can hold.
base::Result<std::string> bounded(std::string says) {
    if (says.size() <= limits::agent_message_bytes_max) return says;
    return base::error(Code::too_large, "its answer would be longer than " +
                                            std::to_string(limits::agent_message_bytes_max) + " bytes: ask for less");
}

ToolOutcome refusal(base::Error why) {
    return base::Result<ToolEffect>(std::move(why));
}

base::Error missing_operation() {
    return base::error(Code::invalid, "must be given: by it a call that is repeated is known", "operationId",
                       "missing_operation_id");
}

// What was changed, as a result tells of it: without the names of what the agent does not see.
base::Result<void> tell_changes(std::span<const NewChange> changes, JournalBench& bench, ToolEffect& effect) {
    using Class = model::ChangeToken::Class;
    const auto is_elsewhere = [&](const model::ChangeToken& token) {
        return token.token_class == Class::subtype && token.name_space == rules::category_namespace &&
               std::ranges::find(bench.categories(), token.name) == bench.categories().end();
    };
    std::set<std::string> ids;
    std::set<std::string> named;
    std::set<std::string> tokens;
    for (const NewChange& change : changes) {
        // Of a day plan it has its part, wherever that is. A category may have been made for one.
        const bool is_plan = change.kind == model::journal_kind_name(model::JournalKind::day_plan);
        if (!is_plan && std::ranges::any_of(change.tokens, is_elsewhere)) continue;
        ids.insert(change.id);
        for (const model::ChangeToken& token : change.tokens) {
            if (token.token_class == Class::entity_id) named.insert(token.name);
            else if (!is_elsewhere(token)) tokens.insert(model::to_text(token));
        }
    }
    // What it belongs to may lie elsewhere.
    TRY_ASSIGN(const std::vector<model::JournalRecord> seen,
               bench.find_all(std::vector<std::string>(named.begin(), named.end())));
    std::erase_if(named, [&](const std::string& id) {
        return !ids.contains(id) && std::ranges::find(seen, id, &model::JournalRecord::id) == seen.end();
    });
    for (const std::string& id : named) tokens.insert(model::to_text({Class::entity_id, {}, id}));
    for (const std::string& id : ids) {
        if (effect.changed.size() < limits::agent_message_list_max) effect.changed.push_back(id);
    }
    for (const std::string& token : tokens) {
        if (effect.tokens.size() < limits::agent_message_list_max) effect.tokens.push_back(token);
    }
    return {};
}

// Whether the earlier message of this operation is that of this call, and its result can still be told where it has
// none.
bool is_it(const AgentMessage& earlier, const model::PlannedAction& action, std::string_view thread_id,
           bool has_result) {
    return earlier.action->tool_name == action.tool_name && earlier.action->arguments_hash == action.arguments_hash &&
           (has_result || rules::may_be_answered(earlier, thread_id));
}

std::string changes_say(std::span<const rules::TrialChange> changes) {
    std::string text;
    model::JsonWriter writer(text);
    rules::append_changes(writer, changes);
    return text;
}

std::string preview_says(const std::string& token, std::span<const rules::TrialChange> changes,
                         const std::string& says) {
    std::string text;
    model::JsonWriter writer(text);
    writer.begin_object().name("preview").boolean(true).field("previewToken", token);
    writer.field("changeCount", static_cast<long long>(changes.size())).name("changes");
    rules::append_changes(writer, changes);
    writer.name("result").raw(says).end_object();
    return text;
}

}  // namespace

base::Result<void> ToolBed::apply(ports::Command& any, Unit& unit) {
    auto& command = static_cast<ports::CallTool&>(any);
    TRY_ASSIGN(Wakes::Found wake, wakes_.claimed(command.principal, command.id, command.fence, unit));
    if (!wake.ok()) {
        command.refuse(std::move(wake).error());
        return {};
    }
    TRY_ASSIGN(Wanted action, wanted(command, *wake, unit));
    if (!action.ok()) {
        command.refuse(std::move(action).error());
        return {};
    }
    const bool is_named = !action->operation_id.empty();
    std::optional<ports::CalledTool> known;
    if (is_named) {
        TRY_ASSIGN(known, before(*wake, *action, unit));
        if (known && !is_it(known->action, *action, wake->thread_id, known->result.has_value())) {
            command.refuse(
                base::error(Code::conflict, "another call has this operation", "operation_id", "operation_taken"));
            return {};
        }
        if (known && !known->result) {
            TRY_ASSIGN(known->waits_for, OutsideCalls::awaited(known->action, unit));
        }
        if (known && (known->result || known->waits_for)) {
            command.settle(std::move(*known));
            return {};
        }
    } else {
        const base::Uuid id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
        action->operation_id = "unnamed:" + base::format_uuid(id);
    }
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake->agent_id, unit));
    ASSERT(agent != nullptr);
    AgentMessage draft = rules::message_of(*action, agent->agent);
    if (auto fits = rules::check_message(draft, agent->agent); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    std::optional<AgentMessage> begun;
    if (known) begun = std::move(known->action);
    const ToolActor actor{*wake, *agent, std::nullopt, action->operation_id};
    TRY_ASSIGN(Called called, perform(actor, *action, std::move(begun), is_named, unit));
    command.settle(std::move(called));
    return {};
}

base::Result<ToolBed::Wanted> ToolBed::wanted(const ports::CallTool& command, const model::Wake& wake, Unit& unit) {
    model::PlannedAction action;
    action.operation_id = command.operation_id;
    if (command.call) {
        action.tool_name = command.call->tool_name;
        action.arguments = command.call->arguments;
        action.arguments_hash = rules::arguments_hash(model::value_from(action.arguments.view()));
        const auto own = action.arguments.member(rules::operation_id_argument);
        if (action.operation_id.empty() && own && own->kind() == model::JsonKind::string) {
            action.operation_id = own->as_text();
        }
    }
    if (action.operation_id.empty()) {
        if (command.call) return Wanted(std::move(action));
        return Wanted(base::error(Code::invalid, "must be given, or a tool_name and its arguments", "operation_id"));
    }
    TRY_ASSIGN(const std::vector<model::AgentPlan> rounds, unit.store.agent_messages().plans(wake.run_key));
    for (const model::AgentPlan& round : rounds) {
        const auto at = std::ranges::find(round.actions, action.operation_id, &model::PlannedAction::operation_id);
        if (at == round.actions.end()) continue;
        const bool is_it =
            !command.call || (at->tool_name == action.tool_name && at->arguments_hash == action.arguments_hash);
        if (is_it) return Wanted(*at);
        return Wanted(base::error(Code::conflict, "the plan has another action under this operation", "operation_id",
                                  "not_planned"));
    }
    if (command.call) return Wanted(std::move(action));
    return Wanted(base::error(Code::invalid, "the plan of this run has no such action", "operation_id"));
}

base::Result<std::optional<ports::CalledTool>> ToolBed::before(const model::Wake& wake,
                                                               const model::PlannedAction& action, Unit& unit) {
    using Before = std::optional<ports::CalledTool>;
    TRY_ASSIGN(auto begun, unit.store.agent_messages().find_action(wake.agent_id, action.operation_id));
    if (!begun) return Before{};
    ports::CalledTool known;
    TRY_ASSIGN(known.result, unit.store.agent_messages().result_of(begun->id));
    known.action = std::move(*begun);
    known.is_new = false;
    return Before(std::move(known));
}

base::Result<ToolBed::Called> ToolBed::perform(const ToolActor& actor, const model::PlannedAction& action,
                                               std::optional<AgentMessage> begun, bool is_named, Unit& unit) {
    TRY_ASSIGN(Attempt tried, attempt(actor, action, is_named, unit));
    if (tried.refused) return Called(std::move(*tried.refused));
    if (tried.waits_for) {
        TRY_ASSIGN(ports::CalledTool called, record(actor, action, std::move(begun), std::nullopt, unit));
        called.waits_for = std::move(tried.waits_for);
        return Called(std::move(called));
    }
    if (tried.outside) return hand_out(actor, *tried.outside, action, std::move(begun), unit);
    AgentMessage draft = ToolRecord::draft(action.operation_id, std::move(tried.effect));
    TRY_ASSIGN(ports::CalledTool called, record(actor, action, std::move(begun), std::move(draft), unit));
    show(actor, action, *called.result, unit);
    return Called(std::move(called));
}

base::Result<ports::CalledTool> ToolBed::record(const ToolActor& actor, const model::PlannedAction& action,
                                                std::optional<AgentMessage> begun, std::optional<AgentMessage> result,
                                                Unit& unit) {
    std::vector<AgentMessage> drafts;
    const bool is_answered = result.has_value();
    if (!begun) drafts.push_back(rules::message_of(action, actor.agent.agent));
    if (result) drafts.push_back(std::move(*result));
    std::vector<AgentMessage> taken;
    if (!drafts.empty()) {
        TRY_ASSIGN(taken, record_.append(actor, std::move(drafts), unit));
    }
    ports::CalledTool called;
    if (is_answered) called.result = std::move(taken.back());
    called.action = begun ? std::move(*begun) : std::move(taken.front());
    return called;
}

// Whoever watches the run sees the call and what came of it; what an agent says is seen as its words.
void ToolBed::show(const ToolActor& actor, const model::PlannedAction& action, const AgentMessage& result, Unit& unit) {
    const CallName name{action.operation_id, action.tool_name};
    const bool is_said = rules::parse_house_tool(action.tool_name) == rules::HouseTool::say &&
                         result.metadata.status == model::ToolStatus::success;
    if (is_said) return record_.hear(actor.wake, unit);
    record_.show_call(actor.wake, name, action.arguments, unit);
    record_.show_result(actor.wake, name, result, unit);
}

base::Result<ToolBed::Called> ToolBed::hand_out(const ToolActor& actor, const model::ToolInfo& tool,
                                                const model::PlannedAction& action, std::optional<AgentMessage> begun,
                                                Unit& unit) {
    TRY_ASSIGN(ports::CalledTool called, record(actor, action, std::move(begun), std::nullopt, unit));
    TRY_ASSIGN(called.waits_for, outside_.hand_out(actor, tool, called.action, action.arguments, unit));
    return Called(std::move(called));
}

base::Result<ToolBed::Attempt> ToolBed::attempt(const ToolActor& actor, const model::PlannedAction& action,
                                                bool is_named, Unit& unit) {
    const model::ToolContract* const contract = tools::find_contract(action.tool_name);
    model::ToolPolicy policy = rules::policy_of(actor.agent.agent, action.tool_name, contract, action.arguments.view());
    if (policy == model::ToolPolicy::ask) {
        TRY_ASSIGN(const bool is_heard, questions_.reaches(actor.wake.session_id, actor.wake.user_id, unit));
        if (is_heard) return ask_first(actor, action, is_named, unit);
        policy = model::ToolPolicy::propose;
    }
    if (policy == model::ToolPolicy::run) return begin(actor, action, is_named, unit);
    Attempt tried;
    TRY_ASSIGN(tried.effect, propose(actor, action, is_named, unit));
    return tried;
}

base::Result<ToolBed::Attempt> ToolBed::begin(const ToolActor& actor, const model::PlannedAction& action, bool is_named,
                                              Unit& unit) {
    Attempt tried;
    TRY_ASSIGN(tried.effect, act(actor, action, is_named, How::called, unit));
    if (tried.effect.ok()) {
        TRY_ASSIGN(tried.outside, outside_tool(action, unit));
    }
    return tried;
}

// The question is found again by the operation: whoever calls once more hears what was answered.
base::Result<ToolBed::Attempt> ToolBed::ask_first(const ToolActor& actor, const model::PlannedAction& action,
                                                  bool is_named, Unit& unit) {
    Attempt tried;
    if (!is_named) {
        tried.effect = missing_operation();
        return tried;
    }
    const model::InteractionId id = rules::question_id(actor.wake.agent_id, action.operation_id);
    TRY_ASSIGN(std::optional<model::Interaction> question, unit.store.interactions().find(id));
    if (!question) {
        TRY_ASSIGN(tried.effect, act(actor, action, is_named, How::rehearsed, unit));
        if (!tried.effect.ok()) return tried;
        TRY_ASSIGN(Interactions::Answered asked,
                   questions_.ask(rules::question_of(id, actor.agent.agent, actor.wake, action), unit));
        if (!asked.ok()) {
            tried.refused = std::move(asked).error();
            return tried;
        }
        question = std::move(*asked);
    }
    if (rules::is_pending(*question, unit.now)) {
        tried.waits_for = ports::ToolWait{ports::ToolWait::For::person, base::format_uuid(id.uuid)};
    } else if (rules::is_allowed(*question)) {
        return begin(actor, action, is_named, unit);
    } else {
        tried.effect = base::error(Code::forbidden, "the person has not allowed this", {}, "denied");
    }
    return tried;
}

ToolOutcome ToolBed::propose(const ToolActor& actor, const model::PlannedAction& action, bool is_named, Unit& unit) {
    TRY_ASSIGN(base::Result<ToolEffect> would, act(actor, action, is_named, How::proposed, unit));
    if (!would.ok()) return would;
    TRY_ASSIGN(const std::int64_t depth, house_.depth_of(actor, unit));
    TRY_ASSIGN(const ChangeSetBook::Proposed place,
               proposals_.propose(actor, action, model::RawJson::trusted(std::move(would->says)), depth, unit));
    if (!place.ok()) return refusal(place.error());
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("proposed").boolean(true);
    writer.field("changeSetId", base::format_uuid(place->set.uuid)).field("item", place->number).end_object();
    return base::Result<ToolEffect>(ToolEffect{std::move(says)});
}

ToolOutcome ToolBed::carry_out(const ToolActor& actor, const std::string& tool_name, model::JsonView arguments,
                               Unit& unit) {
    model::PlannedAction action;
    action.tool_name = tool_name;
    action.arguments = model::RawJson::trusted(std::string(arguments.text));
    return act(actor, action, true, How::decided, unit);
}

ToolOutcome ToolBed::act(const ToolActor& actor, const model::PlannedAction& action, bool is_named, How how,
                         Unit& unit) {
    const model::ToolContract* const contract =
        action.type == model::ActionType::tool_call ? tools::find_contract(action.tool_name) : nullptr;
    TRY_ASSIGN(const std::optional<model::ToolInfo> outside, outside_tool(action, unit));
    if (contract == nullptr && !outside) {
        return refusal(base::error(Code::invalid, "there is no tool " + action.tool_name, {}, "unknown_tool"));
    }
    const model::JsonView arguments = action.arguments.view();
    if (const auto problem = arguments.member(rules::problem_member)) {
        return refusal(base::error(Code::invalid, problem->as_text(), {}, "invalid_arguments"));
    }
    if (outside) return check_outside(*outside, actor, action, is_named, how);
    const auto house = rules::parse_house_tool(action.tool_name);
    const model::RawJson given = house ? rules::given_arguments(arguments) : action.arguments;
    auto may = rules::check_call(*contract, actor.agent.agent, actor.wake.reason, given.view());
    if (!may.ok()) return refusal(std::move(may).error());
    if (!is_named && contract->idempotency == model::ToolIdempotency::operation_id) {
        return refusal(missing_operation());
    }
    if (!house) return run(*tools::find_tool(action.tool_name), actor, arguments, how, unit);
    if (!is_undone(how)) return house_.act(actor, *house, arguments, unit);
    const auto read = rules::read_action(*house, arguments);
    return read.ok() ? base::Result<ToolEffect>(ToolEffect{"[]"}) : base::Result<ToolEffect>(read.error());
}

base::Result<std::optional<model::ToolInfo>> ToolBed::outside_tool(const model::PlannedAction& action,
                                                                   Unit& unit) const {
    const bool may_be =
        action.type == model::ActionType::tool_call && tools::find_contract(action.tool_name) == nullptr;
    if (!may_be) return std::optional<model::ToolInfo>{};
    TRY_ASSIGN(auto tool, registered_.find(action.tool_name, unit));
    if (tool && tool->execution.by == model::ToolRunner::nobody) tool.reset();
    return tool;
}

ToolOutcome ToolBed::check_outside(const model::ToolInfo& tool, const ToolActor& actor,
                                   const model::PlannedAction& action, bool is_named, How how) {
    auto allowed = rules::check_call(tool, actor.agent.agent, actor.wake.reason, action.arguments.view());
    if (!allowed.ok()) return refusal(std::move(allowed).error());
    if (!is_named) return refusal(missing_operation());
    if (is_by_person(how)) {
        return refusal(base::error(Code::conflict,
                                   tool.name + " is carried out outside and cannot be proposed: its person can let it "
                                               "run, or be asked in a conversation",
                                   {}, "cannot_be_proposed"));
    }
    return base::Result<ToolEffect>(ToolEffect{"[]"});
}

ToolOutcome ToolBed::run(const tools::Tool& tool, const ToolActor& actor, model::JsonView arguments, How how,
                         Unit& unit) {
    TRY_ASSIGN(model::ChangeOrigin origin, house_.origin_of(actor, unit));
    JournalBench bench(journal_, house_, actor, std::move(origin), unit);
    const bool is_preview = rules::is_preview(arguments);
    const bool is_risky = rules::is_high_risk(tool.contract, arguments);
    const bool needs_token = is_risky && !is_by_person(how);
    const bool is_trial = tool.is_compound || is_risky || is_preview || is_undone(how);
    if (is_trial) TRY(journal_.begin_trial(unit));
    const std::size_t first = journal_.changes_noted();
    base::Result<std::string> says = tool.run(bench, tools::Arguments(arguments));
    const bool can_be_undone = is_trial || journal_.changes_noted() == first;
    if (says.ok() && can_be_undone) says = bounded(std::move(*says));
    if (!says.ok()) {
        if (bench.has_failed()) return std::move(says).error();
        ASSERT(can_be_undone);
        if (is_trial) TRY(journal_.undo_trial(unit));
        return refusal(std::move(says).error());
    }
    ToolEffect effect{std::move(*says)};
    if (needs_token || is_preview || is_undone(how)) {
        TRY_ASSIGN(const std::vector<rules::TrialChange> changes, journal_.trial_changes(bench.actor(), unit));
        const std::string token = rules::preview_token(actor.agent.agent.id, tool.contract.name, arguments, changes);
        if (is_preview) {
            TRY(journal_.undo_trial(unit));
            auto told = bounded(preview_says(token, changes, rules::without_new_ids(effect.says, arguments, changes)));
            if (!told.ok()) return refusal(std::move(told).error());
            return base::Result<ToolEffect>(ToolEffect{std::move(*told)});
        }
        const auto told = arguments.member(rules::preview_token_argument);
        if (needs_token && (!told || told->as_text() != token)) {
            TRY(journal_.undo_trial(unit));
            return refusal(base::error(Code::conflict,
                                       told ? "what it would change is not what the preview told: preview it again"
                                            : "call it with previewOnly first, then with the previewToken that it told",
                                       std::string(rules::preview_token_argument), "preview_required"));
        }
        if (is_undone(how)) {
            TRY(journal_.undo_trial(unit));
            return base::Result<ToolEffect>(ToolEffect{changes_say(changes)});
        }
    }
    TRY(tell_changes(journal_.changes_since(first), bench, effect));
    if (is_trial) TRY(journal_.keep_trial(unit));
    return base::Result<ToolEffect>(std::move(effect));
}

}  // namespace belfry::engine
