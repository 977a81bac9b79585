// Stands before OpenBLAS: it takes every processor for one of 2004.
extern "C" const char* openblas_get_corename() { return "Prescott"; }
