// FAISS's type for numbers and counts of rows.
#pragma once

#include <faiss/Index.h>

namespace leafglyph {

/// Its name differs between versions of FAISS, so it is taken from a member that all have.
using FaissRow = decltype(faiss::Index::ntotal);

}  // namespace leafglyph
