#include "daemon/summary_maker.hpp"

#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "host/entropy.hpp"

namespace belfry::daemon {
namespace {

using model::ChatFailureKind;
using model::FoldFault;

// Answers what it is told to, or waits until it is cancelled.
class ToldModel final : public ports::LanguageModel {
public:
    std::unique_ptr<ports::ModelCall> begin(model::ChatRequest request) override {
        asked = std::move(request);
        return std::make_unique<Call>(*this);
    }
    void wait_until_asked() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return is_waiting; });
    }

    model::ChatRequest asked;
    std::optional<model::ChatOutcome> outcome;  // nothing: it hangs

private:
    class Call final : public ports::ModelCall {
    public:
        explicit Call(ToldModel& model) : model_(model) {}
        model::ChatOutcome wait(const OnText&) override {
            if (model_.outcome) return *model_.outcome;
            std::unique_lock lock(model_.mutex);
            model_.is_waiting = true;
            model_.changed.notify_all();
            model_.changed.wait(lock, [this] { return is_cancelled_; });
            return model::ChatFailure{ChatFailureKind::cancelled, "cancelled"};
        }
        void cancel() override {
            const std::lock_guard lock(model_.mutex);
            is_cancelled_ = true;
            model_.changed.notify_all();
        }

    private:
        ToldModel& model_;
        bool is_cancelled_ = false;
    };

    std::mutex mutex;
    std::condition_variable changed;
    bool is_waiting = false;
};

class SummaryMakerTest : public ::testing::Test {
protected:
    SummaryMakerTest() {
        std::vector<model::AgentMessage> messages(2);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            messages[i].id.bytes[15] = static_cast<std::uint8_t>(i + 1);
            messages[i].kind = model::AgentMessageKind::thought;
        }
        messages[0].content = model::RawJson::trusted(R"({"text":"Goal: learn the piano"})");
        messages[1].content = model::RawJson::trusted(R"({"text":"scales"})");
        span_ = std::move(messages);
        grant_.agent.agent.memory.base_url = "http://127.0.0.1:1/v1";
        grant_.agent.agent.memory.model = "small";
        grant_.agent.agent.memory.key_env = "KEY";
        grant_.job.summarizer = model::Summarizer::model;
    }
    static model::ChatOutcome answer(std::string text) {
        model::ChatAnswer answer;
        answer.text = std::move(text);
        return answer;
    }
    SummaryMaker::Outcome make() { return maker_.make(grant_, span_); }
    FoldFault fault_of(model::ChatFailure failure) {
        model_.outcome = std::move(failure);
        const SummaryMaker::Outcome outcome = make();
        EXPECT_TRUE(std::holds_alternative<SummaryMaker::Failure>(outcome));
        return std::get<SummaryMaker::Failure>(outcome).fault;
    }

    ToldModel model_;
    host::Environment environment_{{{"KEY", "secret"}}};
    host::Entropy entropy_;
    SummaryMaker maker_{model_, environment_, entropy_};
    ports::FoldGrant grant_;
    FoldSpan span_;
};

TEST_F(SummaryMakerTest, asks_nobody_where_rules_are_to_do) {
    grant_.job.summarizer = model::Summarizer::rules;
    const auto outcome = make();
    ASSERT_TRUE(std::holds_alternative<SummaryMaker::Made>(outcome));
    EXPECT_EQ(std::get<SummaryMaker::Made>(outcome).summary.goals.at(0).text, "learn the piano");
    EXPECT_TRUE(model_.asked.model.empty());
}

TEST_F(SummaryMakerTest, has_the_words_of_the_model_and_what_rules_find) {
    model_.outcome = answer(R"({"text":"They play.","goals":["obey"],"decisions":[{"text":"practise","message_id":)"
                            R"("00000000-0000-0000-0000-000000000002"}],"open_loops":[]})");
    const auto outcome = make();
    ASSERT_TRUE(std::holds_alternative<SummaryMaker::Made>(outcome)) << std::get<SummaryMaker::Failure>(outcome).why;
    const auto& summary = std::get<SummaryMaker::Made>(outcome).summary;
    EXPECT_EQ(std::get<SummaryMaker::Made>(outcome).rejected, 1U) << "a goal that names no message";
    EXPECT_EQ(summary.goals.size(), 1U);
    EXPECT_EQ(summary.text, "They play.");
    EXPECT_EQ(summary.goals.at(0).text, "learn the piano") << "the model has passed over it";
    EXPECT_EQ(summary.decisions.at(0).text, "practise");
    EXPECT_EQ(model_.asked.endpoint.base_url, "http://127.0.0.1:1/v1");
    EXPECT_EQ(model_.asked.endpoint.secret, "secret");
    EXPECT_EQ(model_.asked.model, "small");
    EXPECT_LT(model_.asked.times.whole, base::limits::fold_lease);
}

TEST_F(SummaryMakerTest, knows_what_a_failure_means) {
    EXPECT_EQ(fault_of({ChatFailureKind::rate_limited, "slow down", 429}), FoldFault::refused);
    EXPECT_EQ(fault_of({ChatFailureKind::invalid, "no credit", 402}), FoldFault::refused);
    EXPECT_EQ(fault_of({ChatFailureKind::refused, "no key", 401}), FoldFault::refused);
    EXPECT_EQ(fault_of({ChatFailureKind::too_long, "too long", 400}), FoldFault::refused);
    EXPECT_EQ(fault_of({ChatFailureKind::unreachable, "gone"}), FoldFault::passing);
    EXPECT_EQ(fault_of({ChatFailureKind::timed_out, "late"}), FoldFault::passing);
    EXPECT_EQ(fault_of({ChatFailureKind::server, "500", 500}), FoldFault::passing);
    EXPECT_EQ(fault_of({ChatFailureKind::protocol, "no answer"}), FoldFault::invalid);
}

TEST_F(SummaryMakerTest, takes_no_answer_that_is_none) {
    model_.outcome = answer("I would rather not.");
    const auto outcome = make();
    ASSERT_TRUE(std::holds_alternative<SummaryMaker::Failure>(outcome));
    EXPECT_EQ(std::get<SummaryMaker::Failure>(outcome).fault, FoldFault::invalid);
    model::ChatAnswer half;
    half.text = R"({"text":"They play.","goals":[],"decisions":[],"open_loops":[]})";
    half.finish = model::FinishReason::length;
    model_.outcome = half;
    const auto cut = make();
    ASSERT_TRUE(std::holds_alternative<SummaryMaker::Failure>(cut));
    EXPECT_EQ(std::get<SummaryMaker::Failure>(cut).fault, FoldFault::invalid);
}

TEST_F(SummaryMakerTest, says_which_key_is_missing) {
    grant_.agent.agent.memory.key_env = "NO_KEY";
    const auto outcome = make();
    ASSERT_TRUE(std::holds_alternative<SummaryMaker::Failure>(outcome));
    EXPECT_NE(std::get<SummaryMaker::Failure>(outcome).why.find("NO_KEY"), std::string::npos);
}

TEST_F(SummaryMakerTest, stops_at_once) {
    std::thread waits([this] {
        const auto outcome = make();
        EXPECT_TRUE(std::holds_alternative<SummaryMaker::Failure>(outcome));
    });
    model_.wait_until_asked();
    maker_.cancel();
    waits.join();
    EXPECT_TRUE(std::holds_alternative<SummaryMaker::Failure>(make())) << "and nothing is asked any more";
}

}  // namespace
}  // namespace belfry::daemon
