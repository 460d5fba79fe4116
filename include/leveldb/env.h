// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Env: what the store needs of an operating system. Programs can pass their own, to keep files
// elsewhere, count or limit I/O, or inject faults. Every Env method may be called from many threads
// at once.
//
// Functions with a result pointer store a new object there on success, which the caller deletes,
// and nullptr on failure. Errors name the file.

#ifndef LULL_INCLUDE_LEVELDB_ENV_H_
#define LULL_INCLUDE_LEVELDB_ENV_H_

#include <cstdarg>
#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/export.h"
#include "leveldb/status.h"

// <windows.h> turns DeleteFile, a method below, into another name by a macro. Take the macro away
// while Env is declared, and put it back at the end of this header, so that Env is the same class
// wherever it is seen.
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

  // The machine's own files and threads. The same object in every call; the library owns it, nobody
  // deletes it.
  static Env* Default();

  // Opens a file for reading from its beginning on. NotFound if it does not exist. One thread uses
  // the result at a time.
  virtual Status NewSequentialFile(const std::string& fname, SequentialFile** result) = 0;

  // Opens a file for reading at any position. NotFound if it does not exist. Many threads use the
  // result at once.
  virtual Status NewRandomAccessFile(const std::string& fname, RandomAccessFile** result) = 0;

  // Creates an empty file for writing, in place of any file of that name. One thread uses the
  // result at a time.
  virtual Status NewWritableFile(const std::string& fname, WritableFile** result) = 0;

  // Opens a file for writing behind its present end, creating it if need be. One thread uses the
  // result at a time. Need not be implemented: the default returns NotSupported, and callers must
  // do without.
  virtual Status NewAppendableFile(const std::string& fname, WritableFile** result);

  // Whether there is a file of this name.
  virtual bool FileExists(const std::string& fname) = 0;

  // Replaces *result by the names in directory `dir`, without the directory's own path. May include
  // "." and "..", as Env::Default() does.
  virtual Status GetChildren(const std::string& dir, std::vector<std::string>* result) = 0;

  // Deletes a file. Implementations override this one; its default calls DeleteFile, which older
  // ones have instead.
  virtual Status RemoveFile(const std::string& fname);

  // The older name of RemoveFile, which its default calls. At least one of the two must be
  // overridden: their defaults call each other. Do not call it in new code.
  virtual Status DeleteFile(const std::string& fname);

  // Makes a directory.
  virtual Status CreateDir(const std::string& dirname) = 0;

  // Removes an empty directory. RemoveDir and DeleteDir are related like RemoveFile and DeleteFile.
  virtual Status RemoveDir(const std::string& dirname);

  // The older name of RemoveDir.
  virtual Status DeleteDir(const std::string& dirname);

  // Sets *file_size to the file's length in bytes.
  virtual Status GetFileSize(const std::string& fname, uint64_t* file_size) = 0;

  // Gives `src` the name `target`, replacing a file of that name in one step.
  virtual Status RenameFile(const std::string& src, const std::string& target) = 0;

  // Takes the lock that file `fname` stands for, creating the file if need be, so that one process
  // at a time has a store open. Never waits: fails if the lock is taken, be it by this process. On
  // success *lock is given back by UnlockFile, or by the end of the process.
  virtual Status LockFile(const std::string& fname, FileLock** lock) = 0;

  // Gives back a lock and deletes the object.
  // REQUIRES: `lock` is from LockFile of this Env, and still held.
  virtual Status UnlockFile(FileLock* lock) = 0;

  // Has function(arg) run once, later, in a thread of the Env's. Several such may run at the same
  // time, in any order.
  virtual void Schedule(void (*function)(void* arg), void* arg) = 0;

  // Runs function(arg) in a new thread, which ends with it.
  virtual void StartThread(void (*function)(void* arg), void* arg) = 0;

  // Sets *path to a directory where tests may write; always the same one within a process.
  virtual Status GetTestDirectory(std::string* path) = 0;

  // Opens a log of messages for people to read.
  virtual Status NewLogger(const std::string& fname, Logger** result) = 0;

  // Microseconds since a moment of the Env's choice. Only differences mean anything.
  virtual uint64_t NowMicros() = 0;

  // Blocks the calling thread for so long, or a little longer.
  virtual void SleepForMicroseconds(int micros) = 0;
};

// A file being read from front to back. The caller sees to it that one thread uses it at a time.
class LEVELDB_EXPORT SequentialFile {
 public:
  SequentialFile() = default;

  SequentialFile(const SequentialFile&) = delete;
  SequentialFile& operator=(const SequentialFile&) = delete;

  virtual ~SequentialFile();

  // Reads the next `n` bytes, or as many as are left: *result is then shorter, and empty at the end
  // of the file. `scratch` has room for `n` bytes; *result may point into it or elsewhere, and is
  // good until `scratch` is reused or the file is read again.
  virtual Status Read(size_t n, Slice* result, char* scratch) = 0;

  // Leaves out `n` bytes, or what is left of the file. Costs no more than reading them.
  virtual Status Skip(uint64_t n) = 0;
};

// A file being read at any position, by many threads at once.
class LEVELDB_EXPORT RandomAccessFile {
 public:
  RandomAccessFile() = default;

  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  virtual ~RandomAccessFile();

  // Reads `n` bytes from byte `offset` on, or as many as the file has there. `scratch` has room for
  // `n` bytes; *result may point into it, or into memory of the file's that lives as long as the
  // file.
  virtual Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const = 0;
};

// A file being written from front to back. It buffers, so that many small appends are cheap. The
// caller sees to it that one thread uses it at a time.
class LEVELDB_EXPORT WritableFile {
 public:
  WritableFile() = default;

  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;

  virtual ~WritableFile();

  // Adds the bytes, to the buffer at least.
  virtual Status Append(const Slice& data) = 0;
  // Flushes and closes. Nothing but the destructor may be called afterwards.
  virtual Status Close() = 0;
  // Hands the buffer to the operating system: it survives this process, not the machine.
  virtual Status Flush() = 0;
  // Returns when all that was appended is on stable storage.
  virtual Status Sync() = 0;
};

// Where messages for people go. Many threads log at once.
class LEVELDB_EXPORT Logger {
 public:
  Logger() = default;

  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  virtual ~Logger();

  // Writes one message, formatted as by vprintf; adds a newline if there is none.
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
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((__format__(__printf__, 2, 3)))
#endif
    ;

// Makes file `fname` consist of `data`. Not synced.
LEVELDB_EXPORT Status WriteStringToFile(Env* env, const Slice& data, const std::string& fname);

// Sets *data to all bytes of file `fname`; on failure, to those read so far.
LEVELDB_EXPORT Status ReadFileToString(Env* env, const std::string& fname, std::string* data);

// An Env that passes every call on to another one: derive from it to change a few methods only.
class LEVELDB_EXPORT EnvWrapper : public Env {
 public:
  // `t` remains the caller's and must outlive this object.
  explicit EnvWrapper(Env* t) : target_(t) {}
  virtual ~EnvWrapper();

  // Where the calls go.
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

// Puts the macro of <windows.h> back.
#if defined(_WIN32) && defined(LEVELDB_DELETEFILE_UNDEFINED)
#if defined(UNICODE)
#define DeleteFile DeleteFileW
#else
#define DeleteFile DeleteFileA
#endif  // defined(UNICODE)
#endif  // defined(_WIN32) && defined(LEVELDB_DELETEFILE_UNDEFINED)

#endif  // LULL_INCLUDE_LEVELDB_ENV_H_
