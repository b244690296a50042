#include "sim/devices_witness.hpp"

#include <algorithm>

namespace belfry::sim {

void DevicesWitness::wrote_own(std::size_t device, const std::string& id, const std::string& title) {
    Own& own = own_[id];
    own.device = device;
    own.may_be_nowhere = false;
    own.titles = {title};  // whoever writes knows all that he wrote before
    since_[device].own.insert(id);
    ++writes_;
}

void DevicesWitness::deleted_own(std::size_t device, const std::string& id) {
    own_[id].is_deleted = true;
    since_[device].own.insert(id);
    ++deletions_;
}

void DevicesWitness::wrote_shared(const std::string& id, const std::string& title) {
    shared_[id].titles.insert(title);
    ++writes_;
}

void DevicesWitness::deleted_shared(std::size_t device, const std::string& id) {
    shared_[id].deleted_by.insert(device);
    since_[device].deleted.insert(id);
    ++deletions_;
}

void DevicesWitness::unheard_own(std::size_t device, const std::string& id, const std::string& title) {
    const auto [own, is_new] = own_.try_emplace(id);
    own->second.device = device;
    own->second.titles.insert(title);
    own->second.may_be_nowhere = own->second.may_be_nowhere || is_new;
    since_[device].own.insert(id);
}

std::optional<std::pair<base::Uuid, std::string>> DevicesWitness::some_message(std::uint64_t draw) const {
    if (messages_.empty()) return std::nullopt;
    const auto one = std::next(messages_.begin(), static_cast<std::ptrdiff_t>(draw % messages_.size()));
    return std::pair(one->first, one->second.agent_id);
}

void DevicesWitness::remembered(std::size_t device, const base::Uuid& message, const std::string& agent_id) {
    messages_[message] = {device, agent_id, false};
    since_[device].messages.insert(message);
}

void DevicesWitness::forgot(std::size_t device, const base::Uuid& message) {
    forgotten_[message].insert(device);
    since_[device].forgotten.insert(message);
}

void DevicesWitness::destroyed(std::size_t device, const std::string& agent_id) {
    destroyed_[agent_id].insert(device);
    since_[device].destroyed.insert(agent_id);
}

void DevicesWitness::ran(std::size_t device, const std::string& run_key, const std::string& title, bool is_new) {
    Run& run = runs_[run_key];
    run.title = title;
    if (!is_new) return;
    run.devices.insert(device);
    since_[device].runs.insert(run_key);
}

void DevicesWitness::mailed(const std::string& run_key, const std::string& key) {
    runs_[run_key].keys.insert(key);
    ++mails_;
}

void DevicesWitness::backed_up(std::size_t device) {
    since_[device] = {};
}

// What it has told others is there again soon; which of it that is, nobody here knows.
void DevicesWitness::restored(std::size_t device) {
    const Since lost = since_[device];
    for (const std::string& id : lost.own) own_[id].is_doubtful = true;
    for (const std::string& id : lost.deleted) shared_[id].deleted_by.erase(device);
    for (const std::string& id : lost.destroyed) destroyed_[id].erase(device);
    for (const base::Uuid& id : lost.messages) messages_[id].is_doubtful = true;
    for (const base::Uuid& id : lost.forgotten) forgotten_[id].erase(device);
    for (const std::string& key : lost.runs) runs_[key].is_doubtful = true;
}

Complaints DevicesWitness::compare(const DevicesLook& look) const {
    Complaints wrong;
    const auto is_gone = [&](const std::string& id) { return !look.tasks.contains(id); };
    for (const auto& [id, own] : own_) {
        if (own.is_doubtful) continue;
        if (is_gone(id)) {
            if (own.may_be_nowhere) continue;
            wrong.push_back("task " + id + " was written and is nowhere");
            continue;
        }
        const DevicesLook::Task& task = look.tasks.at(id);
        if (own.is_deleted != task.is_deleted) {
            wrong.push_back("task " + id + (own.is_deleted ? " was deleted and lives" : " was deleted by nobody"));
        }
        if (!own.is_deleted && !own.titles.contains(task.title)) {
            wrong.push_back("task " + id + " is called \"" + task.title + "\", and was last called \"" +
                            *own.titles.begin() + '"');
        }
    }
    for (const auto& [id, shared] : shared_) {
        const auto task = look.tasks.find(id);
        if (task == look.tasks.end()) continue;
        if (!shared.deleted_by.empty() && !task->second.is_deleted) {
            wrong.push_back("task " + id + " was deleted and lives");
        }
        if (!shared.titles.contains(task->second.title)) {
            wrong.push_back("task " + id + " is called \"" + task->second.title + "\", as nobody has called it");
        }
    }
    for (const auto& [id, message] : messages_) {
        const auto there = look.messages.find(id);
        const auto forgotten = forgotten_.find(id);
        const bool is_forgotten = forgotten != forgotten_.end() && !forgotten->second.empty();
        if (is_forgotten && there != look.messages.end() && there->second) {
            wrong.push_back("message " + base::format_uuid(id) + " was forgotten and is there");
        }
        if (is_forgotten || forgotten != forgotten_.end() || message.is_doubtful) continue;
        if (there == look.messages.end() || !there->second) {
            wrong.push_back("message " + base::format_uuid(id) + " of " + message.agent_id + " is lost");
        }
    }
    for (const auto& [id, by] : destroyed_) {
        const auto agent = look.are_destroyed.find(id);
        if (!by.empty() && agent != look.are_destroyed.end() && !agent->second) {
            wrong.push_back("agent " + id + " was destroyed and lives");
        }
    }
    std::map<std::string, std::size_t> titles;
    for (const auto& [id, task] : look.tasks) ++titles[task.title];
    for (const auto& [key, run] : runs_) {
        const auto made = titles.find(run.title);
        const std::size_t count = made == titles.end() ? 0 : made->second;
        if (count > 1) wrong.push_back("run " + key + " has had its effect " + std::to_string(count) + " times");
        if (count == 0 && !run.is_doubtful && !run.devices.empty()) {
            wrong.push_back("run " + key + " has had no effect");
        }
        if (run.keys.size() > 1) wrong.push_back("run " + key + " has sent a mail under two keys");
    }
    return wrong;
}

DevicesWitness::Sums DevicesWitness::sums() const {
    Sums sums;
    sums.writes = writes_;
    sums.deletions = deletions_;
    sums.messages = messages_.size();
    sums.forgotten = forgotten_.size();
    sums.mails = mails_;
    sums.runs = runs_.size();
    sums.runs_doubled = doubled().size();
    return sums;
}

std::vector<std::string> DevicesWitness::doubled() const {
    std::vector<std::string> keys;
    for (const auto& [key, run] : runs_) {
        if (run.devices.size() > 1) keys.push_back(key);
    }
    return keys;
}

}  // namespace belfry::sim
