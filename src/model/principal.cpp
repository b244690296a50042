#include "model/principal.hpp"

#include <array>

namespace belfry::model {
namespace {
constexpr std::array<std::string_view, 5> names{"admin", "service", "user", "agent", "emitter"};
constexpr std::string_view house_id = "belfry";
}  // namespace

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
    principal.id = house_id;
    principal.role = Role::admin;
    return principal;
}

Principal house_worker(std::string_view agent_id) {
    Principal principal = house_principal();
    principal.id += ':';
    principal.id += agent_id;
    principal.works_as = agent_id;
    return principal;
}

bool is_house(std::string_view principal_id) {
    if (!principal_id.starts_with(house_id)) return false;
    return principal_id.size() == house_id.size() || principal_id[house_id.size()] == ':';
}

}  // namespace belfry::model
