#include "base/journal_limits.hpp"
#include "store/journal_world_test.hpp"

namespace belfry::store::testing {
namespace {

namespace limits = base::limits;

class Links : public JournalSuite {
protected:
    // Five tasks, the last of another category.
    void SetUp() override {
        JournalSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        for (std::int64_t i = 1; i <= 4; ++i) put(task(i));
        put(task(5, "gym"));
    }
    void remove(std::int64_t number) {
        model::JournalRecord gone = task(number);
        gone.deleted_at = at_second(9);
        put(gone);
    }
    // What an agent's tool has done to a record, so many times; and a message that came after one with such an id.
    void add_effects(const std::string& id, int count) {
        std::vector<model::AgentLink> effects;
        for (int i = 0; i < count; ++i) {
            base::Uuid message;
            message.bytes[0] = static_cast<std::uint8_t>(i + 1);
            effects.push_back({model::AgentRelation::tool_effect, message, id, "ada", at_second(i)});
        }
        effects.push_back({model::AgentRelation::message_prev, effects.front().from, id, "ada", at_second(1)});
        ASSERT_OK(store().agent_messages().link(effects));
    }
    static ports::LinkFilter from(std::string id) { return {.user_id = "ada", .from_id = std::move(id), .limit = 10}; }
    static ports::LinkFilter to(std::string id) { return {.user_id = "ada", .to_id = std::move(id), .limit = 10}; }
};
BELFRY_ON_BOTH_DATABASES(Links);

TEST_P(Links, come_back_as_they_were_and_are_replaced) {
    model::Link full = link(std::string(limits::link_relation_chars_max, 'z'),
                            std::string(limits::journal_id_bytes_max, '\xfe'), std::string("\0\xff", 2));
    full.metadata = model::RawJson::trusted(R"({"a":")" + std::string(limits::link_metadata_bytes_max, 'x') + "\"}");
    full.hidden = true;
    full.revision = 7;
    full.updated_at = at_second(8);
    full.deleted_at = at_second(9);
    const model::Link plain = link("r", "r1", "r2");
    put({full, plain});
    const std::vector<ports::LinkName> names{{"ada", full.relation, full.from_id, full.to_id},
                                             {"ada", "r", "r1", "r2"},
                                             {"bob", "r", "r1", "r2"},
                                             {"ada", "r", "r2", "r1"}};
    EXPECT_TRUE(*table().find_links(names) == (std::vector{full, plain}));
    model::Link next = plain;
    next.hidden = true;
    next.metadata = model::RawJson::trusted(R"({"b":1})");
    next.revision = 2;
    next.updated_at = at_second(3);
    put(std::vector{next});
    EXPECT_TRUE(*table().find_links(std::span(names).subspan(1)) == std::vector{next});
}

TEST_P(Links, are_found_from_either_end_by_relation_and_other_end) {
    put({link("blocks", "r1", "r3"), link("blocks", "r1", "r2"), link("after", "r1", "r4"), link("zeal", "r1", "r2"),
         link("blocks", "r4", "r3"), link("vex", "r2", "r3")});
    ports::JournalReading& beside = reading();
    EXPECT_EQ(names(beside.links(from("r1"))), (Ids{"r1 after r4", "r1 blocks r2", "r1 blocks r3", "r1 zeal r2"}));
    EXPECT_EQ(names(beside.links(to("r3"))), (Ids{"r1 blocks r3", "r4 blocks r3", "r2 vex r3"}));
    ports::LinkFilter filter = from("r1");
    filter.relation = "blocks";
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 blocks r2", "r1 blocks r3"}));
    filter.relation = "block";
    EXPECT_EQ(names(beside.links(filter)), Ids{});
    filter.relation.clear();
    filter.to_id = "r2";
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 blocks r2", "r1 zeal r2"}));
    filter.user_id = "bob";
    EXPECT_EQ(names(beside.links(filter)), Ids{});
    EXPECT_EQ(beside.links({.user_id = "ada", .limit = 1}).error().code, base::Code::invalid);
}

TEST_P(Links, are_read_page_by_page) {
    put({link("a", "r1", "r2"), link("a", "r1", "r3"), link("z", "r1", "r2"), link("a", "r2", "r4"),
         link("z", "r1", "r4"), link("z", "r3", "r4"), link("u", "r1", "r5"), link("u", "r4", "r4")});
    ports::JournalReading& beside = reading();
    for (const bool outwards : {true, false}) {
        ports::LinkFilter filter = outwards ? from("r1") : to("r4");
        filter.limit = 1;
        Ids found;
        for (auto page = beside.links(filter); page.ok() && !page->empty(); page = beside.links(filter)) {
            found.push_back(names(page).front());
            ASSERT_LT(found.size(), 9U);
            filter.after = {"ada", page->front().relation, page->front().from_id, page->front().to_id};
        }
        EXPECT_EQ(found, outwards ? (Ids{"r1 a r2", "r1 a r3", "r1 u r5", "r1 z r2", "r1 z r4"})
                                  : (Ids{"r2 a r4", "r4 u r4", "r1 z r4", "r3 z r4"}));
    }
}

TEST_P(Links, that_are_hidden_are_found_where_they_are_asked_for) {
    model::Link hidden = link("r", "r1", "r2");
    hidden.hidden = true;
    put({hidden, link("r", "r1", "r3")});
    ports::JournalReading& beside = reading();
    ports::LinkFilter filter = from("r1");
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 r r3"}));
    filter.hidden = true;
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 r r2", "r1 r r3"}));
    const Ids asked{"r1"};
    EXPECT_EQ(names(table().links_of("ada", asked, 10)), (Ids{"r1 r r2", "r1 r r3"}));
}

TEST_P(Links, are_not_shown_while_an_end_is_a_tombstone_or_they_are_one) {
    model::Link gone = link("r", "r1", "r3");
    gone.deleted_at = at_second(5);
    put({link("r", "r1", "r2"), gone, link("r", "r1", "r4"), link("r", "r1", "nowhere")});
    remove(2);
    ports::JournalReading& beside = reading();
    EXPECT_EQ(names(beside.links(from("r1"))), (Ids{"r1 r r4"}));
    EXPECT_EQ(names(beside.links(to("r2"))), Ids{});
    EXPECT_EQ(names(beside.links(to("r3"))), Ids{});
    EXPECT_EQ(names(beside.links_after({"ada"}, std::nullopt, 10)),
              (Ids{"r1 r nowhere", "r1 r r2", "r1 r r3", "r1 r r4"}))
        << "an export has all";
    const Ids asked{"r1", "r2", "r3", "r4"};
    EXPECT_EQ(names(table().links_of("ada", asked, 10)), (Ids{"r1 r nowhere", "r1 r r2", "r1 r r4"})) << "each once";
    EXPECT_EQ(table().links_of("ada", asked, 2)->size(), 2U);
}

TEST_P(Links, lead_nowhere_outside_of_the_allowed_categories) {
    put({link("r", "r1", "r2"), link("r", "r1", "r5")});
    ports::JournalReading& beside = reading();
    ports::LinkFilter filter = from("r1");
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 r r2", "r1 r r5"}));
    filter.categories = Ids{"general"};
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 r r2"}));
    filter = to("r5");
    filter.categories = Ids{"gym"};
    EXPECT_EQ(names(beside.links(filter)), Ids{}) << "the other end is outside";
    filter.from_id = "r1";
    filter.categories = Ids{"gym", "general"};
    EXPECT_EQ(names(beside.links(filter)), (Ids{"r1 r r5"}));
    filter.categories = Ids{};
    EXPECT_EQ(names(beside.links(filter)), Ids{});
    EXPECT_EQ(names(beside.links_after({"ada"}, Ids{"general"}, 10)), (Ids{"r1 r r2"}));
    EXPECT_EQ(names(beside.links_after({"ada"}, Ids{}, 10)), Ids{});
}

TEST_P(Links, of_agents_lie_beside_and_are_nobodys_to_see) {
    put({link("a", "r1", "r2"), link("z", "r1", "r2"), link("u", "r3", "r2")});
    add_effects("r2", 3);
    ports::JournalReading& beside = reading();
    EXPECT_EQ(names(beside.links(to("r2"))), (Ids{"r1 a r2", "r3 u r2", "r1 z r2"}));
    const Ids asked{"r2"};
    EXPECT_EQ(names(table().links_of("ada", asked, 10)), (Ids{"r1 a r2", "r1 z r2", "r3 u r2"}));
    ports::LinkName after{"ada"};
    EXPECT_EQ(names(beside.links_after(after, std::nullopt, 2)), (Ids{"r1 a r2", "r1 z r2"}));
    after = {"ada", "z", "r1", "r2"};
    EXPECT_EQ(names(beside.links_after(after, std::nullopt, 2)), (Ids{"r3 u r2"}));
    ports::LinkFilter filter = to("r2");
    filter.relation = "tool_effect";
    EXPECT_EQ(names(beside.links(filter)), Ids{});
}

}  // namespace
}  // namespace belfry::store::testing
