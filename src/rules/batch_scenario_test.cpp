#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "rules/batch.hpp"
#include "rules/due.hpp"
#include "rules/match.hpp"

namespace belfry::rules {
namespace {

using base::Timestamp;
using Words = std::vector<std::string>;

constexpr Timestamp start{1'000'000'000'000};

std::string shown(const Words& words, std::size_t from = 0) {
    std::string line;
    for (std::size_t i = from; i < words.size(); ++i) line += (i > from ? " " : "") + words[i];
    return line;
}

// One scenario of the file: its own batch with an owner who does what the engine does, on a clock of its own.
class Scenario {
public:
    void line(const Words& words) {
        if (words[0] == "settings") {
            settings(words);
        } else if (words[0] == "queue") {
            queue_.push_back(
                {words.at(1), model::parse_priority(words.at(2)).value(), model::parse_inject_at(words.at(3)).value()});
        } else if (words[0] == "drain") {
            EXPECT_EQ(drained(model::parse_inject_at(words.at(1)).value()), shown(words, 3)) << shown(words);
        } else if (words[0] == "pattern") {
            pattern(words);
        } else {
            timed(words);
        }
    }

    // Time runs on until nothing is due.
    void finish() {
        while (!is_stuck_ && batch_.next_due()) pass(*batch_.next_due());
        EXPECT_EQ(happened_, expected_);
    }

private:
    struct Queued {
        std::string name;
        model::Priority priority;
        model::InjectAt inject_at;
    };

    void settings(const Words& words) {
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::size_t sign = words[i].find('=');
            const std::string name = words[i].substr(0, sign);
            const int value = std::stoi(words[i].substr(sign + 1));
            if (name == "window_ms") {
                window_ = base::milliseconds(value);
            } else if (name == "dedupe_window_ms") {
                dedupe_window_ = base::milliseconds(value);
            } else if (name == "max_size") {
                max_size_ = static_cast<std::size_t>(value);
            } else {
                ADD_FAILURE() << "there is no setting '" << name << "'";
            }
        }
    }

    void timed(const Words& words) {
        const Timestamp now = start + base::milliseconds(std::stoi(words[0]));
        const std::string& deed = words.at(1);
        if (deed == "leaves" || deed == "follows") {
            expected_ += shown(words) + '\n';
            return;
        }
        pass(now);
        if (deed == "event") {
            for (std::size_t i = 2; i < words.size(); ++i) arrive(words[i], now);
        } else if (deed == "point") {
            if (!batch_.empty()) leave(now);
        } else if (deed == "crash") {
            crash();
        } else {
            ADD_FAILURE() << "there is no '" << deed << "'";
        }
    }

    void arrive(const std::string& key, Timestamp now) {
        Arrival arrival;
        arrival.key = key;
        arrival.event_json = "{}";
        arrival.now = now;
        model::WaitingRow& row = *batch_.take(arrival, window_, dedupe_window_).row;
        if (row.ordinal == 0) row.ordinal = next_ordinal_++;
        stored_[row.ordinal] = row;
        if (batch_.size() >= max_size_ || batch_.due_at() == now) leave(now);
    }

    void pass(Timestamp now) {
        while (!is_stuck_ && batch_.next_due() && *batch_.next_due() <= now) {
            const Timestamp due = *batch_.next_due();
            if (batch_.due_at() == due) leave(due);
            came_out(due, "follows", batch_.end_windows(due));
            is_stuck_ = batch_.next_due() == due;
            EXPECT_FALSE(is_stuck_) << "what was due did not come out";
        }
    }

    void leave(Timestamp now) {
        const auto rows = batch_.leave(now, dedupe_window_);
        for (const auto& row : rows) windows_.emplace_back(row.dedupe_key, now + dedupe_window_);
        came_out(now, "leaves", rows);
    }

    void came_out(Timestamp now, const char* how, const std::vector<model::WaitingRow>& rows) {
        if (rows.empty()) return;
        happened_ += std::to_string((now - start).us / 1000) + ' ' + how;
        for (const auto& row : rows) {
            EXPECT_EQ(stored_.erase(row.ordinal), 1U) << row.dedupe_key << " came out twice";
            happened_ += ' ' + row.dedupe_key;
            if (row.count > 1) happened_ += " x" + std::to_string(row.count);
        }
        happened_ += '\n';
    }

    void crash() {
        batch_ = Batch();
        for (const auto& [key, until] : windows_) batch_.restore_window(key, until);
        for (const auto& [ordinal, row] : stored_) batch_.restore_row(row);
    }

    std::string drained(model::InjectAt at) {
        const std::uint32_t classes = due_classes(at);
        std::multimap<model::Priority, std::string> out;  // keeps the order of arrival inside one priority
        std::erase_if(queue_, [&](const Queued& one) {
            if (((classes >> due_class(one.priority, one.inject_at)) & 1U) == 0) return false;
            out.emplace(one.priority, one.name);
            return true;
        });
        Words names;
        for (const auto& [priority, name] : out) names.push_back(name);
        return shown(names);
    }

    static void pattern(const Words& words) {
        model::Subscriber subscriber;
        subscriber.types = {words.at(1)};
        const SubscriberIndex index(std::span(&subscriber, 1));
        for (std::size_t i = 3; i < words.size(); ++i) {
            std::vector<std::uint32_t> found;
            index.match(words[i], "x", model::Severity::info, found);
            EXPECT_EQ(found.size(), words.at(2) == "matches" ? 1U : 0U) << words[1] << ' ' << words[i];
        }
    }

    Batch batch_;
    base::Duration window_ = base::limits::batch_window_default;
    base::Duration dedupe_window_ = base::limits::dedupe_window_default;
    std::size_t max_size_ = base::limits::batch_size_default;
    std::map<std::int64_t, model::WaitingRow> stored_;
    std::vector<std::pair<std::string, Timestamp>> windows_;
    std::int64_t next_ordinal_ = 1;
    std::vector<Queued> queue_;
    std::string expected_;
    std::string happened_;
    bool is_stuck_ = false;
};

TEST(BatchScenario, every_scenario_of_the_file_happens_as_it_says) {
    std::ifstream file(BELFRY_SOURCE_DIR "/tests/scenarios/batching.scenario");
    ASSERT_TRUE(file);
    std::optional<Scenario> scenario;
    std::string title;
    int scenarios = 0;
    const auto finish = [&] {
        SCOPED_TRACE(title);
        if (scenario) scenario->finish();
    };
    for (std::string text; std::getline(file, text);) {
        std::istringstream stream(text);
        Words words;
        for (std::string word; stream >> word;) words.push_back(word);
        if (words.empty() || words[0].starts_with('#')) continue;
        if (words[0] == "scenario") {
            finish();
            scenario.emplace();
            title = shown(words, 1);
            ++scenarios;
            continue;
        }
        ASSERT_TRUE(scenario) << text;
        SCOPED_TRACE(title);
        scenario->line(words);
    }
    finish();
    EXPECT_GE(scenarios, 20);
}

}  // namespace
}  // namespace belfry::rules
