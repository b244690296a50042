#include "engine/answer.hpp"

#include <charconv>

#include "model/raw_json.hpp"

namespace belfry::engine {
namespace {

base::Error damaged() {
    return base::error(base::Code::malformed, "a remembered answer is damaged");
}

std::uint64_t number_of(const model::JsonView& view) {
    std::uint64_t value = 0;
    std::from_chars(view.text.data(), view.text.data() + view.text.size(), value);
    return value;
}

base::Result<ports::Admission> read_entry(const model::JsonView& entry) {
    if (const auto code = entry.member("code")) {
        const auto message = entry.member("message");
        const auto field = entry.member("field");
        if (!message || !field) return damaged();
        return ports::Admission(
            base::error(static_cast<base::Code>(number_of(*code)), message->as_text(), field->as_text()));
    }
    const auto id = entry.member("id");
    const auto sequence = entry.member("sequence");
    if (!id || !sequence) return damaged();
    const auto uuid = base::parse_uuid(id->as_text());
    if (!uuid) return damaged();
    return ports::Admission(ports::Admitted{model::EventId{*uuid}, number_of(*sequence)});
}

}  // namespace

std::string write_answer(const std::vector<ports::Admission>& entries) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_array();
    for (const ports::Admission& entry : entries) {
        writer.begin_object();
        if (entry.ok()) {
            writer.field("id", base::format_uuid(entry->id.uuid));
            writer.field("sequence", static_cast<long long>(entry->sequence));
        } else {
            writer.field("code", static_cast<long long>(entry.error().code));
            writer.field("message", entry.error().message);
            writer.field("field", entry.error().field);
        }
        writer.end_object();
    }
    writer.end_array();
    return out;
}

base::Result<std::vector<ports::Admission>> read_answer(std::string_view bytes) {
    if (bytes.empty() || bytes.front() != '[') return damaged();
    std::vector<ports::Admission> entries;
    model::JsonWalker walker(model::JsonView{bytes});
    while (const auto entry = walker.next()) {
        TRY_ASSIGN(ports::Admission admission, read_entry(*entry));
        entries.push_back(std::move(admission));
    }
    return entries;
}

}  // namespace belfry::engine
