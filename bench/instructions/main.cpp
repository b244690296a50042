// bench_instructions: runs the hottest paths of Belfry one after the other, in one thread, without sockets. Clock and
// random numbers are fixed. Under `valgrind --tool=callgrind` it dumps the instructions of each path (run.py).
#include <string>

#include "common/fail.hpp"
#include "common/options.hpp"
#include "instructions/paths.hpp"

namespace belfry::bench {
namespace {

struct Path {
    const char* name;
    void (*count)(const std::string& folder);
};

constexpr Path paths[] = {
    {"ingest", count_ingest},
    {"batch_ingest", count_batch_ingest},
    {"notification", count_notification},
    {"fan_out", count_fan_out},
    {"delivery", count_delivery},
    {"wake", count_wake},
    {"tool_call", count_tool_call},
    {"toon", count_toon},
    {"template", count_template},
    {"sync_record", count_sync_record},
};

void run(const Options& options) {
    const std::string only = options.text("only", "");
    bool is_known = only.empty();
    for (const Path& path : paths) {
        if (!only.empty() && only != path.name) continue;
        is_known = true;
        path.count(options.text("folder") + "/" + path.name);
    }
    if (!is_known) fail("there is no path " + only);
}

}  // namespace
}  // namespace belfry::bench

int main(int count, char** words) {
    using namespace belfry::bench;
    run(Options(count, words, {"folder", "only"}));
    return 0;
}
