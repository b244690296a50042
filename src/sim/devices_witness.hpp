#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "sim/devices_look.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// Remembers what the devices have answered for, and says at the end what of it is not so.
class DevicesWitness {
public:
    // A task that only one device writes: there is one truth about it, whoever tells it.
    void wrote_own(std::size_t device, const std::string& id, const std::string& title);
    void deleted_own(std::size_t device, const std::string& id);
    // One that any may write: it has one of the titles that were written.
    void wrote_shared(const std::string& id, const std::string& title);
    void deleted_shared(std::size_t device, const std::string& id);
    // Nobody heard what became of a write, or of a deletion.
    void unheard_own(std::size_t device, const std::string& id, const std::string& title);
    void lost_sight_of(const std::string& id) { own_[id].is_doubtful = true; }

    // A message of an agent that was taken; and one that was forgotten for good.
    // A message that some device has; nothing: none has any.
    std::optional<std::pair<base::Uuid, std::string>> some_message(std::uint64_t draw) const;
    void remembered(std::size_t device, const base::Uuid& message, const std::string& agent_id);
    void forgot(std::size_t device, const base::Uuid& message);
    void may_be_forgotten(const base::Uuid& message) { forgotten_.try_emplace(message); }
    void destroyed(std::size_t device, const std::string& agent_id);
    void erased(const std::string& user_id) { erased_.insert(user_id); }

    // A run did what it was to do: the task of this title is there, once.
    void ran(std::size_t device, const std::string& run_key, const std::string& title, bool is_new);
    // A mail went out under this key. Who carries it out knows by the key whether he has.
    void mailed(const std::string& run_key, const std::string& key);

    // From here on a device may lose what it has answered for, unless it has told others; and it has lost it.
    void backed_up(std::size_t device);
    void restored(std::size_t device);

    // What all devices have in the end.
    Complaints compare(const DevicesLook& look) const;

    struct Sums {
        std::uint64_t writes = 0;
        std::uint64_t deletions = 0;
        std::uint64_t messages = 0;
        std::uint64_t forgotten = 0;
        std::uint64_t runs = 0;
        std::uint64_t runs_doubled = 0;  // that more than one device went through
        std::uint64_t mails = 0;
    };
    [[nodiscard]] Sums sums() const;
    // The runs that more than one device went through.
    [[nodiscard]] std::vector<std::string> doubled() const;

private:
    struct Own {
        std::size_t device = 0;
        std::set<std::string> titles;  // that it may have; one: it is certain
        bool is_deleted = false;
        bool may_be_nowhere = false;
        bool is_doubtful = false;  // its device was set back
    };
    struct Shared {
        std::set<std::string> titles;
        std::set<std::size_t> deleted_by;  // by those who were not set back since
    };
    struct Message {
        std::size_t device = 0;
        std::string agent_id;
        bool is_doubtful = false;
    };
    struct Run {
        std::string title;
        std::set<std::size_t> devices;
        std::set<std::string> keys;  // of mails
        bool is_doubtful = false;
    };
    // What a device has done since its backup.
    struct Since {
        std::set<std::string> own, deleted, runs, destroyed;
        std::set<base::Uuid> messages, forgotten;
    };

    std::map<std::string, Own> own_;
    std::map<std::string, Shared> shared_;
    std::map<base::Uuid, Message> messages_;
    std::map<base::Uuid, std::set<std::size_t>> forgotten_;
    std::map<std::string, std::set<std::size_t>> destroyed_;
    std::map<std::string, Run> runs_;
    std::map<std::size_t, Since> since_;
    std::set<std::string> erased_;
    std::uint64_t writes_ = 0;
    std::uint64_t deletions_ = 0;
    std::uint64_t mails_ = 0;
};

}  // namespace belfry::sim
