#include "daemon/performer.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <mutex>

#include "codec/standard_webhooks.hpp"
#include "codec/utf8.hpp"
#include "engine/engine.hpp"
#include "host/entropy.hpp"
#include "host/signals.hpp"
#include "host/temporary_folder_test.hpp"
#include "ports/commands/delivery.hpp"
#include "store/open_store.hpp"
#include "store/sql_store.hpp"
#include "wire/scripted_server_test.hpp"

// The way of a notification to a server: the real engine, the real store, the real performer and a real server, in time
// that the test gives.
namespace belfry::daemon {
namespace {

class NoSubscribers final : public ports::Subscribers {
public:
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_ = std::make_shared<const model::Catalogue>();
};

struct HeldSinks final : ports::Sinks {
    [[nodiscard]] std::shared_ptr<const model::SinkCatalogue> current() const override { return catalogue; }
    std::shared_ptr<const model::SinkCatalogue> catalogue = std::make_shared<const model::SinkCatalogue>();
};

struct GivenClock final : ports::Clock {
    [[nodiscard]] base::Timestamp now() const override { return time; }
    [[nodiscard]] base::Duration monotonic() const override { return {time.load().us}; }
    std::atomic<base::Timestamp> time = base::Timestamp{1'794'657'600'000'000};
};

// Answers each connection with the next status and keeps what it was asked.
struct Receiver {
    explicit Receiver(const std::vector<int>& statuses) : server(scripts(statuses)) {}
    std::vector<wire::ScriptedServer::Script> scripts(const std::vector<int>& statuses) {
        std::vector<wire::ScriptedServer::Script> made;
        for (const int status : statuses) {
            made.push_back([this, status](wire::ServedConnection& connection) {
                requests.push_back(connection.request());
                connection.answer(status, body);
            });
        }
        return made;
    }
    std::string body;
    std::vector<std::string> requests;
    wire::ScriptedServer server;
};

class Sinks : public ::testing::Test, ports::Gateway, ports::Beside {
protected:
    Sinks() {
        host::ignore_broken_pipes();
        location_.sqlite_path = folder_.file("belfry.db");
        store_ = std::make_unique<store::SqlStore>(store::writer_options(location_, {}), random_);
        engine::EngineOptions options;
        options.owner = "ada";
        options.sinks = &sinks_;
        engine_ = std::make_unique<engine::Engine>(*store_, random_, subscribers_, options);
        EXPECT_TRUE(engine_->open(clock_.now()).ok());
    }

    static model::Sink sink_to(const Receiver& receiver, const std::string& id = "ops") {
        model::Sink sink;
        sink.id = id;
        sink.kind = model::SinkKind::webhook;
        sink.url = receiver.server.endpoint().text() + "/in";
        sink.secret = std::string(32, 's');
        return sink;
    }
    void serve(const Receiver& receiver) { serve({sink_to(receiver)}); }
    void serve(std::vector<model::Sink> sinks) {
        auto catalogue = std::make_shared<model::SinkCatalogue>();
        catalogue->sinks = std::move(sinks);
        sinks_.catalogue = std::move(catalogue);
    }

    model::Notification notify() {
        auto command = std::make_unique<ports::EmitNotification>();
        command->principal = model::house_principal();
        command->draft.scope.user_id = "ada";
        command->draft.address = model::Address::user;
        command->draft.target = model::Target::user;
        command->draft.handler = model::Handler::system;
        command->draft.text = "It burns";
        ports::EmitNotification* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(clock_.now(), std::move(group));
        EXPECT_TRUE(asked->result().ok()) << asked->result().error().message;
        return asked->result()->notification;
    }

    void acknowledge(const model::Notification& row) {
        auto command = std::make_unique<ports::AckNotification>();
        command->principal = model::house_principal();
        command->which.key = base::format_uuid(row.id.uuid);
        command->lease = row.lease;
        command->version = row.version;
        ports::AckNotification* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(clock_.now(), std::move(group));
        EXPECT_TRUE(asked->result().ok()) << asked->result().error().message;
    }

    // What is due now is performed, and the word about it recorded. Gives how many calls there were.
    std::size_t act() {
        std::size_t calls = 0;
        while (engine_->next_due() && *engine_->next_due() <= clock_.now()) {
            const auto effects = engine_->tend(clock_.now());
            calls += effects.owed.size();
            performer_.perform(effects.owed);
            for (std::size_t i = 0; i < effects.owed.size(); ++i) take_word();
        }
        return calls;
    }

    // Time passes until there are calls again; the engine has other work on the way. Gives how many.
    std::size_t act_next() {
        for (int i = 0; i < 1000; ++i) {
            const auto due = engine_->next_due();
            if (!due) return 0;
            clock_.time = std::max(clock_.now(), *due);
            if (const std::size_t calls = act(); calls > 0) return calls;
        }
        return 0;
    }

    std::vector<std::string> steps_of(const model::NotificationId& id) {
        auto reading = store::open_reading(location_);
        EXPECT_TRUE(reading.ok());
        const auto steps = (*reading)->notifications().steps(id);
        EXPECT_TRUE(steps.ok());
        std::vector<std::string> words;
        for (const model::Transition& step : *steps) {
            if (step.holder == "sink:ops") words.push_back(step.reason.substr(0, step.reason.find(':')));
        }
        return words;
    }

    host::TemporaryFolder folder_;
    GivenClock clock_;
    HeldSinks sinks_;
    std::unique_ptr<engine::Engine> engine_;
    store::StoreLocation location_;
    int reads_ = 0;  // of notifications that a sink is about to be called for

    base::Result<void> submit(ports::AnyCommand& command) override {
        const std::lock_guard lock(mutex_);
        if (is_full_) return base::error(base::Code::overloaded, "the queue is full");
        words_.push_back(std::move(command));
        came_.notify_one();
        return {};
    }
    void post(std::function<void()> work) {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(work));
        came_.notify_one();
    }
    void read(std::function<void(ports::Reading&)> job, std::function<void()> then) override {
        auto reading = store::open_reading(location_);
        ASSERT_TRUE(reading.ok()) << reading.error().message;
        ++reads_;
        job(**reading);
        then();
    }
    void take_word() {
        std::vector<ports::AnyCommand> group;
        while (group.empty()) {
            std::unique_lock lock(mutex_);
            came_.wait(lock, [this] { return !words_.empty() || !posted_.empty(); });
            if (!posted_.empty()) {
                const std::function<void()> work = std::move(posted_.front());
                posted_.pop_front();
                lock.unlock();
                work();
                continue;
            }
            group.push_back(std::move(words_.front()));
            words_.pop_front();
        }
        const auto effects = engine_->step(clock_.now(), std::move(group));
        for (const ports::AnyCommand& command : effects.answered) command->deliver();
    }
    // The word of one call comes to the performer.
    void take_post() {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [this] { return !posted_.empty(); });
        const std::function<void()> work = std::move(posted_.front());
        posted_.pop_front();
        lock.unlock();
        work();
    }
    void fill_queue(bool is_full) {
        const std::lock_guard lock(mutex_);
        is_full_ = is_full;
    }

    host::Entropy random_;
    NoSubscribers subscribers_;
    std::unique_ptr<store::SqlStore> store_;
    std::mutex mutex_;
    bool is_full_ = false;
    std::condition_variable came_;
    std::deque<ports::AnyCommand> words_;
    std::deque<std::function<void()>> posted_;
    host::Logger log_{clock_, host::LogLevel::error, host::LogFormat::text};
    Couriers couriers_{3};
    ToolCaller tool_caller_{
        {*this, *this, couriers_, clock_, {}, [this](std::function<void()> work) { post(std::move(work)); }, log_}};
    Performer performer_{{*this,
                          *this,
                          sinks_,
                          couriers_,
                          tool_caller_,
                          clock_,
                          {},
                          [this](std::function<void()> work) { post(std::move(work)); },
                          log_}};
};

std::string header_of(const std::string& request, const std::string& name) {
    const std::size_t begin = request.find("\r\n" + name + ": ") + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

TEST_F(Sinks, a_server_that_fails_at_first_gets_it_again_as_the_same_message) {
    Receiver receiver({503, 500, 204});
    serve(receiver);
    const model::Notification made = notify();
    EXPECT_EQ(act(), 1U);
    EXPECT_EQ(act(), 0U) << "a failed call waits before it is tried again";
    EXPECT_EQ(act_next(), 1U);
    EXPECT_EQ(act_next(), 1U);
    ASSERT_EQ(receiver.requests.size(), 3U);
    EXPECT_EQ(header_of(receiver.requests[0], "webhook-id"), header_of(receiver.requests[2], "webhook-id"));
    const std::string& last = receiver.requests[2];
    const std::int64_t at_s = std::stoll(header_of(last, "webhook-timestamp"));
    EXPECT_EQ(header_of(last, "webhook-signature"),
              codec::sign_webhook(std::string(32, 's'), header_of(last, "webhook-id"), at_s,
                                  last.substr(last.find("\r\n\r\n") + 4)));
    EXPECT_EQ(steps_of(made.id), (std::vector<std::string>{"sink_failed", "sink_failed", "sink_delivered"}));
    auto reading = store::open_reading(location_);
    const auto now = (*reading)->notifications().find(made.id);
    ASSERT_TRUE(now.ok() && *now);
    EXPECT_EQ((*now)->state, model::DeliveryState::pending) << "a sink's word does not replace the person's";
}

TEST_F(Sinks, one_that_never_takes_it_is_given_up_and_the_notification_stays_open) {
    Receiver receiver(std::vector<int>(base::limits::sink_attempts_max + 5, 503));
    serve(receiver);
    const model::Notification made = notify();
    for (int i = 0; i < base::limits::sink_attempts_max; ++i) EXPECT_EQ(act_next(), 1U) << i;
    clock_.time = clock_.now() + base::hours(1);
    EXPECT_EQ(act(), 0U);
    EXPECT_EQ(receiver.requests.size(), static_cast<std::size_t>(base::limits::sink_attempts_max));
    const auto steps = steps_of(made.id);
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(base::limits::sink_attempts_max));
    EXPECT_EQ(steps.back(), "sink_given_up");
    auto reading = store::open_reading(location_);
    EXPECT_FALSE(model::is_terminal((**(*reading)->notifications().find(made.id)).state));
}

TEST_F(Sinks, a_server_that_says_never_again_is_asked_once) {
    Receiver receiver({410, 204});
    serve(receiver);
    const model::Notification made = notify();
    EXPECT_EQ(act(), 1U);
    EXPECT_EQ(steps_of(made.id), std::vector<std::string>{"sink_given_up"});
}

TEST_F(Sinks, a_sink_whose_file_is_gone_is_not_called) {
    Receiver receiver({204});
    serve(receiver);
    const model::Notification made = notify();
    sinks_.catalogue = std::make_shared<const model::SinkCatalogue>();
    EXPECT_EQ(act(), 1U);
    EXPECT_TRUE(receiver.requests.empty());
    EXPECT_EQ(steps_of(made.id), std::vector<std::string>{"sink_given_up"});
}

TEST_F(Sinks, what_was_acknowledged_meanwhile_is_not_called_for) {
    Receiver receiver({204});
    serve(receiver);
    const model::Notification made = notify();
    acknowledge(made);
    EXPECT_EQ(act(), 1U);
    EXPECT_TRUE(receiver.requests.empty());
    EXPECT_EQ(steps_of(made.id), std::vector<std::string>{"no_longer_needed"});
}

TEST_F(Sinks, a_call_that_could_outlive_its_claim_is_not_begun) {
    Receiver receiver({204});
    serve(receiver);
    const model::Notification made = notify();
    const auto owed = engine_->tend(clock_.now()).owed;
    ASSERT_EQ(owed.size(), 1U);
    clock_.time = *owed[0].claimed_until - sink_to(receiver).time_max;
    performer_.perform(owed);
    EXPECT_EQ(reads_, 0);
    clock_.time = *owed[0].claimed_until;
    EXPECT_EQ(act(), 1U) << "it is given out again";
    EXPECT_EQ(steps_of(made.id), std::vector<std::string>{"sink_delivered"});
}

TEST_F(Sinks, what_a_server_says_is_text_wherever_it_is_told) {
    Receiver receiver(std::vector<int>{503});
    receiver.body = std::string(198, 'x') + "\xE2\x82\xAC";  // cut inside the sign
    serve(receiver);
    const model::Notification made = notify();
    EXPECT_EQ(act(), 1U);
    auto reading = store::open_reading(location_);
    const auto steps = (*reading)->notifications().steps(made.id);
    ASSERT_TRUE(steps.ok());
    EXPECT_TRUE(codec::is_utf8(steps->back().reason)) << steps->back().reason;
    EXPECT_EQ(steps->back().reason.find("/in"), std::string::npos) << "a path may be a key";
}

TEST_F(Sinks, what_was_called_while_the_engine_was_too_busy_to_hear_of_it_is_not_called_again) {
    Receiver receiver({204, 204});
    serve(receiver);
    const model::Notification made = notify();
    fill_queue(true);
    performer_.perform(engine_->tend(clock_.now()).owed);
    take_post();
    fill_queue(false);
    EXPECT_EQ(act_next(), 1U) << "its claim ran out";
    EXPECT_EQ(receiver.requests.size(), 1U);
    EXPECT_EQ(steps_of(made.id), std::vector<std::string>{"sink_delivered"});
    EXPECT_EQ(act_next(), 0U);
}

TEST_F(Sinks, what_is_under_way_when_it_is_given_out_again_is_not_called_beside_itself) {
    std::promise<void> let_go;
    const std::shared_future<void> wait(let_go.get_future());
    std::atomic<int> calls = 0;
    std::vector<wire::ScriptedServer::Script> scripts;
    for (int i = 0; i < 2; ++i) {
        scripts.emplace_back([&calls, wait](wire::ServedConnection& connection) {
            const std::string seen = connection.request();
            ++calls;
            wait.wait();
            connection.answer(204, "");
        });
    }
    wire::ScriptedServer server(std::move(scripts));
    const Receiver nobody(std::vector<int>{});
    model::Sink sink = sink_to(nobody);
    sink.url = server.endpoint().text() + "/in";
    serve({sink});
    const model::Notification made = notify();
    performer_.perform(engine_->tend(clock_.now()).owed);
    ASSERT_TRUE(engine_->open(clock_.now()).ok()) << "the store was lost and found, and all claims are free";
    performer_.perform(engine_->tend(clock_.now()).owed);
    let_go.set_value();
    take_word();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(steps_of(made.id), std::vector<std::string>{"sink_delivered"});
    EXPECT_EQ(act_next(), 0U);
}

// Three threads carry calls here: the hanging server has work for all of them.
TEST_F(Sinks, one_that_hangs_does_not_keep_another_waiting) {
    std::promise<void> let_go;
    const std::shared_future<void> wait(let_go.get_future());
    std::vector<wire::ScriptedServer::Script> scripts;
    for (int i = 0; i < 6; ++i) {
        scripts.emplace_back([wait](wire::ServedConnection& connection) {
            const std::string seen = connection.request();
            wait.wait();
            connection.answer(503, "");
        });
    }
    wire::ScriptedServer hanging(std::move(scripts));
    Receiver receiver(std::vector<int>(3, 204));
    model::Sink dead = sink_to(receiver, "dead");
    dead.url = hanging.endpoint().text() + "/in";
    serve({dead, sink_to(receiver)});
    std::vector<model::NotificationId> made;
    for (int i = 0; i < 3; ++i) made.push_back(notify().id);
    const auto effects = engine_->tend(clock_.now());
    EXPECT_EQ(effects.owed.size(), 6U);
    performer_.perform(effects.owed);
    for (int i = 0; i < 3; ++i) take_word();
    for (const model::NotificationId& id : made) EXPECT_EQ(steps_of(id), std::vector<std::string>{"sink_delivered"});
    let_go.set_value();
    for (int i = 0; i < 3; ++i) take_word();
}

}  // namespace
}  // namespace belfry::daemon
