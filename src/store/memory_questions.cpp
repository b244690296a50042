#include "store/memory_questions.hpp"

#include <algorithm>
#include <limits>

#include "base/memory_limits.hpp"
#include "store/agent_message_row.hpp"
#include "store/memory_row.hpp"
#include "store/memory_words.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_thread{BELFRY_THREADS "WHERE thread_id = $1"};
constexpr Sql select_newest_raw{BELFRY_LISTED_MESSAGES
                                "WHERE m.thread_id = $1 AND m.kind <> 5 ORDER BY m.position DESC LIMIT $2"};
constexpr Sql select_raw_span{BELFRY_WHOLE_MESSAGES
                              "WHERE m.thread_id = $1 AND m.position > $2 AND m.position <= $3 AND m.kind <> 5 ORDER "
                              "BY m.position LIMIT $4"};
constexpr Sql select_summary{BELFRY_SUMMARIES "WHERE message_id = $1"};
constexpr Sql select_depth_below{
    "SELECT max(depth) FROM memory_summaries WHERE agent_id = $1 AND depth < $2 AND folded_into IS NULL"};
constexpr Sql select_of_depth{BELFRY_SUMMARIES
                              "WHERE agent_id = $1 AND depth = $2 AND folded_into IS NULL ORDER BY position DESC LIMIT "
                              "$3"};
constexpr Sql select_folded_into{BELFRY_SUMMARIES "WHERE folded_into = $1 ORDER BY position"};
constexpr Sql select_job{BELFRY_JOBS "WHERE job_id = $1"};

}  // namespace

base::Result<std::optional<model::AgentThread>> SqlMemoryQuestions::thread(std::string_view thread_id) {
    return select_one(database_, "agent_threads", select_thread, {bytes(thread_id)}, read_thread);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryQuestions::newest_raw(std::string_view thread_id,
                                                                              std::size_t limit) {
    return select(database_, "agent_messages", select_newest_raw, {bytes(thread_id), number(std::uint64_t{limit})},
                  read_agent_message);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryQuestions::raw_span(std::string_view thread_id,
                                                                            std::int64_t after, std::int64_t through,
                                                                            std::size_t limit) {
    return select(database_, "agent_messages", select_raw_span,
                  {bytes(thread_id), number(after), number(through), number(std::uint64_t{limit})}, read_agent_message);
}

base::Result<std::optional<model::SummaryPlace>> SqlMemoryQuestions::summary(const base::Uuid& id) {
    return select_one(database_, "memory_summaries", select_summary, {bytes(id)}, read_summary);
}

// One depth after the other, so that each costs what is read of it and no more.
base::Result<std::vector<model::SummaryPlace>> SqlMemoryQuestions::unfolded(std::string_view agent_id) {
    std::vector<model::SummaryPlace> found;
    std::optional<std::int64_t> depth = std::numeric_limits<std::int64_t>::max();
    while (true) {
        const Param above = number(*depth);
        depth.reset();
        TRY(database_.run(select_depth_below, {bytes(agent_id), above}, [&](const Row& row) {
            if (!row.is_null(0)) depth = row.number(0);
        }));
        if (!depth) return found;
        TRY_ASSIGN(const std::vector<model::SummaryPlace> some,
                   select(database_, "memory_summaries", select_of_depth,
                          {bytes(agent_id), number(*depth), number(std::uint64_t{base::limits::summaries_read_max})},
                          read_summary));
        found.insert(found.end(), some.rbegin(), some.rend());
    }
}

base::Result<std::vector<model::SummaryPlace>> SqlMemoryQuestions::folded_into(const base::Uuid& id) {
    return select(database_, "memory_summaries", select_folded_into, {bytes(id)}, read_summary);
}

base::Result<std::optional<model::FoldJob>> SqlMemoryQuestions::job(const base::Uuid& id) {
    return select_one(database_, "fold_jobs", select_job, {bytes(id)}, read_job);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryQuestions::recall(const ports::RecallFilter& filter) {
    return find_words(database_, filter);
}

}  // namespace belfry::store
