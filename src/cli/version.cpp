#include <openssl/crypto.h>

#include "cli/commands.hpp"
#include "model/raw_json.hpp"
#include "store/schema.hpp"
#include "store/sqlite_check.hpp"

namespace belfry::cli {
namespace {

Exit run_version(Context& context, const Arguments& arguments) {
    const std::string openssl = ::OpenSSL_version(OPENSSL_VERSION_STRING);
    const std::int64_t schema = store::newest_schema_version();
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("version", BELFRY_VERSION).field("compiler", __VERSION__);
        writer.field("sqlite", store::sqlite_version()).field("openssl", openssl);
        writer.field("schema_version", static_cast<long long>(schema)).end_object();
        context.console.out.line(json);
        return Exit::ok;
    }
    context.console.out.line("belfry " BELFRY_VERSION);
    context.console.out.line("compiler  " __VERSION__);
    context.console.out.line("SQLite    " + store::sqlite_version());
    context.console.out.line("OpenSSL   " + openssl);
    context.console.out.line("schema    " + std::to_string(schema));
    return Exit::ok;
}

}  // namespace

Command version_command() {
    Command command;
    command.name = "version";
    command.summary = "the version of this program and of what it is made with";
    command.examples = {{"belfry version", "for a bug report"}, {"belfry version --json | jq -r .version", "one word"}};
    command.run = run_version;
    return command;
}

}  // namespace belfry::cli
