#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "engine/engine.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/journal.hpp"
#include "ports/commands/memory.hpp"
#include "ports/commands/sync.hpp"
#include "ports/commands/timers.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/random.hpp"
#include "sim/subscribers.hpp"
#include "store/sql_store.hpp"
#include "store/sqlite_database.hpp"

// Several devices, each with the real engine and a real store, that tell each other what they know: the frames go from
// hand to hand, in time that the test gives. Only tests include it.
namespace belfry::sim {

class SyncDevice {
public:
    SyncDevice(std::string folder, std::uint64_t seed, base::Timestamp now)
        : folder_(std::move(folder)), random_(seed), now_(now) {
        std::filesystem::create_directories(folder_);
        peer_.id = std::string(64, static_cast<char>('a' + seed % 6));
        peer_.key = "key" + std::to_string(seed);
        open();
    }

    void open() {
        store::SqlStoreOptions options;
        options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
            store::SqliteOptions sqlite;
            sqlite.path = folder_ + "/belfry.db";
            return store::open_sqlite(std::move(sqlite));
        };
        store_ = std::make_unique<store::SqlStore>(std::move(options), random_);
        engine_ = std::make_unique<engine::Engine>(*store_, random_, held_, options_);
        auto opened = engine_->open(now_);
        if (!opened.ok()) std::abort();
        effects_ = std::move(*opened);
    }
    void close() {
        engine_.reset();
        store_.reset();
    }
    void crash() {
        close();
        open();
    }

    // As if its store were a copy: it goes on as another host of the same device.
    void become_a_copy() {
        EXPECT_TRUE(store_->begin().ok());
        ports::Host host = store_->changes().host().value();
        host.incarnation.clear();
        EXPECT_TRUE(store_->changes().put_host(host).ok());
        EXPECT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
        crash();
    }

    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        effects_ = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    template <class C>
    typename C::Reply ask(std::unique_ptr<C> command) {
        auto answer = try_to(std::move(command));
        EXPECT_TRUE(answer.ok()) << answer.error().field << ": " << answer.error().message;
        return answer.ok() ? std::move(*answer) : typename C::Reply{};
    }
    // As time goes: whatever is due on the way is done when it is.
    void live(base::Duration span = base::seconds(1)) {
        const base::Timestamp until = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= until) {
            now_ = std::max(now_, *engine_->next_due());
            (void)engine_->tend(now_);
        }
        now_ = until;
    }
    template <class Look>
    auto look(Look&& look) {
        EXPECT_TRUE(store_->begin().ok());
        auto seen = look(static_cast<ports::Store&>(*store_));
        store_->rollback();
        return std::move(seen).value();
    }

    [[nodiscard]] const model::Peer& peer() const { return peer_; }
    [[nodiscard]] base::Timestamp now() const { return now_; }
    void set_clock(base::Timestamp now) { now_ = now; }
    engine::EngineOptions& options() { return options_; }
    [[nodiscard]] const engine::Effects& effects() const { return effects_; }
    engine::Engine& engine() { return *engine_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }

    // Commands of people.
    model::JournalRecord create(const std::string& id, model::JournalBody body, std::uint32_t given,
                                const std::string& category = "general", const std::string& user = "ada") {
        auto command = std::make_unique<ports::CreateRecord>();
        command->user_id = user;
        command->id = id;
        command->wish.category_id = category;
        command->wish.values = std::move(body);
        command->wish.given = given;
        return ask(std::move(command)).record;
    }
    model::JournalRecord make_task(const std::string& id, const std::string& title) {
        model::Task task;
        task.title = title;
        return create(id, task, 1);
    }
    template <class Change>
    model::JournalRecord change_task(const std::string& id, std::uint32_t field, Change&& change) {
        auto command = std::make_unique<ports::ChangeRecord>();
        command->user_id = "ada";
        command->id = id;
        model::Task task;
        change(task);
        command->wish.values = task;
        command->wish.given = 1U << field;
        return ask(std::move(command));
    }
    std::optional<model::JournalRecord> record(const std::string& id, const std::string& user = "ada") {
        const auto found = look([&](ports::Store& store) { return store.journal().find(user, std::span(&id, 1)); });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    std::optional<model::Task> task(const std::string& id) {
        const auto found = record(id);
        return found ? std::optional(std::get<model::Task>(found->body)) : std::nullopt;
    }
    std::optional<model::AgentRecord> agent(const std::string& id) {
        const auto found = look([&](ports::Store& store) { return store.agents().find(std::span(&id, 1)); });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    // As if its time were over.
    void drop_timer(const model::TimerId& id) {
        EXPECT_TRUE(store_->begin().ok());
        EXPECT_TRUE(store_->timers().remove(id).ok());
        EXPECT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    }
    std::string digest() { return ask(std::make_unique<ports::TakeDigest>()).digest; }
    model::VectorClock has() { return ask(std::make_unique<ports::TakeDigest>()).has; }

private:
    std::string folder_;
    SeededRandom random_;
    HeldSubscribers held_;
    base::Timestamp now_;
    engine::EngineOptions options_;
    std::unique_ptr<store::SqlStore> store_;
    std::unique_ptr<engine::Engine> engine_;
    engine::Effects effects_;
    model::Peer peer_;
};

class SyncWorld : public ::testing::Test {
protected:
    SyncWorld() {
        std::string path = (std::filesystem::temp_directory_path() / "belfry-sync-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) std::abort();
        folder_ = path;
    }
    ~SyncWorld() override {
        devices_.clear();
        std::filesystem::remove_all(folder_);
    }

    SyncDevice& device(const std::string& name) {
        auto& made = devices_[name];
        if (!made) made = std::make_unique<SyncDevice>(folder_ + "/" + name, devices_.size(), start_);
        return *made;
    }

    // Both know each other, and who they are.
    static void pair(SyncDevice& a, SyncDevice& b) {
        for (auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
            auto command = std::make_unique<ports::AddPeer>();
            command->peer = other->peer();
            one->ask(std::move(command));
        }
        greet(a, b);
    }
    static model::SyncHello hello(SyncDevice& from, const SyncDevice& to) {
        auto first = std::make_unique<ports::SayHello>();
        first->peer_id = to.peer().id;
        const model::SyncHello unsealed = from.ask(std::move(first));
        auto second = std::make_unique<ports::SayHello>();
        second->peer_id = to.peer().id;
        second->seal = model::HostSeal{unsealed.host, from.peer().key, "sealed"};
        return from.ask(std::move(second));
    }
    static void greet(SyncDevice& a, SyncDevice& b) {
        for (auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
            auto note = std::make_unique<ports::NotePeer>();
            note->peer_id = one->peer().id;
            note->hello = hello(*one, *other);
            other->ask(std::move(note));
        }
    }

    // The next frame for somebody who has this.
    static std::optional<model::SyncFrame> give(SyncDevice& from, const SyncDevice& to, const model::VectorClock& has,
                                                std::vector<model::CounterRange> asked = {},
                                                const std::string& cursor = {}, bool in_whole = false) {
        auto command = std::make_unique<ports::GiveChanges>();
        command->peer_id = to.peer().id;
        command->has = has;
        command->asked = std::move(asked);
        command->whole_cursor = cursor;
        command->in_whole = in_whole;
        return from.ask(std::move(command)).frame;
    }
    static base::Result<ports::TakenChanges> try_take(SyncDevice& to, const SyncDevice& from, model::SyncFrame frame) {
        auto command = std::make_unique<ports::TakeChanges>();
        command->peer_id = from.peer().id;
        command->frame = std::move(frame);
        return to.try_to(std::move(command));
    }
    static ports::TakenChanges take(SyncDevice& to, const SyncDevice& from, model::SyncFrame frame) {
        auto taken = try_take(to, from, std::move(frame));
        EXPECT_TRUE(taken.ok()) << taken.error().field << ": " << taken.error().message;
        return taken.ok() ? std::move(*taken) : ports::TakenChanges{};
    }

    // All records of a device, each as text; `to` is any of its peers.
    static std::map<std::string, std::string> dump(SyncDevice& of, const SyncDevice& to) {
        std::map<std::string, std::string> all;
        std::string cursor;
        do {
            const auto page = give(of, to, {}, {}, cursor, true);
            if (!page) break;
            for (const model::SyncEntry& entry : page->entries) {
                const model::SyncRecord& record = entry.record;
                std::string text = record.user_id + ' ' + record.knowledge.clock.to_json() + ' ';
                model::JsonWriter writer(text);
                model::append_knowledge(writer, record.knowledge);
                all[record.kind + ' ' + record.id] = text + ' ' + record.body.bytes();
            }
            cursor = page->next_cursor;
        } while (!cursor.empty());
        return all;
    }
    static void expect_same(SyncDevice& a, SyncDevice& b) {
        if (a.digest() == b.digest()) return;
        ADD_FAILURE() << "the devices know different things";
        EXPECT_EQ(dump(a, b), dump(b, a));
    }

    struct Told {
        std::size_t frames = 0;
        std::size_t pages = 0;
        std::size_t records = 0;
        std::size_t merged = 0;
    };
    // Everything that `from` knows and `to` does not, as a link would.
    static Told tell(SyncDevice& from, SyncDevice& to) {
        Told told;
        model::VectorClock has = to.has();
        std::vector<model::CounterRange> asked;
        std::string cursor;
        bool in_whole = false;
        for (int round = 0; round < 10'000; ++round) {
            const auto frame = give(from, to, has, asked, cursor, in_whole);
            if (!frame) return told;
            in_whole = frame->is_whole();
            ++(in_whole ? told.pages : told.frames);
            const ports::TakenChanges taken = take(to, from, *frame);
            told.records += taken.records;
            told.merged += taken.merged;
            asked = taken.ack.missing;
            if (in_whole) {
                cursor = taken.ack.whole_cursor;
                in_whole = !cursor.empty();
            }
            EXPECT_TRUE(has.merge(taken.ack.has).ok());
            // What is on its way is not told again, gap or not.
            if (!frame->is_whole()) EXPECT_TRUE(has.raise(frame->host, frame->through).ok());
            if (taken.ack.confirm.empty()) continue;
            auto confirm = std::make_unique<ports::ConfirmGone>();
            confirm->peer_id = to.peer().id;
            confirm->ranges = taken.ack.confirm;
            const model::SyncGone gone = from.ask(std::move(confirm));
            if (gone.ranges.empty()) continue;
            auto accept = std::make_unique<ports::AcceptGone>();
            accept->peer_id = from.peer().id;
            accept->ranges = gone.ranges;
            const model::SyncAck ack = to.ask(std::move(accept));
            EXPECT_TRUE(has.merge(ack.has).ok());
        }
        ADD_FAILURE() << "it does not end";
        return told;
    }
    // Until both know the same.
    static void exchange(SyncDevice& a, SyncDevice& b) {
        a.live();
        b.live();
        greet(a, b);
        for (int round = 0; round < 4; ++round) {
            const Told there = tell(a, b);
            const Told back = tell(b, a);
            a.live();
            b.live();
            if (there.records + back.records == 0) return;
        }
    }

    std::string folder_;
    base::Timestamp start_{1'800'000'000'000'000};
    std::map<std::string, std::unique_ptr<SyncDevice>> devices_;
};

}  // namespace belfry::sim
