//! The running session of a harness, as the component sees it through the `session` import, and the absence of one.
//! It never touches a file: that is what `Effects` is for.

use crate::bindings::{Activation, Failure, FailureReason, NoticeLevel, Role};

/// A session of a harness. One instance of the component steers one session.
///
/// A method may not call back into the instance that called it; what cannot be answered at once is answered
/// `Activation::Queued`, and settled with `Garnish::settle` after the export has returned.
pub trait Session: Send {
    /// On whose behalf the instance runs. Constant over its life.
    fn role(&mut self) -> Role;

    /// The tools offered to the model now, in the harness's order.
    ///
    /// # Errors
    ///
    /// `NoSession` when there is none.
    fn active_tools(&mut self) -> Result<Vec<String>, Failure>;

    /// Every tool that could be offered now, in the harness's order.
    ///
    /// # Errors
    ///
    /// `NoSession` when there is none.
    fn all_tools(&mut self) -> Result<Vec<String>, Failure>;

    /// Offers exactly these tools: sorted, without doubles.
    ///
    /// # Errors
    ///
    /// `NoSession` when there is none.
    fn set_active_tools(&mut self, names: Vec<String>) -> Result<Activation, Failure>;

    /// Makes what the files now say about these capabilities effective. One answer for each, in order.
    ///
    /// # Errors
    ///
    /// `NoSession` when there is none.
    fn reload(&mut self, capabilities: Vec<String>) -> Result<Vec<Activation>, Failure>;

    /// Tells the learner.
    fn notify(&mut self, level: NoticeLevel, text: String);
}

impl<S: Session + ?Sized> Session for Box<S> {
    fn role(&mut self) -> Role {
        (**self).role()
    }

    fn active_tools(&mut self) -> Result<Vec<String>, Failure> {
        (**self).active_tools()
    }

    fn all_tools(&mut self) -> Result<Vec<String>, Failure> {
        (**self).all_tools()
    }

    fn set_active_tools(&mut self, names: Vec<String>) -> Result<Activation, Failure> {
        (**self).set_active_tools(names)
    }

    fn reload(&mut self, capabilities: Vec<String>) -> Result<Vec<Activation>, Failure> {
        (**self).reload(capabilities)
    }

    fn notify(&mut self, level: NoticeLevel, text: String) {
        (**self).notify(level, text);
    }
}

/// No session: a command line. All that needs one is answered `no-session`, so that it counts from the next start of
/// the harness on; notices go to `sink`.
pub struct NoSession<F> {
    sink: F,
}

impl<F: FnMut(NoticeLevel, String) + Send> NoSession<F> {
    /// `sink` is given each notice.
    pub fn new(sink: F) -> Self {
        Self { sink }
    }

    fn none() -> Failure {
        Failure { reason: FailureReason::NoSession, message: "There is no running session here.".into() }
    }
}

impl<F: FnMut(NoticeLevel, String) + Send> Session for NoSession<F> {
    fn role(&mut self) -> Role {
        Role::Main
    }

    fn active_tools(&mut self) -> Result<Vec<String>, Failure> {
        Err(Self::none())
    }

    fn all_tools(&mut self) -> Result<Vec<String>, Failure> {
        Err(Self::none())
    }

    fn set_active_tools(&mut self, _names: Vec<String>) -> Result<Activation, Failure> {
        Err(Self::none())
    }

    fn reload(&mut self, _capabilities: Vec<String>) -> Result<Vec<Activation>, Failure> {
        Err(Self::none())
    }

    fn notify(&mut self, level: NoticeLevel, text: String) {
        (self.sink)(level, text);
    }
}
