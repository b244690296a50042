// Schemas of tools and what they are given, one after the other: every pair has an answer, the same each time, that
// names a place below the root; and whatever the schema, a value is what it is itself.
#include <string>

#include "base/assert.hpp"
#include "codec/json.hpp"
#include "rules/json_schema.hpp"

namespace {

using namespace belfry;

base::Result<void> checked(const std::string& schema, model::JsonView value) {
    const auto valid = codec::validate(schema);
    ASSERT(valid.ok());
    return rules::check_against(valid->view(), value, "root");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto schema = codec::validate(text.substr(0, end));
    const auto value = codec::validate(text.substr(std::min(end + 1, text.size())));
    if (!schema.ok() || !value.ok()) return 0;
    const auto first = rules::check_against(schema->view(), value->view(), "root");
    const auto again = rules::check_against(schema->view(), value->view(), "root");
    ASSERT(first.ok() == again.ok());
    if (!first.ok()) {
        ASSERT(first.error().code == base::Code::invalid && first.error().message == again.error().message);
        ASSERT(first.error().field.starts_with("root") && first.error().message.starts_with(first.error().field));
    }
    ASSERT(checked("{}", value->view()).ok());
    // As deep as can be, it does not fit into one more.
    const std::string only = R"({"const":)" + value->bytes() + "}";
    if (codec::validate(only).ok()) ASSERT(checked(only, value->view()).ok());
    const std::string wrapped = R"({"type":"array","items":)" + schema->bytes() + "}";
    const std::string list = '[' + value->bytes() + ']';
    if (!codec::validate(wrapped).ok() || !codec::validate(list).ok()) return 0;
    const bool is_object = schema->view().kind() == model::JsonKind::object;
    ASSERT(checked(wrapped, {list}).ok() == (!is_object || first.ok()));
    return 0;
}
