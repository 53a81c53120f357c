"""Broken inputs, one row each: one message that names the place and the mend, and no trace left.

Every row runs with ``-o out.txt`` where there is an ``out.txt`` already: it must be as it was.
"""

import gzip
import io
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from hierpair.cli import main

BASE = {
    "tree.tsv": "r\ta\na\tb\na\tc\nr\td\n",
    "true.tsv": "1\tb\n2\tc|d\n",
    "true.txt": "b\nc d\n",
    "one.tsv": "2\tc\n1\tb\n",
    "out.txt": "precious",
}
"""Sound files that lie beside the broken ones."""

FOLDER = object()


class Row(NamedTuple):
    """Files to write, the command, what the message must say, the exit code, standard input."""

    name: str
    files: dict
    command: str
    says: tuple
    code: int = 2
    stdin: bytes = b""


ROWS: list[Row] = []


def row(name, files, command, *says, code=2, stdin=b""):
    assert name not in {r.name for r in ROWS}, name
    assert says, name
    ROWS.append(Row(name, files, command, says, code, stdin))


# fmt: off

def tree(name, content, *says, file='bad', options='', stdin=b''):
    row(f'hierarchy: {name}', {file: content}, f'convert {file} --to json {options}', *says)


def labels(name, content, *says, file='bad.tsv', options='', truth='true.tsv', **more):
    files = {file: content, **{k.replace('_', '.'): v for k, v in more.items()}}
    row(f'labels: {name}', files, f'score tree.tsv {truth} {file} -m hf {options}', *says)

row('hierarchy: no such file', {}, 'score none.tsv true.tsv one.tsv', 'none.tsv: there is no such file')
row('hierarchy: a folder', {'dir': FOLDER}, 'score dir true.tsv one.tsv', 'dir: this is a folder, not a file')
row('order: labels as hierarchy', {}, 'score true.tsv tree.tsv one.tsv', 'true.tsv: ', 'a hierarchy comes first')
row('order: truth and predictions swapped', {'one.tsv': '1\tb\n2\tc\n3\td\n'}, 'score tree.tsv one.tsv true.tsv -m hf', "true: 1 instance has no prediction, such as '3'", '(--missing empty)')
tree('empty', '', 'bad: the file is empty')
tree('only blank lines', '\n \n', 'bad: no line holds a class')
tree('header of parents only', 'child\tparent\n', 'bad: the hierarchy is empty')
tree('UTF-16 without mark', 'r\ta\n'.encode('utf-16-le'), 'bad:1: a NUL byte')
tree('CSV', 'r,a\na,b\n', 'bad.csv:1: which column is the class and which its parent?', 'a header such as parent,child', file='bad.csv')
tree('CSV with a word for a blank', 'id,parent\nr,NaN\na,r\n', "bad:2: the parent 'NaN'; leave", 'blank')
tree('semicolons', 'r;a\n', 'bad:1: expected 2 fields, got 1', 'fields are separated by tabs')
tree('weights or classes', 'r\ta\t1\nr\tb\t2\n', 'is the third column a weight or a class', 'weighted-edges or taxonomy')
tree('an old spreadsheet', b'\xd0\xcf\x11\xe0', 'this is an Excel file; save it as CSV')
tree('a PDF', b'%PDF-1.4', 'bad: this is a PDF file')
tree('a web page', '<!DOCTYPE html>\n<html></html>', 'bad: this is a web page (HTML); download')
tree('gzip that is none', 'r a\n', 'bad.gz: the gzip file is damaged', file='bad.gz')
tree('self-loop', 'r a\na a\n', "bad:2: class 'a' is its own parent; remove that edge", '--break-cycles')
tree('unknown rule for cycles', 'r a\n', "--break-cycles must be one of None, depth-first, got 'all'", options='--break-cycles all')
WEIGHTED = '--hierarchy-format weighted-edges'
tree('weight a word', 'r a heavy\n', "bad:1: the edge weight must be a number, got 'heavy'", options=WEIGHTED)
tree('weight infinite', 'r a 1\nr b inf\n', 'bad:2: the edge weight must be finite', options=WEIGHTED)
tree('taxonomy: blank child', 'r\ta\t\tb\n', 'bad:1: a class name is missing')
tree('parents: blank child', 'child\tparent\n\tr\n', 'bad:2: a class name is missing')
PATHS = '--hierarchy-format paths'
tree('paths: two slashes', 'a/b\na//c\n', "bad:2: a class name is missing on the way to another", options=PATHS)
tree('paths: slash behind', 'a/b\nb/c/\n', "bad:2: a class name is missing in 'b/c/'", options=PATHS)

def obo(name, content, *says, options=''):
    tree(f'OBO: {name}', content, *says, file='bad.obo', options=options)

obo('no id', '[Term]\nname: a\n', 'bad.obo:1: this [Term] has no id')
obo('id twice', '[Term]\nid: a\n\n[Term]\nid: a\n', "bad.obo:5: the id 'a' already occurs at bad.obo:2")
obo('unknown parent', '[Term]\nid: a\nis_a: b ! bee\n', "bad.obo:3: the parent 'b' of 'a' is not defined")
obo('relationship without a target', '[Term]\nid: a\nrelationship: part_of\n', 'bad.obo:3: the parent is missing after')
PART = '[Term]\nid: a\nrelationship: part_of b\n[Term]\nid: b\n'
obo('unknown relation', PART, "bad.obo: there is no relation 'partof'", "did you mean 'part_of'?", options='--relations partof')
obo('blank relations', PART, "bad.obo: there is no relation ''", options="--relations ''")
obo('no terms', 'format-version: 1.2\n', 'bad.obo: no [Term] that is not obsolete')
obo('two ids', '[Term]\nid: a\nid: b\n', "bad.obo:3: a second id, 'b'; every [Term] has one")
obo('unknown namespace', '[Term]\nid: a\nnamespace: bio\n', "there is no namespace 'boi'", "did you mean 'bio'?", options='--namespace boi')
obo('alt_id of two', '[Term]\nid: a\nalt_id: x\n[Term]\nid: b\nalt_id: x\n', "bad.obo:6: the id 'x' means two terms")
row('hierarchy: relations of no OBO', {}, 'convert tree.tsv --relations part_of --to json', 'tree.tsv: relations is for OBO files; this file was read as edges')
row('hierarchy: namespace of no OBO', {}, 'convert tree.tsv --namespace x --to json', 'tree.tsv: namespace is for OBO files')
row('hierarchy: format misspelt', {}, 'convert tree.tsv --hierarchy-format edgs --to json', "the hierarchy format must be one of", "got 'edgs'", "did you mean 'edges'?")
row('hierarchy: edges as OBO', {}, 'convert tree.tsv --hierarchy-format obo --to json', 'tree.tsv: no [Term] that is not obsolete')

def jsn(name, content, *says):
    tree(f'JSON: {name}', content, *says, file='bad.json')

jsn('cut short', '{"a": ["r"', "bad.json: not JSON: Expecting ',' delimiter (column 11)")
jsn('single quotes', "{'a': 'r'}", 'bad.json: not JSON: Expecting property name enclosed in double')
for given in ('3', '"abc"', 'null'):
    jsn(f'no hierarchy: {given}', given, 'bad.json: a hierarchy is wanted, got')
jsn('empty list', '[]', 'bad.json: the hierarchy is empty')
jsn('empty map', '{}', 'bad.json: the hierarchy is empty')
jsn('edge of one', '[["r","a"],["b"]]', "bad.json: edge 2: expected (parent, child[, weight]), got ['b']")
jsn('edge with a list', '[["r",["a"]]]', 'bad.json: edge 1: a class name must be one value, got')
jsn('weight true', '[["r","a",true]]', 'bad.json: edge 1: the edge weight must be a number, got True')
jsn('weight NaN', '[["r","a",NaN]]', 'bad.json: NaN is not a JSON number')
jsn('key twice', '{"a":"r","a":"s"}', "bad.json: the key 'a' occurs twice")
jsn('child without name', '{"name":"r","children":[{"children":[]}]}', "bad.json: a class under 'r' must be a name or have a name")
jsn('nodes and links', '{"nodes":[{"id":"aa"}],"links":[{"source":"aa","target":"ab"}]}', "bad.json: the key 'nodes' would be a class")
jsn('alias of no class', '{"edges":[["r","a"]],"aliases":{"x":"q"}}', "bad.json: 'x' cannot be another name of 'q'")
jsn('half a character', '[["r","\\ud800"]]', "bad.json: '\\ud800' is half of a character")
jsn('JSON lines', '{"id":1,"labels":["a"]}\n{"id":2}\n', 'bad.json:2: not JSON: Extra data')
jsn('some weights', '[["r","a",1],["r","b"]]', 'bad.json: some edges carry a weight and some do not')
jsn('classes no list', '{"edges":[["r","a"]],"classes":"r"}', 'bad.json: classes must be a list')
PREFIX = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n'
RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
tree('SKOS: broken XML', f'{RDF}\n<open></rdf:RDF>', 'bad.rdf:2: not RDF (xml): mismatched tag', file='bad.rdf')
tree('SKOS: broader to a text', PREFIX + '<a> a skos:Concept ; skos:broader "b" .', "bad.ttl: the parent 'b' of 'a' is not", 'defined in the file (as a skos:Concept); to go on without such terms: --undefined drop', file='bad.ttl')
tree('SKOS: entity in another file', f'<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY x SYSTEM "tree.tsv">]>{RDF}</rdf:RDF>', 'bad.rdf: this is XML with a document type (DTD), which could unfold into any amount of text', file='bad.rdf')
tree('edges or paths', 'food/soft cheese\nfood/hard cheese\n', 'an edge, parent and child, or a', 'format to edges or paths')
labels('labels by tabs', '1\tb\tc\n2\tc\td\n', 'bad.tsv:1: expected id TAB label|label, got 3 fields', 'separate labels by bars')
row('system: an empty folder', {'runs': FOLDER}, 'score tree.tsv true.tsv mine=runs', 'runs: there are no files in this folder')
row('system: a folder without a name', {}, 'score tree.tsv true.tsv ..', "cannot read the system '..'; write NAME=FILE")
row('curve: a bad score', {'s.tsv': '1\tb\t0.5\n2\tc\thigh\n1\tc\t0.25\n'}, 'curve tree.tsv true.tsv s.tsv', 's.tsv:2', "'high'")
row('labels: no such file', {}, 'score tree.tsv none.tsv one.tsv', 'none.tsv: there is no such file')
labels('a folder', FOLDER, 'dir: there are no files in this folder', file='dir')
labels('header only', 'id\tlabels\n', 'bad.tsv: the file has no instances')
row('labels: truth with a header only', {'true.tsv': 'id\tlabels\n'}, 'score tree.tsv true.tsv one.tsv', 'true.tsv: the file has no instances')
labels('ids written 1.0', '1.0\tb\n2.0\tc\n', 'bad: 2 instances have no truth', "'1.0' (the truth has ids such as '1')")
labels('one id less', '1\tb\n', "bad: 1 instance has no prediction, such as '2'", '--missing empty')
labels('unknown class', '1\tb\n2\tcc\n', "bad.tsv:2, instance '2': class 'cc' is not in the hierarchy", "did you mean 'c'?", '--unknown drop or root')
labels('blank label', '1\tb||c\n2\tc\n', "bad.tsv:1, instance '1': a label is missing", 'a bar too many?')
labels('quotes around labels', '1\t"b"\n2\t"c"\n', 'bad.tsv:1, instance \'1\': class \'"b"\'', 'write labels without quotes and brackets')
labels('no tab', '1\tb\n2\n', 'bad.tsv:2: expected id TAB label|label, got 1 field', 'a tab stands')
labels('id twice', '1\tb\n2\tb\n1\tc\n', "bad.tsv:3: instance '1' already occurs at bad.tsv:1", 'for one label per line use the format long')
labels('no id', '\tb\n2\tc\n', 'bad.tsv:1: the instance id is missing')
labels('lines: bars', 'b|c\nd\n', "bad.txt:1: class 'b|c'", 'labels separated by blanks or commas', file='bad.txt')
labels('long: score infinite', '1\tb\t1\n2\tc\tinf\n', 'bad.tsv:2: a score must be a finite number')
LONG = {'true_tsv': '1\tb\n2\tc\n', 'options': '--label-format long'}
labels('least score without scores', '1\tb\n2\tc\n', 'bad.tsv: there is no column score', 'name the score column', options='--min-score 0.5')

def csv(name, content, *says, **more):
    more = {'true_tsv': 'id\tlabels\tl1\tl2\n1\tb\ta\tb\n2\tc\ta\tc\n', **more}
    labels(f'CSV: {name}', content, *says, file='bad.csv', **more)

csv('empty', '', 'bad.csv: the file is empty')
csv('header only', 'id,labels\n', 'bad.csv: the file has no instances')
csv('semicolons', 'id;labels\n1;b\n', "bad.csv: there is no column 'labels'; did you mean 'id;labels'")
csv('tabs', 'id\tlabels\n1\tb\n', "bad.csv: there is no column 'labels'; did you mean 'id\\tlabels'")
csv('short line', 'id,labels\n1,b\n2\n', 'bad.csv:3: expected 2 fields as in the header, got 1')
csv('open quote', 'id,labels\n1,"b\n2,c\n', 'bad.csv:2: not CSV: a quotation mark opens here')
csv('id column misspelt', 'id,labels\n1,b\n2,c\n', "there is no column 'idd'; did you mean 'id'?", 'name the id column', options='--id-column idd')
csv('no label column', 'id,pred\n1,b\n', "bad.csv: there is no column 'labels'; there are id, pred")
csv('no id', 'id,labels\n,b\n2,c\n', 'bad.csv:2: the instance id is missing')
csv('where without a value', 'id,labels\n1,b\n', "cannot read 'split'; write NAME=VALUE", options='--where split')
csv('where of no row', 'id,labels\n1,b\n2,c\n', 'true.tsv: no row has id=9', options='--where id=9')
csv('UTF-16', 'id,labels\n1,b\n'.encode('utf-16'), 'bad.csv: this is UTF-16; save it as UTF-8')
csv('a spreadsheet', b'PK\x03\x04\x00', 'bad.csv: this is a zip archive or a spreadsheet (.xlsx)')
LEVELS = '--label-column l1 --label-column l2'
csv('wrong way in a path', 'id,l1,l2\n1,d,b\n', "bad.csv:2, instance '1': 'b' is not a child of 'd'", options=LEVELS)
csv('blank lines', '\n\n', 'bad.csv: the file has no header')
csv('column twice', 'id,labels,labels\n1,b,c\n', "bad.csv:1: two columns are called 'labels'")
labels('TSV: short line', 'id\tlabels\tx\n1\tb\n', 'bad.tsv:2: expected 3 fields as in the header, got 2')

def jsonl(name, content, *says, **more):
    labels(f'JSON lines: {name}', content, *says, file='bad.jsonl', **more)

GOOD = '{"id":"1","labels":["b"]}\n'
jsonl('an array', '[{"id":"1","labels":["b"]}]', 'bad.jsonl:1: every line must hold one whole JSON object')
labels('JSON: an array', '[\n{"id":"1","labels":["b"]}\n]', 'bad.json:1: every line must hold one whole', file='bad.json')
labels('one line more', 'b\nc\nd\n', 'y_true has 2 instances and bad has 3', 'or ids to match them by', file='bad.txt')
labels('long: two scores', '1\tb\t0.3\n1\tb\t0.4\n', "bad.tsv:2: instance '1' has the label 'b' with another", 'bad.tsv:1')
jsonl('cut short', GOOD + '{"id":"2","lab', 'bad.jsonl:2: not JSON: Unterminated string')
jsonl('label a fraction', '{"id":"1","labels":[1.5]}', "bad.jsonl:1, instance '1': a label must be a name")
jsonl('key misspelt', GOOD + '{"id":"2","lables":["c"]}', "bad.jsonl:2, instance '2': a label must be a name, got no key 'labels'")
jsonl('id a list', '{"id":["1"],"labels":["b"]}', 'bad.jsonl:1: an instance id must be a text or a whole')
jsonl('key twice', '{"id":"1","id":"2","labels":["b"]}', "bad.jsonl:1: the key 'id' occurs twice")
jsonl('blank lines', '\n\n', 'bad.jsonl: no line holds a JSON object')
jsonl('endless nesting', '{"labels":' + '[' * 100000, 'bad.jsonl:1: the JSON is nested too deeply')
jsonl('half a character', '{"id":"1","labels":["\\udc00"]}', "bad.jsonl:1: '\\udc00' is half")
jsonl('numbers', '1\n2\n', 'bad.jsonl:1: expected a JSON object, got 1')
NAMES = np.array(['r', 'a', 'b', 'c', 'd'])
MATRIX = np.array([[0, 0, 1, 0, 0], [0, 0, 0, 1, 0]])

def packed(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def alone(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def sparse(matrix):
    out = io.BytesIO()
    sp.save_npz(out, matrix)
    return out.getvalue()


def npz(name, content, *says, file='bad.npz', **more):
    labels(f'NumPy: {name}', content, *says, file=file, truth='true.txt', **more)

npz('no classes', packed(m=MATRIX), 'bad.npz: which class is which column?', '--columns')
COLUMNS = {'options': '--columns cols.txt'}
npz('too few columns', packed(m=MATRIX), 'there are 3 classes for its columns', cols_txt='r\na\nb\n', **COLUMNS)
npz('column of no class', packed(m=MATRIX), "bad.npz: row 1: class 'bb' is not", "did you mean 'b'?", cols_txt='r\na\nbb\nc\nd\n', **COLUMNS)
npz('no file of columns', packed(m=MATRIX), 'cols.txt: there is no such file', **COLUMNS)
npz('classes are bytes', packed(m=MATRIX, classes=NAMES.astype('S')), 'bad.npz: row 1: class "b\'b\'" is not in the hierarchy')
npz('scores', packed(m=MATRIX * 0.7, classes=NAMES), "column 'b': an indicator matrix must hold 0 and 1, got 0.7", 'scores go into measures of scores')
npz('one dimension', packed(m=np.array([2, 3]), classes=NAMES), 'bad.npz: no matrix', 'names are texts')
npz('something else', packed(m=MATRIX, classes=NAMES, scores=np.ones(2)), 'expected one matrix beside classes and ids, got m, classes, scores')
npz('blank id', packed(m=MATRIX, classes=NAMES, ids=np.array(['1', ''])), 'bad.npz: ids must be a text for each of 2 rows')
npz('names twice', packed(m=MATRIX, classes=NAMES), 'bad.npz: the file itself gives the class', 'cols.txt says otherwise', cols_txt='r\na\nb\nd\nc\n', **COLUMNS)

def table(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def parquet(name, content, *says, **more):
    labels(f'Parquet: {name}', content, *says, file='bad.parquet', **more)

parquet('a CSV', b'id,labels\n1,b\n', 'bad.parquet: not a Parquet file', '--label-format')
parquet('cut short', table(id=['1', '2'], labels=['b', 'c'])[:-20], 'bad.parquet: not a Parquet file')
parquet('labels are fractions', table(id=['1'], labels=[1.5]), "bad.parquet: row 1, instance '1': a label must be a name")
parquet('ids are fractions', table(id=[1.0], labels=['b']), 'bad.parquet: row 1: an instance id must be', 'got 1.0')
parquet('no rows', table(id=pa.array([], pa.string()), labels=pa.array([], pa.string())), 'bad.parquet: the file has no instances')
row('hierarchy: Parquet', {'bad.parquet': table(parent=['r'], child=['a'])}, 'convert bad.parquet --to json', 'bad.parquet: this is a Parquet file, which only labels')
row('stdin: twice', {}, 'score - - one.tsv', 'only one file can be read from standard input')
row('stdin: empty', {}, 'score tree.tsv - one.tsv', '-: the file is empty')
row('stdin: NUL', {}, 'score tree.tsv - one.tsv', '-:1: a NUL byte', stdin=b'1\tb\x00')
row('stdin: unknown class', {}, 'score tree.tsv true.tsv -', "-:2, instance '2': class 'cc'", stdin=b'1\tb\n2\tcc\n')
row('stdin: gzip cut short', {}, 'score tree.tsv - one.tsv', '-: the gzip file is damaged', stdin=gzip.compress(b'1\tb\n')[:-4])

def score(options, *says, files=None):
    row(f'score: {options}', files or {}, f'score tree.tsv true.tsv one.tsv {options}', *says)

row('verb missing', {}, '', 'name a verb, such as score; see hierpair --help')
row('verb misspelt', {}, 'scor tree.tsv', "there is no verb 'scor'; did you mean 'score'?")
row('score: no files', {}, 'score', 'give a hierarchy, a truth and at least one file of predictions')
score('--mesures hf', "unrecognized arguments: --mesures; did you mean '--measures'?", 'see hierpair')
for verb in ('score', 'explain'):
    row(f'{verb}: digits below 0', {}, f'{verb} tree.tsv true.tsv one.tsv --digits -1', "argument --digits: must be a whole number from 0 to 100, got '-1'")
    row(f'{verb}: endless digits', {}, f'{verb} tree.tsv true.tsv one.tsv --digits 9999999999', 'argument --digits: must be a whole number from 0 to 100')
score('--digits 1.5', "argument --digits: must be a whole number from 0 to 100, got '1.5'")
score('--jobs -2', '--jobs must be at least 1, got -2')
for given in ('3', '0', '-2'):
    score(f'--set threshold={given}', 'threshold must be an even whole number ≥ 2', given)
score('--set threshold=2.5', "threshold must be an even whole number ≥ 2 or None, got '2.5'")
for given in ('-1', 'nan', 'inf'):
    score(f'--set beta={given}', 'f: beta must be a finite number ≥ 0', given)
for given in ('nan', '0', '-1', 'inf'):
    score(f'--set default={given}', 'gie: default must be a finite number > 0', given)
score('--set denominator=x', "mgia: denominator must be one of 'union', 'symdiff', got 'x'")
for given in ('-1', 'nan'):
    score(f'--set max_distance={given}', 'max_distance must be a number ≥ 0 or None', given)
score('--set zero_division=2', 'zero_division must be 0, 1 or nan, got 2')
score('--set average=mean', "average must be one of 'samples', 'micro', 'macro', 'weighted', got 'mean'")
score('-m hf --set denominator=union', "none of the measures has an option 'denominator'")
score('--set cost=hop', "unknown cost 'hop'", "did you mean 'hops'?")
score("--set 'cost=decayed(w0=nan)'", 'cannot read the cost')
score("--set 'cost=decayed(w0=-0.5)'", 'w0 must be in (0, 1], got -0.5')
score('--set cost=matrix', "a cost from a file like matrix('FILE')")
for given in ('decayed(w0=', 'decayed(w1=1)', 'decayed' + '(' * 300):
    score(f"--set 'cost={given}'", 'cannot read the cost', 'write it like decayed(w0=0.5)')
for given in ('0', '-1', 'nan', 'inf', 'near'):
    score(f'-m contribution_f --set theta={given}', "must be a finite number > 0 or 'mean'", given)
score('-m contribution_f --set theta=mean', "theta='mean' needs a cost that knows its mean", 'as a number')
for given in ('0', '-1', '2', 'nan'):
    score(f'-m depth_loss --set w0={given}', 'depth_loss: w0 must be a number > 0 and ≤ 1', given)
score('-m depth_loss --set w0=half', "w0 must be a number > 0 and ≤ 1, got 'half'")
score('-m depth_loss --set normalise=yes', "normalise must be one of 'none', 'max-path', 'path'")
score('-m gie --set "cost=lin(\'dir\')"', 'dir: this is a folder', files={'dir': FOLDER})
for kind, content, says in (('matrix', '', 'bad.tsv: the file is empty'), ('matrix', 'true\tpredicted\tcost\nb\tc\tnan\n', "bad.tsv:2: 'nan' is not a finite number"), ('matrix', 'true\tpredicted\tcost\nb\tc\t-2\n', 'bad.tsv:2: the cost -2 is negative'), ('matrix', 'true\tpredicted\tcost\nb\tx\t2\n', "bad.tsv:2: class 'x' is not in the hierarchy"), ('matrix', 'true\tpredicted\tcost\nb\tc\t2\n', "bad.tsv has no cost for true 'd'"), ('matrix', '-\tb\tc\nb\t0\n', 'bad.tsv:2: expected a class and 2 costs, got 2 fields'), ('cosine', 'b\t1\tnan\n', "bad.tsv:1: 'nan' is not a finite number"), ('cosine', 'b\t1\t2\nc\t1\n', 'bad.tsv:2: expected 2 numbers as in lines before, got 1 field'), ('lin', 'b\t-1\n', 'bad.tsv:1: the count -1 is negative'), ('lin', 'b\t1\n', "class 'c' and all below it have the count 0"), ('lin', b'b\t1\n\xff\n', 'bad.tsv:2: byte 0xff is not UTF-8')):
    row(f'score: {kind}, {says}', {'bad.tsv': content}, f'''score tree.tsv true.tsv one.tsv -m gie --set "cost={kind}('bad.tsv')"''', says)
score('-m f1', "there is no measure 'f1' alone; say which of them: ", 'hf')
score('-m hf,gie', "cannot read the measure 'hf,gie'; write one at a time")
score("-m 'hf(betta=2)'", "hf has no option 'betta'; did you mean 'beta'?")
score('-m \'hf(beta=__import__("os"))\'', 'hf: beta must be a finite number ≥ 0, got')
score("-m 'hf(beta=[1])'", 'hf: beta must be a finite number ≥ 0, got [1]')
for given in ('hf(beta=1+1)', 'hf(2)', 'hf(beta=2', '', 'hf hp'):
    score(f"-m '{given}'", 'cannot read the measure', "like hf or hf(beta=2, average='micro')")
score(f"-m 'gie(default={'9' * 400})'", 'gie: default must be a finite number > 0, got 999')
score("-m 'hf(augment=none, threshold=2)'", 'a path threshold cuts ancestors', "augment='none'")
score('-m tree_induced_error', "instance '2': the true classes 'd', 'c' must have at least 2 partners", '1 predicted and 2 true classes', 'measure tree_induced_error', 'system one')
score('--format json --percent', '--percent needs --format text')
score('--unknown skip', "argument --unknown: must be one of error, drop, root, got 'skip'")
score('--unknown root -m hf', 'needs a single root; this hierarchy has 2', files={'tree.tsv': 'r\tb\nr\tc\nq\td\nq\te\n', 'one.tsv': '1\tx\n2\tc\n'})
score('--min-score high', "cannot read 'high'; write a number")
score('--label-format cvs', "the label format must be one of", "did you mean 'csv'?")
score('--label-format parquet', 'true.tsv: not a Parquet file')
score('--label-format table --long', 'true.tsv: this file was read as table, which has no named columns')
score('--hierarchy-format json', 'tree.tsv:1: not JSON')
row('case: unknown', {}, 'score --case transposons', "there is no case 'transposons'; did you mean 'transposon'?")
row('case: and files', {}, 'score --case transposon tree.tsv', '--case cannot be given with FILE')
row('system: name twice', {}, 'score tree.tsv true.tsv one.tsv one.tsv', "two systems are called 'one'; name them: one-2=one.tsv")
row('system: no name', {}, 'score tree.tsv true.tsv =one.tsv', "cannot read the system '=one.tsv'; write NAME=FILE")
row('system: y_true', {}, 'score tree.tsv true.tsv y_true=one.tsv', 'a system cannot be called y_true')
row('system: no such file', {}, 'score tree.tsv true.tsv a=none.tsv', 'none.tsv: there is no such file')
row('measures: unknown', {}, 'measures hff', "there is no measure 'hff'; did you mean")
row('measures: bad option', {}, "measures 'hf(beta=-1)'", 'hf: beta must be a finite number ≥ 0, got -1')
row('measures: unknown need', {}, 'measures --for --need top_mistake', "there is no need 'top_mistake'; did you mean 'top_mistakes'")
row('measures: needs that exclude each other', {}, 'measures --for --need top_mistakes --need depth_ignored', 'exclude each other')
row('measures: need without for', {}, 'measures --need silence', '--need needs --for')
row('measures: predictions', {}, 'measures --for tree.tsv true.tsv one.tsv', 'got 3 files')
row('measures: no such tree', {}, 'measures --for none.tsv', 'none.tsv: there is no such file')
row('measures: form', {}, 'measures --format yaml', "got 'yaml'")
CONVERT = 'convert tree.tsv'
row('convert: no form', {}, CONVERT, 'and --to FORMAT')
row('convert: form misspelt', {}, f'{CONVERT} --to jsn', "the form of written hierarchies must be one of", "got 'jsn'", "did you mean 'json'?")
row("convert: labels as a hierarchy's form", {}, f'{CONVERT} true.tsv --to json', "the form of written labels must be one of", "got 'json'")
row('convert: lone class as edges', {'dag': 'child\tparent\na\t\n'}, 'convert dag --to edges', "class 'a' has no edge", 'write json')
row('convert: blank in a name', {'dag': 'r\ta b\n', 'l.tsv': '1\ta b\n'}, 'convert dag l.tsv --to lines', "class 'a b' holds ' '")
row('convert: unknown label', {'l.tsv': '1\tx\n'}, 'convert tree.tsv l.tsv --to csv', "l.tsv:1, instance '1': class 'x'")
EXPLAIN = 'explain tree.tsv true.tsv one.tsv'
row('explain: instance and worst', {}, f'{EXPLAIN} -i 1 --worst 2', '--instance cannot be given with --worst')
for given in ('0', '-1'):
    row(f'explain: worst {given}', {}, f'{EXPLAIN} --worst {given}', 'number of instances must be at least 1')
row('explain: worst of a word', {}, f'{EXPLAIN} --worst x', "argument --worst: must be a whole number, got 'x'")
row('explain: no such id', {}, f'{EXPLAIN} -i 9', "there is no instance '9'; there are 1, 2")
row('explain: no such system', {}, f'{EXPLAIN} --system onee', "there is no system 'onee'; did you mean 'one'?")
row('explain: form', {}, f'{EXPLAIN} --format csv', "got 'csv'")
row('explain: view', {}, f'{EXPLAIN} --view tree', "got 'tree'")
row('explain: measure', {}, f'{EXPLAIN} -m hff', "there is no measure 'hff'")
row('explain: option of no measure', {}, f'{EXPLAIN} -m hf --set denominator=union', 'none of the measures has an option')
row('explain: picture in no folder', {}, f'{EXPLAIN} --picture no/x.svg', 'no/x.svg: cannot be written; name a file in a folder')
row('explain: picture over an input', {'one.svg': '1\tb\n2\tc\n'}, 'explain tree.tsv true.tsv one.svg --picture one.svg', 'one.svg: this file is read')
row('explain: picture over the output', {}, f'{EXPLAIN} --picture ./x.svg -o x.svg', 'the picture and the output are the same file')
row('explain: picture with another ending', {}, f'{EXPLAIN} --picture x.jpg', 'x.jpg', 'a picture must end in', '.svg')
row('explain: network of sets', {}, f'{EXPLAIN} -m hf --picture x.svg --view network', 'hf has no pairing to draw; take --view hierarchy')
SCORE = 'score tree.tsv true.tsv one.tsv -m hf'
row('output: a folder', {'dir': FOLDER}, f'{SCORE} -o dir', 'dir: cannot be written; name a file in a folder that exists')
row('output: in no folder', {}, f'{SCORE} -o no/out.txt', 'no/out.txt: cannot be written')
row('output: an input', {}, f'{SCORE} -o ./true.tsv', 'true.tsv: this file is read; write the output elsewhere')
row('output: an input with a name', {}, 'score tree.tsv true.tsv a=one.tsv -o one.tsv', 'one.tsv: this file is read')
row('output: the columns', {'cols.txt': '\n'.join(NAMES), 'x.npz': packed(m=MATRIX)}, 'score tree.tsv true.txt x.npz --columns cols.txt -o cols.txt', 'cols.txt: this file is read')
row('output: no name', {}, f"{SCORE} -o ''", "'': cannot be written; name a file")
row('output: 300 letters', {}, f"{SCORE} -o {'x' * 300}", 'cannot be written; name a file')
row('check: no files', {}, 'check', 'give a hierarchy to check, and labels, or a file that names them (--config)')
row('check: policies', {}, 'check tree.tsv true.tsv --unknown drop', 'unrecognized arguments: --unknown')
row('check: format misspelt', {}, 'check tree.tsv true.tsv --label-format cvs', "the label format must be one of")
row('check: hierarchy format misspelt', {}, 'check tree.tsv --hierarchy-format tre', "the hierarchy format must be one of", "got 'tre'")
row('check: where', {}, 'check tree.tsv true.tsv --where a', "cannot read 'a'; write NAME=VALUE")
row('check: rule for cycles', {}, 'score tree.tsv true.tsv one.tsv --break-cycles all', "--break-cycles must be one of None, depth-first, got 'all'")
row('check: name twice', {}, 'check tree.tsv true.tsv one.tsv one.tsv', "two systems are called 'one'")

def found(name, files, command, *says):
    row(f'check finds: {name}', files, f'check {command} --format tsv', *says, code=1)

found('no file', {}, 'none.tsv', 'error\tformat\tnone.tsv\tthere is no such file')
found('unknown class', {'bad.tsv': '1\tbb\n2\tc\n'}, 'tree.tsv true.tsv bad.tsv', "error\tunknown label\tbad.tsv:1\tinstance '1': class 'bb' is not", "did you mean 'b'?")
found('header only', {'bad.tsv': 'parent\tchild\n'}, 'bad.tsv', 'error\thierarchy\tbad.tsv\tthe hierarchy is empty')
found('labels with a header only', {'bad.tsv': 'id\tlabels\n'}, 'tree.tsv bad.tsv', 'error\tinstances\tbad.tsv')
found('cycle', {'bad.tsv': 'r a\na b\nb a\n'}, 'bad.tsv', "error\tcycle\tbad.tsv:3\tthe hierarchy has a cycle: 'a' → 'b' → 'a'", '--break-cycles')
found('columns swapped', {'bad.tsv': 'b\ta\nc\ta\na\tr\n'}, 'bad.tsv', 'error\tmisread', 'are parent and child swapped?')
found('broken lines, all of them', {'bad.tsv': '1\n2\n'}, 'tree.tsv bad.tsv --label-format table', 'bad.tsv:1: expected id TAB label|label', 'bad.tsv:2: expected id TAB label|label')
found('entity', {'bad.rdf': f'<!DOCTYPE r [<!ENTITY x "&y;">]>{RDF}</rdf:RDF>'}, 'bad.rdf', 'XML with a document type (DTD)')
row('a ragged line among edges', {'tree.tsv': 'r\ta\nr\td\tb\na\tc\n'}, 'score tree.tsv true.tsv one.tsv -m hf', 'tree.tsv:2: a line of more than two fields', "where lines have the same parent 'r'", 'set the hierarchy format to taxonomy')
DAG = {'dag.tsv': 'r\ta\nr\tb\na\tc\nb\tc\nc\td\n', 't.tsv': '1\td\n', 'p.tsv': '1\td\n'}
HCM = 'score dag.tsv t.tsv p.tsv -m hcm_f'
row('a class with several root paths', DAG, HCM, "instance '1'", "'d' has 2 paths from the root", 'give the path', '--paths')
row('a path that is none', {**DAG, 'p.tsv': '1\tr/d\n'}, f'{HCM} --paths /', "p.tsv:1, instance '1'", "'d' is not a child of 'r'")
row('a path that does not start at the top', {**DAG, 'p.tsv': '1\tc/d\n'}, f'{HCM} --paths /', "instance '1'", "'c/d' must start at the root 'r' or at a child of it")
row('a blank path', {**DAG, 'p.tsv': '1\ta|\n'}, f'{HCM} --paths /', 'p.tsv:1', 'a label is missing')
row('a path of unknown classes', {**DAG, 'p.tsv': '1\ta/x\n'}, f'{HCM} --paths /', "p.tsv:1, instance '1'", "'x' is not in the hierarchy")
row('an empty separator of paths', DAG, f"{HCM} --paths ''", 'need a separator of their own')
row('paths and labels with one separator', DAG, f"{HCM} --paths '|'", "need a separator of their own, got '|'")
row('several roots and root paths', {'dag.tsv': 'a\tb\na\te\nc\td\n', 't.tsv': '1\td\n', 'p.tsv': '1\td\n'}, HCM, "one root, and the hierarchy has 2 ('a', 'c'", 'add a class above')
for option, value, words in [('pairing', 'greedy', "'exact', 'published'"), ('empty', 'zero', "'root', 'none'"), ('nested', 'all', "'drop', 'keep'"), ('blank', 'yes', "'ignore', 'count'")]:
    row(f'{option} {value}', DAG, f'{HCM} --set {option}={value}', f'{option} must be one of {words}, got {value!r}')
row('a measure of two words', {}, "score tree.tsv true.tsv one.tsv -m 'hcm(mcc, tpr)'", 'cannot read the measure')
row('a field that is none', {}, "score tree.tsv true.tsv one.tsv -m 'hcm(xyz)'", "there is no measure 'hcm_xyz'")
row('a case without its data', {}, 'score --case germeval2019-a --data .', 'there is no folder germeval2019', 'do not come with hierpair', '--data or HIERPAIR_DATA')

def plugin(name, content, *says, options='-m mine', **files):
    row(f'plugin: {name}', {'p.py': content, **files}, f'score tree.tsv true.tsv one.tsv --plugin p.py {options}', *says)

score('-m gie --set average=weighted', "none of the measures can be averaged as 'weighted'")
score('--set cost=weights', 'needs a hierarchy with edge weights; it has none')
score("-m 'gie(cost=decayed, threshold=2)'", "a path threshold counts edges; use it with cost='hops'")
score('--plugin one.tsv', 'one.tsv: a plugin is a Python file (.py)')
plugin('syntax', 'x = 1\ndef f(:\n', 'p.py:2: SyntaxError: invalid syntax')
plugin('raises', "\nraise RuntimeError('boom')\n", 'p.py:2: RuntimeError: boom')
plugin('raises in several lines', "raise ValueError('a\\nb')\n", 'p.py:1: ValueError: a b')
plugin('imports what is not there', 'import nosuchmodule\n', 'p.py:1: ModuleNotFoundError', 'nosuchmodule')
plugin('exits', 'import sys\nsys.exit(0)\n', 'p.py:2: SystemExit', options='-m hf')
plugin('NUL', b'\x00', 'Error: source code string cannot contain null bytes')

def registered(name, arguments, signature, *says):
    plugin(name, f'from hierpair import *\n@pair_measure({arguments})\ndef mine({signature}):\n    return Rule(Hops(), ())\n', *says)

registered('name of two words', "name='my measure'", '', "p.py: a measure's name must be one word", "'my measure'")
registered('any options', '', '**options', "p.py: option 'options' of measure 'mine' needs a default")
registered('unknown average', "averages=('mean',)", '', "p.py: averages of measure 'mine'", "('mean',)")
registered('name taken', "name='hf'", '', "p.py: there is already a measure 'hf'; choose another name")
registered('direction', "direction='up'", '', "p.py: direction must be one of higher, lower, got 'up'")

def rule(name, cost, constraints, *says, extra='', **files):
    plugin(name, f'from hierpair import *; from hierpair.pairing import *\nimport numpy as np\n@pair_measure\ndef mine():\n    return Rule({cost}, {constraints}{extra})\n', *says, **files)

MINE = 'measure mine'
plugin('no rule', 'from hierpair import *\n@pair_measure\ndef mine(): pass\n', MINE, 'must return a Rule or a NetworkRule, got None')
plugin('its function fails', 'from hierpair import *\n@pair_measure\ndef mine(): 1 / 0\n', MINE, 'ZeroDivisionError', 'p.py:3')
plugin('its function exits', 'from hierpair import *\n@pair_measure\ndef mine(): raise SystemExit\n', 'a plugin ended the run')
rule('cost is none', 'None', '()', MINE, 'a cost must be callable, got None')
rule('constraint is a number', 'Hops()', '(3,)', MINE, 'a constraint must be callable, got 3')
rule('constraint without comma', 'Hops()', '(Cardinality(1))', MINE, 'constraints come as a tuple, (…,) for a single one')

def constraint(text, *says, **files):
    rule(f'constraint {text}', 'Hops()', f'({text},)', MINE, *says, **files)

constraint("Degree('pred', 1)", "side must be 'predicted' or 'true', got 'pred'")
constraint("Degree('true', 3)", "instance '1': the true class 'b' must have at least 3 partners and can get only 1")
constraint("Degree('true', 1, where=lambda labels: labels.x)", 'Degree failed: AttributeError', 'p.py:5')
constraint("Unmatched('true', None)", 'the default cost must be a number ≥ 0, got None')
constraint('Forbid(lambda pairs: pairs.distance)', 'expected one truth value per pair (3,), got float64')
constraint("Require((('b', 'zz'),))", "class 'zz' is not in the hierarchy")
constraint("MaxDistance('2')", "the largest distance must be a number ≥ 0, got '2'")
constraint('Cardinality(5)', "instance '1': these cannot hold together: the instance must have at least 5 pairs")
constraint("Groups('true', by_level, -1)", 'upper must be a number ≥ 0, got -1')
constraint("Mass('true', -1)", 'the mass must be a number ≥ 0, got -1')
constraint('Capacity([1, 2])', 'expected a 5 × 5 matrix by class, got shape (2,)')
constraint("Degree('true', 1.5)", "lower of the true class 'b' is 1.5; it must be a whole number")
constraint("Degree('true', 1, where='b')", "give several names as a tuple, got 'b'")
constraint("Unmatched('true', np.ones(3))", 'the default cost must be a number, an array of 5 by class, or a function of Labels', 'got an array of shape (3,)')
constraint('Forbid(True)', 'forbid by a callable on pairs, or by a tuple', 'got True')
constraint('Cardinality(3, 1)', 'the instance cannot have at least 3 and at most 1 pairs')
constraint("Groups('true', 3, 1)", 'groups must be a callable on labels, got 3')
constraint("Groups('true', lambda labels: labels.classes / 2, 1)", 'must be one whole number per label (3,), got float64')
constraint("Groups('true', by_level, 1, of='pairs')", "of must be one of 'labels', 'partners', got 'pairs'")
constraint("CountCost('true', (0, 'x'))", "a table of costs holds numbers and None, got 'x'")
constraint("Mass('true', 1), Mass('predicted', 0.5)", 'the masses of the predicted side add up to 1/2 and those of the true side to 1', 'take their shares of the sum, Mass(…, share=True)')
constraint("Groups('true', by_subtree(-1), 1)", 'by_subtree takes a depth, a whole number ≥ 0, got -1')
constraint("Groups('true', by_subtree(1), 1)", "class 'b' lies in several subtrees at depth 1", **{'tree.tsv': 'r\ta\nr\td\na\tb\nd\tb\na\tc\n'})

def cost(text, *says, extra=''):
    rule(f'cost {text}{extra}', text, "(Degree('true', 1), Degree('predicted', 1))", MINE, *says, extra=extra)

cost('lambda pairs: pairs.distance - 9', "instance '1': the pair ('b', 'b') has the cost -9.0", 'number ≥ 0')
cost('lambda pairs: 3', 'must give one number per pair (3,), got shape ()')
cost('lambda pairs: pairs.distance + 1e90', 'more than the solver can carry exactly')
cost('CosineDistance(np.ones((2, 2)))', 'expected one vector per class (5), got 2')
cost('CostMatrix(np.ones((2, 2)))', 'expected a 5 × 5 matrix by class, got shape (2, 2)')
cost('CosineDistance(np.full((5, 2), np.nan))', 'class vectors must be finite')

def formula(name, body, *says):
    plugin(f'formula {name}', f"from hierpair import *\n@set_measure(formula='', source='', direction='lower', range='')\ndef mine(n_true):\n    return {body}\n", MINE, *says)

formula('fails', '1 / 0', 'its formula failed: ZeroDivisionError', 'p.py:4')
formula('gives a text', "'abc'", 'its formula failed: ValueError')
formula('gives one number', '1', 'must give one finite number (or nan) per entry (2,)')
# fmt: on
# ------------------------------------------------------------------------------ the tests


def snapshot():
    """All files below the working folder, and what they hold."""
    return {p: p.read_bytes() if p.is_file() else None for p in Path().rglob("*")}


def lay_out(files):
    for name, content in {**BASE, **files}.items():
        if content is FOLDER:
            Path(name).mkdir()
        else:
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def test_there_are_many_rows():
    assert len(ROWS) > 200


@pytest.mark.parametrize("given", ROWS, ids=lambda r: r.name)
def test_a_broken_input_is_one_message_and_leaves_no_trace(given, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lay_out(given.files)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.stdin)))
    before = snapshot()
    arguments = shlex.split(given.command)
    if given.code == 2 and arguments and "-o" not in arguments:
        arguments += ["-o", "out.txt"]
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code == given.code, err
    assert snapshot() == before
    for unwanted in ("Traceback", "internal error", " at 0x", "<unknown>", "<frozen"):
        assert unwanted not in err
    if given.code == 2:
        assert out == ""
        lines = err.splitlines()
        assert [line.startswith("hierpair: ") for line in lines].count(True) == 1
        assert lines[-1].startswith("hierpair: ")
        assert len(lines[-1]) < 700
        shown = lines[-1]
    else:
        assert "hierpair: " not in err
        shown = out
    for part in given.says:
        assert part in shown


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "hierpair", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lay_out({})
    return tmp_path


@pytest.mark.exhaustive
def test_real_standard_input(folder):
    before = snapshot()
    process = start("score", "tree.tsv", "true.tsv", "-", "-o", "out.txt", stdin=subprocess.PIPE)
    out, err = process.communicate(b"1\tb\n2\tcc\n", timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert b"hierpair: -:2, instance '2': class 'cc' is not in the hierarchy" in err
    assert len(err.splitlines()) == 1
    assert snapshot() == before


@pytest.mark.exhaustive
def test_closed_standard_input(folder):
    process = start("score", "tree.tsv", "true.tsv", "-", stdin=subprocess.DEVNULL)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err == b"hierpair: -: the file is empty\n"


@pytest.mark.exhaustive
def test_folder_that_cannot_be_written(folder):
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    if os.access(closed, os.W_OK):  # nothing is closed to root but the kernel's own
        closed = Path("/proc")
    process = start("score", "tree.tsv", "true.tsv", "one.tsv", "-q", "-o", str(closed / "out.txt"))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert b"out.txt: cannot be written (" in err
    assert len(err.splitlines()) == 1


ENDLESS = """
import time
from pathlib import Path
from hierpair import Rule, pair_measure

def cost(pairs):
    Path("started").touch()
    for _ in range(600):
        time.sleep(0.1)
    return pairs.distance

@pair_measure
def endless():
    return Rule(cost, ())
"""


@pytest.mark.parametrize(
    ("jobs", "everybody"),
    [
        pytest.param("1", False, id="kill-1"),
        pytest.param("2", True, id="terminal-2"),
        pytest.param("1", True, id="terminal-1", marks=pytest.mark.exhaustive),
        pytest.param("2", False, id="kill-2", marks=pytest.mark.exhaustive),
    ],
)
def test_interrupted_run(folder, jobs, everybody):
    """Ctrl-C reaches all processes of a terminal; kill reaches the first one alone."""
    Path("p.py").write_text(ENDLESS)
    before = snapshot()
    process = start("score", "tree.tsv", "true.tsv", "one.tsv", "--plugin", "p.py", "-m", "endless",
                    "--jobs", jobs, "-o", "out.txt", start_new_session=True)  # fmt: skip
    try:
        end = time.monotonic() + 60
        while not Path("started").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)
        (os.killpg if everybody else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out) == (130, b"")
    assert err == b"hierpair: interrupted\n"
    assert snapshot() == before | {Path("started"): b""}
