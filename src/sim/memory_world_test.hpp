#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/memory.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/fold.hpp"
#include "rules/rule_summary.hpp"
#include "sim/engine_world_test.hpp"

// What an agent remembers and how it is folded, through the real engine and the real store, in time that the test
// gives. Only tests include it.
namespace belfry::sim {

namespace limits = base::limits;

class MemoryWorld : public EngineWorld {
protected:
    using Messages = std::vector<model::AgentMessage>;
    using Grant = std::optional<ports::FoldGrant>;

    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        effects_ = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }

    template <class Work>
    auto look(Work&& work) {
        EXPECT_TRUE(store_->begin().ok());
        auto seen = work(static_cast<ports::Store&>(*store_));
        store_->rollback();
        return seen;
    }

    void make_agent(model::MemorySettings memory = {}) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "fixer";
        command->draft.user_id = "ada";
        command->draft.memory = std::move(memory);
        ask(std::move(command));
    }
    static model::MemorySettings wants_hot(std::int64_t messages) {
        model::MemorySettings memory;
        memory.hot_messages = messages;
        return memory;
    }
    static model::MemorySettings by_model(std::int64_t messages) {
        model::MemorySettings memory = wants_hot(messages);
        memory.base_url = "http://127.0.0.1:1/v1";
        memory.summarizer = model::Summarizer::model;
        memory.model = "m";
        return memory;
    }

    // Somebody works for it: in a session, or in a thread of the run's own.
    model::Wake begin(const std::string& session = {}, base::Duration lease = limits::wake_lease_default) {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = "fixer";
        wake->request_id = "r" + std::to_string(++requests_);
        wake->session_id = session;
        ask(std::move(wake));
        const auto grant = claim(lease);
        EXPECT_TRUE(grant);
        return grant ? grant->wake : model::Wake{};
    }
    std::optional<ports::WakeGrant> claim(base::Duration lease = limits::wake_lease_default) {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {"fixer"};
        command->holder = "w";
        command->lease = lease;
        command->context_messages = 200;
        return ask(std::move(command)).grant;
    }
    void end(const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        EXPECT_TRUE(try_to(std::move(command)).ok());
    }
    // One after the other; each is told with what is given.
    Messages say(const model::Wake& wake, const std::vector<std::string>& texts, std::int64_t tokens = 10) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = wake.id;
        command->fence = wake.fence;
        for (const std::string& text : texts) {
            model::AgentMessage& draft = command->drafts.emplace_back();
            draft.kind = model::AgentMessageKind::thought;
            std::string content;
            model::JsonWriter(content).begin_object().field("text", text).end_object();
            draft.content = model::RawJson::trusted(std::move(content));
            draft.tokens_approx = tokens;
        }
        auto said = try_to(std::move(command));
        EXPECT_TRUE(said.ok()) << said.error().message;
        return said.ok() ? said->messages : Messages{};
    }

    Grant claim_fold() { return ask(std::make_unique<ports::ClaimFold>()); }
    static model::MemorySummary summary_of(const std::string& text) {
        model::MemorySummary summary;
        summary.text = text;
        summary.counts["thought"] = 1;
        return summary;
    }
    base::Result<model::FoldJob> finish(const ports::FoldGrant& grant, model::MemorySummary summary) {
        auto command = std::make_unique<ports::FinishFold>();
        command->id = grant.job.id;
        command->attempt = grant.job.attempts;
        command->summary = std::move(summary);
        return try_to(std::move(command));
    }
    base::Result<model::FoldJob> fail(const ports::FoldGrant& grant, model::FoldFault fault) {
        auto command = std::make_unique<ports::FailFold>();
        command->id = grant.job.id;
        command->attempt = grant.job.attempts;
        command->fault = fault;
        command->why = "it did not answer";
        return try_to(std::move(command));
    }
    model::FoldJob restart(const model::FoldJob& job) {
        auto command = std::make_unique<ports::RestartFold>();
        command->id = job.id;
        return ask(std::move(command));
    }
    std::int64_t fold_now(const std::string& thread_id = {}) {
        auto command = std::make_unique<ports::FoldNow>();
        command->agent_id = "fixer";
        command->thread_id = thread_id;
        return ask(std::move(command));
    }
    // Folds whatever is due, by rules; how many jobs that were.
    int fold_all() {
        int folded = 0;
        while (const Grant grant = claim_fold()) {
            EXPECT_TRUE(finish(*grant, by_rules(grant->job)).ok());
            if (++folded > 1000) break;
        }
        return folded;
    }
    model::MemorySummary by_rules(const model::FoldJob& job) {
        return look([&](ports::Store& store) {
            ports::MemoryQuestions& memory = store.memory().questions();
            if (job.depth == 1) {
                return rules::summarize_messages(
                    *memory.raw_span(job.thread_id, job.start_position - 1, job.end_position, 500));
            }
            std::vector<rules::FoldedSummary> all;
            const auto places = memory.unfolded(job.agent_id);
            for (const model::SummaryPlace& place : *places) {
                const bool is_its = place.depth == job.depth - 1 && place.position >= job.start_position &&
                                    place.position <= job.end_position;
                if (!is_its) continue;
                model::AgentMessage message = store.agent_messages().find(std::span(&place.message_id, 1))->front();
                auto summary = model::memory_summary_of(message.content.view());
                all.push_back({std::move(message), std::move(summary)});
            }
            return rules::summarize_summaries(all);
        });
    }

    model::AgentThread thread(const std::string& id) {
        return look([&](ports::Store& store) {
            auto found = store.memory().questions().thread(id);
            return found.ok() && *found ? **found : model::AgentThread{};
        });
    }
    std::optional<model::FoldJob> open_job(const std::string& thread_id) {
        return look([&](ports::Store& store) { return *store.memory().open_job(thread_id); });
    }
    std::vector<model::SummaryPlace> unfolded() {
        return look([](ports::Store& store) { return *store.memory().questions().unfolded("fixer"); });
    }
    std::optional<model::AgentMessage> message(const base::Uuid& id) {
        return look([&](ports::Store& store) {
            const auto found = store.agent_messages().find(std::span(&id, 1));
            return found.ok() && !found->empty() ? std::optional(found->front()) : std::nullopt;
        });
    }
    // All of a thread, summaries too, the oldest first.
    Messages all_of(const std::string& thread_id) {
        Messages found = look([&](ports::Store& store) { return *store.agent_messages().newest(thread_id, 1000); });
        std::ranges::reverse(found);
        return found;
    }
    Messages recalled(const std::vector<std::string>& words) {
        return look([&](ports::Store& store) {
            ports::RecallFilter filter;
            filter.agent_id = "fixer";
            filter.words = words;
            filter.limit = 50;
            return *store.memory().questions().recall(filter);
        });
    }
    model::AgentRecord agent() {
        return look([](ports::Store& store) {
            const std::string id = "fixer";
            return store.agents().find(std::span(&id, 1))->front();
        });
    }

    int requests_ = 0;
    engine::Effects effects_;  // of what was tried last
};

}  // namespace belfry::sim
