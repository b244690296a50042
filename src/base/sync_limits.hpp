#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

// The bounds of what devices tell each other.
namespace belfry::base::limits {

// 2: lists merge by element, and notes of merges go beside their records.
inline constexpr std::int64_t sync_protocol = 2;

// Of one message between two devices, in one direction.
inline constexpr std::size_t sync_message_bytes_max = 8 << 20;
inline constexpr std::size_t sync_frame_bytes = 256 << 10;  // a frame ends after the record that fills it
inline constexpr std::size_t sync_frame_units_max = 2'000;
inline constexpr std::size_t sync_frame_records_max = 1'000;
inline constexpr std::size_t sync_record_bytes_max = 4 << 20;
inline constexpr std::size_t sync_fields_max = 2'000;         // of one record
inline constexpr std::size_t sync_concurrent_max = 64;        // values that one field has at once
inline constexpr std::size_t sync_ranges_max = 256;           // of one list of ranges
inline constexpr std::size_t sync_hosts_max = 64;             // that one device is told of
inline constexpr std::size_t sync_frames_in_flight = 4;       // that wait to be acknowledged
inline constexpr std::uint64_t sync_ahead_max = 100'000'000;  // of a host's changes, beyond what is here

inline constexpr std::size_t peers_max = 32;
inline constexpr std::size_t peer_name_bytes_max = 100;
inline constexpr Duration pairing_lasts = minutes(10);
inline constexpr int pairing_attempts_max = 3;

// An agent's run that another device has begun is left to it for so long.
inline constexpr Duration claim_patience = seconds(60);
inline constexpr Duration claims_kept = days(30);
inline constexpr std::size_t merge_notes_kept = 1'000;

inline constexpr Duration sync_silence_max = seconds(60);   // then the link is dead
inline constexpr Duration sync_ack_patience = seconds(45);  // then what was told is told again
inline constexpr Duration sync_ping_pause = seconds(20);
inline constexpr Duration sync_call_pause_first = seconds(1);
inline constexpr Duration sync_call_pause_max = seconds(60);

}  // namespace belfry::base::limits
