#include "cli/hook_run.hpp"

#include <cstdio>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "cli/context_text.hpp"
#include "cli/hook_record.hpp"
#include "host/entropy.hpp"
#include "host/files.hpp"

namespace belfry::cli {
namespace {

using client::TurnReport;
using model::InjectAt;
namespace limits = base::limits;

constexpr std::string_view source = "claude-code";
constexpr std::size_t pull_file_bytes_max = 64;

std::string metadata_of(const HookInput& input) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("client", source);
    if (!input.cwd.empty()) writer.field("cwd", input.cwd);
    if (!input.source.empty()) writer.field("source", input.source);
    if (!input.model.empty()) writer.field("model", input.model);
    writer.end_object();
    return json;
}

std::string title_of(const HookInput& input) {
    std::string_view path = input.cwd;
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::string title(path.substr(path.rfind('/') + 1));
    return title.size() <= limits::session_title_bytes_max ? title : std::string();
}

}  // namespace

base::Result<std::string> HookRun::run(const HookInput& input) {
    session_id_ = input.session_id;
    const bool is_inside = input.event != HookEvent::session_start && input.event != HookEvent::session_end;
    if (is_inside) TRY(check_session(input));
    switch (input.event) {
        case HookEvent::session_start: return pull_after(put_session(input), input, InjectAt::turn_start);
        case HookEvent::user_prompt_submit:
            return pull_after(report_turn(input, TurnReport::Edge::start), input, InjectAt::turn_start);
        case HookEvent::post_tool_use:
        case HookEvent::post_tool_use_failure: {
            auto reported = report_call(input);
            // What is for the agent of the conversation must not get lost in a subagent's context.
            if (input.subagent_id.empty()) return pull_after(std::move(reported), input, InjectAt::after_tool);
            TRY(std::move(reported));
            return std::string();
        }
        case HookEvent::stop: {
            auto reported = report_turn(input, TurnReport::Edge::end);
            // What comes at the end keeps the agent going once; a second time would keep it going for ever.
            if (!input.is_continuing) return pull_after(std::move(reported), input, InjectAt::turn_end);
            TRY(std::move(reported));
            return std::string();
        }
        case HookEvent::stop_failure: {
            TRY(report_turn(input, TurnReport::Edge::end));
            return std::string();
        }
        case HookEvent::session_end: break;
    }
    TRY_ASSIGN(const client::SessionState session, client_.session(session_id_));
    if (session.progress.in_turn) TRY(report_turn(input, TurnReport::Edge::end));
    if (const std::string file = memory_file(); !file.empty()) (void)std::remove(file.c_str());
    return std::string();
}

base::Result<std::string> HookRun::pull_after(base::Result<void> reported, const HookInput& input, InjectAt point) {
    if (!reported.ok()) {
        if (exit_for(reported.error().code) == Exit::unreachable) return std::move(reported).error();
        unreported_ = std::move(reported).error();
    }
    return pull(input, point);
}

base::Result<void> HookRun::put_session(const HookInput& input) {
    client::SessionRequest request;
    request.agent_id = wish_.agent_id;
    if (!wish_.user_id.empty()) request.user_id = wish_.user_id;
    if (const std::string title = title_of(input); !title.empty()) request.title = title;
    request.metadata = model::RawJson::trusted(metadata_of(input));
    TRY(client_.put_session(session_id_, request));
    return {};
}

// The daemon may have been down at SessionStart. A session that a report makes belongs to the daemon's owner, and the
// agent would be given the owner's notifications.
base::Result<void> HookRun::check_session(const HookInput& input) {
    if (wish_.user_id.empty()) return {};
    const auto session = client_.session(session_id_);
    if (session.ok() && session->user_id == wish_.user_id) return {};
    if (session.ok()) {
        return base::error(base::Code::forbidden, "the session belongs to user " + session->user_id, "session_id");
    }
    return session.error().code == base::Code::not_found ? put_session(input) : session.error();
}

base::Result<void> HookRun::report_turn(const HookInput& input, TurnReport::Edge edge) {
    TurnReport report;
    report.edge = edge;
    if (edge == TurnReport::Edge::start) report.agent_id = wish_.agent_id;
    else {
        report.reason = input.reason;
        report.only_named = true;  // each hook acknowledges what it has handed on
        std::vector<std::string> handles = handles_in(input.last_message);
        narrate(handles, input.last_message);
        for (std::string& handle : handles) report.acknowledged.emplace_back(std::move(handle));
    }
    report.pull_id = last_pull();
    TRY(client_.report_turn(session_id_, report));
    return {};
}

base::Result<void> HookRun::report_call(const HookInput& input) {
    if (input.call.tool_name.empty()) return base::error(base::Code::invalid, "tool_name is missing", "tool_name");
    client::ToolCallReport report = input.call;
    report.source = source;
    report.agent_id = input.subagent_id.empty() ? wish_.agent_id : input.subagent_id;
    if (report.call_id.empty()) {
        host::Entropy entropy;
        report.call_id = "call-" + base::hex(entropy.bytes(8));
    }
    report.pull_id = last_pull();
    TRY(client_.report_tool_call(session_id_, report));
    return {};
}

// The user sits before the agent's message, or does not: the message goes through Belfry, so that interfaces and sinks
// have it, once, and the raw texts are not shown beside it.
void HookRun::narrate(const std::vector<std::string>& handles, const std::string& message) {
    std::vector<client::ItemLease> told;
    for (const std::string& handle : handles) {
        const auto row = client_.notification(handle, session_id_);
        const bool must_tell = row.ok() && row->handler == "agent" && row->target == "user" && row->state == "locked" &&
                               row->narration.empty();
        if (must_tell) told.push_back({handle, row->lease});
    }
    if (told.empty()) return;
    std::string_view text = message;
    if (text.size() > limits::narration_bytes_max) {
        std::size_t end = limits::narration_bytes_max;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
        text = text.substr(0, end);
    }
    // Without it the end of the turn escalates the notifications.
    (void)client_.narrate(session_id_, told, last_pull(), text);
}

std::string HookRun::memory_file() const {
    if (wish_.memory_folder.empty()) return {};
    return host::join_path(wish_.memory_folder, "pull-" + sha256_text(session_id_).substr(0, 32));
}

std::string HookRun::last_pull() const {
    if (wish_.memory_folder.empty()) return {};
    auto kept = host::read_file(memory_file(), pull_file_bytes_max);
    return kept.ok() && base::parse_uuid(*kept) ? std::move(*kept) : std::string();
}

base::Result<std::string> HookRun::pull(const HookInput& input, InjectAt point) {
    client::PullRequest request;
    request.point = point;
    request.budget_tokens = wish_.budget_tokens;
    request.pull_id = last_pull();
    TRY_ASSIGN(const client::Pulled pulled, client_.pull(session_id_, request));
    const bool has_items = !pulled.items.empty() || !pulled.user_messages.empty();
    // Facts alone are no reason to keep an agent from stopping.
    if (input.event == HookEvent::stop && !has_items) return std::string();
    // Also where the pull has only facts: the turn ends with `only_named`, and unacknowledged facts come again.
    pull_id_ = pulled.pull_id;
    return context_text(pulled);
}

void HookRun::given() {
    // A lost acknowledgement only means that it comes once more.
    if (pull_id_.empty()) return;
    (void)client_.acknowledge(session_id_, pull_id_);
    // A pull that is not kept costs its proof: what the session holds then waits for its lease.
    if (wish_.memory_folder.empty() || !host::make_folder(wish_.memory_folder, host::mode_private_folder).ok()) return;
    (void)host::write_file_atomically(memory_file(), pull_id_, host::mode_private_file);
}

std::string hook_answer(HookEvent event, std::string_view context) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().name("hookSpecificOutput").begin_object();
    writer.field("hookEventName", hook_event_name(event)).field("additionalContext", context);
    writer.end_object().end_object();
    return json;
}

client::Options hook_options(client::Options options) {
    options.connect_time_max = limits::hook_connect_max;
    options.answer_time_max = limits::hook_answer_max;
    options.emit_attempts_max = 1;
    return options;
}

}  // namespace belfry::cli
