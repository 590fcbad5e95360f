#include "vkc/hazards.h"

#include <algorithm>
#include <utility>

namespace vkc::detail {
namespace {

constexpr std::size_t kEntries = 256;  // a power of two
constexpr std::size_t kMostUsed = kEntries / 2;
constexpr std::size_t kMostPieces = 128;

bool depends(const HazardTracker::Access& earlier, const HazardTracker::Access& later) {
  return earlier.memory == later.memory && (earlier.write || later.write) &&
         earlier.begin_bytes < later.end_bytes && later.begin_bytes < earlier.end_bytes;
}

}  // namespace

bool HazardTracker::Pieces::is_full() const { return pieces_.size() >= kMostPieces; }

bool HazardTracker::Pieces::overlap(const Access& access) const {
  if (pieces_.empty() || access.begin_bytes >= highest_bytes_ || lowest_bytes_ >= access.end_bytes)
    return false;
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return piece.begin_bytes < access.end_bytes && access.begin_bytes < piece.end_bytes;
  });
}

void HazardTracker::Pieces::add(const Access& access) {
  if (pieces_.empty()) {
    pieces_.push_back({access.begin_bytes, access.end_bytes});
    lowest_bytes_ = access.begin_bytes;
    highest_bytes_ = access.end_bytes;
    return;
  }
  lowest_bytes_ = std::min(lowest_bytes_, access.begin_bytes);
  highest_bytes_ = std::max(highest_bytes_, access.end_bytes);
  for (Piece& piece : pieces_) {
    if (access.begin_bytes > piece.end_bytes || piece.begin_bytes > access.end_bytes) continue;
    piece.begin_bytes = std::min(piece.begin_bytes, access.begin_bytes);
    piece.end_bytes = std::max(piece.end_bytes, access.end_bytes);
    return;
  }
  pieces_.push_back({access.begin_bytes, access.end_bytes});
}

HazardTracker::HazardTracker() : entries_(kEntries) {}

std::size_t HazardTracker::place_of(const void* memory) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t place = (reinterpret_cast<std::uintptr_t>(memory) >> 4) * 0x9E3779B1U & mask;
  while (entries_[place].round == round_ && entries_[place].memory != memory) place = (place + 1) & mask;
  return place;
}

bool HazardTracker::conflicts(const Entry& entry, const Access& access) const {
  if (entry.round != round_) return used_ >= kMostUsed;
  if (entry.writes.is_full() || entry.reads.is_full()) return true;
  return entry.writes.overlap(access) || (access.write && entry.reads.overlap(access));
}

bool HazardTracker::conflicts(const Access& access) const {
  return conflicts(entries_[place_of(access.memory)], access);
}

// Only a dispatch that binds very much comes here: after each barrier the table begins anew.
void HazardTracker::grow() {
  std::vector<Entry> smaller(entries_.size() * 2);
  smaller.swap(entries_);
  for (Entry& entry : smaller) {
    if (entry.round == round_) entries_[place_of(entry.memory)] = std::move(entry);
  }
}

void HazardTracker::add(Entry& entry, const Access& access) {
  if (entry.round != round_) {
    entry.memory = access.memory;
    entry.round = round_;
    entry.reads.clear();
    entry.writes.clear();
    ++used_;
  }
  (access.write ? entry.writes : entry.reads).add(access);
}

void HazardTracker::add(const Access& access) {
  if (2 * used_ > entries_.size()) grow();
  add(entries_[place_of(access.memory)], access);
}

// The places were looked up before any of these accesses was added: they hold unless the table grows, or two
// accesses to new memories want the same place.
void HazardTracker::add_last() {
  const bool places_known = places_.size() == last_.size() && 2 * (used_ + last_.size()) <= entries_.size();
  for (std::size_t i = 0; i < last_.size(); ++i) {
    Entry* entry = places_known ? &entries_[places_[i]] : nullptr;
    const bool is_its_own = entry != nullptr && (entry->round != round_ || entry->memory == last_[i].memory);
    if (is_its_own)
      add(*entry, last_[i]);
    else
      add(last_[i]);
  }
  last_.clear();
}

bool HazardTracker::must_wait(std::span<const Access> accesses) {
  for (const Access& earlier : last_) {
    const bool waits = std::any_of(accesses.begin(), accesses.end(),
                                   [&](const Access& access) { return depends(earlier, access); });
    if (waits) return true;
  }
  add_last();
  places_.clear();
  for (const Access& access : accesses) {
    places_.push_back(place_of(access.memory));
    if (conflicts(entries_[places_.back()], access)) return true;
  }
  return false;
}

void HazardTracker::remember(std::span<const Access> accesses) {
  last_.assign(accesses.begin(), accesses.end());
}

void HazardTracker::clear() {
  last_.clear();
  places_.clear();
  ++round_;
  used_ = 0;
}

}  // namespace vkc::detail
