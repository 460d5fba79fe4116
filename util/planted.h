// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Planted bugs: mistakes of the kind that stores like this one have had, each in the place where it
// would be made. tests/planted/run activates one after another and wants each to be noticed by the
// tests that tests/planted/bugs.ini names; what each does is written there.
//
// They are compiled into test builds only (CMake: LULL_PLANT_BUGS, on in the preset asan), and even
// there none is active unless the environment variable LULL_PLANTED_BUG names it. In every other
// build Planted() is the constant false, and nothing of a bug is left in the library.
//
// Sites stand in .cc files of the library only: tests are compiled without LULL_PLANT_BUGS, and
// must not have another idea of an inline function.
#pragma once

namespace lull {

// In the order of bugs.ini, where they have these names; the enumerators begin with a k.
// clang-format off
#define LULL_FOR_EACH_PLANTED_BUG(X) \
  X(TableNamesUnsynced) X(TableUnsynced) X(ManifestUnsynced) X(ManifestNameUnsynced) \
  X(CurrentUnsynced) X(WalNamesUnsynced) X(OlderWalsUnsynced) X(SyncFailureAcknowledged) \
  X(FailedWalGoesOn) X(WritesResumeBeforeTables) X(EmptyMemTableNotSealed) \
  X(WalReadErrorIsItsEnd) X(ReplayGoesOnBehindDamage) X(DamagedWalNotKept) X(LostWalUnnoticed) \
  X(SequenceOfLastRecord) X(NumbersInFolderReused) \
  X(DeletesBeforeManifest) X(LostCurrentIsNew) X(CurrentNotReadAgain) X(WalReleasedEarly) \
  X(LogNumberTooNew) X(OutputsKeptLate) X(FreezeForgotten) X(OpenOutputForgotten) \
  X(NewestFlushedFirst) X(FlushedSequenceTooNew) X(UserKeySplit) X(InputsUnverified) \
  X(DamagedRangeRetried) X(OutputLevelsUnchecked) X(RangeFreedBeforeInstall) X(SnapshotsIgnored) \
  X(DeletionDroppedTooHigh) X(PausedJobInstalled) \
  X(PublishedBeforeInserted) X(ViewFreedUnderReaders) X(ViewBeforeVersion) \
  X(ManifestErrorSwallowed) X(FlushErrorSwallowed) X(StalledWriterIgnoresError) \
  X(NextLeaderNotWoken) X(AgeingForgotten) X(MemoryNeverReleased) X(MemoryCountedTwice) \
  X(UnlockedBeforeClosed) X(FlushSliceNotAwaited) X(LockFileReopened) X(HandleSumWraps) \
  X(ManifestKeysUnchecked)
// clang-format on

enum class Bug {
  kNone,
#define LULL_ENUMERATOR(name) k##name,
  LULL_FOR_EACH_PLANTED_BUG(LULL_ENUMERATOR)
#undef LULL_ENUMERATOR
};

#ifdef LULL_PLANT_BUGS
/// The active one. Constant once the program has begun.
extern const Bug planted_bug;

/// Whether that bug is active: one load.
inline bool Planted(Bug bug) { return bug == planted_bug; }
#else
constexpr bool Planted(Bug) { return false; }
#endif

}  // namespace lull
