#include "daemon/example_subscribers.hpp"

#include <string_view>

#include "host/files.hpp"

namespace belfry::daemon {
namespace {

constexpr std::string_view works =
    R"toml(# An example: say which events become which notification. Change it, and it counts at once.
[subscriber]
id = "example_failed_builds"
name = "Failed builds (example)"
description = "Tells the agent which builds failed. A file of your own looks like this one."
version = "1.0.0"

[events]
types = ["ci.build.failed", "ci.deploy.*"]
severity_filter = "warning"

[output]
priority = "high"
)toml";

constexpr std::string_view has_slip =
    R"toml(# An example with a mistake on purpose: a word is misspelt. Mend it, and the complaint is gone at once.
[subscriber]
id = "example_with_a_mistake"
name = "A mistake on purpose (example)"
description = "Shows what Belfry says of a file that is wrong."
version = "1.0.0"

[events]
types = ["ci.build.failed"]
severty_filter = "error"
)toml";

}  // namespace

base::Result<void> write_example_subscribers(const std::string& folder) {
    TRY(host::make_folder(folder, host::mode_private_folder));
    TRY(host::write_file_atomically(host::join_path(folder, "example.toml"), works, host::mode_private_file));
    return host::write_file_atomically(host::join_path(folder, "example-with-a-mistake-on-purpose.toml"), has_slip,
                                       host::mode_private_file);
}

}  // namespace belfry::daemon
