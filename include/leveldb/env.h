// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// Env: the operating system as the store uses it. A program can pass its own Env to store files
// elsewhere, count or limit I/O, or inject faults. Thread-safe: many threads call every Env method
// at once.
//
// A function with a result pointer stores a new object there on success, which the caller deletes,
// and nullptr on failure. Errors name the file.

#ifndef LULL_INCLUDE_LEVELDB_ENV_H_
#define LULL_INCLUDE_LEVELDB_ENV_H_

#include <cstdarg>
#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/export.h"
#include "leveldb/status.h"

// <windows.h> defines DeleteFile, a method below, as a macro. Undefine it here and restore it at
// the end of this header, so that every translation unit sees the same class Env.
#if defined(_WIN32)
#if defined(DeleteFile)
#undef DeleteFile
#define LEVELDB_DELETEFILE_UNDEFINED
#endif  // defined(DeleteFile)
#endif  // defined(_WIN32)

namespace leveldb {

class FileLock;
class Logger;
class RandomAccessFile;
class SequentialFile;
class Slice;
class WritableFile;

class LEVELDB_EXPORT Env {
 public:
  Env();

  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  virtual ~Env();

  // The files and threads of this machine. Always returns the same object, which the library owns.
  static Env* Default();

  // Opens a file for sequential reading. NotFound if it does not exist. Only one thread at a time
  // uses the result.
  virtual Status NewSequentialFile(const std::string& fname, SequentialFile** result) = 0;

  // Opens a file for reading at any position. NotFound if it does not exist. Many threads use the
  // result at once.
  virtual Status NewRandomAccessFile(const std::string& fname, RandomAccessFile** result) = 0;

  // Creates an empty file for writing, replacing any file of that name. Only one thread at a time
  // uses the result.
  virtual Status NewWritableFile(const std::string& fname, WritableFile** result) = 0;

  // Opens a file for appending; creates it if it does not exist. Only one thread at a time uses the
  // result. Optional: the default returns NotSupported, and callers must handle that.
  virtual Status NewAppendableFile(const std::string& fname, WritableFile** result);

  // True if a file of this name exists.
  virtual bool FileExists(const std::string& fname) = 0;

  // Replaces *result with the names in directory `dir`, without its path. May include "." and "..",
  // as Env::Default() does.
  virtual Status GetChildren(const std::string& dir, std::vector<std::string>* result) = 0;

  // Deletes a file. Override this method. The default calls DeleteFile, for older Envs that
  // override only that one.
  virtual Status RemoveFile(const std::string& fname);

  // The old name of RemoveFile; new code must not call it. The two defaults call each other, so an
  // Env must override at least one.
  virtual Status DeleteFile(const std::string& fname);

  // Creates a directory; its parent must exist. Can fail if the directory exists.
  virtual Status CreateDir(const std::string& dirname) = 0;

  // Removes an empty directory. RemoveDir relates to DeleteDir as RemoveFile does to DeleteFile.
  virtual Status RemoveDir(const std::string& dirname);

  // The old name of RemoveDir.
  virtual Status DeleteDir(const std::string& dirname);

  // Sets *file_size to the file's length in bytes.
  virtual Status GetFileSize(const std::string& fname, uint64_t* file_size) = 0;

  // Renames `src` to `target`, atomically replacing any file of that name.
  virtual Status RenameFile(const std::string& src, const std::string& target) = 0;

  // Locks file `fname`, creating it if it does not exist, so that only one process at a time opens
  // a store. Never blocks: fails if any process, this one included, holds the lock. The lock lasts
  // until UnlockFile or the end of the process.
  virtual Status LockFile(const std::string& fname, FileLock** lock) = 0;

  // Releases a lock and deletes the object.
  // REQUIRES: `lock` is from LockFile of this Env, and still held.
  virtual Status UnlockFile(FileLock* lock) = 0;

  // Runs function(arg) once, later, in a background thread. Several such calls can run at the same
  // time, in any order.
  virtual void Schedule(void (*function)(void* arg), void* arg) = 0;

  // Runs function(arg) in a new thread, which ends when the function returns.
  virtual void StartThread(void (*function)(void* arg), void* arg) = 0;

  // Sets *path to a directory for test files; always the same one within a process.
  virtual Status GetTestDirectory(std::string* path) = 0;

  // Opens a file for log messages that people read; creates it if it does not exist. Env::Default()
  // appends to an existing file.
  virtual Status NewLogger(const std::string& fname, Logger** result) = 0;

  // Microseconds since an arbitrary start. Only differences are meaningful.
  virtual uint64_t NowMicros() = 0;

  // Blocks the calling thread for at least `micros` microseconds.
  virtual void SleepForMicroseconds(int micros) = 0;
};

// A file for reading from start to end. The caller must ensure that only one thread at a time uses
// it.
class LEVELDB_EXPORT SequentialFile {
 public:
  SequentialFile() = default;

  SequentialFile(const SequentialFile&) = delete;
  SequentialFile& operator=(const SequentialFile&) = delete;

  virtual ~SequentialFile();

  // Reads the next `n` bytes into *result, fewer at the end of the file, none after it. `scratch`
  // has room for `n` bytes; *result can point into it or elsewhere. *result is valid until
  // `scratch` is reused or the file is read again.
  virtual Status Read(size_t n, Slice* result, char* scratch) = 0;

  // Advances by `n` bytes, or to the end of the file; never slower than reading them.
  virtual Status Skip(uint64_t n) = 0;
};

// A file for reading at any position. Thread-safe.
class LEVELDB_EXPORT RandomAccessFile {
 public:
  RandomAccessFile() = default;

  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  virtual ~RandomAccessFile();

  // Reads `n` bytes from byte `offset`, fewer if the file ends before. `scratch` has room for `n`
  // bytes. *result points into it, or into memory that lives as long as this object.
  virtual Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const = 0;
};

// A file for writing from start to end. It buffers, so that many small appends are cheap. The
// caller must ensure that only one thread at a time uses it.
class LEVELDB_EXPORT WritableFile {
 public:
  WritableFile() = default;

  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;

  virtual ~WritableFile();

  // Appends the bytes; they can stay in the buffer.
  virtual Status Append(const Slice& data) = 0;
  // Flushes and closes. After it, even if it fails, only the destructor may be called.
  virtual Status Close() = 0;
  // Passes the buffer to the operating system. The data then survives a crash of this process, but
  // not of the machine.
  virtual Status Flush() = 0;
  // Flushes, and returns after all appended data is on stable storage.
  virtual Status Sync() = 0;
};

// A destination for messages to people. Thread-safe: many threads log at once.
class LEVELDB_EXPORT Logger {
 public:
  Logger() = default;

  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  virtual ~Logger();

  // Writes one message, formatted as by vprintf; adds a newline if it has none.
  virtual void Logv(const char* format, std::va_list ap) = 0;
};

// A lock taken by Env::LockFile.
class LEVELDB_EXPORT FileLock {
 public:
  FileLock() = default;

  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  virtual ~FileLock();
};

// Writes a message, formatted as by printf, unless `info_log` is nullptr.
void Log(Logger* info_log, const char* format, ...)
#if defined(__MINGW32__)
    __attribute__((__format__(__gnu_printf__, 2, 3)))
#elif defined(__GNUC__) || defined(__clang__)
    __attribute__((__format__(__printf__, 2, 3)))
#endif
    ;

// Replaces the contents of file `fname` with `data`. Does not sync. On failure, removes the file.
LEVELDB_EXPORT Status WriteStringToFile(Env* env, const Slice& data, const std::string& fname);

// Sets *data to the contents of file `fname`; on failure, to the bytes read so far.
LEVELDB_EXPORT Status ReadFileToString(Env* env, const std::string& fname, std::string* data);

// An Env that forwards every call to another one. Derive from it to change only a few methods.
class LEVELDB_EXPORT EnvWrapper : public Env {
 public:
  // Forwards to `t`, which the caller owns and which must outlive this object.
  explicit EnvWrapper(Env* t) : target_(t) {}
  virtual ~EnvWrapper();

  // The Env that receives the calls.
  Env* target() const { return target_; }

  Status NewSequentialFile(const std::string& f, SequentialFile** r) override {
    return target_->NewSequentialFile(f, r);
  }
  Status NewRandomAccessFile(const std::string& f, RandomAccessFile** r) override {
    return target_->NewRandomAccessFile(f, r);
  }
  Status NewWritableFile(const std::string& f, WritableFile** r) override {
    return target_->NewWritableFile(f, r);
  }
  Status NewAppendableFile(const std::string& f, WritableFile** r) override {
    return target_->NewAppendableFile(f, r);
  }
  bool FileExists(const std::string& f) override { return target_->FileExists(f); }
  Status GetChildren(const std::string& dir, std::vector<std::string>* r) override {
    return target_->GetChildren(dir, r);
  }
  Status RemoveFile(const std::string& f) override { return target_->RemoveFile(f); }
  Status CreateDir(const std::string& d) override { return target_->CreateDir(d); }
  Status RemoveDir(const std::string& d) override { return target_->RemoveDir(d); }
  Status GetFileSize(const std::string& f, uint64_t* s) override {
    return target_->GetFileSize(f, s);
  }
  Status RenameFile(const std::string& s, const std::string& t) override {
    return target_->RenameFile(s, t);
  }
  Status LockFile(const std::string& f, FileLock** l) override { return target_->LockFile(f, l); }
  Status UnlockFile(FileLock* l) override { return target_->UnlockFile(l); }
  void Schedule(void (*f)(void*), void* a) override { return target_->Schedule(f, a); }
  void StartThread(void (*f)(void*), void* a) override { return target_->StartThread(f, a); }
  Status GetTestDirectory(std::string* path) override { return target_->GetTestDirectory(path); }
  Status NewLogger(const std::string& fname, Logger** result) override {
    return target_->NewLogger(fname, result);
  }
  uint64_t NowMicros() override { return target_->NowMicros(); }
  void SleepForMicroseconds(int micros) override { target_->SleepForMicroseconds(micros); }

 private:
  Env* target_;
};

}  // namespace leveldb

// Restores the macro of <windows.h>.
#if defined(_WIN32) && defined(LEVELDB_DELETEFILE_UNDEFINED)
#if defined(UNICODE)
#define DeleteFile DeleteFileW
#else
#define DeleteFile DeleteFileA
#endif  // defined(UNICODE)
#endif  // defined(_WIN32) && defined(LEVELDB_DELETEFILE_UNDEFINED)

#endif  // LULL_INCLUDE_LEVELDB_ENV_H_
