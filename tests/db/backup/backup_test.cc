// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Backups on the real file system: what they copy, what they contain, what they leave alone.
#include "lull/backup.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/backup/backup_list.h"
#include "db/backup/backups.h"
#include "db/recovery/file_content.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/moment_writers.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/option_sets.h"
#include "util/mutex.h"

namespace lull::testing {
namespace {

using leveldb::Status;

/// The real file system. Records which files are opened.
class WatchedEnv : public FaultEnv {
 public:
  WatchedEnv() : FaultEnv(leveldb::Env::Default()) {
    set_before_operation([this](IoOp op, const std::string& path) {
      if (op == kOpenRead) {
        MutexLock lock(mutex_);
        read_.insert(path);
      }
      if (op == kOpenWrite && path.ends_with("/new.tmp") && on_copy)
        std::exchange(on_copy, nullptr)();
    });
  }

  Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    return ExtensionOf(target())->GetFileStamp(name, stamp);
  }
  /// The files opened for reading since the last call.
  std::set<std::string> TakeRead() {
    MutexLock lock(mutex_);
    return std::exchange(read_, {});
  }

  std::function<void()> on_copy;  ///< called once, before the next copy begins

 private:
  Mutex mutex_;
  std::set<std::string> read_ LULL_GUARDED_BY(mutex_);
};

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() { Open(); }

  void Open() {
    // No compaction, so that the test decides which tables exist.
    EXPECT_TRUE(IsOk(OpenAt(SmallOptions(&env_), store_, &db_,
                            "l0_trigger=1000;l0_slowdown=1000;l0_stop=1000")));
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, key, value).ok());
  }
  /// Makes a table with these keys.
  void AddTable(int first, int limit, const std::string& tag) {
    for (int i = first; i < limit; ++i) Put("key" + std::to_string(100'000 + i), tag + Padding(i));
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  void AddTables(int count) {
    for (int i = 0; i < count; ++i) AddTable(i * 50, i * 50 + 50, "first");
  }
  static std::string Padding(int i) {
    return std::string(50 + i % 7, static_cast<char>('a' + i % 26));
  }

  BackupInfo AddBackup() {
    BackupInfo info;
    EXPECT_TRUE(IsOk(CreateBackup(db_.get(), dir_, &info)));
    return info;
  }
  /// Changes the store and backs it up `rounds` times. Returns the contents at each backup.
  std::vector<Contents> AddPoints(int rounds) {
    std::vector<Contents> points;
    for (int round = 0; round < rounds; ++round) {
      const std::string number = std::to_string(round);
      AddTable(round * 20, round * 20 + 60, "round" + number);
      EXPECT_TRUE(db_->Delete({}, "key10010" + number).ok());
      if (round == 2) db_->CompactRange(nullptr, nullptr);
      Put("in memory", number);
      points.push_back(ReadAll(db_.get()));
      AddBackup();
    }
    return points;
  }
  /// From the store's files, as another process does.
  BackupInfo AddBackupOfFiles() {
    BackupInfo info;
    EXPECT_TRUE(IsOk(BackUpFiles(SmallOptions(&env_), store_, dir_, nullptr, &info)));
    return info;
  }
  std::string Restore(uint64_t id) {
    const std::string target = directory_ + "/restored" + std::to_string(restored_++);
    EXPECT_TRUE(IsOk(RestoreBackup(&env_, dir_, id, target)));
    return target;
  }
  Contents Restored(uint64_t id) { return ReadStore(&env_, Restore(id)); }
  std::vector<uint64_t> Ids() {
    std::vector<BackupInfo> backups;
    EXPECT_TRUE(IsOk(ListBackups(&env_, dir_, &backups)));
    std::vector<uint64_t> ids;
    for (const BackupInfo& backup : backups) ids.push_back(backup.id);
    return ids;
  }
  void ExpectIntact() { EXPECT_TRUE(IsOk(VerifyBackup(&env_, dir_, 0))); }
  std::set<std::string> Copies() { return TableNames(&env_, dir_ + "/data"); }
  std::string Read(const std::string& path) { return FileBytes(&env_, path); }
  void Write(const std::string& path, const std::string& bytes) {
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bytes, path).ok()) << path;
  }

  WatchedEnv env_;
  const std::string directory_ = FreshDirectory("backup");
  const std::string store_ = directory_ + "/store";
  const std::string dir_ = directory_ + "/backups";
  std::unique_ptr<leveldb::DB> db_;
  int restored_ = 0;
};

// ---- what is copied ----

TEST_F(BackupTest, CopiesAndReadsOnlyNewTables) {
  AddTables(6);
  const BackupInfo first = AddBackup();
  EXPECT_EQ(first.id, 1u);
  EXPECT_EQ(first.files, 6u);
  EXPECT_EQ(first.new_files, 6u);
  EXPECT_EQ(first.new_bytes, first.bytes);
  EXPECT_GT(first.unix_seconds, 1'600'000'000u);

  const std::set<std::string> old_tables = TableNames(&env_, store_);
  Put("key100000", "second");
  env_.TakeRead();
  const BackupInfo second = AddBackup();
  EXPECT_EQ(second.id, 2u);
  EXPECT_EQ(second.files, 7u);
  EXPECT_EQ(second.new_files, 1u);
  EXPECT_EQ(second.bytes, first.bytes + second.new_bytes);
  EXPECT_EQ(Copies().size(), 7u);
  const std::set<std::string> read = env_.TakeRead();
  FileStamp stamp;  // otherwise only their contents tell tables apart
  if (env_.GetFileStamp(store_ + "/" + *old_tables.begin(), &stamp).ok()) {
    for (const std::string& table : old_tables) {
      EXPECT_FALSE(read.contains(store_ + "/" + table)) << table;
    }
    for (const std::string& path : read)
      EXPECT_FALSE(path.ends_with(".ldb") && path.starts_with(dir_)) << path;
  }

  const BackupInfo third = AddBackup();
  EXPECT_EQ(third.new_files, 0u) << "nothing has changed";
  EXPECT_EQ(third.files, 7u);
  EXPECT_EQ(Restored(1)["key100000"], "first" + Padding(0));
  EXPECT_EQ(Restored(3)["key100000"], "second");
}

// The tables keep their names, so only the stamp shows that another store is there.
TEST_F(BackupTest, TablesOfARestoredStoreAreNotTakenForTheirPredecessors) {
  AddTable(0, 50, "first");
  AddBackup();
  AddTable(0, 50, "abcde");
  AddBackup();
  db_.reset();
  ASSERT_TRUE(leveldb::DestroyDB(store_, SmallOptions(&env_)).ok());
  ASSERT_TRUE(RestoreBackup(&env_, dir_, 1, store_).ok());
  Open();
  AddTable(0, 50, "other");  // as long as the table that had its number
  const Contents wanted = ReadAll(db_.get());
  const BackupInfo info = AddBackup();
  EXPECT_EQ(info.new_files, 1u) << "the first table is found by its content";
  EXPECT_EQ(Restored(0), wanted);
}

TEST_F(BackupTest, UsesCopiesThatNoBackupNames) {
  AddTables(4);
  AddBackup();
  // As after a kill before the list was written.
  ASSERT_TRUE(env_.RemoveFile(dir_ + "/backups/000001").ok());
  Write(dir_ + "/data/new.tmp", "half of a table");
  Write(dir_ + "/backups/new.tmp", "half of a list");
  const BackupInfo info = AddBackup();
  EXPECT_EQ(info.files, 4u);
  EXPECT_EQ(info.new_files, 0u);
  EXPECT_FALSE(env_.FileExists(dir_ + "/data/new.tmp"));
  EXPECT_FALSE(env_.FileExists(dir_ + "/backups/new.tmp"));
  EXPECT_EQ(Restored(1), ReadAll(db_.get()));

  const std::string removed = *Copies().begin();
  ASSERT_TRUE(env_.RemoveFile(dir_ + "/data/" + removed).ok());
  EXPECT_TRUE(VerifyBackup(&env_, dir_, 1).IsCorruption());
  EXPECT_EQ(AddBackup().new_files, 1u) << "a copy that is gone is made again";
  EXPECT_TRUE(Copies().contains(removed));
  ExpectIntact();
}

TEST_F(BackupTest, EqualChecksumsAreNotEqualContent) {
  AddTables(3);
  AddBackup();
  // Files with the names, so also the sizes and checksums, of the copies to come.
  ASSERT_TRUE(env_.RemoveFile(dir_ + "/backups/000001").ok());
  std::map<std::string, std::string> impostors;
  for (const std::string& name : Copies()) {
    std::string bytes = Read(dir_ + "/data/" + name);
    bytes[bytes.size() / 2] ^= 1;
    Write(dir_ + "/data/" + name, bytes);
    impostors[name] = bytes;
  }
  const BackupInfo info = AddBackup();
  EXPECT_EQ(info.new_files, 3u);
  EXPECT_EQ(Copies().size(), 6u);
  for (const auto& [name, bytes] : impostors) {
    EXPECT_EQ(Read(dir_ + "/data/" + name), bytes);
    EXPECT_TRUE(Copies().contains(name.substr(0, name.size() - 4) + "-1.ldb")) << name;
  }
  ExpectIntact();
  EXPECT_EQ(Restored(1), ReadAll(db_.get()));
}

TEST_F(BackupTest, NumberSizeAndChecksumAreNotTheContentEither) {
  AddTables(1);
  AddBackup();
  const std::string copy = dir_ + "/data/" + *Copies().begin();
  FileSum before, after;
  ASSERT_TRUE(SumFile(&env_, copy, &before).ok());
  // A multiple of the polynomial of CRC-32C changes no checksum.
  constexpr uint64_t kPolynomial = 0x1'1EDC'6F41;
  std::string bytes = Read(copy);
  for (size_t bit = 0; bit <= 32; ++bit) {
    if ((kPolynomial >> (32 - bit)) % 2 == 1)
      bytes[100 + bit / 8] ^= static_cast<char>(1 << (bit % 8));
  }
  Write(copy, bytes);
  ASSERT_TRUE(SumFile(&env_, copy, &after).ok());
  ASSERT_EQ(after, before);
  const std::filesystem::path table = store_ + "/" + *TableNames(&env_, store_).begin();
  std::filesystem::last_write_time(table, std::filesystem::file_time_type::clock::now());

  EXPECT_EQ(AddBackup().new_files, 1u);
  EXPECT_EQ(Read(copy), bytes);
  EXPECT_EQ(Restored(2), ReadAll(db_.get()));
}

// ---- what a backup contains ----

TEST_F(BackupTest, RestoresEveryPoint) {
  EXPECT_EQ(AddBackup().files, 0u);
  std::vector<Contents> points = AddPoints(4);
  points.insert(points.begin(), Contents());
  ASSERT_TRUE(DeleteRange(db_.get(), nullptr, nullptr).ok());
  AddBackup();
  points.emplace_back();
  db_.reset();
  ASSERT_TRUE(leveldb::DestroyDB(store_, SmallOptions(&env_)).ok());
  ExpectIntact();
  ASSERT_EQ(Ids(), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
  for (uint64_t id = 1; id <= 6; ++id) EXPECT_EQ(Restored(id), points[id - 1]) << id;
  EXPECT_EQ(Restored(0), points[5]);

  // A restored store is like any other.
  const std::string name = Restore(2);
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(&env_), name, &db).ok());
  ASSERT_TRUE(db->Put({}, "later", "write").ok());
  db->CompactRange(nullptr, nullptr);
  Contents wanted = points[1];
  wanted["later"] = "write";
  EXPECT_EQ(ReadAll(db.get()), wanted);
  db.reset();
  EXPECT_EQ(ReadStore(&env_, name), wanted);
}

TEST_F(BackupTest, PruneKeepsWhatOtherBackupsNeed) {
  const std::vector<Contents> points = AddPoints(5);
  const size_t before = Copies().size();
  PrunedBackups pruned;
  ASSERT_TRUE(PruneBackups(&env_, dir_, 5, &pruned).ok());
  EXPECT_EQ(pruned.backups + pruned.files + pruned.bytes, 0u);
  ASSERT_TRUE(PruneBackups(&env_, dir_, 2, &pruned).ok());
  EXPECT_EQ(pruned.backups, 3u);
  EXPECT_GT(pruned.files, 0u);
  EXPECT_GT(pruned.bytes, 0u);
  EXPECT_EQ(Copies().size(), before - pruned.files);
  EXPECT_EQ(Ids(), (std::vector<uint64_t>{4, 5}));
  ExpectIntact();
  EXPECT_EQ(Restored(4), points[3]);
  EXPECT_EQ(Restored(5), points[4]);
  EXPECT_TRUE(RestoreBackup(&env_, dir_, 3, directory_ + "/none").IsNotFound());
  EXPECT_TRUE(VerifyBackup(&env_, dir_, 3).IsNotFound());
  ASSERT_TRUE(PruneBackups(&env_, dir_, 1).ok());
  EXPECT_EQ(AddBackup().id, 6u);
  EXPECT_EQ(Restored(6), points[4]);
}

TEST_F(BackupTest, HoldsOneMomentWhileFourWritersWrite) {
  db_.reset();
  leveldb::Options options = SmallOptions(&env_);
  options.write_buffer_size = 256 << 10;
  ASSERT_TRUE(OpenAt(options, store_, &db_).ok());
  std::vector<Writers::Counts> acked;
  {
    Writers writers(db_.get());
    for (int i = 0; i < 6; ++i) {
      writers.AwaitMore(50);
      acked.push_back(i % 2 == 0 ? writers.Acked() : Writers::Counts{});
      BackupInfo info;
      Status status;
      do {  // A store that changes all the time can defeat a reader, until the writers end.
        status = i % 2 == 0 ? CreateBackup(db_.get(), dir_)
                            : BackUpFiles(options, store_, dir_, nullptr, &info);
      } while (i % 2 == 1 && status.IsIOError());
      ASSERT_TRUE(IsOk(status));
    }
  }
  db_->CompactRange(nullptr, nullptr);
  db_.reset();
  ExpectIntact();
  for (size_t i = 0; i < acked.size(); ++i)
    EXPECT_EQ(Writers::Wrong(Restored(i + 1), acked[i]), "") << i;
}

TEST_F(BackupTest, WithAComparatorThatTheRestoreDoesNotKnow) {
  leveldb::Options options = SmallOptions(&env_);
  options.comparator = ReverseComparator();
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(options, directory_ + "/reversed", &db).ok());
  for (const char* key : {"a", "b", "c"}) {
    ASSERT_TRUE(db->Put({}, key, key).ok());
    if (*key == 'b') db->CompactRange(nullptr, nullptr);
  }
  ASSERT_TRUE(CreateBackup(db.get(), dir_).ok());
  db.reset();
  BackupInfo info;
  ASSERT_TRUE(IsOk(BackUpFiles(options, directory_ + "/reversed", dir_, nullptr, &info)));
  for (const uint64_t id : {1, 2}) {
    const std::string target = Restore(id);
    EXPECT_FALSE(OpenAt(SmallOptions(&env_), target, &db).ok());
    ASSERT_TRUE(OpenAt(options, target, &db).ok());
    const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator({}));
    entry->SeekToFirst();
    ASSERT_TRUE(entry->Valid());
    EXPECT_EQ(entry->key().ToString(), "c");
  }
}

TEST(BackupInMemoryTest, WithAnEnvThatHasNoExtension) {
  const std::unique_ptr<leveldb::Env> env(leveldb::NewMemEnv(leveldb::Env::Default()));
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(env.get()), "/store", &db).ok());
  for (int i = 0; i < 3000; ++i) {
    const std::string key = "key" + std::to_string(i * 7919 % 3000);
    ASSERT_TRUE(db->Put({}, key, std::string(100, 'v') + key).ok());
  }
  const Contents contents = ReadAll(db.get());
  // A compaction between the two backups would make new tables.
  ASSERT_TRUE(Flush(db.get()).ok());
  ASSERT_TRUE(WaitForIdle(db.get()).ok());
  BackupInfo first, second;
  ASSERT_TRUE(CreateBackup(db.get(), "/backups/", &first).ok());
  EXPECT_GT(first.new_files, 0u);
  ASSERT_TRUE(CreateBackup(db.get(), "/backups", &second).ok());
  EXPECT_EQ(second.new_files, 0u) << "without stamps, it reads the tables";
  ASSERT_TRUE(VerifyBackup(env.get(), "/backups", 1).ok());
  ASSERT_TRUE(RestoreBackup(env.get(), "/backups", 0, "/copy").ok());
  EXPECT_EQ(ReadStore(env.get(), "/copy"), contents);
}

// ---- a store that another process has open, or none ----

TEST_F(BackupTest, OfAClosedStoreChangesNothingInIt) {
  AddTable(0, 50, "table");
  Put("key100001", "in the log");
  Put("key100001", "in the log, twice");
  ASSERT_TRUE(db_->Delete({}, "key100002").ok());
  const Contents wanted = ReadAll(db_.get());
  db_.reset();
  // A table with the name that old versions of LevelDB used.
  const std::string table = store_ + "/" + *TableNames(&env_, store_).begin();
  ASSERT_TRUE(env_.RenameFile(table, table.substr(0, table.size() - 4) + ".sst").ok());
  const auto files = [this] {
    std::map<std::string, std::string> bytes;
    for (const auto& file : std::filesystem::directory_iterator(store_))
      bytes[file.path().string()] = Read(file.path().string());
    return bytes;
  };
  const auto before = files();

  const BackupInfo first = AddBackupOfFiles();
  EXPECT_EQ(first.files, 2u) << "a table, and one for the log";
  EXPECT_EQ(files(), before);
  EXPECT_EQ(Restored(1), wanted);
  const BackupInfo second = AddBackupOfFiles();
  EXPECT_EQ(second.new_files, 0u);
  EXPECT_EQ(Restored(2), wanted);
  ExpectIntact();
}

TEST_F(BackupTest, OfWhatIsNoStoreIsAnErrorAndMakesNoDirectory) {
  BackupInfo info;
  ASSERT_TRUE(env_.CreateDir(directory_ + "/empty").ok());
  for (const char* name : {"/none", "/empty"}) {
    const Status status = BackUpFiles(SmallOptions(&env_), directory_ + name, dir_, nullptr, &info);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  }
  AddTable(0, 10, "a");
  db_.reset();
  ASSERT_TRUE(env_.RemoveFile(store_ + "/CURRENT").ok());
  EXPECT_TRUE(BackUpFiles(SmallOptions(&env_), store_, dir_, nullptr, &info).IsCorruption());
  EXPECT_FALSE(env_.FileExists(dir_));
}

TEST_F(BackupTest, TablesMayDisappearWhenTheFirstCopyBegins) {
  const auto merge = [this] {
    db_->CompactRange(nullptr, nullptr);
    Put("key100000", "newer");
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  };
  for (int i = 0; i < 20; ++i) AddTable(i, i + 2, "old");
  const Contents wanted = ReadAll(db_.get());
  env_.on_copy = merge;
  EXPECT_EQ(AddBackupOfFiles().files, 20u) << "it has them open";
  EXPECT_EQ(Restored(1), wanted);

  // More tables than the backup keeps open: their successors replace them.
  for (int i = 0; i < 130; ++i) AddTable(i, i + 2, "other");
  env_.on_copy = merge;
  EXPECT_LT(AddBackupOfFiles().files, 130u);
  EXPECT_LT(TableNames(&env_, store_).size(), 130u) << "they have disappeared";
  EXPECT_EQ(Restored(2), ReadAll(db_.get()));
  ExpectIntact();
}

// ---- the directory ----

TEST_F(BackupTest, OneWriterAtATime) {
  AddTable(0, 10, "a");
  AddBackup();
  leveldb::FileLock* lock = nullptr;
  ASSERT_TRUE(env_.LockFile(dir_ + "/LOCK", &lock).ok());
  for (const Status& status : {CreateBackup(db_.get(), dir_), PruneBackups(&env_, dir_, 1)}) {
    EXPECT_TRUE(status.IsIOError());
    EXPECT_THAT(status.ToString(), ::testing::HasSubstr("another backup or prune"));
  }
  ExpectIntact();
  EXPECT_EQ(Restored(1), ReadAll(db_.get()));
  ASSERT_TRUE(env_.UnlockFile(lock).ok());
  EXPECT_EQ(AddBackup().id, 2u) << "the failed call left nothing";
}

TEST_F(BackupTest, ForeignFilesStay) {
  AddTable(0, 10, "a");
  AddBackup();
  const std::vector<std::string> foreign = {
      "/notes",           "/000009.ldb",           "/new.tmp",     "/data/notes",
      "/data/new.tmp.1",  "/data/00ab00cd-12.txt", "/data/1.ldb",  "/backups/7",
      "/backups/0000000", "/backups/000001.bak",   "/data/.hidden"};
  for (const std::string& path : foreign) Write(dir_ + path, "mine: " + path);
  db_->CompactRange(nullptr, nullptr);
  AddTable(0, 10, "b");
  AddBackup();
  ASSERT_TRUE(PruneBackups(&env_, dir_, 1).ok());
  EXPECT_EQ(Ids(), (std::vector<uint64_t>{2}));
  ExpectIntact();
  for (const std::string& path : foreign) EXPECT_EQ(Read(dir_ + path), "mine: " + path);
}

TEST_F(BackupTest, WrongArgumentsAreRefused) {
  AddTable(0, 10, "a");
  const auto refuses = [](const Status& status) { return status.IsInvalidArgument(); };
  EXPECT_TRUE(refuses(CreateBackup(db_.get(), "")));
  EXPECT_TRUE(refuses(CreateBackup(db_.get(), store_)));
  EXPECT_TRUE(refuses(CreateBackup(nullptr, dir_)));
  EXPECT_FALSE(CreateBackup(db_.get(), directory_ + "/none/backups").ok());
  leveldb::DB* reader = nullptr;
  ASSERT_TRUE(OpenReadOnly(SmallOptions(&env_), store_, &reader).ok());
  EXPECT_TRUE(refuses(CreateBackup(reader, dir_)));
  delete reader;

  std::vector<BackupInfo> backups(1);
  EXPECT_TRUE(ListBackups(&env_, dir_, &backups).IsNotFound());
  EXPECT_TRUE(backups.empty());
  EXPECT_TRUE(VerifyBackup(&env_, dir_, 0).IsNotFound());
  EXPECT_TRUE(RestoreBackup(&env_, dir_, 0, directory_ + "/restored").IsNotFound());
  EXPECT_TRUE(PruneBackups(&env_, dir_, 1).IsNotFound());
  EXPECT_FALSE(env_.FileExists(dir_)) << "only a backup creates it";

  AddBackup();
  EXPECT_TRUE(refuses(PruneBackups(&env_, dir_, 0)));
  EXPECT_TRUE(refuses(RestoreBackup(&env_, dir_, 0, store_)));
  EXPECT_TRUE(refuses(RestoreBackup(&env_, dir_, 0, "")));
  EXPECT_TRUE(refuses(RestoreBackup(&env_, dir_, 0, directory_ + "/none/restored")));
  EXPECT_TRUE(RestoreBackup(&env_, dir_, 9, directory_ + "/restored").IsNotFound());
  EXPECT_FALSE(env_.FileExists(directory_ + "/restored"));
  EXPECT_TRUE(refuses(ListBackups(nullptr, dir_, &backups)));
  EXPECT_TRUE(refuses(VerifyBackup(nullptr, dir_, 0)));
  EXPECT_TRUE(refuses(RestoreBackup(nullptr, dir_, 0, directory_ + "/restored")));
  EXPECT_TRUE(refuses(PruneBackups(nullptr, dir_, 1)));
  ExpectIntact();
}

}  // namespace
}  // namespace lull::testing
