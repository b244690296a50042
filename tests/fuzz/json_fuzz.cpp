// The JSON reader: what it accepts, another reader accepts with the same meaning, and compacting is stable.
#include <nlohmann/json.hpp>
#include <string>

#include "base/assert.hpp"
#include "codec/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto ours = codec::validate(text);
    // A byte order mark and NUL as the end are taken by the other one alone.
    const bool levelled = !text.starts_with("\xEF") && text.find('\0') == std::string::npos;
    nlohmann::json theirs;
    bool accepted = levelled;
    try {
        theirs = nlohmann::json::parse(text);
    } catch (const nlohmann::json::out_of_range&) {
        return 0;  // a number beyond a double
    } catch (const nlohmann::json::exception&) {
        accepted = false;
    }
    const bool bounded = !ours.ok() && (ours.error().message.ends_with("nested too deeply") ||
                                        ours.error().message.ends_with("more than 1024 characters"));
    ASSERT(ours.ok() == accepted || bounded);
    if (!ours.ok()) return 0;
    ASSERT(nlohmann::json::parse(ours->bytes()) == theirs);
    ASSERT(codec::validate(ours->bytes())->bytes() == ours->bytes());
    return 0;
}
