//! Gradients at vertices by the theorem of Gauss on the median dual, for reports and hand-over.

use rayon::prelude::*;

use super::dual::DualMesh;
use crate::ranks::Ranks;
use crate::vector::Vector;

impl DualMesh {
    /// Returns the gradients of the components of a vector, `[vertex][component]`, at owned vertices and the halo.
    /// Collective.
    pub fn gradient(&self, value: impl Fn(usize) -> Vector + Sync, ranks: &Ranks) -> Vec<[Vector; 3]> {
        let mut gradients: Vec<[Vector; 3]> = (0..self.owned)
            .into_par_iter()
            .map(|vertex| {
                let own = value(vertex);
                let mut sums = [[0.0; 3]; 3];
                for edge in self.edges(vertex) {
                    let other = self.turned(self.turns_of_edge(edge), value(self.neighbour[edge] as usize));
                    for (sum, (a, b)) in sums.iter_mut().zip(own.iter().zip(other)) {
                        add(sum, 0.5 * (a + b), self.area[edge]);
                    }
                }
                sums
            })
            .collect();
        for boundary in &self.boundary {
            for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
                let sums = &mut gradients[vertex as usize];
                sums.iter_mut()
                    .zip(value(vertex as usize))
                    .for_each(|(sum, own)| add(sum, own, *area));
            }
        }
        gradients
            .par_iter_mut()
            .zip(&self.volume[..self.owned])
            .for_each(|(sums, volume)| {
                sums.iter_mut().for_each(|sum| *sum = sum.map(|s| s / volume));
            });
        gradients.resize(self.len(), [[0.0; 3]; 3]);
        if ranks.size() == 1 {
            return gradients;
        }
        for i in 0..3 {
            for d in 0..3 {
                let mut component: Vec<f64> = gradients.iter().map(|g| g[i][d]).collect();
                self.update_halo(ranks, &mut component);
                gradients
                    .iter_mut()
                    .zip(component)
                    .for_each(|(g, value)| g[i][d] = value);
            }
        }
        gradients
    }
}

fn add(sum: &mut Vector, factor: f64, area: Vector) {
    sum.iter_mut().zip(area).for_each(|(sum, a)| *sum += factor * a);
}
