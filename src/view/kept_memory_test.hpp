#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ports/store_memory.hpp"
#include "rules/memory_text.hpp"

namespace belfry::view {

// A memory that holds what a test puts into it. Messages are in the order of their coming.
class KeptMemory final : public ports::MemoryReading, public ports::MemoryQuestions {
public:
    using Messages = std::vector<model::AgentMessage>;

    ports::MemoryQuestions& questions() override { return *this; }

    base::Result<std::optional<model::AgentThread>> thread(std::string_view thread_id) override {
        const auto at = std::ranges::find(kept_threads, thread_id, &model::AgentThread::thread_id);
        return at == kept_threads.end() ? std::nullopt : std::optional(*at);
    }
    base::Result<Messages> newest_raw(std::string_view thread_id, std::int64_t before, std::size_t limit) override {
        Messages found;
        for (auto at = kept.rbegin(); at != kept.rend() && found.size() < limit; ++at) {
            if (at->position < before && is_raw_of(*at, thread_id)) found.push_back(*at);
        }
        return found;
    }
    base::Result<Messages> raw_span(std::string_view thread_id, std::int64_t after, std::int64_t through,
                                    std::size_t limit) override {
        Messages found;
        for (const model::AgentMessage& one : kept) {
            const bool is_inside = one.position > after && one.position <= through;
            if (is_inside && is_raw_of(one, thread_id) && found.size() < limit) found.push_back(one);
        }
        return found;
    }
    base::Result<std::optional<model::SummaryPlace>> summary(const base::Uuid& id) override {
        const auto at = std::ranges::find(places, id, &model::SummaryPlace::message_id);
        return at == places.end() ? std::nullopt : std::optional(*at);
    }
    base::Result<std::vector<model::SummaryPlace>> unfolded(std::string_view agent_id) override {
        return some_places([&](const auto& one) { return one.agent_id == agent_id && !one.folded_into; });
    }
    base::Result<std::vector<ports::StoredSummary>> frontier(std::string_view agent_id) override {
        std::vector<ports::StoredSummary> found;
        const auto open = unfolded(agent_id);
        for (const model::SummaryPlace& place : *open) {
            const auto at = std::ranges::find(kept, place.message_id, &model::AgentMessage::id);
            if (at != kept.end()) found.push_back({place, *at});
        }
        return found;
    }
    base::Result<std::vector<model::SummaryPlace>> folded_into(const base::Uuid& id) override {
        return some_places([&](const auto& one) { return one.folded_into == id; });
    }
    base::Result<std::optional<model::FoldJob>> job(const base::Uuid&) override {
        return std::optional<model::FoldJob>{};
    }
    // In the order of `kept_threads`.
    base::Result<std::vector<model::FoldJob>> waiting_jobs(const ports::WaitingJobFilter& filter) override {
        std::vector<model::FoldJob> found;
        for (const model::AgentThread& thread : kept_threads) {
            const bool is_due = thread.is_closed || thread.last_at <= filter.idle_since ||
                                thread.hot_messages > filter.hot_messages || thread.hot_tokens > filter.hot_tokens;
            if (!is_due || thread.agent_id != filter.agent_id || thread.thread_id == filter.but_thread_id) continue;
            for (const model::FoldJob& job : kept_jobs) {
                const bool is_its = job.thread_id == thread.thread_id && job.state != model::FoldState::done &&
                                    job.depth == 1 && job.start_position > thread.folded_through;
                if (is_its && found.size() < filter.limit) found.push_back(job);
            }
        }
        return found;
    }
    base::Result<Messages> recall(const ports::RecallFilter& filter) override {
        asked = filter;
        Messages found;
        for (auto at = kept.rbegin(); at != kept.rend() && found.size() < filter.limit; ++at) {
            const bool is_thread =
                filter.threads.empty() || std::ranges::find(filter.threads, at->thread_id) != filter.threads.end();
            const std::vector<std::string> has = rules::memory_words(*at);
            const bool has_all = std::ranges::all_of(
                filter.words, [&](const std::string& word) { return std::ranges::find(has, word) != has.end(); });
            if (is_thread && has_all && (!filter.kind || at->kind == *filter.kind)) found.push_back(*at);
        }
        return found;
    }

    base::Result<std::vector<model::FoldJob>> jobs(const ports::FoldJobFilter& filter) override {
        jobs_asked = filter;
        std::vector<model::FoldJob> found = kept_jobs;
        std::erase_if(found, [&](const model::FoldJob& one) { return filter.state && one.state != *filter.state; });
        return found;
    }
    base::Result<std::vector<model::AgentThread>> threads(const ports::ThreadFilter& filter) override {
        std::vector<model::AgentThread> found = kept_threads;
        if (found.size() > filter.limit) found.resize(filter.limit);
        return found;
    }
    base::Result<Messages> all(std::string_view agent_id, std::int64_t after, std::size_t limit) override {
        Messages found;
        for (const model::AgentMessage& one : kept) {
            const bool is_next = one.agent_id == agent_id && one.position > after;
            if (is_next && found.size() < limit) found.push_back(one);
        }
        return found;
    }

    Messages kept;
    std::vector<model::AgentThread> kept_threads;  // the one that was spoken in last first
    std::vector<model::SummaryPlace> places;
    ports::RecallFilter asked;
    ports::FoldJobFilter jobs_asked;
    std::vector<model::FoldJob> kept_jobs = std::vector<model::FoldJob>(1);

private:
    static bool is_raw_of(const model::AgentMessage& one, std::string_view thread_id) {
        return one.thread_id == thread_id && one.kind != model::AgentMessageKind::summary;
    }
    template <class Is>
    std::vector<model::SummaryPlace> some_places(Is is) {
        std::vector<model::SummaryPlace> found;
        std::ranges::copy_if(places, std::back_inserter(found), is);
        return found;
    }
};

}  // namespace belfry::view
