fn main() { println!("fr-les"); }
