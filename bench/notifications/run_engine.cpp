#include "notifications/run_engine.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "daemon/checkpoints.hpp"
#include "engine/engine.hpp"
#include "host/entropy.hpp"
#include "host/log.hpp"
#include "host/subscriber_folder.hpp"
#include "host/system_clock.hpp"
#include "ports/commands/intake.hpp"
#include "store/open_store.hpp"
#include "store/sqlite_database.hpp"

namespace belfry::bench {
namespace {

constexpr std::size_t events_a_command = 100;
constexpr base::Duration event_pause = base::microseconds(10);
constexpr base::Duration windows_end = base::limits::dedupe_window_max + base::limits::batch_window_max;
constexpr base::Duration low_wait = base::seconds(660);
constexpr base::Duration idle_step = base::milliseconds(100);

class Given final : public ports::Subscribers {
public:
    explicit Given(std::shared_ptr<const model::Catalogue> catalogue) : catalogue_(std::move(catalogue)) {}
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_;
};

constexpr store::Sql count_told{
    "SELECT coalesce(sum(json_extract(e.value, '$.count')), 0) FROM notifications n, "
    "json_each(CAST(n.events_json AS TEXT)) e"};
constexpr store::Sql select_told{
    "SELECT subscriber_id, content, model_tokens, events_json FROM notifications ORDER BY ordinal"};
constexpr store::Sql count_waiting{"SELECT count(*) FROM waiting_rows"};

// One engine over one store, in time that goes on only when it is told to.
class House {
public:
    explicit House(const EngineRun& plan)
        : plan_(plan),
          mix_(plan.mix, 1, plan.sessions),
          subscribers_(plan.subscribers),
          log_(clock_, host::LogLevel::error, host::LogFormat::text),
          location_{store::Backend::sqlite, plan.folder + "/belfry.db", {}},
          checkpoints_(location_, log_),
          store_(store::writer_options(location_, {[this](std::int64_t pages) { checkpoints_.notice(pages); }, {}}),
                 entropy_),
          engine_(store_, entropy_, subscribers_, {}) {
        if (auto opened = engine_.open(now_); !opened.ok()) fail(opened.error().message);
        checkpoints_.start();
    }

    EngineFigures run() {
        while (sent_ < plan_.events) {
            std::vector<ports::AnyCommand> group = next_group();
            timed([&] { step(std::move(group)); });
            answered_.clear();  // by another thread in the daemon
        }
        for (const base::Timestamp end = now_ + windows_end; now_ < end; now_ = now_ + idle_step) {
            timed([&] { tend_all(); });
        }
        // Low context has no turn here whose end it could wait for.
        now_ = now_ + low_wait;
        timed([&] { tend_all(); });
        check();
        return std::move(figures_);
    }

private:
    template <class Work>
    void timed(Work&& work) {
        const std::int64_t begin = now_ns();
        const std::int64_t cpu_begin = thread_cpu_ns();
        work();
        figures_.cpu_seconds += static_cast<double>(thread_cpu_ns() - cpu_begin) / second_ns;
        figures_.seconds += static_cast<double>(now_ns() - begin) / second_ns;
    }

    std::vector<ports::AnyCommand> next_group() {
        std::vector<ports::AnyCommand> group;
        std::size_t bytes = 0;
        while (group.size() < base::limits::group_commands_max && bytes < base::limits::group_bytes_max &&
               sent_ < plan_.events) {
            group.push_back(next_command());
            bytes += group.back()->bytes;
        }
        return group;
    }

    ports::AnyCommand next_command() {
        auto command = std::make_unique<ports::EmitEvents>();
        command->principal = model::house_principal();
        command->entries.reserve(events_a_command);
        for (std::size_t i = 0; i < events_a_command && sent_ < plan_.events; ++i, ++sent_) {
            model::Event event = mix_.next();
            // What the network's thread would count: the request and the entries made of it.
            command->bytes += event.type.size() + event.source.size() + event.session_id.size() +
                              event.payload.bytes().size() + 80 + sizeof(ports::EventDraft);
            command->entries.push_back({std::move(event), {}});
        }
        return command;
    }

    // What the engine's thread does with a group.
    void step(std::vector<ports::AnyCommand> group) {
        for (const auto& command : group) {
            now_ = now_ + event_pause *
                              static_cast<std::int64_t>(static_cast<const ports::EmitEvents&>(*command).entries.size());
        }
        const std::int64_t begin = now_ns();
        engine::Effects effects = engine_.step(now_, std::move(group));
        figures_.group.add(now_ns() - begin);
        ++figures_.groups;
        count(effects);
        answered_ = std::move(effects.answered);
        tend();
    }

    void tend() {
        const auto due = engine_.next_due();
        if (due && *due <= now_) count(engine_.tend(now_));
    }

    // As when nothing arrives: slice after slice.
    void tend_all() {
        for (auto due = engine_.next_due(); due && *due <= now_; due = engine_.next_due()) tend();
    }

    void count(const engine::Effects& effects) {
        figures_.notifications += effects.figures.notifications_made;
        figures_.commits += effects.figures.commits;
        taken_ += effects.figures.events_accepted;
        if (effects.figures.events_refused > 0) fail("an event was refused");
        if (effects.figures.notifications_gave_way > 0) fail("a queue was full");
        if (!effects.complaints.empty()) fail(effects.complaints.front());
        if (engine_.state() != engine::State::open) fail(engine_.last_error().message);
    }

    void check() {
        if (taken_ != plan_.events) fail("not every event was taken");
        checkpoints_.stop();
        store_.close();
        store::SqliteOptions options;
        options.path = location_.sqlite_path;
        options.read_only = true;
        auto database = store::open_sqlite(std::move(options));
        if (!database.ok()) fail(database.error().message);
        figures_.wanted = mix_.wanted();
        if (ask(**database, count_told) != mix_.wanted()) fail("notifications tell of other events than were wanted");
        if (ask(**database, count_waiting) != 0) fail("something still waits");
        figures_.store_bytes = (*database)->sizes()->first;
        if (plan_.told == nullptr) return;
        auto listed = (*database)->run(select_told, {}, [&](const store::Row& row) {
            plan_.told->push_back(
                {std::string(row.bytes(0)), std::string(row.bytes(1)), row.number(2), std::string(row.bytes(3))});
        });
        if (!listed.ok()) fail(listed.error().message);
    }

    static std::uint64_t ask(store::Database& database, const store::Sql& sql) {
        std::int64_t found = -1;
        auto asked = database.run(sql, {}, [&](const store::Row& row) { found = row.number(0); });
        if (!asked.ok()) fail(asked.error().message);
        return static_cast<std::uint64_t>(found);
    }

    const EngineRun& plan_;
    EventMix mix_;
    Given subscribers_;
    host::SystemClock clock_;
    host::Logger log_;
    host::Entropy entropy_;
    store::StoreLocation location_;
    daemon::Checkpoints checkpoints_;
    store::SqlStore store_;
    engine::Engine engine_;
    base::Timestamp now_{1'800'000'000'000'000};
    std::vector<ports::AnyCommand> answered_;
    std::uint64_t sent_ = 0;
    std::uint64_t taken_ = 0;
    EngineFigures figures_;
};

model::Subscriber another(std::size_t number, const std::vector<std::string>& known_types) {
    model::Subscriber subscriber;
    const std::string name = std::to_string(number);
    subscriber.id = "other_" + name;
    subscriber.name = "Other " + name;
    subscriber.description = "Somebody else's";
    subscriber.version = "1.0.0";
    subscriber.types = {number % 2 == 0 ? "other.kind" + name + ".happened" : "other.kind" + name + ".*"};
    if (number % 3 == 1) subscriber.sources = {"tool_executor", "agent"};
    if (number % 3 == 2) {
        subscriber.types = {known_types[number % known_types.size()]};
        subscriber.sources = {"machine-" + name};
    }
    return subscriber;
}

}  // namespace

std::shared_ptr<const model::Catalogue> catalogue_of(std::size_t count) {
    model::Catalogue catalogue = host::read_subscribers("");
    if (!catalogue.problems.empty()) fail(catalogue.problems.front().message);
    std::vector<std::string> types;
    for (const model::Subscriber& shipped : catalogue.subscribers) {
        types.insert(types.end(), shipped.types.begin(), shipped.types.end());
    }
    for (std::size_t i = 0; catalogue.subscribers.size() < count; ++i) {
        catalogue.subscribers.push_back(another(i, types));
    }
    std::ranges::sort(catalogue.subscribers, {}, &model::Subscriber::id);
    return std::make_shared<const model::Catalogue>(std::move(catalogue));
}

EngineFigures run_engine(const EngineRun& plan) {
    std::filesystem::create_directories(plan.folder);
    EngineFigures figures = House(plan).run();
    std::filesystem::remove_all(plan.folder);
    return figures;
}

}  // namespace belfry::bench
