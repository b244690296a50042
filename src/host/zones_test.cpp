#include "host/zones.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "host/files.hpp"
#include "host/machine_zone.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

// The least that is a file of tzdata: one offset for ever.
std::string tzif(std::string_view footer) {
    const std::string header = std::string("TZif2") + std::string(31, '\0') + std::string("\0\0\0\1\0\0\0\4", 8);
    const std::string block = std::string(6, '\0') + std::string("UTC\0", 4);
    return header + block + header + block + "\n" + std::string(footer) + "\n";
}

struct Zones : testing::Test {
    TemporaryFolder folder;
    Environment environment{{{"TZDIR", folder.path()}}};

    void put(const std::string& name, std::string_view content) const {
        const std::string path = folder.file(name);
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        ASSERT_TRUE(write_file_atomically(path, content, 0644).ok());
    }
};

TEST_F(Zones, of_the_machine_are_read) {
    SystemZones zones{Environment()};
    const auto berlin = zones.find("Europe/Berlin");
    ASSERT_TRUE(berlin.ok()) << berlin.error().message;
    EXPECT_EQ((*berlin)->name, "Europe/Berlin");
    ASSERT_TRUE((*berlin)->tail);
    EXPECT_EQ((*berlin)->tail->summer->offset_s, 7200);
    EXPECT_EQ(*zones.find("Europe/Berlin"), *berlin) << "read once";
}

TEST_F(Zones, have_no_names_that_lead_elsewhere) {
    put("secret", tzif("UTC0"));
    SystemZones zones{Environment({{"TZDIR", folder.file("sub")}})};
    std::filesystem::create_directories(folder.file("sub/Europe"));
    for (const std::string name :
         {"../secret", "/etc/localtime", "Europe/../../secret", ".", "..", "", "Europe//Berlin", "Europe/", "Euro pe",
          "Europe\\Berlin", "Europe/Berlin\n", "~", "Zürich"}) {
        EXPECT_FALSE(is_zone_name(name)) << name;
        const auto zone = zones.find(name);
        ASSERT_FALSE(zone.ok()) << name;
        EXPECT_EQ(zone.error().code, base::Code::invalid) << name;
    }
    EXPECT_FALSE(is_zone_name(std::string("UTC\0", 4)));
    EXPECT_FALSE(is_zone_name(std::string(65, 'a')));
    EXPECT_TRUE(is_zone_name("America/Argentina/ComodRivadavia"));
    EXPECT_TRUE(is_zone_name("Etc/GMT+5"));
}

TEST_F(Zones, that_there_are_not_are_refused_with_the_nearest) {
    for (const char* name : {"Europe/Berlin", "America/New_York", "posix/Europe/Berlin", "zone.tab"})
        put(name, tzif("UTC0"));
    SystemZones zones(environment);
    const auto says = [&zones](std::string_view name) {
        const auto zone = zones.find(name);
        EXPECT_FALSE(zone.ok()) << name;
        return zone.ok() ? base::Error{} : zone.error();
    };
    EXPECT_EQ(says("Europe/Berln"),
              base::error(base::Code::not_found, "there is no zone \"Europe/Berln\"; did you mean Europe/Berlin?"));
    EXPECT_EQ(says("berlin").message, "there is no zone \"berlin\"; did you mean Europe/Berlin?");
    EXPECT_EQ(says("US/New_York").message, "there is no zone \"US/New_York\"; did you mean America/New_York?");
    EXPECT_EQ(says("Mars/Olympus_Mons").message, "there is no zone \"Mars/Olympus_Mons\"");
    EXPECT_EQ(says("Europe").code, base::Code::not_found);
}

TEST_F(Zones, of_a_machine_without_any_are_utc_alone) {
    SystemZones zones(environment);
    ASSERT_TRUE(zones.find("UTC").ok());
    const auto zone = zones.find("Europe/Berlin");
    ASSERT_FALSE(zone.ok());
    EXPECT_EQ(zone.error().code, base::Code::io);
    EXPECT_NE(zone.error().message.find("tzdata"), std::string::npos);
}

TEST_F(Zones, that_are_damaged_say_which_file) {
    put("Here/Broken", "TZif2 and no more");
    SystemZones zones(environment);
    const auto zone = zones.find("Here/Broken");
    ASSERT_FALSE(zone.ok());
    EXPECT_EQ(zone.error().code, base::Code::malformed);
    EXPECT_TRUE(zone.error().message.starts_with(folder.file("Here/Broken") + ": ")) << zone.error().message;
}

TEST_F(Zones, are_read_again_when_their_file_is_another) {
    put("Here/There", tzif("AAA-1"));
    SystemZones zones(environment);
    EXPECT_EQ((*zones.find("Here/There"))->tail->offset_s, 3600);
    put("Here/There", tzif("AAAA-2"));
    EXPECT_EQ((*zones.find("Here/There"))->tail->offset_s, 7200);
}

struct MachineZones : Zones {
    TemporaryFolder settings;
    SystemZones zones{environment};

    MachineZones() {
        put("Europe/Berlin", tzif("CET-1"));
        put("EST5EDT", tzif("EST5"));
    }
    MachineZone told(const std::string& tz) {
        return machine_zone(zones, tz.empty() ? Environment() : Environment({{"TZ", tz}}), settings.path());
    }
};

TEST_F(MachineZones, are_those_that_tz_names) {
    for (const char* tz : {"Europe/Berlin", ":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin"}) {
        EXPECT_EQ(told(tz).name, "Europe/Berlin") << tz;
        EXPECT_EQ(told(tz).said_by, "TZ") << tz;
    }
    EXPECT_EQ(told("EST5EDT").name, "EST5EDT");
    for (const char* tz : {"CET-1CEST,M3.5.0,M10.5.0/3", "Mars/Olympus", "/etc/passwd", "../x"}) {
        EXPECT_EQ(told(tz).name, "UTC") << tz;
        EXPECT_EQ(told(tz).said_by, "") << tz;
    }
}

TEST_F(MachineZones, are_those_of_the_settings_else) {
    EXPECT_EQ(told("").name, "UTC");
    EXPECT_EQ(told("").said_by, "");
    ASSERT_TRUE(write_file_atomically(settings.file("timezone"), "EST5EDT\n", 0644).ok());
    EXPECT_EQ(told("").name, "EST5EDT");
    EXPECT_EQ(told("").said_by, settings.file("timezone"));
    std::filesystem::create_symlink("../usr/share/zoneinfo/Europe/Berlin", settings.file("localtime"));
    EXPECT_EQ(told("").name, "Europe/Berlin");
    EXPECT_EQ(told("").said_by, settings.file("localtime"));
}

}  // namespace
}  // namespace belfry::host
