//! An engine: it takes tasks, and reports its thinking, its answers and its failures.
//!
//! The handle of a task of its own ([`driver`]) that keeps a process alive and speaks the protocol
//! with it.

mod driver;
mod process;
mod request;
mod thinking;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

pub use process::Program;
use tengen_session::session::{News, Task};

#[derive(Clone, Debug)]
pub struct Report<S> {
    pub sender: S,
    pub task: u64,
    pub news: News,
}

/// What an engine's task of the runtime is told.
enum Order {
    /// Think about this, by its number, instead of whatever there is.
    Do(u64, Task),
    MoveNow,
    Cancel,
}

pub struct Engine {
    orders: UnboundedSender<Order>,
    driver: JoinHandle<()>,
}

impl Engine {
    /// Starts the task that drives the program, whose news go to `reports`. The process starts
    /// with the first thing to think about, and not before these `others` have ended.
    pub fn start<S: Copy + Send + 'static>(
        program: Program,
        sender: S,
        reports: UnboundedSender<Report<S>>,
        others: Vec<JoinHandle<()>>,
    ) -> Engine {
        let (orders, inbox) = unbounded_channel();
        let tell = move |task, news| {
            // Whoever has gone needs no news.
            let _ = reports.send(Report { sender, task, news });
        };
        let driver = tokio::spawn(async move {
            for other in others {
                let _ = other.await;
            }
            driver::drive(program, inbox, tell).await;
        });
        Engine { orders, driver }
    }

    /// Lets the engine think about this instead of whatever it thinks about. Its news have the
    /// task's number.
    pub fn give(&self, number: u64, task: Task) {
        let _ = self.orders.send(Order::Do(number, task));
    }

    pub fn move_now(&self) {
        let _ = self.orders.send(Order::MoveNow);
    }

    pub fn cancel(&self) {
        let _ = self.orders.send(Order::Cancel);
    }

    /// Ends the engine, which is gone after this.
    pub async fn end(self) {
        drop(self.orders);
        let _ = self.driver.await;
    }
}
