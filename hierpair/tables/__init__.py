"""Records and how they are shown: text, Markdown, LaTeX, HTML, CSV, TSV, JSON, and forms to add."""

from hierpair.tables.forms import (
    FORMS,
    Shown,
    Tabular,
    csv_table,
    show,
    spreadsheet_safe,
)
from hierpair.tables.records import Block, Content, Form, Page, Records, json_text, listing
from hierpair.tables.text import number, text_table

__all__ = [
    "FORMS",
    "Block",
    "Content",
    "Form",
    "Page",
    "Records",
    "Shown",
    "Tabular",
    "csv_table",
    "json_text",
    "listing",
    "number",
    "show",
    "spreadsheet_safe",
    "text_table",
]
