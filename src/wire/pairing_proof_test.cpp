#include "wire/pairing_proof.hpp"

#include <gtest/gtest.h>

namespace belfry::wire {
namespace {

TEST(PairingCode, is_twelve_characters_in_groups) {
    EXPECT_EQ(pairing_code(0), "0000-0000-0000");
    EXPECT_EQ(pairing_code(~std::uint64_t{0}), "ZZZZ-ZZZZ-ZZZZ");
    EXPECT_EQ(pairing_code(1), "1000-0000-0000");
    EXPECT_EQ(pairing_code(std::uint64_t{1} << 59U), "0000-0000-000G") << "all of 60 bits count";
    EXPECT_EQ(pairing_code(std::uint64_t{1} << 60U), pairing_code(0)) << "and no more";
}

TEST(PairingCode, is_read_as_people_type_it) {
    EXPECT_EQ(parse_pairing_code("K7QF-92MX-4TRA"), "K7QF92MX4TRA");
    EXPECT_EQ(parse_pairing_code(" k7qf 92mx4tra"), "K7QF92MX4TRA");
    EXPECT_EQ(parse_pairing_code("oOiIlL000000"), "001111000000");
    EXPECT_FALSE(parse_pairing_code("K7QF-92MX-4TR"));
    EXPECT_FALSE(parse_pairing_code("K7QF-92MX-4TRAA"));
    EXPECT_FALSE(parse_pairing_code("K7QF-92MX-4TRU")) << "U is none of them";
    EXPECT_FALSE(parse_pairing_code(""));
    EXPECT_FALSE(parse_pairing_code("K7QF-92MX-4TR\n"));
}

TEST(PairingProof, depends_on_everything_that_it_proves) {
    const std::string secret = pairing_secret("K7QF92MX4TRA", "pin of a");
    EXPECT_EQ(secret, pairing_secret("K7QF92MX4TRA", "pin of a"));
    EXPECT_NE(secret, pairing_secret("K7QF92MX4TRB", "pin of a"));
    EXPECT_NE(secret, pairing_secret("K7QF92MX4TRA", "pin of b"));
    const PairingLink link{"exporter", "pin of b", "pin of a"};
    const std::string proof = pairing_proof(secret, PairingRole::caller, link);
    EXPECT_EQ(proof, pairing_proof(secret, PairingRole::caller, link));
    EXPECT_NE(proof, pairing_proof(secret, PairingRole::listener, link)) << "nobody can give a proof back";
    EXPECT_NE(proof, pairing_proof(secret, PairingRole::caller, {"another", "pin of b", "pin of a"}));
    EXPECT_NE(proof, pairing_proof(secret, PairingRole::caller, {"exporter", "pin of c", "pin of a"}));
    EXPECT_NE(proof, pairing_proof(secret, PairingRole::caller, {"exporter", "pin of b", "pin of c"}));
    EXPECT_NE(proof, pairing_proof(secret, PairingRole::caller, {"exporterp", "in of b", "pin of a"}))
        << "where one part ends belongs to it";
    EXPECT_NE(proof, pairing_proof(pairing_secret("K7QF92MX4TRB", "pin of a"), PairingRole::caller, link));
}

}  // namespace
}  // namespace belfry::wire
