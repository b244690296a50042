#include "host/config.hpp"

#include <gtest/gtest.h>

#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/process.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

class ConfigTest : public testing::Test {
protected:
    ConfigTest() { variables_["HOME"] = folder_.path(); }

    base::Result<LoadedConfig> load() {
        ConfigSources sources;
        sources.environment = Environment(variables_);
        sources.flags = flags_;
        if (!toml_.empty()) {
            const std::string path = folder_.file("belfry.toml");
            EXPECT_TRUE(write_file_atomically(path, toml_, 0600).ok());
            sources.file = path;
        }
        return load_config(sources);
    }

    std::string refusal() {
        const auto loaded = load();
        EXPECT_FALSE(loaded.ok());
        return loaded.ok() ? "" : loaded.error().message;
    }

    std::string refusal_of(const std::string& toml) {
        toml_ = toml;
        std::string message = refusal();
        const std::string prefix = folder_.path() + "/";
        if (message.starts_with(prefix)) message.erase(0, prefix.size());
        return message;
    }

    static const ConfigEntry& entry(const LoadedConfig& loaded, std::string_view name) {
        for (const ConfigEntry& candidate : loaded.entries) {
            if (candidate.name == name) return candidate;
        }
        ADD_FAILURE() << name;
        return loaded.entries.front();
    }

    TemporaryFolder folder_;
    std::map<std::string, std::string, std::less<>> variables_;
    std::vector<ConfigFlag> flags_;
    std::string toml_;
};

TEST_F(ConfigTest, has_a_default_for_everything) {
    const auto loaded = load();
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const Config& config = loaded->config;
    EXPECT_EQ(config.server.host, "127.0.0.1");
    EXPECT_EQ(config.server.port, 7117);
    EXPECT_EQ(config.store.data_dir, folder_.path() + "/.local/state/belfry");
    EXPECT_EQ(config.server.socket, folder_.path() + "/.local/state/belfry/belfry.sock");
    EXPECT_EQ(config.retention.events, base::days(30));
    EXPECT_EQ(config.retention.events_bytes, 8LL << 30);
    EXPECT_EQ(config.retention.audit, base::days(365));
    EXPECT_EQ(config.log.level, LogLevel::info);
    EXPECT_EQ(config.notifications.subscribers, folder_.path() + "/.config/belfry/subscribers");
    EXPECT_EQ(config.notifications.sinks, folder_.path() + "/.config/belfry/sinks");
    EXPECT_EQ(config.notifications.owner, login_name(Environment()));
    EXPECT_FALSE(config.notifications.owner.empty());
    EXPECT_EQ(config.monitor.tokens_percent, 80);
    EXPECT_EQ(config.monitor.iterations_percent, 70);
    EXPECT_EQ(config.monitor.timeout_percent, 80);
    EXPECT_EQ(config.monitor.context_percent, 80);
    EXPECT_EQ(config.monitor.loop_repetitions, 3);
    EXPECT_EQ(config.monitor.loop_window, base::seconds(60));
    EXPECT_TRUE(loaded->file.empty());
    for (const ConfigEntry& candidate : loaded->entries) EXPECT_EQ(candidate.where, "default") << candidate.name;
    EXPECT_EQ(loaded->entries.size(), config_fields().size());
}

TEST_F(ConfigTest, a_flag_wins_over_the_environment_over_the_file_over_the_default) {
    toml_ = "[server]\nport = 1\nhost = \"10.0.0.1\"\nallowed_hosts = [\"a\"]\n[log]\nlevel = \"debug\"\n";
    variables_["BELFRY_SERVER_PORT"] = "2";
    variables_["BELFRY_SERVER_HOST"] = "10.0.0.2";
    flags_ = {{"server.port", "3", "--port"}};
    const auto loaded = load();
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->config.server.port, 3);
    EXPECT_EQ(loaded->config.server.host, "10.0.0.2");
    EXPECT_EQ(loaded->config.server.allowed_hosts, std::vector<std::string>{"a"});
    EXPECT_EQ(loaded->config.log.level, LogLevel::debug);
    EXPECT_EQ(entry(*loaded, "server.port").where, "--port");
    EXPECT_EQ(entry(*loaded, "server.port").source, ConfigSource::flag);
    EXPECT_EQ(entry(*loaded, "server.host").where, "BELFRY_SERVER_HOST");
    EXPECT_EQ(entry(*loaded, "log.level").where, folder_.file("belfry.toml") + ":6");
    EXPECT_EQ(entry(*loaded, "log.format").where, "default");
}

TEST_F(ConfigTest, reads_every_field_from_the_file) {
    toml_ =
        "[server]\nhost = \"::1\"\nport = 80\nsocket = \"off\"\nallowed_hosts = [\"a\", \"b\"]\n"
        "allowed_origins = [\"https://x\"]\ntls_certificate = \"cert.pem\"\ntls_key = \"/k.pem\"\nconnections_max = 5\n"
        "journal = \"off\"\n"
        "[store]\nbackend = \"postgres\"\ndata_dir = \"/d/\"\npostgres_url = \"postgres://u:secret@h/db\"\n"
        "[retention]\nevents = \"12h\"\nevents_bytes = \"2GiB\"\naudit = 7200\n"
        "[log]\nlevel = \"error\"\nformat = \"json\"\n[limits]\nevents_per_second = 100\n"
        "[notifications]\nsubscribers = \"mine\"\nsinks = \"bells\"\nowner = \"ada\"\n"
        "[rpc]\nsocket = \"/r\"\nlisten = \"127.0.0.1:7118\"\n"
        "[sync]\nlisten = \"[::1]:7878\"\nname = \"the desk\"\n"
        "[runs]\ncapacity = 5\nretention = \"1h\"\nevents_kept = 100\nsilence = \"2h\"\n"
        "[agents]\nwakes_at_once = 7\n"
        "[memory]\ntokenizer = \"ranks\"\nkeep_observation = \"30d\"\nkeep_user = 0\nkeep_thought = \"7d\"\n"
        "keep_action = \"1d\"\nkeep_tool_result = \"12h\"\nkeep_system = \"1h\"\n"
        "[monitor]\ntokens_percent = 1\niterations_percent = 2\ntimeout_percent = 3\ncontext_percent = 100\n"
        "loop_repetitions = 4\nloop_window = \"5s\"\n";
    const auto loaded = load();
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const Config& config = loaded->config;
    EXPECT_EQ(config.server.socket, "");
    EXPECT_EQ(config.server.allowed_hosts.size(), 2U);
    EXPECT_EQ(config.server.tls_certificate, folder_.file("cert.pem"));
    EXPECT_EQ(config.server.connections_max, 5);
    EXPECT_FALSE(config.server.journal);
    EXPECT_EQ(config.store.backend, StoreBackend::postgres);
    EXPECT_EQ(config.store.data_dir, "/d");
    EXPECT_EQ(config.retention.events, base::hours(12));
    EXPECT_EQ(config.retention.events_bytes, 2LL << 30);
    EXPECT_EQ(config.retention.audit, base::hours(2));
    EXPECT_EQ(config.log.format, LogFormat::json);
    EXPECT_EQ(config.limits.events_per_second, 100);
    EXPECT_EQ(config.notifications.subscribers, folder_.file("mine"));
    EXPECT_EQ(config.notifications.sinks, folder_.file("bells"));
    EXPECT_EQ(config.notifications.owner, "ada");
    EXPECT_EQ(config.sync.listen, "[::1]:7878");
    EXPECT_EQ(config.sync.name, "the desk");
    EXPECT_EQ(config.agents.wakes_at_once, 7);
    EXPECT_EQ(config.memory.tokenizer, folder_.file("ranks"));
    using Kind = model::AgentMessageKind;
    const std::map<Kind, base::Duration> kept{{Kind::observation, base::days(30)},
                                              {Kind::thought, base::days(7)},
                                              {Kind::action, base::days(1)},
                                              {Kind::tool_result, base::hours(12)},
                                              {Kind::system, base::hours(1)}};
    EXPECT_EQ(config.memory.kept, kept) << "what is kept for 0 is kept for ever";
    EXPECT_EQ(config.monitor.tokens_percent, 1);
    EXPECT_EQ(config.monitor.iterations_percent, 2);
    EXPECT_EQ(config.monitor.timeout_percent, 3);
    EXPECT_EQ(config.monitor.context_percent, 100);
    EXPECT_EQ(config.monitor.loop_repetitions, 4);
    EXPECT_EQ(config.monitor.loop_window, base::seconds(5));
    for (const ConfigEntry& candidate : loaded->entries)
        EXPECT_EQ(candidate.source, ConfigSource::file) << candidate.name;
    EXPECT_EQ(entry(*loaded, "store.postgres_url").json, "\"postgres://u:***@h/db\"");
    EXPECT_EQ(entry(*loaded, "retention.events_bytes").json, "\"2GiB\"");
}

TEST_F(ConfigTest, names_file_line_field_and_limit_of_what_is_wrong) {
    EXPECT_EQ(refusal_of("[server]\nport = 70000\n"),
              "belfry.toml:2: server.port must be a whole number from 0 to 65535, not 70000");
    EXPECT_EQ(refusal_of("[server]\nport = \"http\"\n"),
              "belfry.toml:2: server.port must be a whole number from 0 to 65535, not \"http\"");
    EXPECT_EQ(refusal_of("\n\n[server]\nhost = 5\n"), "belfry.toml:4: server.host must be a text, not 5");
    EXPECT_EQ(refusal_of("[server]\nallowed_hosts = true\n"),
              "belfry.toml:2: server.allowed_hosts must be a list of texts, not true");
    EXPECT_EQ(refusal_of("[server]\nallowed_hosts = [\"\"]\n"),
              "belfry.toml:2: server.allowed_hosts must not hold an empty entry");
    EXPECT_EQ(refusal_of("[retention]\nevents = \"soon\"\n"),
              "belfry.toml:2: retention.events must be a time like \"30d\" or \"12h\" from 1m to 36500d, not \"soon\"");
    EXPECT_EQ(refusal_of("[retention]\nevents = 30\n"),
              "belfry.toml:2: retention.events must be a time like \"30d\" or \"12h\" from 1m to 36500d, not 30");
    EXPECT_EQ(refusal_of("[retention]\nevents_bytes = \"8Gigs\"\n"),
              "belfry.toml:2: retention.events_bytes must be a size like \"8GiB\" from 1MiB to 1024TiB, not \"8Gigs\"");
    EXPECT_EQ(refusal_of("[store]\nbackend = \"mysql\"\n"),
              "belfry.toml:2: store.backend must be sqlite or postgres, not \"mysql\"");
    EXPECT_EQ(refusal_of("[log]\nlevel = \"loud\"\n"),
              "belfry.toml:2: log.level must be debug, info, warning or error, not \"loud\"");
    EXPECT_EQ(refusal_of("[server]\nprot = 1\n"),
              "belfry.toml:2: server.prot is no setting; did you mean server.port?");
    EXPECT_EQ(refusal_of("[weather]\nsunny = true\n"),
              "belfry.toml:2: weather.sunny is no setting; `belfry config` lists them all");
    EXPECT_EQ(refusal_of("[server]\nport = 1.5\n").substr(0, 58),
              "belfry.toml:2: server.port must be a whole number from 0 t");
}

TEST_F(ConfigTest, refuses_what_does_not_fit_together) {
    EXPECT_EQ(refusal_of("[server]\ntls_key = \"/k\"\n"),
              "belfry.toml:2: server.tls_certificate must be set too: TLS needs certificate and key");
    EXPECT_EQ(refusal_of("[store]\nbackend = \"postgres\"\n"),
              "belfry.toml:2: store.postgres_url must be set where store.backend is postgres");
    EXPECT_EQ(refusal_of("[server]\nhost = \"\"\n"), "belfry.toml:2: server.host must not be empty");
}

TEST_F(ConfigTest, other_devices_find_nobody_until_somebody_says_where) {
    const auto silent = load();
    ASSERT_TRUE(silent.ok());
    EXPECT_EQ(silent->config.sync.listen, "");
    EXPECT_EQ(silent->config.sync.name, machine_name());
    EXPECT_FALSE(machine_name().empty());
    toml_ = "[sync]\nlisten = \"off\"\n";
    EXPECT_EQ(load()->config.sync.listen, "");
    EXPECT_EQ(refusal_of("[sync]\nlisten = \"7878\"\n"),
              "belfry.toml:2: sync.listen must be HOST:PORT, such as 127.0.0.1:7878");
    EXPECT_EQ(refusal_of("[sync]\nname = \"a\\nb\"\n"), "belfry.toml:2: sync.name must be a line of at most 100 bytes");
    EXPECT_EQ(refusal_of("[sync]\nname = \"" + std::string(101, 'a') + "\"\n"),
              "belfry.toml:2: sync.name must be a line of at most 100 bytes");
}

TEST_F(ConfigTest, monitors_and_notifications_have_their_limits) {
    EXPECT_EQ(refusal_of("[monitor]\ntokens_percent = 0\n"),
              "belfry.toml:2: monitor.tokens_percent must be a whole number from 1 to 100, not 0");
    EXPECT_EQ(refusal_of("[monitor]\ncontext_percent = 101\n"),
              "belfry.toml:2: monitor.context_percent must be a whole number from 1 to 100, not 101");
    EXPECT_EQ(refusal_of("[monitor]\nloop_repetitions = 1\n"),
              "belfry.toml:2: monitor.loop_repetitions must be a whole number from 2 to 100, not 1");
    EXPECT_EQ(refusal_of("[monitor]\nloop_window = \"2h\"\n"),
              "belfry.toml:2: monitor.loop_window must be a time like \"30d\" or \"12h\" from 1s to 1h, not \"2h\"");
    EXPECT_EQ(refusal_of("[notifications]\nowner = \"" + std::string(201, 'x') + "\"\n"),
              "belfry.toml:2: notifications.owner must have at most 200 bytes");
}

TEST_F(ConfigTest, subscribers_and_sinks_lie_beside_the_file_unless_they_are_off) {
    toml_ = "[server]\nport = 1\n";
    EXPECT_EQ(load()->config.notifications.subscribers, folder_.file("subscribers"));
    EXPECT_EQ(load()->config.notifications.sinks, folder_.file("sinks"));
    toml_ = "[notifications]\nsubscribers = \"off\"\nsinks = \"off\"\n";
    EXPECT_EQ(load()->config.notifications.subscribers, "");
    EXPECT_EQ(load()->config.notifications.sinks, "");
}

TEST_F(ConfigTest, names_the_variable_and_the_flag_that_are_wrong) {
    variables_["BELFRY_SERVER_PORT"] = "x";
    EXPECT_EQ(refusal(), "BELFRY_SERVER_PORT: server.port must be a whole number from 0 to 65535, not \"x\"");
    variables_.erase("BELFRY_SERVER_PORT");
    variables_["BELFRY_SERVER_PROT"] = "1";
    EXPECT_EQ(refusal(), "BELFRY_SERVER_PROT: server.prot is no setting; did you mean server.port?");
    variables_.erase("BELFRY_SERVER_PROT");
    flags_ = {{"server.port", "-1", "--port"}};
    EXPECT_EQ(refusal(), "--port: server.port must be a whole number from 0 to 65535, not \"-1\"");
}

TEST_F(ConfigTest, leaves_variables_of_others_alone) {
    variables_["BELFRY"] = "/usr/bin/belfry";
    variables_["BELFRY_URL"] = "http://localhost:1";
    EXPECT_TRUE(load().ok());
}

TEST_F(ConfigTest, a_file_that_is_named_must_be_there_and_be_toml) {
    variables_["BELFRY_CONFIG"] = folder_.file("none.toml");
    EXPECT_EQ(refusal(), "cannot open " + folder_.file("none.toml") + ": No such file or directory");
    EXPECT_TRUE(refusal_of("[server\n").starts_with("belfry.toml:1:")) << refusal_of("[server\n");
}

TEST_F(ConfigTest, finds_the_file_in_the_configuration_folder) {
    ASSERT_TRUE(make_folder(folder_.file("cfg/belfry"), 0700).ok());
    ASSERT_TRUE(write_file_atomically(folder_.file("cfg/belfry/belfry.toml"), "[server]\nport = 9\n", 0600).ok());
    variables_["XDG_CONFIG_HOME"] = folder_.file("cfg");
    const auto loaded = load();
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->config.server.port, 9);
    EXPECT_EQ(loaded->file, folder_.file("cfg/belfry/belfry.toml"));
}

TEST_F(ConfigTest, the_socket_lies_in_the_runtime_folder_only_for_the_standard_data_folder) {
    variables_["XDG_RUNTIME_DIR"] = "/run/user/1";
    EXPECT_EQ(load()->config.server.socket, "/run/user/1/belfry/belfry.sock");
    flags_ = {{"store.data_dir", "/srv/other", "--data"}};
    EXPECT_EQ(load()->config.server.socket, "/srv/other/belfry.sock");
}

TEST_F(ConfigTest, masks_a_password_in_either_form) {
    const auto shown = [this](const char* url) {
        flags_ = {{"store.postgres_url", url, "--postgres-url"}};
        const std::string json = entry(*load(), "store.postgres_url").json;
        return json.substr(1, json.size() - 2);
    };
    EXPECT_EQ(shown("host=h password=s3cret user=u"), "host=h password=*** user=u");
    EXPECT_EQ(shown("password='a b' user=u"), "password=*** user=u");
    EXPECT_EQ(shown("host=h password = s3cret user=u"), "host=h password = *** user=u");
    EXPECT_EQ(shown("password\t=\n's3 cret'user=u "), "password\\t=\\n***user=u ");
    EXPECT_EQ(shown("password='it\\'s secret' user=u"), "password=*** user=u");
    EXPECT_EQ(shown("password=it\\ is user='\\'' sslpassword=b"), "password=*** user='\\\\'' sslpassword=***");
    EXPECT_EQ(shown("options='-c password=x' password='open"), "options='-c password=x' password=***");
    EXPECT_EQ(shown("host=h password s3cret"), "host=h ***");
    EXPECT_EQ(shown(""), "");
    EXPECT_EQ(shown("postgres://u:s3cret@h:5432/db"), "postgres://u:***@h:5432/db");
    EXPECT_EQ(shown("postgres://u@h:5432/db"), "postgres://u@h:5432/db");
    EXPECT_EQ(shown("postgres://h/db?password=s3cret&x=1"), "postgres://h/db?password=***&x=1");
    EXPECT_EQ(shown("postgres://h/db?x=1&pass%77ord=s3cret"), "postgres://h/db?x=1&pass%77ord=***");
    EXPECT_EQ(shown("postgres://h:1/db?password=a@b"), "postgres://h:1/db?password=***");
    EXPECT_EQ(shown("postgres://u:p?q@h/db?sslpassword=b"), "postgres://u:***@h/db?sslpassword=***");
}

TEST(Folders, ignores_relative_paths_of_the_environment) {
    const Environment environment({{"HOME", "/home/a"}, {"XDG_STATE_HOME", "state"}, {"XDG_RUNTIME_DIR", "run"}});
    const Folders folders = standard_folders(environment);
    EXPECT_EQ(folders.data, "/home/a/.local/state/belfry");
    EXPECT_EQ(folders.runtime, "");
}

TEST(Folders, a_service_without_a_home_has_its_standard_place) {
    EXPECT_EQ(standard_folders(Environment()).data, "/var/lib/belfry");
}

TEST(Folders, a_daemon_gets_its_folders_for_itself_alone) {
    const TemporaryFolder folder;
    ASSERT_TRUE(make_daemon_folders(folder.file("state/belfry"), folder.file("run/belfry/belfry.sock")).ok());
    EXPECT_EQ((*file_facts(folder.file("state/belfry")))->mode, 0700U);
    EXPECT_EQ((*file_facts(folder.file("run/belfry")))->mode, 0700U);
    EXPECT_TRUE(make_daemon_folders(folder.file("state/belfry"), "").ok());
}

}  // namespace
}  // namespace belfry::host
