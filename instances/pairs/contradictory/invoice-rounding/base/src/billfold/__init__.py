"""Invoices, statements and reminders from small JSON documents."""

__version__ = "1.4.0"
