// SPDX-License-Identifier: GPL-2.0-or-later

// A Rust program that prints the same each time: hash maps, threads, channels, a panic that is caught.
use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc;
use std::thread;

fn churn(seed: u64) -> u64 {
    let mut map = HashMap::new();
    for i in 0..20000u64 {
        *map.entry((i * 7919 + seed) % 5003).or_insert(0u64) += i;
    }
    map.iter().map(|(k, v)| k ^ v).fold(0, u64::wrapping_add)
}

fn main() {
    std::panic::set_hook(Box::new(|_| ())); // its message would name a thread by number
    let (tx, rx) = mpsc::channel();
    for seed in 0..4 {
        let tx = tx.clone();
        thread::spawn(move || tx.send((seed, churn(seed))).unwrap());
    }
    drop(tx);
    let sums: BTreeMap<u64, u64> = rx.iter().collect();
    println!("{:?}", sums);
    let words: Vec<String> = (0..1000).map(|i| format!("{}", i * i % 97)).collect();
    let mut sorted = words.clone();
    sorted.sort();
    println!("{}", sorted.iter().step_by(111).cloned().collect::<Vec<_>>().join(","));
    let caught = thread::spawn(|| if churn(1) > 1 { panic!("on purpose") }).join();
    println!("{}", caught.is_err());
}
