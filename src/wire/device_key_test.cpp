#include "wire/device_key.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/hash.hpp"

namespace belfry::wire {
namespace {

DeviceKey a_key() {
    auto made = DeviceKey::make();
    EXPECT_TRUE(made.ok());
    return std::move(*made);
}

std::string pem_of_another_kind() {
    EVP_PKEY* key = ::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
    BIO* bio = ::BIO_new(::BIO_s_mem());
    ::PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    std::string pem(text, static_cast<std::size_t>(size));
    ::BIO_free(bio);
    ::EVP_PKEY_free(key);
    return pem;
}

TEST(DeviceKey, is_the_same_when_it_is_read_again) {
    const DeviceKey key = a_key();
    const auto pem = key.pem();
    ASSERT_TRUE(pem.ok());
    EXPECT_NE(pem->find("PRIVATE KEY"), std::string::npos);
    const auto again = DeviceKey::read(*pem);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->public_key(), key.public_key());
    EXPECT_EQ(again->pin(), key.pin());
    EXPECT_EQ(public_key_of(again->certificate()), key.public_key());
}

TEST(DeviceKey, no_two_are_alike) {
    EXPECT_NE(a_key().pin(), a_key().pin());
}

TEST(DeviceKey, its_pin_is_the_hash_of_its_public_key) {
    const DeviceKey key = a_key();
    EXPECT_EQ(key.pin().size(), 64U);
    EXPECT_EQ(pin_of(key.public_key()), key.pin());
    EXPECT_EQ(pin_of("no base64!"), "");
}

TEST(DeviceKey, what_is_no_key_of_a_device_is_refused) {
    EXPECT_FALSE(DeviceKey::read("").ok());
    EXPECT_FALSE(DeviceKey::read("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n").ok());
    EXPECT_FALSE(DeviceKey::read(std::string(1 << 20, 'a')).ok());
    const auto other = DeviceKey::read(pem_of_another_kind());
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().message, "the key of a device must be an Ed25519 key");
}

TEST(DeviceKey, a_signature_holds_for_its_text_and_its_key_alone) {
    const DeviceKey key = a_key();
    const std::string signature = key.sign("belfry host 1\na.1");
    EXPECT_TRUE(is_signed_by(key.public_key(), "belfry host 1\na.1", signature));
    EXPECT_FALSE(is_signed_by(key.public_key(), "belfry host 1\na.2", signature));
    EXPECT_FALSE(is_signed_by(a_key().public_key(), "belfry host 1\na.1", signature));
    EXPECT_FALSE(is_signed_by(key.public_key(), "belfry host 1\na.1", base::base64(std::string(64, '\0'))));
    EXPECT_FALSE(is_signed_by(key.public_key(), "belfry host 1\na.1", ""));
    EXPECT_FALSE(is_signed_by("", "belfry host 1\na.1", signature));
    EXPECT_FALSE(is_signed_by(base::base64("not a key"), "belfry host 1\na.1", signature));
}

TEST(DeviceKey, one_key_is_written_in_one_way) {
    const DeviceKey key = a_key();
    const std::string longer = base::base64(*base::parse_base64(key.public_key()) + "x");
    EXPECT_FALSE(is_signed_by(longer, "text", key.sign("text")));
}

}  // namespace
}  // namespace belfry::wire
