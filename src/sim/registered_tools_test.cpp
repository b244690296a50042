#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "ports/commands/delivery.hpp"
#include "sim/delivery_world_test.hpp"

// Tools that others register: what fits, and how many there may be.
namespace belfry::sim {
namespace {

class RegisteredTools : public DeliveryProtocol {
protected:
    RegisteredTools() { open(); }

    static std::unique_ptr<ports::PutTool> tool(const std::string& name) {
        auto command = std::make_unique<ports::PutTool>();
        command->principal = model::house_principal();
        command->tool.name = name;
        return command;
    }
    // All in one transaction; how many of them were rejected as one too many.
    std::size_t put_together(std::size_t first, std::size_t count) {
        std::vector<ports::AnyCommand> group;
        std::vector<const ports::PutTool*> asked;
        for (std::size_t i = first; i < first + count; ++i) {
            auto command = tool("t" + std::to_string(i));
            asked.push_back(command.get());
            group.push_back(std::move(command));
        }
        const auto effects = engine_->step(now_, std::move(group));
        return static_cast<std::size_t>(std::ranges::count_if(asked, [](const ports::PutTool* one) {
            return !one->result().ok() && one->result().error().code == base::Code::too_large;
        }));
    }
};

TEST_F(RegisteredTools, have_a_name_and_a_schema_that_fit) {
    EXPECT_EQ(try_(tool("")).error().field, "name");
    EXPECT_EQ(try_(tool(std::string(base::limits::tool_name_bytes_max + 1, 'n'))).error().field, "name");
    auto large = tool("large");
    large->tool.schema =
        model::RawJson::trusted(R"({"title":")" + std::string(base::limits::tool_schema_bytes_max, 'x') + R"("})");
    const auto rejected = try_(std::move(large));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().field, "schema");
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_TRUE(try_(tool(std::string(base::limits::tool_name_bytes_max, 'n'))).ok());
}

TEST_F(RegisteredTools, are_ten_thousand_at_most_also_those_of_one_transaction) {
    constexpr std::size_t step = 1000;
    std::size_t put = 0;
    for (; put + step < base::limits::tools_max; put += step) ASSERT_EQ(put_together(put, step), 0U);
    EXPECT_EQ(put_together(put, step + 5), 5U);
    EXPECT_TRUE(try_(tool("t0")).ok()) << "one that is there can be changed";
    auto gone = std::make_unique<ports::DeleteTool>();
    gone->name = "t0";
    ask(std::move(gone));
    EXPECT_TRUE(try_(tool("another")).ok());
    EXPECT_EQ(try_(tool("one.more")).error().code, base::Code::too_large);
    auto other = std::make_unique<ports::DeleteTool>();
    other->principal = model::house_principal();
    other->name = "t1";
    auto instead = tool("one.more");
    const auto* const asked = instead.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(other));
    group.push_back(std::move(instead));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_TRUE(asked->result().ok()) << "its place is free in the same transaction";
}

}  // namespace
}  // namespace belfry::sim
