#include <rapidcheck.h>

#include "base/journal_limits.hpp"
#include "sim/journal_cast.hpp"
#include "sim/journal_world_test.hpp"

namespace belfry::sim {
namespace {

// An engine on a store of its own.
class Place : public EngineWorld {
public:
    Place() { open(); }
    void TestBody() override {}

    void send(std::vector<ports::AnyCommand> group, JournalCast* cast = nullptr) {
        now_ = now_ + base::milliseconds(7);
        const auto effects = engine_->step(now_, std::move(group));
        for (const ports::AnyCommand& command : effects.answered) {
            if (cast != nullptr) cast->heard(*command);
        }
    }
    JournalLook look() {
        auto looked = look_at_journal(*store_, {"ada", "bob"});
        RC_ASSERT(looked.ok());
        return std::move(*looked);
    }
    base::Timestamp now() { return now_; }
};

// Records without the numbers that each store gives its own.
std::map<JournalLook::Key, model::JournalRecord> without_numbers(const JournalLook& look) {
    auto records = look.records;
    for (auto& [key, record] : records) record.number = 0;
    return records;
}
// Terms by the record that has them.
std::set<std::pair<std::string, std::string>> terms(const JournalLook& look) {
    std::map<std::int64_t, std::string> ids;
    for (const auto& [key, record] : look.records) ids[record.number] = key.first + "/" + key.second;
    std::set<std::pair<std::string, std::string>> all;
    for (const ports::JournalTerm& term : look.terms) all.emplace(ids.at(term.number), term.term);
    return all;
}

TEST(JournalProperty, whatever_was_done_exported_and_imported_is_an_equal_journal) {
    EXPECT_TRUE(rc::check([] {
        Place from;
        JournalCast cast(SeededRandom(*rc::gen::arbitrary<std::uint64_t>()));
        JournalLook known;
        for (int round = *rc::gen::inRange(1, 40); round > 0; --round) {
            std::vector<ports::AnyCommand> group;
            for (int i = 0; i < 6; ++i) group.push_back(cast.act(known, from.now()));
            from.send(std::move(group), &cast);
            known = from.look();
        }
        Place to;
        const auto slice = *rc::gen::inRange<std::size_t>(1, base::limits::journal_import_records_max);
        for (const char* user : {"ada", "bob"}) {
            std::map<std::int64_t, model::JournalRecord> by_number;
            for (const auto& [key, record] : known.records) {
                if (key.first == user) by_number.emplace(record.number, record);
            }
            std::vector<ports::JournalItem> items;
            for (auto& [number, record] : by_number) items.emplace_back(std::move(record));
            for (const auto& [name, link] : known.links) {
                if (name.user_id == user) items.emplace_back(link);
            }
            for (std::size_t first = 0; first < items.size(); first += slice) {
                auto import = std::make_unique<ports::ImportJournal>();
                import->principal = model::house_principal();
                import->user_id = user;
                const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
                import->items.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min(slice, items.size() - first)));
                std::vector<ports::AnyCommand> group;
                group.push_back(std::move(import));
                to.send(std::move(group));
            }
        }
        const JournalLook there = to.look();
        RC_ASSERT(without_numbers(there) == without_numbers(known));
        RC_ASSERT(there.links == known.links);
        RC_ASSERT(terms(there) == terms(known));
    }));
}

}  // namespace
}  // namespace belfry::sim
