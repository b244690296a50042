#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cli/world_test.hpp"
#include "codec/json.hpp"
#include "host/files.hpp"
#include "host/lock.hpp"
#include "host/system_clock.hpp"
#include "store/schema.hpp"
#include "store/sqlite_database.hpp"

namespace belfry::cli {
namespace {

const store::Sql make_note{"CREATE TABLE IF NOT EXISTS note (x BLOB)"};
const store::Sql put_note{"INSERT INTO note VALUES ($1)"};
const store::Sql get_note{"SELECT x FROM note"};

class DatabaseCommands : public testing::Test {
protected:
    DatabaseCommands() { EXPECT_TRUE(host::make_folder(data, 0700).ok()); }

    std::unique_ptr<store::Database> open(const std::string& path) {
        store::SqliteOptions options;
        options.path = path;
        auto database = store::open_sqlite(options);
        EXPECT_TRUE(database.ok());
        EXPECT_TRUE(store::migrate(**database, [](std::int64_t) { return base::Result<void>(); }).ok());
        return std::move(database).value();
    }

    void write(const std::string& note) {
        const auto database = open(file);
        EXPECT_TRUE(database->run(make_note, {}).ok());
        EXPECT_TRUE(database->run(put_note, {store::bytes(note)}).ok());
    }

    std::vector<std::string> notes(const std::string& path) {
        const auto database = open(path);
        std::vector<std::string> all;
        EXPECT_TRUE(database->run(get_note, {}, [&](const store::Row& row) { all.emplace_back(row.bytes(0)); }).ok());
        return all;
    }

    // A daemon that was killed leaves its write-ahead log behind, with what it committed last.
    void leave_log_behind() {
        const std::string dead = world.folder.file("dead");
        std::filesystem::create_directory(dead);
        {
            const auto killed = open(file);
            EXPECT_TRUE(killed->run(put_note, {store::bytes("only in the log")}).ok());
            std::filesystem::copy(file, dead + "/db");
            std::filesystem::copy(file + "-wal", dead + "/wal");
        }
        std::filesystem::copy(dead + "/db", file, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::copy(dead + "/wal", file + "-wal", std::filesystem::copy_options::overwrite_existing);
    }

    Exit run(std::vector<std::string> typed) {
        typed.insert(typed.end(), {"--data", data});
        return world.run(typed);
    }

    World world;
    std::string data = world.folder.file("data");
    std::string file = data + "/belfry.db";
    std::string copy = world.folder.file("copy.db");
};

TEST_F(DatabaseCommands, a_copy_of_a_database_in_use_holds_all_that_was_committed) {
    write("one");
    const auto in_use = open(file);
    EXPECT_TRUE(in_use->run(put_note, {store::bytes("two")}).ok());
    EXPECT_EQ(run({"backup", copy}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, copy + "\n");
    EXPECT_EQ(notes(copy), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ((*host::file_facts(copy))->mode, 0600U);
    EXPECT_FALSE(host::file_facts(copy + ".partial")->has_value());
}

TEST_F(DatabaseCommands, a_copy_does_not_replace_a_file_unless_forced) {
    write("one");
    std::ofstream(copy) << "precious";
    EXPECT_EQ(run({"backup", copy}), Exit::failure);
    EXPECT_NE(world.err.find("--force"), std::string::npos);
    EXPECT_EQ(*host::read_file(copy, 100), "precious");
    EXPECT_EQ(run({"backup", copy, "--force", "--json"}), Exit::ok);
    EXPECT_TRUE(codec::validate(world.out).ok());
    EXPECT_EQ(notes(copy), std::vector<std::string>{"one"});
    EXPECT_EQ(run({"backup", file, "--force"}), Exit::failure);
    EXPECT_NE(world.err.find("is the database itself"), std::string::npos);
}

TEST_F(DatabaseCommands, a_copy_that_cannot_be_made_says_where) {
    write("one");
    EXPECT_EQ(run({"backup", world.folder.file("nope/x")}), Exit::failure);
    EXPECT_NE(world.err.find("nope/x.partial:"), std::string::npos) << world.err;
}

TEST_F(DatabaseCommands, there_must_be_something_to_copy) {
    EXPECT_EQ(run({"backup", copy}), Exit::failure);
    EXPECT_NE(world.err.find("there is no database at " + file), std::string::npos);
    EXPECT_FALSE(host::file_facts(copy)->has_value());
}

TEST_F(DatabaseCommands, a_restore_brings_the_copy_back_and_keeps_the_old_one) {
    write("one");
    ASSERT_EQ(run({"backup", copy}), Exit::ok);
    write("two");
    EXPECT_TRUE(host::set_mode(file, 0640).ok());
    EXPECT_EQ(run({"restore", copy}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, file + "\n");
    EXPECT_EQ((*host::file_facts(file))->mode, 0640U);
    EXPECT_EQ(notes(file), std::vector<std::string>{"one"});
    EXPECT_EQ(notes(file + ".before-restore-20261114T120000Z"), (std::vector<std::string>{"one", "two"}));
}

TEST_F(DatabaseCommands, a_restore_into_an_empty_folder_says_so_and_is_its_owners_alone) {
    write("one");
    ASSERT_EQ(run({"backup", copy}), Exit::ok);
    std::filesystem::remove(file);
    EXPECT_EQ(run({"restore", copy}), Exit::ok) << world.err;
    EXPECT_NE(world.err.find("there was no database here before"), std::string::npos) << world.err;
    EXPECT_EQ((*host::file_facts(file))->mode, 0600U);
}

TEST_F(DatabaseCommands, a_restore_never_mixes_the_old_log_into_the_new_file) {
    write("one");
    ASSERT_EQ(run({"backup", copy}), Exit::ok);
    leave_log_behind();
    EXPECT_EQ(run({"restore", copy}), Exit::ok) << world.err;
    EXPECT_EQ(notes(file), std::vector<std::string>{"one"});
    EXPECT_EQ(notes(file + ".before-restore-20261114T120000Z"), (std::vector<std::string>{"one", "only in the log"}));
}

TEST_F(DatabaseCommands, a_damaged_database_can_be_replaced_and_is_kept_with_its_log) {
    write("one");
    ASSERT_EQ(run({"backup", copy}), Exit::ok);
    leave_log_behind();
    const auto log = host::read_file(file + "-wal", 1 << 20);
    // Part of a page is gone, and with it whatever SQLite would need to open the file.
    std::ofstream(file) << std::string(5000, 'x');
    EXPECT_EQ(run({"restore", copy}), Exit::ok) << world.err;
    EXPECT_EQ(notes(file), std::vector<std::string>{"one"});
    const std::string aside = file + ".before-restore-20261114T120000Z";
    EXPECT_EQ(*host::read_file(aside, 10'000), std::string(5000, 'x'));
    EXPECT_EQ(*host::read_file(aside + "-wal", 1 << 20), *log);
}

TEST_F(DatabaseCommands, a_restore_refuses_while_somebody_uses_the_folder) {
    write("one");
    ASSERT_EQ(run({"backup", copy}), Exit::ok);
    const auto daemon = host::FolderLock::take(data, world.now);
    ASSERT_TRUE(daemon.ok());
    EXPECT_EQ(run({"restore", copy}), Exit::failure);
    EXPECT_NE(world.err.find("is in use by another Belfry (process "), std::string::npos) << world.err;
}

TEST_F(DatabaseCommands, a_restore_refuses_what_is_no_sound_copy_and_changes_nothing) {
    write("one");
    std::ofstream(copy) << "not a database, but a text that is long enough to have a header of one hundred bytes in "
                           "which SQLite's magic words are missing";
    EXPECT_EQ(run({"restore", copy}), Exit::failure);
    EXPECT_EQ(run({"restore", world.folder.file("none")}), Exit::failure);
    EXPECT_NE(world.err.find("there is no file"), std::string::npos);
    EXPECT_EQ(notes(file), std::vector<std::string>{"one"});
}

TEST_F(DatabaseCommands, a_restore_refuses_a_schema_that_it_does_not_know) {
    write("one");
    {
        const auto newer = open(copy);
        EXPECT_TRUE(newer->script("INSERT INTO schema_versions (version, name) VALUES (9999, x'00')").ok());
    }
    EXPECT_EQ(run({"restore", copy}), Exit::failure);
    EXPECT_NE(world.err.find("has schema 9999 and this program knows up to "), std::string::npos) << world.err;
    EXPECT_EQ(notes(file), std::vector<std::string>{"one"});
}

TEST_F(DatabaseCommands, a_restore_works_into_an_empty_place) {
    write("one");
    ASSERT_EQ(run({"backup", copy}), Exit::ok);
    const std::string elsewhere = world.folder.file("elsewhere");
    EXPECT_EQ(world.run({"restore", copy, "--data", elsewhere, "--json"}), Exit::ok) << world.err;
    EXPECT_NE(world.out.find("\"kept_aside\":null"), std::string::npos);
    EXPECT_EQ(notes(elsewhere + "/belfry.db"), std::vector<std::string>{"one"});
}

TEST_F(DatabaseCommands, the_doctor_finds_a_sound_house_sound) {
    world.now = host::SystemClock().now();
    write("one");
    EXPECT_EQ(run({"doctor", "--json"}), Exit::ok) << world.out;
    const auto json = codec::validate(world.out);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->member("ok")->text, "true");
    EXPECT_NE(world.out.find("sound"), std::string::npos);
}

TEST_F(DatabaseCommands, the_doctor_says_what_to_do) {
    world.now = host::SystemClock().now();
    write("one");
    std::filesystem::permissions(data, std::filesystem::perms(0755));
    std::ofstream(data + "/admin.token") << "bf_x_y\n";
    std::filesystem::permissions(data + "/admin.token", std::filesystem::perms(0644));
    EXPECT_EQ(run({"doctor"}), Exit::failure);
    EXPECT_NE(world.out.find("-> chmod 700 " + data + "\n"), std::string::npos) << world.out;
    EXPECT_NE(world.out.find("-> chmod 600 " + data + "/admin.token"), std::string::npos);
    EXPECT_EQ(world.err, "1 check failed\n");
}

TEST_F(DatabaseCommands, the_doctor_sees_damage_a_wrong_clock_and_a_wrong_setting) {
    write("one");
    std::ofstream(file) << std::string(4096, 'x');
    EXPECT_EQ(run({"doctor"}), Exit::failure);
    EXPECT_NE(world.out.find("failure database"), std::string::npos) << world.out;
    world.now = {0};
    EXPECT_EQ(run({"doctor"}), Exit::failure);
    EXPECT_NE(world.out.find("failure clock         it is set to 1970-01-01T00:00:00Z"), std::string::npos)
        << world.out;
    world.variables["BELFRY_SERVER_PORT"] = "http";
    EXPECT_EQ(run({"doctor"}), Exit::failure);
    EXPECT_NE(world.out.find("failure configuration BELFRY_SERVER_PORT: server.port must be"), std::string::npos)
        << world.out;
}

TEST_F(DatabaseCommands, the_doctor_sees_a_daemon_that_holds_the_folder_and_does_not_answer) {
    const auto daemon = host::FolderLock::take(data, world.now);
    EXPECT_EQ(run({"doctor", "--url", "http://127.0.0.1:1", "--token", "t"}), Exit::failure);
    EXPECT_NE(world.out.find("held by process "), std::string::npos) << world.out;
    EXPECT_NE(world.out.find("failure daemon"), std::string::npos) << world.out;
}

}  // namespace
}  // namespace belfry::cli
