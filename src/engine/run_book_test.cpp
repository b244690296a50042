#include "engine/run_book.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

using model::RunState;
using Ids = std::vector<model::RunId>;

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
            const model::RunId root = book.find(id)->run.root_id;
            if (book.tree_of(book.find(id)->run) == nullptr) {
                book.open_tree(root, 1);
                book.join_tree(root, root, 0);
            }
            book.join_tree(root, id, parent);
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
    book.leave_tree(root, root);
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

TEST_F(RunBooks, take_back_a_child_that_joined_a_tree_that_was_there) {
    const model::RunId root = add();
    const model::RunId child = add(root);
    book.committed();
    const model::RunId fresh = add(child);
    const RunTree& tree = *book.tree_of(book.find(root)->run);
    EXPECT_EQ(tree.parents.size(), 3U);
    book.dropped();
    EXPECT_FALSE(tree.parents.contains(fresh));
    EXPECT_EQ(tree.parents.size(), 2U);
    EXPECT_EQ(tree.open_below(root), (Ids{child}));
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
    book.leave_tree(root, child);
    EXPECT_EQ(tree.open_below(root), (Ids{grandchild, other}));
    EXPECT_EQ(tree.open_below(child), (Ids{grandchild}));
    EXPECT_EQ(tree.open_below(other), Ids{});
}

TEST_F(RunBooks, close_ranks_where_ended_ones_go_for_good) {
    const model::RunId root = add();
    const model::RunId child = add(root);
    const model::RunId grandchild = add(child);
    book.committed();
    const model::Run gone = book.find(child)->run;
    book.change(child).state = RunState::completed;
    book.leave_tree(root, child);
    book.committed();

    const auto moves = book.close_ranks(std::span(&gone, 1));
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].id, grandchild);
    EXPECT_EQ(moves[0].parent, root);
    EXPECT_EQ(book.find(grandchild)->run.parent_id, root);
    EXPECT_EQ(book.tree_of(gone)->parents.size(), 2U) << "there is room for another one";
    book.dropped();
    EXPECT_EQ(book.find(grandchild)->run.parent_id, child);
    EXPECT_EQ(book.tree_of(gone)->parents.size(), 3U);
    EXPECT_EQ(book.tree_of(gone)->open_below(root), (Ids{grandchild}));
}

TEST_F(RunBooks, leave_the_child_of_a_root_that_goes_alone) {
    const model::RunId root = add();
    const model::RunId child = add(root);
    const model::Run gone = book.find(root)->run;
    book.leave_tree(root, root);
    EXPECT_TRUE(book.close_ranks(std::span(&gone, 1)).empty());
    EXPECT_EQ(book.find(child)->run.parent_id, root);
}

TEST_F(RunBooks, find_a_hundred_thousand_positions_in_no_time) {
    constexpr int many = 100'000;
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < many; ++i) {
        const model::RunId id = add();
        queue(id);
        ASSERT_EQ(book.position(book.find(id)->run), i + 1);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30))
        << "one by one they are five thousand million steps";
}

TEST_F(RunBooks, cancel_a_chain_of_ten_thousand_in_one_walk) {
    const model::RunId root = add();
    model::RunId last = root;
    for (int i = 1; i < 10'000; ++i) last = add(last);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(book.tree_of(book.find(root)->run)->open_below(root).size(), 9'999U);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(500));
}

TEST_F(RunBooks, know_of_whom_nothing_was_heard) {
    for (int i = 0; i < 4; ++i) add();
    for (const model::RunId id : {1, 2, 3}) start(id);
    for (const model::RunId id : {1, 2, 3, 4}) book.hear(id, base::Timestamp{id * 10});
    book.change(1).paused = true;
    const RunBook::Silent silent = book.silent_since(base::Timestamp{20});
    EXPECT_EQ(silent.runs, (Ids{2})) << "one that is paused may be silent, one that waits is";
    EXPECT_EQ(silent.next, base::Timestamp{30});
}

}  // namespace
}  // namespace belfry::engine
