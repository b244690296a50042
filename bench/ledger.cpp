// bench_ledger: what an emit, an acknowledgement and the watchdog's sweep cost in a ledger that holds little and in one
// that holds much. The engine over its store in this process; what is told of is the time inside of it, and the
// processor's share of that, which the disk and the neighbours do not touch.
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "engine/engine.hpp"
#include "ledger/fill.hpp"
#include "ports/commands/delivery.hpp"
#include "store/open_store.hpp"
#include "store/sqlite_checkpointer.hpp"

namespace belfry::bench {
namespace {

constexpr std::int64_t interfaces = 8;  // users of whom one is open
constexpr base::Duration short_ttl = base::seconds(60);

class Nobody final : public ports::Subscribers {
public:
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_ = std::make_shared<const model::Catalogue>();
};

class Dice final : public ports::Random {
public:
    std::uint64_t next() override { return mixed(++count_); }

private:
    std::uint64_t count_ = 1U << 30U;
};

struct Cost {
    std::int64_t ns = 0;
    std::int64_t cpu = 0;
    std::int64_t count = 0;
};

struct Costs {
    Cost emit;
    Cost ack;
    Cost sweep;  // of each row that escalates
    Cost look;   // of a sweep that finds nothing to do
};

class House {
public:
    House(const std::string& folder, std::int64_t rows)
        : location_{store::Backend::sqlite, folder + "/belfry.db", {}},
          checkpointer_({location_.sqlite_path}),
          store_(store::writer_options(location_, {}), random_),
          engine_(store_, random_, nobody_, {}) {
        if (auto opened = store_.open(); !opened.ok()) fail(opened.error().message);
        fill_ledger(store_, rows, now_, [this] { fold_in(); });
        store_.close();
        if (auto opened = engine_.open(now_); !opened.ok()) fail(opened.error().message);
        tend();
        for (std::int64_t user = 0; user < interfaces; ++user) open_interface(user);
    }

    // One round of each: so many commands in groups of so many.
    void measure(std::int64_t commands, std::int64_t group, Costs& costs) {
        for (std::int64_t done = 0; done < commands; done += group) {
            std::vector<model::Notification> shown = emit(group, model::Handler::system, &costs.emit);
            acknowledge(shown, costs.ack);
            emit(group, model::Handler::agent, nullptr);
        }
        now_ = now_ + short_ttl + base::seconds(1);
        costs.sweep.count += commands;
        timed(costs.sweep, [&] { tend(); });
        look(costs.look);
        fold_in();
    }

private:
    void fold_in() {
        if (auto folded = checkpointer_.fold_in(); !folded.ok()) fail(folded.error().message);
    }

    template <class Work>
    void timed(Cost& cost, Work&& work) {
        const std::int64_t begin = now_ns();
        const std::int64_t cpu_begin = thread_cpu_ns();
        work();
        cost.cpu += thread_cpu_ns() - cpu_begin;
        cost.ns += now_ns() - begin;
    }

    void tend() {
        for (auto due = engine_.next_due(); due && *due <= now_; due = engine_.next_due()) engine_.tend(now_);
    }

    template <class Command>
    std::vector<typename Command::Reply> step(std::vector<std::unique_ptr<Command>> commands, Cost* cost) {
        std::vector<ports::AnyCommand> group;
        for (auto& command : commands) group.push_back(std::move(command));
        now_ = now_ + base::milliseconds(1);
        engine::Effects effects;
        Cost ignored;
        timed(cost != nullptr ? *cost : ignored, [&] { effects = engine_.step(now_, std::move(group)); });
        std::vector<typename Command::Reply> replies;
        for (const ports::AnyCommand& answered : effects.answered) {
            const auto& result = static_cast<const Command&>(*answered).result();
            if (!result.ok()) fail(result.error().message);
            replies.push_back(*result);
        }
        if (cost != nullptr) cost->count += static_cast<std::int64_t>(replies.size());
        return replies;
    }

    template <class Command>
    std::unique_ptr<Command> make() {
        auto command = std::make_unique<Command>();
        command->principal = model::house_principal();
        return command;
    }

    void open_interface(std::int64_t user) {
        std::vector<std::unique_ptr<ports::OpenInbox>> commands;
        commands.push_back(make<ports::OpenInbox>());
        commands.back()->user_id = user_name(user);
        step(std::move(commands), nullptr);
    }

    std::vector<model::Notification> emit(std::int64_t count, model::Handler handler, Cost* cost) {
        std::vector<std::unique_ptr<ports::EmitNotification>> commands;
        for (std::int64_t i = 0; i < count; ++i) {
            commands.push_back(make<ports::EmitNotification>());
            model::Notification& draft = commands.back()->draft;
            draft.scope.user_id = user_name(++emitted_ % interfaces);
            draft.address = model::Address::user;
            draft.target = model::Target::user;
            draft.handler = handler;
            draft.content = "build: broken" + std::string(300, 'x');
            draft.text = "The build is broken.";
            draft.deduplication_key = "build-" + std::to_string(emitted_);
            if (handler == model::Handler::agent) draft.ttl = short_ttl;
        }
        std::vector<model::Notification> made;
        for (auto& reply : step(std::move(commands), cost)) made.push_back(std::move(reply.notification));
        return made;
    }

    void acknowledge(const std::vector<model::Notification>& shown, Cost& cost) {
        std::vector<std::unique_ptr<ports::AckNotification>> commands;
        for (const model::Notification& one : shown) {
            commands.push_back(make<ports::AckNotification>());
            commands.back()->which.key = base::format_uuid(one.id.uuid);
            commands.back()->lease = one.lease;
            commands.back()->version = one.version;
        }
        step(std::move(commands), &cost);
    }

    void look(Cost& cost) {
        constexpr int looks = 200;
        for (int i = 0; i < looks; ++i) {
            if (auto begun = store_.begin(); !begun.ok()) fail(begun.error().message);
            timed(cost, [&] {
                const auto overdue = store_.notifications().overdue(now_, base::limits::sweep_slice_rows);
                const auto next = store_.notifications().next_deadline();
                if (!overdue.ok() || !overdue->empty() || !next.ok()) fail("the sweep has left something");
            });
            store_.rollback();
        }
        cost.count += looks;
    }

    base::Timestamp now_ = base::Timestamp{1'800'000'000'000'000};
    Dice random_;
    Nobody nobody_;
    store::StoreLocation location_;
    store::SqliteCheckpointer checkpointer_;
    store::SqlStore store_;
    engine::Engine engine_;
    std::int64_t emitted_ = 0;
};

double each_us(std::int64_t ns, const Cost& cost) {
    return static_cast<double>(ns) / 1000.0 / static_cast<double>(cost.count);
}

void report(std::int64_t round, std::int64_t rows, const std::string& what, const Cost& cost) {
    Report()
        .add("round", round)
        .add("rows", rows)
        .add("what", what)
        .add("count", cost.count)
        .add("us_each", each_us(cost.ns, cost))
        .add("cpu_us_each", each_us(cost.cpu, cost))
        .print();
}

// The ledgers take turns, so that what else goes on in the machine meets both.
void run(const Options& options) {
    const std::string folder = options.text("folder") + "/bench-ledger-" + std::to_string(getpid());
    const std::int64_t commands = options.number("commands", 2560);
    const std::int64_t group = options.number("group", 64);
    const std::vector<std::int64_t> sizes{options.number("few", 1000), options.number("many", 1'000'000)};
    std::vector<std::unique_ptr<House>> houses;
    for (const std::int64_t size : sizes) {
        const std::string own = folder + "/" + std::to_string(size);
        std::filesystem::create_directories(own);
        houses.push_back(std::make_unique<House>(own, size));
    }
    Costs warming;
    for (auto& house : houses) house->measure(group, group, warming);
    for (std::int64_t round = 0; round < options.number("rounds", 5); ++round) {
        for (std::size_t i = 0; i < houses.size(); ++i) {
            Costs costs;
            houses[i]->measure(commands, group, costs);
            report(round, sizes[i], "emit", costs.emit);
            report(round, sizes[i], "ack", costs.ack);
            report(round, sizes[i], "sweep", costs.sweep);
            report(round, sizes[i], "look", costs.look);
        }
    }
    houses.clear();
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace belfry::bench

int main(int count, char** words) {
    using namespace belfry::bench;
    run(Options(count, words, {"folder", "few", "many", "commands", "group", "rounds"}));
    return 0;
}
