"""The small business: its rules, its lists, its declarations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from worldtape.collectors.mcp.facts import folder_facts
from worldtape.collectors.mcp.servers.orders.answer import Answer
from worldtape.collectors.mcp.servers.orders.catalog import catalog
from worldtape.collectors.mcp.servers.orders.documents import prompt, read
from worldtape.collectors.mcp.servers.orders.rules import RuleError
from worldtape.collectors.mcp.servers.orders.shop import Shop

MOVED = {"city": "Graz"}


def call(shop: Shop, tool: str, /, **arguments: Any) -> Answer:
    return catalog()[tool].call(shop, arguments)


def refused(shop: Shop, tool: str, /, **arguments: Any) -> RuleError:
    with pytest.raises(RuleError) as caught:
        call(shop, tool, **arguments)
    return caught.value


def one(sku: str, quantity: int = 1) -> list[dict[str, Any]]:
    return [{"sku": sku, "quantity": quantity}]


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def manager() -> Shop:
    return Shop(badge="B-301")


def test_every_tool_is_declared_and_can_be_called(shop: Shop) -> None:
    assert len(catalog()) >= 12
    for entry in catalog().values():
        Draft202012Validator.check_schema(entry.schema)
        assert entry.description.endswith(".")
        if not entry.schema["required"]:
            assert entry.call(shop, {}).shown if entry.name != "update_order" else True


def test_the_same_calls_give_the_same_answers() -> None:
    def play(seed: int) -> list[str]:
        shop = Shop(seed=seed)
        order = call(shop, "list_orders", status="open").data["items"][0]["id"]
        return [
            call(shop, "pay_order", order_id=order, method="card").shown,
            call(shop, "list_customers", limit=50).shown,
            call(shop, "whoami").shown,
        ]

    assert play(4) == play(4)
    assert play(4) != play(5)


def test_a_database_in_a_file_is_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "orders.db"
    call(Shop(file, seed=2), "create_customer", name="Ada Vos", email="ada@example.org")
    again = Shop(file, seed=9)
    assert call(again, "get_customer", customer_id="C-1015").data["name"] == "Ada Vos"
    facts = folder_facts(tmp_path)["databases"]["orders"]
    assert facts["customers"]["C-1015"]["email"] == "ada@example.org"
    assert isinstance(facts["order_lines"], list)


def test_refused_changes_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "orders.db"
    shop = Shop(file)
    before = file.read_bytes()
    refused(shop, "place_order", customer_id="C-1002", items=one("KTL-010"))
    refused(shop, "set_price", sku="KTL-012", price_cents=100)
    assert file.read_bytes() == before


def test_pages_are_whole_and_cursors_belong_to_their_list(shop: Shop) -> None:
    whole = call(shop, "list_customers", limit=50).data["items"]
    found: list[Any] = []
    more: dict[str, Any] = {}
    while True:
        page = call(shop, "list_customers", limit=4, **more).data
        assert page["total"] == len(whole) == 14
        found += page["items"]
        if "next_cursor" not in page:
            break
        more = {"cursor": page["next_cursor"]}
    assert found == whole
    assert refused(shop, "list_customers", city="Lisbon", **more).code == "bad_cursor"
    assert refused(shop, "list_customers", cursor="§").code == "bad_cursor"


def test_an_order_goes_its_way(manager: Shop) -> None:
    placed = call(manager, "place_order", customer_id="C-1002", items=one("MUG-001", 2)).data
    assert (placed["status"], placed["total_cents"]) == ("open", 1700)
    assert call(manager, "get_product", sku="MUG-001").data["stock"] == 26
    order = placed["id"]
    assert refused(manager, "ship_order", order_id=order, tracking="TRK000001").code == "wrong_status"
    assert refused(manager, "pay_order", order_id=order, method="card", amount_cents=1).code == "wrong_amount"
    call(manager, "pay_order", order_id=order, method="card")
    call(manager, "ship_order", order_id=order, tracking="TRK000001")
    call(manager, "confirm_delivery", order_id=order)
    told = refused(manager, "cancel_order", order_id=order, reason="too late")
    assert told.message == f"{order} is delivered and cannot be cancelled: only orders that are open or paid can."
    assert [row["reason"] for row in call(manager, "list_stock_moves").data["items"]] == ["sale"]


@pytest.mark.parametrize(
    ("badge", "name", "arguments", "code"),
    [
        ("B-101", "adjust_stock", {"sku": "MUG-001", "change": 1, "reason": "count"}, "permission_denied"),
        ("B-201", "place_order", {"customer_id": "C-1002", "items": one("MUG-001")}, "permission_denied"),
        ("B-101", "get_order", {"order_id": "2001"}, "invalid_arguments"),
        ("B-101", "get_order", {"order_id": "ORD-9999"}, "not_found"),
        ("B-101", "get_order", {}, "invalid_arguments"),
        ("B-101", "whoami", {"verbose": True}, "invalid_arguments"),
        ("B-101", "create_customer", {"name": "Ada", "email": "g.vos1@example.com"}, "email_taken"),
        ("B-101", "create_customer", {"name": "Ada", "email": "ada@nowhere"}, "invalid_arguments"),
        ("B-101", "create_customer", {"name": "Ada", "email": "a@b.org", "tier": "gold"}, "permission_denied"),
        ("B-101", "switch_user", {"badge": "B-101"}, "already_signed_in"),
        ("B-101", "place_order", {"customer_id": "C-1013", "items": one("MUG-001")}, "customer_blocked"),
        ("B-101", "place_order", {"customer_id": "C-1001", "items": one("LMP-018", 9)}, "over_credit"),
        ("B-101", "update_order", {"order_id": "ORD-2002", "remove": ["KTL-010", "SAW-006"]}, "empty_order"),
        ("B-101", "request_refund", {"order_id": "ORD-2001", "reason": "broken"}, "wrong_status"),
        ("B-101", "sales_report", {"group_by": "day", "from": "2026-03-01", "to": "2026-02-01"}, "bad_period"),
        ("B-102", "decide_refund", {"refund_id": "RF-301", "decision": "approved"}, "own_request"),
        ("B-101", "decide_refund", {"refund_id": "RF-301", "decision": "rejected"}, "note_missing"),
        ("B-201", "adjust_stock", {"sku": "MUG-001", "change": -99, "reason": "damage"}, "out_of_stock"),
        ("B-201", "adjust_stock", {"sku": "BLK-002", "change": 1, "reason": "delivery"}, "discontinued"),
        ("B-301", "set_price", {"sku": "MUG-001", "price_cents": 100}, "price_cut_too_big"),
        ("B-301", "delete_customer", {"customer_id": "C-1005"}, "has_orders"),
        ("B-301", "update_customer", {"customer_id": "C-1001", "expected_version": 7, "changes": MOVED}, "conflict"),
    ],
)  # fmt: skip
def test_the_business_says_no_in_whole_sentences(badge: str, name: str, arguments: dict[str, Any], code: str) -> None:
    told = refused(Shop(badge=badge), name, **arguments)
    assert told.code == code
    assert told.message.endswith(".")
    assert not told.message[0].islower()


def test_resources_and_prompts(shop: Shop) -> None:
    assert "10 % discount" in read(shop, "shop://policies")[1]
    assert read(shop, "shop://catalogue")[1].count("\n") == 19
    assert '"ORD-2001"' in read(shop, "shop://orders/ORD-2001")[1]
    for uri in ("shop://orders/ORD-1", "shop://nothing", "file:///etc/passwd"):
        with pytest.raises(RuleError):
            read(shop, uri)
    assert "ORD-2006" in prompt(shop, "answer_complaint", {"order_id": "ORD-2006", "tone": "brief"})
    assert "KNF-007" in prompt(shop, "restock_plan", {"category": "kitchen"})
    with pytest.raises(RuleError, match="needs order_id"):
        prompt(shop, "answer_complaint", {})
