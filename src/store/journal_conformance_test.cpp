#include <algorithm>
#include <deque>
#include <limits>
#include <type_traits>

#include "base/journal_limits.hpp"
#include "model/journal_fields.hpp"
#include "store/journal_row.hpp"
#include "store/journal_world_test.hpp"

namespace belfry::store::testing {
namespace {

namespace limits = base::limits;
using model::FieldRule;
using model::IntegerRule;
using model::JournalKind;
using model::JournalRecord;
using model::TextRule;

std::vector<JournalKind> all_kinds() {
    std::vector<JournalKind> kinds;
    for (std::size_t i = 0; i < model::journal_kind_count; ++i) kinds.push_back(static_cast<JournalKind>(i));
    return kinds;
}

std::string of_bytes(std::size_t size, std::string_view odd) {
    std::string text(odd);
    text.resize(size, 'x');
    return text;
}

// Fills every field with as much as it may hold.
template <class T>
struct Filler {
    T& body;
    std::int64_t fields = 0;

    void text(const char*, std::string T::* member, const TextRule& rule) {
        body.*member = of_bytes(rule.bytes_max, std::string_view("\0\xff'\"", 4));
        ++fields;
    }
    void date(const char*, std::string T::* member, const FieldRule&) {
        body.*member = "9999-12-31";
        ++fields;
    }
    template <class Enum, std::size_t count>
    void choice(const char*, Enum T::* member, const std::array<std::string_view, count>&, const FieldRule&) {
        body.*member = static_cast<Enum>(count - 1);
        ++fields;
    }
    template <class Number>
    void integer(const char*, Number T::* member, const IntegerRule& rule) {
        body.*member = rule.max;
        ++fields;
    }
    void flag(const char*, bool T::* member) {
        body.*member = true;
        ++fields;
    }
    template <class Time>
    void time(const char*, Time T::* member) {
        body.*member = base::Timestamp{std::numeric_limits<std::int64_t>::min() + fields};
        ++fields;
    }
    void reference(const char*, std::string T::* member, JournalKind, const FieldRule&) {
        body.*member = of_bytes(limits::journal_id_bytes_max, "\xc3\xbc");
        ++fields;
    }
    void references(const char*, std::vector<std::string> T::* member, JournalKind) {
        for (std::size_t i = 0; i < limits::journal_list_max; ++i) {
            (body.*member).push_back(of_bytes(limits::journal_id_bytes_max, "\"\\\xc3\xbc\n" + std::to_string(i)));
        }
        ++fields;
    }
    void blocks(const char*, std::vector<model::PlanBlock> T::* member) {
        const std::string id = of_bytes(limits::journal_id_bytes_max, "\"\xc3\xbc\n");
        for (std::size_t i = 0; i < limits::journal_blocks_max; ++i) {
            (body.*member)
                .push_back({id + std::to_string(i),
                            id,
                            {std::numeric_limits<std::int64_t>::max()},
                            {std::numeric_limits<std::int64_t>::min()},
                            of_bytes(1000, "\\"),
                            id});
        }
        ++fields;
    }
};

JournalRecord full(JournalKind kind) {
    JournalRecord record = task(static_cast<std::int64_t>(kind) + 1);
    record.id = of_bytes(limits::journal_id_bytes_max, "\xff" + std::to_string(record.number));
    record.category_id = of_bytes(limits::journal_id_bytes_max, "\xff");
    record.revision = std::numeric_limits<std::int64_t>::max();
    record.deleted_at = at_second(9);
    record.extension =
        model::RawJson::trusted(R"({"acme.x":")" + std::string(limits::journal_extension_bytes_max, 'x') + "\"}");
    record.body = model::empty_body(kind);
    std::visit(
        [&]<class T>(T& body) {
            Filler<T> filler{body};
            model::describe(filler, std::type_identity<T>{});
            EXPECT_GE(filler.fields, 2);
        },
        record.body);
    return record;
}

JournalRecord empty(JournalKind kind) {
    JournalRecord record = task(static_cast<std::int64_t>(kind) + 101);
    record.body = model::empty_body(kind);
    return record;
}

class Journal : public JournalSuite {};
BELFRY_ON_BOTH_DATABASES(Journal);

TEST_P(Journal, keeps_every_field_of_every_kind_as_it_was) {
    EXPECT_EQ(*table().last_number(), 0);
    std::vector<JournalRecord> all;
    Ids asked{"nobody"};
    for (const JournalKind kind : all_kinds()) {
        all.push_back(full(kind));
        all.push_back(empty(kind));
    }
    ASSERT_OK(table().put(all));
    for (const JournalRecord& record : all) asked.push_back(record.id);
    EXPECT_EQ(*table().last_number(), 100 + static_cast<std::int64_t>(model::journal_kind_count));
    auto found = table().find("ada", asked);
    ASSERT_OK(found);
    std::ranges::sort(all, {}, &JournalRecord::number);
    std::ranges::sort(*found, {}, &JournalRecord::number);
    EXPECT_TRUE(*found == all);
    const auto exported = reading().records_after("ada", 0, std::nullopt, 100);
    ASSERT_OK(exported);
    EXPECT_TRUE(*exported == all) << "tombstones too, by number";
}

TEST_P(Journal, replaces_a_record_with_all_that_it_has) {
    for (const JournalKind kind : all_kinds()) {
        SCOPED_TRACE(model::journal_kind_name(kind));
        JournalRecord record = full(kind);
        put(record);
        JournalRecord next = empty(kind);
        next.id = record.id;
        next.number = record.number;
        next.category_id = "gym";
        put(next);
        const Ids id{record.id};
        EXPECT_TRUE(*table().find("ada", id) == std::vector{next});
        EXPECT_EQ(ids(reading().find("ada", id, Ids{"gym"})), id) << "the directory has followed";
        put(record);
        EXPECT_TRUE(*table().find("ada", id) == std::vector{record});
    }
}

TEST_P(Journal, is_everybodys_own) {
    JournalRecord hers = task(1);
    JournalRecord his = task(2);
    his.id = hers.id;
    his.user_id = "bob";
    put(hers, {"k:task"});
    put(his, {"k:task"});
    const Ids id{hers.id};
    EXPECT_TRUE(*table().find("ada", id) == std::vector{hers});
    EXPECT_TRUE(*table().find("bob", id) == std::vector{his});
    EXPECT_TRUE(table().find("eve", id)->empty());
    ports::JournalReading& beside = reading();
    EXPECT_EQ(beside.list({.user_id = "bob", .terms = {"k:task"}, .limit = 10})->records, (std::vector{his}));
    EXPECT_TRUE(*beside.holds_anything("bob"));
    EXPECT_FALSE(*beside.holds_anything("eve"));
    EXPECT_TRUE(beside.terms_from("eve", "k:", 10)->empty());
}

TEST_P(Journal, lists_along_a_term_newest_first_page_by_page) {
    for (std::int64_t i = 1; i <= 9; ++i) put(task(i), i % 2 == 0 ? Ids{"k:task", "s:done"} : Ids{"k:task"});
    ports::JournalReading& beside = reading();
    ports::JournalFilter filter{.user_id = "ada", .terms = {"k:task"}, .limit = 4};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r9", "r8", "r7", "r6"}));
    filter.after = {{}, 6};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r5", "r4", "r3", "r2"}));
    filter.after = {{}, 2};
    const auto last = beside.list(filter);
    EXPECT_EQ(ids(last), (Ids{"r1"}));
    EXPECT_FALSE(last->looked_to);
    filter.after = {{}, 1};
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
    filter.after.reset();
    filter.terms = {"k:task", "s:done"};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r8", "r6", "r4", "r2"}));
    filter.terms = {"s:done", "k:task", "s:done", "k:task", "w:none"};
    EXPECT_EQ(ids(beside.list(filter)), Ids{}) << "all of them";
    filter.terms = {"none"};
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
    filter.limit = 0;
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
}

// As many terms as may be asked for, each once missing.
TEST_P(Journal, asks_for_all_terms_however_many) {
    Ids terms;
    for (std::size_t i = 0; i < limits::journal_terms_max; ++i) terms.push_back("w:" + std::to_string(i));
    for (std::size_t i = 0; i < limits::journal_terms_max; ++i) {
        Ids but_one = terms;
        but_one.erase(but_one.begin() + static_cast<std::ptrdiff_t>(i));
        put(task(static_cast<std::int64_t>(i) + 1), but_one);
    }
    put(task(100), terms);
    ports::JournalReading& beside = reading();
    for (std::size_t count = 1; count <= terms.size(); ++count) {
        ports::JournalFilter filter{.user_id = "ada", .limit = 100};
        filter.terms.assign(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count));
        EXPECT_EQ(ids(beside.list(filter)).size(), terms.size() - count + 1) << count;
    }
    terms.push_back("w:more");
    EXPECT_EQ(beside.list({.user_id = "ada", .terms = terms, .limit = 1}).error().code, base::Code::too_large);
    EXPECT_EQ(beside.list({.user_id = "ada", .limit = 1}).error().code, base::Code::invalid);
}

TEST_P(Journal, merges_several_terms_newest_first_each_record_once) {
    for (std::int64_t i = 1; i <= 200; ++i) {
        Ids terms{i % 3 == 0 ? "w:milk" : i % 3 == 1 ? "w:mild" : "w:other"};
        if (i % 6 == 0) terms.emplace_back("w:mild");
        if (i % 2 == 0) terms.emplace_back("s:done");
        put(task(i), terms);
    }
    ports::JournalReading& beside = reading();
    ports::JournalFilter filter{.user_id = "ada", .any_of = {"w:milk", "w:mild", "w:mine"}, .limit = 7};
    Ids expected;
    for (std::int64_t i = 200; i > 0; --i) {
        if (i % 3 != 2) expected.push_back(id_of(i));
    }
    Ids found;
    for (int pages = 0; pages < 100; ++pages) {
        const auto page = beside.list(filter);
        if (ids(page).empty()) break;
        std::ranges::copy(ids(page), std::back_inserter(found));
        filter.after = {{}, page->records.back().number};
    }
    EXPECT_EQ(found, expected);
    filter.after.reset();
    filter.terms = {"s:done"};
    filter.limit = 200;
    std::erase_if(expected, [](const std::string& id) { return std::stoi(id.substr(1)) % 2 != 0; });
    EXPECT_EQ(ids(beside.list(filter)), expected);
    filter.any_of.resize(limits::journal_ways_max + 1, "w");
    EXPECT_EQ(beside.list(filter).error().code, base::Code::too_large);
}

TEST_P(Journal, lists_a_range_of_terms_in_their_order_the_oldest_first) {
    put(task(1), {"d:2026-11-20"});
    put(task(2), {"d:2026-11-16"});
    put(task(3), {"d:2026-11-20", "c:gym"});
    put(task(4), {"d:2026-11-21"});
    put(task(5), {"d:2026-11-16", "c:gym"});
    ports::JournalReading& beside = reading();
    ports::JournalFilter filter{.user_id = "ada", .range_from = "d:2026-11-16", .range_to = "d:2026-11-21", .limit = 3};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r2", "r5", "r1"}));
    filter.after = {"d:2026-11-20", 1};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r3"}));
    filter.after.reset();
    filter.terms = {"c:gym"};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r5", "r3"}));
    filter.range_from = "d:2026-11-17";
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r3"}));
    filter.terms.clear();
    filter.categories = Ids{"gym"};
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
    filter.categories = Ids{"gym", "general"};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r1", "r3"}));
}

TEST_P(Journal, reads_nothing_but_what_is_of_an_allowed_category) {
    for (std::int64_t i = 1; i <= 6; ++i) put(task(i, i % 3 == 0 ? "gym" : i % 3 == 1 ? "work" : "home"), {"k:task"});
    ports::JournalReading& beside = reading();
    ports::JournalFilter filter{.user_id = "ada", .terms = {"k:task"}, .categories = Ids{"gym"}, .limit = 10};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r6", "r3"}));
    filter.categories = Ids{"gym", "home"};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r6", "r5", "r3", "r2"}));
    filter.categories = Ids{};
    EXPECT_EQ(ids(beside.list(filter)), Ids{}) << "an empty list allows nothing";
    const Ids all{"r1", "r2", "r3"};
    EXPECT_EQ(ids(beside.find("ada", all, Ids{"gym"})), (Ids{"r3"}));
    EXPECT_EQ(ids(beside.find("ada", all, Ids{})), Ids{});
    EXPECT_EQ(sorted(ids(beside.find("ada", all, std::nullopt))), all);
    EXPECT_EQ(ids(beside.records_after("ada", 3, Ids{"gym", "work"}, 10)), (Ids{"r4", "r6"}));
    EXPECT_EQ(ids(beside.records_after("ada", 0, Ids{"gym", "work"}, 2)), (Ids{"r1", "r3"}));
    EXPECT_EQ(ids(beside.records_after("ada", 0, Ids{}, 2)), Ids{});
    Ids many;
    for (std::size_t i = 1; i < limits::allowed_categories_max; ++i) many.push_back(std::to_string(i));
    many.emplace_back("home");
    filter.categories = many;
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r5", "r2"}));
    many.emplace_back("work");
    filter.categories = many;
    EXPECT_EQ(beside.list(filter).error().code, base::Code::too_large);
    EXPECT_EQ(beside.records_after("ada", 0, many, 2).error().code, base::Code::too_large);
}

TEST_P(Journal, stops_a_list_that_has_looked_at_much_and_goes_on_where_it_stopped) {
    const auto count = static_cast<std::int64_t>(limits::journal_scan_max) + 5;
    std::vector<ports::JournalTerm> terms;
    for (std::int64_t i = 2; i <= count; ++i) {
        terms.push_back({"ada", "k:task", i, "general", JournalKind::task});
        terms.push_back({"ada", i % 2 == 0 ? "w:even" : "w:odd", i, "general", JournalKind::task});
    }
    ASSERT_OK(table().add_terms(terms));
    put(task(1, "gym"), {"k:task", "w:odd"});
    ports::JournalReading& beside = reading();
    ports::JournalFilter filter{.user_id = "ada", .terms = {"k:task"}, .categories = Ids{"gym"}, .limit = 3};
    for (const bool several : {false, true}) {
        SCOPED_TRACE(several ? "along several terms" : "along one");
        filter.after.reset();
        auto page = beside.list(filter);
        EXPECT_EQ(ids(page), Ids{});
        ASSERT_TRUE(page->looked_to);
        EXPECT_EQ(page->looked_to->number, 6);
        filter.after = page->looked_to;
        page = beside.list(filter);
        EXPECT_EQ(ids(page), (Ids{"r1"}));
        EXPECT_FALSE(page->looked_to);
        filter.any_of = {"w:even", "w:odd", "k:task"};
    }
    filter = {.user_id = "ada", .range_from = "w:even", .range_to = "w:p", .categories = Ids{"gym"}, .limit = 3};
    auto page = beside.list(filter);
    EXPECT_EQ(ids(page), (Ids{"r1"})) << "the first of the second half";
    ASSERT_TRUE(page->looked_to);
    EXPECT_EQ(page->looked_to->term, "w:odd");
    filter.after = page->looked_to;
    page = beside.list(filter);
    EXPECT_EQ(ids(page), Ids{});
    EXPECT_FALSE(page->looked_to);
}

// So that what is asked for in which order does not matter.
TEST_P(Journal, goes_along_the_rarest_term) {
    const auto count = static_cast<std::int64_t>(limits::journal_scan_max) + 5;
    std::vector<ports::JournalTerm> terms;
    for (std::int64_t i = 2; i <= count; ++i) terms.push_back({"ada", "k:task", i, "general", JournalKind::task});
    ASSERT_OK(table().add_terms(terms));
    put(task(1), {"k:task", "w:milk"});
    ports::JournalReading& beside = reading();
    for (const Ids& asked : {Ids{"k:task", "w:milk"}, Ids{"w:milk", "k:task"}}) {
        const auto page = beside.list({.user_id = "ada", .terms = asked, .limit = 3});
        EXPECT_EQ(ids(page), (Ids{"r1"}));
        EXPECT_FALSE(page->looked_to);
    }
    ports::JournalFilter filter{.user_id = "ada", .terms = {"w:milk"}, .any_of = {"w:none", "k:task"}, .limit = 3};
    const auto page = beside.list(filter);
    EXPECT_EQ(ids(page), (Ids{"r1"})) << "any of some, where one of them is frequent";
    EXPECT_FALSE(page->looked_to);
    filter.any_of = {"w:none", "w:neither"};
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
    filter = {.user_id = "ada", .terms = {"w:milk", "k:task"}, .any_of = {"k:task", "w:x"}, .limit = 3};
    filter.categories = Ids{"gym"};
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
    filter.categories = Ids{"general"};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r1"}));
    filter.terms.emplace_back("w:none");
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
}

TEST_P(Journal, takes_terms_away_and_moves_them_to_another_category) {
    JournalRecord record = task(1, "home");
    put(record, {"k:task", "w:milk", "w:bread"});
    const Ids gone{"w:milk"};
    ASSERT_OK(table().remove_terms(terms_of(record, gone)));
    EXPECT_EQ(*table().with_term("ada", "w:milk", 10), Ids{});
    EXPECT_EQ(*table().with_term("ada", "w:bread", 10), (Ids{"r1"}));
    record.category_id = "gym";
    put(record, {"k:task", "w:bread"});
    ports::JournalReading& beside = reading();
    ports::JournalFilter filter{.user_id = "ada", .terms = {"w:bread"}, .categories = Ids{"home"}, .limit = 10};
    EXPECT_EQ(ids(beside.list(filter)), Ids{});
    filter.categories = Ids{"gym"};
    EXPECT_EQ(ids(beside.list(filter)), (Ids{"r1"}));
}

TEST_P(Journal, tells_the_newest_ids_of_a_term) {
    for (std::int64_t i = 1; i <= 5; ++i) put(task(i), {"p:list"});
    EXPECT_EQ(*table().with_term("ada", "p:list", 3), (Ids{"r5", "r4", "r3"}));
    EXPECT_EQ(*table().with_term("bob", "p:list", 3), Ids{});
}

TEST_P(Journal, tells_the_terms_that_begin_so) {
    for (std::int64_t i = 1; i <= 50; ++i) put(task(i), {"w:milk", "w:mild", "w:mi", "w:m", "w:n\xff", "w:n\xff\xff"});
    ports::JournalReading& beside = reading();
    EXPECT_EQ(*beside.terms_from("ada", "w:mi", 10), (Ids{"w:mi", "w:mild", "w:milk"}));
    EXPECT_EQ(*beside.terms_from("ada", "w:mi", 2), (Ids{"w:mi", "w:mild"}));
    EXPECT_EQ(*beside.terms_from("ada", "w:mil", 10), (Ids{"w:mild", "w:milk"}));
    EXPECT_EQ(*beside.terms_from("ada", "w:n\xff", 10), (Ids{"w:n\xff", "w:n\xff\xff"}));
    EXPECT_EQ(*beside.terms_from("ada", "w:x", 10), Ids{});
    EXPECT_EQ(*beside.terms_from("ada", "v", 10), Ids{});
}

TEST_P(Journal, is_erased_in_slices_and_only_of_one) {
    std::int64_t number = 0;
    for (int round = 0; round < 5; ++round) {
        for (const JournalKind kind : all_kinds()) {
            for (const char* user : {"ada", "bob"}) {
                JournalRecord record = empty(kind);
                record.number = ++number;
                record.user_id = user;
                record.id = id_of(number);
                put(record, {"k:x", "w:y"});
            }
        }
    }
    model::Link his = link("r", "r2", "r4");
    his.user_id = "bob";
    put({link("r", "r1", "r3"), link("r", "r3", "r5"), his});
    std::uint64_t gone = 0;
    for (;;) {
        const auto some = table().erase_user("ada", 7);
        ASSERT_OK(some);
        if (*some == 0) break;
        EXPECT_LE(*some, 7U);
        gone += *some;
        ASSERT_LT(gone, 1000U);
    }
    EXPECT_EQ(gone, 5U * 9U * (2U + 1U + 1U) + 2U);
    ports::JournalReading& beside = reading();
    EXPECT_FALSE(*beside.holds_anything("ada"));
    EXPECT_EQ(beside.records_after("bob", 0, std::nullopt, 1000)->size(), 45U);
    EXPECT_EQ(ids(beside.list({.user_id = "bob", .terms = {"k:x", "w:y"}, .limit = 100})).size(), 45U);
    EXPECT_EQ(names(beside.links_after({"bob"}, std::nullopt, 10)), (Ids{"r2 r r4"}));
    std::deque<MadeSql> counts;
    for (const JournalKind kind : all_kinds()) {
        counts.emplace_back("SELECT count(*) FROM " + journal_table_name(kind));
        ASSERT_OK(store().database().run(counts.back(), {}, [](const Row& row) { EXPECT_EQ(row.number(0), 5); }));
    }
}

}  // namespace
}  // namespace belfry::store::testing
