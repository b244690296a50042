// Change tokens and origins: what is accepted is written as it was read, and nothing else is written so.
#include <string>

#include "base/assert.hpp"
#include "base/wake_limits.hpp"
#include "model/change.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    using Class = model::ChangeToken::Class;
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto origin = model::parse_origin(text)) ASSERT(model::origin_text(*origin) == text);
    const auto token = model::ChangeToken::parse(text);
    if (!token.ok()) return 0;
    ASSERT(text.size() <= base::limits::change_token_bytes_max);
    ASSERT(model::to_text(*token) == text);
    ASSERT(token->name_space.empty() == (token->token_class != Class::subtype));
    const auto made = model::ChangeToken::make(token->token_class, token->name_space, token->name);
    ASSERT(made.ok() && *made == *token);
    return 0;
}
