//! `--strategy` and `--rules` of a simulation: which designs run, under whose producer state.

use clap::{Args, ValueEnum};
use kfsck::report::simulation::comparison::{Columns, Design};
use kfsck::simulate::strategy::{self, Strategy};
use kfsck::state::rules::{Barrier, Fork, Mapped, RuleSet, Stock};

/// Which designs run.
#[derive(Debug, Args)]
pub(super) struct DesignOptions {
    /// What becomes of producer ids; several, or all
    #[arg(long, value_enum, value_name = "NAME,..", value_delimiter = ',')]
    #[arg(default_value = "all", hide_default_value = true)]
    strategy: Vec<StrategyName>,

    /// Whose producer state all brokers have; several, or all [default: mapped for negations and
    /// bit-field, else barrier]
    #[arg(long, value_enum, value_name = "RULES,..", value_delimiter = ',')]
    rules: Vec<RulesName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrategyName {
    /// Every strategy (the default)
    All,
    /// Batches are stored as they are
    Verbatim,
    /// -(id + 2), of every id
    Negate,
    /// -(id + 2), of ids from 0 up
    NegateIdempotent,
    /// 32 bits of the source cluster's id beside 31 bits of the producer's
    BitField,
    /// The same; a collision with producer state that another source is tagged on is salted
    BitFieldSalt,
    /// The same; salts are random and are kept in `__mirror_state`
    BitFieldRandomSalt,
    /// Batches are stored as they are, MIRROR_PID_RESET ends their producers' state
    Barrier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RulesName {
    /// Every rule set
    All,
    /// Kafka 4.4.0: a barrier (control type 7) is ignored, ids below 0 have no state
    Stock,
    /// The barrier design (KIP-1279): a barrier clears every producer and its open transaction
    Barrier,
    /// As designs need that map producer ids: every id but -1 has state, a barrier clears
    Mapped,
    /// The barrier design with the holes of its prototype
    Fork,
}

/// A strategy and the rules of all brokers.
pub(super) type Pair = (&'static dyn Strategy, &'static dyn RuleSet);

/// All rule sets, the released one first.
const RULES: [&dyn RuleSet; 4] = [&Stock, &Barrier, &Mapped, &Fork];

impl DesignOptions {
    fn strategies(&self) -> Vec<&'static dyn Strategy> {
        let mut chosen: Vec<&'static dyn Strategy> = Vec::new();
        for name in &self.strategy {
            let name = name.to_possible_value();
            let name = name.as_ref().map_or("", |name| name.get_name());
            let meant = strategy::ALL.into_iter();
            for one in meant.filter(|one| name == "all" || name == one.name()) {
                if !chosen.iter().any(|known| known.name() == one.name()) {
                    chosen.push(one);
                }
            }
        }
        chosen
    }

    /// The rule sets that were asked for; none where each strategy has its own.
    fn rule_sets(&self) -> Vec<&'static dyn RuleSet> {
        let mut chosen: Vec<&'static dyn RuleSet> = Vec::new();
        for name in &self.rules {
            let name = name.to_possible_value();
            let name = name.as_ref().map_or("", |name| name.get_name());
            let meant = RULES.into_iter();
            for one in meant.filter(|one| name == "all" || name == one.name()) {
                if !chosen.iter().any(|known| known.name() == one.name()) {
                    chosen.push(one);
                }
            }
        }
        chosen
    }

    /// Every design that is to run.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        let rules = self.rule_sets();
        let mut pairs = Vec::new();
        for strategy in self.strategies() {
            if rules.is_empty() {
                pairs.push((strategy, strategy.own_rules()));
            }
            pairs.extend(rules.iter().map(|rules| (strategy, *rules)));
        }
        pairs
    }

    /// Whether a strategy runs under several rule sets.
    pub(super) fn has_repeats(&self) -> bool {
        self.pairs().len() > self.strategies().len()
    }

    /// How the designs stand in tables.
    pub(super) fn tables(&self) -> Vec<Columns> {
        let (strategies, rules) = (self.strategies(), self.rule_sets());
        let design = |(strategy, rules): Pair| Design {
            strategy: strategy.name(),
            rules: rules.name(),
        };
        let designs = || self.pairs().into_iter().map(design);
        if let [strategy] = strategies.as_slice() {
            return vec![Columns {
                title: format!("Strategy {}", strategy.name()),
                designs: designs().collect(),
                by_rules: true,
            }];
        }
        if rules.is_empty() {
            let title = "Each strategy under its own rules: mapped for negations and bit-field, \
                         else barrier";
            return vec![Columns {
                title: title.to_owned(),
                designs: designs().collect(),
                by_rules: false,
            }];
        }
        let tables = rules.iter().map(|rules| Columns {
            title: format!("Rules {}", rules.name()),
            designs: designs().filter(|one| one.rules == rules.name()).collect(),
            by_rules: false,
        });
        tables.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_library_is_an_option_and_back() {
        let names = |values: Vec<Option<clap::builder::PossibleValue>>| -> Vec<String> {
            let values = values.into_iter().flatten();
            values.map(|value| value.get_name().to_owned()).collect()
        };
        let variants = StrategyName::value_variants().iter();
        let options = names(variants.map(ValueEnum::to_possible_value).collect());
        let known = strategy::ALL.iter().map(|one| one.name());
        assert_eq!(
            options,
            ["all"].into_iter().chain(known).collect::<Vec<_>>()
        );
        let variants = RulesName::value_variants().iter();
        let options = names(variants.map(ValueEnum::to_possible_value).collect());
        let known = RULES.iter().map(|one| one.name());
        assert_eq!(
            options,
            ["all"].into_iter().chain(known).collect::<Vec<_>>()
        );
        assert_eq!(RULES.len(), kfsck::state::rules::ALL.len());
        for strategy in strategy::ALL {
            let own = strategy.own_rules().name();
            assert!(RULES.iter().any(|rules| rules.name() == own), "{own}");
        }
    }
}
