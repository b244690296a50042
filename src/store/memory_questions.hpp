#pragma once

#include "ports/store_memory.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlMemoryQuestions final : public ports::MemoryQuestions {
public:
    explicit SqlMemoryQuestions(Database& database) : database_(database) {}

    base::Result<std::optional<model::AgentThread>> thread(std::string_view thread_id) override;
    base::Result<std::vector<model::AgentMessage>> newest_raw(std::string_view thread_id, std::int64_t before,
                                                              std::size_t limit) override;
    base::Result<std::vector<model::AgentMessage>> raw_span(std::string_view thread_id, std::int64_t after,
                                                            std::int64_t through, std::size_t limit) override;
    base::Result<std::optional<model::SummaryPlace>> summary(const base::Uuid& id) override;
    base::Result<std::vector<model::SummaryPlace>> unfolded(std::string_view agent_id) override;
    base::Result<std::vector<ports::StoredSummary>> frontier(std::string_view agent_id) override;
    base::Result<std::vector<model::SummaryPlace>> folded_into(const base::Uuid& id) override;
    base::Result<std::optional<model::FoldJob>> job(const base::Uuid& id) override;
    base::Result<std::vector<model::FoldJob>> waiting_jobs(const ports::WaitingJobFilter& filter) override;
    base::Result<std::vector<model::AgentMessage>> recall(const ports::RecallFilter& filter) override;

private:
    Database& database_;
};

}  // namespace belfry::store
