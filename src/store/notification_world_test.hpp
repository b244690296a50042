#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/test_world.hpp"

// What the tests of notifications and of sessions share. Only tests include it.
namespace belfry::store::testing {

inline base::Uuid uuid_of(std::uint64_t number, std::uint8_t kind = 1) {
    base::Uuid id;
    id.bytes[0] = kind;
    for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    return id;
}

inline const std::string odd_text = [] {
    using namespace std::string_literals;
    return "nul\0, \"quotes\", \\ and \xC3\xA4\n"s;
}();

// In session `s1` of ada unless the test says otherwise.
inline model::Notification notification(std::int64_t ordinal, model::Priority priority = model::Priority::normal,
                                        model::InjectAt inject_at = model::InjectAt::turn_start) {
    model::Notification made;
    made.id.uuid = uuid_of(static_cast<std::uint64_t>(ordinal));
    made.ordinal = ordinal;
    made.scope = {"ada", "s1", "agent"};
    made.subscriber_id = "tool_failure";
    made.priority = priority;
    made.inject_at = inject_at;
    made.content = "content " + std::to_string(ordinal);
    made.events = {{{uuid_of(static_cast<std::uint64_t>(ordinal), 9)}, static_cast<model::Sequence>(ordinal), 1, "k"}};
    made.created_at = at_second(ordinal);
    return made;
}

// For a person, in channel A; of session `s1` it is in channel B.
inline model::Notification alert(std::int64_t ordinal, std::string session_id = "") {
    model::Notification made = notification(ordinal);
    made.address = session_id.empty() ? model::Address::user : model::Address::session;
    made.scope.session_id = std::move(session_id);
    made.target = model::Target::user;
    return made;
}

// Of target user, for an agent to speak of.
inline model::Notification for_an_agent_to_say(std::int64_t ordinal) {
    model::Notification made = notification(ordinal);
    made.target = model::Target::user;
    made.handler = model::Handler::agent;
    return made;
}

inline model::Notification delivered(model::Notification made, base::Timestamp at) {
    made.state = model::DeliveryState::delivered;
    made.ended_at = at;
    return made;
}

inline ports::DueQuestion question(base::Timestamp now = at_second(1000)) {
    ports::DueQuestion asked;
    asked.session_id = "s1";
    asked.user_id = "ada";
    asked.agent_id = "agent";
    asked.classes = 0xFFFF;
    asked.now = now;
    asked.limit = 100;
    return asked;
}

inline std::vector<std::int64_t> ordinals(const base::Result<std::vector<model::Notification>>& found) {
    EXPECT_OK(found);
    std::vector<std::int64_t> list;
    if (!found.ok()) return list;
    for (const model::Notification& one : *found) list.push_back(one.ordinal);
    return list;
}
using Ordinals = std::vector<std::int64_t>;

inline model::Session session(std::string id, std::string user = "ada") {
    model::Session made;
    made.id = std::move(id);
    made.user_id = std::move(user);
    made.created_at = at_second(1);
    made.updated_at = at_second(1);
    return made;
}

inline model::ContextNode node(std::uint64_t number, std::string session_id = "s1", std::uint64_t parent = 0) {
    model::ContextNode made;
    made.id.uuid = uuid_of(number, 2);
    made.session_id = std::move(session_id);
    if (parent != 0) made.parent = model::NodeId{uuid_of(parent, 2)};
    made.created_at = at_second(5);
    return made;
}

inline model::SessionMessage message(std::uint64_t number, std::uint64_t in_node, std::string session_id = "s1") {
    model::SessionMessage made;
    made.id.uuid = uuid_of(number, 3);
    made.node.uuid = uuid_of(in_node, 2);
    made.session_id = std::move(session_id);
    made.ordinal = static_cast<std::int64_t>(number);
    made.role = model::MessageRole::assistant;
    made.content = "message " + std::to_string(number);
    made.created_at = at_second(6);
    return made;
}

// An open store inside a transaction that ends with the test.
class TableSuite : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        scribe_ = std::make_unique<Scribe>(world());
        scribe_->open();
        scribe_->begin();
    }
    void TearDown() override {
        if (scribe_ && scribe_->store().is_open()) scribe_->store().rollback();
        scribe_.reset();
    }

    SqlStore& store() { return scribe_->store(); }
    ports::NotificationTable& notifications() { return store().notifications(); }
    ports::SessionTable& sessions() { return store().sessions(); }
    ports::WaitingTable& waiting() { return store().waiting(); }
    // Ends the transaction and begins the next, so that readers see what was written.
    void commit() {
        scribe_->commit();
        scribe_->begin();
    }
    void reopen() {
        scribe_->commit();
        scribe_.reset();
        scribe_ = std::make_unique<Scribe>(world());
        scribe_->open();
        scribe_->begin();
    }
    void insert(const std::vector<model::Notification>& list) { ASSERT_OK(notifications().insert(list)); }
    std::int64_t rows_in(const std::string& table) {
        const std::string text = "SELECT count(*) FROM " + table;
        texts_.push_back(std::make_unique<std::string>(text));
        statements_.push_back(std::make_unique<Sql>(Sql{texts_.back()->c_str()}));
        std::int64_t rows = -1;
        EXPECT_OK(store().database().run(*statements_.back(), {}, [&](const Row& row) { rows = row.number(0); }));
        return rows;
    }

private:
    std::unique_ptr<Scribe> scribe_;
    std::vector<std::unique_ptr<std::string>> texts_;
    std::vector<std::unique_ptr<Sql>> statements_;
};

}  // namespace belfry::store::testing
