// Records of the journal as callers wish them, and lines of an export: what is taken is inside its limits, and what is
// written of it is read back as the same.
#include <string>

#include "base/assert.hpp"
#include "base/journal_limits.hpp"
#include "codec/journal_json.hpp"
#include "codec/json.hpp"
#include "model/journal_json.hpp"

namespace {

using namespace belfry;

void check_refusal(const base::Error& error, std::string_view text) {
    if (error.code == base::Code::malformed) return;
    ASSERT(!error.message.empty());
    ASSERT(codec::validate(text).ok());
}

void check_item(std::string_view text) {
    const auto item = codec::parse_journal_item(text);
    if (!item.ok()) return;
    ASSERT(codec::validate(text).ok());
    std::string written;
    model::JsonWriter writer(written);
    if (const auto* record = std::get_if<model::JournalRecord>(&*item)) model::append_record(writer, *record);
    else model::append_link(writer, std::get<model::Link>(*item));
    ASSERT(codec::validate(written).ok());
    auto again = codec::parse_journal_item(written);
    // Nobody may be named, and then nobody is written.
    if (!again.ok()) {
        ASSERT(again.error().field == "user_id");
        return;
    }
    ASSERT(*again == *item);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (std::size_t i = 0; i < model::journal_kind_count; ++i) {
        const auto kind = static_cast<model::JournalKind>(i);
        for (const auto purpose : {codec::JournalPurpose::create, codec::JournalPurpose::change}) {
            const auto input = codec::parse_journal_input(text, kind, purpose);
            if (!input.ok()) {
                check_refusal(input.error(), text);
                continue;
            }
            ASSERT(codec::validate(text).ok());
            ASSERT(input->wish.values.index() == i);
            ASSERT(input->id.size() <= base::limits::journal_id_bytes_max);
            ASSERT(!input->revision || *input->revision > 0);
            if (input->wish.given == 0) ASSERT(input->wish.values == model::empty_body(kind));
        }
    }
    check_item(text);
    return 0;
}
