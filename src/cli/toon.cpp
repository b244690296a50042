#include "text/toon.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "codec/json.hpp"
#include "model/value_json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t input_bytes_max = std::size_t{1} << 30;

base::Result<text::ToonDelimiter> read_delimiter(const Arguments& arguments) {
    const std::string name = arguments.value_or("delimiter", "comma");
    if (name == "comma") return text::ToonDelimiter::comma;
    if (name == "tab") return text::ToonDelimiter::tab;
    if (name == "pipe") return text::ToonDelimiter::pipe;
    return base::error(base::Code::invalid, "--delimiter is comma, tab or pipe, not \"" + name + "\"");
}

struct Wanted {
    bool encode = false;
    text::ToonEncodeOptions encoding;
    text::ToonDecodeOptions decoding;
};

base::Result<Wanted> read_wanted(const Arguments& arguments) {
    Wanted wanted;
    const std::string action = arguments.positional(0);
    if (action != "encode" && action != "decode") {
        return base::error(base::Code::invalid, "say encode or decode, not \"" + action + "\"");
    }
    wanted.encode = action == "encode";
    TRY_ASSIGN(wanted.encoding.delimiter, read_delimiter(arguments));
    TRY_ASSIGN(const auto indent, arguments.integer("indent", 1, 16));
    if (indent) wanted.encoding.indent = wanted.decoding.indent = static_cast<int>(*indent);
    wanted.decoding.strict = !arguments.has("no-strict");
    return wanted;
}

base::Result<std::string> convert(const Wanted& wanted, const std::string& input) {
    if (wanted.encode) {
        TRY_ASSIGN(const model::RawJson json, codec::validate(input));
        return text::toon_encode(model::value_from(json.view()), wanted.encoding);
    }
    TRY_ASSIGN(const model::Value value, text::toon_decode(input, wanted.decoding));
    return model::to_json(value);
}

base::Error in_file(const std::string& path, const base::Error& error) {
    return path.empty() || path == "-" ? error : base::error(error.code, path + ": " + error.message);
}

Exit run_toon(Context& context, const Arguments& arguments) {
    const auto wanted = read_wanted(arguments);
    if (!wanted.ok()) {
        return usage_error(context, arguments, wanted.error());
    }
    const auto input = read_input(arguments.positional(1), input_bytes_max);
    if (!input.ok()) return fail(context, arguments, input.error());
    const auto converted = convert(*wanted, *input);
    if (!converted.ok()) return fail(context, arguments, in_file(arguments.positional(1), converted.error()));
    const bool shows_json = !wanted->encode && context.console.out_is_terminal;
    write_foreign(context.console, (shows_json ? host::escape_json_controls(*converted) : *converted) + "\n");
    return Exit::ok;
}

}  // namespace

Command toon_command() {
    Command command;
    command.name = "toon";
    command.summary = "turn JSON into TOON, or TOON into JSON";
    command.detail =
        "TOON 4.0 is what agents read: `encode` writes it from JSON, `decode` writes JSON from it. Numbers keep\n"
        "every digit. An error names line and column.";
    command.options = {{"delimiter", "NAME", "encode: comma, tab or pipe (comma)"},
                       {"indent", "N", "spaces a level (2)"},
                       {"no-strict", "", "decode: forgive wrong counts, indentation and repeated keys"}};
    command.positionals = {{"ACTION", "encode or decode"},
                           {"FILE", "what to read; standard input without it", PositionalSpec::Count::optional}};
    command.examples = {{"belfry toon encode --delimiter tab < calls.json", "a table with tabs"},
                        {"belfry toon decode notification.toon | jq .", "look into a notification"}};
    command.run = run_toon;
    return command;
}

}  // namespace belfry::cli
