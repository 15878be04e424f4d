//! Files and directories: memory maps, segments, the walk over a segment that accounts for every
//! byte, partition and log directories.

pub mod broker_directory;
pub mod checkpoints;
pub mod damage;
pub mod directory;
pub mod file_name;
pub mod listener;
mod listing;
pub mod lock;
mod map;
pub mod partition_name;
mod range_reader;
mod read_at;
mod read_error;
pub mod segment;
pub mod small_file;
pub mod source;
mod spool;
pub mod topic_id;
pub mod unfinished;
mod window;
pub mod work_directory;
