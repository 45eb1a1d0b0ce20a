//! Cells and rows of tables.

use serde_json::json;

use super::code_of;
use crate::StructureErrorCode::{Ambiguous, BadValue, NotThere, Unreadable};
use crate::{PartAddress, PartChange, RowAddress, StructureError, change_part, find_part};

const PRICES: &str = "id,name,price\n1,\"Tea, green\",3.50\n7,Mug,\"8\"\n8,Mug,9\n";

fn cell(row: &str, column: Option<&str>) -> PartAddress {
    let row = row.parse().map_or_else(|_| RowAddress::Named(row.to_owned()), RowAddress::Number);
    PartAddress::Cell { row, column: column.map(str::to_owned) }
}

fn change(row: &str, column: Option<&str>, change: PartChange) -> Result<String, StructureError> {
    change_part("p.csv", PRICES, &cell(row, column), &change)
}

fn text(new: &str) -> PartChange {
    PartChange::Text(new.to_owned())
}

#[test]
fn a_cell_keeps_its_quotes_and_gets_those_it_needs() {
    let cases = [
        ("1", "price", "4", PRICES.replace("3.50", "4")),
        ("id=7", "price", "9", PRICES.replace("\"8\"", "\"9\"")),
        ("2", "name", "a \"b\"", PRICES.replace("7,Mug", "7,\"a \"\"b\"\"\"")),
        ("id=8", "3", "1,5", PRICES.replace("Mug,9", "Mug,\"1,5\"")),
    ];
    for (row, column, new, expected) in cases {
        assert_eq!(change(row, Some(column), text(new)).unwrap(), expected);
    }
    let part = &PRICES[find_part("p.csv", PRICES, &cell("1", Some("name"))).unwrap()];
    assert_eq!(part, "\"Tea, green\"");
}

#[test]
fn rows_are_replaced_added_and_taken_away() {
    assert_eq!(change("1", None, PartChange::Remove).unwrap(), PRICES.replace("1,\"Tea, green\",3.50\n", ""));
    assert_eq!(change("id=8", None, text("8,Cup,2")).unwrap(), PRICES.replace("8,Mug,9", "8,Cup,2"));
    assert_eq!(change("+", None, text("9,Pot,1\n")).unwrap(), format!("{PRICES}9,Pot,1\n"));
    let new = PartChange::Value(json!({ "price": 1, "name": "a,b" }));
    assert_eq!(change("+", None, new).unwrap(), format!("{PRICES},\"a,b\",1\n"));
    let new = PartChange::Value(json!({ "price": 1 }));
    assert_eq!(change("id=8", None, new).unwrap(), PRICES.replace("Mug,9", "Mug,1"));
}

#[test]
fn other_separators_and_line_ends_are_known() {
    let after = change_part("p.tsv", "a\tb\r\n1\t2\r\n", &cell("1", Some("b")), &text("x")).unwrap();
    assert_eq!(after, "a\tb\r\n1\tx\r\n");
    let after = change_part("p.csv", "a;b\n1;2", &cell("1", Some("b")), &text("x,y")).unwrap();
    assert_eq!(after, "a;b\n1;x,y");
}

#[test]
fn what_is_not_there_is_refused() {
    assert_eq!(code_of(change("4", None, PartChange::Remove)), NotThere);
    assert_eq!(code_of(change("id=70", Some("price"), text("1"))), NotThere);
    assert_eq!(code_of(change("name=Mug", Some("price"), text("1"))), Ambiguous);
    assert_eq!(code_of(change("1", None, text("1,2"))), BadValue);
    let error = change("1", Some("prize"), text("1")).unwrap_err();
    assert_eq!((error.code, error.hints), (NotThere, vec!["price".to_owned()]));
    assert_eq!(code_of(find_part("p.csv", "a,b\n1,\"2\n", &cell("1", None))), Unreadable);
}
