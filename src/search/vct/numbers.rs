//! Proof and disproof numbers: those of a node from its children's, and the limits of a child.

use super::moves::Width;
use super::proofs::{INFINITE, Value};
use super::{Child, Node, Vct};

/// First proof numbers of all attacks that come with a greater width.
const REST_PROOF: [u32; 2] = [60, 150];
/// What another move must be better by to be searched instead: a part of its number, and more.
const MARGIN_DIV: u32 = 4;
const MARGIN_BASE: u32 = 5;

impl Vct {
    /// Returns the value of a node from those of its children.
    pub(super) fn sum_up(&self, node: &Node) -> Value {
        let children = &self.children[node.first..];
        if let Some(width) = node.width {
            if let Some(child) = children.iter().find(|child| child.value.is_won()) {
                return Value::won(i32::from(child.value.plies) + 1, Some(child.mv));
            }
            // The attacks that are not looked at yet count as one.
            let rest = rest_proof(width);
            let proof = children.iter().map(|child| child.value.proof).min().unwrap_or(INFINITE);
            // Attacks often lead to the same positions, which a sum would count again and again
            // (Ueda and others, 2008): one more for each is enough.
            let disproof = children.iter().map(|child| child.value.disproof).max().unwrap_or(0);
            let open = children.iter().filter(|child| child.value.disproof > 0).count() as u32;
            let disproof = match rest {
                INFINITE => disproof + open.saturating_sub(1),
                _ => disproof.max(1) + open,
            };
            Value { width, ..Value::open(proof.min(rest), disproof.min(INFINITE - 1)) }
        } else {
            if children.iter().all(|child| child.value.is_won()) {
                let last = children.iter().max_by_key(|child| child.value.plies);
                let longest = last.map_or(0, |child| i32::from(child.value.plies) + 1);
                return Value::won(longest.max(node.plies), last.map(|child| child.mv));
            }
            let quiet = children.iter().filter(|child| !child.is_four);
            let proof = quiet.map(|child| child.value.proof).sum::<u32>() + self.fours_proof(node);
            let disproof = children.iter().map(|child| child.value.disproof).min();
            match disproof.unwrap_or(INFINITE) {
                0 => Value::FAILED,
                disproof => Value::open(proof.min(INFINITE - 1), disproof),
            }
        }
    }

    /// Returns the proof number of the defender's fours together. A four and its answer leave the
    /// threat and the other defences as they were, so that the same work is behind each of them:
    /// the greatest number stands for all.
    fn fours_proof(&self, node: &Node) -> u32 {
        let fours = self.children[node.first..].iter().filter(|child| child.is_four);
        fours.map(|child| child.value.proof).max().unwrap_or(0)
    }

    /// Returns the child to search next and the limits of its numbers: the mover takes the child
    /// that is the least work for him until another one is by a margin less, which keeps the
    /// search from jumping to and fro (Pawlewicz and Lew, 2006). `None` asks for more attacks.
    pub(super) fn choose(
        &self,
        node: &Node,
        value: Value,
        limits: [u32; 2],
    ) -> Option<(usize, [u32; 2])> {
        let (own, other) = if node.width.is_some() { (0, 1) } else { (1, 0) };
        let of = |child: &Child| {
            let numbers = [child.value.proof, child.value.disproof];
            (numbers[own], numbers[other])
        };
        let (mut best, mut least, mut second) =
            (None, node.width.map_or(INFINITE, rest_proof), INFINITE);
        for (index, child) in self.children.iter().enumerate().skip(node.first) {
            let number = of(child).0;
            if number < least || best.is_none() && number == least {
                (best, least, second) = (Some(index), number, least);
            } else {
                second = second.min(number);
            }
        }
        let best = best?;
        let mut child_limits = [0; 2];
        child_limits[own] =
            limits[own].min((second + second / MARGIN_DIV + MARGIN_BASE).min(INFINITE));
        // What the child may add, and what it stands at.
        let rest = limits[other].saturating_sub([value.proof, value.disproof][other]);
        let stand = match self.children[best].is_four && node.width.is_none() {
            true => self.fours_proof(node),
            false => of(&self.children[best]).1,
        };
        child_limits[other] = (rest + stand).min(INFINITE);
        Some((best, child_limits))
    }
}

/// Returns the proof number of the attacks beyond `width`; [`INFINITE`] if there are none.
fn rest_proof(width: Width) -> u32 {
    REST_PROOF.get(width as usize).copied().unwrap_or(INFINITE)
}
