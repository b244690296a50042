#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "rules/delivery.hpp"
#include "rules/route.hpp"

namespace belfry::rules {
namespace {

using base::seconds;
using base::Timestamp;
using model::DeliveryState;
using model::Notification;
using Words = std::vector<std::string>;

constexpr Timestamp start{1'000'000'000'000};

std::string joined(const Words& words, std::size_t from = 0) {
    std::string line;
    for (std::size_t i = from; i < words.size(); ++i) line += (i > from ? " " : "") + words[i];
    return line;
}

// What `name=` gives in a line, if it stands there.
std::optional<std::string> given(const Words& words, const std::string& name) {
    for (const std::string& word : words) {
        if (word.starts_with(name + '=')) return word.substr(name.size() + 1);
    }
    return std::nullopt;
}
std::optional<std::int64_t> number(const Words& words, const std::string& name) {
    const auto text = given(words, name);
    return text ? std::optional<std::int64_t>(std::stoll(*text)) : std::nullopt;
}

// One scenario: rows with an owner who does with them what the engine does, and an interface that shows what it is
// sent.
class Scenario {
public:
    void line(const Words& words) {
        now_ = start + seconds(std::stoll(words.at(0)));
        const std::string& verb = words.at(2);
        if (verb == "is") {
            is(words);
        } else if (verb == "went") {
            EXPECT_EQ(joined(row(words[1]).went), joined(words, 3));
        } else if (verb == "sees") {
            EXPECT_EQ(joined(seen_by(words[1])), joined(words, 3));
        } else {
            const std::string outcome = done(words);
            const bool is_asked = words.at(words.size() - 2) == "=";
            EXPECT_EQ(outcome, is_asked ? words.back() : "done");
        }
    }

private:
    struct Row {
        Notification is;
        Words went;
    };
    struct Item {
        std::string user;
        std::string name;  // of the notification
        std::string text;
    };

    Row& row(const std::string& name) {
        EXPECT_TRUE(rows_.contains(name)) << name;
        return rows_[name];
    }

    std::string done(const Words& words) {
        const std::string& deed = words[1];
        if (deed == "watch") return watched();
        if (deed == "turn_ends") return turn_ends(words[2]);
        if (deed == "says") {
            has_spoken_ = true;
            return "done";
        }
        const std::string& name = words[2];
        if (deed == "emit") return emit(name, words);
        Row& one = row(name);
        Steps steps;
        Refusal refusal = Refusal::none;
        const base::Duration span = seconds(number(words, "for").value_or(900));
        const auto lease = number(words, "lease");
        if (deed == "claim") {
            refusal = claim(one.is, now_, words.at(3), span, steps);
        } else if (deed == "renew") {
            refusal = renew(one.is, now_, lease.value(), span);
        } else if (deed == "ack") {
            const Voice voice = words.at(3) == "interface" ? Voice::interface
                                : words.at(3) == "model"   ? Voice::model
                                                           : Voice::runtime;
            refusal = acknowledge(one.is, now_, {voice, words[3], lease, number(words, "version"), "rendered"}, steps);
        } else if (deed == "narrate") {
            refusal = narrate(one.is, now_, {"agent", lease.value(), number(words, "version"), words.at(4)}, steps);
            if (refusal == Refusal::none) show(name);
        } else if (deed == "tool") {
            return tool(name, words.at(3));
        } else if (deed == "names") {
            return names(name, words.at(3));
        } else if (deed == "session_gone") {
            leave_session(one.is, now_, steps);
        } else if (deed == "session_deleted") {
            if (leave_holder(one.is, now_, steps) && route(one.is).to_interface) show(name);
        } else {
            ADD_FAILURE() << "there is no '" << deed << "'";
        }
        note(name, steps);
        return refusal == Refusal::none ? "done" : std::string(refusal_name(refusal));
    }

    // A tool that is used for a row that has ended gives the user a notice of its own.
    std::string tool(const std::string& name, const std::string& which) {
        Row& one = row(name);
        Steps steps;
        if (promote(one.is, now_, which, steps)) {
            note(name, steps);
            if (route(one.is).to_interface) show(name);
            return "done";
        }
        if (!model::is_terminal(one.is.state)) return "nothing";
        Notification notice = effect_notice(one.is, which);
        notice.created_at = now_;
        born(notice, "belfry", steps);
        dispatch(notice, now_, "interface", steps);
        const std::string called = name + ".notice";
        order_.push_back(called);
        rows_[called] = {notice, {}};
        note(called, steps);
        show(called);
        return "notice";
    }

    // The model acknowledges the row in the middle of its turn, as the engine takes it (docs/decisions/0019).
    std::string names(const std::string& name, const std::string& holder) {
        Row& one = row(name);
        Steps steps;
        EXPECT_EQ(one.is.holder, holder);
        const bool is_untold = must_tell(one.is) && !is_told_by_message(one.is, turn_of(one.is));
        if (is_untold) note_untold(one.is, now_, holder, steps);
        else acknowledge(one.is, now_, {Voice::model, holder, one.is.lease, std::nullopt, {}}, steps);
        note(name, steps);
        return is_untold ? "untold" : "done";
    }

    std::string emit(const std::string& name, const Words& words) {
        Notification draft;
        draft.address = words.at(3) == "user" ? model::Address::user : model::Address::session;
        draft.target = words.at(4) == "user" ? model::Target::user : model::Target::agent;
        draft.handler = words.at(5) == "system" ? model::Handler::system : model::Handler::agent;
        draft.scope.user_id = given(words, "user").value_or("ada");
        if (draft.address == model::Address::session) draft.scope.session_id = "s1";
        draft.deduplication_key = given(words, "key").value_or("");
        draft.ttl = seconds(number(words, "ttl").value_or(0));
        draft.text = draft.content = name;
        draft.created_at = now_;
        std::string outcome = "new";
        Steps steps;
        if (const auto there = newest_open(draft)) {
            Row& before = rows_[*there];
            const Repeat how = repeat(before.is, given(words, "by").value_or("emitter"), number(words, "lease"));
            if (how == Repeat::follows) outcome = "follows";
            if (how == Repeat::overwrites) {
                EXPECT_EQ(*there, name) << "the one that is updated";
                overwrite(before.is, draft, now_, steps);
                note(*there, steps);
                if (route(before.is).to_interface) show(*there);
                return "updated";
            }
        }
        EXPECT_FALSE(rows_.contains(name)) << name;
        order_.push_back(name);
        born(draft, "emitter", steps);
        const bool is_shown = route(draft).to_interface;
        if (is_shown) dispatch(draft, now_, "interface", steps);
        rows_[name] = {draft, {}};
        note(name, steps);
        if (is_shown) show(name);
        return outcome;
    }

    // Of the same user under the same key.
    std::optional<std::string> newest_open(const Notification& draft) {
        if (draft.deduplication_key.empty()) return std::nullopt;
        for (auto name = order_.rbegin(); name != order_.rend(); ++name) {
            const Notification& one = rows_[*name].is;
            const bool is_same =
                one.deduplication_key == draft.deduplication_key && one.scope.user_id == draft.scope.user_id;
            if (is_same && !model::is_terminal(one.state)) return *name;
        }
        return std::nullopt;
    }

    std::string watched() {
        int changed = 0;
        for (auto& [name, one] : rows_) {
            Steps steps;
            if (!watch(one.is, now_, steps)) continue;
            ++changed;
            note(name, steps);
            if (one.is.state == DeliveryState::escalated) show(name);
        }
        return std::to_string(changed);
    }

    std::string turn_ends(const std::string& holder) {
        for (auto& [name, one] : rows_) {
            if (one.is.holder != holder) continue;
            Steps steps;
            const bool is_told = is_told_by_message(one.is, turn_of(one.is));
            if (one.is.answered_at && is_told) {
                acknowledge(one.is, now_, {Voice::model, holder, one.is.lease, std::nullopt, {}}, steps);
            } else if (one.is.answered_at) {
                EXPECT_EQ(ended_untold(one.is, now_, holder, steps), Refusal::none);
            } else if (turn_ended(one.is, now_, steps) != Refusal::none) {
                continue;
            }
            note(name, steps);
            if (one.is.state == DeliveryState::escalated) show(name);
        }
        has_spoken_ = false;
        return "done";
    }

    void note(const std::string& name, const Steps& steps) {
        for (const model::Transition& step : steps) rows_[name].went.push_back(step.reason);
    }

    // An interface puts what it gets in the place of what it has of the same notification.
    void show(const std::string& name) {
        const Notification& what = rows_[name].is;
        std::string text = what.narration.empty() ? name : what.narration;
        if (what.narration.empty() && what.lease > 1) text += '@' + std::to_string(what.lease);
        if (what.version > 1) text += ".v" + std::to_string(what.version);
        if (what.narration.empty() && !what.used_tools.empty()) {
            EXPECT_EQ(what.text, text_with_tools(what.text.substr(0, what.text.find(" (")), what.used_tools));
            for (const std::string& tool : what.used_tools) text += '+' + tool;
        }
        std::ranges::replace(text, ' ', '_');
        const auto there = std::ranges::find(items_, name, &Item::name);
        if (there != items_.end()) there->text = text;
        if (there == items_.end()) items_.push_back({what.scope.user_id, name, text});
    }

    [[nodiscard]] Words seen_by(const std::string& user) const {
        Words seen;
        for (const Item& item : items_) {
            if (item.user == user) seen.push_back(item.text);
        }
        return seen;
    }

    void is(const Words& words) {
        const Notification& one = row(words[1]).is;
        EXPECT_EQ(model::delivery_state_name(one.state), words.at(3));
        for (std::size_t i = 4; i < words.size(); ++i) {
            const std::string name = words[i].substr(0, words[i].find('='));
            const std::string value = words[i].substr(name.size() + 1);
            if (name == "lease") {
                EXPECT_EQ(one.lease, std::stoll(value));
            } else if (name == "version") {
                EXPECT_EQ(one.version, std::stoll(value));
            } else if (name == "channel") {
                EXPECT_EQ(model::channel_name(route(one).channel), value);
            } else if (name == "outcome") {
                EXPECT_EQ(one.outcome, value);
            } else if (name == "holder") {
                EXPECT_EQ(one.holder, value);
            } else if (name == "address") {
                EXPECT_EQ(model::address_name(one.address), value);
            } else {
                ADD_FAILURE() << "there is no '" << name << "'";
            }
        }
    }

    Timestamp now_ = start;
    std::map<std::string, Row> rows_;
    Words order_;  // of their names
    std::vector<Item> items_;
    [[nodiscard]] model::Progress turn_of(const Notification& row) const {
        model::Progress progress;
        if (!has_spoken_) return progress;
        const base::Uuid pull = row.pull_id.value_or(base::Uuid{});
        progress.pulls = {{pull, pull, false, false, false, row.holder}};
        progress.spoken = {{row.holder, pull}};
        return progress;
    }

    bool has_spoken_ = false;  // an assistant message was posted in the turn
};

TEST(DeliveryScenario, every_scenario_of_the_file_happens_as_it_says) {
    std::ifstream file(BELFRY_SOURCE_DIR "/tests/scenarios/delivery.scenario");
    ASSERT_TRUE(file);
    std::optional<Scenario> scenario;
    std::string title;
    int scenarios = 0;
    for (std::string text; std::getline(file, text);) {
        std::istringstream stream(text);
        Words words;
        for (std::string word; stream >> word;) words.push_back(word);
        if (words.empty() || words[0].starts_with('#')) continue;
        if (words[0] == "scenario") {
            scenario.emplace();
            title = joined(words, 1);
            ++scenarios;
            continue;
        }
        ASSERT_TRUE(scenario) << text;
        SCOPED_TRACE(title + ": " + joined(words));
        scenario->line(words);
    }
    EXPECT_GE(scenarios, 30);
}

}  // namespace
}  // namespace belfry::rules
