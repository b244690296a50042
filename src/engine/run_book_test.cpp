#include "engine/run_book.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

using model::RunState;

class RunBooks : public ::testing::Test {
protected:
    model::RunId add(model::RunId parent = 0, const std::string& key = {}) {
        OpenRun open;
        open.run.id = book.next_id();
        open.run.parent_id = parent;
        open.run.root_id = parent == 0 ? open.run.id : book.find(parent)->run.root_id;
        open.run.user_id = "ada";
        open.run.session_id = "s";
        open.run.run_key = key;
        open.stream = static_cast<model::StreamId>(open.run.id + 10);
        const model::RunId id = book.add(std::move(open)).run.id;
        if (parent != 0) {
            RunTree& tree = book.change_tree(book.find(id)->run.root_id);
            tree.parents[book.find(id)->run.root_id] = 0;
            tree.open.insert(book.find(id)->run.root_id);
            tree.parents[id] = parent;
            tree.open.insert(id);
        }
        return id;
    }
    void start(model::RunId id) {
        book.change(id).state = RunState::running;
        book.count_running(1);
    }
    void queue(model::RunId id) {
        model::Run& run = book.change(id);
        run.queued = book.next_queue_number();
        book.wait_for_place(run);
    }

    RunBook book;
};

TEST_F(RunBooks, count_the_queue_in_the_order_of_its_numbers) {
    for (int i = 0; i < 4; ++i) add();
    queue(3);
    queue(1);
    queue(2);
    EXPECT_EQ(*book.next_in_queue(), 3);
    EXPECT_EQ(book.position(book.find(1)->run), 2);
    EXPECT_EQ(book.position(book.find(2)->run), 3);
    EXPECT_EQ(book.position(book.find(4)->run), 0);
    book.leave_queue(book.find(3)->run.queued);
    EXPECT_EQ(*book.next_in_queue(), 1);
}

TEST_F(RunBooks, take_back_all_of_a_transaction_that_failed) {
    const model::RunId root = add(0, "key");
    const model::RunId child = add(root);
    start(root);
    queue(child);
    book.committed();

    book.change(root).state = RunState::cancelled;
    book.count_running(-1);
    book.change_tree(root).open.erase(root);
    book.remove(child);
    const model::RunId fresh = add(0, "other");
    start(fresh);
    EXPECT_EQ(book.find(child), nullptr);
    book.dropped();

    EXPECT_EQ(book.find(root)->run.state, RunState::running);
    EXPECT_EQ(book.running(), 1);
    EXPECT_EQ(*book.next_in_queue(), child);
    EXPECT_EQ(book.find(fresh), nullptr);
    EXPECT_EQ(book.find_key("ada", "other"), nullptr);
    EXPECT_EQ(book.find_key("ada", "key")->run.id, root);
    EXPECT_EQ(book.tree_of(book.find(root)->run)->open.size(), 2U);
    EXPECT_EQ(book.next_id(), fresh) << "an id that was never shown is given again";
}

TEST_F(RunBooks, forget_ended_runs_with_the_commit_and_not_before) {
    const model::RunId id = add(0, "key");
    start(id);
    book.committed();
    book.change(id).state = RunState::completed;
    ASSERT_NE(book.find(id), nullptr) << "later commands of the transaction see how it ended";
    EXPECT_EQ(book.of_session("s"), (std::vector<model::RunId>{}));
    book.committed();
    EXPECT_EQ(book.find(id), nullptr);
    EXPECT_EQ(book.find_key("ada", "key"), nullptr);
    EXPECT_EQ(book.size(), 0U);
}

TEST_F(RunBooks, know_who_descends_from_whom_also_over_ended_ones) {
    const model::RunId root = add();
    const model::RunId child = add(root);
    const model::RunId grandchild = add(child);
    const model::RunId other = add(root);
    const RunTree& tree = *book.tree_of(book.find(root)->run);
    EXPECT_TRUE(tree.is_below(grandchild, root));
    EXPECT_TRUE(tree.is_below(grandchild, child));
    EXPECT_FALSE(tree.is_below(other, child));
    EXPECT_FALSE(tree.is_below(root, root));
}

}  // namespace
}  // namespace belfry::engine
