#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "node.hpp"
#include "observation.hpp"
#include "profile.hpp"
#include "recorder.hpp"
#include "schedule.hpp"

namespace observer::sim {

// What all parties of a simulated world share: time, the record, Belfry, and the sessions that there are.
class Stage {
public:
    Stage(std::uint64_t seed, SeededRandom& random, const Profile& profile, belfry::sim::HeldSinks& sinks)
        : profile(profile), recorder(schedule), node(seed, random.fork(), profile, schedule, recorder, sinks) {}

    const Profile& profile;
    Schedule schedule;
    Recorder recorder;
    Node node;
    std::vector<std::string> users;                            // that emitters choose from
    std::map<std::string, std::vector<std::string>> sessions;  // of each user: those that runtimes work in
    std::map<std::string, std::string> live;                   // every session that was made and not deleted → user
    std::set<std::string> ids;                                 // of all notifications that a party was told of
    std::vector<std::pair<std::string, std::string>> agents;   // agent → user
    bool is_ending = false;                                    // parties begin nothing new

    void know(const std::string& id) {
        if (!id.empty()) ids.insert(id);
    }
    // Makes a session and records it. `then` gets its name, empty if it was not made.
    void make_session(const std::string& user, const std::string& prefix, const std::function<void(std::string)>& then);
    void delete_session(const std::string& session, const std::string& user, bool is_replaced);

private:
    void replace_session(const std::string& session, const std::string& user, int tries);
};

// Somebody who acts at times of its own.
class Party {
public:
    Party(Stage& stage, std::string name, SeededRandom random)
        : stage_(stage), name_(std::move(name)), random_(random) {}
    virtual ~Party() = default;
    Party(const Party&) = delete;
    Party& operator=(const Party&) = delete;

    virtual void begin() = 0;
    // The world ends: the party leaves.
    virtual void leave() {}
    // The process of Belfry is gone, and with it every connection.
    virtual void lost() {}
    // Streams may have something new.
    virtual void published() {}
    [[nodiscard]] const std::string& name() const { return name_; }

protected:
    // Does it after a pause between the two, unless the world ends before.
    void later(std::int64_t least_ms, std::int64_t most_ms, std::function<void()> action) {
        const auto span = static_cast<std::uint64_t>((most_ms - least_ms) * 1000 + 1);
        std::int64_t pause_us = least_ms * 1000 + static_cast<std::int64_t>(random_.below(span));
        pause_us = pause_us * static_cast<std::int64_t>(stage_.profile.tempo_percent) / 100;
        after(pause_us, std::move(action));
    }
    // The same after an exact time, whatever the tempo.
    void after(std::int64_t pause_us, std::function<void()> action) {
        stage_.schedule.after(pause_us, [this, action = std::move(action)] {
            if (!stage_.is_ending) action();
        });
    }
    template <class T>
    const T& choose(const std::vector<T>& from) {
        return from[random_.below(from.size())];
    }
    std::string choose(std::initializer_list<const char*> from) { return from.begin()[random_.below(from.size())]; }
    std::int64_t choose_number(std::initializer_list<std::int64_t> from) {
        return from.begin()[random_.below(from.size())];
    }

    Stage& stage_;
    std::string name_;
    SeededRandom random_;
};

}  // namespace observer::sim
