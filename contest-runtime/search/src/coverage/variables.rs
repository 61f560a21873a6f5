//! Variables, identified by the sites that access them, and the upper bound of the patterns they can show.

use super::access::Accesses;
use super::sites::SiteId;
use contest_data::fast_hash::FastMap;

/// Sites by variable: classes of sites that met on an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    parent: Vec<u32>,
    reads: Vec<bool>,
    writes: Vec<bool>,
    /// Objects of this site's class that were in use at once, by site of the class's root.
    several: FastMap<u32, bool>,
}

impl Variables {
    fn root(&mut self, site: u32) -> u32 {
        let mut site = site;
        while self.parent[site as usize] != site {
            let above = self.parent[self.parent[site as usize] as usize];
            self.parent[site as usize] = above;
            site = above;
        }
        site
    }

    fn fit(&mut self, site: SiteId) {
        while self.parent.len() <= site.0 as usize {
            self.parent.push(self.parent.len() as u32);
            self.reads.push(false);
            self.writes.push(false);
        }
    }

    pub(super) fn join_sites(&mut self, accesses: &Accesses) {
        for list in &accesses.by_variable {
            let Some(&first) = list.first() else { continue };
            let one = accesses.get(first).site;
            self.fit(one);
            for &number in list {
                let access = accesses.get(number);
                self.fit(access.site);
                let site = access.site.0 as usize;
                self.reads[site] |= access.reads;
                self.writes[site] |= access.writes;
                let (a, b) = (self.root(one.0), self.root(access.site.0));
                if a != b {
                    self.parent[a.max(b) as usize] = a.min(b);
                    if self.several.remove(&a.max(b)).is_some() {
                        self.several.insert(a.min(b), true);
                    }
                }
            }
        }
        // Two objects of one class: pairs of them are patterns over two variables, too.
        for (index, list) in accesses.by_variable.iter().enumerate() {
            let Some(&first) = list.first() else { continue };
            let root = self.root(accesses.get(first).site.0);
            if self.several.contains_key(&root) {
                continue;
            }
            let again = accesses.by_variable[index + 1..].iter().any(|other| {
                other
                    .first()
                    .is_some_and(|&number| self.root_of(accesses.get(number).site.0) == root)
            });
            if again {
                self.several.insert(root, true);
            }
        }
    }

    fn root_of(&self, mut site: u32) -> u32 {
        while self.parent[site as usize] != site {
            site = self.parent[site as usize];
        }
        site
    }

    /// Number of variables, the bound with pairs of variables in both orders, and as printed in the paper.
    pub(super) fn bounds(&self) -> (u64, u64, u64) {
        let mut classes: FastMap<u32, (u64, u64)> = FastMap::default();
        for site in 0..self.parent.len() {
            let class = classes.entry(self.root_of(site as u32)).or_default();
            class.0 += u64::from(self.reads[site]);
            class.1 += u64::from(self.writes[site]);
        }
        let one: u64 = classes
            .values()
            .map(|&(r, w)| 2 * r * w + w * w + r * r * w + 3 * r * w * w + w * w * w)
            .sum();
        // The sum over pairs x != y of a(x) a(y) is the square of the sum less the sum of squares.
        let ordered = |of: fn(u64, u64) -> u64| {
            let sum: u64 = classes.values().map(|&(r, w)| of(r, w)).sum();
            let squares: u64 = classes.values().map(|&(r, w)| of(r, w).pow(2)).sum();
            sum * sum - squares
        };
        let two = 3 * ordered(|_, w| w * w) + 6 * ordered(|r, w| r * w);
        let alike: u64 = self
            .several
            .keys()
            .filter_map(|root| classes.get(root))
            .map(|&(r, w)| 3 * w.pow(4) + 6 * (r * w).pow(2))
            .sum();
        (classes.len() as u64, one + two + alike, one + two / 2)
    }
}
