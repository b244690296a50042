#include "rules/provisional_summary.hpp"

#include "rules/fold.hpp"
#include "rules/rule_summary.hpp"

namespace belfry::rules {

model::RecalledSummary provisional_summary(const model::FoldJob& job, std::span<const model::AgentMessage> messages) {
    model::RecalledSummary provisional;
    provisional.id = summary_id(job.agent_id, job.thread_id, job.depth, job.start_message_id, job.end_message_id);
    provisional.thread_id = job.thread_id;
    provisional.depth = job.depth;
    provisional.start_message_id = job.start_message_id;
    provisional.end_message_id = job.end_message_id;
    provisional.summary = summarize_messages(messages);
    return provisional;
}

}  // namespace belfry::rules
