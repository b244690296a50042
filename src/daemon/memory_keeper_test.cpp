#include "daemon/memory_keeper.hpp"

#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "base/summary_limits.hpp"
#include "engine/engine.hpp"
#include "host/system_clock.hpp"
#include "host/temporary_folder_test.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/wakes.hpp"
#include "store/open_store.hpp"
#include "store/sql_store.hpp"

// Folding as the daemon does it: the real engine, the real store, the keeper's own thread and reader, and a model that
// does as it is told.
namespace belfry::daemon {
namespace {

using namespace std::chrono_literals;

class NoSubscribers final : public ports::Subscribers {
public:
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_ = std::make_shared<const model::Catalogue>();
};

// Refuses, or hangs until it is cancelled or its time is over: always, or if its name begins with `silent`.
class StubbornModel final : public ports::LanguageModel {
public:
    std::unique_ptr<ports::ModelCall> begin(model::ChatRequest request) override {
        const std::lock_guard lock(mutex_);
        const bool is_silent = hangs || request.model.starts_with("silent");
        asked_ += is_silent ? 1 : 0;
        changed_.notify_all();
        return std::make_unique<Call>(*this, is_silent);
    }
    // Waits until so many questions hang, ever. False: they do not come.
    bool wait_until_asked(int count = 1) {
        std::unique_lock lock(mutex_);
        const bool is_asked = changed_.wait_for(lock, 20s, [this, count] { return asked_ >= count; });
        EXPECT_TRUE(is_asked) << asked_ << " of " << count;
        return is_asked;
    }
    int asked() {
        const std::lock_guard lock(mutex_);
        return asked_;
    }
    // The time of all questions that hang is over.
    void time_out() {
        const std::lock_guard lock(mutex_);
        for (Call* const call : hanging_) call->time_out();
        changed_.notify_all();
    }
    bool hangs = false;

private:
    class Call final : public ports::ModelCall {
    public:
        Call(StubbornModel& model, bool is_silent) : model_(model), is_silent_(is_silent) {
            if (is_silent) model_.hanging_.push_back(this);
        }
        void time_out() { is_timed_out_ = true; }
        model::ChatOutcome wait(const OnText&) override {
            std::unique_lock lock(model_.mutex_);
            if (!is_silent_) return model::ChatFailure{model::ChatFailureKind::rate_limited, "slow down", 429};
            model_.changed_.wait(lock, [this] { return is_cancelled_ || is_timed_out_; });
            std::erase(model_.hanging_, this);
            if (is_timed_out_) return model::ChatFailure{model::ChatFailureKind::timed_out, "no answer"};
            return model::ChatFailure{model::ChatFailureKind::cancelled, "cancelled"};
        }
        void cancel() override {
            const std::lock_guard lock(model_.mutex_);
            is_cancelled_ = true;
            model_.changed_.notify_all();
        }

    private:
        StubbornModel& model_;
        bool is_silent_;
        bool is_cancelled_ = false;
        bool is_timed_out_ = false;
    };

    std::mutex mutex_;
    std::condition_variable changed_;
    int asked_ = 0;
    std::vector<Call*> hanging_;
};

class MemoryKeeperTest : public ::testing::Test, public ports::Gateway {
protected:
    MemoryKeeperTest() {
        location_.sqlite_path = folder_.file("belfry.db");
        store_ = std::make_unique<store::SqlStore>(store::writer_options(location_, {}), random_);
        engine_ = std::make_unique<engine::Engine>(*store_, random_, subscribers_, engine::EngineOptions{});
        EXPECT_TRUE(engine_->open(now_).ok());
    }

    // As the engine's thread and the network's do it, in one.
    base::Result<void> submit(ports::AnyCommand& command) override {
        const std::lock_guard lock(mutex_);
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        for (const ports::AnyCommand& answered : effects.answered) answered->deliver();
        return {};
    }
    template <class C>
    typename C::Reply ask(std::function<void(C&)> fill) {
        auto reply = EngineDoor(*this).ask<C>(fill);
        EXPECT_TRUE(reply.ok()) << reply.error().message;
        return reply.ok() ? *reply : typename C::Reply{};
    }
    void make_agent(bool has_model) { make_agent("fixer", "ada", has_model ? "small" : ""); }
    // With a model of this name for its summaries; empty: rules make them.
    void make_agent(const std::string& id, const std::string& user, const std::string& model) {
        ask<ports::CreateAgent>([&](ports::CreateAgent& wish) {
            wish.draft.id = id;
            wish.draft.user_id = user;
            wish.draft.memory.hot_messages = 4;
            if (model.empty()) return;
            wish.draft.memory.base_url = "http://127.0.0.1:1/v1";
            wish.draft.memory.summarizer = model::Summarizer::model;
            wish.draft.memory.model = model;
        });
    }
    // So many thoughts; gives their thread.
    std::string think(int count, const std::string& agent = "fixer", std::size_t run = 0) {
        ask<ports::WakeAgent>([&](ports::WakeAgent& wish) {
            wish.agent_id = agent;
            wish.request_id = "r" + std::to_string(run);
        });
        const auto grant = ask<ports::ClaimWake>([&](ports::ClaimWake& wish) { wish.agents = {agent}; }).grant;
        EXPECT_TRUE(grant);
        ask<ports::AppendAgentMessages>([&](ports::AppendAgentMessages& wish) {
            wish.id = grant->wake.id;
            wish.fence = grant->wake.fence;
            for (int i = 0; i < count; ++i) {
                model::AgentMessage& draft = wish.drafts.emplace_back();
                draft.kind = model::AgentMessageKind::thought;
                draft.content = model::RawJson::trusted(R"({"text":"Decision: number )" + std::to_string(i) + "\"}");
            }
        });
        wake_ = grant->wake;
        return grant->wake.thread_id;
    }
    // The same in a run that is over: few runs are under way at a time.
    std::string think_and_end(const std::string& agent, std::size_t run = 0) {
        std::string thread = think(5, agent, run);
        ask<ports::EndWake>([this](ports::EndWake& wish) {
            wish.id = wake_.id;
            wish.fence = wake_.fence;
        });
        return thread;
    }
    // The first summary of the agent, once it is there.
    std::optional<model::MemorySummary> summary_soon(const std::string& agent = "fixer") {
        auto reading = store::open_reading(location_);
        EXPECT_TRUE(reading.ok());
        for (int tries = 0; tries < 1000; ++tries) {
            const auto places = (*reading)->memory().questions().unfolded(agent);
            if (places.ok() && !places->empty()) {
                const auto message = (*reading)->agent_messages().find(places->front().message_id);
                return model::memory_summary_of((*message)->content.view());
            }
            std::this_thread::sleep_for(10ms);
        }
        return std::nullopt;
    }
    std::optional<model::FoldJob> job_of(const std::string& thread) {
        const std::lock_guard lock(mutex_);
        EXPECT_TRUE(store_->begin().ok());
        const auto job = store_->memory().open_job(thread);
        store_->rollback();
        return job.ok() ? *job : std::nullopt;
    }

    host::TemporaryFolder folder_;
    host::Entropy random_;
    NoSubscribers subscribers_;
    store::StoreLocation location_;
    base::Timestamp now_{1'800'000'000'000'000};
    std::mutex mutex_;
    std::unique_ptr<store::SqlStore> store_;
    std::unique_ptr<engine::Engine> engine_;
    model::Wake wake_;  // of the run that thought last
    StubbornModel model_;
    host::SystemClock clock_;
    host::Logger log_{clock_, host::LogLevel::error, host::LogFormat::text};
    MemoryKeeper keeper_{*this, [this] { return store::open_reading(location_); }, model_, {}, log_};
};

TEST_F(MemoryKeeperTest, folds_what_is_due) {
    make_agent(false);
    const std::string thread = think(5);
    keeper_.start();
    const auto summary = summary_soon();
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->by, model::Summarizer::rules);
    EXPECT_EQ(summary->messages(), 3);
    ASSERT_EQ(summary->decisions.size(), 3U);
    EXPECT_EQ(summary->decisions[0].text, "number 0");
    EXPECT_FALSE(job_of(thread));
}

TEST_F(MemoryKeeperTest, looks_when_it_is_told_to) {
    make_agent(false);
    keeper_.start();
    std::this_thread::sleep_for(50ms);  // it has found nothing, and rests
    think(5);
    keeper_.hint();
    EXPECT_TRUE(summary_soon());
}

TEST_F(MemoryKeeperTest, goes_on_by_rules_where_a_model_refuses) {
    make_agent(true);
    think(5);
    keeper_.start();
    const auto summary = summary_soon();
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->by, model::Summarizer::rules);
}

TEST_F(MemoryKeeperTest, stops_at_once_and_leaves_the_job_for_the_next_start) {
    model_.hangs = true;
    make_agent(true);
    const std::string thread = think(5);
    keeper_.start();
    model_.wait_until_asked();
    const auto began = std::chrono::steady_clock::now();
    keeper_.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
    ASSERT_TRUE(job_of(thread));
    EXPECT_EQ(job_of(thread)->state, model::FoldState::pending);
    EXPECT_EQ(job_of(thread)->attempts, 0) << "a stop is no failure";
    EXPECT_EQ(job_of(thread)->last_error, "");
    model_.hangs = false;
    MemoryKeeper next(*this, [this] { return store::open_reading(location_); }, model_, {}, log_);
    next.start();
    EXPECT_TRUE(summary_soon());
}

TEST_F(MemoryKeeperTest, asks_the_model_after_any_number_of_stops) {
    model_.hangs = true;
    make_agent(true);
    const std::string thread = think(5);
    for (int stops = 1; stops <= static_cast<int>(base::limits::fold_attempts_max) + 1; ++stops) {
        MemoryKeeper keeper(*this, [this] { return store::open_reading(location_); }, model_, {}, log_);
        keeper.start();
        ASSERT_TRUE(model_.wait_until_asked(stops));
        keeper.stop();
    }
    ASSERT_TRUE(job_of(thread));
    EXPECT_EQ(job_of(thread)->state, model::FoldState::pending);
    EXPECT_EQ(job_of(thread)->summarizer, model::Summarizer::model);
    EXPECT_EQ(job_of(thread)->attempts, 0);
}

constexpr int per_model = static_cast<int>(base::limits::summaries_per_model_max);
constexpr int per_user = static_cast<int>(base::limits::summaries_per_user_max);
constexpr int by_models = static_cast<int>(base::limits::summaries_by_models_max);

TEST_F(MemoryKeeperTest, a_silent_model_stops_neither_rules_nor_other_models) {
    for (int i = 0; i < per_model + 1; ++i) {
        make_agent("mute" + std::to_string(i), "user" + std::to_string(i), "silent");
        think_and_end("mute" + std::to_string(i));
    }
    keeper_.start();
    model_.wait_until_asked(per_model);
    make_agent("ruled", "bob", "");
    make_agent("other", "bob", "small");
    think_and_end("ruled");
    think_and_end("other");
    keeper_.hint();
    EXPECT_TRUE(summary_soon("ruled"));
    EXPECT_TRUE(summary_soon("other"));
    const auto began = std::chrono::steady_clock::now();
    keeper_.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
    EXPECT_EQ(model_.asked(), per_model) << "the others wait for their turn";
}

TEST_F(MemoryKeeperTest, silent_models_of_one_user_leave_room_for_those_of_others) {
    for (int i = 0; i < per_user + 2; ++i) {
        make_agent("mute" + std::to_string(i), "ada", "silent " + std::to_string(i));
        think_and_end("mute" + std::to_string(i));
    }
    keeper_.start();
    model_.wait_until_asked(per_user);
    make_agent("other", "bob", "small");
    think_and_end("other");
    keeper_.hint();
    EXPECT_TRUE(summary_soon("other"));
    keeper_.stop();
    EXPECT_EQ(model_.asked(), per_user);
}

TEST_F(MemoryKeeperTest, rules_go_on_while_as_many_models_are_silent_as_may_be_asked) {
    for (int i = 0; i < by_models + 2; ++i) {
        make_agent("mute" + std::to_string(i), "user" + std::to_string(i), "silent " + std::to_string(i));
        think_and_end("mute" + std::to_string(i));
    }
    keeper_.start();
    model_.wait_until_asked(by_models);
    make_agent("ruled", "bob", "");
    think_and_end("ruled");
    keeper_.hint();
    EXPECT_TRUE(summary_soon("ruled"));
    keeper_.stop();
    EXPECT_EQ(model_.asked(), by_models);
}

TEST_F(MemoryKeeperTest, a_model_that_was_silent_is_asked_again_however_many_jobs_wait_for_it) {
    make_agent("mute", "ada", "silent");
    for (std::size_t i = 0; i < base::limits::fold_claim_page_rows + per_model; ++i) think_and_end("mute", i);
    keeper_.start();
    model_.wait_until_asked(per_model);
    make_agent("ruled", "bob", "");
    think_and_end("ruled");
    keeper_.hint();
    ASSERT_TRUE(summary_soon("ruled")) << "a full page of jobs has stepped aside";
    std::this_thread::sleep_for(100ms);  // it has found nothing more, and rests
    {
        const std::lock_guard lock(mutex_);
        now_ = now_ + base::limits::fold_model_wait + base::seconds(1);
    }
    model_.time_out();
    model_.wait_until_asked(2 * per_model);
    keeper_.stop();
    EXPECT_EQ(model_.asked(), 2 * per_model);
}

TEST_F(MemoryKeeperTest, models_that_were_silent_leave_places_to_others) {
    constexpr int by_silent = static_cast<int>(base::limits::summaries_by_silent_models_max);
    const auto name = [](int number) { return "mute" + std::to_string(number); };
    std::vector<std::string> threads;
    for (int i = 0; i < by_models; ++i) {
        make_agent(name(i), name(i), "silent " + std::to_string(i));
        threads.push_back(think_and_end(name(i)));
    }
    keeper_.start();
    model_.wait_until_asked(by_models);
    model_.time_out();
    for (const std::string& thread : threads) {
        while (job_of(thread)->state == model::FoldState::running) std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(50ms);  // their threads are at their end
    for (int i = 0; i < by_models; ++i) think_and_end(name(i), 1);
    keeper_.hint();
    model_.wait_until_asked(by_models + by_silent);
    make_agent("other", "bob", "small");
    think_and_end("other");
    keeper_.hint();
    EXPECT_TRUE(summary_soon("other")) << "a place is free for it, though older jobs wait";
    keeper_.stop();
    EXPECT_EQ(model_.asked(), by_models + by_silent);
}

}  // namespace
}  // namespace belfry::daemon
