//! What is answered while no database is open, or in a program that is built without one.

use tengen_gomocup::{DatabaseCommand, Reply};

use super::super::task::DatabaseTask;

/// Returns the replies where there is no database.
pub fn replies(task: &DatabaseTask) -> Vec<Reply> {
    match task {
        DatabaseTask::Command {
            command: DatabaseCommand::QueryAll | DatabaseCommand::QueryAllAndText,
            ..
        } => ["REFRESH", "DONE"].map(|word| Reply::Message(format!("DATABASE {word}"))).into(),
        DatabaseTask::Command {
            command: DatabaseCommand::QueryOne | DatabaseCommand::QueryText,
            ..
        }
        | DatabaseTask::State
        | DatabaseTask::Check => Vec::new(),
        _ => vec![Reply::Error("no database is open, INFO database FILE opens one".to_owned())],
    }
}

#[cfg(not(feature = "database"))]
pub fn open(path: &std::path::Path) -> Result<(crate::database::Database, Reply), Reply> {
    let name = path.display();
    Err(Reply::Error(format!("database {name}: this program is built without the database")))
}

#[cfg(not(feature = "database"))]
pub fn execute(_: &DatabaseTask, database: &crate::database::Database) -> Vec<Reply> {
    match *database {}
}
