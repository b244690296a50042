#include <cstdlib>

#include "sim/scope_calls_test.hpp"
#include "sim/tools_world_test.hpp"
#include "tools/registry.hpp"

// Whatever is in a journal and whatever an agent calls: what lies outside its categories is neither changed nor told.
namespace belfry::sim {
namespace {

constexpr const char* person = "bob";  // whose agent it is; ada's journal lies beside his
constexpr int rounds_default = 60;     // each with a journal of its own and all tools, most of them called twice

// How often each tool was done, and how often something was refused for its scope: that the rounds mean something.
struct Tally {
    std::map<std::string, int> done;
    int out_of_scope = 0;
    int compared = 0;
};

class ScopeRound : public ToolsWorld {
public:
    ScopeRound(std::uint64_t seed, Tally& tally)
        : dice_(seed),
          journal_(dice_.fork(), now_, false),
          foreign_(dice_.fork(), now_, true),
          calls_(dice_.fork()),
          secrets_(journal_.secret_ids()),
          tally_(tally) {
        // What is called after a day is called so in each journal.
        for (const std::string& id : foreign_.secret_ids()) {
            if (!id.starts_with("rating:")) secrets_.insert(id);
        }
        import(person, journal_);
        import("ada", foreign_);
        settle_agent("keeper", {journal_.scope().begin(), journal_.scope().end()}, all_capabilities(), person);
        be("keeper");
    }
    void TestBody() override {}

    void go() {
        look_ = look();
        for (const tools::Tool& tool : tools::all_tools()) {
            try_tool(tool);
            if (HasFailure()) return;
        }
        expect_terms();
    }

private:
    using Members = ScopeCalls::Members;

    void import(const std::string& user, const ScopeJournal& journal) {
        auto command = std::make_unique<ports::ImportJournal>();
        command->user_id = user;
        command->items = journal.items();
        const ports::Imported imported = ask(std::move(command));
        for (const auto& conflict : imported.conflicts) ADD_FAILURE() << conflict.id << ": " << conflict.message;
    }

    void try_tool(const tools::Tool& tool) {
        tell_what_is_there();
        const Members members = calls_.arguments_for(tool);
        const std::string arguments = ScopeCalls::text_of(members);
        const Called called = watched_call(tool, arguments);
        compare_with_made_up(tool, arguments, called);
        if (!called.ok() || !called->result) return;
        const std::string token = text_in(called->result->content, "previewToken");
        if (!token.empty()) (void)watched_call(tool, with_token(members, token));
    }
    // The same call, after its preview.
    static std::string with_token(Members members, const std::string& token) {
        std::erase_if(members, [](const auto& one) { return one.first.starts_with("preview"); });
        members.emplace_back("previewToken", '"' + token + '"');
        return ScopeCalls::text_of(members);
    }

    Called watched_call(const tools::Tool& tool, const std::string& arguments) {
        SCOPED_TRACE(tool.contract.name + ' ' + arguments);
        now_ = now_ + base::milliseconds(7);
        Called called = call(tool.contract.name, arguments);
        EXPECT_TRUE(called.ok()) << called.error().message;
        if (!called.ok()) return called;
        const model::AgentMessage& result = *called->result;
        tally_.done[tool.contract.name] += result.metadata.status == model::ToolStatus::success;
        tally_.out_of_scope += result.metadata.error_code == "out_of_scope";
        std::string told =
            result.content.bytes() + '\n' + result.metadata.error_code + '\n' + result.metadata.error_message;
        for (const std::string& id : result.tool_result->changed_entity_ids) told += '\n' + id;
        for (const std::string& token : result.tool_result->changed_tokens) told += '\n' + token;
        // Its own memory tells an agent what it has said itself.
        const bool remembers = tool.contract.name == "recall" || tool.contract.name == "open_summary";
        said_ += arguments + '\n';
        expect_kept_quiet(remembers ? said_ : arguments, told);
        JournalLook before = std::exchange(look_, look());
        expect_untouched(before);
        learn_blocks();
        return called;
    }
    void expect_kept_quiet(const std::string& arguments, const std::string& told) {
        EXPECT_EQ(told.find(secret_word), std::string::npos) << told;
        for (const std::string& id : secrets_) {
            const bool is_told = told.find(id) != std::string::npos && arguments.find(id) == std::string::npos;
            EXPECT_FALSE(is_told) << id << " in " << told;
        }
    }

    // What is not there for the agent and what is nowhere are answered alike.
    void compare_with_made_up(const tools::Tool& tool, const std::string& arguments, const Called& called) {
        std::vector<std::pair<std::string, std::string>> names;
        for (const std::string& id : secrets_) {
            const bool is_given = arguments.find('"' + id + '"') != std::string::npos;
            if (is_given) names.emplace_back(id, ScopeJournal::made_up_id(dice_).substr(0, id.size()));
        }
        if (names.empty() || !called.ok()) return;
        ++tally_.compared;
        std::string other = arguments;
        for (const auto& [id, made_up] : names) replace(other, id, made_up);
        const Called again = watched_call(tool, other);
        if (!again.ok()) return;
        SCOPED_TRACE(tool.contract.name + ' ' + arguments + " and " + other);
        // A plan has each block's id once: whoever knows the id of one that he does not see is told that it is taken.
        if (called->result->metadata.error_code == "taken") return;
        const bool is_read = tool.contract.idempotency == model::ToolIdempotency::read_only;
        std::string answer = answer_of(*again->result, is_read);
        for (const auto& [id, made_up] : names) replace(answer, made_up, id);
        EXPECT_EQ(answer_of(*called->result, is_read), answer);
    }
    static std::string answer_of(const model::AgentMessage& result, bool is_read) {
        return result.metadata.error_code + ": " + result.metadata.error_message +
               (is_read ? result.content.bytes() : std::string());
    }
    static void replace(std::string& text, const std::string& from, const std::string& to) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }

    bool is_inside(const JournalLook& all, const model::JournalRecord& record) {
        if (record.user_id != person) return false;
        return is_visible(record, journal_.scope(),
                          [&](const std::string& id) { return find(all, record.user_id, id); });
    }
    static const model::JournalRecord* find(const JournalLook& all, const std::string& user, const std::string& id) {
        const auto at = all.records.find({user, id});
        return at == all.records.end() ? nullptr : &at->second;
    }
    bool is_inside(const JournalLook& all, const std::string& id) {
        const model::JournalRecord* const record = find(all, person, id);
        return record != nullptr && is_inside(all, *record);
    }
    static bool is_plan(const model::JournalRecord& record) {
        return record.user_id == person && record.kind() == model::JournalKind::day_plan;
    }

    void tell_what_is_there() {
        std::vector<const model::JournalRecord*> inside;
        std::vector<const model::JournalRecord*> outside;
        for (const auto& [key, record] : look_.records) {
            const bool is_his = is_inside(look_, record) && !record.deleted_at;
            (is_his || is_plan(record) ? inside : outside).push_back(&record);
        }
        calls_.know(inside, outside, journal_.scope());
    }

    void expect_untouched(const JournalLook& before) {
        for (const auto& [key, record] : before.records) {
            const model::JournalRecord* const now = find(look_, key.first, key.second);
            ASSERT_NE(now, nullptr) << key.second;
            if (is_plan(record) && !record.deleted_at) {
                EXPECT_EQ(unseen_part(before, *now), unseen_part(before, record)) << key.second;
                expect_tasks_of_blocks(before, record, *now);
            } else if (!is_inside(before, record) || record.deleted_at) {
                EXPECT_EQ(*now, record) << key.second;
            } else {
                EXPECT_TRUE(is_inside(look_, *now)) << key.second << " has left";
            }
        }
        for (const auto& [key, record] : look_.records) {
            if (before.records.contains(key)) continue;
            const bool is_made_for_plan = record.id == model::default_category || is_plan(record);
            EXPECT_TRUE(is_inside(look_, record) || (is_made_for_plan && !journal_.scope().empty())) << record.id;
        }
        for (const auto& [name, link] : before.links) {
            const bool is_his = is_inside(before, name.from_id) && is_inside(before, name.to_id);
            if (!is_his || name.user_id != person) EXPECT_EQ(look_.links.at(name), link);
        }
        for (const auto& [name, link] : look_.links) {
            if (before.links.contains(name)) continue;
            EXPECT_TRUE(is_inside(look_, name.from_id) && is_inside(look_, name.to_id)) << name.from_id;
        }
    }
    // Of a plan: what is not the agent's business.
    model::JournalRecord unseen_part(const JournalLook& all, const model::JournalRecord& record) {
        model::JournalRecord unseen = record;
        unseen.revision = 0;
        unseen.updated_at = {};
        auto& plan = std::get<model::DayPlan>(unseen.body);
        std::erase_if(plan.blocks, [&](const auto& block) { return journal_.scope().contains(block.category_id); });
        std::erase_if(plan.pinned_task_ids, [&](const std::string& id) { return is_inside(all, id); });
        return unseen;
    }
    // A task that the agent does not see stays with its block, or gives way to one that it sees.
    void expect_tasks_of_blocks(const JournalLook& before, const model::JournalRecord& was,
                                const model::JournalRecord& is) {
        for (const model::PlanBlock& block : std::get<model::DayPlan>(was.body).blocks) {
            if (block.task_id.empty() || is_inside(before, block.task_id)) continue;
            const auto& blocks = std::get<model::DayPlan>(is.body).blocks;
            const auto now = std::ranges::find(blocks, block.id, &model::PlanBlock::id);
            if (now == blocks.end()) continue;
            EXPECT_TRUE(now->task_id == block.task_id || is_inside(before, now->task_id)) << block.id;
        }
    }
    // An id that the agent has given to a block of its own is no secret from then on.
    void learn_blocks() {
        for (const auto& [key, record] : look_.records) {
            if (!is_plan(record)) continue;
            for (const model::PlanBlock& block : std::get<model::DayPlan>(record.body).blocks) {
                if (journal_.scope().contains(block.category_id)) secrets_.erase(block.id);
            }
        }
    }

    SeededRandom dice_;
    ScopeJournal journal_;
    ScopeJournal foreign_;
    ScopeCalls calls_;
    std::set<std::string> secrets_;
    Tally& tally_;
    std::string said_;  // the arguments of all its calls
    JournalLook look_;
};

TEST(ToolsScope, nothing_outside_is_read_written_or_named_by_any_tool) {
    const char* const wanted = std::getenv("SCOPE_ROUNDS");
    const int rounds = wanted == nullptr ? rounds_default : std::atoi(wanted);
    Tally tally;
    for (int seed = 1; seed <= rounds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        ScopeRound(static_cast<std::uint64_t>(seed), tally).go();
        if (testing::Test::HasFailure()) return;
    }
    for (const tools::Tool& tool : tools::all_tools()) {
        if (tool.contract.name == "open_summary") continue;  // nothing is folded here: memory_tools_test opens some
        EXPECT_GT(tally.done[tool.contract.name], rounds / 50) << tool.contract.name;
    }
    EXPECT_GT(tally.out_of_scope, rounds);
    EXPECT_GT(tally.compared, rounds);
}

}  // namespace
}  // namespace belfry::sim
