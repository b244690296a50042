#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "net/metrics_text.hpp"
#include "net/routes.hpp"
#include "wire/http_request.hpp"

// The pages of the documentation that a table of the program is the truth of.
namespace belfry::net {
namespace {

std::vector<std::string> rows_of(const std::string& page, const std::string& beginning) {
    std::ifstream file(BELFRY_SOURCE_DIR "/docs/" + page);
    std::vector<std::string> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(beginning)) rows.push_back(line);
    }
    return rows;
}

TEST(Pages, http_has_every_route_with_its_least_role_and_its_purpose) {
    std::vector<std::string> wanted;
    for (const Route& route : routes()) {
        const std::string role = route.least ? std::string(model::role_name(*route.least)) : "anybody";
        wanted.push_back("| `" + std::string(wire::method_name(route.method)) + " " + std::string(route.path) + "` | " +
                         role + " | " + std::string(route.summary) + " |");
    }
    std::vector<std::string> found = rows_of("http.md", "| `");
    std::ranges::sort(wanted);
    std::ranges::sort(found);
    EXPECT_EQ(found, wanted);
}

TEST(Pages, operating_has_every_metric_with_its_kind_and_its_meaning) {
    std::string text;
    append_metrics_text(text, ports::Metrics{});
    append_open_text(text, ports::OpenFigures{});
    std::vector<std::string> wanted;
    std::string help;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const std::size_t name = 7;  // after "# HELP " or "# TYPE "
        const std::size_t rest = line.find(' ', name);
        if (line.starts_with("# HELP ")) help = line.substr(rest + 1);
        if (line.starts_with("# TYPE ")) {
            wanted.push_back("| `" + line.substr(name, rest - name) + "` | " + line.substr(rest + 1) + " | " + help +
                             " |");
        }
    }
    EXPECT_EQ(rows_of("operating.md", "| `belfry_"), wanted);
}

}  // namespace
}  // namespace belfry::net
