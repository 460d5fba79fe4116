// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

//! Writes and reads a store with rusty-leveldb, an implementation of LevelDB's files in Rust.
//! store.cc, in this directory, describes the arguments.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write};

use rusty_leveldb::compressor::{NoneCompressor, SnappyCompressor};
use rusty_leveldb::{CompressorId, LdbIterator, Options, WriteBatch, DB};

fn from_hex(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let digits = (0..text.len()).step_by(2);
    Ok(digits.map(|at| u8::from_str_radix(&text[at..at + 2], 16)).collect::<Result<_, _>>()?)
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn apply(db: &mut DB, operations: impl BufRead) -> Result<(), Box<dyn Error>> {
    let mut batch = WriteBatch::default();
    for line in operations.lines() {
        let line = line?;
        let mut words = line.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some("put"), Some(key), Some(value)) => batch.put(&from_hex(key)?, &from_hex(value)?),
            (Some("delete"), Some(key), None) => batch.delete(&from_hex(key)?),
            (Some("commit"), ..) => db.write(std::mem::take(&mut batch), false)?,
            (Some("sync"), ..) => db.write(std::mem::take(&mut batch), true)?,
            (Some("compact"), ..) => db.compact_range(&[0], &[255; 8])?,
            _ => return Err(format!("unknown operation: {line}").into()),
        }
    }
    Ok(())
}

/// Scans forward only. In any store, rusty-leveldb's iterators lose entries when they move
/// backward, and it does not find a key that precedes a deletion in a table.
fn dump(db: &mut DB) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout());
    let mut at = db.new_iter()?;
    while at.advance() {
        let (key, value) = at.current().ok_or("an entry is not there")?;
        writeln!(out, "{} {}", to_hex(&key), to_hex(&value))?;
    }
    Ok(out.flush()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (what, folder, compression) = (&arguments[1], &arguments[2], &arguments[3]);
    let mut db = DB::open(
        folder,
        Options {
            compressor: match compression.as_str() {
                "snappy" => SnappyCompressor::ID,
                _ => NoneCompressor::ID,
            },
            create_if_missing: what == "apply",
            paranoid_checks: true,
            write_buffer_size: 256 << 10,
            ..Options::default()
        },
    )?;
    match what.as_str() {
        "apply" => {
            apply(&mut db, std::io::stdin().lock())?;
            if arguments[4] == "die" {
                std::process::exit(0);
            }
        }
        "dump" => dump(&mut db)?,
        _ => return Err(format!("unknown command: {what}").into()),
    }
    Ok(db.close()?)
}
