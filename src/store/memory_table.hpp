#pragma once

#include "store/memory_questions.hpp"

namespace belfry::store {

class SqlMemoryTable final : public ports::MemoryTable {
public:
    explicit SqlMemoryTable(Database& database) : database_(database), questions_(database) {}

    [[nodiscard]] ports::MemoryQuestions& questions() override { return questions_; }

    base::Result<void> put_thread(const model::AgentThread& thread) override;
    base::Result<std::vector<model::AgentThread>> idle_threads(base::Timestamp older_than, std::size_t limit) override;
    base::Result<std::optional<base::Timestamp>> oldest_hot() override;
    base::Result<std::vector<model::AgentThread>> hot_threads(std::string_view agent_id, std::size_t limit) override;
    base::Result<std::vector<model::AgentMessage>> raw_after(std::string_view thread_id, std::int64_t after,
                                                             std::size_t limit) override;

    base::Result<void> add_summary(const model::SummaryPlace& place) override;
    base::Result<void> fold_summaries(std::string_view agent_id, std::int64_t depth, std::int64_t from,
                                      std::int64_t through, const base::Uuid& into) override;

    base::Result<void> add_words(std::span<const Words> messages) override;
    base::Result<std::size_t> index_more(std::size_t limit, WordsOf words_of) override;

    base::Result<void> put_job(const model::FoldJob& job) override;
    base::Result<std::optional<model::FoldJob>> open_job(std::string_view thread_id) override;
    base::Result<std::vector<model::FoldJob>> due_jobs(base::Timestamp now, std::size_t limit) override;
    base::Result<std::vector<model::FoldJob>> running_jobs() override;
    base::Result<std::optional<base::Timestamp>> next_job_at() override;
    base::Result<std::uint64_t> drop_jobs(base::Timestamp older_than, std::size_t limit) override;

    base::Result<std::vector<model::AgentMessage>> raw_messages(std::string_view agent_id, std::string_view thread_id,
                                                                std::optional<base::Timestamp> before,
                                                                std::size_t limit) override;
    base::Result<std::vector<model::SummaryPlace>> covering(std::string_view thread_id, std::int64_t from,
                                                            std::int64_t through) override;
    base::Result<std::uint64_t> remove_messages(std::span<const model::AgentMessage> messages) override;
    base::Result<void> remove_summaries(std::span<const model::SummaryPlace> places) override;
    base::Result<void> unfold(const base::Uuid& summary) override;
    base::Result<std::vector<model::AgentMessage>> folded_messages(model::AgentMessageKind kind,
                                                                   base::Timestamp older_than,
                                                                   std::size_t limit) override;

private:
    Database& database_;
    SqlMemoryQuestions questions_;
};

}  // namespace belfry::store
