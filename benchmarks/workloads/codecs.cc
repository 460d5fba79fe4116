// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Checksums and compression alone: the store's CRC-32C on 4 KiB, and the compressors, called
// directly, on a block of --block_size.
#include <snappy.h>
#include <zstd.h>

#include <cstdio>
#include <string>

#include "benchmarks/stores/store.h"
#include "benchmarks/workloads/workload.h"

namespace lull::bench {
namespace {

constexpr size_t kChecksumBlockBytes = 4096;
constexpr uint64_t kChecksumTotalBytes = 500 << 20;
constexpr uint64_t kCodecTotalBytes = 1 << 30;

void Checksum(Worker& worker) {
  const Crc32c crc = StoreCrc32c();
  if (crc == nullptr) {
    worker.message = "(not exported by this library)";
    return;
  }
  const std::string data(kChecksumBlockBytes, 'x');
  volatile uint32_t sum = 0;  // keeps the compiler from removing the loop
  for (uint64_t bytes = 0; bytes < kChecksumTotalBytes && !StopRequested(); bytes += data.size()) {
    sum = sum + crc(data.data(), data.size());
    worker.meter.Done(OpKind::kRead, 1, data.size());
  }
  worker.message = "(4K per op)";
}

// A codec is a type with
//   static bool Compress(const Config&, std::string_view plain, std::string* packed)
//   static bool Uncompress(std::string_view packed, std::string* plain), where `plain` already has
//   its final size
//   kName, for the failure message
std::string SampleBlock(Worker& worker) {
  const int64_t asked = worker.run.config.block_size;
  const size_t size = asked > 0 ? static_cast<size_t>(asked) : leveldb::Options().block_size;
  ValuePool pool(worker.run.config.compression_ratio, size, worker.run.config.seed);
  return std::string(pool.Next(size));
}

template <typename Codec>
void CompressBlocks(Worker& worker) {
  const std::string plain = SampleBlock(worker);
  std::string packed;
  for (uint64_t bytes = 0; bytes < kCodecTotalBytes && !StopRequested(); bytes += plain.size()) {
    if (!Codec::Compress(worker.run.config, plain, &packed)) {
      worker.message = std::string("(") + Codec::kName + " failure)";
      return;
    }
    worker.meter.Done(OpKind::kRead, 1, plain.size());
  }
  char text[48];
  std::snprintf(text, sizeof(text), "(output: %.1f%%)",
                100.0 * static_cast<double>(packed.size()) / static_cast<double>(plain.size()));
  worker.message = text;
}

template <typename Codec>
void UncompressBlocks(Worker& worker) {
  std::string plain = SampleBlock(worker);
  std::string packed;
  bool good = Codec::Compress(worker.run.config, plain, &packed);
  for (uint64_t bytes = 0; good && bytes < kCodecTotalBytes && !StopRequested();
       bytes += plain.size()) {
    good = Codec::Uncompress(packed, &plain);
    worker.meter.Done(OpKind::kRead, 1, plain.size());
  }
  if (!good) worker.message = std::string("(") + Codec::kName + " failure)";
}

struct Snappy {
  static constexpr const char* kName = "snappy";
  static bool Compress(const Config&, std::string_view plain, std::string* packed) {
    packed->resize(snappy::MaxCompressedLength(plain.size()));
    size_t size = 0;
    snappy::RawCompress(plain.data(), plain.size(), packed->data(), &size);
    packed->resize(size);
    return true;
  }
  static bool Uncompress(std::string_view packed, std::string* plain) {
    return snappy::RawUncompress(packed.data(), packed.size(), plain->data());
  }
};

struct Zstd {
  static constexpr const char* kName = "zstd";
  static bool Compress(const Config& config, std::string_view plain, std::string* packed) {
    packed->resize(ZSTD_compressBound(plain.size()));
    const size_t size = ZSTD_compress(packed->data(), packed->size(), plain.data(), plain.size(),
                                      config.zstd_compression_level);
    if (ZSTD_isError(size)) return false;
    packed->resize(size);
    return true;
  }
  static bool Uncompress(std::string_view packed, std::string* plain) {
    return ZSTD_decompress(plain->data(), plain->size(), packed.data(), packed.size()) ==
           plain->size();
  }
};

constexpr WorkloadSpec kCodecSpecs[] = {
    {.name = "crc32c", .body = Checksum},
    {.name = "snappycomp", .body = CompressBlocks<Snappy>},
    {.name = "snappyuncomp", .body = UncompressBlocks<Snappy>},
    {.name = "zstdcomp", .body = CompressBlocks<Zstd>},
    {.name = "zstduncomp", .body = UncompressBlocks<Zstd>},
};

}  // namespace

std::span<const WorkloadSpec> CodecWorkloads() { return kCodecSpecs; }

}  // namespace lull::bench
