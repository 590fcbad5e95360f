// OpenMP's threads, which oneDNN uses too.
#pragma once

#include <omp.h>

namespace upres::session::cpu {

// Cuts [begin, end) into one run of rows per thread and calls f(thread, first, after_last) on each; f must
// not throw. The cut has no influence on results, as every row is computed for itself.
template <typename F>
void parallel_rows(int threads, int begin, int end, F f) {
  const int rows = end - begin;
#pragma omp parallel num_threads(threads) if (threads > 1 && rows > 1)
  {
    const int count = omp_get_num_threads();
    const int thread = omp_get_thread_num();
    const auto cut = [&](int i) {
      return begin + static_cast<int>(static_cast<long long>(rows) * i / count);
    };
    if (cut(thread) < cut(thread + 1)) f(thread, cut(thread), cut(thread + 1));
  }
}

}  // namespace upres::session::cpu
