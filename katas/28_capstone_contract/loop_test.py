"""The specification of kata 28. Your contract is read first, then the loop that is compiled from it."""

from simulator.grading import asks


def test_there_is_a_contract(declared):
    """contract.json lies beside loop.py."""
    declared.must_be_there()


def test_the_rules_accept_it(declared):
    """All that the language of contracts asks of any loop: limits, every signal, typed control, whole results."""
    declared.must_be_accepted()


def test_the_model_answers_so_often_and_no_more(declared):
    """Point 1 of the office's list: at most 12 answers a night."""
    declared.must(asks.answers(at_most=12), point=1)


def test_a_night_costs_so_much_and_no_more(declared):
    """Point 2: at most 0.50 dollars, by the prices that the office pays."""
    declared.must(asks.dollars(at_most=0.50), point=2)
    declared.must(asks.prices(input=3, output=15, cache_write=3.75, cache_read=0.30), point=2)


def test_no_tool_keeps_the_clerk_waiting(declared):
    """Point 3: a tool that takes more than 20 seconds is given up on."""
    declared.must(asks.tool_seconds(at_most=20), point=3)


def test_a_tool_that_fails_is_told_to_the_model(declared):
    """Point 4: the model learns what failed, and why."""
    declared.must(asks.failures_are_told(), point=4)


def test_a_tool_that_does_not_exist_is_told_to_the_model(declared):
    """Point 5: the model learns that there is no such tool."""
    declared.must(asks.unknown_tools_are_told(), point=5)


def test_the_harbour_master_decides(declared):
    """Point 7: an entry counts when the check accepts it. (Point 6 is one of the rules above.)"""
    declared.must(asks.a_check_decides(), point=7)


def test_the_night_is_on_record(declared):
    """Point 8: every transition goes to the log harbour.clerk."""
    declared.must(asks.logged_as("harbour.clerk"), point=8)


def test_the_loop_holds_before_the_whole_gate(declared):
    """loop.py, under every probe that `simulator check` has."""
    declared.must_hold_before_the_gate()


def test_the_loop_is_what_the_contract_gives(declared):
    """Nobody has changed loop.py by hand, and nobody the contract since it was compiled."""
    declared.must_be_what_the_contract_gives()
