// Preloaded before OpenBLAS: reports the processor as one from 2004.
extern "C" const char* openblas_get_corename() { return "Prescott"; }
