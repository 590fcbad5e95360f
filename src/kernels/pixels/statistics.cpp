#include "kernels/pixels/statistics.h"

#include <algorithm>

namespace upres::kernels {

namespace {

// Both words of the range are zero only when no finite sample was seen: no finite float has all ordered bits
// 0 or 1.
bool saw_finite(const StatisticsWords& words) { return words[2] != 0 || words[3] != 0; }

}  // namespace

Statistics read_statistics(const StatisticsWords& words) {
  Statistics statistics = {.nan = words[0], .infinite = words[1]};
  if (saw_finite(words)) {
    statistics.any_finite = true;
    statistics.largest = from_ordered_bits(words[2]);
    statistics.smallest = from_ordered_bits(~words[3]);
  }
  return statistics;
}

void merge(Statistics& total, const Statistics& part) {
  total.nan += part.nan;
  total.infinite += part.infinite;
  if (!part.any_finite) return;
  total.smallest = total.any_finite ? std::min(total.smallest, part.smallest) : part.smallest;
  total.largest = total.any_finite ? std::max(total.largest, part.largest) : part.largest;
  total.any_finite = true;
}

}  // namespace upres::kernels
