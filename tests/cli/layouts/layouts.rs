// SPDX-License-Identifier: GPL-2.0-or-later
// Layouts of data in Rust, for layouts.py: see layouts.c.
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::rc::Rc;

const COUNT: usize = 2000;
const ROUNDS: usize = 4;

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Cell {
    id: u64,
    weight: f64,
    rest: [u64; 8],
}

pub struct Node {
    next: Option<Box<Node>>,
    key: u64,
    pad: [u64; 8],
}

pub enum Shape {
    Circle { radius: f64, pad: [u64; 9] },
    Square { side: u64, pad: [u64; 9] },
}

pub struct Team {
    id: u64,
    cells: [Cell; 3],
    names: Vec<u32>,
}

#[inline(never)]
fn walk_vec(v: &Vec<Cell>) -> f64 {
    v.iter().map(|c| c.weight).sum()
}

#[inline(never)]
fn walk_boxes(first: &Option<Box<Node>>) -> u64 {
    let mut sum = 0;
    let mut at = first;
    while let Some(n) = at {
        sum += n.key + n.pad[7];
        at = &n.next;
    }
    sum
}

#[inline(never)]
fn walk_rcs(v: &[Rc<Cell>]) -> u64 {
    v.iter().map(|c| c.rest[5]).sum()
}

#[inline(never)]
fn walk_hash(m: &HashMap<u64, Cell>) -> u64 {
    let mut sum = 0;
    for i in 0..COUNT as u64 {
        sum += m.get(&i).map_or(0, |c| c.rest[3]);
    }
    sum
}

#[inline(never)]
fn walk_tree(m: &BTreeMap<u64, Cell>) -> f64 {
    m.values().map(|c| c.weight).sum()
}

#[inline(never)]
fn walk_shapes(v: &Vec<Shape>) -> f64 {
    let mut sum = 0.0;
    for s in v {
        sum += match s {
            Shape::Circle { radius, .. } => *radius,
            Shape::Square { side, .. } => *side as f64,
        };
    }
    sum
}

#[inline(never)]
fn walk_inner(v: &Vec<Team>) -> f64 {
    let mut sum = 0.0;
    for t in v {
        for c in &t.cells {
            sum += c.weight;
        }
    }
    sum
}

#[inline(never)]
fn walk_names(v: &Vec<Team>) -> u64 {
    v.iter().map(|t| t.names.len() as u64 + t.id).sum()
}

#[inline(never)]
fn walk_boxed(v: &[Box<Cell>]) -> u64 {
    v.iter().map(|c| c.id).sum()
}

fn main() {
    let cells = vec![Cell::default(); COUNT];
    let mut first = None;
    let mut rcs = Vec::new();
    let mut boxed = Vec::new();
    let mut hash = HashMap::new();
    let mut tree = BTreeMap::new();
    let mut shapes = Vec::new();
    let mut teams = Vec::new();

    for i in 0..COUNT as u64 {
        first = Some(Box::new(Node { next: first, key: i, pad: [i; 8] }));
        rcs.push(Rc::new(Cell::default()));
        boxed.push(Box::new(Cell::default()));
        hash.insert(i * 7919, Cell::default());
        hash.insert(i, Cell::default());
        tree.insert(i * 7919 % COUNT as u64, Cell::default());
        shapes.push(if i % 2 == 0 {
            Shape::Circle { radius: 1.0, pad: [0; 9] }
        } else {
            Shape::Square { side: 2, pad: [0; 9] }
        });
        teams.push(Team { id: i, cells: [Cell::default(); 3], names: Vec::new() });
    }
    for _ in 0..ROUNDS {
        black_box(walk_vec(&cells));
        black_box(walk_boxes(&first));
        black_box(walk_rcs(&rcs));
        black_box(walk_boxed(&boxed));
        black_box(walk_hash(&hash));
        black_box(walk_tree(&tree));
        black_box(walk_shapes(&shapes));
        black_box(walk_inner(&teams));
        black_box(walk_names(&teams));
    }
    for s in &shapes {
        if let Shape::Circle { pad, .. } | Shape::Square { pad, .. } = s {
            black_box(pad[1]);
        }
    }
    std::process::exit(0); // the list is too long to be dropped
}
