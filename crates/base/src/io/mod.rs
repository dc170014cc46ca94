//! The files that a run writes: solutions, time series and checkpoints, with their provenance.
//!
//! Every file appears whole or not at all: it is written under a hidden temporary name beside its final one, flushed to
//! the storage medium, and renamed. A run that is killed, or a full disk, therefore never leaves an incomplete file
//! under a name that a reader would open. Solutions are [VTKHDF](write_solution) files, which ParaView reads directly;
//! series are [CSV](Series) with a row of units; checkpoints are [HDF5](write_checkpoint). All carry their
//! [`Provenance`]. A thread can write the large arrays of a file while the run goes on ([`Beside`]).

pub use crate::input::Table;
pub use beside::Beside;
pub use checkpoint::{
    CellField, Checkpoint, CheckpointData, CheckpointSection, Header, Layout, ListedCheckpoint, StoredCheckpoint,
    begin_checkpoint, checkpoint_name, is_checkpoint, list_checkpoints, remove_old_checkpoints, write_checkpoint,
};
pub use error::Error;
pub use error::whole_length;
pub use files::{create_anew, create_directory, create_own_folder, make_way, open_input, open_regular};
pub use files::{open_to_append, read_input, read_input_text, refuse_link};
pub use form::{Compression, Form};
pub use guarded::{check_size, read_array, readable};
pub use kind::kind_of_file;
pub use lock::DirectoryLock;
pub use parallel::{Unfinished, agree, of_rank_0};
pub use partial::{Partial, atomic_write, atomic_write_shared};
pub use piece::{MAX_ORDER, NamedField, Piece, PointField, node_count, nodes, point_fields};
pub use precision::Precision;
pub use previous::{Writer, files_of_previous_run, move_previous_run};
pub use programs::{absolute_variable, argument, find_program, first_program, python_environments, search_path};
pub use provenance::{Provenance, seconds_of_utc, set_commit};
pub use quantity::{Interval, JSON_VERSION, Quantity};
pub use run_record::{
    KILLED, RESULTS, RUN_RECORD, RUNNING, RecordedMesh, RunPart, RunRecord, STEADY_ADEQUACY, STEADY_BEFORE,
    STEADY_CHECKPOINT, STEADY_CONVERGENCE, STEADY_FIELDS, STEADY_FOLDER, STEADY_WALLS,
};
pub use series::shortest;
pub use series::{Mark, Series};
pub use series_index::write_series_index;
pub use solution_moment::{SolutionMoment, is_solution};
pub use stored_solution::{StoredCells, StoredSolution};
pub use su2_restart::{Su2Restart, is_su2_restart, looks_like_su2};
pub use sub_cells::{DividedPiece, Division, begin_divided_solution};
pub use surface::{Surface, SurfaceCells, face_nodes, write_surface};
pub use table::{TableFile, read_series};
pub use temporary_folder::TemporaryFolder;
pub use vtkhdf::{begin_cells, begin_solution, cells_name, write_solution};
pub use writable::{check_directory, check_file};
pub use written_table::{write_derived_table, write_table};

mod beside;
mod checkpoint;
mod collective;
mod connectivity;
mod error;
mod files;
mod form;
mod guarded;
mod kind;
mod lagrange;
mod lock;
mod parallel;
mod partial;
mod piece;
mod precision;
mod previous;
mod programs;
mod provenance;
mod quantity;
mod run_record;
mod series;
mod series_index;
mod solution_checksum;
mod solution_moment;
mod stored_solution;
mod stretch;
mod su2_restart;
mod sub_cells;
mod surface;
mod table;
mod temporary_folder;
mod vtkhdf;
mod writable;
mod written_table;
