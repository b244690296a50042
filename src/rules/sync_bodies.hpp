#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "model/journal.hpp"
#include "model/sync.hpp"
#include "model/timer.hpp"
#include "model/wake.hpp"

// Records as they are kept here, and their bodies as they go from device to device. What is counted, computed or done
// here and now stands in no body. Reading one back leaves everything alone that no body has; a body that is none is
// `invalid`, with its field.
namespace belfry::rules {

[[nodiscard]] model::RawJson agent_body(const model::Agent& agent);
base::Result<void> read_agent_body(model::JsonView body, model::Agent& agent);

// With the agent's lifecycle. A preference that was taken away is null as long as its stamp is known.
[[nodiscard]] model::RawJson agent_state_body(const model::Agent& agent, const model::AgentState& state,
                                              const model::RecordKnowledge& knowledge = {});
base::Result<void> read_agent_state_body(model::JsonView body, model::Agent& agent, model::AgentState& state);

// As it was said, without its place: what there is not is not written.
[[nodiscard]] model::RawJson message_body(const model::AgentMessage& message);
base::Result<void> read_message_body(model::JsonView body, model::AgentMessage& message);
[[nodiscard]] model::RawJson forgotten_body();
[[nodiscard]] bool is_forgotten(model::JsonView body);

[[nodiscard]] model::RawJson subscription_body(const model::WakeSubscription& subscription);
base::Result<void> read_subscription_body(model::JsonView body, model::WakeSubscription& subscription);

// Under the name that it was given, whatever it is called here.
[[nodiscard]] model::RawJson timer_body(const model::AgentTimer& timer);
base::Result<void> read_timer_body(model::JsonView body, model::AgentTimer& timer);
// What a timer is called beside another one of its agent that has its name: `morning~5be091c2`.
[[nodiscard]] std::string timer_name_beside(std::string_view name, const model::TimerId& id);
// The name that it was given.
[[nodiscard]] std::string timer_name_given(std::string_view name, const model::TimerId& id);

[[nodiscard]] model::RawJson journal_body(const model::JournalRecord& record);
// The kind is that of the record's body.
base::Result<void> read_journal_body(model::JsonView body, model::JournalRecord& record);

[[nodiscard]] model::RawJson link_body(const model::Link& link);
base::Result<void> read_link_body(model::JsonView body, model::Link& link);

// The body of a record that is deleted for good: as it was, and when. What is there and is a tombstone says so.
[[nodiscard]] model::RawJson with_deleted_at(const model::RawJson& body, base::Timestamp at);
[[nodiscard]] bool is_deleted(model::JsonView body);

// Whether it is one that could be kept here: its body can be read, and its id is that of such a record. Beside what
// check_sync_record asks.
base::Result<void> check_sync_body(const model::SyncRecord& record);

}  // namespace belfry::rules
