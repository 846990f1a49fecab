//! A node that is being searched: its moves, what is known of them, and what follows from that.

use super::moves::Width;
use super::priors::Guess;
use super::proof_table::{INFINITE, Value};
use crate::types::Coord;

/// What another move must be better by to be searched instead: a part of its number, and more.
const MARGIN_DIV: u32 = 8;
const MARGIN_BASE: u32 = 3;

/// A move of a node and what is known of the position behind it.
#[derive(Clone, Copy)]
pub struct Child {
    pub mv: Coord,
    pub value: Value,
    /// What the value is a guess at, if the move was not played yet.
    pub guess: Option<Guess>,
    /// Whether the mover makes a four.
    pub is_four: bool,
}

/// A node.
pub struct Node {
    pub is_attack: bool,
    /// The guess at the best of those attacks that are not among its children, if there are any.
    pub rest: Option<Value>,
    /// The odds of a win and of a failure, from which the guesses at its children start.
    pub odds: [i32; 2],
    /// Plies that the defender lasts by other moves than those searched.
    pub plies: i32,
}

impl Node {
    /// Returns the value of the node from those of its children.
    pub fn sum_up(&self, children: &[Child]) -> Value {
        if self.is_attack { self.sum_up_attacks(children) } else { self.sum_up_defences(children) }
    }

    fn sum_up_attacks(&self, children: &[Child]) -> Value {
        if let Some(child) = children.iter().find(|child| child.value.is_won()) {
            return Value::won(i32::from(child.value.plies) + 1, Some(child.mv));
        }
        let (mut proof, mut disproof) = match self.rest {
            Some(rest) => (rest.proof, rest.disproof),
            None => (INFINITE, 0),
        };
        let (mut open, mut has_more) = (0, self.rest.is_some());
        for Child { value, guess, .. } in children {
            proof = proof.min(value.proof);
            disproof = disproof.max(value.disproof);
            if *guess == Some(Guess::QuietAttack) {
                has_more = true;
            } else {
                open += u32::from(value.disproof > 0);
            }
        }
        if disproof == 0 {
            return Value::FAILED;
        }
        // Attacks often lead to the same positions, which a sum would count again and again (Ueda
        // and others, 2008): one more for each is enough, and one for all the quiet ones together.
        let others = (open + u32::from(has_more)).saturating_sub(1);
        let width = if self.rest.is_some() { Width::Loud } else { Width::All };
        Value { width, ..Value::open(proof, (disproof + others).min(INFINITE - 1)) }
    }

    fn sum_up_defences(&self, children: &[Child]) -> Value {
        if children.iter().all(|child| child.value.is_won()) {
            let last = children.iter().max_by_key(|child| child.value.plies);
            let longest = last.map_or(0, |child| i32::from(child.value.plies) + 1);
            return Value::won(longest.max(self.plies), last.map(|child| child.mv));
        }
        let others = children.iter().filter(|child| !child.is_four);
        let proof = others.map(|child| child.value.proof).sum::<u32>() + fours_proof(children);
        let disproof = children.iter().map(|child| child.value.disproof).min();
        match disproof.unwrap_or(INFINITE) {
            0 => Value::FAILED,
            disproof => Value::open(proof.min(INFINITE - 1), disproof),
        }
    }

    /// Returns the child to turn to next and the limits of its numbers, given those of the node and
    /// the node's `value`: the mover takes the child that is the least work for him until another
    /// one is by a margin less, which keeps the search from jumping to and fro (Pawlewicz and Lew,
    /// 2006). `None` asks for the attacks that are not among the children.
    pub fn choose(
        &self,
        children: &[Child],
        value: Value,
        limits: [u32; 2],
    ) -> Option<(usize, [u32; 2])> {
        let (own, other) = if self.is_attack { (0, 1) } else { (1, 0) };
        let of = |value: Value| {
            let numbers = [value.proof, value.disproof];
            (numbers[own], numbers[other])
        };
        let rest = self.rest.map_or(INFINITE, |rest| of(rest).0);
        let (mut best, mut least, mut second) = (None, rest, INFINITE);
        for (index, child) in children.iter().enumerate() {
            let number = of(child.value).0;
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
        let left = limits[other].saturating_sub(of(value).1);
        let stand = match children[best].is_four && !self.is_attack {
            true => fours_proof(children),
            false => of(children[best].value).1,
        };
        child_limits[other] = (left + stand).min(INFINITE);
        Some((best, child_limits))
    }
}

/// Returns the proof number of the defender's fours together. A four and its answer leave the
/// threat and the other defences as they were, so that much the same work is behind each of them:
/// half as much again as the greatest number stands for all.
fn fours_proof(children: &[Child]) -> u32 {
    let fours = children.iter().filter(|child| child.is_four);
    fours.map(|child| child.value.proof).max().unwrap_or(0) * 3 / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(is_attack: bool, rest: Option<Value>) -> Node {
        Node { is_attack, rest, odds: [0; 2], plies: 0 }
    }

    /// Returns children with these numbers and moves one beside the other, fours where said.
    fn children(numbers: &[(u32, u32, bool)]) -> Vec<Child> {
        let child = |(x, &(proof, disproof, is_four)): (u8, &(u32, u32, bool))| Child {
            mv: Coord::new(x, 0),
            value: Value::open(proof, disproof),
            guess: None,
            is_four,
        };
        (0..).zip(numbers).map(child).collect()
    }

    #[test]
    fn an_attack_that_wins_wins_the_node() {
        let mut children = children(&[(5, 5, false), (7, 7, false)]);
        children[1].value = Value::won(4, None);
        assert_eq!(node(true, None).sum_up(&children), Value::won(5, Some(Coord::new(1, 0))));
    }

    #[test]
    fn a_node_fails_only_when_nothing_is_left_to_try() {
        let mut children = children(&[(5, 5, false)]);
        children[0].value = Value::FAILED;
        assert_eq!(node(true, None).sum_up(&children), Value::FAILED);
        let rest = Value::open(90, 3);
        assert_eq!(node(true, Some(rest)).sum_up(&children), rest);
    }

    #[test]
    fn the_defenders_fours_share_their_work() {
        let proof = |numbers| node(false, None).sum_up(&children(numbers)).proof;
        assert_eq!(proof(&[(10, 1, false), (20, 1, false)]), 30);
        assert_eq!(proof(&[(10, 1, false), (20, 1, true), (16, 1, true)]), 40);
    }

    #[test]
    fn the_rest_is_asked_for_once_it_is_the_best() {
        let children = children(&[(20, 5, false), (30, 5, false)]);
        let chosen = |proof| {
            let node = node(true, Some(Value::open(proof, 3)));
            node.choose(&children, node.sum_up(&children), [INFINITE; 2]).map(|(index, _)| index)
        };
        assert_eq!((chosen(21), chosen(19)), (Some(0), None));
    }
}
