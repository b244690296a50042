#include <algorithm>

#include "story.hpp"

// The promises about paired devices: one run for one cause, one story after the devices met, and nothing that comes
// back.
namespace observer {
namespace {

// The longest time between two grants of one run that is certainly no take-over. A device takes a run over after a
// minute without a sign of life.
constexpr std::int64_t take_over_ms = 30'000;
constexpr std::int64_t settle_wait_min_ms = 60'000;
constexpr std::int64_t firing_wait_min_ms = 30'000;

bool has(const std::vector<std::string>& list, std::string_view one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

// The first meeting after `order` in which the device took part; null: none.
const Observation* find_meeting(const Story& story, const std::string& device, std::uint64_t order) {
    for (const auto& met : story.all<DevicesMet>())
        if (met->is_settled && met.at->order > order && has(met->devices, device)) return met.at;
    return nullptr;
}

// The last meeting before `order` in which the device took part; null: none.
const Observation* find_last_meeting(const Story& story, const std::string& device, std::uint64_t order) {
    const Observation* last = nullptr;
    for (const auto& met : story.all<DevicesMet>())
        if (met->is_settled && met.at->order < order && has(met->devices, device)) last = met.at;
    return last;
}

// The state of the links at `order`; null: unknown.
const Seen<Links>* find_links(const Story& story, std::uint64_t order) {
    const Seen<Links>* last = nullptr;
    for (const auto& one : story.all<Links>())
        if (one.at->order < order) last = &one;
    return last;
}

std::int64_t clock_offset(const Story& story, const std::string& device, std::uint64_t order) {
    std::int64_t offset = 0;
    for (const auto& one : story.all<DeviceClock>())
        if (one->device == device && one.at->order < order) offset = one->offset_ms;
    return offset;
}

bool has_stall(const Story& story, std::int64_t from_ms, std::int64_t to_ms) {
    for (const auto& one : story.all<Stalled>())
        if (one.at->start_ms() <= to_ms && one.at->at_ms >= from_ms) return true;
    return false;
}

// ---- what was destroyed, and what is equal --------------------------------------------------------------------------

// True if a wake in this state is for an agent that lives.
bool is_alive(std::string_view state) {
    return state == "queued" || state == "running" || state == "completed";
}

void destroyed_stays_destroyed(const Story& story, Report& report) {
    for (const auto& end : story.all<AgentDestroyed>()) {
        if (!end->answer.is_accepted()) continue;
        // True if the device, which saw something at `seen`, had met the one that destroyed the agent.
        const auto knows = [&](const std::string& device, const Observation* seen) {
            if (device == end->device) return seen->start() > end.at->order;
            for (const auto& met : story.all<DevicesMet>())
                if (met->is_settled && met.at->order > end.at->order && met.at->order < seen->start() &&
                    has(met->devices, device) && has(met->devices, end->device))
                    return true;
            return false;
        };
        for (const auto& read : story.all<AgentRead>())
            if (read->agent == end->agent && read->answer.is_accepted() && read->lifecycle != "destroyed" &&
                knows(read->device, read.at))
                report.add("agent " + end->agent + " was destroyed on " + end->device + " and is " + read->lifecycle +
                               " on " + read->device,
                           {end.at, read.at});
        for (const auto& woken : story.all<AgentWoken>())
            if (woken->agent == end->agent && woken->answer.is_accepted() && is_alive(woken->state) &&
                knows(woken->device, woken.at))
                report.add("agent " + end->agent + " was destroyed on " + end->device + " and a wake of it is " +
                               woken->state + " on " + woken->device,
                           {end.at, woken.at});
        for (const auto& grant : story.all<Granted>())
            if (grant->agent == end->agent && knows(grant->device, grant.at))
                report.add("agent " + end->agent + " was destroyed on " + end->device + " and a worker on " +
                               grant->device + " was granted a wake of it",
                           {end.at, grant.at});
    }
}

void devices_become_equal(const Story& story, Report& report) {
    for (const auto& met : story.all<DevicesMet>())
        if (!met->is_settled && met->waited_ms >= settle_wait_min_ms)
            report.add("the devices were connected for " + std::to_string(met->waited_ms / 1000) +
                           " s, and something is still unsent, unreceived or missing",
                       {met.at});
    for (const auto& read : story.all<DigestsRead>()) {
        if (read->digests.empty() || read->waited_ms < settle_wait_min_ms) continue;
        const Observation* met = find_last_meeting(story, read->devices.front(), read.at->order);
        if (!met) continue;
        std::string said;
        for (std::size_t at = 0; at < read->digests.size(); ++at)
            said += " " + read->devices[at] + " " + read->digests[at].substr(0, 12);
        if (std::set(read->digests.begin(), read->digests.end()).size() > 1)
            report.add("the devices met, nothing is behind, and the digests differ:" + said, {met, read.at});
    }
}

// ---- one run for one cause ------------------------------------------------------------------------------------------

// True if the links were certainly up and every clock right from before the first grant to the second one.
bool is_certainly_connected(const Story& story, const Seen<Granted>& first, const Seen<Granted>& second) {
    const Seen<Links>* links = find_links(story, first.at->order);
    if (!links || (*links)->state != "up" || find_links(story, second.at->order) != links) return false;
    if (!has((*links)->devices, first->device) || !has((*links)->devices, second->device)) return false;
    if (first.at->at_ms < links->at->at_ms + story.options().slack_ms) return false;
    for (const auto& name : (*links)->devices)
        if (clock_offset(story, name, second.at->order) != 0) return false;
    return !has_stall(story, first.at->at_ms - 1000, second.at->at_ms);
}

void connected_devices_run_once(const Story& story, Report& report) {
    std::map<std::string, std::vector<Seen<Granted>>> by_key;
    for (const auto& grant : story.all<Granted>()) by_key[grant->run_key].push_back(grant);
    for (const auto& [key, grants] : by_key) {
        std::vector<const Observation*> shown;
        std::string where;
        for (const auto& grant : grants) {
            const bool is_second = grant->device != grants.front()->device &&
                                   grant.at->at_ms - grants.front().at->at_ms < take_over_ms &&
                                   is_certainly_connected(story, grants.front(), grant);
            if (!is_second && grant.at != grants.front().at) continue;
            shown.push_back(grant.at), where += " " + grant->device;
        }
        if (shown.size() > 1)
            report.add("the devices were connected, and one run (" + grants.front()->reason + " of " +
                           grants.front()->agent + ") was begun on" + where,
                       shown);
    }
}

// True if the device of the later grant had certainly heard of the end.
bool had_heard(const Story& story, const Seen<GrantEnded>& end, const Seen<Granted>& later) {
    if (end->device == later->device) return end.at->order < later.at->start();
    const Observation* met = find_meeting(story, end->device, end.at->order);
    const Observation* last = find_last_meeting(story, later->device, later.at->start());
    return met && last && last->order >= met->order;
}

void instant_fires_once(const Story& story, Report& report) {
    std::map<std::string, std::vector<Seen<Granted>>> by_instant;
    for (const auto& grant : story.all<Granted>())
        for (const std::string& instant : grant->instants) by_instant[instant].push_back(grant);
    std::map<std::string, Seen<GrantEnded>> ends;
    for (const auto& end : story.all<GrantEnded>())
        if (end->answer.is_accepted()) ends.emplace(end->run_key, end);
    for (const auto& [instant, grants] : by_instant)
        for (const auto& later : grants) {
            const auto earlier = std::find_if(grants.begin(), grants.end(), [&](const Seen<Granted>& one) {
                const auto end = ends.find(one->run_key);
                return one.at->order < later.at->start() && end != ends.end() && had_heard(story, end->second, later);
            });
            if (earlier == grants.end()) continue;
            report.add(
                "instant " + instant + " was done on " + (*earlier)->device + " and fired again on " + later->device,
                {earlier->at, ends.at((*earlier)->run_key).at, later.at});
        }
}

void timer_follows_the_right_clock(const Story& story, Report& report) {
    std::map<std::string, std::int64_t> periods;
    for (const auto& timer : story.all<TimerMade>())
        if (timer->answer.is_accepted()) periods[timer->timer] = timer->period_ms;
    for (const auto& read : story.all<TimerRead>()) {
        if (!read->answer.is_accepted() || !read->is_active || !periods.contains(read->timer)) continue;
        if (clock_offset(story, read->device, read.at->order) != 0) continue;
        if (!read->has_next || read->next_in_ms > periods[read->timer] + 2 * story.options().grace_ms)
            report.add("the clock of " + read->device + " is right, and the timer rests for " +
                           (read->has_next ? std::to_string(read->next_in_ms / 1000) + " s" : "ever") +
                           "; its schedule has a firing every " + std::to_string(periods[read->timer] / 1000) + " s",
                       {read.at});
    }
    for (const auto& waited : story.all<TimerAwaited>())
        if (periods.contains(waited->timer) && clock_offset(story, waited->device, waited.at->order) == 0 &&
            waited->waited_ms >= periods[waited->timer] + firing_wait_min_ms)
            report.add("the clock of " + waited->device + " is right, and a timer of every " +
                           std::to_string(periods[waited->timer] / 1000) + " s did not fire in " +
                           std::to_string(waited->waited_ms / 1000) + " s",
                       {waited.at});
}

// ---- what an operation did ------------------------------------------------------------------------------------------

// The records that one device showed after the meeting before `order`, and before the next meeting.
bool is_same_reading(const Story& story, const std::string& device, std::uint64_t one, std::uint64_t other) {
    const Observation* met = find_last_meeting(story, device, one);
    return met && met == find_last_meeting(story, device, other);
}

void memory_agrees_with_journal(const Story& story, Report& report) {
    for (const auto& done : story.all<OperationRead>()) {
        if (done->tool != "create_task" || done->status != "success" || done->entity.empty()) continue;
        for (const auto& task : story.all<TaskRead>())
            if (task->device == done->device && task->record == done->entity && task->mark != done->mark &&
                is_same_reading(story, done->device, done.at->order, task.at->order))
                report.add("memory on " + done->device + " says that the operation made the task " + done->mark +
                               "; the journal there has " + task->mark,
                           {done.at, task.at});
    }
    for (const auto& task : story.all<TaskRead>()) {
        if (task->mark.empty()) continue;
        bool is_read = false;
        bool is_told = false;
        for (const auto& done : story.all<OperationRead>()) {
            if (done->device != task->device || !is_same_reading(story, task->device, task.at->order, done.at->order))
                continue;
            is_read = true;
            is_told = is_told || done->mark == task->mark;
        }
        if (is_read && !is_told)
            report.add("the journal on " + task->device + " has the task " + task->mark +
                           ", and memory there does not say that it was made",
                       {task.at});
    }
}

void devices_tell_one_story(const Story& story, Report& report) {
    std::map<std::string, std::vector<Seen<OperationRead>>> by_operation;
    for (const auto& done : story.all<OperationRead>())
        if (!done->mark.empty()) by_operation[done->operation].push_back(done);
    for (const auto& [operation, reads] : by_operation)
        for (const auto& done : reads) {
            const auto& first = reads.front();
            if (done->mark == first->mark ||
                find_last_meeting(story, first->device, first.at->order) !=
                    find_last_meeting(story, done->device, done.at->order) ||
                !find_last_meeting(story, done->device, done.at->order))
                continue;
            report.add("operation " + operation.substr(0, 12) + " is " + first->mark + " on " + first->device +
                           " and " + done->mark + " on " + done->device,
                       {first.at, done.at});
        }
}

void inboxes_tell_what_memory_tells(const Story& story, Report& report) {
    for (const auto& inbox : story.all<InboxRead>()) {
        if (!inbox->answer.is_accepted()) continue;
        std::set<std::string> told;
        for (const auto& done : story.all<OperationRead>())
            if (done->device == inbox->device && done->tool == "notify_user" &&
                is_same_reading(story, inbox->device, inbox.at->order, done.at->order))
                told.insert(done->mark);
        if (told.empty()) continue;
        for (const std::string& mark : inbox->marks)
            if (mark.starts_with("#n") && !told.contains(mark))
                report.add("the inbox on " + inbox->device + " shows " + mark +
                               ", and the agent's memory there does not say that it told so",
                           {inbox.at});
    }
}

// ---- lists and values -----------------------------------------------------------------------------------------------

void added_elements_are_on_all_devices(const Story& story, Report& report) {
    for (const auto& added : story.all<ElementAdded>()) {
        if (!added->answer.is_accepted()) continue;
        bool is_removed = false;
        for (const auto& one : story.all<ElementRemoved>())
            is_removed = is_removed || (one->record == added->record && one->list == added->list &&
                                        one->element == added->element && !one->answer.is_rejected());
        const Observation* met = find_meeting(story, added->device, added.at->order);
        if (is_removed || !met) continue;
        for (const auto& read : story.all<ElementsRead>())
            if (read->record == added->record && read->list == added->list && read->answer.is_accepted() &&
                read.at->start() > met->order && find_last_meeting(story, read->device, read.at->start()) &&
                find_last_meeting(story, read->device, read.at->start())->order >= met->order &&
                !has(read->elements, added->element))
                report.add(added->device + " added " + added->element + " to " + added->list + " of " + added->record +
                               ", nobody removed it, and it is not on " + read->device,
                           {added.at, met, read.at});
    }
}

// The observation of links that ends the span of `links`; null: the world ended first.
const Observation* find_end(const Story& story, const Seen<Links>& links) {
    for (const auto& one : story.all<Links>())
        if (one.at->order > links.at->order) return one.at;
    return nullptr;
}

// True if the write took place while its device had no link, in that span.
bool is_cut_off(const Story& story, const Seen<ValueWritten>& write, const Seen<Links>& links) {
    const Observation* end = find_end(story, links);
    return links->state == "cut" && has(links->devices, write->device) && write.at->start() > links.at->order &&
           (!end || write.at->order < end->order);
}

void lost_value_can_be_read(const Story& story, Report& report) {
    for (const auto& read : story.all<ValueRead>()) {
        const Observation* met = find_last_meeting(story, read->device, read.at->start());
        if (!met || !read->answer.is_accepted()) continue;
        const Seen<ValueWritten>* mine = nullptr;
        const Seen<ValueWritten>* winner = nullptr;
        bool is_certain = true;
        for (const auto& write : story.all<ValueWritten>()) {
            if (write->record != read->record || write->field != read->field || write->answer.is_rejected()) continue;
            is_certain = is_certain && write->answer.is_accepted() && write.at->order < met->order;
            if (write->device == read->device) mine = &write;
            if (write->mark == read->mark) winner = &write;
        }
        if (!is_certain || !mine || !winner || (*winner)->device == read->device) continue;
        const Seen<Links>* links = find_links(story, mine->at->order);
        if (!links || !is_cut_off(story, *mine, *links) || !is_cut_off(story, *winner, *links)) continue;
        for (const auto& merges : story.all<MergesRead>())
            if (merges->device == read->device && merges->answer.is_accepted() && merges.at->start() > met->order &&
                find_last_meeting(story, read->device, merges.at->start()) == met &&
                merges->text.find((*mine)->mark) == std::string::npos)
                report.add("the value " + (*mine)->mark + " of " + read->device + " lost against " + read->mark +
                               ", and the merges on " + read->device + " do not have it",
                           {mine->at, winner->at, read.at});
    }
}

}  // namespace

std::vector<Invariant> device_invariants() {
    return {
        {"destroyed_stays_destroyed",
         "An agent was destroyed while a paired device was away for 120 days: it stays destroyed on both",
         "acceptance/agents.md; 002 decision 2", destroyed_stays_destroyed},
        {"devices_become_equal", "all devices end byte-identical … and the digests become equal",
         "acceptance/agents.md 24, added 2026-11-17", devices_become_equal},
        {"connected_devices_run_once",
         "Three connected devices with equal clocks: each firing of a timer and each synced change gives one run.",
         "acceptance/agents.md", connected_devices_run_once},
        {"instant_fires_once", "each instant wakes once … The clock set back two hours: not twice.",
         "docs/agents.md; acceptance/agents.md 10", instant_fires_once},
        {"timer_follows_the_right_clock",
         "A clock was a year ahead for a minute and was corrected: the next firing is the next wall time of the "
         "schedule, here and on peers",
         "acceptance/agents.md; 002 Clock jumps: recompute nextRunAt from persisted schedule intent",
         timer_follows_the_right_clock},
        {"memory_agrees_with_journal",
         "Two devices ran one operation with different plans …: afterwards journal, memory, audit and inboxes tell "
         "one story on both.",
         "acceptance/agents.md", memory_agrees_with_journal},
        {"devices_tell_one_story",
         "duplicate tool execution attempts with same operationId converge to one logical "
         "mutation",
         "002 Multi-device sync", devices_tell_one_story},
        {"inboxes_tell_what_memory_tells", "afterwards journal, memory, audit and inboxes tell one story on both.",
         "acceptance/agents.md", inboxes_tell_what_memory_tells},
        {"added_elements_are_on_all_devices", "Two devices add different elements to one list: both are there.",
         "acceptance/agents.md", added_elements_are_on_all_devices},
        {"lost_value_can_be_read",
         "belfry sync merges tells what the other was, where it was written and which rule decided", "docs/sync.md",
         lost_value_can_be_read},
    };
}

}  // namespace observer
