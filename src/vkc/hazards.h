// Which commands of a recording depend on each other: what automatic barriers are made from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vkc::detail {

// The pieces of memory that commands since the last barrier use. One thread at a time.
class HazardTracker {
 public:
  struct Access {
    const void* memory = nullptr;  // identity only
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;
    bool write = false;
    friend bool operator==(const Access&, const Access&) = default;
  };

  HazardTracker();

  // True if a command with this access must wait for an earlier one: they overlap and one of them writes.
  // Also true where the lists have grown so long that a barrier is cheaper than searching them.
  [[nodiscard]] bool conflicts(const Access& access) const;
  void add(const Access& access);

  // The same for a whole command: whether it must wait, then what it does. In this order, with a clear()
  // between them if it waits. Cheapest where each command waits for the one before.
  [[nodiscard]] bool must_wait(std::span<const Access> accesses);
  void remember(std::span<const Access> accesses);

  // After a barrier nothing has to be waited for.
  void clear();

 private:
  struct Piece {
    std::uint64_t begin_bytes;
    std::uint64_t end_bytes;
  };
  // Pieces that do not touch each other where they were added in order.
  class Pieces {
   public:
    [[nodiscard]] bool overlap(const Access& access) const;
    void add(const Access& access);
    void clear() { pieces_.clear(); }
    [[nodiscard]] bool is_full() const;

   private:
    std::vector<Piece> pieces_;
    std::uint64_t lowest_bytes_ = 0;  // of all pieces
    std::uint64_t highest_bytes_ = 0;
  };
  // What is done to one memory. Entries of an earlier round count as empty, so that clearing costs nothing.
  struct Entry {
    const void* memory = nullptr;
    std::uint64_t round = 0;
    Pieces reads;
    Pieces writes;
  };

  void grow();
  // Where the memory's entry is or would be.
  [[nodiscard]] std::size_t place_of(const void* memory) const;
  [[nodiscard]] bool conflicts(const Entry& entry, const Access& access) const;
  void add(Entry& entry, const Access& access);
  void add_last();

  std::vector<Access> last_;  // of the last command; not yet in the table
  // Of the accesses that must_wait() was asked for: those of last_, once remembered. Empty: not looked up.
  std::vector<std::size_t> places_;
  std::vector<Entry> entries_;  // a hash table by memory
  std::uint64_t round_ = 1;
  std::size_t used_ = 0;  // entries of this round
};

}  // namespace vkc::detail
