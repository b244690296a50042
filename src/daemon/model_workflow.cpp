#include "daemon/model_workflow.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/message_limits.hpp"
#include "codec/agent_messages.hpp"
#include "daemon/script_workflow.hpp"
#include "daemon/turn_variables.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/chat_history.hpp"
#include "rules/house_tool.hpp"
#include "rules/memory_text.hpp"
#include "rules/tool_offer.hpp"
#include "rules/wake_input.hpp"
#include "text/script.hpp"
#include "tools/registry.hpp"

namespace belfry::daemon {
namespace {

using model::ChatMessage;
using model::ChatRole;
using rules::HouseTool;
constexpr std::size_t said_bytes_max = 60 << 10;
constexpr std::size_t bytes_of_token = 4;  // of most texts

bool is_tool(const model::PlannedAction& action, HouseTool tool) {
    return action.tool_name == rules::house_tool_name(tool);
}

std::string handed_text(const ports::PullReply& reply) {
    codec::AgentContext context;
    for (const ports::PulledItem& item : reply.items) {
        const model::Notification& one = item.notification;
        const std::string_view tone = item.needs_answer ? std::string_view(one.tone_hint) : "";
        context.items.push_back({item.handle, model::priority_name(one.priority), one.subscriber_id, one.directive,
                                 tone, one.content, item.needs_answer, item.must_tell});
    }
    context.seen = reply.seen;
    context.digest = reply.digest;
    return codec::wrap_for_agent(context, reply.fence);
}

bool needs_answer(const std::optional<ports::PullReply>& handed) {
    return handed && std::ranges::any_of(handed->items, &ports::PulledItem::needs_answer);
}

// True if the pull of this attempt has the notification that this signal stands for.
bool is_pulled(const model::WakeSignal& signal, const std::optional<ports::PullReply>& handed) {
    const auto id = base::parse_uuid(signal.key);
    return handed && id && std::ranges::any_of(handed->items, [&](const ports::PulledItem& item) {
               return item.notification.id.uuid == *id;
           });
}

// Why it was woken and what was handed over; nothing where a person speaks and there is nothing besides.
std::vector<ChatMessage> about_the_wake(const ports::Turn& turn) {
    const ports::WakeGrant& grant = turn.grant();
    std::vector<model::WakeSignal> data;
    for (const model::WakeSignal& signal : grant.signals) {
        using model::SignalKind;
        const bool is_notified = signal.kind == SignalKind::notification;
        const bool is_told_elsewhere =
            signal.kind == SignalKind::user || signal.kind == SignalKind::manual ||
            (is_notified && (grant.home_session.empty() || is_pulled(signal, turn.handed())));
        if (!is_told_elsewhere) data.push_back(signal);
    }
    std::vector<ChatMessage> out;
    if (!data.empty() || grant.wake.reason != model::WakeReason::user_initiated) {
        out.push_back({ChatRole::user, rules::wake_words(grant.wake, data, turn.now()), {}, {}});
    }
    if (!turn.handed()) return out;
    std::string handed = handed_text(*turn.handed());
    if (!handed.empty()) out.push_back({ChatRole::user, std::move(handed), {}, {}});
    return out;
}

// All raw messages of the context, the oldest first: those that wait for a summary, then the newest ones.
std::vector<model::AgentMessage> remembered_messages(const ports::WakeGrant& grant) {
    std::vector<model::AgentMessage> messages;
    if (!grant.context) return messages;
    messages = grant.context->memory.messages;
    messages.insert(messages.end(), grant.context->messages.begin(), grant.context->messages.end());
    return messages;
}

// What its person has said and its memory did not hold yet when it was claimed.
std::vector<ChatMessage> new_words(const ports::Turn& turn, std::span<const model::AgentMessage> remembered) {
    std::vector<ChatMessage> words;
    if (!turn.handed()) return words;
    std::set<std::string_view> known;
    for (const model::AgentMessage& message : remembered) known.insert(message.trigger_source_id);
    for (const model::SessionMessage& message : turn.handed()->user_messages) {
        if (!known.contains(base::format_uuid(message.id.uuid)))
            words.push_back({ChatRole::user, message.content, {}, {}});
    }
    return words;
}

// Finds the words that the user or an operator gave a wake, and tells which of them the model still has to be asked.
class WordsOfWake {
public:
    WordsOfWake(const ports::Turn& turn, std::span<const model::AgentMessage> remembered)
        : wake_(turn.grant().wake), remembered_(remembered) {
        std::set<std::string_view> of_this_run;
        for (const model::PlanNow& round : turn.rounds()) {
            for (const model::PlannedAction& action : round.plan.actions) of_this_run.insert(action.operation_id);
        }
        const auto last = std::find_if(remembered.rbegin(), remembered.rend(), [&](const model::AgentMessage& one) {
            return one.action && !of_this_run.contains(one.metadata.operation_id);
        });
        since_answer_ = {last.base(), remembered.end()};
        causes_.insert(wake_.reason_id);
        for (const model::WakeSignal& signal : turn.grant().signals) causes_.insert(signal.key);
        const auto is_own_message = [this](const model::AgentMessage& one) { return is_own(one); };
        std::ranges::copy_if(remembered, std::back_inserter(own_), is_own_message);
        has_own_since_answer_ = std::ranges::any_of(since_answer_, is_own_message);
    }

    [[nodiscard]] bool has_words_since_answer() const {
        return std::ranges::any_of(since_answer_, [&](const auto& one) { return is_said(one); });
    }

    // Returns the words that stand before an answer in the memory, or do not stand there: an earlier run was given the
    // words, too, or the user made the agent forget them. Without these words the model would not be asked for them.
    [[nodiscard]] std::vector<ChatMessage> to_repeat(std::size_t bytes_max, bool has_new_words) const {
        if (!is_users() && wake_.reason != model::WakeReason::manual) return {};
        std::vector<std::string> texts = rules::ag_ui_texts(wake_);
        if (!texts.empty()) return of_ag_ui(std::move(texts), bytes_max);
        if (has_new_words || has_words_since_answer()) return {};
        if (!own_.empty()) return rules::chat_history(own_, {});
        return of_text(is_users() ? rules::words_of_input(wake_) : std::string(), bytes_max);
    }

private:
    [[nodiscard]] bool is_users() const { return wake_.reason == model::WakeReason::user_initiated; }

    [[nodiscard]] bool is_said(const model::AgentMessage& one) const {
        return one.kind == model::AgentMessageKind::user ||
               (!is_users() && one.kind == model::AgentMessageKind::observation);
    }

    [[nodiscard]] bool is_own(const model::AgentMessage& one) const {
        return is_said(one) && causes_.contains(one.trigger_source_id);
    }

    // A text that was heard before with other words of this wake was answered with them.
    [[nodiscard]] std::vector<ChatMessage> of_ag_ui(std::vector<std::string> texts, std::size_t bytes_max) const {
        for (const model::AgentMessage& one : own_.empty() ? since_answer_ : since_answer_before_own()) {
            if (!is_said(one)) continue;
            const bool is_apart = one.content_entry_id && one.content == model::RawJson();
            const auto told =
                is_apart ? longest(texts, is_own(one)) : std::ranges::find(texts, rules::told_content(one));
            if (told != texts.end()) texts.erase(told);
        }
        std::string words;
        for (const std::string& text : texts) words.append(words.empty() ? "" : "\n").append(text);
        std::vector<ChatMessage> messages = of_text(words, bytes_max);
        if (has_own_since_answer_) return messages;
        std::ranges::move(rules::chat_history(own_, {}), std::back_inserter(messages));
        return messages;
    }

    // A text of an earlier conversation may be the same ("Yes").
    [[nodiscard]] std::span<const model::AgentMessage> since_answer_before_own() const {
        const auto first = std::ranges::find_if(remembered_, [this](const auto& one) { return is_own(one); });
        const auto answer =
            std::find_if(std::make_reverse_iterator(first), remembered_.rend(), [](const model::AgentMessage& one) {
                return one.action && one.action->tool_name == rules::house_tool_name(HouseTool::say);
            });
        return {answer.base(), remembered_.end()};
    }

    // Returns the text of a message whose content lies apart. Only long contents lie apart, of this wake and of others.
    [[nodiscard]] static std::vector<std::string>::iterator longest(std::vector<std::string>& texts, bool is_own) {
        const auto found = std::ranges::max_element(texts, {}, &std::string::size);
        const bool is_long = found != texts.end() && found->size() + 2 > base::limits::agent_message_inline_bytes_max;
        return is_own || is_long ? found : texts.end();
    }

    [[nodiscard]] static std::vector<ChatMessage> of_text(const std::string& words, std::size_t bytes_max) {
        if (words.empty()) return {};
        return {{ChatRole::user, rules::clipped(words, bytes_max), {}, {}}};
    }

    const model::Wake& wake_;
    std::span<const model::AgentMessage> remembered_;
    std::span<const model::AgentMessage> since_answer_;  // after the last action of another run
    std::set<std::string_view> causes_;                  // of this wake
    std::vector<model::AgentMessage> own_;               // what came with it
    bool has_own_since_answer_ = false;
};

std::vector<ChatMessage> conversation(const ports::Turn& turn) {
    const std::vector<model::AgentMessage> remembered = remembered_messages(turn.grant());
    std::vector<ChatMessage> messages = rules::chat_history(remembered, turn.rounds());
    std::vector<ChatMessage> words = new_words(turn, remembered);
    // A context has no longer text than its budget, either.
    const auto bytes_max = static_cast<std::size_t>(turn.grant().agent.agent.memory.budget_tokens) * bytes_of_token;
    // Words that the user said later stay behind those that are repeated, and the user's last words stay last.
    const WordsOfWake words_of_wake(turn, remembered);
    std::vector<ChatMessage> repeated = words_of_wake.to_repeat(bytes_max, !words.empty());
    if (!words_of_wake.has_words_since_answer()) {
        std::ranges::move(repeated, std::back_inserter(messages));
        repeated.clear();
    }
    auto at = std::find_if(messages.rbegin(), messages.rend(), [](const ChatMessage& one) {
                  return one.role != ChatRole::user;
              }).base();
    std::vector<ChatMessage> about = about_the_wake(turn);
    std::ranges::move(repeated, std::back_inserter(about));
    messages.insert(at, std::make_move_iterator(about.begin()), std::make_move_iterator(about.end()));
    std::ranges::move(words, std::back_inserter(messages));
    rules::append_rounds(messages, turn.rounds());
    return messages;
}

model::PlannedAction said(std::string text) {
    if (text.size() > said_bytes_max) {
        std::size_t size = said_bytes_max;
        while ((static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;  // no half of a character
        text.resize(size);
    }
    std::string arguments;
    model::JsonWriter(arguments).begin_object().field("text", text).name("shown").boolean(true).end_object();
    model::PlannedAction action;
    action.tool_name = rules::house_tool_name(HouseTool::say);
    action.arguments = model::RawJson::trusted(std::move(arguments));
    return action;
}

std::vector<model::PlannedAction> actions_of(model::ChatAnswer answer) {
    std::vector<model::PlannedAction> actions;
    if (!answer.text.empty()) actions.push_back(said(std::move(answer.text)));
    for (model::ToolCall& call : answer.calls) {
        if (actions.size() == base::limits::plan_actions_max) break;
        model::PlannedAction& action = actions.emplace_back();
        action.tool_name = call.name.substr(0, base::limits::agent_tool_name_bytes_max);
        action.arguments = std::move(call.arguments);
        if (call.problem.empty()) continue;
        std::string problem;
        model::JsonWriter(problem).begin_object().field(rules::problem_member, call.problem).end_object();
        action.arguments = model::RawJson::trusted(std::move(problem));
    }
    return actions;
}

// Nothing was called for: the model has had its say.
bool is_last(const model::PlanNow& round) {
    return std::ranges::all_of(round.plan.actions, [](const auto& one) { return is_tool(one, HouseTool::say); });
}

ports::TurnEnd over_budget(std::string message) {
    return {.error = model::RunError{"budget", std::move(message)}, .may_mend = false};
}

ports::TurnEnd failed(const model::ChatFailure& failure) {
    return {.error = model::RunError{"model_" + std::string(model::chat_failure_name(failure.kind)), failure.message}};
}

ports::TurnEnd done(const ports::Turn& turn) {
    ports::TurnEnd end;
    end.result = rounds_result(turn.rounds());
    for (const model::PlanNow& round : turn.rounds()) {
        for (const model::PlannedAction& action : round.plan.actions) {
            if (!is_tool(action, HouseTool::acknowledge)) continue;
            const auto wish = rules::read_action(HouseTool::acknowledge, action.arguments.view());
            if (!wish.ok()) continue;
            for (const std::string& handle : std::get<rules::AcknowledgeHandles>(*wish).handles) {
                end.heard.push_back(handle);
            }
        }
    }
    return end;
}

}  // namespace

base::Result<model::ChatRequest> ModelWorkflow::request(const rules::ModelSettings& settings,
                                                        const ports::Turn& turn) const {
    model::ChatRequest request;
    request.endpoint.base_url = settings.base_url;
    request.endpoint.streaming = settings.streaming;
    if (!settings.key_env.empty()) {
        const auto key = environment_.get(settings.key_env);
        if (!key) {
            return base::error(base::Code::invalid,
                               "the daemon's environment has no " + settings.key_env + ", which key_env names");
        }
        request.endpoint.secret = *key;
    }
    request.model = settings.model;
    request.temperature = settings.temperature;
    request.output_tokens_max = settings.output_tokens_max;
    request.times.whole = settings.timeout;
    request.times.first_byte = std::min(request.times.first_byte, settings.timeout);
    request.tools = rules::tools_for_model(tools::all_contracts(), turn.grant().agent.agent, turn.grant().wake.reason,
                                           needs_answer(turn.handed()));
    rules::offer_outside_tools(request.tools, turn.grant().tools);
    if (!settings.system.empty()) {
        TRY_ASSIGN(const text::Template prompt, text::compile_setting("system", settings.system));
        TRY_ASSIGN(std::string system, prompt.render(turn_variables(turn)));
        request.messages.push_back({ChatRole::system, std::move(system), {}, {}});
    }
    if (turn.grant().context) {
        std::string remembered = rules::memory_words_for_model(turn.grant().context->memory);
        if (!remembered.empty()) request.messages.push_back({ChatRole::system, std::move(remembered), {}, {}});
    }
    std::ranges::move(conversation(turn), std::back_inserter(request.messages));
    return request;
}

model::ChatOutcome ModelWorkflow::ask(model::ChatRequest request, ports::Turn& turn) {
    const std::unique_ptr<ports::ModelCall> call = models_.begin(std::move(request));
    turn.set_on_over([&call] { call->cancel(); });
    turn.begin_text();
    model::ChatOutcome outcome = call->wait([&turn](std::string_view piece) { turn.add_text(piece); });
    turn.set_on_over(nullptr);
    return outcome;
}

base::Result<ports::TurnEnd> ModelWorkflow::run(ports::Turn& turn) {
    TRY_ASSIGN(const rules::ModelSettings settings, rules::read_model_settings(turn.grant().agent.agent));
    std::int64_t tokens = 0;
    while (true) {
        TRY(turn.act());
        const auto rounds = turn.rounds();
        if (!rounds.empty() && is_last(rounds.back())) return done(turn);
        if (static_cast<std::int64_t>(rounds.size()) >= settings.rounds_max) {
            return over_budget("it has asked its model " + std::to_string(rounds.size()) +
                               " times, and it still calls for tools");
        }
        if (settings.tokens_max && tokens >= *settings.tokens_max) {
            return over_budget("it has used " + std::to_string(tokens) + " of " + std::to_string(*settings.tokens_max) +
                               " tokens");
        }
        TRY_ASSIGN(model::ChatRequest question, request(settings, turn));
        model::ChatOutcome outcome = ask(std::move(question), turn);
        TRY(turn.end_text());
        if (const auto* const failure = std::get_if<model::ChatFailure>(&outcome)) return failed(*failure);
        auto& answer = std::get<model::ChatAnswer>(outcome);
        const std::int64_t used = answer.usage.prompt_tokens + answer.usage.completion_tokens;
        tokens += used;
        turn.count_tokens(used);
        std::vector<model::PlannedAction> actions = actions_of(std::move(answer));
        if (actions.empty()) return done(turn);
        TRY(turn.plan(std::move(actions)));
    }
}

}  // namespace belfry::daemon
