#include "net/handlers/worker_words.hpp"

#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "base/wake_limits.hpp"
#include "net/handlers/agent_message_words.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/run_words.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::int64_t lease_s_max = limits::wake_lease_max.us / 1'000'000;
constexpr std::int64_t wait_s_max = limits::wake_wait_max.us / 1'000'000;
constexpr std::int64_t number_max = std::numeric_limits<std::int64_t>::max();

base::Result<base::Duration> read_seconds(JsonReader& reader, std::int64_t min, std::int64_t max) {
    TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, min, max));
    return base::seconds(seconds);
}

// Of whatever is said under a claim: which wake, its fence, and what `read(reader, name, wish)` makes of the rest.
template <class C, class Read>
base::Result<std::unique_ptr<C>> read_under_claim(const WorkerWords& words, model::WakeId C::* wake, Read&& read) {
    auto wish = std::make_unique<C>();
    (*wish).*wake = words.wake;
    wish->bytes = words.json.size();
    JsonReader reader(words.json);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "fence") {
            TRY_ASSIGN(wish->fence, read_integer(reader, 1, number_max));
        } else if (words.way == Way::call && name == "wake_id") {
            TRY_ASSIGN((*wish).*wake, read_integer(reader, 1, number_max));
        } else {
            return read(reader, name, *wish);
        }
        return {};
    }));
    if ((*wish).*wake == 0) return missing("wake_id");
    if (wish->fence == 0) return missing("fence");
    return wish;
}

base::Result<void> read_end_member(JsonReader& reader, std::string_view name, ports::EndWake& wish) {
    if (name == "result") {
        TRY_ASSIGN(wish.result, read_run_result(reader));
    } else if (name == "error") {
        TRY_ASSIGN(wish.error, read_run_error(reader));
    } else if (name == "release") {
        TRY_ASSIGN(wish.release, reader.read_bool());
    } else if (name == "sleep_until") {
        TRY_ASSIGN(wish.sleep_until, read_time_or_null(reader));
    } else if (name == "next_wake_at") {
        TRY_ASSIGN(wish.next_wake_at, read_time_or_null(reader));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<void> read_claim_member(JsonReader& reader, std::string_view name, ClaimWish& wish) {
    if (name == "agents") {
        TRY_ASSIGN(wish.agents, read_texts(reader, limits::wake_claim_agents_max, limits::scope_id_bytes_max));
    } else if (name == "holder") {
        TRY_ASSIGN(wish.holder, read_text(reader, 0, limits::wake_holder_bytes_max));
    } else if (name == "lease_s") {
        TRY_ASSIGN(wish.lease, read_seconds(reader, 1, lease_s_max));
    } else if (name == "context_messages") {
        TRY_ASSIGN(const std::int64_t count, read_integer(reader, 0, limits::context_messages_max));
        wish.context_messages = static_cast<std::size_t>(count);
    } else {
        return unknown(reader);
    }
    return {};
}

// The place of a member that is missing is told from the element on; it is put in front.
base::Error at_element(base::Error error, std::string_view list, std::size_t index) {
    if (error.code != base::Code::invalid || error.field.starts_with(list)) return error;
    error.field = std::string(list) + "[" + std::to_string(index) + "]." + error.field;
    return error;
}

template <class T, class Read>
base::Result<std::vector<T>> read_list(JsonReader& reader, std::string_view list, std::size_t count_max, Read read) {
    std::vector<T> all;
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return all;
        if (all.size() == count_max) {
            return reader.invalid("is one too many; at most " + std::to_string(count_max) + " entries are allowed");
        }
        auto one = read(reader);
        if (!one.ok()) return at_element(std::move(one).error(), list, all.size());
        all.push_back(std::move(*one));
    }
}

}  // namespace

base::Result<WorkerWords> worker_words_of(const Exchange& exchange) {
    TRY_ASSIGN(const model::WakeId wake, wake_id_of_path(exchange));
    return WorkerWords{Way::request, exchange.request.body, wake};
}

base::Result<ClaimWords> read_claim(const WorkerWords& words, const model::Principal& caller) {
    ClaimWords claim;
    std::optional<base::Duration> wait;
    bool until_granted = false;
    JsonReader reader(words.json);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "wait_s") {
            TRY_ASSIGN(wait, read_seconds(reader, 0, wait_s_max));
        } else if (words.way == Way::call && name == "until_granted") {
            TRY_ASSIGN(until_granted, reader.read_bool());
        } else {
            return read_claim_member(reader, name, claim.wish);
        }
        return {};
    }));
    if (claim.wish.agents.empty()) claim.wish.agents = caller.bounds.agents;
    if (claim.wish.agents.empty()) return missing("agents");
    if (until_granted && wait) {
        return base::error(base::Code::invalid, "belongs to a claim that does not wait until it is granted", "wait_s");
    }
    if (until_granted) claim.wait.reset();
    else claim.wait = wait.value_or(base::Duration{});
    if (claim.wish.holder.empty()) claim.wish.holder = caller.id;
    return claim;
}

base::Result<std::unique_ptr<ports::RenewWake>> read_renewal(const WorkerWords& words) {
    TRY_ASSIGN(auto wish,
               read_under_claim(words, &ports::RenewWake::id,
                                [](JsonReader& reader, std::string_view name, auto& renewal) -> base::Result<void> {
                                    if (name != "lease_s") return unknown(reader);
                                    TRY_ASSIGN(renewal.lease, read_seconds(reader, 1, lease_s_max));
                                    return {};
                                }));
    wish->lane = ports::Lane::control;
    return wish;
}

base::Result<std::unique_ptr<ports::EndWake>> read_end(const WorkerWords& words) {
    TRY_ASSIGN(auto wish, read_under_claim(words, &ports::EndWake::id, read_end_member));
    if (wish->error && wish->result) {
        return base::error(base::Code::invalid, "belongs to a wake that went well, which has no error", "result");
    }
    if (wish->release && (wish->error || wish->result || wish->sleep_until || wish->next_wake_at)) {
        return base::error(base::Code::invalid, "gives the wake back as it was: nothing goes with it", "release");
    }
    return wish;
}

base::Result<std::unique_ptr<ports::ChangeOwnState>> read_own_state(const WorkerWords& words) {
    return read_under_claim(words, &ports::ChangeOwnState::wake_id,
                            [](JsonReader& reader, std::string_view name, auto& change) -> base::Result<void> {
                                if (name != "state") return unknown(reader);
                                return read_state_patch(reader, change.state);
                            });
}

base::Result<std::unique_ptr<ports::AppendAgentMessages>> read_agent_messages(const WorkerWords& words) {
    TRY_ASSIGN(auto wish,
               read_under_claim(words, &ports::AppendAgentMessages::id,
                                [](JsonReader& reader, std::string_view name, auto& append) -> base::Result<void> {
                                    if (name != "messages") return unknown(reader);
                                    TRY_ASSIGN(append.drafts, read_list<model::AgentMessage>(
                                                                  reader, "messages", limits::agent_messages_batch_max,
                                                                  read_agent_message));
                                    return {};
                                }));
    if (wish->drafts.empty()) return missing("messages");
    return wish;
}

base::Result<std::unique_ptr<ports::StorePlan>> read_plan(const WorkerWords& words) {
    const auto read_member = [](JsonReader& reader, std::string_view name, auto& plan) -> base::Result<void> {
        if (name == "round") {
            TRY_ASSIGN(plan.round, read_integer(reader, 1, limits::plan_rounds_max));
        } else if (name == "actions") {
            TRY_ASSIGN(plan.actions, read_list<model::PlannedAction>(reader, "actions", limits::plan_actions_max,
                                                                     read_planned_action));
        } else {
            return unknown(reader);
        }
        return {};
    };
    TRY_ASSIGN(auto wish, read_under_claim(words, &ports::StorePlan::id, read_member));
    if (wish->actions.empty()) return missing("actions");
    return wish;
}

base::Result<std::unique_ptr<ports::CallTool>> read_tool_call(const WorkerWords& words) {
    std::optional<model::RawJson> arguments;
    std::string tool_name;
    const auto read_member = [&](JsonReader& reader, std::string_view name, auto& call) -> base::Result<void> {
        if (name == "operation_id") {
            TRY_ASSIGN(call.operation_id, read_scope_id(reader));
        } else if (name == "tool_name") {
            TRY_ASSIGN(tool_name, read_text(reader, 1, limits::tool_name_bytes_max));
        } else if (name == "arguments") {
            TRY_ASSIGN(arguments, read_json_object(reader, limits::agent_message_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    };
    TRY_ASSIGN(auto wish, read_under_claim(words, &ports::CallTool::id, read_member));
    if (tool_name.empty() && arguments) return missing("tool_name");
    if (tool_name.empty() && wish->operation_id.empty()) return missing("operation_id");
    if (!tool_name.empty()) {
        wish->call = ports::ToolWish{std::move(tool_name), std::move(arguments).value_or(model::RawJson())};
    }
    return wish;
}

std::string called_tool_json(const ports::CalledTool& called) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("action");
    model::append_agent_message(writer, called.action);
    writer.name("result");
    if (called.result) model::append_agent_message(writer, *called.result);
    else writer.null();
    writer.name("waits_for");
    if (called.waits_for) {
        const bool is_person = called.waits_for->whom == ports::ToolWait::For::person;
        writer.begin_object().field("whom", is_person ? "person" : "outside").field("id", called.waits_for->id);
        writer.end_object();
    } else {
        writer.null();
    }
    writer.name("is_new").boolean(called.is_new).end_object();
    return body;
}

std::string appended_json(const ports::AppendedMessages& appended) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    for (const model::AgentMessage& one : appended.messages) model::append_agent_message(writer, one);
    writer.end_array().field("added", static_cast<long long>(appended.added)).end_object();
    return body;
}

std::string plan_json(const ports::StoredPlan& stored) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_plan(writer, stored.plan);
    return body;
}

}  // namespace belfry::net::handlers
