#pragma once

#include "store/memory_questions.hpp"

namespace belfry::store {

class SqlMemoryReading final : public ports::MemoryReading {
public:
    explicit SqlMemoryReading(Database& database) : database_(database), questions_(database) {}

    [[nodiscard]] ports::MemoryQuestions& questions() override { return questions_; }
    base::Result<std::vector<model::FoldJob>> jobs(const ports::FoldJobFilter& filter) override;
    base::Result<std::vector<model::AgentThread>> threads(const ports::ThreadFilter& filter) override;
    base::Result<std::vector<model::AgentMessage>> all(std::string_view agent_id, std::int64_t after,
                                                       std::size_t limit) override;

private:
    Database& database_;
    SqlMemoryQuestions questions_;
};

}  // namespace belfry::store
