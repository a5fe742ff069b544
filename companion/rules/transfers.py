"""Credits moving between named accounts: whole numbers, never created, never lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .errors import Refusal

Account = str
Accounts = Mapping[Account, int]

HOUSE: Account = "house"  # the world outside the table; the one account that may go below zero
BANK: Account = "bank"  # the dealer's bankroll
FELT: Account = "felt"  # stakes lying on the mat, not yet won or lost
POT: Account = "pot"  # the prize pot of Point Five and Sika
HAND_POT: Account = "hand_pot"
SABACC_POT: Account = "sabacc_pot"
CROWN_POT: Account = "crown_pot"


def seat_account(seat: int) -> Account:
    """The account that holds a seat's credits."""
    return f"seat:{seat}"


@dataclass(frozen=True, slots=True)
class Transfer:
    """``amount`` credits (> 0) from ``source`` to ``target``; ``reason`` is a stable code."""

    source: Account
    target: Account
    amount: int
    reason: str

    def __post_init__(self) -> None:
        if self.amount <= 0 or self.source == self.target:
            raise ValueError(f"not a movement of credits: {self}")

    def reversed(self) -> Transfer:
        """The entry that takes this one back."""
        return Transfer(self.target, self.source, self.amount, self.reason)


class OverdrawnError(ValueError):
    """A transfer would take an account other than the house below zero."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


def balance(accounts: Accounts, account: Account) -> int:
    """Credits in ``account``; one never used holds 0."""
    return accounts.get(account, 0)


def post(accounts: Accounts, transfers: Iterable[Transfer]) -> dict[Account, int]:
    """Accounts after ``transfers`` in order; raises OverdrawnError and changes nothing."""
    after = dict(accounts)
    for move in transfers:
        after[move.source] = after.get(move.source, 0) - move.amount
        after[move.target] = after.get(move.target, 0) + move.amount
        if move.source != HOUSE and after[move.source] < 0:
            values = {"account": move.source, "n": -after[move.source], "reason": move.reason}
            raise OverdrawnError(
                Refusal("overdrawn", "{account} is short by {n} for {reason}", values)
            )
    return {name: credits for name, credits in after.items() if credits}
