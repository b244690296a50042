// Configuration files.
#include <string>

#include "base/assert.hpp"
#include "codec/toml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto table = belfry::codec::parse_toml(text, "fuzz.toml");
    if (!table.ok()) {
        ASSERT(table.error().message.starts_with("fuzz.toml:"));
        return 0;
    }
    for (const belfry::codec::TomlEntry& entry : table->entries) {
        ASSERT(table->find(entry.key) == &entry);
        ASSERT(entry.line >= 1 && entry.column >= 1);
    }
    return 0;
}
