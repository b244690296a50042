#pragma once

#include <gtest/gtest.h>
#include <string>

#include "codec/json.hpp"
#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {

// One caller at a server of the tests.
class Talk : public ::testing::Test {
protected:
    Got ask(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& token = "agent") {
        return client.ask(request(method, target, token, "", body));
    }
    Got get(const std::string& target, const std::string& token = "agent") { return ask("GET", target, "", token); }

    // "422 invalid field: detail" of a refusal; the body where it is none.
    static std::string refusal(const Got& got) {
        const auto json = codec::validate(got.body);
        const auto code = json.ok() ? json->member("code") : std::nullopt;
        if (!code) return got.body;
        const auto field = json->member("field");
        return std::to_string(got.status) + " " + code->as_text() + " " + (field ? field->as_text() : "-") + ": " +
               json->member("detail")->as_text();
    }

    // What the command said that the gateway answered last, read on the network's thread.
    template <class C, class Read>
    auto of_last(Read read) {
        decltype(read(std::declval<const C&>())) out;
        house.on_network([&] { out = read(house.gateway.last_as<C>()); });
        return out;
    }
    int submitted() { return house.gateway.submitted.load(); }

    House house;
    Client client{house.server->port()};
};

inline std::string letters(std::size_t count) {
    return std::string(count, 'x');
}

}  // namespace belfry::net::test
