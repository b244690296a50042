#include "store/memory_reading.hpp"

#include <limits>

#include "store/agent_message_row.hpp"
#include "store/memory_row.hpp"
#include "store/snapshot.hpp"

namespace belfry::store {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// One statement a question, so that each has the index that it needs. $4 is the state, or -1.
#define BELFRY_JOBS_BEFORE \
    "(created_at, job_id) < ($1, $2) AND ($4 = -1 OR state = $4) ORDER BY created_at DESC, job_id DESC LIMIT $3"
constexpr Sql list_jobs{BELFRY_JOBS "WHERE " BELFRY_JOBS_BEFORE};
constexpr Sql list_user_jobs{BELFRY_JOBS "WHERE user_id = $5 AND " BELFRY_JOBS_BEFORE};
// Of an agent, which has one user: that of the caller is asked for as well.
constexpr Sql list_agent_jobs{BELFRY_JOBS "WHERE agent_id = $5 AND (length($6) = 0 OR user_id = $6) AND "  //
                              BELFRY_JOBS_BEFORE};
constexpr Sql list_threads{BELFRY_THREADS
                           "WHERE agent_id = $1 AND (last_at, thread_id) < ($2, $3) ORDER BY last_at DESC, thread_id "
                           "DESC LIMIT $4"};
constexpr Sql select_time{"SELECT created_at FROM agent_messages WHERE position = $1"};
// By time, which is the order of their coming: there is an index for that one.
constexpr Sql list_after{BELFRY_WHOLE_MESSAGES
                         "WHERE m.agent_id = $1 AND (m.created_at, m.position) > ($2, $3) ORDER BY m.created_at, "
                         "m.position LIMIT $4"};
constexpr Sql list_behind{BELFRY_WHOLE_MESSAGES
                          "WHERE m.agent_id = $1 AND m.position > $2 ORDER BY m.created_at, m.position LIMIT $3"};

}  // namespace

base::Result<std::vector<model::FoldJob>> SqlMemoryReading::jobs(const ports::FoldJobFilter& filter) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    Param time = number(never);
    Param id = bytes("");
    if (filter.after) {
        TRY_ASSIGN(const std::optional<model::FoldJob> last, questions_.job(*filter.after));
        if (!last) return std::vector<model::FoldJob>{};
        time = number(last->created_at);
        id = bytes(*filter.after);
    }
    const Param limit = number(std::uint64_t{filter.limit});
    const Param state = filter.state ? choice(*filter.state) : number(std::int64_t{-1});
    const Param user = bytes(filter.user_id);
    if (!filter.agent_id.empty()) {
        return select(database_, "fold_jobs", list_agent_jobs, {time, id, limit, state, bytes(filter.agent_id), user},
                      read_job);
    }
    if (!filter.user_id.empty()) {
        return select(database_, "fold_jobs", list_user_jobs, {time, id, limit, state, user}, read_job);
    }
    return select(database_, "fold_jobs", list_jobs, {time, id, limit, state}, read_job);
}

base::Result<std::vector<model::AgentThread>> SqlMemoryReading::threads(const ports::ThreadFilter& filter) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    base::Timestamp time{never};
    if (!filter.after.empty()) {
        TRY_ASSIGN(const std::optional<model::AgentThread> last, questions_.thread(filter.after));
        if (!last) return std::vector<model::AgentThread>{};
        time = last->last_at;
    }
    return select(database_, "agent_threads", list_threads,
                  {bytes(filter.agent_id), number(time), bytes(filter.after), number(std::uint64_t{filter.limit})},
                  read_thread);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryReading::all(std::string_view agent_id, std::int64_t after,
                                                                     std::size_t limit) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    const Param agent = bytes(agent_id);
    const Param rows = number(std::uint64_t{limit});
    std::optional<std::int64_t> time;
    TRY(database_.run(select_time, {number(after)}, [&](const Row& row) { time = row.number(0); }));
    if (time) {
        return select(database_, "agent_messages", list_after, {agent, number(*time), number(after), rows},
                      read_agent_message);
    }
    // From the beginning, or from one that was removed meanwhile.
    return select(database_, "agent_messages", list_behind, {agent, number(after), rows}, read_agent_message);
}

}  // namespace belfry::store
