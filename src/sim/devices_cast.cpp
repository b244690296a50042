#include "sim/devices_cast.hpp"

#include <array>

#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/journal.hpp"
#include "ports/commands/timers.hpp"
#include "tools/wish_of.hpp"

namespace belfry::sim {
namespace {

using model::JournalKind;
using tools::WishOf;
constexpr const char* person = "ada";
constexpr std::uint64_t shared_tasks = 12;

std::vector<std::string> all_capabilities() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model::agent_capability_count; ++i) {
        names.emplace_back(model::agent_capability_name(static_cast<model::AgentCapability>(i)));
    }
    names.emplace_back("tool:mail");
    return names;
}

std::unique_ptr<ports::CreateRecord> create(const std::string& id, const model::JournalWish& wish) {
    auto command = std::make_unique<ports::CreateRecord>();
    command->user_id = person;
    command->id = id;
    command->wish = wish;
    return command;
}

std::unique_ptr<ports::ChangeRecord> change(const std::string& id, const model::JournalWish& wish) {
    auto command = std::make_unique<ports::ChangeRecord>();
    command->user_id = person;
    command->id = id;
    command->wish = wish;
    return command;
}

std::unique_ptr<ports::DeleteRecord> removal(JournalKind kind, const std::string& id) {
    auto command = std::make_unique<ports::DeleteRecord>();
    command->user_id = person;
    command->kind = kind;
    command->id = id;
    return command;
}

}  // namespace

void DevicesCast::make_beginning(DeviceNode& device) {
    for (const char* const name : {"gym", "home"}) {
        WishOf<model::Category> wish;
        (void)device.ask(create(name, wish.set(&model::Category::name, name)));
    }
    for (const char* const id : {worker_agents[0], worker_agents[1], victim}) {
        auto agent = std::make_unique<ports::CreateAgent>();
        agent->draft.id = id;
        agent->draft.user_id = person;
        agent->draft.allowed_category_ids = {"gym"};
        agent->draft.capabilities = all_capabilities();
        (void)device.ask(std::move(agent));
    }
    for (const auto& [agent, minutes] : {std::pair("coach", "7m"), {"coach", "20m"}, {"planner", "11m"}}) {
        auto timer = std::make_unique<ports::AddTimer>();
        timer->agent_id = agent;
        timer->name = std::string("every ") + minutes;
        timer->schedule.kind = "every";
        timer->schedule.interval = minutes;
        const auto added = device.ask(std::move(timer));
        if (added && added->ok()) timers_.emplace_back(agent, (*added)->shown.timer.id);
    }
}

void DevicesCast::act(DeviceNode& device) {
    const std::uint64_t draw = random_.below(100);
    if (draw < 25) write_own(device);
    else if (draw < 50) write_task(device);
    else if (draw < 65) write_other(device);
    else if (draw < 70) write_plan(device);
    else if (draw < 78) link(device);
    else if (draw < 85) change_agent(device);
    else if (draw < 90) change_state(device);
    else if (draw < 94) change_timer(device);
    else if (draw < 97) change_subscription(device);
    else mark_read(device);
}

std::string DevicesCast::some_text() {
    return "text " + std::to_string(++texts_);
}

std::string DevicesCast::some_task() {
    return "task-" + std::to_string(random_.below(shared_tasks));
}

std::string DevicesCast::some_agent() {
    const std::uint64_t draw = random_.below(3);
    return draw == 2 ? victim : worker_agents[draw];
}

// Only this device writes these.
void DevicesCast::write_own(DeviceNode& device) {
    const std::size_t number = device.number();
    std::uint64_t& made = own_[number];
    const bool is_new = made == 0 || random_.one_in(4);
    const std::string id =
        "own-" + std::to_string(number) + '-' + std::to_string(is_new ? ++made : 1 + random_.below(made));
    if (!is_new && random_.one_in(6)) {
        const auto gone = device.ask(removal(JournalKind::task, id));
        if (gone && gone->ok()) witness_.deleted_own(number, id);
        else if (!gone) witness_.lost_sight_of(id);
        return;
    }
    const std::string title = some_text();
    WishOf<model::Task> wish;
    wish.set(&model::Task::title, title);
    if (random_.one_in(3)) wish.set(&model::Task::text, some_text());
    if (is_new) wish.category(random_.one_in(2) ? "gym" : "general");
    bool is_heard = false;
    bool is_done = false;
    if (is_new) {
        const auto told = device.ask(create(id, wish));
        is_heard = told.has_value();
        is_done = is_heard && told->ok();
    } else {
        const auto told = device.ask(change(id, wish));
        is_heard = told.has_value();
        is_done = is_heard && told->ok();
    }
    if (is_done) witness_.wrote_own(number, id, title);
    else if (!is_heard) witness_.unheard_own(number, id, title);
}

void DevicesCast::write_task(DeviceNode& device) {
    const std::string id = some_task();
    if (random_.one_in(12)) {
        const auto gone = device.ask(removal(JournalKind::task, id));
        if (gone && gone->ok()) witness_.deleted_shared(device.number(), id);
        return;
    }
    const std::string title = some_text();
    WishOf<model::Task> wish;
    wish.set(&model::Task::title, title);
    if (random_.one_in(2)) wish.set(&model::Task::estimate_min, static_cast<std::int64_t>(random_.below(100)));
    if (random_.one_in(2)) wish.set(&model::Task::priority, static_cast<model::TaskPriority>(random_.below(4)));
    if (random_.one_in(8)) wish.category(random_.one_in(2) ? "gym" : "home");
    // It may be there, or be made on two devices at once.
    witness_.wrote_shared(id, title);
    const auto changed = device.ask(change(id, wish));
    if (changed && !changed->ok() && changed->error().code == base::Code::not_found) (void)device.ask(create(id, wish));
}

// Of every kind one that several devices may make at once.
void DevicesCast::write_other(DeviceNode& device) {
    const std::string number = std::to_string(random_.below(4));
    const auto put = [&](const std::string& id, const model::JournalWish& wish) {
        const auto kind = static_cast<JournalKind>(wish.values.index());
        if (random_.one_in(10)) {
            (void)device.ask(removal(kind, id));
            return;
        }
        const auto changed = device.ask(change(id, wish));
        if (changed && !changed->ok() && changed->error().code == base::Code::not_found) {
            (void)device.ask(create(id, wish));
        }
    };
    switch (random_.below(6)) {
        case 0: return put("label-" + number, WishOf<model::Label>().set(&model::Label::name, some_text()));
        case 1: return put("entry-" + number, WishOf<model::Entry>().set(&model::Entry::text, some_text()));
        case 2: return put("category-" + number, WishOf<model::Category>().set(&model::Category::name, some_text()));
        case 3: {
            WishOf<model::Checklist> wish;
            wish.set(&model::Checklist::title, some_text()).set(&model::Checklist::task_id, some_task());
            return put("list-" + number, wish);
        }
        case 4: {
            WishOf<model::ChecklistItem> wish;
            wish.set(&model::ChecklistItem::title, some_text());
            wish.set(&model::ChecklistItem::checklist_id, "list-" + std::to_string(random_.below(4)));
            wish.set(&model::ChecklistItem::checked, random_.one_in(2));
            return put("item-" + number, wish);
        }
        default: {
            WishOf<model::TimeEntry> wish;
            wish.set(&model::TimeEntry::note, some_text());
            wish.set(&model::TimeEntry::started_at, device.now() - base::minutes(5));
            if (random_.one_in(2)) wish.set(&model::TimeEntry::ended_at, std::optional(device.now()));
            return put("time-" + number, wish);
        }
    }
}

// Days and ratings have ids of their own making.
void DevicesCast::write_plan(DeviceNode& device) {
    const std::string date = "2026-11-1" + std::to_string(random_.below(4));
    if (random_.one_in(2)) {
        WishOf<model::Rating> wish;
        wish.set(&model::Rating::target, model::RatingTarget::day).set(&model::Rating::target_id, date);
        wish.set(&model::Rating::score, static_cast<std::int64_t>(1 + random_.below(5)));
        const auto made = device.ask(create({}, wish));
        if (!made || made->ok()) return;
        WishOf<model::Rating> again;
        again.set(&model::Rating::score, static_cast<std::int64_t>(1 + random_.below(5)));
        (void)device.ask(change(model::rating_id(model::RatingTarget::day, date), again));
        return;
    }
    WishOf<model::DayPlan> wish;
    wish.set(&model::DayPlan::plan_date, date).set(&model::DayPlan::note, some_text());
    const auto made = device.ask(create({}, wish));
    if (!made || made->ok()) return;
    WishOf<model::DayPlan> again;
    again.set(&model::DayPlan::note, some_text());
    (void)device.ask(change(model::day_plan_id(date), again));
}

void DevicesCast::link(DeviceNode& device) {
    constexpr std::array<const char*, 2> relations{"parent", "blocked_by"};
    const std::string relation = relations[random_.below(relations.size())];
    const std::string from = some_task();
    const std::string to = some_task();
    if (random_.one_in(3)) {
        auto command = std::make_unique<ports::DeleteLink>();
        command->user_id = person;
        command->relation = relation;
        command->from_id = from;
        command->to_id = to;
        (void)device.ask(std::move(command));
        return;
    }
    auto command = std::make_unique<ports::PutLink>();
    command->user_id = person;
    command->draft.relation = relation;
    command->draft.from_id = from;
    command->draft.to_id = to;
    command->draft.hidden = random_.one_in(2);
    (void)device.ask(std::move(command));
}

void DevicesCast::change_agent(DeviceNode& device) {
    const std::string id = some_agent();
    if (id == victim && random_.one_in(10)) {
        auto command = std::make_unique<ports::DestroyAgent>();
        command->agent_id = id;
        const auto gone = device.ask(std::move(command));
        if (gone && gone->ok()) witness_.destroyed(device.number(), id);
        return;
    }
    auto command = std::make_unique<ports::ChangeAgent>();
    command->agent_id = id;
    ports::AgentPatch& patch = command->patch;
    switch (random_.below(4)) {
        case 0: patch.display_name = some_text(); break;
        case 1: patch.kind = random_.one_in(2) ? "student" : "teacher"; break;
        case 2: patch.allowed_category_ids = {"gym", random_.one_in(2) ? "home" : "general"}; break;
        default:
            if (id == victim) patch.dormant = random_.one_in(2);
            else patch.tool_policies = {{"update_task_estimate", model::ToolPolicy::propose}};
    }
    (void)device.ask(std::move(command));
}

void DevicesCast::change_state(DeviceNode& device) {
    auto command = std::make_unique<ports::ChangeAgent>();
    command->agent_id = some_agent();
    ports::AgentStatePatch& state = command->state;
    if (command->agent_id == victim && random_.one_in(3)) {
        state.sleep_until = std::optional(device.now() + base::minutes(static_cast<std::int64_t>(random_.below(90))));
    } else {
        model::AgentSlots slots;
        slots.primary_goal = some_text();
        for (std::uint64_t i = random_.below(3); i > 0; --i) {
            slots.preferences["key" + std::to_string(random_.below(3))] = some_text();
        }
        state.slots = std::move(slots);
    }
    (void)device.ask(std::move(command));
}

void DevicesCast::change_timer(DeviceNode& device) {
    if (timers_.size() < 8 && random_.one_in(3)) {
        auto timer = std::make_unique<ports::AddTimer>();
        timer->agent_id = worker_agents[random_.below(2)];
        timer->name = "extra " + std::to_string(random_.below(3));  // also of the same name on two devices
        if (random_.one_in(2)) {
            timer->schedule.kind = "at";
            timer->schedule.at = device.now() + base::minutes(static_cast<std::int64_t>(1 + random_.below(30)));
        } else {
            timer->schedule.kind = "every";
            timer->schedule.interval = std::to_string(13 + random_.below(30)) + "m";
        }
        const std::string agent = timer->agent_id;
        const auto added = device.ask(std::move(timer));
        if (added && added->ok() && (*added)->is_new) timers_.emplace_back(agent, (*added)->shown.timer.id);
        return;
    }
    if (timers_.empty()) return;
    const auto& [agent, id] = timers_[random_.below(timers_.size())];
    if (random_.one_in(6)) {
        auto command = std::make_unique<ports::DeleteTimer>();
        command->agent_id = agent;
        command->id = id;
        (void)device.ask(std::move(command));
        return;
    }
    auto command = std::make_unique<ports::ChangeTimer>();
    command->agent_id = agent;
    command->id = id;
    if (random_.one_in(2)) command->active = random_.one_in(2);
    else command->priority = static_cast<std::int64_t>(random_.below(10));
    (void)device.ask(std::move(command));
}

void DevicesCast::change_subscription(DeviceNode& device) {
    if (!subscriptions_.empty() && random_.one_in(3)) {
        const auto& [agent, id] = subscriptions_[random_.below(subscriptions_.size())];
        auto command = std::make_unique<ports::DeleteWakeSubscription>();
        command->agent_id = agent;
        command->id = id;
        (void)device.ask(std::move(command));
        return;
    }
    auto command = std::make_unique<ports::PutWakeSubscription>();
    model::WakeSubscription& draft = command->draft;
    draft.agent_id = worker_agents[random_.below(2)];
    draft.tokens = {random_.one_in(2) ? "key:ENTRY" : "key:LABEL", "key:TEXT_ENTRY"};
    draft.synced = random_.one_in(2);
    draft.window = base::seconds(static_cast<std::int64_t>(random_.below(20)));
    const std::string agent = draft.agent_id;
    const auto put = device.ask(std::move(command));
    if (put && put->ok()) subscriptions_.emplace_back(agent, (*put)->id);
}

void DevicesCast::mark_read(DeviceNode& device) {
    auto open = std::make_unique<ports::OpenInbox>();
    open->user_id = person;
    const auto inbox = device.ask(std::move(open));
    if (!inbox || !inbox->ok() || (*inbox)->waiting.empty()) return;
    const auto& waiting = (*inbox)->waiting;
    auto command = std::make_unique<ports::MarkNotification>();
    command->which.key = base::format_uuid(waiting[random_.below(waiting.size())].id.uuid);
    command->mark = random_.one_in(2) ? model::ReadMark::seen : model::ReadMark::dismissed;
    (void)device.ask(std::move(command));
}

void DevicesCast::erase(DeviceNode& device) {
    auto command = std::make_unique<ports::EraseUser>();
    command->user_id = "bob";
    (void)device.ask(std::move(command));
}

}  // namespace belfry::sim
