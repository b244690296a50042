#include "host/subscriber_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.hpp"
#include "codec/subscriber.hpp"
#include "host/files.hpp"
#include "host/shipped_subscribers.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

std::string toml(const std::string& id, const std::string& output = "") {
    return "[subscriber]\nid = \"" + id + "\"\nname = \"Mine\"\ndescription = \"d\"\nversion = \"1.0.0\"\n" +
           "[events]\ntypes = [\"a.b\"]\n[output]\n" + output;
}

class SubscriberFolder : public testing::Test {
protected:
    void write(const std::string& name, const std::string& content) {
        ASSERT_TRUE(make_folder(parent_folder(folder_.file(name)), 0700).ok());
        ASSERT_TRUE(write_file_atomically(folder_.file(name), content, 0600).ok());
    }
    [[nodiscard]] model::Catalogue read() const { return read_subscribers(folder_.path()); }
    [[nodiscard]] std::string problems(const model::Catalogue& catalogue) const {
        std::string lines;
        for (const auto& problem : catalogue.problems) lines += codec::problem_line(problem) + '\n';
        const std::string prefix = folder_.path() + '/';
        for (std::size_t at = lines.find(prefix); at != std::string::npos; at = lines.find(prefix)) {
            lines.erase(at, prefix.size());
        }
        return lines;
    }

    TemporaryFolder folder_;
    std::size_t shipped_ = read_subscribers("").subscribers.size();
};

TEST_F(SubscriberFolder, without_a_folder_there_are_the_shipped_ones) {
    const model::Catalogue catalogue = read_subscribers(folder_.file("none"));
    EXPECT_EQ(problems(catalogue), "");
    std::vector<std::string> ids;
    for (const auto& subscriber : catalogue.subscribers) {
        ids.push_back(subscriber.id);
        EXPECT_EQ(subscriber.origin, "shipped");
        EXPECT_TRUE(catalogue.templates.contains(subscriber.template_name)) << subscriber.id;
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"budget_exceeded", "budget_warning", "client_status", "context_limit",
                                             "loop_detected", "self_notify", "session_resumed", "source_stale",
                                             "subagent", "task_checkpoint", "tool_failure", "unmatched"}));
}

TEST_F(SubscriberFolder, the_shipped_ones_are_what_the_acceptance_list_says) {
    const model::Catalogue catalogue = read_subscribers("");
    const auto line = [&catalogue](std::string_view id) {
        const model::Subscriber& subscriber = *catalogue.find(id);
        std::string types;
        for (const std::string& type : subscriber.types) types += type + ' ';
        return types + std::string(model::priority_name(subscriber.priority)) + ' ' +
               std::string(model::inject_at_name(subscriber.inject_at)) + (subscriber.core ? " core" : "");
    };
    EXPECT_EQ(line("tool_failure"), "tool.call.failure tool.call.timeout high after_tool core");
    EXPECT_EQ(line("budget_warning"),
              "budget.token.warning budget.iteration.warning budget.timeout.warning high turn_start core");
    EXPECT_EQ(line("budget_exceeded"), "budget.token.exceeded budget.iteration.exceeded critical immediate core");
    EXPECT_EQ(line("loop_detected"), "agent.loop.detected critical immediate core");
    EXPECT_EQ(line("context_limit"), "context.approaching_limit high turn_start core");
    EXPECT_EQ(line("source_stale"), "source.stale normal after_tool");
    EXPECT_EQ(line("self_notify"), "agent.self.notify agent.self.remind normal turn_start");
    EXPECT_EQ(line("session_resumed"), "session.resumed normal turn_start");
    EXPECT_EQ(line("task_checkpoint"), "task.checkpoint low turn_end");
    EXPECT_EQ(line("subagent"), "subagent.* normal turn_start");
    EXPECT_EQ(line("client_status"), "client.status_update normal turn_start");
    EXPECT_EQ(catalogue.find("self_notify")->priority_from, "priority");
    EXPECT_EQ(catalogue.find("self_notify")->inject_from, "deliver_at");
}

TEST_F(SubscriberFolder, a_users_file_is_added_and_sorted_in) {
    write("z.toml", toml("aaa", "template = \"templates/mine.j2\""));
    write("notes.txt", "no subscriber");
    write(".draft.toml", "no [ toml");
    write("templates/mine.j2", "a: 1");
    const model::Catalogue catalogue = read();
    EXPECT_EQ(problems(catalogue), "");
    ASSERT_EQ(catalogue.subscribers.size(), shipped_ + 1);
    EXPECT_EQ(catalogue.subscribers[0].id, "aaa");
    EXPECT_EQ(catalogue.subscribers[0].origin, folder_.file("z.toml"));
    EXPECT_EQ(catalogue.templates.at("templates/mine.j2"), "a: 1");
    EXPECT_EQ(catalogue.template_origins.at("templates/mine.j2"), folder_.file("templates/mine.j2"));
}

TEST_F(SubscriberFolder, a_users_file_takes_a_shipped_ones_place_and_a_core_one_stays_core) {
    write("tool.toml", toml("tool_failure", "core = false\n"));
    write("stale.toml", toml("source_stale"));
    write("templates/subagent.toon.j2", "mine");
    const model::Catalogue catalogue = read();
    EXPECT_EQ(problems(catalogue), "");
    EXPECT_EQ(catalogue.subscribers.size(), shipped_);
    EXPECT_EQ(catalogue.find("tool_failure")->name, "Mine");
    EXPECT_TRUE(catalogue.find("tool_failure")->core);
    EXPECT_FALSE(catalogue.find("source_stale")->core);
    EXPECT_EQ(catalogue.templates.at("templates/subagent.toon.j2"), "mine");
    EXPECT_EQ(catalogue.find("subagent")->origin, "shipped");
}

TEST_F(SubscriberFolder, a_broken_file_is_named_with_its_place_and_harms_only_itself) {
    write("a.toml", toml("mine"));
    write("b.toml", toml("tool_failure") + "priority = \"loud\"\n");
    write("c.toml", "[subscriber\n");
    const model::Catalogue catalogue = read();
    EXPECT_EQ(catalogue.subscribers.size(), shipped_ + 1);
    EXPECT_EQ(catalogue.find("tool_failure")->origin, "shipped");
    const std::string lines = problems(catalogue);
    EXPECT_NE(lines.find("b.toml:9:12: output.priority: must be critical, high, normal or low, not \"loud\"\n"),
              std::string::npos)
        << lines;
    EXPECT_NE(lines.find("\nc.toml:1:12: "), std::string::npos) << lines;
}

TEST_F(SubscriberFolder, an_id_of_two_files_belongs_to_neither) {
    write("a.toml", toml("mine"));
    write("b.toml", toml("mine"));
    write("c.toml", toml("subagent"));
    write("d.toml", toml("subagent"));
    const model::Catalogue catalogue = read();
    EXPECT_EQ(catalogue.find("mine"), nullptr);
    EXPECT_EQ(catalogue.find("subagent")->origin, "shipped");
    EXPECT_EQ(problems(catalogue).substr(0, problems(catalogue).find('\n', 100) + 1),
              "a.toml: subscriber.id: \"mine\" stands in a.toml and b.toml: an id belongs to one file, so none of them "
              "counts\n");
    EXPECT_EQ(catalogue.problems.size(), 4U);
    EXPECT_EQ(catalogue.problems[1].file, folder_.file("b.toml"));
    EXPECT_TRUE(catalogue.problems[1].fatal);
}

TEST_F(SubscriberFolder, a_missing_template_is_named_and_its_subscriber_stays) {
    write("a.toml", toml("mine", "template = \"templates/none.j2\""));
    const model::Catalogue catalogue = read();
    EXPECT_NE(catalogue.find("mine"), nullptr);
    EXPECT_EQ(problems(catalogue),
              "a.toml:9:12: output.template: there is no template \"templates/none.j2\"; the fallback text is used\n");
    EXPECT_FALSE(catalogue.problems[0].fatal);
}

TEST_F(SubscriberFolder, files_beyond_their_limit_are_refused) {
    write("a.toml", toml("mine") + '#' + std::string(base::limits::toml_bytes_max, 'x'));
    write("templates/big.j2", std::string(base::limits::template_bytes_max + 1, 'x'));
    write("templates/fits.j2", std::string(base::limits::template_bytes_max, 'x'));
    const model::Catalogue catalogue = read();
    EXPECT_EQ(catalogue.find("mine"), nullptr);
    EXPECT_FALSE(catalogue.templates.contains("templates/big.j2"));
    EXPECT_TRUE(catalogue.templates.contains("templates/fits.j2"));
    ASSERT_EQ(catalogue.problems.size(), 2U);
    EXPECT_EQ(catalogue.problems[0].file, folder_.file("a.toml"));
    EXPECT_NE(catalogue.problems[0].message.find(std::to_string(base::limits::toml_bytes_max)), std::string::npos)
        << catalogue.problems[0].message;
    EXPECT_EQ(catalogue.problems[1].file, folder_.file("templates/big.j2"));
}

TEST_F(SubscriberFolder, what_is_no_file_is_left_alone_and_a_link_to_nowhere_is_named) {
    ASSERT_EQ(::mkfifo(folder_.file("pipe.toml").c_str(), 0600), 0);
    ASSERT_TRUE(make_folder(folder_.file("folder.toml"), 0700).ok());
    EXPECT_EQ(problems(read()), "");
    ASSERT_EQ(::symlink("nowhere", folder_.file("link.toml").c_str()), 0);
    EXPECT_EQ(problems(read()), "link.toml: cannot open link.toml: No such file or directory\n");
}

TEST_F(SubscriberFolder, one_file_alone_is_read_beside_its_templates) {
    write("a.toml", toml("mine", "template = \"templates/mine.j2\""));
    write("b.toml", "broken");
    write("templates/mine.j2", "a: 1");
    const model::Catalogue catalogue = read_subscriber_file(folder_.file("a.toml"));
    EXPECT_EQ(problems(catalogue), "");
    EXPECT_NE(catalogue.find("mine"), nullptr);
}

}  // namespace
}  // namespace belfry::host
