"""Read a contract: all that is wrong with it at once, or the values of ``model.py``.

Rules of this file:

1. Nothing of a contract is ever executed, and nothing of it decides which file is read.
2. In this order: the file and its JSON, the policy and the schema together, the API's own rules. Who cannot
   be asked because of what was found before is not asked.
"""

from __future__ import annotations

from simulator.contract import by_api, by_schema, telling
from simulator.contract import policy as policies
from simulator.contract.build import contract, filled
from simulator.contract.model import Contract
from simulator.contract.opening import flaws, opened
from simulator.contract.own_policy import policy_of
from simulator.contract.policy import Policy, shipped_policy
from simulator.contract.problems import ContractError, Problem, problems_as_dicts
from simulator.contract.schema import CONTRACT, shipped
from simulator.contract.source import Source, name_of

__all__ = ["ContractError", "Policy", "Problem", "problems_as_dicts", "read"]


def read(source: Source, *, policy: Policy | Source | None = None) -> Contract:
    """Return the contract in the file *source* (a path), or in the bytes *source*.

    *policy*: another one than the shipped, itself or as a file. Raises ContractError with all problems, of
    the policy's file where it is that which is wrong.
    """
    rules = shipped_policy() if policy is None else policy_of(policy)
    file, schema = name_of(source), shipped(CONTRACT)
    located = opened(file, source, rules, rules.limits)
    value, defaults = filled(located.value, rules.defaults, schema)
    found = [*flaws(located, rules), *policies.faults(rules, value), *by_schema.faults(rules, schema, value)]
    if not any(fault.place[:1] in ((), ("request",)) for fault in found):
        found += by_api.faults(rules, value["request"])
    refusal = telling.error(file, located, value, schema, found)
    if refusal is not None:
        raise refusal
    return contract(value, frozenset(defaults))
