//! An engine: told what to think about, it tells what it thinks, answers, and what goes wrong.
//!
//! The handle of a task of its own ([`driver`]) that keeps a process alive and speaks the protocol
//! with it. Knows positions, and nothing of games, players or pages.

mod driver;
mod output;
mod process;
mod request;
mod task;
mod thinking;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use task::Order;

pub use process::{ENGINE_ARGUMENT, Program};
pub use task::{Answer, News, Task, TimeControl};
pub use thinking::{Line, Thinking};

/// News of a task.
#[derive(Clone, Debug)]
pub struct Report<R> {
    /// Whose news it is.
    pub role: R,
    /// The number of its task.
    pub task: u64,
    /// What there is.
    pub news: News,
}

/// A running engine.
pub struct Engine {
    orders: UnboundedSender<Order>,
    driver: JoinHandle<()>,
    last: u64,
}

impl Engine {
    /// Starts the task that drives the program, whose news go to `reports`. The process starts
    /// with the first thing to think about.
    pub fn start<R: Copy + Send + 'static>(
        program: Program,
        role: R,
        reports: UnboundedSender<Report<R>>,
    ) -> Engine {
        let (orders, inbox) = unbounded_channel();
        let tell = move |task, news| {
            // Whoever has gone needs no news.
            let _ = reports.send(Report { role, task, news });
        };
        let driver = tokio::spawn(driver::drive(program, inbox, tell));
        Engine { orders, driver, last: 0 }
    }

    /// Lets the engine think about this instead of whatever it thinks about, and returns the number
    /// of the task.
    pub fn give(&mut self, task: Task) -> u64 {
        self.last += 1;
        let _ = self.orders.send(Order::Do(self.last, task));
        self.last
    }

    /// Asks for the answer at once.
    pub fn move_now(&self) {
        let _ = self.orders.send(Order::MoveNow);
    }

    /// Ends the task without an answer.
    pub fn cancel(&self) {
        let _ = self.orders.send(Order::Cancel);
    }

    /// Ends the engine, which is gone after this.
    pub async fn end(self) {
        drop(self.orders);
        let _ = self.driver.await;
    }
}
