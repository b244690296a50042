#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/test_world.hpp"

// What the journal's tests share. Only tests include it.
namespace belfry::store::testing {

using Ids = std::vector<std::string>;

inline std::string id_of(std::int64_t number) {
    return "r" + std::to_string(number);
}

inline model::JournalRecord task(std::int64_t number, std::string category = "general") {
    model::JournalRecord record;
    record.id = id_of(number);
    record.user_id = "ada";
    record.category_id = std::move(category);
    record.number = number;
    record.revision = 1;
    record.created_at = record.updated_at = at_second(number);
    model::Task body;
    body.title = "task " + std::to_string(number);
    record.body = std::move(body);
    return record;
}

inline std::vector<ports::JournalTerm> terms_of(const model::JournalRecord& record, const Ids& terms) {
    std::vector<ports::JournalTerm> made;
    for (const std::string& term : terms) {
        made.push_back({record.user_id, term, record.number, record.category_id, record.kind()});
    }
    return made;
}

inline model::Link link(std::string relation, std::string from, std::string to) {
    model::Link made;
    made.user_id = "ada";
    made.relation = std::move(relation);
    made.from_id = std::move(from);
    made.to_id = std::move(to);
    made.revision = 1;
    made.created_at = made.updated_at = at_second(1);
    return made;
}

inline Ids ids(const std::vector<model::JournalRecord>& records) {
    Ids found;
    for (const model::JournalRecord& record : records) found.push_back(record.id);
    return found;
}
inline Ids ids(const base::Result<std::vector<model::JournalRecord>>& records) {
    EXPECT_OK(records);
    return records.ok() ? ids(*records) : Ids{};
}
inline Ids ids(const base::Result<ports::JournalPage>& page) {
    EXPECT_OK(page);
    return page.ok() ? ids(page->records) : Ids{};
}
inline Ids sorted(Ids some) {
    std::ranges::sort(some);
    return some;
}

// `from relation to`.
inline Ids names(const base::Result<std::vector<model::Link>>& links) {
    EXPECT_OK(links);
    Ids found;
    if (!links.ok()) return found;
    for (const model::Link& one : *links) found.push_back(one.from_id + " " + one.relation + " " + one.to_id);
    return found;
}

class JournalSuite : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        scribe_.emplace(world());
        scribe_->open();
        scribe_->begin();
    }
    SqlStore& store() { return scribe_->store(); }
    ports::JournalTable& table() { return store().journal(); }
    void put(const model::JournalRecord& record, const Ids& terms = {}) {
        ASSERT_OK(table().put(std::span(&record, 1)));
        ASSERT_OK(table().add_terms(terms_of(record, terms)));
    }
    void put(const std::vector<model::Link>& links) { ASSERT_OK(table().put_links(links)); }

    // What was written so far, as it is read beside.
    ports::JournalReading& reading() {
        scribe_->commit();
        scribe_->begin();
        reading_ = world().reading();
        return reading_->journal();
    }

private:
    std::optional<Scribe> scribe_;
    std::unique_ptr<ports::Reading> reading_;
};

}  // namespace belfry::store::testing
