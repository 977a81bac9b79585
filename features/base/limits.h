// Every limit on input, requests and replies, with its reason; no other file has one
// (tools/check/arrows). Sizes that programs choose for themselves, such as those of batches, are
// where they are used.
#pragma once

#include <cstddef>

namespace leafglyph {

// Files

/// Bytes of a text: CSV files, lists, headers. A list of a million images has about as many.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
/// Bytes of a line of a text; one with 10,000 columns of numbers has 250,000.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;
/// Bytes of a line of a list of files; Linux opens no longer path.
inline constexpr std::size_t kMaxPathBytes = 4096;
/// Bytes of a YAML configuration; its parser needs a hundred times as much memory.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
/// Mappings and lists inside each other in a configuration; ours have 4.
inline constexpr int kMaxConfigDepth = 32;
/// Aliases (*name) in a configuration: each can expand to a tree of further ones.
inline constexpr int kMaxConfigAliases = 100;
/// Configurations that include each other by `base`.
inline constexpr std::size_t kMaxConfigBases = 16;
/// Bytes of a font, unpacked; the largest there are, of all Chinese characters, have 30 MiB.
inline constexpr std::size_t kMaxFontBytes = std::size_t{64} << 20;

/// Bytes of an image in an archive or from stdin, which is read into memory: kMaxDecodedPixels of
/// four floats. More is a zip bomb.
inline constexpr std::size_t kMaxMemberBytes = std::size_t{1} << 30;
/// Bytes of the name of a file in an archive.
inline constexpr std::size_t kMaxArchivedName = 1024;

// Images

/// Pixels of an image that is decoded whole. A larger JPEG or TIFF can be reduced while it is
/// decoded (by 2, 4 or 8); other formats cannot and are refused.
inline constexpr std::size_t kMaxDecodedPixels = std::size_t{64} << 20;
/// Pixels of a TIFF file, whose parts are decoded one after another: a small file can have many.
inline constexpr std::size_t kMaxTiffPixels = std::size_t{256} << 20;
/// Pixels of the boxes around all regions of a mask, in pixels of the mask: those of noise overlap.
inline constexpr double kMaxRegionBoxes = 64;
/// Scans of a JPEG file: each costs the time of a whole image, and encoders write ten or so.
inline constexpr int kMaxJpegScans = 100;
/// Bytes of the EXIF block of a PNG file, of which only the orientation is used.
inline constexpr std::size_t kMaxExifBytes = std::size_t{1} << 20;
/// Pages of a TIFF file, and parts of a FITS file, that are looked at.
inline constexpr std::size_t kMaxPages = 10'000;
/// Blocks of 36 lines in a header of a FITS file; those of large surveys have a few hundred.
inline constexpr std::size_t kMaxFitsBlocks = 10'000;
/// Of the sides of a pixel, either way: a fax has 2; more is not the shape of a pixel.
inline constexpr double kMaxPixelAspect = 4;
/// Bits of the integers of an image.
inline constexpr int kMaxSampleBits = 32;
/// Side, in pixels, of the square to which an image is padded, and of drawn images.
inline constexpr int kMaxSquareSide = 8192;
/// Side, in pixels, of a prepared leaf; a photograph of 64 million pixels does not resolve more.
inline constexpr int kMaxPreparedSide = 4096;
/// Longer side, in pixels, of the mask whose outline's curvature is measured.
inline constexpr int kMaxCurvatureSide = 2048;
/// Sub-pixels per pixel of the preparation, along a side.
inline constexpr int kMaxOversampling = 64;
/// Pixels of a font's em box.
inline constexpr int kMaxGlyphSide = 4096;

// Moments

/// Highest orders. Tables grow with T^2: at order 10000 those of the exact method take 5 GB, and it
/// needs images of 6400 x 6400 pixels (T < pi N / 2) to add information. Bessel-Fourier moments
/// are four times as many, and their tables at order 5000 take 5 GB.
inline constexpr int kMaxOrder = 10'000;
inline constexpr int kMaxBesselFourierOrder = 5000;
/// Of Jacobi-Fourier moments, as many as those; exponent-Fourier moments of an order are twice as
/// many.
inline constexpr int kMaxJacobiFourierOrder = 5000;
inline constexpr int kMaxExponentFourierOrder = 2500;
/// Of the radius in polar harmonic transforms. Larger ones confine the functions to the rim.
inline constexpr double kMaxPolarExponent = 16.0;
/// Of p and q of Jacobi-Fourier moments. Larger ones confine the functions to a thin ring.
inline constexpr double kMaxJacobiFourierParameter = 100.0;
/// Of Zernike moments of volumes: 1.4 million numbers a volume.
inline constexpr int kMaxBallOrder = 200;
/// Of the families on the square; numbers of elements, moments and bytes then stay below 2^64.
inline constexpr int kMaxJacobiOrder = 100'000;
/// Of Zernike moments about every pixel: at higher orders their sums lose too many digits.
inline constexpr int kMaxLocalOrder = 16;
inline constexpr int kMaxLocalRadius = 1024;
/// Of leaf and character features: beyond it a row is longer than its image.
inline constexpr int kMaxFeatureOrder = 200;
/// Most points along a side of a pixel or voxel: the literature stops at 40, and a million points
/// in a pixel leave no error that double arithmetic shows.
inline constexpr int kMaxPointsASide = 1000;
/// The same for the small images of characters.
inline constexpr int kMaxGlyphPointsASide = 64;
/// Largest side of an image on the disk: pixel numbers j * N + i are 32-bit integers.
inline constexpr int kMaxImageSize = 46'340;
/// Longest axis of a volume on the ball: squares of coordinates are 32-bit integers.
inline constexpr int kMaxVolumeSide = 16'384;
/// Longest axis of an array on the square or the cube.
inline constexpr int kMaxAxisLength = 1 << 20;
/// Exponents of a Jacobi weight. Above this the exact integrals, whose series have about
/// alpha + beta terms, become slow, and the weight is 0 in double nearly everywhere.
inline constexpr double kMaxJacobiExponent = 1000.0;

// Features

/// Inputs of a block of a feature store, which is held in memory.
inline constexpr std::size_t kMaxBlockInputs = std::size_t{1} << 20;
/// Blocks of a feature store, each of two files: a billion inputs in blocks of 1024.
inline constexpr std::size_t kMaxStoreBlocks = std::size_t{1} << 20;
/// Columns of a table beside those of a leaf; networks have up to a few thousand values.
inline constexpr std::size_t kMaxJoinedColumns = 8192;
/// Bins of a histogram of distances.
inline constexpr std::size_t kMaxBins = 1'000'000;
/// Neighbours, rounds and other counts in a configuration or an option.
inline constexpr int kMaxCount = 1'000'000;
/// Closest pairs of characters, out of 23 million among those of GB 2312.
inline constexpr int kMaxClosestPairs = 100'000'000;
/// Look-alikes of a character; no character set has more characters.
inline constexpr int kMaxLookalikes = 100'000;
/// Characters of an explorer page, numbered by two bytes there.
inline constexpr std::size_t kMaxExplorerCharacters = 65'536;
/// Bytes of outlines in an explorer page, which a browser loads whole; fonts beyond it are left
/// out.
inline constexpr std::size_t kMaxOutlineBytes = std::size_t{16} << 20;
/// Images of a page that explains predictions, with the pictures of each and of its neighbours.
inline constexpr std::size_t kMaxExplainedImages = 1000;
/// A number in a model, of either sign: sums of squares of a few thousand of them stay within the
/// range of float.
inline constexpr double kMaxModelValue = 1e15;
/// Leaves per species of generated photographs.
inline constexpr int kMaxGeneratedLeaves = 100'000;

/// The order of a fit: 5,151 terms, whose triangle takes 212 MB.
inline constexpr int kMaxFitOrder = 100;

// Threads

/// Threads per processor, on machines where this is more than kMaxThreads: more do not compute
/// faster, and libgomp, which keeps its list of them on the stack, ends the process when it cannot
/// start as many as it was asked to.
inline constexpr int kMaxThreadsAProcessor = 4;
inline constexpr int kMaxThreads = 64;

}  // namespace leafglyph
