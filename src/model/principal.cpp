#include "model/principal.hpp"

#include <array>

namespace belfry::model {
namespace {
constexpr std::array<std::string_view, 5> names{"admin", "service", "user", "agent", "emitter"};
}

std::string_view role_name(Role role) {
    return names[static_cast<std::size_t>(role)];
}

std::optional<Role> parse_role(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<Role>(i);
    }
    return std::nullopt;
}

Principal principal_of(const AccessToken& token) {
    Principal principal;
    principal.id = "token:" + token.id;
    principal.role = token.role;
    principal.user_id = token.user_id;
    principal.bounds = token.bounds;
    principal.events_per_second = token.events_per_second;
    return principal;
}

Principal house_principal() {
    Principal principal;
    principal.id = "belfry";
    principal.role = Role::admin;
    return principal;
}

}  // namespace belfry::model
