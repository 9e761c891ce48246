"""The tables of the business."""

TABLES = """
CREATE TABLE staff (badge TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL);
CREATE TABLE customers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, city TEXT NOT NULL, tier TEXT NOT NULL,
    credit_cents INTEGER NOT NULL, blocked INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE products (
    sku TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price_cents INTEGER NOT NULL,
    stock INTEGER NOT NULL CHECK (stock >= 0), reorder_level INTEGER NOT NULL, discontinued INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE orders (
    id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers (id), status TEXT NOT NULL,
    placed_at TEXT NOT NULL, discount_percent INTEGER NOT NULL DEFAULT 0, total_cents INTEGER NOT NULL,
    payment TEXT, tracking TEXT, note TEXT
);
CREATE TABLE order_lines (
    order_id TEXT NOT NULL REFERENCES orders (id), sku TEXT NOT NULL REFERENCES products (sku),
    quantity INTEGER NOT NULL, unit_cents INTEGER NOT NULL, PRIMARY KEY (order_id, sku)
);
CREATE TABLE refunds (
    id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), amount_cents INTEGER NOT NULL,
    reason TEXT NOT NULL, status TEXT NOT NULL, requested_at TEXT NOT NULL, requested_by TEXT NOT NULL,
    decided_by TEXT, note TEXT
);
CREATE TABLE stock_moves (
    id INTEGER PRIMARY KEY, sku TEXT NOT NULL REFERENCES products (sku), change INTEGER NOT NULL,
    reason TEXT NOT NULL, made_at TEXT NOT NULL, made_by TEXT NOT NULL
);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""

__all__ = ["TABLES"]
